"""Plain text for people."""

from collections.abc import Sequence
from typing import Final

from judgeloop.messages import Lang, render, visible
from judgeloop.model import Outcome
from judgeloop.rdf.results import to_table
from judgeloop.rdf.rq import bind
from judgeloop.rdf.terms import Literal
from judgeloop.store import Store
from judgeloop.store.world import shipped
from judgeloop.suite import Row, Summary

CHECKS: Final = 2
"""The line of the loop that says what was checked."""


def rows(found: Sequence[Row], lang: Lang) -> str:
    """Return a line for each verdict, and under it the reasons of every verdict that is no PASS."""
    return "\n".join(line for row in found if row.judged for line in _row(row, lang))


def _row(row: Row, lang: Lang) -> list[str]:
    assert row.judged is not None  # noqa: S101 - told by the caller
    verdict = row.judged.verdict
    mark = "" if row.as_expected else f"  ({render('text-expected', lang, verdict=row.expected)})"
    lines = [f"{verdict.outcome.value:<9} {row.judged.record['case_id']}  {row.place}{mark}"]
    if verdict.outcome is not Outcome.PASS:
        for reason in verdict.reasons:
            where = f" [{' '.join(p or '/' for p in reason.where)}]" if reason.where else ""
            lines.append(f"          {reason.row}: {reason.subject} {reason.message[lang]}{where}")
    lines += [
        f"          {render('cli-warning', lang, text=w['message'][lang])}" for w in row.judged.record["warnings"]
    ]
    return [visible(line) for line in lines]


def table(pack: str, found: Sequence[Row], lang: Lang) -> str:
    """Return the verdict table of a pack's shipped cases."""
    head = [pack, *render("text-table", lang).split("|")]
    body = [
        [
            row.judged.record["case_id"] if row.judged else row.place,
            row.outcome.value if row.outcome else "-",
            row.expected.value if row.expected else "",
            _first(row, lang),
        ]
        for row in found
    ]
    return to_table(head, [[Literal(cell) for cell in line] for line in body])


def _first(row: Row, lang: Lang) -> str:
    if row.error:
        return row.error.text(lang)
    return row.judged.verdict.reasons[0].message[lang] if row.judged else ""


def summary(found: Summary, lang: Lang) -> str:
    """Return the counts, the measurements with their n, and how many verdicts were as expected."""
    counts = " · ".join(f"{outcome.value} {n}" for outcome, n in found.verdicts.items())
    lines = [f"{counts}  ({', '.join(f'{name} {n}' for name, n in found.counts.items())})"]
    lines += [
        render("text-measure", lang, name=name, agree=m["agree"], n=m["n"], share=f"{m['share']:.2f}")
        for name, m in found.measures.items()
    ]
    if found.expected:
        same, n = found.expected
        lines.append(render("text-as-expected", lang, same=same, n=n))
    return "\n".join(lines)


def why(store: Store, verdict: str, lang: Lang) -> str:
    """Return the nine lines of the loop for one verdict, read from its graph."""
    found = list(store.select(bind(shipped("report/why.rq"), {"verdict": verdict, "lang": lang})).texts())
    reasons = {(row.get("subject"), row["message"]) for row in found if row["step"] == "6" and "message" in row}
    lines = []
    for step in range(9):
        told = [row for row in found if row["step"] == str(step)]
        if step == CHECKS:  # what decided the verdict is told there, once
            told = [row for row in told if (row.get("subject"), row["message"]) not in reasons]
        lines.append(f"{step} {render(f'why-{step}', lang)}" + (f": {_told(told[0])}" if len(told) == 1 else ""))
        if len(told) > 1:
            lines += [f"    {_told(row)}" for row in told]
    return "\n".join(lines) + "\n"


def _told(row: dict[str, str]) -> str:
    subject = row.get("subject", "").rpartition("#")[2] if "#" in row.get("subject", "") else row.get("subject", "")
    place = row.get("place", "")
    parts = [row.get("status", ""), subject, row.get("message", ""), f"[{place}]" if place else ""]
    return visible(" ".join(part for part in parts if part))
