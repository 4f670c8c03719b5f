"""A server that answers badly, asked as a user does: each ends in time, with a message and never with rows.

What the client makes of each single answer stands in tests/unit/store/test_wire.py; here the whole way is gone.
"""

import json
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from judgeloop.cli import run
from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.rq import bind, parse
from judgeloop.store import Store, address, open_store
from judgeloop.store.capabilities import Capabilities
from judgeloop.store.http import HttpStore
from judgeloop.store.limits import Limits
from judgeloop.store.wire import RESULTS, Client
from judgeloop.store.worker import Worker

if TYPE_CHECKING:
    from tests.conftest import Fake

Start = Callable[..., "Fake"]
SECONDS = "0.5"
YES = b'{"head":{},"boolean":true}'
ROWS = '{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"가"}}]}}'.encode()
LIMITS = Limits(seconds=float(SECONDS))
OF_WORKER = {"http-timeout": "query-limit-seconds"}
ALL = bind(parse("SELECT ?x { ?s ?p ?x }", "q.rq"), {})


def reply(body: bytes, kind: str = RESULTS, status: str = "200 OK", *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *more]
    return "\r\n".join([*lines, "", ""]).encode() + body


def cut(peer: socket.socket) -> None:
    peer.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: {RESULTS}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    peer.sendall(b"%x\r\n%s\r\n" % (len(ROWS), ROWS))


def cut_in_a_piece(peer: socket.socket) -> None:
    peer.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: {RESULTS}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    peer.sendall(b"%x\r\n%s" % (len(ROWS) + 9, ROWS))


def drip(peer: socket.socket) -> None:
    peer.sendall(reply(ROWS + b" " * 1000)[:-1000])
    for _ in range(200):
        peer.sendall(b" ")
        time.sleep(0.02)


def silence(_: socket.socket) -> None:
    time.sleep(2)


def hang_up(_: socket.socket) -> None:
    """Say nothing."""


BAD: dict[str, tuple[Any, str]] = {
    "500 with a page": (reply(b"<h1>Oops</h1>", "text/html", "500 Internal Server Error"), "http-status"),
    "200 with a page": (reply(b"<!doctype html><p>log in", "text/html"), "http-not-sparql"),
    "200 with a page that says it is rows": (reply(b"<!doctype html><p>log in"), "http-cut"),
    "JSON that ends early": (reply(ROWS[:-3]), "http-cut"),
    "JSON that ends after a row": (reply(ROWS[: ROWS.index(b"]}}")]), "http-cut"),
    "nothing": (reply(b""), "http-empty"),
    "pieces without the last": (cut, "http-dropped"),
    "half a piece": (cut_in_a_piece, "http-dropped"),
    "less than was said": (lambda peer: peer.sendall(reply(ROWS)[:-1]), "http-dropped"),
    "drops": (drip, "http-timeout"),
    "silence": (silence, "http-timeout"),
    "a connection that is closed": (hang_up, "http-dropped"),
    "another place": (reply(b"", "text/plain", "302 Found", "Location: http://127.0.0.1:9/x"), "http-redirect"),
    "a wrong password": (reply(b"", "text/plain", "401 Unauthorized"), "http-auth"),
    "slow down": (reply(b"", "text/plain", "429 Too Many Requests", "Retry-After: 7"), "http-busy"),
    "a language that is missing": (
        reply(
            b'{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","datatype":'
            b'"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"}}]}}'
        ),
        "http-term",
    ),
    "a truth for rows": (reply(YES), "http-kind"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_no_rows_and_takes_no_longer_than_it_may(
    fake: Start, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    answer, key = BAD[name]
    monkeypatch.setenv(address.TIMEOUT, SECONDS)
    server = fake(answer)
    with HttpStore(Client(address.read(server.url)), Capabilities("/q", None, None, union=False, product="-")) as store:
        for asked, expected in ((store, key), (Worker(store, LIMITS), OF_WORKER.get(key, key))):
            began = time.monotonic()
            with pytest.raises(StoreUnavailable) as told:
                asked.select(ALL)
            assert time.monotonic() - began < float(SECONDS) + 1
            assert (told.value.key, told.value.exit_code) == (expected, 5)
            assert told.value.text("ko") != told.value.text("en")


@pytest.mark.parametrize("name", BAD)
def test_the_command_line_ends_with_5_and_prints_no_row(
    fake: Start, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setenv(address.TIMEOUT, SECONDS)
    server = fake(BAD[name][0])
    began = time.monotonic()
    assert run(["query", "SELECT ?x { ?s ?p ?x }", "--store", server.url + "/sparql", "--lang", "en"]) == 5
    assert time.monotonic() - began < float(SECONDS) + 1.5
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert printed.err.startswith(f"judgeloop: {server.url}/")


def test_a_server_that_is_down_is_told_at_once(unused_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    assert run(["query", "ASK {}", "--store", unused_url, "--lang", "en"]) == 5
    assert time.monotonic() - began < 2
    assert capsys.readouterr().err.startswith(f"judgeloop: {unused_url}/query: the server can't be reached")


# --- right answers that look wrong

ODD = [
    "\u2028",
    "\u2029",
    "a\x00b",
    "\x01\x1f",
    "\r\n",
    "\ufeff",
    "\U0001f600",
    "e\u0301",
    '"""',
    ") OR label:(",
    "한글 ",
]


@pytest.mark.parametrize("spelt", ["as they are", "escaped"])
def test_odd_characters_come_from_a_server_as_they_are(fake: Start, spelt: str) -> None:
    table = {"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "literal", "value": v}} for v in ODD]}}
    body = json.dumps(table, ensure_ascii=spelt == "escaped").encode()
    server = fake(reply(body))
    with HttpStore(Client(address.read(server.url)), Capabilities("/q", None, None, union=False, product="-")) as store:
        assert [row["x"] for row in store.select(ALL)] == [Literal(value) for value in ODD]


def test_odd_characters_go_to_a_store_and_come_back(store: Store) -> None:
    p = NamedNode("http://example.org/p")
    triples = {Triple(NamedNode(f"http://example.org/{n}"), p, Literal(value)) for n, value in enumerate(ODD)}
    store.put_once({"http://example.org/g": triples})
    assert set(store.graph("http://example.org/g")) == triples
    find = "# @param x: string\nASK { GRAPH ?g { ?s ?p $x } }"
    with Worker(store) as asked:
        for value in ODD:
            bound = bind(parse(find, "find.rq"), {"x": value})
            assert store.ask(bound) is asked.ask(bound) is True, repr(value)


def test_ten_thousand_and_one_hits_are_all_there_or_none(store: Store) -> None:
    p = NamedNode("http://example.org/p")
    valves = [Triple(NamedNode(f"http://example.org/{n}"), p, Literal("밸브")) for n in range(10_001)]
    store.put_once({"http://example.org/g": valves})
    hits = bind(parse("SELECT ?s { GRAPH ?g { ?s ?p ?x FILTER(CONTAINS(?x, '밸브')) } }", "hits.rq"), {})
    found = store.select(hits)
    assert (len(found), found.complete) == (10_001, True)
    with Worker(store) as asked, pytest.raises(StoreUnavailable) as told:
        asked.select(hits)
    assert told.value.key == "query-limit-rows"


def test_an_address_without_a_server_of_its_own_is_not_probed_for_ever(
    fake: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(address.TIMEOUT, SECONDS)
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        open_store(fake(drip).url)
    assert time.monotonic() - began < float(SECONDS) + 1
