"""Another program, with a client of its own, reads what was judged into a server: one of Oxigraph, one of Jena."""

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from SPARQLWrapper import JSON, SPARQLWrapper

from judgeloop import assets

if TYPE_CHECKING:
    from tests.conftest import Fuseki
    from tests.integration.conftest import Cli


def rows(server: str, text: str) -> list[dict[str, str]]:
    client = SPARQLWrapper(f"{server}/query")
    if "JUDGELOOP_STORE_PASSWORD" in os.environ:
        client.setCredentials(os.environ["JUDGELOOP_STORE_USER"], os.environ["JUDGELOOP_STORE_PASSWORD"])
    client.setMethod("POST")
    client.setReturnFormat(JSON)
    client.setQuery(text)
    found: Any = client.query().convert()
    return [{name: cell["value"] for name, cell in row.items()} for row in found["results"]["bindings"]]


@pytest.fixture(params=["oxigraph", pytest.param("fuseki", marks=pytest.mark.needs("fuseki"))])
def server(request: pytest.FixtureRequest) -> str:
    """Return the address of an empty server to which the user of the environment may write."""
    if request.param == "oxigraph":
        address: str = request.getfixturevalue("empty_server")
        return address
    fuseki: Fuseki = request.getfixturevalue("empty_fuseki")
    return fuseki.write


@pytest.fixture
def judged(cli: "Cli", server: str) -> list[dict[str, Any]]:
    """Return the records of a right and a wrong answer, judged into the server."""
    right = cli.write("right.json", cli.good())
    wrong = cli.write("wrong.json", cli.good({"answer": "pl_busan"}, case_id="wrong-city"))
    return cli.judged(right, wrong, "--store", server)


def test_a_shipped_report_gives_the_current_verdicts(server: str, judged: list[dict[str, Any]]) -> None:
    report = (assets.root() / "sparql" / "report" / "current_verdicts.rq").read_text(encoding="utf-8")
    found = {row["case"]: row for row in rows(server, report)}
    assert {case: row["outcome"] for case, row in found.items()} == {"acme-city": "PASS", "wrong-city": "FAIL"}
    assert {row["verdict"] for row in found.values()} == {record["@id"] for record in judged}
    assert {row["sequence"] for row in found.values()} == {"1"}


def test_a_query_of_its_own_walks_from_verdict_to_decision(server: str, judged: list[dict[str, Any]]) -> None:
    text = """
        PREFIX jl: <https://w3id.org/judgeloop#> PREFIX mh: <https://w3id.org/judgeloop/multihop#>
        SELECT ?outcome ?answer WHERE {
          GRAPH <urn:judgeloop:heads> { ?head jl:verdict ?verdict ; jl:outcome ?outcome }
          GRAPH ?verdict { ?provenance jl:event ?event }
          GRAPH ?event { ?event jl:decision ?decision . ?decision mh:answerText ?answer }
        } ORDER BY ?answer"""
    assert len(judged) == 2
    assert rows(server, text) == [
        {"outcome": "https://w3id.org/judgeloop#FAIL", "answer": "pl_busan"},
        {"outcome": "https://w3id.org/judgeloop#PASS", "answer": "pl_seoul"},
    ]


def test_our_own_commands_read_the_same(cli: "Cli", server: str, judged: list[dict[str, Any]]) -> None:
    done = cli("query", "report/current_verdicts.rq", "--store", server, "--format", "json")
    bindings = json.loads(done.out)["results"]["bindings"]
    assert (done.code, {row["verdict"]["value"] for row in bindings}) == (0, {record["@id"] for record in judged})
    told = cli("why", "wrong-city", "--store", server)
    assert told.code == 0
    assert "answer_follows_path" in told.out
    domain = cli("query", "ASK { ?edge a <https://w3id.org/judgeloop#Edge> }", "--store", server)
    assert (domain.code, domain.out) == (0, "true\n")


def test_judging_again_writes_nothing(cli: "Cli", server: str, judged: list[dict[str, Any]]) -> None:
    count = "SELECT (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } FILTER(!CONTAINS(STR(?g), '/envelope')) }"
    before = rows(server, count)
    again = cli.judged("right.json", "wrong.json", "--store", server)
    assert [record["@id"] for record in again] == [record["@id"] for record in judged]
    assert rows(server, count) == before


def test_a_server_gives_the_verdicts_that_a_folder_gives(cli: "Cli", judged: list[dict[str, Any]]) -> None:
    kept = cli.judged("right.json", "wrong.json", "--store", "verdicts")
    assert [record["verdict"] for record in kept] == [record["verdict"] for record in judged]


def test_an_unreachable_server_is_5_and_no_traceback(cli: "Cli", unused_url: str) -> None:
    case = cli.write("right.json", cli.good())
    for words in (["judge", case], ["query", "ASK {}"], ["why", "acme-city"]):
        done = cli(*words, "--store", unused_url)
        assert (done.code, done.out) == (5, "")
        assert done.err.startswith(f"judgeloop: {unused_url}/query: the server can't be reached")


def test_an_address_with_a_password_is_a_usage_error(cli: "Cli") -> None:
    done = cli("query", "ASK {}", "--store", "http://writer:hunter2@localhost:3030/judge")
    assert (done.code, done.out) == (2, "")
    assert "hunter2" not in done.err


@pytest.mark.needs("fuseki")
def test_anybody_reads_verdicts_of_a_fuseki_at_its_open_address(cli: "Cli", empty_fuseki: "Fuseki") -> None:
    case = cli.write("right.json", cli.good())
    (record,) = cli.judged(case, "--store", empty_fuseki.write)
    client = SPARQLWrapper(f"{empty_fuseki.read}/query")
    client.setReturnFormat(JSON)
    client.setQuery("""
        PREFIX jl: <https://w3id.org/judgeloop#>
        SELECT ?verdict ?outcome WHERE {
          GRAPH <urn:x-arq:UnionGraph> { ?head jl:verdict ?verdict ; jl:outcome ?outcome }
        }""")
    found: Any = client.query().convert()
    assert [(row["verdict"]["value"], row["outcome"]["value"]) for row in found["results"]["bindings"]] == [
        (record["@id"], "https://w3id.org/judgeloop#PASS")
    ]
