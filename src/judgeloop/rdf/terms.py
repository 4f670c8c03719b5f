"""The RDF terms, for rooms above that name them in types only."""

import contextlib
from collections.abc import Iterable

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from judgeloop.errors import BadInput
from judgeloop.rdf.mint import SCHEMES

Term = NamedNode | BlankNode | Literal | Triple

__all__ = ["BlankNode", "DefaultGraph", "Literal", "NamedNode", "Quad", "Term", "Triple", "named", "quads"]


def named(graph: str) -> NamedNode:
    """Return the name of a graph as a term.

    Raises:
        BadInput: it is no IRI, or one of a scheme that names nothing here.
    """
    with contextlib.suppress(ValueError):
        if graph.partition(":")[0].lower() in SCHEMES:
            return NamedNode(graph)
    raise BadInput("iri-unsafe", value=repr(graph), allowed=", ".join(SCHEMES))


def quads(graph: str, triples: Iterable[Triple]) -> list[Quad]:
    """Return the triples as statements of the named graph ``graph``."""
    name = NamedNode(graph)
    return [Quad(t.subject, t.predicate, t.object, name) for t in triples]
