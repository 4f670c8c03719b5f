"""A query rule: one row for each thing examined, ``?holds`` says whether the rule is kept there."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from judgeloop.checks.matter import Matter, not_run, told
from judgeloop.messages import each
from judgeloop.model import Finding, Requirement, Status, Text
from judgeloop.rdf.rq import Query

SHOWN: Final = 3
"""How many faults one message spells out."""
_PLACE: Final = re.compile(r"\{[?$](\w+)\}")


def check(matter: Matter, requirement: Requirement) -> Finding:
    """Return VIOLATED (or what the query's header says) where a row does not hold, NOT_RUN where one can't be told.

    NOT_RUN too where the query needs a world and this one is empty, or where evidence of a kind that the contract asks
    for is missing: what is not there proves nothing.
    """
    query, names = matter.bound(matter.contract.queries[requirement.rule])
    if names & {"world", "inferred"} and matter.world.triples == 0:
        return not_run(requirement, told(requirement, "check-world-empty"))
    if missing := matter.missing(requirement):
        return not_run(requirement, told(requirement, "check-evidence-missing", kind=missing))
    rows = matter.world.ask(query)
    if "ORDER" not in query.query.words:
        rows = sorted(rows, key=_order)
    broken = [row for row in rows if row.get("holds") == "false"]
    unknown = [row for row in rows if "holds" not in row]
    status, shown = Status.HOLDS, broken
    if broken:
        status = Status(query.query.violation)
    elif unknown:
        status, shown = Status.NOT_RUN, unknown
    places = [matter.place(row["focus"]) for row in shown if "focus" in row]
    return Finding(
        rule=requirement.rule,
        requirement=requirement.iri,
        status=status,
        examined=len(rows),
        severity=requirement.severity,
        message=_message(requirement, query.query, status, shown, len(rows)),
        where=tuple(dict.fromkeys(place for place in places if place is not None)),
        engine="SPARQL",
    )


def _message(
    requirement: Requirement, query: Query, status: Status, shown: Sequence[Mapping[str, str]], examined: int
) -> Text:
    templates = query.unknown if status is Status.NOT_RUN else query.messages
    if status is Status.HOLDS:
        return told(requirement, "check-held", examined=examined)
    if not templates:
        return told(requirement, "check-unknown-row", count=len(shown), examined=examined)
    more = f" (+{len(shown) - SHOWN})" if len(shown) > SHOWN else ""
    return each(lambda lang: "; ".join(_filled(templates[lang], row) for row in shown[:SHOWN]) + more)


def _order(row: Mapping[str, str]) -> tuple[str, list[tuple[str, str]]]:
    """Return a key that puts rows in one order on every store: by what they are about."""
    return row.get("focus", ""), sorted(row.items())


def _filled(template: str, row: Mapping[str, str]) -> str:
    """Return the query's own message with the row's values in place of ``{?name}``."""
    return _PLACE.sub(lambda place: row.get(place[1], "?"), template)
