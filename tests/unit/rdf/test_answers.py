"""The truth of an ASK and the triples of a CONSTRUCT as text."""

from itertools import permutations

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

from judgeloop.rdf.answers import BOOLEANS, GRAPHS, relabelled, written

E = "http://example.org/"
P = NamedNode(E + "p")


def test_json_is_that_of_the_recommendation() -> None:
    """SPARQL 1.1 Query Results JSON Format, section 2.3: head and boolean."""
    assert BOOLEANS["json"](True) == '{"head": {}, "boolean": true}\n'


def test_xml_is_that_of_the_recommendation() -> None:
    """SPARQL Query Results XML Format, section 2.3.2."""
    assert BOOLEANS["xml"](False).splitlines()[1] == (
        '<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/><boolean>false</boolean></sparql>'
    )


def test_one_graph_has_one_text_in_any_order_and_with_any_labels() -> None:
    texts = set()
    for labels in permutations(["x", "y", "z"], 2):
        one, two = map(BlankNode, labels)
        triples = [Triple(one, P, Literal("b")), Triple(two, P, Literal("a", language="ko")), Triple(two, P, one)]
        texts |= {GRAPHS["turtle"](order) for order in permutations(triples)}
    assert texts == {f'_:b0 <{E}p> "a"@ko .\n_:b1 <{E}p> "b" .\n_:b0 <{E}p> _:b1 .\n'}


def test_what_is_written_is_read_back() -> None:
    triples = [
        Triple(NamedNode(E + "s"), P, Literal('a\n"b"\t\\c')),
        Triple(NamedNode(E + "s"), P, Literal("1.50", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#decimal"))),
        Triple(NamedNode(E + "s"), P, Literal("글", language="ko")),
    ]
    found = {Triple(q.subject, q.predicate, q.object) for q in parse(GRAPHS["turtle"](triples), RdfFormat.TURTLE)}
    assert found == set(triples)


def test_a_triple_stands_once_and_none_is_no_text() -> None:
    triple = Triple(NamedNode(E + "s"), P, Literal("a"))
    assert GRAPHS["table"]([triple, triple]) == f'<{E}s> <{E}p> "a" .\n'
    assert GRAPHS["table"]([]) == ""


def test_blank_nodes_are_numbered_as_they_come_and_stay_the_same_ones() -> None:
    first, second = BlankNode("f00"), BlankNode("ba7")
    assert relabelled([(second, None), (first, second), (Literal("x"), first)]) == [
        (BlankNode("b0"), None),
        (BlankNode("b1"), BlankNode("b0")),
        (Literal("x"), BlankNode("b1")),
    ]


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (BlankNode("a"), "_:a"),
        (Triple(NamedNode(E + "s"), P, Literal("o")), f'<<( <{E}s> <{E}p> "o" )>>'),
        (Literal("o"), '"o"'),
    ],
)
def test_terms_that_no_sealed_graph_holds_have_a_form_too(term: BlankNode | Triple | Literal, text: str) -> None:
    assert written(term) == text
