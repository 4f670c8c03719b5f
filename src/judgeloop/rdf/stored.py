"""What a store makes of triples: it rewrites literals, so that what comes back may be spelt in another way."""

from collections.abc import Iterable, Sequence

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Quad, Triple


def as_stored(triples: Iterable[Triple]) -> set[Triple]:
    """Return the triples as the embedded engine gives them back (``01`` as ``1``)."""
    passing = pyoxigraph.Store()
    passing.extend(Quad(t.subject, t.predicate, t.object) for t in triples)
    return {quad.triple for quad in passing}


def merged(engine: pyoxigraph.Store, names: Sequence[NamedNode], *, with_named: bool) -> pyoxigraph.Store | None:
    """Return a copy with the union of the graphs as default graph, or None when they share no triple.

    The engine chains default graphs and would give a triple that two of them hold twice, where RDF merges them.
    """
    held = [[quad.triple for quad in engine.quads_for_pattern(None, None, None, name)] for name in names]
    union = set().union(*held)
    if len(union) == sum(map(len, held)):
        return None
    copy = pyoxigraph.Store()
    copy.extend(Quad(t.subject, t.predicate, t.object) for t in union)
    copy.extend(quad for quad in engine if with_named and quad.graph_name != DefaultGraph())
    return copy


def alike(one: Iterable[Triple], other: Iterable[Triple]) -> bool:
    """Say whether two graphs are one but for spelling: that of values, and the labels of blank nodes.

    Does not establish: that their blank nodes are joined in the same way.
    """
    held = set(one), set(other)
    if held[0] == held[1]:
        return True
    return len(held[0]) == len(held[1]) and _unlabelled(held[0]) == _unlabelled(held[1])


def has_blank(triples: Iterable[Triple]) -> bool:
    """Say whether a subject or object is a blank node, whose label a store does not keep."""
    return any(isinstance(node, BlankNode) for t in triples for node in (t.subject, t.object))


def _unlabelled(triples: Iterable[Triple]) -> set[Triple]:
    same = BlankNode("same")
    return {
        Triple(
            same if isinstance(t.subject, BlankNode) else t.subject,
            t.predicate,
            same if isinstance(t.object, BlankNode) else t.object,
        )
        for t in as_stored(triples)
    }
