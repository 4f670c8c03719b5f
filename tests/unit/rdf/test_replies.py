"""Answers of servers: the same terms as from an engine in the process, or a refusal that names the place."""

import json
from typing import Any

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.replies import read_rows, read_triples, read_truth
from judgeloop.vocab import RDF, XSD

OK = {"type": "literal", "value": "ok"}
TAGLESS = {"type": "literal", "value": "x", "datatype": RDF + "langString"}


def rows(*bindings: dict[str, Any], columns: tuple[str, ...] = ("a", "b")) -> bytes:
    return json.dumps({"head": {"vars": columns}, "results": {"bindings": bindings}}, ensure_ascii=False).encode()


def refusal(content: bytes) -> StoreUnavailable:
    with pytest.raises(StoreUnavailable) as told:
        read_rows(content, "http://h/q")
    assert (told.value.place, told.value.exit_code) == ("http://h/q", 5)
    return told.value


def test_every_kind_of_term_is_read() -> None:
    content = rows(
        {"a": {"type": "uri", "value": "http://e/한글"}, "b": {"type": "bnode", "value": "b0"}},
        {"a": {"type": "literal", "value": "서울", "xml:lang": "ko"}},
        {"a": {"type": "typed-literal", "value": "01", "datatype": XSD + "integer"}, "b": OK},
    )
    assert read_rows(content, "h") == (
        ("a", "b"),
        [
            (NamedNode("http://e/한글"), BlankNode("b0")),
            (Literal("서울", language="ko"), None),
            (Literal("01", datatype=NamedNode(XSD + "integer")), Literal("ok")),
        ],
    )


@pytest.mark.parametrize(
    "bad",
    [
        TAGLESS,
        {"type": "literal", "value": "x", "xml:lang": ""},
        {"type": "literal", "value": "x", "xml:lang": "no such tag"},
        {"type": "uri", "value": "not an iri"},
        {"type": "bnode", "value": "no label"},
        {"type": "resource", "value": "http://e/"},
        {"type": "literal"},
        {"value": "x"},
        {
            "type": "triple",
            "value": {
                "subject": {"type": "uri", "value": "urn:xx:s"},
                "predicate": {"type": "uri", "value": "urn:xx:p"},
                "object": TAGLESS,
            },
        },
    ],
)
def test_what_is_no_term_is_told_by_row_and_column(bad: dict[str, Any]) -> None:
    told = refusal(rows({"a": OK, "b": OK}, {"a": OK, "b": bad}, {"a": OK}))
    assert (told.key, told.params["row"], told.params["variable"]) == ("http-term", 2, "?b")
    assert "row 2, ?b" in told.text()
    assert "2 번째 행의 ?b" in told.text("ko")


def test_a_datatype_that_is_written_in_code_points_is_seen_all_the_same() -> None:
    told = refusal(rows({"a": TAGLESS}).replace(b"langString", rb"lang\u0053tring"))
    assert (told.key, told.params["row"]) == ("http-term", 1)


@pytest.mark.parametrize("cut", [1, 2, 3, 10, 40])
def test_an_answer_that_was_cut_is_refused(cut: int) -> None:
    assert refusal(rows({"a": OK}, {"b": OK})[:-cut]).key == "http-cut"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b'{"head":{"vars":["a"]}}',
        b"<sparql/>",
        rows({"c": OK}),
        rows() + b"Query timed out",
        rows({"a": OK}).replace(b"ok", b"\xff"),
    ],
)
def test_what_is_no_table_is_refused(content: bytes) -> None:
    assert refusal(content).key == "http-cut"


def test_a_truth_is_no_table() -> None:
    assert refusal(b'{"head":{},"boolean":true}').key == "http-kind"


@pytest.mark.parametrize("truth", [True, False])
def test_a_truth_is_read(truth: bool) -> None:
    assert read_truth(json.dumps({"head": {}, "boolean": truth}).encode(), "h") is truth


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b'{"head":{},"boolean":true', "http-cut"),
        (b'{"head":{},"boolean":"true"}', "http-cut"),
        (b'{"head":{},"boolean":1}', "http-cut"),
        (b"[true]", "http-cut"),
        (rows(), "http-kind"),
        (rows({"a": TAGLESS}), "http-term"),
    ],
)
def test_what_is_no_truth_is_refused(content: bytes, key: str) -> None:
    with pytest.raises(StoreUnavailable) as told:
        read_truth(content, "h")
    assert told.value.key == key


def test_triples_are_read_each_once() -> None:
    line = '<urn:xx:s> <urn:xx:p> "서울"@ko .\n'.encode()
    expected = Triple(NamedNode("urn:xx:s"), NamedNode("urn:xx:p"), Literal("서울", language="ko"))
    assert read_triples(line * 2, "h") == [expected]
    assert read_triples(b"", "h") == []


@pytest.mark.parametrize("content", [b'<urn:xx:s> <urn:xx:p> "a" .\n<urn:xx:s> <ur', b"<html>", b"<s> <p> <o> ."])
def test_triples_that_were_cut_are_refused(content: bytes) -> None:
    with pytest.raises(StoreUnavailable) as told:
        read_triples(content, "h")
    assert told.value.key == "http-cut"
