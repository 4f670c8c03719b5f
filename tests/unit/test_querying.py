"""A user's query: where its text comes from, what its values become, and which graphs it sees."""

from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from judgeloop.errors import BadInput
from judgeloop.querying import answer, read_query
from judgeloop.rdf.rq import BoundQuery, ParamType
from judgeloop.store import open_store
from judgeloop.vocab import XSD

ALL = "SELECT ?o { ?s ?p ?o } ORDER BY ?o"


def ask_for(kind: ParamType) -> str:
    return f"# @param x: {kind}\nASK {{ ?s ?p $x }}"


@pytest.mark.parametrize(
    ("kind", "value", "term"),
    [
        ("string", "a@ko", Literal("a@ko")),
        ("string", "=", Literal("=")),
        ("langString", "a@b@ko", Literal("a@b", language="ko")),
        ("iri", "https://kg.example/a", NamedNode("https://kg.example/a")),
        ("integer", "-7", Literal("-7", datatype=NamedNode(XSD + "integer"))),
        ("decimal", "1.5", Literal("1.5", datatype=NamedNode(XSD + "decimal"))),
        ("boolean", "true", Literal("true", datatype=NamedNode(XSD + "boolean"))),
        (
            "dateTime",
            "2026-03-02T18:00:00+09:00",
            Literal("2026-03-02T09:00:00Z", datatype=NamedNode(XSD + "dateTime")),
        ),
    ],
)
def test_a_value_becomes_the_term_that_its_parameter_takes(kind: ParamType, value: str, term: Literal) -> None:
    assert read_query(ask_for(kind), {"x": value}).values == {"x": term}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", "1_000"),
        ("integer", "１２"),
        ("integer", "1.0"),
        ("decimal", "NaN"),
        ("boolean", "yes"),
        ("dateTime", "2026-03-02"),
        ("langString", "no language"),
        ("langString", "a@not a tag"),
        ("iri", "kg:a"),
    ],
)
def test_a_value_of_another_type_is_refused(kind: ParamType, value: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_query(ask_for(kind), {"x": value})
    assert caught.value.key in {"rq-parameter-type", "iri-unsafe"}


def test_a_file_of_the_user_goes_before_a_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "jl:Head" in read_query("report/current_verdicts.rq", {}).text
    (tmp_path / "report").mkdir()
    (tmp_path / "report/current_verdicts.rq").write_text("ASK {}")
    assert read_query("report/current_verdicts.rq", {}).text == "ASK {}"


@pytest.mark.parametrize("text", ["ASK { ?s ?p <https://kg.example/a.rq> }", "ASK { ?s ?p 'x' } # b.rq"])
def test_a_text_that_ends_like_a_file_is_still_a_text(text: str) -> None:
    assert read_query(text, {}).text == text


def test_a_name_that_leads_out_of_the_shipped_folder_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as caught:
        read_query("../sparql/report/nothing.rq", {})
    assert (caught.value.key, caught.value.place) == ("file-missing", "../sparql/report/nothing.rq")


# --- what is seen


@pytest.fixture
def query() -> BoundQuery:
    return read_query(ALL, {})


def test_of_a_store_only_domain_graphs_are_seen_and_nothing_is_written(tmp_path: Path, query: BoundQuery) -> None:
    url = str(tmp_path / "kept")
    subject, about = NamedNode("https://kg.example/s"), NamedNode("https://kg.example/p")
    with open_store(url) as store:
        for graph in ("kg/sha256-1", "event/sha256-2", "inferred/sha256-3", "verdict/sha256-4"):
            store.put_once({f"https://kg.example/{graph}": [Triple(subject, about, Literal(graph))]})
        before = store.graphs()
    assert answer(query, url, [], "csv") == "o\r\nkg/sha256-1\r\n"
    with open_store(url) as store:
        assert store.graphs() == before


def test_of_files_every_graph_is_seen(tmp_path: Path, query: BoundQuery) -> None:
    (tmp_path / "a.trig").write_text("<urn:x:g> { <urn:x:s> <urn:x:p> 1 } <urn:x:s> <urn:x:p> 2 .")
    assert answer(query, None, [str(tmp_path / "a.trig")], "csv") == "o\r\n1\r\n2\r\n"


def test_a_blank_node_of_two_graphs_of_one_file_is_one_node(tmp_path: Path) -> None:
    (tmp_path / "a.trig").write_text("<urn:x:g> { _:b <urn:x:p> 1 } <urn:x:h> { _:b <urn:x:q> 2 }")
    joined = read_query("ASK { ?b <urn:x:p> 1 ; <urn:x:q> 2 }", {})
    assert answer(joined, None, [str(tmp_path / "a.trig")], "table") == "true\n"


def test_a_name_of_no_encoding_is_a_name(tmp_path: Path, query: BoundQuery) -> None:
    path = f"{tmp_path}/\udcff.nt"
    with open(path, "w") as file:  # noqa: PTH123 - the name is the point
        file.write("<urn:x:s> <urn:x:p> <urn:x:o> .")
    assert answer(query, None, [path], "csv") == "o\r\nurn:x:o\r\n"


def test_the_form_is_refused_before_anything_is_read(query: BoundQuery) -> None:
    with pytest.raises(BadInput) as caught:
        answer(query, None, ["missing.ttl"], "turtle")
    assert caught.value.key == "query-form"
