"""N-Triples in and out: nothing is rewritten on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Literal, URIRef

from judgeloop.errors import BadInput
from judgeloop.shacl.terms import read, text_of

HEAD = "<http://e/s> <http://e/p> "
XSD = "http://www.w3.org/2001/XMLSchema#"


def one(text: str) -> str:
    ((_, _, value),) = read(HEAD + text + " .", "data")
    return text_of(value)


@pytest.mark.parametrize(
    "literal",
    [
        f'"01"^^<{XSD}integer>',
        f'"1.50"^^<{XSD}decimal>',
        f'"1"^^<{XSD}boolean>',
        f'"2026-03-01T09:00:00+09:00"^^<{XSD}dateTime>',
        f'" a  b "^^<{XSD}token>',
        f'"abc"^^<{XSD}integer>',
        '"가"@ko-KR',
        r'"a\"b\\c\nd\te\rf\bg\fh\u0000"',
        '"\u2028\u0085"',  # line separators for Python, not for N-Triples
    ],
)
def test_a_literal_is_rewritten(literal: str) -> None:
    assert one(literal) == literal


def test_a_string_with_its_type_differs_from_one_without() -> None:
    assert one(f'"a"^^<{XSD}string>') == one('"a"') == '"a"'
    assert read(HEAD + f'"a"^^<{XSD}string> .', "data") == read(HEAD + '"a" .', "data")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_changes_between_out_and_in(text: str) -> None:
    written = text_of(Literal(text))
    ((_, _, value),) = read(f"{HEAD}{written} .", "data")
    assert str(value) == text


@pytest.mark.parametrize(("escaped", "plain"), [(r"\uAC00", "가"), (r"\U0001F600", "😀"), (r"\'", "'")])
def test_an_escape_stays_as_it_is(escaped: str, plain: str) -> None:
    assert one(f'"{escaped}"') == f'"{plain}"'


def test_an_escaped_iri_is_another_one() -> None:
    assert one(r"<http://e/\uAC00>") == "http://e/가"


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("<http://e/s> <http://e/p> 1 .", "data:2:27"),
        ('<http://e/s> "p" <http://e/o> .', "data:2:14"),
        ('"s" <http://e/p> <http://e/o> .', "data:2:1"),
        ('<http://e/s> <http://e/p> "o"', "data:2:30"),
        ('<http://e/s> <http://e/p> "o" <http://e/g> .', "data:2:31"),
        ("<http://e/s> <http://e/ p> <http://e/o> .", "data:2:14"),
        (r'<http://e/s> <http://e/p> "\x" .', "data:2:1"),
        (r'<http://e/s> <http://e/p> "\uD83D" .', "data:2:1"),
        (r'<http://e/s> <http://e/p> "\UFFFFFFFF" .', "data:2:1"),
        ("<http://e/s> <http://e/p> <http://e/o> . more", "data:2:42"),
        ("not RDF at all", "data:2:1"),
    ],
)
def test_a_broken_line_is_skipped(line: str, place: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(f"# first\n{line}\n", "data")
    assert (caught.value.key, caught.value.place) == ("rdf-syntax", place)


def test_comments_empty_lines_and_crlf_are_refused() -> None:
    text = "\r\n# a comment\r\n \t<http://e/s>\t<http://e/p><http://e/o>.# more\r\n\r\n"
    assert read(text, "data") == [(URIRef("http://e/s"), URIRef("http://e/p"), URIRef("http://e/o"))]


def test_blank_nodes_of_two_texts_meet() -> None:
    text = "_:b <http://e/p> _:b.c ."
    assert read(text, "a", blanks="1-") == [(BNode("1-b"), URIRef("http://e/p"), BNode("1-b.c"))]
    assert read(text, "b", blanks="2-") != read(text, "a", blanks="1-")
    assert text_of(BNode("1-b")) == "_:1-b"


def test_one_iri_has_two_objects() -> None:
    ((first, _, _),) = read("<http://e/kept> <http://e/p> <http://e/o> .", "a", keep=True)
    ((second, _, _),) = read("<http://e/kept> <http://e/p> <http://e/o> .", "b")
    assert first is second
