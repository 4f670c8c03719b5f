"""RDF files: what each format gives, and every refusal with file, line and column, without a byte from outside."""

import json
from typing import Any

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad

from judgeloop.errors import BadInput
from judgeloop.messages import LANGS
from judgeloop.rdf.canonical import ntriples
from judgeloop.rdf.parse import read_rdf, read_triples, triples_of

TRIPLE = '<https://kg.example/a> <https://kg.example/p> "가"@ko .\n'
FILES: dict[str, str] = {
    "w.ttl": '@prefix kg: <https://kg.example/> . kg:a kg:p "가"@ko .',
    "w.TTL": 'PREFIX kg: <https://kg.example/> kg:a kg:p "가"@ko .',
    "w.trig": '@prefix kg: <https://kg.example/> . kg:g { kg:a kg:p "가"@ko }',
    "w.nt": TRIPLE,
    "w.nq": TRIPLE.replace(" .", " <https://kg.example/g> ."),
    "w.jsonld": '{"@id": "https://kg.example/a", "https://kg.example/p": {"@value": "가", "@language": "ko"}}',
    "w.rdf": (
        '<?xml version="1.0" encoding="UTF-8"?><rdf:RDF xmlns:kg="https://kg.example/"'
        ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="https://kg.example/a"><kg:p xml:lang="ko">가</kg:p></rdf:Description></rdf:RDF>'
    ),
}
FILES |= {"w.xml": FILES["w.rdf"], "w.owl": FILES["w.rdf"]}


def refusal(text: str | bytes, name: str, base: str | None = None) -> BadInput:
    with pytest.raises(BadInput) as refused:
        read_rdf(text.encode() if isinstance(text, str) else text, name, base)
    for lang in LANGS:
        assert refused.value.text(lang).startswith(refused.value.place)
    return refused.value


def objects(text: str, name: str = "w.ttl") -> list[tuple[str, str]]:
    found = [q.object for q in read_rdf(text.encode(), name)]
    return [(o.value, o.datatype.value.rpartition("#")[2]) for o in found if isinstance(o, Literal)]


# --- what a file says


@pytest.mark.parametrize("name", FILES)
def test_the_name_tells_the_format(name: str) -> None:
    assert ntriples(read_triples(FILES[name].encode(), name)) == TRIPLE


@pytest.mark.parametrize("name", FILES)
def test_a_bom_and_crlf_change_nothing(name: str) -> None:
    assert ntriples(read_triples(b"\xef\xbb\xbf" + FILES[name].replace("\n", "\r\n").encode(), name)) == TRIPLE


def test_named_graphs_are_told_apart_only_where_they_are_asked_for() -> None:
    (quad,) = read_rdf(FILES["w.trig"].encode(), "w.trig")
    assert quad.graph_name == NamedNode("https://kg.example/g")
    assert not isinstance(read_triples(FILES["w.trig"].encode(), "w.trig")[0], Quad)


def test_a_literal_is_read_as_it_is_written() -> None:
    text = "<urn:x:a> <urn:x:p> 1.50, 01, 1.0E0, '2026-01-01T00:00:00.120+09:00'^^<urn:x:t>, true ."
    assert objects(text) == [
        ("1.50", "decimal"),
        ("01", "integer"),
        ("1.0E0", "double"),
        ("2026-01-01T00:00:00.120+09:00", "urn:x:t"),
        ("true", "boolean"),
    ]


def test_a_base_is_used_where_it_is_given() -> None:
    for name, text in (
        ("w.ttl", "<a> <#p> <../c> ."),
        ("w.jsonld", '{"@id": "a", "https://kg.example/x/b#p": {"@id": "../c"}}'),
    ):
        assert ntriples(read_triples(text.encode(), name, "https://kg.example/x/b")) == (
            "<https://kg.example/x/a> <https://kg.example/x/b#p> <https://kg.example/c> .\n"
        )


def test_the_label_of_a_blank_node_means_something_in_its_own_file_only() -> None:
    text = b"_:a <https://kg.example/p> _:a ."
    one, other = read_rdf(text, "a.nt")[0], read_rdf(text, "b.nt")[0]
    assert one.subject == one.object != other.subject
    assert isinstance(one.subject, BlankNode)


def test_a_comment_is_a_file_without_statements() -> None:
    assert read_rdf(b"# nothing yet\n", "w.ttl") == []


def test_our_own_triples_come_back() -> None:
    assert ntriples(triples_of(TRIPLE)) == TRIPLE
    assert triples_of("") == []


# --- refused, with the place


@pytest.mark.parametrize(
    ("name", "text", "place", "why"),
    [
        ("w.ttl", '@prefix : <urn:x:> .\n:a :p "가" ;;; ] .', "w.ttl:2:15", "]"),
        ("w.ttl", "\n\n  foo:a <urn:x:p> 1 .", "w.ttl:3:3", "foo:"),
        ("w.ttl", "<urn:x:a> <urn:x:p> 'open .", "w.ttl:1:21", ""),
        ("w.ttl", "<urn:x:a> <urn:x:p> 1", "w.ttl:1:22", ""),
        ("w.nt", "<urn:x:a> <urn:x:p> <urn:x:b> .\n<urn:x:a> <urn:x:p> .\n", "w.nt:2:21", ""),
        ("w.nt", "@prefix : <urn:x:> .", "w.nt:1:1", ""),
        ("w.trig", "<urn:x:g> {\n <urn:x:a> <urn:x:p> }", "w.trig:2:22", ""),
        ("w.rdf", "<rdf:RDF>", "w.rdf", ""),
        ("w.rdf", "not xml", "w.rdf", ""),
    ],
)
def test_a_syntax_error_has_line_and_column(name: str, text: str, place: str, why: str) -> None:
    error = refusal(text, name)
    assert (error.key, error.place) == ("rdf-syntax", place)
    assert why in str(error.params["why"])


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("w.jsonld", '{"@id": "urn:x:a",\n "@id": "urn:x:b"}', "w.jsonld:2:2"),
        ("w.jsonld", '{"urn:x:p": NaN}', "w.jsonld:1:13"),
        ("w.jsonld", "{", "w.jsonld:1:2"),
    ],
)
def test_json_ld_is_strict_json_first(name: str, text: str, place: str) -> None:
    error = refusal(text, name)
    assert error.key.startswith("json-")
    assert error.place == place


@pytest.mark.parametrize("text", ["<html><body>502", "\n<!DOCTYPE html>\n<p>"])
@pytest.mark.parametrize("name", ["w.ttl", "w.nt"])
def test_an_error_page_is_called_one(name: str, text: str) -> None:
    error = refusal(text, name)
    assert error.key == "rdf-syntax"
    assert "HTML" in error.text("en")
    assert "HTML" in error.text("ko")


def test_a_merge_marker_is_called_one() -> None:
    error = refusal("<urn:x:a> <urn:x:p> 1 .\n<<<<<<< HEAD\n<urn:x:a> <urn:x:p> 2 .\n", "w.ttl")
    assert error.place.startswith("w.ttl:2:")
    assert "merge marker" in error.text("en")


@pytest.mark.parametrize(
    ("name", "text", "iri"),
    [
        ("w.ttl", "\n<urn:x:a> <urn:x:p> <b/c> .", "b/c"),
        ("w.ttl", "<> <urn:x:p> 1 .", ""),
        ("w.nt", "<a> <urn:x:p> <urn:x:b> .", "a"),
        ("w.rdf", FILES["w.rdf"].replace("https://kg.example/a", "a"), "a"),
        ("w.jsonld", '{"@id": "a", "urn:x:p": "x"}', "a"),
        ("w.jsonld", '{"@id": "urn:x:a", "urn:x:p": {"@id": "../b"}}', "b"),
        ("w.jsonld", '{"@id": "urn:x:a", "@type": "T"}', "T"),
    ],
)
def test_a_relative_iri_needs_a_base(name: str, text: str, iri: str) -> None:
    error = refusal(text, name)
    assert (error.key, error.params["iri"]) == ("rdf-relative-iri", iri)
    assert error.place.split(":")[0] == name


def test_json_ld_with_a_base_of_its_own_needs_no_other() -> None:
    text = FILES["w.jsonld"].replace(
        '{"@id": "https://kg.example/a"', '{"@context": {"@base": "https://kg.example/"}, "@id": "a"'
    )
    assert ntriples(read_triples(text.encode(), "w.jsonld")) == TRIPLE


@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff", "\ufeff\r\n"])
@pytest.mark.parametrize("name", ["w.ttl", "w.jsonld", "w.rdf"])
def test_an_empty_file_is_no_empty_graph(name: str, text: str) -> None:
    error = refusal(text, name)
    assert (error.key, error.place) == ("file-empty", name)


@pytest.mark.parametrize("name", ["w.csv", "w", "w.ttl.gz", "w.json"])
def test_an_unknown_format_is_not_guessed(name: str) -> None:
    assert refusal(TRIPLE, name).key == "rdf-format-unknown"


@pytest.mark.parametrize(("encoding", "offset"), [("cp949", TRIPLE.index("가")), ("utf-16", 0)])
def test_other_encodings_are_refused(encoding: str, offset: int) -> None:
    error = refusal(TRIPLE.encode(encoding), "w.ttl")
    assert (error.key, error.place, error.params["offset"]) == ("not-utf8", "w.ttl:1", offset)


# --- nothing is fetched


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE rdf:RDF [<!ENTITY x "y">]>',
        '<!DOCTYPE rdf:RDF SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE rdf:RDF [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
    ],
)
@pytest.mark.parametrize("name", ["w.rdf", "w.xml", "w.owl"])
def test_a_doctype_is_refused_with_its_line(name: str, doctype: str) -> None:
    error = refusal(FILES["w.rdf"].replace("?><rdf", f"?>\n\n{doctype}<rdf"), name)
    assert (error.key, error.place) == ("rdf-doctype", f"{name}:3")


REMOTE = "http://127.0.0.1:9/context.jsonld"


@pytest.mark.parametrize(
    "document",
    [
        {"@context": REMOTE},
        {"@context": [{"a": "urn:x:a"}, REMOTE]},
        {"@context": [[REMOTE]]},
        {"@context": {"@import": REMOTE}},
        {"@context": {"a": {"@id": "urn:x:a", "@context": REMOTE}}},
        {"@graph": [{"@context": "context.jsonld", "@id": "urn:x:a"}]},
        [{"@id": "urn:x:a"}, {"urn:x:p": {"@context": REMOTE, "@id": "urn:x:b"}}],
        {"@included": {"@context": ""}},
    ],
    ids=json.dumps,
)
def test_a_context_that_would_have_to_be_fetched_is_refused(document: Any) -> None:
    error = refusal(json.dumps(document), "w.jsonld")
    assert error.key == "rdf-remote-context"
    assert error.place.startswith("w.jsonld ")


def test_a_context_key_can_not_be_hidden_by_an_escape() -> None:
    assert refusal('{"\\u0040context": "http://127.0.0.1:9/"}', "w.jsonld").key == "rdf-remote-context"


def test_a_context_in_the_file_is_read() -> None:
    document = {
        "@context": [{"p": "https://kg.example/p"}, None, {"q": "https://kg.example/q"}],
        "@id": "urn:x:a",
        "q": "x",
    }
    assert objects(json.dumps(document), "w.jsonld") == [("x", "string")]
