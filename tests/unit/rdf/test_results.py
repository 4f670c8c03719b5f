"""SELECT results as text: the examples of the W3C's own pages, and what a terminal or a parser would make of them."""

import csv
import io
import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, QueryResultsFormat, QuerySolutions, parse_query_results

from judgeloop.rdf.results import FORMATS, Row, to_csv, to_json, to_table, to_tsv, to_xml
from judgeloop.vocab import XSD_INTEGER

X = NamedNode("http://example/x")
NUMBER = Literal("123", datatype=NamedNode(XSD_INTEGER))
# SPARQL 1.1 Query Results CSV and TSV Formats, section 3.3 and 4.3
VARIABLES = ("x", "literal")
ROWS: list[Row] = [
    (X, Literal("String")),
    (X, Literal('String-with-dquote"')),
    (BlankNode("b0"), Literal("Blank node")),
    (None, Literal("Missing 'x'")),
    (None, None),
    (X, None),
    (BlankNode("b1"), Literal("String-with-lang", language="en")),
    (BlankNode("b1"), NUMBER),
]


def test_csv_is_that_of_the_recommendation() -> None:
    assert to_csv(VARIABLES, ROWS) == (
        "x,literal\r\n"
        "http://example/x,String\r\n"
        'http://example/x,"String-with-dquote"""\r\n'
        "_:b0,Blank node\r\n"
        ",Missing 'x'\r\n"
        ",\r\n"
        "http://example/x,\r\n"
        "_:b1,String-with-lang\r\n"
        "_:b1,123\r\n"
    )


def test_tsv_is_that_of_the_recommendation() -> None:
    assert to_tsv(VARIABLES, ROWS) == (
        "?x\t?literal\n"
        '<http://example/x>\t"String"\n'
        '<http://example/x>\t"String-with-dquote\\""\n'
        '_:b0\t"Blank node"\n'
        "\t\"Missing 'x'\"\n"
        "\t\n"
        "<http://example/x>\t\n"
        '_:b1\t"String-with-lang"@en\n'
        f'_:b1\t"123"^^<{XSD_INTEGER}>\n'  # 123 is its short form, which nobody has to write
    )


def test_json_names_types_and_leaves_out_what_is_unbound() -> None:
    found = json.loads(to_json(VARIABLES, ROWS))  # SPARQL 1.1 Query Results JSON Format, section 3.2
    assert found["head"] == {"vars": ["x", "literal"]}
    assert found["results"]["bindings"][2:] == [
        {"x": {"type": "bnode", "value": "b0"}, "literal": {"type": "literal", "value": "Blank node"}},
        {"literal": {"type": "literal", "value": "Missing 'x'"}},
        {},
        {"x": {"type": "uri", "value": "http://example/x"}},
        {
            "x": {"type": "bnode", "value": "b1"},
            "literal": {"type": "literal", "value": "String-with-lang", "xml:lang": "en"},
        },
        {
            "x": {"type": "bnode", "value": "b1"},
            "literal": {"type": "literal", "value": "123", "datatype": XSD_INTEGER},
        },
    ]


def test_xml_is_that_of_the_recommendation() -> None:
    assert to_xml(
        ("x", "n&"), [(X, Literal("a<b&c")), (None, Literal("가", language="ko")), (BlankNode("r1"), NUMBER)]
    ) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<sparql xmlns="http://www.w3.org/2005/sparql-results#">'
        '<head><variable name="x"/><variable name="n&amp;"/></head>'
        "<results>\n"
        '<result><binding name="x"><uri>http://example/x</uri></binding>'
        '<binding name="n&amp;"><literal>a&lt;b&amp;c</literal></binding></result>\n'
        '<result><binding name="n&amp;"><literal xml:lang="ko">가</literal></binding></result>\n'
        '<result><binding name="x"><bnode>r1</bnode></binding>'
        f'<binding name="n&amp;"><literal datatype="{XSD_INTEGER}">123</literal></binding></result>\n'
        "</results></sparql>\n"
    )


def test_korean_stays_readable_in_json() -> None:
    assert '"value": "홍길동"' in to_json(("x",), [(Literal("홍길동"),)])


# --- read back by others

TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\r\t", exclude_characters="\ufffe\uffff")
)


@given(TEXTS)
@example(" a\r\nb\rc\t")
def test_what_was_written_is_read_back(text: str) -> None:
    row = (Literal(text), Literal(text, language="ko"))
    for form, read_as in (("json", QueryResultsFormat.JSON), ("tsv", QueryResultsFormat.TSV)):
        solutions = parse_query_results(FORMATS[form](("a", "b"), [row]), read_as)
        assert isinstance(solutions, QuerySolutions)
        assert [tuple(solution) for solution in solutions] == [row]
    literals = ET.fromstring(to_xml(("a", "b"), [row])).iter("{http://www.w3.org/2005/sparql-results#}literal")  # noqa: S314 - our own text
    assert [literal.text or "" for literal in literals] == [text, text]
    assert list(csv.reader(io.StringIO(to_csv(("a", "b"), [row]), newline="")))[1] == [text, text]


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_no_row_is_no_error(form: str) -> None:
    assert FORMATS[form](("x", "y"), [])
    assert FORMATS[form]((), [])


# --- for people


def test_a_table_is_aligned_for_wide_characters() -> None:
    assert to_table(("name", "n"), [(Literal("홍길동"), NUMBER), (Literal("Kim"), None), (None, Literal("x"))]) == (
        "name    n\n------  ---\n홍길동  123\nKim\n        x\n"
    )


def test_a_value_stays_on_its_line_and_can_not_steer_the_terminal() -> None:
    assert to_table(("x",), [(Literal("a\nb\tc\r\x1b[2J\u202e"),)]).splitlines()[2] == r"a⏎b c\r\x1b[2J\u202e"
