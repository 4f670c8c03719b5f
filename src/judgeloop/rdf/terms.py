"""The RDF terms, for rooms above that name them in types only."""

from collections.abc import Iterable

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

Term = NamedNode | BlankNode | Literal | Triple

__all__ = ["BlankNode", "DefaultGraph", "Literal", "NamedNode", "Quad", "Term", "Triple", "quads"]


def quads(graph: str, triples: Iterable[Triple]) -> list[Quad]:
    """Return the triples as statements of the named graph ``graph``."""
    name = NamedNode(graph)
    return [Quad(t.subject, t.predicate, t.object, name) for t in triples]
