"""Triples and names in requests to a server: serialised terms in place of a slot, never text put together.

A query file marks its slot by ``# @each name`` in the header and ``$name $name $name .`` (triples) or ``$name``
(names) where they go. The slot is filled in the fixed parts of the file, before any value stands beside it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from judgeloop.rdf.answers import relabelled, written
from judgeloop.rdf.rq import BoundQuery, Query, Value, bind
from judgeloop.rdf.terms import BlankNode, Term, Triple, named


def fill_triples(query: Query, values: Mapping[str, Value], triples: Iterable[Triple], scope: str = "b") -> BoundQuery:
    """Return the query with its values, and the triples in its slot.

    The labels of blank nodes begin with ``scope``: two operations of one request may not share one.

    Raises:
        BadInput: a value is not of its parameter's type.
    """
    rows: list[Sequence[Term | None]] = [(t.subject, t.predicate, t.object) for t in triples]
    if any(isinstance(term, BlankNode) for row in rows for term in row):
        rows = [[_scoped(term, scope) for term in row] for row in relabelled(rows)]
    name = query.meta["each"]
    return _fill(query, values, f"${name} ${name} ${name} .", (" ".join(map(written, row)) + " ." for row in rows))


def fill_names(query: Query, values: Mapping[str, Value], names: Iterable[str]) -> BoundQuery:
    """Return the query with its values, and the IRIs in its slot.

    Raises:
        BadInput: a name is none of a graph, or a value is not of its parameter's type.
    """
    return _fill(query, values, f"${query.meta['each']}", map(written, map(named, names)))


def sequence(steps: Iterable[BoundQuery]) -> str:
    """Return the updates as one request, which a server runs in one step."""
    return " ;\n".join(step.text for step in steps)


def _fill(query: Query, values: Mapping[str, Value], slot: str, rows: Iterable[str]) -> BoundQuery:
    body = "\n".join(rows)
    parts = tuple(part if isinstance(part, tuple) else part.replace(slot, body) for part in query.parts)
    return replace(bind(replace(query, parts=parts), values), query=query)


def _scoped(term: Term | None, scope: str) -> Term | None:
    return BlankNode(scope + term.value) if isinstance(term, BlankNode) else term
