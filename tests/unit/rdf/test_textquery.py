"""Every way to write a text:query, run for real: the hits take the place of the pattern, and the rows are right."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from pyoxigraph import QuerySolutions

from judgeloop.rdf.dataset import over
from judgeloop.rdf.rq import Value, bind, parse
from judgeloop.rdf.textquery import MOST, Search, rewrite, searches, uses_text
from judgeloop.vocab import RDFS_LABEL, SKOS

if TYPE_CHECKING:
    from tests.unit.rdf.conftest import Labelled

G1, G2, G3 = (f"http://e/g{n}" for n in (1, 2, 3))
NAME = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
TEXT = NAME + "PREFIX text: <http://jena.apache.org/text#> "

TABLE: Final = r"""
## a list of one
SELECT ?e { GRAPH ex:g2 { (?e) text:query (rdfs:label '생산' 9) } }
=> line
## a list of two
SELECT ?e ?s { GRAPH ex:g2 { (?e ?s) text:query (rdfs:label '생산' 9) } }
=> line 0.143
## a list of three
SELECT ?e ?l { GRAPH ex:g2 { (?e ?s ?l) text:query (rdfs:label '서울' 9) } }
=> seoul 서울 | seoul 서울시
## a list of four
SELECT ?e ?g { GRAPH ex:g2 { (?e ?s ?l ?g) text:query (rdfs:label '생산' 9) } }
=> line g2
## a list of five
SELECT ?e ?s ?l ?g ?p { GRAPH ex:g2 { (?e ?s ?l ?g ?p) text:query (rdfs:label '생산' 9) } }
=> line 0.143 A1 생산라인 g2 http://www.w3.org/2000/01/rdf-schema#label
## a bare subject
SELECT ?e { GRAPH ex:g2 { ?e text:query (rdfs:label '생산' 9) } }
=> line
## a bare string
SELECT ?e { GRAPH ex:g2 { ?e text:query '생산' } }
=> line
## a list with the string alone
SELECT ?e { GRAPH ex:g2 { ?e text:query ('생산') } }
=> line
## ; after it
SELECT ?e ?l { GRAPH ex:g2 { ?e text:query (rdfs:label '생산' 9) ; a ex:Line ; rdfs:label ?l . } }
=> line A1 생산라인
## ; around it
SELECT ?e ?l { GRAPH ex:g2 { ?e a ex:Line ; text:query (rdfs:label '생산' 9) ; rdfs:label ?l } }
=> line A1 생산라인
## ; before it
SELECT ?e { GRAPH ex:g2 { ?e rdfs:label ?l ; a ex:Line ;; text:query (rdfs:label '생산' 9) ; } }
=> line
## the whole IRI
SELECT ?e { GRAPH ex:g2 { (?e) <http://jena.apache.org/text#query> (rdfs:label '생산' 9) } }
=> line
## an IRI with an escape
SELECT ?e { GRAPH ex:g2 { ?e <http://jena.apache.org/text#quer\u0079> (rdfs:label '생산' 9) } }
=> line
## a language tag
SELECT ?l { GRAPH ex:g2 { (?e ?s ?l) text:query (rdfs:label '서울'@ko 9) } }
=> 서울
## a language
SELECT ?l { GRAPH ex:g2 { (?e ?s ?l) text:query (rdfs:label '서울' 9 'lang:ko') } }
=> 서울
## a tag and a language
SELECT ?l { GRAPH ex:g2 { (?e ?s ?l) text:query (rdfs:label '서울'@ko 9 'lang:en') } }
=> 서울
## a language without a limit
SELECT ?l { GRAPH ex:g2 { (?e ?s ?l) text:query (rdfs:label '서울' 'lang:ko') } }
=> 서울
## no language
SELECT ?l { GRAPH ex:g2 { (?e ?s ?l) text:query (rdfs:label '서울' 9 'lang:none') } }
=> 서울시
## a language that no label has
SELECT ?e { GRAPH ex:g2 { ?e text:query (rdfs:label '서울' 9 'lang:en') } }
=>
## GRAPH of a variable
SELECT ?g ?e ?l { GRAPH ?g { (?e ?s) text:query (rdfs:label '생산라인 홍길동' 9) . ?e rdfs:label ?l } }
=> g1 hong 홍길동 | g2 line A1 생산라인
## GRAPH of a variable, nothing beside
SELECT ?g ?e { GRAPH ?g { ?e text:query (rdfs:label '서울' 9 'lang:ko') } }
=> g2 seoul | g3 other | g3 seoul
## GRAPH of a variable, a limit for each
SELECT ?g ?e { GRAPH ?g { ?e text:query (rdfs:label '서울' 1 'lang:ko') } }
=> g2 seoul | g3 seoul
## GRAPH of a variable that the search fills
SELECT ?g ?e { GRAPH ?g { (?e ?s ?l ?g) text:query (rdfs:label '생산' 9) } }
=> g2 line
## GRAPH of a variable and UNION within
SELECT ?g ?e { GRAPH ?g { { ?e text:query (rdfs:label '생산' 9) } UNION {
  ?e text:query (rdfs:label '길동' 9) } } }
=> g1 hong | g2 line
## UNION
SELECT ?e { { GRAPH ex:g1 { ?e text:query (rdfs:label '길동' 9) } } UNION { GRAPH ex:g2 {
  ?e text:query (rdfs:label '생산' 9) } } }
=> hong | line
## OPTIONAL
SELECT ?x ?e { GRAPH ex:g1 { ?x a ex:Person } OPTIONAL { GRAPH ex:g2 {
  (?e ?s) text:query (rdfs:label '생산' 9) } } }
=> hong line
## OPTIONAL without a hit
SELECT ?x ?e { GRAPH ex:g1 { ?x a ex:Person OPTIONAL { ?e text:query (rdfs:label '생산' 9) } } }
=> hong -
## a sub-SELECT
SELECT ?e ?in { { SELECT ?e (MAX(?s) AS ?m) { GRAPH ex:g1 { (?e ?s) text:query (rdfs:label '에이크미' 5) }
  } GROUP BY ?e } GRAPH ex:g1 { ?e ex:in ?in } }
=> acme seoul
## NOT EXISTS
SELECT ?x { GRAPH ex:g1 { ?x a ?c FILTER NOT EXISTS { ?x text:query (rdfs:label '길동' 9) } } }
=> acme
## EXISTS in an expression
SELECT ?x { GRAPH ex:g1 { ?x a ?c FILTER(false || EXISTS { ?x text:query (rdfs:label '길동' 9) }) } }
=> hong
## MINUS
SELECT ?x { GRAPH ex:g1 { ?x a ?c MINUS { ?x text:query (rdfs:label '길동' 9) } } }
=> acme
## two searches
SELECT ?a ?b { GRAPH ex:g1 { (?a ?s) text:query (rdfs:label '길동' 9) .
  (?b ?t) text:query (rdfs:label 'acme' 9) . ?a ex:worksFor ?b } }
=> hong acme
## two searches for one subject
SELECT ?e { GRAPH ex:g1 { ?e text:query (rdfs:label '길동' 9) ; text:query (skos:altLabel 'hong' 9) ;
  a ex:Person } }
=> hong
## nothing but searches for one subject
SELECT ?e { GRAPH ex:g1 { ?e text:query (rdfs:label '길동' 9) ; text:query (skos:altLabel 'hong' 9) . } }
=> hong
## no hits
SELECT ?e { GRAPH ex:g1 { ?e text:query (rdfs:label 'zzzz' 9) } }
=>
## no hits and more to join
SELECT * { GRAPH ex:g1 { ?e text:query (rdfs:label 'zzzz' 9) ; a ?c } }
=>
## several properties
SELECT ?l { GRAPH ex:g1 { (?e ?s ?l) text:query (rdfs:label skos:altLabel '홍길동 Gildong' 9) } }
=> Hong Gildong | 홍길동
## one property that is not searched
SELECT ?e { GRAPH ex:g1 { ?e text:query (rdfs:comment '길동' 9) } }
=>
## a constant subject
SELECT ?s { GRAPH ex:g2 { (ex:line ?s) text:query (rdfs:label '생산' 9) } }
=> 0.143
## a constant subject that is no hit
ASK { GRAPH ex:g2 { ex:seoul text:query (rdfs:label '생산' 9) } }
=> false
## a constant subject and no variable
ASK { GRAPH ex:g2 { ex:line text:query (rdfs:label '생산' 9) } }
=> true
## ASK
ASK { GRAPH ex:g2 { ?e text:query (rdfs:label '생산' 1) } }
=> true
## CONSTRUCT
CONSTRUCT { ?e a ex:Hit ; text:query ?s } WHERE { GRAPH ex:g2 {
  (?e ?s) text:query (rdfs:label '생산' 1) } }
=> line http://jena.apache.org/text#query 0.143 | line http://www.w3.org/1999/02/22-rdf-syntax-ns#type Hit
## words in comments and strings
# ?x text:query 'no' .
SELECT ?e { # text:query ( )
 GRAPH ex:g2 { ?e # text:query
 text:query (rdfs:label '생산' 9) . # text:query 'no'
 FILTER(STR(?e) != "text:query ( ) . } \" #") } }
=> line
## quotes of every kind
SELECT ?e { GRAPH ex:g2 { ?e text:query (rdfs:label '''생\U0000c0b0''' 9) } }
=> line
## less than
SELECT ?e { GRAPH ex:g2 { (?e ?s) text:query (rdfs:label '생산' 9) FILTER( ?s < 2 && ?s > 0) } }
=> line
## a blank node of the triples around
SELECT ?e { GRAPH ex:g1 { ?e ex:worksFor _:x . ?e text:query (rdfs:label '길동' 9) . _:x ex:in ex:seoul }
  }
=> hong
## a blank node on both sides of a filter
SELECT ?e { GRAPH ex:g1 { ?e ex:worksFor _:x FILTER(true) ?e text:query (rdfs:label '길동' 9) .
  _:x a ?c } }
=> hong
## paths beside it
SELECT DISTINCT ?o { GRAPH ex:g1 { ?e text:query (rdfs:label '길동' 9) ; ex:worksFor/^!(ex:a|^ex:b)*/ex:in? ?x ;
  (ex:worksFor/ex:in)+ ?o, ?o } }
=> seoul
## the property as a term
SELECT ?p { GRAPH ex:g2 { ?e text:query (rdfs:label '생산' 9) } VALUES (?x ?p) {
  (1 text:query) (2 ex:p) } FILTER(?p = text:query || ?p IN (text:query)) }
=> http://jena.apache.org/text#query
## the property as an object
SELECT ?e { GRAPH ex:g1 { ?e ?p text:query OPTIONAL { ?e a ?c } } }
=>
## a limit
SELECT ?l { GRAPH ex:g2 { (?e ?s ?l) text:query (rdfs:label '서울' 1) } }
=> 서울
## a limit with a type
SELECT ?l { GRAPH ex:g2 {
  (?e ?s ?l) text:query (rdfs:label '서울' '1'^^<http://www.w3.org/2001/XMLSchema#integer>) } }
=> 서울
## FROM
SELECT ?e FROM ex:g2 { ?e text:query (rdfs:label '서울' 9 'lang:ko') }
=> seoul
## FROM twice
SELECT ?e ?l FROM ex:g2 FROM ex:g3 { (?e ?s ?l) text:query (rdfs:label '서울' 9 'lang:ko') }
=> other 서울역 | seoul 서울
## FROM and GRAPH
SELECT ?e FROM ex:g2 { GRAPH ex:g2 { ?e text:query (rdfs:label '서울' 9) } }
=>
## FROM NAMED
SELECT ?g ?e FROM NAMED ex:g3 { GRAPH ?g { ?e text:query (rdfs:label '서울' 9) } }
=> g3 other | g3 seoul
## FROM NAMED and that graph
SELECT ?e FROM NAMED ex:g3 { GRAPH ex:g3 { ?e text:query (rdfs:label '서울' 1) } }
=> seoul
## FROM NAMED and no GRAPH
SELECT ?e FROM NAMED ex:g3 { ?e text:query (rdfs:label '서울' 9) }
=>
## no GRAPH
SELECT ?e { ?e text:query (rdfs:label '서울' 9) }
=>
"""
"""Name, query, and its rows sorted."""
SHAPES: Final = {
    name: (query, rows.strip().split(" | ") if rows.strip() else [])
    for name, query, rows in re.findall(r"^## (.*)\n((?:.*\n)+?)=>(.*)$", TABLE, re.MULTILINE)
}


def test_every_shape_of_the_table_is_tried() -> None:
    assert len(SHAPES) == TABLE.count("## ")


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_gives_the_rows_that_jena_would_give(labelled: "Labelled", name: str) -> None:
    text, rows = SHAPES[name]
    assert labelled(text) == rows


@pytest.mark.parametrize(
    ("written", "pieces"),
    [
        ("'생산'", "생산"),
        ('"\\uC0DD\\uc0b0"', "생산"),
        ('"""A \\\\\\"B"""', 'A "B'),
        ("'''a\nb'''", "a b"),
        ("'a\\tb'", "a b"),
        ("'a\\\\:b'@ko", "a:b"),
        ("'ab'^^<http://www.w3.org/2001/XMLSchema#string>", "ab"),
    ],
)
def test_a_string_is_searched_for_by_what_it_says(labelled: "Labelled", written: str, pieces: str) -> None:
    labelled(f"ASK {{ GRAPH ex:g2 {{ ?e text:query (rdfs:label {written} 9) }} }}")
    assert [search.pieces for search in labelled.asked] == [(pieces,)]


@pytest.mark.parametrize(
    "text",
    [
        "PREFIX t: <http://jena.apache.org/text#> SELECT ?e { GRAPH <http://e/g2> { ?e t:query '생산' } }",
        "PREFIX : <http://jena.apache.org/text#qu> SELECT ?e { GRAPH <http://e/g2> { ?e :ery '생산' } }",
        "PREFIX jena: <http://jena.apa> SELECT ?e { GRAPH <http://e/g2> { ?e jena:che.org\\/text\\#query '생산' } }",
        "BASE <http://jena.apache.org/x/y> SELECT ?e { GRAPH <http://e/g2> { ?e <../text#query> '생산' } }",
        "BASE <http://jena.apache.org/> PREFIX t: <text#> SELECT ?e { GRAPH <//e/g2> { ?e t:query '생산' } }",
        "PREFIX t: <u:> PREFIX t: <http://jena.apache.org/text#query> SELECT ?e { GRAPH <http://e/g2> {?e t: '생산'}}",
    ],
)
def test_the_property_is_known_by_its_iri(labelled: "Labelled", text: str) -> None:
    query = parse(text, "q.rq")
    assert uses_text(query)
    answer = labelled.store.query(rewrite(bind(query, {}), labelled.find, None).text)
    assert isinstance(answer, QuerySolutions)
    assert [str(row) for row in answer] == ["<QuerySolution e=<NamedNode value=http://e/line>>"]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?e { ?e text:query 'x' } # text:query\n".replace("text:query 'x'", "a 'text:query'"),
        "PREFIX text: <http://e/text#> SELECT ?e { ?e text:query '생산' }",
        "PREFIX text: <http://jena.apache.org/text#> SELECT ?e { ?e text:queries '생산' }",
        "PREFIX query: <http://jena.apache.org/text#query> SELECT ?e { ?e a query:x }",
        "SELECT ?query { ?query ?p ?o }",
        "ASK {}",
    ],
)
def test_a_query_without_a_search_stays_as_it_is(labelled: "Labelled", text: str) -> None:
    query = parse(text, "q.rq")
    assert not uses_text(query)
    bound = bind(query, {})
    assert rewrite(bound, labelled.find, [G1]) is bound
    assert searches(bound) == labelled.asked == []


# --- graphs outside of GRAPH


def test_outside_of_graph_the_default_graphs_are_searched_one_by_one(labelled: "Labelled") -> None:
    found = labelled("SELECT ?e ?l { (?e ?s ?l) text:query (rdfs:label '서울' 9) }", [G2, G3, G2])
    assert [search.graph for search in labelled.asked] == [G2, G3]
    assert found == ["other 서울역", "seoul 서울", "seoul 서울시"], "a label that both graphs hold is one label"


def test_the_graph_of_a_hit_keeps_the_labels_of_two_graphs_apart(labelled: "Labelled") -> None:
    found = labelled("SELECT ?g ?l { (?e ?s ?l ?g) text:query (rdfs:label '서울' 9 'lang:ko') }", [G2, G3])
    assert found == ["g2 서울", "g3 서울", "g3 서울역"]


def test_the_limit_is_one_of_all_default_graphs(labelled: "Labelled") -> None:
    assert labelled("SELECT ?l { (?e ?s ?l) text:query (rdfs:label '서울역' 1) }", [G2, G3]) == ["서울역"]


@pytest.mark.parametrize("default", [None, []])
def test_without_a_default_graph_there_is_nothing_to_find(labelled: "Labelled", default: list[str] | None) -> None:
    assert labelled("SELECT ?e { ?e text:query (rdfs:label '서울' 9) }", default) == []
    assert labelled.asked == []


def test_what_stands_in_graph_does_not_see_the_default_graphs(labelled: "Labelled") -> None:
    assert labelled("SELECT ?e { GRAPH ex:g2 { ?e text:query (rdfs:label '서울' 1) } }", [G1]) == ["seoul"]


# --- updates


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "INSERT { GRAPH ex:out { ?e a ex:Hit } } WHERE { GRAPH ex:g2 { ?e text:query (rdfs:label '생산' 1) } }",
            ["line"],
        ),
        ("WITH ex:g2 INSERT { GRAPH ex:out { ?e a ex:Hit } } WHERE { ?e text:query (rdfs:label '생산' 1) }", ["line"]),
        (
            """INSERT { GRAPH ex:out { ?e a ex:Hit } } USING ex:g2 WHERE { ?e text:query (rdfs:label '생산' 1) } ;
            INSERT { GRAPH ex:out { ?e a ex:Hit } } WHERE { ?e text:query (rdfs:label '길동' 1) }""",
            ["line"],
        ),
        (
            """INSERT DATA { GRAPH ex:out { ex:x text:query 'x' } } ;
            DELETE { GRAPH ex:out { ?x text:query ?y } } INSERT { GRAPH ex:out { ?e a ex:Hit } }
            WHERE { GRAPH ex:out { ?x ?p ?y } GRAPH ex:g1 { ?e text:query '길동' } }""",
            ["hong"],
        ),
    ],
)
def test_an_update_finds_what_it_writes(labelled: "Labelled", text: str, found: list[str]) -> None:
    labelled.store.update(labelled.rewritten(text))
    assert labelled("SELECT ?e { GRAPH ex:out { ?e ?p ?o } }") == found


# --- parameters

SEARCH = f"""# @param graph: iri
# @param words: text
# @param most: integer
# @param property: iri
{TEXT}
SELECT ?e ?s WHERE {{ GRAPH $graph {{ (?e ?s) text:query ($property $words $most) }} }} ORDER BY DESC(?s)"""
GIVEN: Final[dict[str, Value]] = {"graph": G2, "words": "(서울)", "most": 2, "property": RDFS_LABEL}


def test_parameters_may_stand_anywhere_in_a_search(labelled: "Labelled") -> None:
    assert labelled(SEARCH, values=GIVEN) == ["seoul 0.333", "seoul 0.5"]
    assert labelled.asked == [Search((RDFS_LABEL,), ("(서울)",), 2, graph=G2)]


def test_what_a_query_searches_for_is_known_before_anything_is_searched(labelled: "Labelled") -> None:
    assert searches(bind(parse(SEARCH, "q.rq"), GIVEN)) == [Search((RDFS_LABEL,), ("(서울)",), 2, graph=G2)]
    assert labelled.asked == []


def test_searches_come_in_the_order_of_the_text() -> None:
    text = (
        TEXT
        + "ASK { <http://e/x> text:query 'ab'@en . { GRAPH ?g { ?e text:query (rdfs:label 'cd' 3 'lang:none') } } }"
    )
    assert searches(bind(parse(text, "q.rq"), {})) == [
        Search((), ("ab",), MOST, "en", subject="http://e/x"),
        Search((RDFS_LABEL,), ("cd",), 3, "none"),
    ]


def test_the_tag_of_a_value_is_its_language(labelled: "Labelled") -> None:
    search = "(?e ?s ?l) text:query (rdfs:label $words 9)"
    text = f"# @param words: langString\n{TEXT} SELECT ?l {{ GRAPH <{G2}> {{ {search} }} }}"
    assert labelled(text, values={"words": ("서울", "ko")}) == ["서울"]


def test_a_thing_may_be_a_value(labelled: "Labelled") -> None:
    text = f"# @param e: iri\n{TEXT} ASK {{ GRAPH <{G2}> {{ $e text:query (rdfs:label '생산' 9) ; a ?c }} }}"
    assert labelled(text, values={"e": "http://e/line"}) == ["true"]
    assert labelled(text, values={"e": "http://e/seoul"}) == ["false"]


def test_template_and_values_stay_for_the_record(labelled: "Labelled") -> None:
    bound = bind(parse(SEARCH, "q.rq"), GIVEN)
    done = rewrite(bound, labelled.find, None)
    assert (done.query, done.values) == (bound.query, bound.values)
    assert "VALUES" in done.text
    assert "text:query" not in done.text.partition("SELECT")[2]


def test_a_query_whose_text_has_changed_since_is_read_again(labelled: "Labelled") -> None:
    text = f"# @param words: text\n{TEXT} SELECT ?e {{ (?e ?s) text:query (rdfs:label $words 9) }}"
    bound = bind(parse(text, "q.rq"), {"words": "서울"})
    moved = replace(bound, text=over(bound, [G2], []))
    assert "VALUES" in rewrite(moved, labelled.find, None).text
    assert [search.graph for search in labelled.asked] == [G2]


@pytest.mark.parametrize("limit", ["", "0", "-1"])
def test_without_a_limit_above_zero_there_are_ten_thousand(labelled: "Labelled", limit: str) -> None:
    labelled(f"ASK {{ GRAPH ex:g2 {{ ?e text:query (skos:notation '서울' {limit}) }} }}")
    assert labelled.asked == [Search((SKOS + "notation",), ("서울",), 10_000, graph=G2)]
