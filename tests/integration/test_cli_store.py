"""``judgeloop store load``, ``dump`` and ``reindex`` on a folder and on a server, and what a query sees then."""

import gzip
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from judgeloop.store import open_store

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

G: Final = "http://example.org/g"
CASES: Final = Path(__file__).parents[1] / "cases" / "load"
DATA: Final = """@prefix k: <https://kg.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
k:a rdfs:label "9호기 압축기"@ko ; k:size "01"^^xsd:integer, 1.50 , 7 ; k:part [ k:of k:a ; rdfs:label "밸브" ] .
k:b k:on "2026-03-02T18:00:00.120+09:00"^^xsd:dateTime ; k:next [] .
"""
EVERYTHING: Final = "SELECT ?s ?p ?o { ?s ?p ?o }"


@pytest.fixture(params=["folder", "server"])
def url(request: pytest.FixtureRequest, cli: "Cli") -> str:
    del cli  # the folder is made in its own one
    return "kept" if request.param == "folder" else str(request.getfixturevalue("empty_server"))


def load(cli: "Cli", url: str, *words: str | Path) -> str:
    done = cli("store", "load", *words, "--store", url)
    assert (done.code, done.err) == (0, "")
    return done.out


def dump(cli: "Cli", url: str, *words: str) -> str:
    done = cli("store", "dump", "--store", url, *words)
    assert (done.code, done.err) == (0, "")
    return done.out


def seen(cli: "Cli", url: str, query: str = EVERYTHING) -> list[str]:
    done = cli("query", query, "--store", url, "--format", "tsv")
    assert (done.code, done.err) == (0, "")
    return sorted(done.out.splitlines()[1:])


# --- load


def test_a_file_fills_a_graph_of_its_own_and_a_second_time_changes_nothing(cli: "Cli", url: str) -> None:
    cli.write("kg/자료 (1).ttl", DATA)
    first = load(cli, url, "kg/자료 (1).ttl")
    assert first.startswith("urn:judgeloop:file/kg/자료%20%281%29.ttl: 9 triples, new\n")
    before = dump(cli, url)
    assert load(cli, url, "kg/자료 (1).ttl").startswith(
        "urn:judgeloop:file/kg/자료%20%281%29.ttl: 9 triples, unchanged\n"
    )
    assert dump(cli, url) == before
    assert before.count("\n") == 9
    assert "_:" not in before, "a blank node has an IRI, so that it is the same one each time"


def test_a_file_replaces_its_own_graph_and_no_other(cli: "Cli", url: str) -> None:
    cli.write("a.nt", "<urn:x:a> <urn:x:p> <urn:x:1> .\n<urn:x:a> <urn:x:p> <urn:x:2> .\n")
    cli.write("b.nt", "<urn:x:b> <urn:x:p> <urn:x:1> .\n")
    load(cli, url, "a.nt", "b.nt")
    cli.write("a.nt", "<urn:x:a> <urn:x:p> <urn:x:2> .\n<urn:x:a> <urn:x:p> <urn:x:3> .\n")
    assert load(cli, url, "a.nt") == "urn:judgeloop:file/a.nt: 2 triples, replaced what was there\n"
    assert dump(cli, url).splitlines() == [
        "<urn:x:a> <urn:x:p> <urn:x:2> <urn:judgeloop:file/a.nt> .",
        "<urn:x:a> <urn:x:p> <urn:x:3> <urn:judgeloop:file/a.nt> .",
        "<urn:x:b> <urn:x:p> <urn:x:1> <urn:judgeloop:file/b.nt> .",
    ]


ONE: Final = "<urn:x:s> <urn:x:p> <urn:x:o> ."
FORMS: Final[dict[str, str | bytes]] = {
    "a.ttl": ONE,
    "a.nt": ONE,
    "a.trig": f"<urn:x:g> {{ {ONE} }}",
    "a.nq": "<urn:x:s> <urn:x:p> <urn:x:o> <urn:x:g> .",
    "a.rdf": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="urn:x:">'
    '<rdf:Description rdf:about="urn:x:s"><x:p rdf:resource="urn:x:o"/></rdf:Description></rdf:RDF>',
    "a.jsonld": '{"@context": {"p": {"@id": "urn:x:p", "@type": "@id"}}, "@id": "urn:x:s", "p": "urn:x:o"}',
    "a.nt.gz": gzip.compress(ONE.encode(), mtime=0) + gzip.compress(b"\n# more\n", mtime=0),
    "A.TTL.GZ": gzip.compress(b"\xef\xbb\xbf" + ONE.encode(), mtime=0),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_read(cli: "Cli", name: str) -> None:
    cli.write(name, FORMS[name])
    own = "urn:x:g" if name in {"a.trig", "a.nq"} else f"urn:judgeloop:file/{name}"
    assert load(cli, "kept", name) == f"{own}: 1 triples, new\n"
    assert dump(cli, "kept") == f"<urn:x:s> <urn:x:p> <urn:x:o> <{own}> .\n"


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("a.nt.gz", gzip.compress(ONE.encode(), mtime=0)[:-9], "no whole gzip file"),
        ("a.nt.gz", ONE, "no whole gzip file"),
        ("a.gz", gzip.compress(ONE.encode(), mtime=0), "format"),
        ("a.nt", "# nothing\n", "says nothing"),
        ("a.rdf", '<!DOCTYPE x [<!ENTITY e "x">]><x/>', "DOCTYPE"),
        ("a.ttl", "<a> <b> <c> .", "--base"),
        ("a.nq", "<urn:x:s> <urn:x:p> <urn:x:o> <file:///etc/g> .", "file:///etc/g"),
        ("a.nq", "<urn:x:s> <urn:x:p> <urn:x:o> <urn:judgeloop:staging/added> .", "written by judgeloop itself"),
        ("a.json", "{}", "JSON tables"),
    ],
)
def test_what_can_not_be_loaded_is_told_and_nothing_is_written(
    cli: "Cli", name: str, content: str | bytes, key: str
) -> None:
    cli.write(name, content)
    cli.write("good.nt", ONE)
    done = cli("store", "load", "good.nt", name, "--store", "kept")
    assert (done.code, done.out) == (2, "")
    assert key in done.err
    assert not (cli.folder / "kept").exists()


def test_quads_keep_their_graphs_and_the_rest_goes_where_it_is_told(cli: "Cli", url: str) -> None:
    cli.write("a.trig", f"<urn:x:g> {{ <urn:x:s> <urn:x:p> _:b }} _:b <urn:x:p> 1 . {ONE}")
    cli.write("b.nt", ONE)
    assert load(cli, url, "a.trig", "b.nt", "--graph", G) == f"{G}: 2 triples, new\nurn:x:g: 1 triples, new\n"
    joined = "ASK { GRAPH <urn:x:g> { <urn:x:s> <urn:x:p> ?b } GRAPH <http://example.org/g> { ?b <urn:x:p> 1 } }"
    assert cli("query", joined, "--store", url).out == "true\n", "a blank node of two graphs of a file is one node"
    with open_store(url) as store:
        assert store.graphs() == [G, "urn:x:g"]


def test_blank_nodes_of_two_files_stay_two(cli: "Cli", url: str) -> None:
    cli.write("a.ttl", "[] <urn:x:p> 1 .")
    cli.write("b.ttl", "[] <urn:x:q> 2 .")
    load(cli, url, "a.ttl")
    load(cli, url, "b.ttl")
    assert cli("query", "ASK { ?b <urn:x:p> 1 ; <urn:x:q> 2 }", "--store", url).out == "false\n"


def test_relative_names_have_the_base_that_is_given(cli: "Cli") -> None:
    cli.write("a.ttl", "<a> <b> <c> .")
    load(cli, "kept", "a.ttl", "--base", "https://kg.example/", "--graph", G)
    assert (
        dump(cli, "kept", "--format", "nt")
        == "<https://kg.example/a> <https://kg.example/b> <https://kg.example/c> .\n"
    )


XSD: Final = "http://www.w3.org/2001/XMLSchema#"


def test_literals_that_the_store_spells_in_its_own_way_are_counted_and_three_are_shown(cli: "Cli", url: str) -> None:
    numbers = " , ".join(f'"0{n}"^^xsd:integer' for n in range(1, 8))
    cli.write("a.ttl", f'@prefix xsd: <{XSD}> . <urn:x:s> <urn:x:p> {numbers} , 1 , 1.0 , "01" , "01"@ko .')
    done = cli("store", "load", "a.ttl", "--store", url, "--graph", G, "--format", "json")
    (found,) = json.loads(done.out)["graphs"]
    assert (found["graph"], found["change"]) == (G, "new")
    expected = {f'"0{n}"^^<{XSD}integer>': f'"{n}"^^<{XSD}integer>' for n in range(1, 8)}
    expected['"1.0"^^<' + XSD + "decimal>"] = '"1"^^<' + XSD + "decimal>"
    assert found["respelt"] == (8 if found["triples"] == 10 else 7)
    assert len(found["examples"]) == 3
    assert dict(found["examples"]).items() <= expected.items()
    told = load(cli, url, "a.ttl", "--graph", G)
    assert f"this store spells {found['respelt']} of the literals in its own way: " in told
    assert told.count("→") == 3


@pytest.mark.parametrize(
    "graph",
    ["urn:judgeloop:heads", f"https://kg.example/event/sha256-{'0' * 64}", "urn:judgeloop:claims", "not an iri"],
)
def test_no_file_is_loaded_over_what_judgeloop_wrote(cli: "Cli", kept: str, graph: str) -> None:
    cli.write("a.nt", ONE)
    before = dump(cli, kept)
    done = cli("store", "load", "a.nt", "--store", kept, "--graph", graph)
    assert (done.code, done.out) == (2, "")
    assert dump(cli, kept) == before


def test_what_is_sealed_is_not_replaced(cli: "Cli", kept: str) -> None:
    lines = dump(cli, kept).splitlines()
    event = next(line for line in lines if "/event/sha256-" in line.split()[-2])
    cli.write("changed.nq", event + "\n" + "<urn:x:s> <urn:x:p> <urn:x:o> <http://example.org/new> .\n")
    done = cli("store", "load", "changed.nq", "--store", kept)
    assert (done.code, done.out) == (2, "")
    assert "never replaced" in done.err
    assert dump(cli, kept).splitlines() == lines


def test_memory_only_checks_and_says_so(cli: "Cli") -> None:
    cli.write("a.nt", ONE)
    done = cli("store", "load", "a.nt")
    assert (done.code, done.out) == (0, "urn:judgeloop:file/a.nt: 1 triples, new\n")
    assert "nothing was kept" in done.err


def test_progress_is_for_terminals_only(cli: "Cli", monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("a.nt", ONE)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = cli("store", "load", "a.nt", "--store", "kept")
    assert "reading a.nt (1 of 1)" in shown.err
    assert shown.err.rpartition("\r")[2] == ""
    assert cli("store", "load", "a.nt", "--store", "kept", "--quiet").err == ""


def test_a_server_that_is_not_there_is_5(cli: "Cli", unused_url: str) -> None:
    cli.write("a.nt", ONE)
    for words in (("load", "a.nt"), ("dump",), ("reindex",)):
        done = cli("store", *words, "--store", unused_url)
        assert (done.code, done.out) == (5, "")


CASE_OUTCOMES: Final[dict[str, str | list[str]]] = {
    "utf16-file.ttl": ":1: not UTF-8 text",
    "html-saved-as-turtle.ttl": ":1:1: Turtle syntax error: this looks like HTML or XML",
    "query-string-in-a-prefixed-name.ttl": ":4:26: Turtle syntax error",
    "undeclared-prefix.ttl": ":4:3: Turtle syntax error: The prefix dcterms: has not been declared",
    "space-in-an-iri.ttl": ":4:1: Turtle syntax error: Invalid IRI code point ' '",
    "missing-dot.ttl": ":11:1: Turtle syntax error: A dot is expected",
    "underscore-language-tag.ttl": ":6:21: Turtle syntax error",
    "load-with-one-broken-line.nt": ":41:32: N-Triples syntax error",
    "jsonld-remote-context.jsonld": ' "https://context.invalid/v1": a JSON-LD @context',
    "turtle-in-a-jsonld-file.jsonld": ":1:1: not JSON",
    "jsonld-bare-decimal.jsonld": ["urn:judgeloop:file/jsonld-bare-decimal.jsonld: 2 triples, new"],
    "trig-only-named-graphs.trig": [
        "http://example.org/plant#gMonday: 2 triples, new",
        "http://example.org/plant#gTuesday: 1 triples, new",
    ],
    "same-triple-two-graphs.trig": [
        "http://example.org/plant#gA: 2 triples, new",
        "http://example.org/plant#gB: 1 triples, new",
    ],
}
"""Files that people had, each with what is told about it: a refusal with its place, or the graphs."""


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir()))
def test_files_that_people_have(cli: "Cli", url: str, name: str) -> None:
    cli.write(name, (CASES / name).read_bytes())
    cli.write("good.nt", ONE)
    expected = CASE_OUTCOMES[name]
    done = cli("store", "load", "good.nt", name, "--store", url)
    if isinstance(expected, str):
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"judgeloop: {name}{expected}")
        assert "Traceback" not in done.err
        with open_store(url) as store:
            assert store.graphs() == [], "all files or nothing"
        assert cli("store", "load", name, "--store", url, "--lang", "ko").code == 2
    else:
        assert done.code == 0, done.err
        assert sorted([*expected, "urn:judgeloop:file/good.nt: 1 triples, new"]) == sorted(done.out.splitlines())


def test_a_value_of_two_graphs_is_one_row_of_a_query_without_graph(cli: "Cli", url: str) -> None:
    cli.write("a.trig", (CASES / "same-triple-two-graphs.trig").read_bytes())
    load(cli, url, "a.trig")
    assert seen(cli, url, "SELECT ?v { ?s <http://example.org/plant#serial> ?v }") == ['"V-100"']


# --- the union


def test_a_query_without_graph_sees_all_knowledge_and_nothing_else(cli: "Cli", url: str) -> None:
    case = cli.write("case.json", cli.good())
    assert cli("judge", case, "--store", url, "--quiet").code == 0
    world = seen(cli, url)
    assert not [row for row in world if "/verdict/" in row or "/event/" in row]
    cli.write("a.nt", "<urn:x:s> <urn:x:p> <urn:x:o> .\n")
    load(cli, url, "a.nt", "--graph", G)
    load(cli, url, "a.nt")
    assert seen(cli, url) == sorted([*world, "<urn:x:s>\t<urn:x:p>\t<urn:x:o>"])


# --- names


NAMES: Final = [
    "https://kg.example/with%20space",
    "https://kg.example/(parentheses)",
    "https://kg.example/it's%22quoted%22",
    "https://kg.example/한글/9호기",
    "https://kg.example/%ED%95%9C%EA%B8%80",
    "https://kg.example/50%25",
    "https://kg.example/a?b=c&d=(e)#조각",
    "urn:example:9호기:%28주%29",
]
TEXTS: Final = ['a "quoted" (text)', "it's 50% \\ 한글", "줄\n바꿈\t\u2028", "각 각"]


def test_names_and_texts_survive_the_store_a_query_and_a_dump(cli: "Cli", url: str, tmp_path: Path) -> None:
    rows = [
        (f"<{iri}>", f"<{NAMES[at - 1]}>", json.dumps(text, ensure_ascii=False))
        for at, iri in enumerate(NAMES)
        for text in TEXTS
    ]
    cli.write("names.nq", "".join(f"{s} {p} {o} {s} .\n" for s, p, o in rows))
    load(cli, url, "names.nq")
    text = dump(cli, url)
    cli.write("again.nq", text)
    assert load(cli, str(tmp_path / "other"), "again.nq").count(": 4 triples, new\n") == len(NAMES)
    assert dump(cli, str(tmp_path / "other")) == text
    with open_store(url) as store:
        assert store.graphs() == sorted(NAMES)
    for iri in NAMES:
        found = cli(
            "query",
            "# @param x: iri\nSELECT ?o { $x ?p ?o }",
            "--param",
            f"x={iri}",
            "--store",
            url,
            "--format",
            "json",
        )
        assert sorted(row["o"]["value"] for row in json.loads(found.out)["results"]["bindings"]) == sorted(TEXTS)
        (only,) = {line.split()[0] for line in dump(cli, url, "--graph", iri, "--format", "nt").split("\n") if line}
        assert only == f"<{iri}>"


# --- dump


def test_what_was_judged_is_the_same_after_a_dump_and_a_load(cli: "Cli", kept: str, empty_server: str) -> None:
    text = dump(cli, kept)
    cli.write("all.nq", text)
    for url in ("copy", empty_server):
        load(cli, url, "all.nq")
        assert dump(cli, url) == text
        assert "unchanged" in load(cli, url, "all.nq")
        assert "new" not in load(cli, url, "all.nq")
        assert cli("why", "acme-city", "--store", url).out == cli("why", "acme-city", "--store", kept).out


@pytest.mark.parametrize(("form", "suffix"), [("nq", "nq"), ("trig", "trig"), ("turtle", "ttl"), ("nt", "nt")])
def test_every_form_of_a_dump_is_loaded_again(cli: "Cli", url: str, form: str, suffix: str) -> None:
    cli.write("a.ttl", DATA)
    load(cli, url, "a.ttl", "--graph", G)
    done = cli("store", "dump", "--store", url, "--format", form, "--graph", G, "--out", f"out.{suffix}")
    assert (done.code, done.out, done.err) == (0, "", "")
    load(cli, "other", f"out.{suffix}", "--graph", G)
    assert dump(cli, "other") == dump(cli, url)
    assert dump(cli, url, "--format", form, "--graph", G) == (cli.folder / f"out.{suffix}").read_text()


def test_a_dump_does_not_depend_on_the_order_of_what_was_written(cli: "Cli", url: str) -> None:
    lines = [f"<urn:x:{n}> <urn:x:p> <urn:x:o> <urn:x:g{n % 3}> .\n" for n in range(30)]
    cli.write("a.nq", "".join(lines))
    cli.write("b.nq", "".join(reversed(lines)))
    load(cli, url, "a.nq")
    load(cli, "other", "b.nq")
    for form in ("nq", "trig"):
        assert dump(cli, url, "--format", form) == dump(cli, "other", "--format", form)
    assert dump(cli, url).splitlines() == sorted(line.strip() for line in lines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "turtle"], "hold"),
        (["--graph", "urn:x:none"], "urn:x:none"),
        (["--out", "no/such/folder.nq"], "can't be written"),
    ],
)
def test_what_can_not_be_dumped_is_told(cli: "Cli", words: list[str], said: str) -> None:
    cli.write(
        "a.nq", "<urn:x:s> <urn:x:p> 'a' <urn:x:g> .".replace("'", '"') + "\n<urn:x:s> <urn:x:p> <urn:x:o> <urn:x:h> ."
    )
    load(cli, "kept", "a.nq")
    done = cli("store", "dump", "--store", "kept", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


@pytest.mark.parametrize("action", ["dump", "reindex"])
@pytest.mark.parametrize("words", [[], ["--store", "memory:"], ["--store", "missing"]])
def test_a_store_that_is_not_there_is_told_and_not_made(cli: "Cli", action: str, words: list[str]) -> None:
    done = cli("store", action, *words)
    assert (done.code, done.out) == (2, "")
    assert not (cli.folder / "missing").exists()


# --- reindex


def test_reindex_tells_how_many_labels_there_are_and_a_search_finds_them(cli: "Cli", url: str) -> None:
    cli.write("a.ttl", DATA)
    load(cli, url, "a.ttl", "--graph", G)
    done = cli("store", "reindex", "--store", url)
    assert (done.code, done.out, done.err) == (0, "2 labels in the text index\n", "")
    assert cli("store", "reindex", "--store", url, "--quiet").out == "2\n"
    search = (
        "PREFIX text: <http://jena.apache.org/text#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>"
        'SELECT ?s { (?s ?score ?label) text:query (rdfs:label "9호기" 10) } ORDER BY DESC(?score) ?s'
    )
    assert seen(cli, url, search) == ["<https://kg.example/a>"]


# --- the command line


def test_each_action_speaks_both_languages_and_takes_the_defaults_of_the_configuration(cli: "Cli") -> None:
    for action in ("load", "dump", "reindex"):
        helps = {cli("store", action, "--help", "--lang", lang).out for lang in ("en", "ko")}
        assert len(helps) == 2
    cli.write("judgeloop.toml", 'store = "kept"\n')
    cli.write("a.nt", ONE)
    assert cli("store", "load", "a.nt").err == ""
    assert cli("store", "dump").out == "<urn:x:s> <urn:x:p> <urn:x:o> <urn:judgeloop:file/a.nt> .\n"
    assert 'store = "kept"  (' in cli("store", "dump", "--show-config").out
    assert cli("store").code == cli("store", "drop").code == cli("store", "dump", "--base", "x").code == 2
