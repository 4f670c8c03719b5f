"""The requests that writes to a server are made of, and those by which they are checked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from judgeloop.rdf.rq import BoundQuery, Value, bind
from judgeloop.rdf.terms import NamedNode, Quad, Triple, named
from judgeloop.rdf.updates import fill_names, fill_triples
from judgeloop.store.capabilities import own_query

_AT_ONCE: Final = 100
"""Statements that one question asks about."""


def by_graph(quads: Iterable[Quad]) -> dict[str | None, list[Triple]]:
    """Return the statements by the name of their graph; the default graph has none."""
    found: dict[str | None, list[Triple]] = defaultdict(list)
    for quad in quads:
        found[quad.graph_name.value if isinstance(quad.graph_name, NamedNode) else None].append(quad.triple)
    return found


def write(new: Mapping[str, Sequence[Triple]], added: Mapping[str | None, Sequence[Triple]]) -> list[BoundQuery]:
    """Return what fills the graphs ``new`` where they are not there, and adds statements to the others."""
    steps = [
        fill_triples(own_query("fill"), {"graph": named(graph)}, held, f"f{number}")
        for number, (graph, held) in enumerate(new.items())
    ]
    for number, (graph, stated) in enumerate(added.items()):
        name, values = _keyed("add", graph)
        steps.append(fill_triples(own_query(name), values, stated, f"a{number}"))
    return steps


def renew(graph: str, held: Iterable[Triple]) -> BoundQuery:
    """Return what makes a graph hold these triples and no others."""
    return fill_triples(own_query("renew"), {"graph": named(graph)}, held)


def about(name: str, graph: str) -> BoundQuery:
    """Return the query or update ``name`` of one graph."""
    return bind(own_query(name), {"graph": named(graph)})


def existing(graphs: Iterable[str]) -> BoundQuery:
    """Return the question which of the graphs are there."""
    return fill_names(own_query("existing"), {}, graphs)


def holds(graph: str | None, stated: Sequence[Triple]) -> list[BoundQuery]:
    """Return the questions that are all true where a graph holds the statements."""
    name, values = _keyed("holds", graph)
    parts = [stated[at : at + _AT_ONCE] for at in range(0, len(stated), _AT_ONCE)]
    return [fill_triples(own_query(name), values, part) for part in parts]


def _keyed(name: str, graph: str | None) -> tuple[str, Mapping[str, Value]]:
    return (f"{name}_default", {}) if graph is None else (name, {"graph": named(graph)})
