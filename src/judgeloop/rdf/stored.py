"""What a store makes of triples: it rewrites literals, so that what comes back may be spelt in another way."""

from collections.abc import Iterable, Sequence

import pyoxigraph
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple


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
    if len(held[0]) != len(held[1]) and any(map(has_blank, held)):  # else two spellings of one value are one triple
        return False
    return _unlabelled(held[0]) == _unlabelled(held[1])


def respelt(given: Iterable[Triple], back: Iterable[Triple]) -> list[tuple[Literal, Literal]]:
    """Return the literals that a store gives back in another spelling, each as it was given and as it comes ``back``.

    Does not establish: that the graphs are one; what is there in no spelling is not told.
    """
    stated = [t for t in dict.fromkeys(given) if isinstance(t.object, Literal)]
    left, new = dict.fromkeys(stated), list[Triple]()
    for triple in back:
        if triple in left:
            del left[triple]
        elif isinstance(triple.object, Literal):
            new.append(triple)
    if not left:
        return []
    about = {(t.subject, t.predicate) for t in left}
    found = new + [t for t in stated if t not in left and (t.subject, t.predicate) in about]
    values = _values(t.object for t in (*left, *found) if isinstance(t.object, Literal))
    known = {(t.subject, t.predicate, values[t.object]): t.object for t in found if isinstance(t.object, Literal)}
    given_as = ((t, t.object) for t in left if isinstance(t.object, Literal))
    pairs = ((was, known.get((t.subject, t.predicate, values[was]))) for t, was in given_as)
    return [(was, now) for was, now in pairs if now is not None]


def _values(literals: Iterable[Literal]) -> dict[Literal, str]:
    """Return what tells the values of literals apart, whatever their spelling; the case of a language is one, too."""
    each = dict.fromkeys(literals)
    passing, name = pyoxigraph.Store(), NamedNode("urn:n")
    passing.extend(Quad(NamedNode(f"urn:n:{at}"), name, literal) for at, literal in enumerate(each))
    own = {quad.subject.value: str(quad.object) for quad in passing if isinstance(quad.subject, NamedNode)}
    return {
        literal: f"{literal.value}@{literal.language.lower()}" if literal.language else own[f"urn:n:{at}"]
        for at, literal in enumerate(each)
    }


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
