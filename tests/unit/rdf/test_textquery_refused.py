"""What a text:query can't be: refused with the place and the reason, never answered with other rows than Jena's."""

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode

from judgeloop.errors import BadInput
from judgeloop.rdf.lexer import lex, significant
from judgeloop.rdf.rq import BoundQuery, bind, parse
from judgeloop.rdf.textcalls import read_calls
from judgeloop.rdf.textquery import Hit, rewrite, searches, uses_text
from judgeloop.text import nfc
from judgeloop.vocab import RDFS_LABEL, XSD

if TYPE_CHECKING:
    from tests.unit.rdf.conftest import Labelled

PREFIXES = (
    "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX ex: <http://e/> "
    "PREFIX text: <http://jena.apache.org/text#>\n"
)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ASK { ?e text:query (rdfs:label '서울' 5 ¦'highlight:') }", "text-query-highlight"),
        ("ASK { ?e text:query (rdfs:label '서울' 5 'lang:ko' ¦'highlight:s:x') }", "text-query-highlight"),
        ("ASK { VALUES ?q { '서울' } ?e text:query (rdfs:label ¦?q 5) }", "text-query-unbound"),
        ("ASK { BIND('서울' AS ?q) ?e text:query ¦?q }", "text-query-unbound"),
        ("ASK { ?e text:query ¦?q }", "text-query-unbound"),
        ("ASK { ?e text:query ('서울' ¦?n) }", "text-query-option"),
        ("ASK { ?e ¦text:query '서울', '부산' }", "text-query-objects"),
        ("ASK { ?e ¦text:query }", "text-query-objects"),
        ("ASK { ?e ¦text:query '서울' {| ex:p 1 |} }", "text-query-objects"),
        ("ASK { ?e ¦text:query '서울' ~ ex:r }", "text-query-objects"),
        ("ASK { ?e text:query (rdfs:label ¦('서울') 5) }", "text-query-literal"),
        ("ASK { ((?e) ?s) ¦text:query '서울' }", "text-query-subject"),
        ("ASK { ?e ¦text:query/rdfs:label '서울' }", "text-query-path"),
        ("ASK { ?e rdfs:label|¦text:query '서울' }", "text-query-path"),
        ("ASK { ?e ^¦text:query '서울' }", "text-query-path"),
        ("ASK { ?e ¦text:query+ '서울' }", "text-query-path"),
        ("ASK { ?e (¦text:query) '서울' }", "text-query-path"),
        ("ASK { ?e !(¦text:query|ex:p) '서울' }", "text-query-path"),
        ("ASK { ?e text:query ¦3 }", "text-query-literal"),
        ("ASK { ?e text:query ¦'3'^^<http://www.w3.org/2001/XMLSchema#integer> }", "text-query-literal"),
        ("ASK { ?e text:query (rdfs:label ¦3.5) }", "text-query-literal"),
        ("ASK { ?e text:query (rdfs:label ¦true) }", "text-query-literal"),
        ("ASK { ?e text:query ¦[ ex:p 1 ] }", "text-query-literal"),
        ("ASK { ?e ¦text:query rdfs:label }", "text-query-no-text"),
        ("ASK { ?e ¦text:query (rdfs:label) }", "text-query-no-text"),
        ("ASK { ?e ¦text:query () }", "text-query-no-text"),
        ("ASK { ?e ¦text:query (rdfs:label rdfs:comment '서울' 5) }", "text-query-property"),
        ("ASK { ?e text:query ('서울' ¦2.5) }", "text-query-option"),
        ("ASK { ?e text:query ('서울' 'lang:ko' ¦5) }", "text-query-option"),
        ("ASK { ?e text:query ('서울' 5 'lang:ko' ¦'lang:en') }", "text-query-option"),
        ("ASK { ?e text:query ('서울' 5 ¦'other') }", "text-query-option"),
        ("ASK { ?e text:query ('서울' 5 ¦rdfs:label) }", "text-query-option"),
        ("ASK { () ¦text:query '서울' }", "text-query-subject"),
        ("ASK { (?a ?b ?c ?d ?e ?f) ¦text:query '서울' }", "text-query-subject"),
        ("ASK { (?e ?e) ¦text:query '서울' }", "text-query-subject"),
        ("ASK { (?e ex:s) ¦text:query '서울' }", "text-query-subject"),
        ("ASK { ('서울' ?s) ¦text:query '서울' }", "text-query-subject"),
        ("ASK { (_:b ?s) ¦text:query '서울' }", "text-query-subject"),
        ("ASK { _:b ¦text:query '서울' }", "text-query-subject"),
        ("ASK { [] ¦text:query '서울' }", "text-query-subject"),
        ("ASK { (?e ?s) ¦text:query '서울' ; rdfs:label ?l }", "text-query-subject"),
        ("ASK { (?e ?s) rdfs:label ?l ; ¦text:query '서울' }", "text-query-subject"),
        ("ASK { [ ¦text:query '서울' ; rdfs:label ?l ] }", "text-query-brackets"),
        ("ASK { ?x ex:p [ ¦text:query '서울' ] }", "text-query-brackets"),
        ("ASK { ?x ex:p ( [ ¦text:query '서울' ] ) }", "text-query-brackets"),
        ("ASK { ?x ex:p 1 {| ¦text:query '서울' |} }", "text-query-brackets"),
        ("ASK { << ?x ¦text:query '서울' >> ex:p 1 }", "text-query-brackets"),
        ("ASK { GRAPH ?g { ?x a ?c OPTIONAL { ?e ¦text:query '서울' } } }", "text-query-graph"),
        ("ASK { GRAPH ?g { ?x a ?c MINUS { ?x ¦text:query '서울' } } }", "text-query-graph"),
        ("ASK { GRAPH ?g { ?x a ?c FILTER NOT EXISTS { ?x ¦text:query '서울' } } }", "text-query-graph"),
        ("ASK { GRAPH ?g { ?x a ?c FILTER(1 = 1 && EXISTS { { ?x ¦text:query '서울' } }) } }", "text-query-graph"),
        ("ASK { GRAPH ?g { { SELECT ?e { ?e ¦text:query '서울' } } ?e a ?c } }", "text-query-graph"),
        ("CONSTRUCT WHERE { ?e ¦text:query '서울' }", "text-query-template"),
        ("DELETE WHERE { ?e ¦text:query '서울' }", "text-query-template"),
        ("ASK { ?e text:query (rdfs:label ¦'서') }", "text-query-short"),
        ("ASK { ?e text:query ¦'a:b' }", "text-query-operator"),
    ],
)
def test_a_shape_is_refused(labelled: "Labelled", text: str, key: str) -> None:
    before, _, after = text.partition("¦")
    query = parse(PREFIXES + before + after, "q.rq", allow_update=True)
    assert uses_text(query)
    for run in (lambda: rewrite(bind(query, {}), labelled.find, ["http://e/g1"]), lambda: searches(bind(query, {}))):
        with pytest.raises(BadInput) as caught:
            run()
        assert (caught.value.key, caught.value.place) == (key, f"q.rq:2:{len(before) + 1}")
        assert caught.value.text("en") != caught.value.text("ko")
    assert labelled.asked == [], "nothing is searched for a query that is refused"


@pytest.mark.parametrize(
    "text",
    [
        "ASK { GRAPH ?g { ?x a ?c OPTIONAL { GRAPH ex:g1 { ?e text:query '서울' } } } }",
        "ASK { GRAPH ex:g1 { ?x a ?c OPTIONAL { ?e text:query '서울' } } }",
        "ASK { GRAPH ?g { ?x a ?c } OPTIONAL { GRAPH ?g { ?e text:query '서울' } } }",
    ],
)
def test_graph_within_is_joined_as_it_should_be(text: str) -> None:
    assert len(searches(bind(parse(PREFIXES + text, "q.rq"), {}))) == 1


@pytest.mark.parametrize(
    ("kind", "value", "key"),
    [
        ("integer", 3, "text-query-literal"),
        ("iri", "http://e/x", "text-query-no-text"),
        ("string", "a:b", "text-query-operator"),
    ],
)
def test_a_value_of_another_type_is_refused_where_its_parameter_stands(kind: str, value: str | int, key: str) -> None:
    query = parse(f"# @param p: {kind}\n{PREFIXES}ASK {{ ?e text:query $p }}", "q.rq")
    with pytest.raises(BadInput) as caught:
        searches(bind(query, {"p": value}))
    assert caught.value.key == key


@pytest.mark.parametrize("subject", ["(?e $p)", "($p ?s)"])
def test_a_value_stands_for_the_thing_only(subject: str) -> None:
    query = parse(f"# @param p: iri\n{PREFIXES}ASK {{ {subject} text:query '서울' }}", "q.rq")
    bound = bind(query, {"p": "http://e/x"})
    if subject == "($p ?s)":
        assert searches(bound)[0].subject == "http://e/x"
        return
    with pytest.raises(BadInput) as caught:
        searches(bound)
    assert caught.value.key == "text-query-subject"


# --- whatever the text is, and whatever is found

ANY = parse(
    f"# @param words: text\n{PREFIXES}"
    "SELECT ?e ?s ?l { GRAPH ex:g1 { ?e a ex:C ; text:query (rdfs:label $words 3) ; ex:p $words FILTER(?e != ex:x) } "
    "GRAPH ?g { (?a ?s ?l) text:query (rdfs:label $words 2 'lang:ko') . ?a ex:p ?o } }",
    "any.rq",
)
HOSTILE = [
    ") OR label:(",
    '"""',
    "'''",
    "\\",
    "\u2028",
    "\u1100\u1161\u11a8",
    "} UNION { ?s ?p ?o",
    "?words",
    "$words",
    "AND NOT",
    "text:query",
    "# \n",
    '"^^<http://e/x>',
    "\\u0022",
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40) | st.lists(
    st.sampled_from(HOSTILE), min_size=1, max_size=4
).map("".join)


def found(text: str) -> Hit:
    score = Literal("1.5", datatype=NamedNode(XSD + "float"))
    return Hit(
        NamedNode("http://e/x"), score, Literal(text, language="ko"), NamedNode("http://e/g1"), NamedNode(RDFS_LABEL)
    )


def outside(bound: BoundQuery, hits: int, text: str) -> list[str]:
    """Return the tokens of the rewritten query that no VALUES block holds."""
    done = rewrite(bound, lambda search: [found(text)] * min(hits, search.limit), None)
    tokens, left = significant(lex(done.text, "done")), []
    within = False
    for token in tokens:
        within = within or token.text == "VALUES"
        if not within:
            left.append(token.text)
        within = within and token.text != "}"
    return left


@given(TEXTS, st.integers(0, 3), TEXTS)
@example(") OR label:(", 1, '"""')
@example("가나", 3, "} } # \u2028")
def test_only_the_pattern_is_replaced_whatever_is_searched_and_found(words: str, hits: int, label: str) -> None:
    try:
        bound = bind(ANY, {"words": words})
    except BadInput as error:
        assert error.key in {"text-query-short", "text-query-long"}  # noqa: PT017 - these are told before
        return
    written = str(bound.values["words"])
    expected = lex(
        "SELECT ?e ?s ?l { GRAPH ex:g1 { ?e a ex:C ; ex:p W FILTER(?e != ex:x) } GRAPH ?g { ?a ex:p ?o } }", "expected"
    )
    tokens = [token.text for token in significant(expected)]
    start = outside(bound, hits, label)
    assert start[start.index("SELECT") :] == [written if text == "W" else text for text in tokens]


@given(TEXTS)
def test_what_is_searched_for_stays_one_literal(words: str) -> None:
    try:
        bound = bind(ANY, {"words": words})
    except BadInput:
        return
    first, second = searches(bound)
    assert first.pieces == second.pieces
    assert [piece.lower() for piece in first.pieces] == [nfc(words).lower()]


WORDS = re.findall(
    r"\S+",
    """SELECT ASK CONSTRUCT WHERE FROM NAMED GRAPH OPTIONAL UNION MINUS FILTER NOT EXISTS BIND AS VALUES INSERT DELETE
    DATA WITH USING PREFIX BASE { } ( ) [ ] . ; , ?e ?s ex:p a text:query 'ab' 5 ^ / | * + ? ! {| |} ~
    << >> <<( )>> @en ^^ <x>""",
)


@given(st.lists(st.sampled_from(WORDS), max_size=60))
@example(["ASK", "{", "?e", "^"])
def test_no_heap_of_tokens_is_too_much(words: list[str]) -> None:
    try:
        read_calls(PREFIXES + " ".join(words), "q.rq", ())
    except BadInput as error:
        assert error.key.startswith(("text-query-", "rq-lex"))  # noqa: PT017 - a refusal is fine, a crash is not
