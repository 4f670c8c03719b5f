"""What a text search can find: the labels of the things in the named graphs of a store."""

from collections.abc import Mapping
from typing import Final

from judgeloop.rdf.terms import Literal, NamedNode, Quad
from judgeloop.vocab import RDF, RDFS_LABEL, SKOS, URN, XSD_STRING

NOTATION: Final = SKOS + "notation"
FIELDS: Final[Mapping[str, str]] = {
    RDFS_LABEL: "label",
    SKOS + "prefLabel": "prefLabel",
    SKOS + "altLabel": "altLabel",
    NOTATION: "notation",
}
"""The properties whose values are indexed, each with the name of its index. docker/fuseki.ttl maps the same."""
STAGING: Final = URN + "staging/"
"""What the names of the graphs begin with in which triples wait for a moment."""
TEXTS: Final = frozenset({XSD_STRING, RDF + "langString"})
"""The types of literals that are text."""
SHORTEST: Final = 2
"""Characters of a text that holds a pair of them."""


def is_label(quad: Quad) -> bool:
    """Say whether a text search can find this statement.

    It names a thing with an IRI, in a named graph, by a text without a type of its own. A text of one character holds
    no pair of characters and is never found; only as a notation, which is found as a whole, is it a label.
    """
    prop = quad.predicate.value
    if prop not in FIELDS:
        return False
    text, graph = quad.object, quad.graph_name
    if not (isinstance(text, Literal) and isinstance(quad.subject, NamedNode) and isinstance(graph, NamedNode)):
        return False
    return (
        text.datatype.value in TEXTS
        and len(text.value) >= (1 if prop == NOTATION else SHORTEST)
        and not graph.value.startswith(STAGING)
    )
