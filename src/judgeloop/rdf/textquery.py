"""Text search inside of SPARQL: what a ``text:query`` of Apache Jena asks for, and what is found.

Follows jena-text: ``( ?s ?score ?literal ?g ?prop ) text:query ( property* "text" limit "lang:xx" )``. For an engine
that does not know it, the hits are found first and stand in the query as VALUES. Both ways give the same rows where the
search is the first of its group and its subject has no value before; `judgeloop.rdf.rq_lint` tells.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode

from judgeloop.rdf.lexer import lex, significant, where
from judgeloop.rdf.rq import BoundQuery, Query
from judgeloop.rdf.rq_values import serialise
from judgeloop.rdf.textcalls import Plan, mentioned, read_calls
from judgeloop.rdf.textsearch import LABELS, MOST, Place, Search, Values, resolved, search_of, subject_of
from judgeloop.rdf.texttriples import Call
from judgeloop.vocab import TEXT_QUERY

__all__ = ["LABELS", "MOST", "TEXT_QUERY", "Hit", "Search", "rewrite", "searches", "uses_text"]

Part = str | tuple[str, str] | int
"""Fixed text, ``("?", parameter)``, or the number of the search whose hits stand here."""
_GRAPH: Final = 3
"""Where a hit holds its graph."""


class Hit(NamedTuple):
    """One label that was found, in the order of the variables that jena-text fills."""

    subject: NamedNode
    score: Literal
    """An xsd:float; comparable within one search only."""
    literal: Literal
    graph: NamedNode
    property: NamedNode


Find = Callable[[Search], Sequence[Hit]]


def uses_text(query: Query) -> bool:
    """Say whether text:query is one of the query's terms."""
    text = query.text
    # however the IRI is cut into a namespace and a name, one of these is left whole, or something is escaped
    return any(part in text for part in ("query", "apache.org", "\\")) and _mentioned(text, query.name)


def searches(bound: BoundQuery) -> list[Search]:
    """Return every search of the query in the order of its text, with the graph that its GRAPH names.

    Raises:
        BadInput: a search can't be asked for by hits that are found before the query runs; the message says why.
    """
    text, _, plan, _ = _of(bound)
    place = _place(text, bound)
    found = []
    for call in plan.calls:
        graph = call.scope.graph and resolved(call.scope.graph, bound.values)
        named = graph.text if graph and graph.kind == "iri" else None
        found.append(replace(search_of(call, bound.values, place), graph=named))
    return found


def rewrite(bound: BoundQuery, find: Find, default: Sequence[str] | None) -> BoundQuery:
    """Return the query with each search replaced by the hits of ``find``, which come best first, as VALUES.

    Within ``GRAPH <iri>`` that graph is searched, within ``GRAPH ?g`` each named graph with a limit of its own.
    Elsewhere the graphs of FROM are, else those of ``default``; None and none find nothing. There a label that several
    graphs hold is one label, unless the graph is asked for.

    Raises:
        BadInput: as for `searches`.
    """
    text, written, plan, parts = _of(bound)
    if not plan.calls:
        return bound
    place = _place(text, bound)
    rows = [_rows(call, bound.values, place, find, default) for call in plan.calls]
    filled = (rows[p] if isinstance(p, int) else written[p[1]] if isinstance(p, tuple) else p for p in parts)
    return BoundQuery("".join(filled), bound.query, bound.values)


def _rows(call: Call, values: Values, place: Place, find: Find, default: Sequence[str] | None) -> str:
    """Return the hits of one search as a VALUES block."""
    scope, search = call.scope, search_of(call, values, place)
    columns = [(at, node.text) for at, node in enumerate(subject_of(call, values, place)) if node.kind == "variable"]
    graph = scope.graph and resolved(scope.graph, values)
    named = None if scope.named is None else [node.text for node in scope.named]
    hits: Sequence[Hit]
    if graph is None:
        graphs = default if scope.default is None else [node.text for node in scope.default]
        hits = _merged(search, graphs or (), find, apart=_GRAPH in dict(columns))
    elif graph.kind == "iri":
        hits = find(replace(search, graph=graph.text)) if named is None or graph.text in named else ()
    else:
        same = [at for at, name in columns if name == graph.text]
        hits = [hit for hit in _each(search, named, find) if all(hit[at] == hit.graph for at in same)]
        columns += [] if same else [(_GRAPH, graph.text)]
    head = " ".join([f"?{name}" for _, name in columns])
    body = " ".join([f"({' '.join([str(hit[at]) for at, _ in columns])})" for hit in hits])
    return f" VALUES ({head}) {{ {body} }} "


def _merged(search: Search, graphs: Iterable[str], find: Find, *, apart: bool) -> list[Hit]:
    """Return the hits in several graphs, as if all these were one graph unless they are kept ``apart``."""
    asked = dict.fromkeys(graphs)
    hits = [hit for graph in asked for hit in find(replace(search, graph=graph))]
    if len(asked) > 1:
        hits.sort(key=lambda hit: -float(hit.score.value))
        if not apart:
            hits = list({(hit.subject, hit.literal, hit.property): hit for hit in reversed(hits)}.values())[::-1]
    return hits[: search.limit]


def _each(search: Search, graphs: Iterable[str] | None, find: Find) -> list[Hit]:
    """Return the hits in each of the graphs, or in every one; the limit is one of each graph."""
    if graphs is not None:
        return [hit for graph in dict.fromkeys(graphs) for hit in find(replace(search, graph=graph))]
    left: dict[NamedNode, int] = {}
    hits = []
    for hit in find(replace(search, limit=max(search.limit, MOST))):
        left[hit.graph] = left.get(hit.graph, search.limit) - 1
        if left[hit.graph] >= 0:
            hits.append(hit)
    return hits


def _of(bound: BoundQuery) -> tuple[str, dict[str, str], Plan, tuple[Part, ...]]:
    """Return the text whose plan holds for the query: its template, or what has been made of that since."""
    query = bound.query
    written = {name: serialise(term, query.params[name]) for name, term in bound.values.items()}
    as_bound = "".join([written[part[1]] if isinstance(part, tuple) else part for part in query.parts])
    if bound.text == as_bound:
        return query.text, written, *_planned(query.text, query.name, tuple(query.params))
    return bound.text, {}, *_planned(bound.text, query.name, ())


def _place(text: str, bound: BoundQuery) -> Place:
    return lambda offset: where(text, offset, bound.query.name)


@lru_cache(maxsize=512)
def _mentioned(text: str, name: str) -> bool:
    return mentioned(significant(lex(text, name)))


@lru_cache(maxsize=512)
def _planned(text: str, name: str, parameters: tuple[str, ...]) -> tuple[Plan, tuple[Part, ...]]:
    """Return the searches of a text, and the text cut at them and at its parameters."""
    plan = read_calls(text, name, parameters)
    parts: list[Part] = []
    fixed = ""
    for token in lex(text, name) if plan.calls else ():
        for number, call in enumerate(plan.calls):
            if call.at == token.offset:
                parts += [fixed, number]
                fixed = ""
        if any(start <= token.offset < end for start, end in plan.gone):
            fixed += " " if token.offset in {start for start, _ in plan.gone} else ""
        elif token.kind == "var" and token.text[1:] in parameters:
            parts += [f"{fixed} ", ("?", token.text[1:])]
            fixed = " "
        else:
            fixed += token.text
    return plan, (*parts, fixed)
