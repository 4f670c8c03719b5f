"""Queries that a stranger wrote, on every kind of store: none reaches another server, none runs beyond its limit.

A listener of this machine stands for everything that a query must not reach; it counts who comes.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from judgeloop.errors import BadInput, StoreError, StoreUnavailable
from judgeloop.rdf.parse import read_rdf
from judgeloop.rdf.rq import BoundQuery, bind, parse
from judgeloop.shacl import ShapesGraph, validate
from judgeloop.store import Store, open_store, worker
from judgeloop.store.limits import Limits
from judgeloop.store.worker import Worker

E = "http://example.org/"
G = E + "g"
P = NamedNode(E + "p")


class Listener:
    """Takes connections, hangs up and counts."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"
        self.connections = 0

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.socket.accept()
                self.connections += 1
                peer.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()
    thread = threading.Thread(target=listening.run)
    thread.start()
    yield listening
    time.sleep(0.05)
    listening.socket.shutdown(socket.SHUT_RDWR)
    listening.socket.close()
    thread.join()


@pytest.fixture(scope="module", autouse=True)
def short_answers() -> Iterator[None]:
    """Have no credentials or times of this machine in reach."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JUDGELOOP_STORE_TIMEOUT", raising=False)
        yield


def test_the_listener_counts(listener: Listener) -> None:
    """Without this, all the zeros below would say nothing."""
    with socket.create_connection(listener.socket.getsockname()), contextlib.suppress(OSError):
        time.sleep(0.1)
    assert listener.connections == 1


# --- what would leave the store, or change it

REFUSED = {
    "constant": "SELECT * { SERVICE <{u}> { ?s ?p ?o } }",
    "variable": "SELECT * { VALUES ?x { <{u}> } SERVICE ?x { ?s ?p ?o } }",
    "variable from the data": "SELECT * { GRAPH ?g { ?a ?b ?x } SERVICE ?x { ?s ?p ?o } }",
    "silent": "SELECT * { SERVICE SILENT <{u}> { ?s ?p ?o } }",
    "silent variable": "SELECT * { BIND(IRI('{u}') AS ?x) SERVICE SILENT ?x { ?s ?p ?o } }",
    "nested": "SELECT * { SERVICE <{u}> { SERVICE <{u}> { ?s ?p ?o } } }",
    "in EXISTS": "SELECT * { GRAPH ?g { ?s ?p ?o } FILTER EXISTS { SERVICE <{u}> { ?s ?p ?o } } }",
    "in NOT EXISTS": "ASK { GRAPH ?g { ?s ?p ?o } FILTER NOT EXISTS { SERVICE SILENT <{u}> { ?s ?q ?o } } }",
    "in a sub-SELECT": "SELECT * { { SELECT ?s { SERVICE <{u}> { ?s ?p ?o } } } }",
    "in OPTIONAL": "SELECT * { OPTIONAL { SERVICE <{u}> { ?s ?p ?o } } }",
    "in UNION": "SELECT * { { ?s ?p ?o } UNION { SERVICE <{u}> { ?s ?p ?o } } }",
    "in MINUS": "SELECT * { GRAPH ?g { ?s ?p ?o } MINUS { SERVICE <{u}> { ?s ?p ?o } } }",
    "in GRAPH": "SELECT * { GRAPH ?g { SERVICE <{u}> { ?s ?p ?o } } }",
    "in BIND": "SELECT * { BIND(EXISTS { SERVICE <{u}> { ?s ?p ?o } } AS ?x) }",
    "in HAVING": "SELECT (1 AS ?x) { } HAVING(EXISTS { SERVICE <{u}> {} })",
    "in ORDER BY": "SELECT * { GRAPH ?g { ?s ?p ?o } } ORDER BY (EXISTS { SERVICE <{u}> { } })",
    "by CONSTRUCT": "CONSTRUCT { ?s ?p ?o } { SERVICE <{u}> { ?s ?p ?o } }",
    "by short CONSTRUCT": "CONSTRUCT WHERE { SERVICE <{u}> { ?s ?p ?o } }",
    "by ASK": "ASK { SERVICE <{u}> { ?s ?p ?o } }",
    "by DESCRIBE": "DESCRIBE ?s { SERVICE <{u}> { ?s ?p ?o } }",
    "DESCRIBE alone": "DESCRIBE <{u}>",
    "prefixed": "PREFIX x: <{u}> SELECT * { SERVICE x: { ?s ?p ?o } }",
    "by the base": "BASE <{u}> SELECT * { SERVICE <> { ?s ?p ?o } }",
    "small letters": "select * { sErViCe <{u}> { ?s ?p ?o } }",
    "glued": "SELECT*{SERVICE<{u}>{?s ?p ?o}}",
    "glued to SILENT": "SELECT * { SERVICESILENT<{u}>{ ?s ?p ?o } }",
    "glued to a value": "SELECT * { ?s ?p trueSERVICE<{u}>{ ?s ?p ?o } }",
    "behind a comment": "SELECT * { SERVICE # } the end\n <{u}> { ?s ?p ?o } }",
    "behind a comment that ends with CR": "SELECT * { # nothing\r SERVICE <{u}> { ?s ?p ?o } }",
    "escaped keyword": "SELECT * { \\u0053ERVICE <{u}> { ?s ?p ?o } }",
    "escaped keyword, long": "SELECT * { SERV\\U00000049CE <{u}> { ?s ?p ?o } }",
    "escaped quote in a string": 'SELECT * { ?s ?p "\\u0022 } SERVICE <{u}> {} #" }',
    "escaped line end in a comment": "SELECT * { # \\u000A SERVICE <{u}> { ?s ?p ?o }\n }",
    "escaped angle": "SELECT * { SERVICE \\u003C{u}> { ?s ?p ?o } }",
    "IRI or less than": "SELECT * { FILTER(?a<2)SERVICE?x#>\n{ ?s ?p ?o } }",
    "a string that ends early": "SELECT * { ?s ?p '''a'' ' ''' SERVICE <{u}> { ?s ?p ?o } }",
    "LOAD": "LOAD <{u}>",
    "LOAD SILENT INTO": "LOAD SILENT <{u}> INTO GRAPH <http://example.org/g>",
    "LOAD of a file": "LOAD <file:///etc/hostname>",
    "LOAD behind a query": "SELECT * {} ; LOAD <{u}>",
    "INSERT": "INSERT DATA { GRAPH <http://example.org/g> { <http://e/a> <http://e/b> 1 } }",
    "INSERT WHERE": "INSERT { ?s ?p 1 } WHERE { SERVICE <{u}> { ?s ?p ?o } }",
    "DELETE": "DELETE WHERE { GRAPH ?g { ?s ?p ?o } }",
    "WITH": "WITH <http://example.org/g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
    "DROP": "DROP ALL",
    "DROP behind a prologue": "PREFIX e: <http://e/> drop silent all",
    "CLEAR": "CLEAR GRAPH <http://example.org/g>",
    "CREATE, COPY": "CREATE GRAPH <http://e/h> ; COPY <http://example.org/g> TO <http://e/h>",
    "MOVE": "MOVE <http://example.org/g> TO DEFAULT",
    "ADD": "ADD <http://example.org/g> TO DEFAULT",
}
"""Refused before any engine sees them."""
HARMLESS = {
    "FROM": "SELECT * FROM <{u}> { ?s ?p ?o }",
    "FROM NAMED": "SELECT * FROM NAMED <{u}> { GRAPH ?g { ?s ?p ?o } }",
    "FROM a file": "SELECT * FROM <file:///etc/hostname> { ?s ?p ?o }",
    "GRAPH": "SELECT * { GRAPH <{u}> { ?s ?p ?o } }",
    "a path": "SELECT * { GRAPH ?g { ?s (<{u}>|<{u}x>)+ ?o } }",
    "owl:imports": "SELECT * { GRAPH ?g { <{u}> <http://www.w3.org/2002/07/owl#imports> ?o } }",
    "a function of Java": "SELECT (<java:java.lang.System.exit>(1) AS ?x) { }",
    "a property function of Java": "SELECT * { ?x <java:org.example.Fetch> <{u}> }",
    "a function of ARQ": "SELECT (<http://jena.apache.org/ARQ/function#localname>(<{u}>) AS ?x) { }",
    "a property function of ARQ": "SELECT * { <{u}> <http://jena.apache.org/ARQ/property#versionARQ> ?x }",
    "a property function of ARQ, split": "SELECT * { ?s <http://jena.apache.org/ARQ/property#strSplit> ('{u}' '/') }",
    "a script": "SELECT (<http://jena.apache.org/ARQ/jsFunction#fetch>('{u}') AS ?x) { }",
    "a function named like a server": "SELECT (<{u}>(1) AS ?x) { }",
    "the word in a string": "SELECT ('SERVICE <{u}> { }' AS ?x) { }",
    "the word in an IRI": "SELECT * { ?s <{u}SERVICE> ?o . ?s <{u}#LOAD> ?p }",
    "the word in a comment": "SELECT * { ?s ?p ?o # SERVICE <{u}> { ?s ?p ?o }\n }",
    "the word in a name": "PREFIX service: <{u}> SELECT ?load { service:a service:b ?load }",
}
"""Not refused: they find nothing, or an engine refuses them, and nobody is asked."""


def ask(asked: Worker, text: str) -> object:
    """Parse and ask as the agent's query tool does; the worker has its own gate beside that of `parse`."""
    query = bind(parse(text, "agent"), {})
    kinds: dict[str, Callable[[BoundQuery], object]] = {"select": asked.select, "ask": asked.ask}
    return kinds.get(query.query.kind, asked.construct)(query)


@pytest.fixture
def filled(store: Store, listener: Listener) -> Store:
    store.put_once(
        {G: [Triple(NamedNode(E + "a"), P, NamedNode(listener.url)), Triple(NamedNode(E + "a"), P, Literal("서울"))]}
    )
    return store


def test_nothing_reaches_out_and_nothing_is_changed(filled: Store, listener: Listener) -> None:
    before = {name: set(filled.graph(name)) for name in filled.graphs()}
    passed: list[str] = []
    with Worker(filled) as asked:
        for name, text in REFUSED.items():
            try:
                ask(asked, text.replace("{u}", listener.url))
            except BadInput:
                continue
            passed.append(name)
        assert passed == []
        for text in HARMLESS.values():
            with contextlib.suppress(BadInput, StoreUnavailable):  # an engine may not know a function
                rows = ask(asked, text.replace("{u}", listener.url))
                assert len(rows) < 4  # type: ignore[arg-type] # all are SELECT; ARQ cuts a text into three
        assert asked.ask(bind(parse("ASK { GRAPH ?g { ?s ?p '서울' } }", "agent"), {})) is True
    assert {name: set(filled.graph(name)) for name in filled.graphs()} == before
    assert listener.connections == 0


def test_there_are_enough_of_them() -> None:
    assert len(REFUSED) >= 40


@pytest.mark.parametrize("name", ["constant", "silent", "in EXISTS", "LOAD", "DROP"])
def test_a_query_that_was_never_parsed_meets_the_gate_of_the_worker(
    filled: Store, listener: Listener, name: str
) -> None:
    made = replace(bind(parse("ASK {}", "agent"), {}), text=REFUSED[name].replace("{u}", listener.url))
    with Worker(filled) as asked, pytest.raises(BadInput) as refused:
        asked.ask(made)
    assert refused.value.key == "rq-forbidden"
    assert listener.connections == 0


def test_behind_the_gate_the_process_opens_no_connection(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a store is in memory, its process may open nothing once it holds the data."""
    pytest.importorskip("resource")
    monkeypatch.setattr(worker, "refuse_unsafe", lambda *_: None)
    text = f"SELECT * {{ SERVICE <{listener.url}> {{ ?s ?p ?o }} }}"
    made = replace(bind(parse("SELECT * {}", "agent"), {}), text=text)
    with open_store() as store, Worker(store) as asked:
        with pytest.raises(StoreError) as refused:
            asked.select(made)
        assert "Too many open files" in refused.value.text()
        assert len(asked.select(bind(parse("SELECT * {}", "agent"), {}))) == 1
    assert listener.connections == 0


# --- data that would fetch

FILES = {
    "context.jsonld": '{"@context": "{u}", "name": "x"}',
    "contexts.jsonld": '{"@context": [{"n": "http://e/n"}, "{u}"], "n": "x"}',
    "scoped.jsonld": '{"@context": {"n": {"@id": "http://e/n", "@context": "{u}"}}, "n": {"m": 1}}',
    "import.jsonld": '{"@context": {"@import": "{u}"}, "@id": "http://e/a"}',
    "dtd.rdf": '<?xml version="1.0"?><!DOCTYPE r SYSTEM "{u}"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>',
    "entity.rdf": '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "{u}">]>'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"><rdf:Description><e:p>&x;</e:p>'
    "</rdf:Description></rdf:RDF>",
    "parameter.rdf": '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY % x SYSTEM "{u}"> %x;]>'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>',
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_wants_another_is_refused(listener: Listener, name: str) -> None:
    with pytest.raises(BadInput):
        read_rdf(FILES[name].replace("{u}", listener.url).encode(), name)
    assert listener.connections == 0


def test_imports_of_data_are_triples_and_no_more(listener: Listener) -> None:
    owl = "http://www.w3.org/2002/07/owl#"
    text = f"<http://e/o> a <{owl}Ontology> ; <{owl}imports> <{listener.url}> ."
    assert len(read_rdf(text.encode(), "o.ttl")) == 2
    assert listener.connections == 0


SHAPES = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix : <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ASKS = {
    "sh:sparql": ":S a sh:NodeShape ; sh:targetClass :T ; "
    'sh:sparql [ sh:select "SELECT $this { SERVICE <{u}> { $this ?p ?o } }" ] .',
    "sh:sparql, silent": ":S a sh:NodeShape ; sh:targetClass :T ; "
    'sh:sparql [ sh:select "SELECT $this { SERVICE SILENT <{u}> { $this ?p ?o } }" ] .',
    "sh:sparql, EXISTS": ":S a sh:NodeShape ; sh:targetClass :T ; "
    'sh:sparql [ sh:select "SELECT $this { $this ?p ?o FILTER NOT EXISTS { SERVICE <{u}> { } } }" ] .',
    "sh:target": ":S a sh:NodeShape ; sh:property [ sh:path :p ; sh:minCount 1 ] ; "
    'sh:target [ a sh:SPARQLTarget ; sh:select "SELECT ?this { SERVICE <{u}> { ?this ?p ?o } }" ] .',
}


@pytest.mark.parametrize("name", ASKS)
def test_shapes_that_ask_another_server_are_a_failure_and_no_pass(listener: Listener, name: str) -> None:
    shapes = ShapesGraph.parse([("s.ttl", (SHAPES + ASKS[name].replace("{u}", listener.url)).encode())])
    report = validate(shapes, "<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/T> .\n")
    assert report.failure is not None
    assert listener.connections == 0


def test_imports_of_shapes_are_not_followed(listener: Listener) -> None:
    text = (
        SHAPES + f":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:minCount 1 ] . : owl:imports <{listener.url}> ."
    )
    shapes = ShapesGraph.parse([("s.ttl", text.encode())])
    typed = "<http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/T> .\n"
    imported = f"<http://e/a> <http://www.w3.org/2002/07/owl#imports> <{listener.url}> .\n"
    assert len(validate(shapes, typed + imported).results) == 1
    assert listener.connections == 0


# --- what would never end

LIMITS = Limits(seconds=1.0, memory=300_000_000)
CROSS = "GRAPH ?g1 { ?s1 ?p1 ?o1 } GRAPH ?g2 { ?s2 ?p2 ?o2 } GRAPH ?g3 { ?s3 ?p3 ?o3 } GRAPH ?g4 { ?s4 ?p4 ?o4 }"
TEN = " ".join(map(str, range(10)))
RUNAWAY = {
    "a count of a cross product": f"SELECT (COUNT(*) AS ?n) {{ {CROSS} }}",
    "a sum over groups": f"SELECT ?s1 (SUM(?o2 * ?o3) AS ?n) {{ {CROSS} }} GROUP BY ?s1",
    "an order of a cross product": f"SELECT * {{ {CROSS} }} ORDER BY DESC(?o4) ?o3 LIMIT 1",
    "distinct rows of a cross product": f"SELECT DISTINCT ?o1 ?o2 ?o3 {{ {CROSS} }} ORDER BY ?o1",
    "a filter that nothing passes": f"ASK {{ {CROSS} FILTER(?o1 + ?o2 + ?o3 + ?o4 < 0) }}",
    "values times values": "SELECT (COUNT(*) AS ?n) { "
    + " ".join(f"VALUES ?v{n} {{ {TEN} }}" for n in range(12))
    + " }",
    "paths times paths": f"SELECT (COUNT(*) AS ?n) {{ GRAPH <{G}> {{ ?a (<{P.value}>|^<{P.value}>)* ?b . "
    f"?c (<{P.value}>|^<{P.value}>)* ?d . ?e !<http://e/x>* ?f }} }}",
    "rows without end": f"SELECT * {{ {CROSS} }}",
    "ten million triples": f"CONSTRUCT {{ ?s1 ?p2 ?o3 . ?s4 ?p1 ?o2 }} {{ {CROSS} }}",
    "one triple ten million times": f"CONSTRUCT {{ <http://e/a> <http://e/b> 1 }} {{ {CROSS} FILTER(?o1 < ?o2) }}",
    "an EXISTS for each row": f"SELECT (COUNT(*) AS ?n) {{ {CROSS} FILTER NOT EXISTS {{ ?s1 ?x ?o4 . ?s4 ?y ?o1 }} }}",
    "a MINUS of cross products": f"SELECT (COUNT(*) AS ?n) {{ {CROSS} MINUS {{ {CROSS} }} }}",
}
BOMBS = {
    "a list of everything": f"SELECT (GROUP_CONCAT(CONCAT(STR(?s1), STR(?s2))) AS ?x) {{ {CROSS} }}",
    "doubling": 'SELECT (STRLEN(?v40) AS ?n) { BIND("'
    + "a" * 64
    + '" AS ?v0) '
    + " ".join(f"BIND(CONCAT(?v{n}, ?v{n}) AS ?v{n + 1})" for n in range(40))
    + " }",
    "replacing": 'SELECT (STRLEN(?v6) AS ?n) { BIND("aaaaaaaaaaaaaaaa" AS ?v0) '
    + " ".join(f'BIND(REPLACE(?v{n}, "a", ?v{n}) AS ?v{n + 1})' for n in range(6))
    + " }",
    "encoding": 'SELECT (STRLEN(?v30) AS ?n) { BIND("가%" AS ?v0) '
    + " ".join(f"BIND(ENCODE_FOR_URI(CONCAT(?v{n}, ?v{n})) AS ?v{n + 1})" for n in range(30))
    + " }",
    "a copy of each pair": f"SELECT (COUNT(DISTINCT CONCAT(STR(?s1), STR(?s2), STR(?s3))) AS ?n) {{ {CROSS} }}",
}
"""These take memory, which a server keeps count of by itself."""
ENDING = {
    "nested repeats": 'ASK { FILTER(REGEX("' + "a" * 60 + '!", "^(a+)+$")) }',
    "alternatives": 'ASK { FILTER(REGEX("' + "a" * 60 + '!", "^(a|aa)+$")) }',
    "repeats of repeats": 'ASK { FILTER(REGEX("' + "a" * 60 + '", "((((a{1,99}){1,99}){1,99}){1,99})$")) }',
    "many optional letters": 'ASK { FILTER(REGEX("' + "a" * 60 + '", "^' + "a?" * 60 + "a" * 61 + '$")) }',
}
"""Patterns that engines with backtracking never finish; whatever these say, they are said in time."""


@pytest.fixture
def worked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Worker]]:
    """Give a store of each kind with a graph in it, and its worker."""
    url = {"memory": "memory:", "folder": str(tmp_path / "store")}.get(request.param)
    # the server of this test ends its own queries too: one that nobody waits for any more would go on there
    with open_store(url or request.getfixturevalue("hurried_server")) as store:
        numbers = [Triple(NamedNode(f"{E}s{n % 300}"), P, Literal(n)) for n in range(2000)]
        edges = [Triple(NamedNode(f"{E}s{n}"), P, NamedNode(f"{E}s{(n * 7 + 1) % 300}")) for n in range(300)]
        store.put_once({G: numbers + edges})
        with Worker(store, LIMITS) as asked:
            yield store, asked


EVERYWHERE = [(kind, name) for kind in ("memory", "folder", "http") for name in (*RUNAWAY, *ENDING)]
HERE = [(kind, name) for kind in ("memory", "folder") for name in BOMBS]
OVER = {f"query-limit-{kind}" for kind in ("seconds", "rows", "bytes", "memory")}


@pytest.mark.parametrize(("worked", "name"), EVERYWHERE + HERE, indirect=["worked"])
def test_a_query_ends_within_its_limit_and_the_next_one_works(worked: tuple[Store, Worker], name: str) -> None:
    _, asked = worked
    simple = bind(parse(f"SELECT (COUNT(*) AS ?n) {{ GRAPH <{G}> {{ ?s ?p ?o }} }}", "agent"), {})
    assert [row["n"] for row in asked.select(simple).texts()] == ["2300"]
    began = time.monotonic()
    if name in ENDING:
        with contextlib.suppress(BadInput):  # too large a pattern
            assert ask(asked, ENDING[name]) in {True, False}
    else:
        with pytest.raises(StoreUnavailable) as told:
            ask(asked, {**RUNAWAY, **BOMBS}[name])
        assert (told.value.key in OVER, told.value.exit_code) == (True, 5), told.value
    assert time.monotonic() - began < LIMITS.seconds + 1
    assert [row["n"] for row in asked.select(simple).texts()] == ["2300"]


@pytest.mark.parametrize("worked", ["memory"], indirect=True)
def test_a_query_that_takes_too_much_memory_is_told_so(worked: tuple[Store, Worker]) -> None:
    _, asked = worked
    with pytest.raises(StoreUnavailable) as told:
        ask(asked, BOMBS["replacing"])
    assert told.value.key == "query-limit-memory"
    assert "300,000,000" in told.value.text()


def test_a_store_that_was_closed_answers_nobody(store: Store) -> None:
    with Worker(store) as asked:
        assert ask(asked, "ASK {}") is True
        store.close()
        with pytest.raises(StoreError) as told:
            ask(asked, "ASK {}")
    assert told.value.key == "store-closed"
