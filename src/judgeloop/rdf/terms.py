"""The RDF terms, for rooms above that name them in types only."""

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

Term = NamedNode | BlankNode | Literal | Triple

__all__ = ["BlankNode", "Literal", "NamedNode", "Quad", "Term", "Triple"]
