"""Results for people and machines, all from the same rows; the same rows give the same bytes."""

import json
from collections.abc import Sequence

from judgeloop.messages import Lang
from judgeloop.rdf.canonical import ntriples
from judgeloop.report import text
from judgeloop.suite import Row, Summary


def render_rows(rows: Sequence[Row], form: str, lang: Lang, *, envelope: bool = True) -> str:
    """Return the rows as ``text``, ``json``, ``jsonl`` or ``turtle`` (N-Triples are Turtle)."""
    records = [row.judged.json(envelope=envelope) for row in rows if row.judged]
    if form == "json":
        document = {"verdicts": records, "errors": _errors(rows, lang), "summary": summary(Summary(rows))}
        return json.dumps(document, ensure_ascii=False, indent=2)
    if form == "jsonl":
        return "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    if form == "turtle":
        judged = [row.judged for row in rows if row.judged]
        return ntriples(t for v in judged for t in [*v.triples, *(v.envelope if envelope else ())]).rstrip("\n")
    return text.rows(rows, lang)


def summary(found: Summary) -> dict[str, object]:
    """Return the summary as JSON."""
    expected = {} if found.expected is None else dict(zip(("as_expected", "n_expected"), found.expected, strict=True))
    verdicts = {outcome.value: n for outcome, n in found.verdicts.items()}
    return {**found.counts, "verdicts": verdicts, "measures": found.measures, **expected}


def _errors(rows: Sequence[Row], lang: Lang) -> list[dict[str, str]]:
    return [{"place": row.place, "key": row.error.key, "message": row.error.text(lang)} for row in rows if row.error]
