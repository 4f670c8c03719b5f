"""A view over layers answers as one rdflib graph would."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph, Literal, URIRef, Variable
from rdflib.term import Node

from judgeloop.shacl.graph import Index, View
from judgeloop.shacl.sparql import Plans

NAMES = [URIRef(f"http://e/{letter}") for letter in "abc"]
TERMS: list[Node] = [*NAMES, Literal("x"), Literal("01", datatype=URIRef("http://e/d"), normalize=False)]
TRIPLES = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(TERMS)))
PATTERN = st.tuples(*(st.none() | st.sampled_from(terms) for terms in (NAMES, NAMES, TERMS)))


def made(top: list[tuple[Node, Node, Node]], below: list[tuple[Node, Node, Node]]) -> tuple[View, Graph]:
    lower = Index(below)
    one = Graph()
    for triple in (*top, *below):
        one.add(triple)
    return View(Index(t for t in top if t not in lower), lower, plan=Plans()), one


@given(TRIPLES, TRIPLES, PATTERN)
def test_a_view_differs_from_a_graph(
    top: list[tuple[Node, Node, Node]], below: list[tuple[Node, Node, Node]], pattern: tuple[Node, Node, Node]
) -> None:
    view, one = made(top, below)
    assert len(view) == len(one)
    assert sorted(view.triples(pattern)) == sorted(one.triples(pattern))
    assert (pattern in view) == (pattern in one)
    subject, predicate, value = pattern
    assert Counter(view.objects(subject, predicate)) == Counter(one.objects(subject, predicate))
    assert Counter(view.subjects(predicate, value)) == Counter(one.subjects(predicate, value))
    path = NAMES[0] / NAMES[1]
    assert set(view.triples((subject, path, None))) == set(one.triples((subject, path, None)))


def test_an_added_triple_goes_to_the_background() -> None:
    a, b, _ = NAMES
    lower = Index([(a, a, a)])
    view = View(Index(), lower, plan=Plans()).add((a, b, b)).add((a, a, a))
    assert (len(view), lower.size) == (2, 1)
    with pytest.raises(NotImplementedError):
        view.remove((a, b, b))


def test_a_prefix_that_only_the_graph_knows_is_used() -> None:
    a, b, _ = NAMES
    view = View(Index([(a, b, Literal(1))]), plan=Plans())
    rows = view.query("PREFIX : <http://e/> SELECT ?this WHERE { ?this :b ?o }", initBindings={"o": Literal(1)})
    assert [row[Variable("this")] for row in rows.bindings] == [a]
