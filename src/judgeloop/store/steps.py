"""The requests that writes to a server are made of, and those by which they are checked."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.rq import BoundQuery, Value, bind
from judgeloop.rdf.terms import NamedNode, Quad, Term, Triple, named
from judgeloop.rdf.updates import fill_names, fill_triples
from judgeloop.store import Store
from judgeloop.store.heads import Head
from judgeloop.store.own import own_query

_AT_ONCE: Final = 100
"""Statements that one question asks about."""


def by_graph(quads: Iterable[Quad]) -> dict[str | None, list[Triple]]:
    """Return the statements by the name of their graph; the default graph has none."""
    found: dict[str | None, list[Triple]] = defaultdict(list)
    for quad in quads:
        found[quad.graph_name.value if isinstance(quad.graph_name, NamedNode) else None].append(quad.triple)
    return found


def write(
    new: Mapping[str, Sequence[Triple]], added: Mapping[str | None, Sequence[Triple]], head: Head | None
) -> list[BoundQuery]:
    """Return what takes the number of ``head``, fills the graphs ``new`` where they are not there, and adds statements.

    With a head all else is done only where the number is this head's then.
    """
    steps: list[BoundQuery] = []
    under = ""
    claim: dict[str, Value] = {}
    if head is not None:
        under, claim = "_under", {"head": named(head.iri), "verdict": named(head.verdict)}
        steps.append(fill_triples(own_query("claim"), head.place, [quad.triple for quad in head.quads()]))
    for at, (graph, held) in enumerate(new.items()):
        steps.append(fill_triples(own_query(f"fill{under}"), {"graph": named(graph), **claim}, held, f"f{at}"))
    for at, (place, stated) in enumerate(added.items()):
        name, values = _keyed("add", place)
        steps.append(fill_triples(own_query(f"{name}{under}"), {**values, **claim}, stated, f"a{at}"))
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


def several(graphs: Iterable[str]) -> BoundQuery:
    """Return the question what the graphs hold."""
    return fill_names(own_query("several"), {}, graphs)


def holds(graph: str | None, stated: Sequence[Triple]) -> list[BoundQuery]:
    """Return the questions that are all true where a graph holds the statements."""
    name, values = _keyed("holds", graph)
    parts = [stated[at : at + _AT_ONCE] for at in range(0, len(stated), _AT_ONCE)]
    return [fill_triples(own_query(name), values, part) for part in parts]


def table(store: Store, query: BoundQuery, *columns: str) -> list[tuple[Term | None, ...]]:
    """Return these columns of one of our own queries.

    Raises:
        StoreUnavailable: the server gave others, so it answered something else.
    """
    rows = store.select(query)
    if set(rows.variables) != set(columns):
        raise StoreUnavailable("http-kind", place=store.url)
    return rows.rows if rows.variables == columns else [tuple([row[name] for name in columns]) for row in rows]


def _keyed(name: str, graph: str | None) -> tuple[str, Mapping[str, Value]]:
    return (f"{name}_default", {}) if graph is None else (name, {"graph": named(graph)})
