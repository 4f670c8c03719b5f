"""``judgeloop query``: SPARQL over a store or files, in the formats of the W3C, changing and fetching nothing."""

import csv
import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    parse,
    parse_query_results,
)

from judgeloop.store import open_store

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

BIN = Path(sys.executable).parent
XSD = "http://www.w3.org/2001/XMLSchema#"
DATA = """@prefix k: <https://kg.example/> .
k:a k:name "홍길동"@ko ; k:size 12 ; k:said "a \\"quoted\\", word\\nand a line" .
k:b k:name "Kim" ; k:weight "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal> .
"""
K = "PREFIX k: <https://kg.example/> "
EVERYTHING = (
    K + "SELECT ?s ?name ?size ?said { ?s k:name ?name OPTIONAL { ?s k:size ?size ; k:said ?said } } ORDER BY ?s"
)
SAID = 'a "quoted", word\nand a line'


@pytest.fixture
def data(cli: "Cli") -> Path:
    return cli.write("data.ttl", DATA)


# --- formats


@pytest.mark.parametrize(("form", "read_as"), [("json", QueryResultsFormat.JSON), ("xml", QueryResultsFormat.XML)])
def test_other_programs_read_the_same_solutions(cli: "Cli", data: Path, form: str, read_as: QueryResultsFormat) -> None:
    done = cli("query", EVERYTHING, "--data", data, "--format", form)
    found = parse_query_results(done.out, read_as)
    assert isinstance(found, QuerySolutions)
    assert [variable.value for variable in found.variables] == ["s", "name", "size", "said"]
    assert [tuple(row) for row in found] == [
        (
            NamedNode("https://kg.example/a"),
            Literal("홍길동", language="ko"),
            Literal("12", datatype=NamedNode(XSD + "integer")),
            Literal(SAID),
        ),
        (NamedNode("https://kg.example/b"), Literal("Kim"), None, None),
    ]
    assert (done.code, done.err) == (0, "")


def test_csv_is_plain_values_with_crlf(cli: "Cli", data: Path) -> None:
    done = cli("query", EVERYTHING, "--data", data, "--format", "csv")
    assert done.out == (
        's,name,size,said\r\nhttps://kg.example/a,홍길동,12,"a ""quoted"", word\nand a line"\r\nhttps://kg.example/b,Kim,,\r\n'
    )
    assert list(csv.reader(io.StringIO(done.out, newline="")))[1] == ["https://kg.example/a", "홍길동", "12", SAID]


def test_crlf_reaches_the_pipe(cli: "Cli", data: Path) -> None:
    assert cli.process("query", "SELECT (1 AS ?n) {}", "--data", data, "--format", "csv").out == "n\r\n1\r\n"


def test_tsv_is_terms(cli: "Cli", data: Path) -> None:
    done = cli("query", EVERYTHING, "--data", data, "--format", "tsv")
    first, second = done.out.split("\n")[1:3]
    assert first.split("\t") == [
        "<https://kg.example/a>",
        '"홍길동"@ko',
        f'"12"^^<{XSD}integer>',
        r'"a \"quoted\", word\nand a line"',
    ]
    assert second == '<https://kg.example/b>\t"Kim"\t\t'


def test_a_table_is_aligned_for_korean(cli: "Cli", data: Path) -> None:
    done = cli(
        "query",
        K + "SELECT ?name ?size { ?s k:name ?name OPTIONAL { ?s k:size ?size } } ORDER BY ?s",
        "--data",
        data,
    )
    assert done.out == "name    size\n------  ----\n홍길동  12\nKim\n"


def test_blank_nodes_and_unbound_values_have_a_form_in_each_format(cli: "Cli", data: Path) -> None:
    query = "SELECT ?n ?u { BIND(BNODE() AS ?n) }"
    out = {form: cli("query", query, "--data", data, "--format", form).out for form in ("json", "csv", "tsv", "xml")}
    assert json.loads(out["json"])["results"]["bindings"] == [{"n": {"type": "bnode", "value": "b0"}}]
    assert out["csv"] == "n,u\r\n_:b0,\r\n"
    assert out["tsv"] == "?n\t?u\n_:b0\t\n"
    assert "<bnode>b0</bnode>" in out["xml"]


@pytest.mark.parametrize(("query", "truth"), [("ASK { ?s ?p 12 }", True), ("ASK { ?s ?p 13 }", False)])
def test_ask_has_a_truth_value_in_json_and_xml(cli: "Cli", data: Path, query: str, truth: bool) -> None:
    for form, read_as in (("json", QueryResultsFormat.JSON), ("xml", QueryResultsFormat.XML)):
        found = parse_query_results(cli("query", query, "--data", data, "--format", form).out, read_as)
        assert isinstance(found, QueryBoolean)
        assert bool(found) is truth
    done = cli("query", query, "--data", data)
    assert (done.code, done.out) == (0, f"{str(truth).lower()}\n"), "none is no failure"


def test_construct_is_turtle(cli: "Cli", data: Path) -> None:
    query = K + "CONSTRUCT { ?s k:called ?n . [] k:of ?s } { ?s k:name ?n }"
    done = cli("query", query, "--data", data, "--format", "turtle")
    triples = [(q.subject, q.predicate, q.object) for q in parse(done.out, RdfFormat.TURTLE)]
    assert len(triples) == 4
    assert sum(isinstance(subject, BlankNode) for subject, *_ in triples) == 2
    assert (
        NamedNode("https://kg.example/a"),
        NamedNode("https://kg.example/called"),
        Literal("홍길동", language="ko"),
    ) in triples
    assert cli("query", query, "--data", data).out == done.out, "one answer has one text"


@pytest.mark.parametrize(
    ("query", "form", "known"),
    [
        ("SELECT * { ?s ?p ?o }", "turtle", "json, xml, csv, tsv, table"),
        ("ASK {}", "csv", "table, json, xml"),
        ("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }", "json", "table, turtle"),
    ],
)
def test_a_form_that_the_answer_does_not_have_is_refused(
    cli: "Cli", data: Path, query: str, form: str, known: str
) -> None:
    done = cli("query", query, "--data", data, "--format", form)
    assert (done.code, done.out) == (2, "")
    kind = query.split(maxsplit=1)[0]
    assert done.err == f"judgeloop: query: the form {form} does not fit the query form {kind}; use one of {known}\n"


def test_what_no_xml_can_hold_is_told_and_not_written(cli: "Cli", data: Path) -> None:
    query = r'SELECT ("a\u0001b" AS ?x) {}'
    done = cli("query", query, "--data", data, "--format", "xml", "--lang", "en")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(r"judgeloop: XML can't hold a character of this answer: a\x01b; ")
    assert json.loads(cli("query", query, "--data", data, "--format", "json").out)["results"]["bindings"]
    assert "\x01" not in cli("query", query, "--data", data).out


# --- files


def test_files_are_one_graph_and_named_graphs_keep_their_names(cli: "Cli", data: Path) -> None:
    graph = "<https://kg.example/g>"
    cli.write("one.trig", f"{graph} {{ <https://kg.example/c> <https://kg.example/name> 'C' }}")
    cli.write("two.nq", f"<https://kg.example/d> <https://kg.example/name> 'D' {graph} .\n".replace("'", '"'))
    words = ("--data", data, "--data", "one.trig", "--data", "two.nq", "--format", "csv")
    assert cli("query", "SELECT (COUNT(*) AS ?n) { ?s <https://kg.example/name> ?n2 }", *words).out == "n\r\n4\r\n"
    named = cli("query", f"SELECT ?n {{ GRAPH {graph} {{ ?s ?p ?n }} }} ORDER BY ?n", *words).out
    assert named == "n\r\nC\r\nD\r\n"


def test_the_same_file_twice_is_one_file(cli: "Cli", data: Path) -> None:
    words = ("--data", data, "--data", data, "--format", "csv")
    assert cli("query", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", *words).out == "n\r\n5\r\n"


def test_blank_nodes_of_two_files_stay_two(cli: "Cli") -> None:
    for name in ("a.ttl", "b.ttl"):
        cli.write(name, f"_:x <https://kg.example/in> '{name}' .".replace("'", '"'))
    done = cli(
        "query",
        "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }",
        "--data",
        "a.ttl",
        "--data",
        "b.ttl",
        "--format",
        "csv",
    )
    assert done.out == "n\r\n2\r\n"


def test_json_tables_are_refused_with_a_way_out(cli: "Cli") -> None:
    cli.write("world.json", {"kind": "kg"})
    done = cli("query", "ASK {}", "--data", "world.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("judgeloop: world.json: JSON tables need the context of a contract")


# --- what a store says

REPORTS = {
    "report/current_verdicts.rq": (
        "contract,case,outcome,verdict,sequence",
        [("acme-city", "PASS"), ("risky", "UNCERTAIN"), ("틀린 도시", "FAIL")],
    ),
    "report/open_queue.rq": ("enforcement,outcome,case,verdict,reason", [("risky", "UNCERTAIN")]),
}


@pytest.mark.parametrize("report", REPORTS)
def test_the_shipped_reports_tell_what_was_judged(cli: "Cli", kept: str, report: str) -> None:
    head, cases = REPORTS[report]
    rows = list(csv.DictReader(io.StringIO(cli("query", report, "--store", kept, "--format", "csv").out)))
    assert ",".join(rows[0]) == head
    assert [(row["case"], row["outcome"]) for row in rows] == cases


def test_high_risk_blocks_and_the_rules_that_fire_are_counted(cli: "Cli", kept: str) -> None:
    queue = json.loads(cli("query", "report/open_queue.rq", "--store", kept, "--format", "json").out)
    (row,) = queue["results"]["bindings"]
    assert (row["enforcement"]["value"], row["reason"]["value"]) == ("block", "high-risk")
    fired = cli("query", "report/rules_that_fire.rq", "--store", kept, "--format", "csv")
    assert fired.out == "rule,status,cases\r\nhttps://w3id.org/judgeloop/multihop#answer_follows_path,VIOLATED,1\r\n"


def test_a_query_without_graph_sees_domain_knowledge_only(cli: "Cli", kept: str) -> None:
    ask = "ASK {{ {} a <https://w3id.org/judgeloop#{}> }}"
    assert cli("query", ask.format("?x", "Edge"), "--store", kept).out == "true\n"
    assert cli("query", ask.format("?x", "Event"), "--store", kept).out == "false\n"
    assert cli("query", "ASK { GRAPH ?g { ?x a <https://w3id.org/judgeloop#Event> } }", "--store", kept).out == "true\n"


def test_a_query_changes_nothing(cli: "Cli", kept: str, data: Path) -> None:
    with open_store(kept) as store:
        before = store.graphs()
    assert cli("query", "ASK {}", "--store", kept).code == 0
    cli.write("judgeloop.toml", f'store = "{kept}"')
    assert cli("query", "SELECT * { ?s <https://kg.example/size> ?n }", "--data", data).out.count("\n") == 3
    with open_store(kept) as store:
        assert store.graphs() == before


def test_a_persistent_store_or_files_are_needed(cli: "Cli") -> None:
    for words in ((), ("--store", "memory:")):
        done = cli("query", "ASK {}", *words)
        assert (done.code, done.err) == (2, "judgeloop: a query needs --store or --data\n")
    done = cli("query", "ASK {}", "--store", "nowhere")
    assert done.code == 2
    assert done.err == "judgeloop: nowhere: there is no store in this folder; check the path\n"
    assert list(cli.folder.iterdir()) == []


# --- parameters and refusals

PARAMS = """# Problem: none
# @param who: iri
# @param least: integer
# @param name: langString
SELECT ?size { $who <https://kg.example/name> $name ; <https://kg.example/size> ?size FILTER(?size >= $least) }
"""


def test_parameters_are_values_and_never_syntax(cli: "Cli", data: Path) -> None:
    cli.write("sizes.rq", "\ufeff" + PARAMS.replace("\n", "\r\n"))
    words = ("query", "sizes.rq", "--data", data, "--format", "csv", "--param", "who=https://kg.example/a")
    assert cli(*words, "--param", "least=12", "--param", "name=홍길동@ko").out == "size\r\n12\r\n"
    assert cli(*words, "--param", "least=13", "--param", "name=홍길동@ko").out == "size\r\n"
    assert cli(*words, "--param", "least=12", "--param", 'name=" } #@ko').out == "size\r\n"


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "a parameter without value": (("sizes.rq", "--param", "who"), "--param takes name=value, not who"),
    "a parameter too many": (("ASK {}", "--param", "x=1"), "query: the query has no parameter x; it has -"),
    "a missing parameter": (("sizes.rq",), "sizes.rq: the query needs a value for who (iri)"),
    "a word for a number": (
        ("sizes.rq", "--param", "who=https://k.example/a", "--param", "least=many", "--param", "name=a@ko"),
        "sizes.rq: least takes a integer; 'many' is none",
    ),
    "a text without its language": (
        ("sizes.rq", "--param", "who=https://k.example/a", "--param", "least=1", "--param", "name=a"),
        "sizes.rq: name takes a langString; 'a' is none",
    ),
    "an IRI of a strange scheme": (
        ("sizes.rq", "--param", "who=file:///etc/hostname", "--param", "least=1", "--param", "name=a@ko"),
        "sizes.rq: 'file:///etc/hostname' is not an IRI with an allowed scheme (http, https, urn)",
    ),
    "an update": (("DELETE WHERE { ?s ?p ?o }",), "query: DELETE is not allowed in this query"),
    "an update in small letters": (("insert data { <a:a> <a:b> 1 }",), "query: INSERT is not allowed in this query"),
    "another server": (
        ("SELECT * {\n SERVICE <http://x.example/> { ?s ?p ?o } }",),
        "query:2:2: SERVICE is not allowed in this query",
    ),
    "a file of elsewhere": (("LOAD <http://x.example/a>",), "query: LOAD is not allowed in this query"),
    "no query": (("hello",), "query:1:1: a query begins with SELECT, ASK or CONSTRUCT; this one has hello there"),
    "nothing": (("",), "query: a query begins with SELECT, ASK or CONSTRUCT; this one has - there"),
    "a syntax error": (("SELECT * {\n ?s ?p }",), "query:2:9: SPARQL syntax error: "),
    "a missing file": (("no.rq",), "no.rq: no such file; check the path"),
    "a file in CP949": (("cp949.rq",), "cp949.rq:2: not UTF-8 text (byte 18); save the file as UTF-8"),
    "an empty file": (("empty.rq",), "empty.rq: the file is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_query_that_can_not_be_asked_is_refused_with_its_place(cli: "Cli", data: Path, name: str) -> None:
    cli.write("sizes.rq", PARAMS)
    cli.write("cp949.rq", "SELECT *\n{ ?s ?p '한' }".encode("cp949"))
    cli.write("empty.rq", "")
    words, english = BAD[name]
    done, korean = (cli("query", *words, "--data", data, "--lang", lang) for lang in ("en", "ko"))
    assert (done.code, done.out) == (korean.code, korean.out) == (2, "")
    assert done.err.startswith(f"judgeloop: {english}"), done.err
    assert done.err.count("\n") == korean.err.count("\n") == 1
    assert any("가" <= c <= "힣" for c in korean.err)


# --- time

FOREVER = (
    "SELECT (COUNT(*) AS ?n) { "
    + " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(10)))} }}" for n in range(12))
    + " }"
)


@pytest.mark.parametrize("words", [("--data", "data.ttl"), ("--store", "kept")])
def test_a_query_that_takes_too_long_ends_with_5(cli: "Cli", data: Path, kept: str, words: tuple[str, ...]) -> None:
    for lang, says in (("en", "no whole answer within 0.5 seconds"), ("ko", "0.5 초 안에")):
        began = time.monotonic()
        done = cli("query", FOREVER, *words, "--timeout", "0.5", "--lang", lang)
        assert (done.code, done.out) == (5, "")
        assert done.err.startswith("judgeloop: query: ")
        assert says in done.err
        assert time.monotonic() - began < 3
    assert cli("query", "SELECT * { ?s ?p ?o }", *words).code == 0, "the store is free again"
    assert data.exists()
    assert (cli.folder / kept).is_dir()


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon", ""])
def test_a_time_that_is_none_is_refused(cli: "Cli", data: Path, value: str) -> None:
    done = cli("query", "ASK {}", "--data", data, f"--timeout={value}")
    assert (done.code, done.out) == (2, "")
    assert "--timeout takes a number of seconds above 0" in done.err


def test_a_large_answer_of_the_users_own_files_is_whole(cli: "Cli") -> None:
    cli.write(
        "many.nt",
        "".join(f"<https://k.example/{n}> <https://k.example/p> <https://k.example/o> .\n" for n in range(20_000)),
    )
    assert cli("query", "SELECT ?s { ?s ?p ?o }", "--data", "many.nt", "--format", "csv").out.count("\n") == 20_001


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc: run on Linux")
def test_ctrl_c_ends_a_query_and_all_that_it_started(cli: "Cli", data: Path) -> None:
    command = [str(BIN / "judgeloop"), "query", FOREVER, "--data", str(data)]
    with subprocess.Popen(command, cwd=cli.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as asking:
        time.sleep(1.5)
        children = Path(f"/proc/{asking.pid}/task/{asking.pid}/children").read_text().split()
        assert len(children) == 1
        asking.send_signal(signal.SIGINT)
        out, err = asking.communicate(timeout=10)
    assert (asking.returncode, out, err) == (130, b"", b"")
    assert not Path(f"/proc/{children[0]}").exists()
