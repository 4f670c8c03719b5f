"""Reading configuration from triples: values sorted, languages apart, and nothing invented by looking."""

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from judgeloop.rdf.graph import Graph
from judgeloop.vocab import RDF_TYPE

A, B, P, Q, C = (f"https://kg.example/{name}" for name in ("a", "b", "p", "q", "C"))


def triple(subject: str, prop: str, value: NamedNode | Literal | BlankNode) -> Triple:
    return Triple(NamedNode(subject), NamedNode(prop), value)


GRAPH = Graph(
    [
        triple(B, RDF_TYPE, NamedNode(C)),
        triple(A, RDF_TYPE, NamedNode(C)),
        triple(A, P, Literal("z")),
        triple(A, P, Literal("가", language="ko")),
        triple(A, P, Literal("a", language="en")),
        triple(A, P, NamedNode(B)),
        triple(A, P, Literal("z")),
        triple(A, P, BlankNode()),
        Triple(BlankNode(), NamedNode(Q), Literal("x")),
        triple(B, Q, Literal(C)),
    ]
)


def test_values_are_sorted_and_stand_once() -> None:
    assert GRAPH.values(A, P) == ["a", B, "z", "가"]
    assert GRAPH.value(A, P) == "a"


def test_texts_are_told_apart_by_language() -> None:
    assert GRAPH.texts(A, P) == {"": "z", "ko": "가", "en": "a"}


def test_instances_are_those_of_the_class_itself() -> None:
    assert GRAPH.instances(C) == [A, B]
    assert GRAPH.instances(A) == []


def test_subjects_have_names() -> None:
    assert GRAPH.subjects(Q) == [B]


def test_what_is_not_there_is_not_there_after_it_was_asked() -> None:
    before = GRAPH.subjects(RDF_TYPE)
    assert GRAPH.values("https://kg.example/unknown", P) == []
    assert GRAPH.value(A, "https://kg.example/unknown") is None
    assert GRAPH.texts("https://kg.example/unknown", P) == {}
    assert GRAPH.subjects(RDF_TYPE) == before
    assert GRAPH.subjects("https://kg.example/unknown") == []


def test_statements_of_named_graphs_count_alike() -> None:
    quad = Quad(NamedNode(A), NamedNode(P), Literal("x"), NamedNode(B))
    assert Graph([quad]).values(A, P) == ["x"]
