"""Binding: whatever a value holds, it stays one term (SPARQL injection, CWE-943)."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolutions, Store

from judgeloop.errors import BadInput
from judgeloop.rdf.lexer import lex, weight
from judgeloop.rdf.rq import Query, Value, bind, parse
from judgeloop.vocab import XSD

HOSTILE = [
    'x") } ; DROP ALL #',
    '"""',
    "'''",
    "\\",
    '\\"',
    "\\u0022",
    "a\nb\r",
    '\u2028"',
    "?param",
    "} UNION { ?s ?p ?o",
    "\x00",
    "<a>",
    "홍길동' \" @ko",
    "text:query",
    '"^^<http://e/x>',
]
EVERYWHERE = parse(
    "# @param p: string\n"
    "SELECT (CONCAT($p, '?p $p \\'') AS ?x) ?x2 {\n"
    "  VALUES (?v ?w){($p 1)} OPTIONAL{?s ?q $p.} BIND(STR(?p)AS ?x2) # ?p\n"
    "  FILTER($p=?v&&$p IN($p,$p)) { SELECT ?z WHERE { BIND(1 AS ?z) FILTER(STRLEN(?p) >= 0) } } }",
    "everywhere.rq",
)
LIMITED = parse("# @param n: integer\nSELECT ?x { VALUES ?x { 1 2 3 4 } FILTER(5-?n<9) } LIMIT?n", "limited.rq")
ANSWERS: dict[str, Query] = {
    kind: parse(f"# @param p: {kind}\nSELECT (?p AS ?x) {{}}", f"{kind}.rq")
    for kind in ("string", "text", "langString", "iri", "integer", "decimal", "boolean", "dateTime")
}


def rows(text: str) -> list[list[object]]:
    answer = Store().query(text)
    assert isinstance(answer, QuerySolutions)
    return [list(row) for row in answer]


def back(kind: str, value: Value) -> object:
    return rows(bind(ANSWERS[kind], {"p": value}).text)[0][0]


def refusal(kind: str, value: Value) -> BadInput:
    with pytest.raises(BadInput) as refused:
        bind(ANSWERS[kind], {"p": value})
    refused.value.text("en").encode()
    refused.value.text("ko").encode()
    return refused.value


def stays_one_term(value: str) -> None:
    bound = bind(EVERYWHERE, {"p": value})
    assert weight(lex(bound.text, "bound")) == weight(EVERYWHERE.tokens)
    assert rows(bound.text) == [[Literal(value + "?p $p '"), Literal(value)]]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_string_comes_back_as_it_went_in(value: str) -> None:
    stays_one_term(value)


@given(st.text(st.characters(exclude_categories=["Cs"])))
@example("\ufffe\U0010ffff")
def test_no_string_changes_the_count_of_tokens(value: str) -> None:
    stays_one_term(value)


@given(st.lists(st.sampled_from([*HOSTILE, "u", "U0001", "0022", "{", "#", "é", "ᄒ"]), max_size=6).map("".join))
def test_no_mixture_of_hostile_strings_changes_the_count_of_tokens(value: str) -> None:
    stays_one_term(value)


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text("a:/<>#{}\\ é").map("urn:".__add__))
def test_no_text_becomes_anything_but_an_iri_or_a_refusal(value: str) -> None:
    try:
        bound = bind(ANSWERS["iri"], {"p": value})
    except BadInput:
        assert refusal("iri", value).key == "iri-unsafe"
    else:
        assert rows(bound.text) == [[NamedNode(value)]]


@pytest.mark.parametrize(
    ("kind", "value", "term"),
    [
        ("string", "서울", Literal("서울")),
        ("string", Literal("x"), Literal("x")),
        ("text", "홍길동", Literal("홍길동")),
        ("text", "(주) A/B", Literal("\\(주\\)\\ A\\/B")),
        ("text", "R AND D", Literal("R\\ and\\ D")),
        ("text", "\u1100\u1161\u1102\u1161", Literal("가나")),
        ("text", Literal("a:b"), Literal("a\\:b")),
        ("langString", ("서울", "ko"), Literal("서울", language="ko")),
        ("langString", Literal("x", language="en"), Literal("x", language="en")),
        ("iri", "http://e/한글(괄호)", NamedNode("http://e/한글(괄호)")),
        ("iri", NamedNode("urn:x:y"), NamedNode("urn:x:y")),
        ("integer", -7, Literal("-7", datatype=NamedNode(XSD + "integer"))),
        ("integer", "12", Literal("12", datatype=NamedNode(XSD + "integer"))),
        ("decimal", Decimal("1.50"), Literal("1.5", datatype=NamedNode(XSD + "decimal"))),
        ("decimal", "0.820", Literal("0.82", datatype=NamedNode(XSD + "decimal"))),
        ("decimal", 3, Literal("3", datatype=NamedNode(XSD + "decimal"))),
        ("boolean", True, Literal("true", datatype=NamedNode(XSD + "boolean"))),
        ("boolean", "false", Literal("false", datatype=NamedNode(XSD + "boolean"))),
        (
            "dateTime",
            datetime(2026, 1, 2, 3, 4, 5, 120_000, timezone(timedelta(hours=9))),
            Literal("2026-01-01T18:04:05.12Z", datatype=NamedNode(XSD + "dateTime")),
        ),
        (
            "dateTime",
            "2026-01-02T03:04:05+09:00",
            Literal("2026-01-01T18:04:05Z", datatype=NamedNode(XSD + "dateTime")),
        ),
        (
            "dateTime",
            Literal("2026-01-02T03:04:05Z", datatype=NamedNode(XSD + "dateTime")),
            Literal("2026-01-02T03:04:05Z", datatype=NamedNode(XSD + "dateTime")),
        ),
    ],
)
def test_a_value_of_its_type_becomes_one_term(kind: str, value: Value, term: object) -> None:
    assert back(kind, value) == term
    assert bind(ANSWERS[kind], {"p": value}).values == {"p": term}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("string", 3),
        ("string", Literal("x", language="ko")),
        ("string", NamedNode("http://e/")),
        ("string", BlankNode()),
        ("text", 33),
        ("text", Literal("xy", language="ko")),
        ("langString", "x"),
        ("langString", ("x", "not a tag")),
        ("langString", ("x", "ko\ud800")),
        ("langString", Literal("x")),
        ("iri", 3),
        ("iri", Literal("http://e/")),
        ("integer", True),
        ("integer", "3 } ; DROP ALL #"),
        ("integer", "٣"),
        ("integer", "1\n"),
        ("integer", Decimal("3.0")),
        ("decimal", "1e400"),
        ("decimal", Decimal("NaN")),
        ("boolean", 1),
        ("boolean", "yes"),
        ("dateTime", "2026-01-02"),
        ("dateTime", "2026-01-02T03:04:05"),
        ("dateTime", datetime(2026, 1, 2)),  # noqa: DTZ001 - a time without a zone is what is refused
        ("dateTime", datetime(2026, 1, 2, 3, 4, 5, 1, UTC)),
    ],
)
def test_a_value_of_another_type_is_refused(kind: str, value: Value) -> None:
    refused = refusal(kind, value)
    assert (refused.key, refused.params["type"], refused.place) == ("rq-parameter-type", kind, f"{kind}.rq")


@pytest.mark.parametrize(
    "value",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://e/",
        "x",
        "",
        "http://e/a b",
        "http://e/<",
        "http://e/\n",
        ":",
    ],
)
def test_an_iri_needs_an_allowed_scheme_and_allowed_characters(value: str) -> None:
    assert refusal("iri", value).key == "iri-unsafe"


@pytest.mark.parametrize(
    ("kind", "value"),
    [("string", "ab\ud800"), ("text", "ab\ud800"), ("langString", ("ab\ud800", "ko")), ("iri", "http://e/\ud800")],
)
def test_half_a_surrogate_pair_is_refused_with_its_position(kind: str, value: Value) -> None:
    refused = refusal(kind, value)
    assert refused.key == "rq-parameter-surrogate"
    assert refused.params["position"] == (10 if kind == "iri" else 3)


@pytest.mark.parametrize(
    ("value", "key"),
    [("가", "text-query-short"), ("x" * 201, "text-query-long"), ("ab\x00", "text-query-characters")],
)
def test_a_text_that_finds_everything_or_nothing_is_refused_with_its_parameter(value: str, key: str) -> None:
    refused = refusal("text", value)
    assert (refused.key, refused.place) == (key, "text.rq p")


def test_an_integer_is_bare_digits_and_never_grows_into_its_neighbours() -> None:
    bound = bind(LIMITED, {"n": 3})
    assert bound.text.endswith("FILTER(5- 3 <9) } LIMIT 3")
    assert len(rows(bound.text)) == 3
    with pytest.raises(SyntaxError):  # LIMIT -3 is no SPARQL; the sign stays with its number
        rows(bind(LIMITED, {"n": -3}).text)


def test_both_spellings_name_one_parameter() -> None:
    assert bind(parse("# @param g: iri\nASK { GRAPH $g { ?g ?p ?o } }", "t.rq"), {"g": "urn:x:y"}).text.endswith(
        "ASK { GRAPH <urn:x:y> { <urn:x:y> ?p ?o } }"
    )


def test_a_name_that_only_begins_like_a_parameter_stays() -> None:
    assert bind(parse("# @param g: iri\nASK { ?g ?gg ?g2 }", "t.rq"), {"g": "urn:x:y"}).text.endswith(
        "<urn:x:y> ?gg ?g2 }"
    )


def test_values_and_template_stay_apart() -> None:
    one, two = bind(EVERYWHERE, {"p": "1"}), bind(EVERYWHERE, {"p": "2"})
    assert one.query is two.query
    assert one.text != two.text


def test_a_value_without_a_parameter_and_a_parameter_without_a_value_are_refused() -> None:
    with pytest.raises(BadInput) as undeclared:
        bind(LIMITED, {"n": 1, "m": 2})
    assert undeclared.value.text() == "limited.rq: the query has no parameter m; it has n"
    with pytest.raises(BadInput) as missing:
        bind(LIMITED, {})
    assert missing.value.text() == "limited.rq: the query needs a value for n (integer)"
