"""Which statements are labels."""

import pytest
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad

from judgeloop.rdf.textquery import LABELS
from judgeloop.store.labels import FIELDS, is_label
from judgeloop.store.staging import ADDED, REMOVED
from judgeloop.vocab import RDF, RDFS, RDFS_LABEL, SKOS, XSD

THING, GRAPH = NamedNode("http://example.org/a"), NamedNode("http://example.org/g")
TEXT = Literal("9호기")
LABEL, NOTATION = NamedNode(RDFS_LABEL), NamedNode(SKOS + "notation")


def test_the_indexed_properties_are_those_that_are_searched() -> None:
    assert set(FIELDS) == LABELS


@pytest.mark.parametrize(
    "quad",
    [
        Quad(THING, LABEL, TEXT, GRAPH),
        Quad(THING, LABEL, Literal("ab", language="en"), GRAPH),
        Quad(THING, LABEL, Literal("ab", datatype=NamedNode(XSD + "string")), GRAPH),
        Quad(THING, NamedNode(SKOS + "prefLabel"), TEXT, GRAPH),
        Quad(THING, NamedNode(SKOS + "altLabel"), TEXT, GRAPH),
        Quad(THING, NOTATION, Literal("7"), GRAPH),
    ],
)
def test_a_text_that_names_a_thing_is_a_label(quad: Quad) -> None:
    assert is_label(quad)


@pytest.mark.parametrize(
    "quad",
    [
        Quad(THING, LABEL, TEXT, DefaultGraph()),
        Quad(THING, LABEL, TEXT),
        Quad(THING, LABEL, TEXT, BlankNode("g")),
        Quad(THING, LABEL, TEXT, NamedNode(ADDED)),
        Quad(THING, LABEL, TEXT, NamedNode(REMOVED)),
        Quad(BlankNode("a"), LABEL, TEXT, GRAPH),
        Quad(THING, NamedNode(RDFS + "comment"), TEXT, GRAPH),
        Quad(THING, LABEL, NamedNode("http://example.org/b"), GRAPH),
        Quad(THING, LABEL, Literal("12", datatype=NamedNode(XSD + "integer")), GRAPH),
        Quad(THING, LABEL, Literal("ab", datatype=NamedNode(XSD + "token")), GRAPH),
        Quad(THING, LABEL, Literal("<b>ab</b>", datatype=NamedNode(RDF + "HTML")), GRAPH),
        Quad(THING, LABEL, Literal("가"), GRAPH),
        Quad(THING, LABEL, Literal(""), GRAPH),
        Quad(THING, NOTATION, Literal(""), GRAPH),
    ],
)
def test_anything_else_is_none(quad: Quad) -> None:
    assert not is_label(quad)
