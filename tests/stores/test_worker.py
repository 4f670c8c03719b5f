"""What a worker promises: the answers of its store, as it is now, whole or not at all, and nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from judgeloop.errors import BadInput, StoreError, StoreUnavailable
from judgeloop.rdf.rq import BoundQuery, bind, parse
from judgeloop.store import Store, open_store
from judgeloop.store.limits import Limits
from judgeloop.store.local import VIEWS, Local
from judgeloop.store.worker import Worker

if TYPE_CHECKING:
    from tests.conftest import Fake

E = "http://example.org/"
P = NamedNode(E + "p")
FOREVER = (
    "SELECT (COUNT(*) AS ?n) { "
    + " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(10)))} }}" for n in range(12))
    + " }"
)


def triple(subject: str, value: str) -> Triple:
    return Triple(NamedNode(E + subject), P, Literal(value))


def query(text: str) -> BoundQuery:
    return bind(parse(text, "t.rq"), {})


ONE, TWO, THREE = triple("a", "하나"), triple("b", "둘\u2028\x00"), triple("c", "셋")
ALL = query("SELECT ?s ?o { GRAPH ?g { ?s ?p ?o } }")
ANY = query("ASK {}")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store")) as opened:
        yield opened


def pid(worker: Worker) -> int:
    """Return the id of the process that answers."""
    assert isinstance(worker._asked, Local)
    running = worker._asked._process._running
    assert running is not None
    return running.pid


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# --- the same answers

QUESTIONS = [
    "SELECT ?s ?o { ?s ?p ?o } ORDER BY ?o",
    "SELECT ?s ?o ?none { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g ?o",
    "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } ?s2 ?p2 ?o2 } GROUP BY ?g ORDER BY ?g",
    "SELECT ?o FROM <http://example.org/g2> { ?s ?p ?o } ORDER BY ?o",
    'SELECT ?x { VALUES ?x { "a"@ko-kr "b\\u0000" 1.50 <<( <http://e/a> <http://e/b> "c"@en )>> UNDEF } }',
    "SELECT * { ?s ?p '없음' }",
]


@pytest.mark.parametrize("graphs", [None, [], ["g1"], ["g1", "g2"], ["g1", "g3"]])
def test_a_worker_answers_as_its_store_does(store: Store, graphs: Sequence[str] | None) -> None:
    extra = [Quad(THREE.subject, P, Literal("밖"), DefaultGraph())]
    store.put_once({E + "g1": [ONE, TWO], E + "g2": [TWO, THREE], E + "g3": [triple("d", "넷")]}, extra)
    named = None if graphs is None else [E + graph for graph in graphs]
    with Worker(store) as asked:
        for text in QUESTIONS:
            expected = store.select(query(text), default_graphs=named)
            assert asked.select(query(text), default_graphs=named) == expected, text
        truth, triples = query("ASK { ?s ?p '하나' }"), query("CONSTRUCT WHERE { ?s ?p ?o }")
        assert asked.ask(truth, default_graphs=named) is store.ask(truth, default_graphs=named)
        assert set(asked.construct(triples, default_graphs=named)) == set(
            store.construct(triples, default_graphs=named)
        )


def test_what_was_written_before_a_query_is_seen_by_it(store: Store) -> None:
    with Worker(store) as asked:
        assert len(asked.select(ALL)) == 0
        store.put_once({E + "g": [ONE]})
        assert len(asked.select(ALL)) == 1
        store.replace(E + "g", [TWO, THREE])
        assert {row["o"] for row in asked.select(ALL)} == {TWO.object, THREE.object}
        store.drop(E + "g")
        assert len(asked.select(ALL)) == 0


def test_blank_nodes_keep_their_joints(store: Store) -> None:
    node = BlankNode("n")
    store.put_once({E + "g": [Triple(ONE.subject, P, node), Triple(node, P, Literal("x"))]})
    joined = query("SELECT ?o { GRAPH ?g { ?s ?p ?node . ?node ?q ?o } }")
    with Worker(store) as asked:
        assert [row["o"] for row in asked.select(joined).texts()] == ["x"]


def test_what_is_wrong_with_a_query_is_told_as_by_the_store(store: Store) -> None:
    with Worker(store) as asked:
        with pytest.raises(BadInput) as refused:
            asked.select(query("SELECT ?s {\n ?s ?p }"))
        assert refused.value.key == "rq-syntax"
        assert refused.value.place.startswith("t.rq:2:")
        with pytest.raises(BadInput) as refused:
            asked.select(query("SELECT ?s { ?s ?p ?o FILTER(<http://example.org/f>(?o)) }"))
        assert refused.value.key == "rq-unrunnable"
        for ask in (asked.ask, asked.construct):
            with pytest.raises(BadInput) as refused:
                ask(ALL)
            assert refused.value.key == "rq-kind"


# --- limits


def test_one_row_more_than_the_limit_is_no_answer(store: Store) -> None:
    store.put_once({E + "g": [triple(f"s{n}", f"값 {n}") for n in range(10_001)]})
    with Worker(store) as asked:
        for ask, text in ((asked.select, "SELECT ?o"), (asked.construct, "CONSTRUCT { ?s ?p ?o }")):
            with pytest.raises(StoreUnavailable) as told:
                ask(query(f"{text} {{ GRAPH ?g {{ ?s ?p ?o }} }}"))
            assert (told.value.key, told.value.exit_code) == ("query-limit-rows", 5)
            assert "10,000" in told.value.text("ko")
            assert len(ask(query(f"{text} {{ GRAPH ?g {{ ?s ?p ?o }} }} LIMIT 10000"))) == 10_000
    with Worker(store, Limits(rows=None)) as asked:
        assert len(asked.select(ALL)) == 10_001


def test_a_triple_that_is_made_often_counts_once(store: Store) -> None:
    store.put_once({E + "g": [triple(f"s{n}", "x") for n in range(50)]})
    with Worker(store, Limits(rows=1)) as asked:
        made = asked.construct(query(f"CONSTRUCT {{ <{E}a> <{E}p> ?o }} {{ GRAPH ?g {{ ?s ?p ?o }} }}"))
    assert made == [triple("a", "x")]


def test_one_byte_more_than_the_limit_is_no_answer(store: Store) -> None:
    store.put_once({E + "g": [triple("a", "가" * 2000)]})
    for ask, text in (("select", "SELECT ?o"), ("construct", "CONSTRUCT { ?s ?p ?o }")):
        asks = query(f"{text} {{ GRAPH ?g {{ ?s ?p ?o }} }}")
        with Worker(store, Limits(bytes=6000)) as asked, pytest.raises(StoreUnavailable) as told:
            getattr(asked, ask)(asks)
        assert told.value.key == "query-limit-bytes"
        with Worker(store, Limits(bytes=6500)) as asked:
            assert len(getattr(asked, ask)(asks)) == 1


def test_a_server_that_drips_ends_at_the_deadline_of_the_worker(fake: "Callable[..., Fake]") -> None:
    """The deadline is that of the query, however many requests it takes."""
    kind = b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n"
    truth = b'{"head":{},"boolean":true}'
    yes = kind + b"Content-Length: %d\r\n\r\n" % len(truth) + truth
    none = b'{"head":{"vars":["union"]},"results":{"bindings":[]}}'
    union = kind + b"Content-Length: %d\r\n\r\n" % len(none) + none
    gone = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

    def drip(peer: "object") -> None:
        peer.sendall(kind + b"Content-Length: 1000\r\n\r\n")  # type: ignore[attr-defined]
        for _ in range(100):
            peer.sendall(b" ")  # type: ignore[attr-defined]
            time.sleep(0.05)

    server = fake(yes, gone, gone, gone, gone, gone, union, drip)
    with open_store(server.url) as store, Worker(store, Limits(seconds=0.5)) as asked:
        began = time.monotonic()
        with pytest.raises(StoreUnavailable) as told:
            asked.select(ALL)
        assert told.value.key == "query-limit-seconds"
        assert time.monotonic() - began < 1.5


def test_what_a_server_can_not_ask_alone_runs_within_the_limits_too(union_server: str) -> None:
    """Such a server ignores the graphs that a query names, so the query runs on a copy, in a process of its own."""
    with open_store(union_server) as store, Worker(store, Limits(seconds=2)) as asked:
        store.put_once({E + "g1": [ONE, TWO], E + "g2": [TWO, THREE]})
        graphs = [E + "g1", E + "g2"]
        counted = query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
        assert [row["n"] for row in asked.select(counted, default_graphs=graphs).texts()] == ["3"]
        began = time.monotonic()
        with pytest.raises(StoreUnavailable) as told:
            asked.select(query(FOREVER), default_graphs=graphs)
        assert told.value.key == "query-limit-seconds"
        assert time.monotonic() - began < 4


# --- a process that ends


def test_after_the_process_was_killed_the_next_query_works(store: Store) -> None:
    store.put_once({E + "g": [ONE]})
    with Worker(store, Limits(seconds=0.3)) as asked:
        if not isinstance(asked._asked, Local):
            return  # a server is asked without a process
        assert len(asked.select(ALL)) == 1
        first = pid(asked)
        with pytest.raises(StoreUnavailable):
            asked.select(query(FOREVER))
        assert not alive(first)
        assert len(asked.select(ALL)) == 1
        second = pid(asked)
        os.kill(second, signal.SIGKILL)  # as a system does that runs out of memory
        while alive(second):
            time.sleep(0.01)
        time.sleep(0.1)  # its threads end a moment later
        assert len(asked.select(ALL)) == 1


def test_a_process_that_dies_in_a_query_is_told(folder: Store) -> None:
    with Worker(folder) as asked:
        asked.ask(ANY)
        killer = threading.Timer(0.3, os.kill, (pid(asked), signal.SIGSEGV))
        killer.start()
        with pytest.raises(StoreUnavailable) as told:
            asked.select(query(FOREVER))
        killer.join()
        assert (told.value.key, told.value.exit_code) == ("query-worker-died", 5)
        assert "-11" in told.value.text()
        assert asked.ask(ANY) is True


def test_threads_share_a_worker(store: Store) -> None:
    store.put_once({E + "g": [triple(f"s{n}", str(n)) for n in range(100)]})
    found: list[str] = []

    def ask(number: int) -> None:
        for _ in range(5):
            rows = asked.select(query(f"SELECT ?o {{ GRAPH ?g {{ <{E}s{number}> ?p ?o }} }}"))
            found.extend(row["o"] for row in rows.texts())

    with Worker(store) as asked:
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == sorted([str(number) for number in range(8)] * 5)


def test_a_worker_that_is_closed_stops_what_it_does(folder: Store) -> None:
    asked = Worker(folder)
    asked.ask(ANY)
    closing = threading.Timer(0.3, asked.close)
    closing.start()
    began = time.monotonic()
    with pytest.raises(StoreError) as told:
        asked.select(query(FOREVER))
    closing.join()
    assert told.value.key == "store-closed"
    assert time.monotonic() - began < 3
    asked.close()
    with pytest.raises(StoreError):
        asked.ask(ANY)


def test_a_worker_that_is_forgotten_leaves_no_process(folder: Store) -> None:
    asked = Worker(folder)
    asked.ask(ANY)
    process = pid(asked)
    del asked
    assert not alive(process)


OWNER = """
import sys
from judgeloop.rdf.rq import bind, parse
from judgeloop.store import open_store
from judgeloop.store.worker import Limits, Worker
with open_store(sys.argv[1]) as store:
    asked = Worker(store, Limits(seconds=60))
    asked.ask(bind(parse("ASK {}", "q"), {}))
    print(asked._asked._process._running.pid, flush=True)
    asked.select(bind(parse(sys.argv[2], "q"), {}))
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc: run on Linux")
@pytest.mark.parametrize("kind", ["memory:", "folder"])
def test_a_process_ends_with_its_owner_however_that_ends(tmp_path: Path, kind: str) -> None:
    url = kind if kind == "memory:" else str(tmp_path / "store")
    with subprocess.Popen([sys.executable, "-c", OWNER, url, FOREVER], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        child = int(owner.stdout.readline())
        time.sleep(0.3)
        assert alive(child)
        owner.kill()
    end = time.monotonic() + 5
    while alive(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(child)
    if kind == "folder":  # the view of a killed owner goes when the next one is made
        with open_store(url) as store, Worker(store) as asked:
            assert asked.ask(ANY) is True
            assert len(list(Path(url, VIEWS).iterdir())) == 1


# --- what it takes, and leaves


def test_a_folder_keeps_no_view_of_a_closed_worker(folder: Store) -> None:
    with Worker(folder) as asked:
        for number in range(3):
            folder.put_once({f"{E}g{number}": [ONE]})
            assert len(asked.select(ALL)) == number + 1
            assert len(list(Path(folder.url, VIEWS).iterdir())) == 1
    assert list(Path(folder.url, VIEWS).iterdir()) == []


def test_nothing_is_sent_again_that_did_not_change(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put_once({E + "g": [ONE]})
    with Worker(store) as asked:
        asked.ask(ANY)
        monkeypatch.setattr(store, "copy_to", None, raising=False)
        assert len(asked.select(ALL)) == 1


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="an environment is read in /proc: run on Linux")
def test_the_process_is_told_no_secret(folder: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGELOOP_STORE_PASSWORD", "hunter2")
    monkeypatch.setenv("SOME_API_KEY", "hunter2")
    with Worker(folder) as asked:
        asked.ask(ANY)
        told = Path(f"/proc/{pid(asked)}/environ").read_bytes() + Path(f"/proc/{pid(asked)}/cmdline").read_bytes()
    assert b"hunter2" not in told
    assert folder.secret not in told
    assert folder.secret.hex().encode() not in told


def test_what_stands_in_the_users_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with open_store() as store, Worker(store) as asked:
        assert asked.ask(ANY) is True
    assert json.loads("1") == 1
