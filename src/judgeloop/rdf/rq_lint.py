"""Tells where a query may give other rows on another store, or other rows on another day.

Jena searches while a query runs, other stores before it (`judgeloop.rdf.textquery`). Both find the same where a search
is the first of its group, its subject has no value before, one property and a limit are named, and scores only sort.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from pyoxigraph import Literal as RdfLiteral
from pyoxigraph import NamedNode

from judgeloop.errors import BadInput
from judgeloop.rdf.lexer import Token, significant, where
from judgeloop.rdf.rq import ParamType, Query
from judgeloop.rdf.rq_order import descending, untied
from judgeloop.rdf.textcalls import read_calls
from judgeloop.rdf.textsearch import LABELS, Values, resolved, search_of
from judgeloop.rdf.texttriples import Call
from judgeloop.vocab import URN, XSD_INTEGER

Severity = Literal["error", "warning"]

WIDEST: Final = 100
"""Hits that an engine joins fast with the rest of a query."""
_COMPARES: Final = frozenset({"<", ">", "<=", ">=", "=", "!="})
_SCORE: Final = 1


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to change in a query file."""

    place: str
    """``file:line:column``."""
    severity: Severity
    key: str
    """Of its sentence in `judgeloop.messages`."""
    params: Mapping[str, object]


class _Found(NamedTuple):
    offset: int
    severity: Severity
    key: str
    params: Mapping[str, object]


def lint(query: Query) -> list[Remark]:
    """Return what is to be changed in a query, in the order of its text.

    Does not establish: that the query is valid SPARQL, nor that every store understands its functions.
    """
    place = partial(where, query.text, place=query.name)
    if "jena" in query.meta:  # it is meant for one server, and says why
        return []
    try:
        plan = read_calls(query.text, query.name, query.params)
        for call in plan.calls:
            search_of(call, _sample(query), place)
    except BadInput as error:
        return [Remark(error.place, "error", error.key, error.params)]
    seen = significant(query.tokens)
    found = [one for call in plan.calls for one in _of_search(call, query, seen)]
    if plan.bare is not None and "default-graph" not in query.meta:
        found.append(_Found(plan.bare, "warning", "rq-lint-graph", {}))
    for cut, missing in () if "unordered" in query.meta else untied(seen, query.params):
        names = " ".join(f"?{name}" for name in sorted(missing))
        told = {"word": cut.text.upper(), "missing": names}
        found.append(_Found(cut.offset, "warning", "rq-lint-limit-without-total-order", told))
    return [Remark(place(one.offset), *one[1:]) for one in sorted(found, key=lambda one: one.offset)]


def _of_search(call: Call, query: Query, seen: Sequence[Token]) -> Iterator[_Found]:
    error = partial(_Found, call.offset, "error")
    subject = call.subject[0]
    if not call.first:
        yield error("rq-lint-search-first", {})
    if subject.kind != "variable" or subject.text in call.scope.known:
        yield error(
            "rq-lint-search-subject", {"subject": f"?{subject.text}" if subject.kind != "iri" else subject.text}
        )
    yield from _of_arguments(call, query)
    if query.kind != "select":  # no rows, so no order of rows
        return
    score = call.subject[_SCORE].text if len(call.subject) > _SCORE else None
    if score is None:
        yield error("rq-lint-score-missing", {})
    elif score not in descending(seen):
        yield error("rq-lint-score-order", {"score": f"?{score}"})
    for before, after in pairwise(seen):
        for token, sign in ((before, after), (after, before)):
            if token.kind == "var" and token.text[1:] == score and sign.text in _COMPARES:
                yield _Found(token.offset, "error", "rq-lint-score-threshold", {"score": token.text})


def _of_arguments(call: Call, query: Query) -> Iterator[_Found]:
    error = partial(_Found, call.offset, "error")
    kinds = [resolved(node, _sample(query)).kind for node in call.arguments]
    width = kinds.index("string")
    if width != 1:
        yield error("rq-lint-search-properties", {"n": width})
    for node in call.arguments[:width]:
        if node.kind == "iri" and node.text not in LABELS:
            yield _Found(node.offset, "error", "rq-lint-search-property", {"found": node.text})
    words = call.arguments[width]
    if words.kind != "parameter":
        yield _Found(words.offset, "warning", "rq-lint-search-fixed", {})
    elif query.params[words.text] != "text":
        told = {"name": words.text, "type": query.params[words.text]}
        yield _Found(words.offset, "error", "rq-lint-search-text", told)
    limit = call.arguments[width + 1] if kinds[width + 1 : width + 2] == ["integer"] else None
    if limit is None:
        yield error("rq-lint-search-limit", {"widest": WIDEST})
    elif limit.kind == "parameter":
        yield _Found(limit.offset, "warning", "rq-lint-search-limit-open", {"name": limit.text, "widest": WIDEST})
    elif not 0 < int(limit.text) <= WIDEST:
        yield _Found(limit.offset, "error", "rq-lint-search-limit", {"widest": WIDEST})


def _sample(query: Query) -> Values:
    """Return some value for every parameter, so that shapes can be told before values are known."""
    return {name: _SAMPLES[kind] for name, kind in query.params.items()}


_TYPED: Final = {kind: RdfLiteral("1", datatype=NamedNode(URN + kind)) for kind in ("decimal", "boolean", "dateTime")}
_SAMPLES: Final[Mapping[ParamType, NamedNode | RdfLiteral]] = {
    "iri": NamedNode(URN + "any"),
    "string": RdfLiteral("any"),
    "text": RdfLiteral("any"),
    "langString": RdfLiteral("any", language="en"),
    "integer": RdfLiteral("1", datatype=NamedNode(XSD_INTEGER)),
    "decimal": _TYPED["decimal"],
    "boolean": _TYPED["boolean"],
    "dateTime": _TYPED["dateTime"],
}
