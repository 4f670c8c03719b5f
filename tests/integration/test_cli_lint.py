"""``judgeloop query --lint``: files and folders are checked, nothing is run."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

SPARQL = Path(__file__).parents[2] / "sparql"
FINE = "SELECT ?k { GRAPH ?g { ?k ?p ?s } } ORDER BY ?k LIMIT 2\n"
TIES = """PREFIX ex: <http://example.org/plant#>
SELECT ?k WHERE { GRAPH ?g { ?k ex:score ?s } } ORDER BY DESC(?s) LIMIT 2
"""
NO_SCORE = """# @param words: text
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX text: <http://jena.apache.org/text#>
SELECT ?e { GRAPH ?g { ?e text:query (rdfs:label $words 5) } } ORDER BY ?e
"""


@pytest.mark.parametrize(
    ("lang", "begins", "ends"),
    [
        ("en", "q.rq:2:67: warning: LIMIT cuts between rows", "(# @unordered because …) [limit-without-total-order]\n"),
        ("ko", "q.rq:2:67: 경고: LIMIT 이(가) 순서가 같은 행들", "(# @unordered 까닭) [limit-without-total-order]\n"),
    ],
)
def test_a_warning_is_told_with_its_place_and_passes(cli: "Cli", lang: str, begins: str, ends: str) -> None:
    cli.write("q.rq", TIES)
    done = cli("query", "q.rq", "--lint", "--lang", lang)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(begins)
    assert " ?k" in done.out
    assert done.out.endswith(ends)
    assert cli("query", "q.rq", "--lint", "--strict").code == 3


def test_an_error_fails(cli: "Cli") -> None:
    cli.write("q.rq", NO_SCORE)
    done = cli("query", "q.rq", "--lint", "--lang", "en")
    assert done.code == 3
    assert done.out.startswith("q.rq:4:27: error: the score of text:query is not asked for")
    assert cli("query", "q.rq", "--lint", "--lang", "ko").out.startswith(
        "q.rq:4:27: 오류: text:query 의 점수를 받지 않으면"
    )


def test_folders_and_files_are_checked_together(cli: "Cli") -> None:
    cli.write("a/one.rq", TIES)
    cli.write("a/b/two.rq", NO_SCORE)
    cli.write("a/notes.txt", "no query")
    cli.write("c.rq", FINE)
    done = cli("query", "a", "c.rq", "--lint", "--format", "json", "--lang", "en")
    found = json.loads(done.out)["findings"]
    assert [(f["place"], f["severity"], f["key"]) for f in found] == [
        (str(Path("a/b/two.rq:4:27")), "error", "rq-lint-score-missing"),
        (str(Path("a/one.rq:2:67")), "warning", "rq-lint-limit-without-total-order"),
    ]
    assert found[1]["message"].startswith("LIMIT cuts between rows")
    assert done.code == 3


def test_nothing_to_change_is_said_unless_quiet(cli: "Cli") -> None:
    cli.write("c.rq", FINE)
    done = cli("query", "c.rq", FINE, "--lint", "--lang", "en")
    assert (done.code, done.out) == (0, "2 query files, nothing to change\n")
    assert cli("query", "c.rq", "--lint", "--quiet").out == ""
    assert json.loads(cli("query", "c.rq", "--lint", "--format", "json").out) == {"findings": []}


def test_what_is_no_query_is_an_error_at_its_place(cli: "Cli") -> None:
    cli.write("broken.rq", "SELECT ?s {\n  GRAPH ?g { ?s ?p 'open }\n}")
    cli.write("header.rq", "# @param x: number\nASK { ?s ?p $x }")
    cli.write("update.rq", "INSERT { GRAPH ?g { ?s ?p 1 } } WHERE { GRAPH ?g { ?s ?p 2 } }")
    done = cli("query", "broken.rq", "header.rq", "update.rq", "--lint", "--lang", "en")
    first, second = done.out.splitlines()
    assert first.startswith("broken.rq:2:20: error: not a SPARQL token")
    assert second.startswith("header.rq: error: the parameter x has the type number")
    assert done.code == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("query", "missing.rq", "--lint"), "judgeloop: missing.rq: no such file; check the path\n"),
        (("query", "empty", "--lint"), "judgeloop: empty: no .rq file there; name files or folders that hold some\n"),
        (
            ("query", "ASK {}", "ASK { }", "--data", "d.ttl"),
            "judgeloop: ASK { }: one query at a time; several are only checked, with --lint\n",
        ),
    ],
)
def test_what_is_not_there_is_bad_input(cli: "Cli", words: tuple[str, ...], says: str) -> None:
    (cli.folder / "empty").mkdir()
    done = cli(*words, "--lang", "en")
    assert (done.code, done.out, done.err) == (2, "", says)


def test_what_ships_is_fine(cli: "Cli") -> None:
    assert cli("query", SPARQL, "--lint", "--strict", "--quiet").out == ""
    assert cli("query", "retrieve/label_search.rq", "--lint", "--strict").code == 0


# --- shared case 71: what an answer looks like

NOTES = (
    '@prefix ex: <http://example.org/plant#> .\n[] ex:note "one, \\"two\\"\\nthree" .\nex:n2 ex:note "가나다"@ko .\n'
)
ASKED = "PREFIX ex: <http://example.org/plant#>\nSELECT ?s ?n WHERE { ?s ex:note ?n } ORDER BY ?n"


@pytest.mark.parametrize(
    ("form", "out"),
    [
        ("csv", 's,n\r\n_:b0,"one, ""two""\nthree"\r\nhttp://example.org/plant#n2,가나다\r\n'),
        ("tsv", '?s\t?n\n_:b0\t"one, \\"two\\"\\nthree"\n<http://example.org/plant#n2>\t"가나다"@ko\n'),
    ],
)
def test_a_blank_node_of_a_file_is_one_in_the_answer(cli: "Cli", form: str, out: str) -> None:
    cli.write("data.ttl", NOTES)
    cli.write("q.rq", ASKED)
    assert cli("query", "q.rq", "--data", "data.ttl", "--format", form).out == out


def test_a_blank_node_of_a_file_is_one_in_a_graph(cli: "Cli") -> None:
    cli.write("data.ttl", "[] <urn:x:p> [ <urn:x:q> 1 ] .")
    words = "CONSTRUCT WHERE { ?s <urn:x:p> ?o . ?o <urn:x:q> ?n }"
    first, second = cli("query", words, "--data", "data.ttl", "--format", "turtle").out.splitlines()
    assert first == "_:b0 <urn:x:p> _:b1 ."
    assert second == '_:b1 <urn:x:q> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .'
