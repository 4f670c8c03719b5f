"""Triples in a request to a server arrive as they are, and no text of theirs becomes syntax."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Store, Triple

from judgeloop.errors import BadInput
from judgeloop.rdf.lexer import decode_points
from judgeloop.rdf.rq import Query, bind, parse
from judgeloop.rdf.terms import Term
from judgeloop.rdf.updates import fill_names, fill_triples, sequence

G, S, P = "urn:xx:g", NamedNode("urn:xx:s"), NamedNode("urn:xx:p")
HOSTILE = [
    'a" } } ; DROP ALL ; #',
    "$held $held $held .",
    "$graph",
    "\\u0022 } ; DROP ALL #",
    '"""',
    "줄\n바꿈\r\t\x00\x7f\u2028",
    "\\",
    "\U0001f9ea",
]


def template(body: str, header: str = "# @param graph: iri\n# @each held\n") -> Query:
    return parse(header + body, "t.rq", allow_update=True)


FILL = template(
    "INSERT { GRAPH $graph { $held $held $held . } } WHERE { FILTER NOT EXISTS { GRAPH $graph { ?s ?p ?o } } }"
)
NAMES = template("SELECT ?g WHERE { VALUES ?g { $held } }", "# @each held\n")


def stored(*requests: str) -> set[Quad]:
    store = Store()
    for text in requests:
        store.update(text)
    return set(store)


@settings(deadline=None)
@given(st.lists(st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"])), max_size=5))
def test_texts_come_back_as_they_were(texts: list[str]) -> None:
    triples = [Triple(S, P, Literal(text)) for text in texts]
    text = fill_triples(FILL, {"graph": G}, triples).text
    assert stored(text) == {Quad(t.subject, t.predicate, t.object, NamedNode(G)) for t in triples}


def test_a_reader_that_resolves_code_points_first_reads_the_same() -> None:
    triples = [Triple(S, P, Literal(text)) for text in HOSTILE]
    text = fill_triples(FILL, {"graph": G}, triples).text
    assert stored(decode_points(text)) == stored(text)


@pytest.mark.parametrize(
    "term",
    [
        Literal("서울", language="ko"),
        Literal("1.50", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#decimal")),
        NamedNode("http://e/한글(괄호)$held"),
        Triple(S, P, Literal("1")),
    ],
)
def test_every_kind_of_term_arrives(term: Term) -> None:
    written = Quad(S, P, term, NamedNode(G))
    twin = Store()
    twin.add(written)
    assert stored(fill_triples(FILL, {"graph": G}, [Triple(S, P, term)]).text) == set(twin)


def test_blank_nodes_of_two_steps_stay_two() -> None:
    held = [Triple(S, P, BlankNode("x")), Triple(BlankNode("x"), P, Literal("1"))]
    text = sequence(fill_triples(FILL, {"graph": f"{G}{n}"}, held, f"f{n}") for n in range(2))
    assert len({q.object for q in stored(text) if isinstance(q.object, BlankNode)}) == 2
    assert text.count("_:f0b0") == text.count("_:f1b0") == 2


def test_the_condition_holds_for_each_step() -> None:
    first = fill_triples(FILL, {"graph": G}, [Triple(S, P, Literal("1"))])
    second = fill_triples(FILL, {"graph": G}, [Triple(S, P, Literal("2"))])
    assert {q.object for q in stored(sequence([first, second]))} == {Literal("1")}


def test_names_are_listed() -> None:
    query = fill_names(NAMES, {}, ["urn:xx:a", "http://e/한글"])
    assert query.text.endswith("VALUES ?g { <urn:xx:a>\n<http://e/한글> } }")
    assert fill_names(NAMES, {}, []).text.endswith("VALUES ?g {  } }")
    assert (query.query, query.values) == (NAMES, {})


@pytest.mark.parametrize("name", ["", "x", "javascript:1", "http://e/> } #", "http://e/\ud800"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(BadInput) as refused:
        fill_names(NAMES, {}, [name])
    assert refused.value.key == "iri-unsafe"


def test_a_query_without_a_slot_is_not_filled() -> None:
    plain = template("DROP SILENT GRAPH $graph", "# @param graph: iri\n")
    assert bind(plain, {"graph": G}).text.endswith(f"DROP SILENT GRAPH <{G}>")
    with pytest.raises(KeyError):
        fill_triples(plain, {"graph": G}, [])
