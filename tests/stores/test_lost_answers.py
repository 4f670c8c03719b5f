"""A write whose answer is lost: what is there decides, nothing is sent twice, and trying again is safe.

Between store and server stands a relay that breaks one update as it is told to.
"""

import contextlib
import http.client
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple

from judgeloop.errors import StoreConflict, StoreUnavailable
from judgeloop.rdf.canonical import name
from judgeloop.store import http as http_store
from judgeloop.store import open_store
from judgeloop.store.heads import Head
from judgeloop.store.http import HttpStore
from judgeloop.vocab import HEADS, JL, SELF

E = "http://example.org/"
P = NamedNode(E + "p")
IRI, TRIPLES = name([Triple(NamedNode(SELF), P, Literal("하나"))], E + "verdict/")
OTHER, OTHERS = name([Triple(NamedNode(SELF), P, Literal("둘"))], E + "verdict/")
FAILED = b"HTTP/1.1 504 Gateway Timeout\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"
Use = Callable[[HttpStore], object]


def head(verdict: str) -> Head:
    return Head(E + "head/1", "사례", E + "contract", verdict, JL + "PASS", 1, None)


class Relay(socketserver.ThreadingTCPServer):
    """Passes requests on, except the update that writes: that one is broken as ``fault`` says, once."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Between)
        self.host = url.removeprefix("http://")
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.fault = ""
        self.marked = IRI
        self.then: Callable[[], None] = lambda: None
        self.deaf = False
        self.broken = 0

    def takes(self, body: bytes) -> bool:
        """Say whether this is the request to break."""
        return bool(self.fault) and self.marked.encode() in body


class _Between(socketserver.StreamRequestHandler):
    server: Relay

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            while line := self.rfile.readline():
                headers = http.client.parse_headers(self.rfile)
                body = self.rfile.read(int(headers.get("Content-Length", 0)))
                method, path, _ = line.decode().split()
                if self.server.deaf:
                    return
                hit = path == "/update" and self.server.takes(body)
                answer = b"" if hit and "before" in self.server.fault else self.ask(method, path, headers, body)
                if hit:
                    self.server.broken += 1
                    self.server.then()
                    if "status" in self.server.fault:
                        self.connection.sendall(FAILED)
                        continue
                    self.connection.sendall(answer[:20] if "cut" in self.server.fault else b"")
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.connection.sendall(answer)

    def ask(self, method: str, path: str, headers: http.client.HTTPMessage, body: bytes) -> bytes:
        kinds = {key: value for key in ("Content-Type", "Accept") if (value := headers[key])}
        with contextlib.closing(http.client.HTTPConnection(self.server.host, timeout=20)) as connection:
            connection.request(method, path, body, kinds)
            got = connection.getresponse()
            content = got.read()
        told = f"HTTP/1.1 {got.status} {got.reason}\r\nContent-Type: {got.headers.get('Content-Type', '')}\r\n"
        return told.encode() + f"Server: test\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content


@pytest.fixture
def relay(empty_server: str) -> Iterator[Relay]:
    with Relay(empty_server) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def store(relay: Relay) -> Iterator[HttpStore]:
    with http_store.at(relay.url) as opened:
        yield opened


USES: dict[str, Use] = {
    "graphs": lambda store: store.put_once({IRI: TRIPLES}),
    "head": lambda store: store.put_once({IRI: TRIPLES}, head=head(IRI)),
    "extra": lambda store: store.put_once({}, [Quad(NamedNode(IRI), P, Literal("x"), NamedNode(HEADS))]),
    "replace": lambda store: store.replace(IRI, TRIPLES),
    "drop": lambda store: store.drop(IRI),
}


def prepare(name: str, url: str) -> None:
    if name in {"replace", "drop"}:
        with open_store(url) as direct:
            direct.put_once({IRI: OTHERS})


@pytest.mark.parametrize("fault", ["after", "after, cut", "after, status"])
@pytest.mark.parametrize("use", USES)
def test_a_write_that_was_done_is_found_and_is_no_error(
    relay: Relay, store: HttpStore, empty_server: str, use: str, fault: str
) -> None:
    prepare(use, empty_server)
    relay.fault = fault
    assert USES[use](store) in {True, None}
    assert relay.broken == 1
    with open_store(empty_server) as direct:
        there = {"extra": [HEADS], "drop": [], "head": [IRI, HEADS]}.get(use, [IRI])
        assert direct.graphs() == sorted(there)
    relay.fault = ""
    assert USES[use](store) in {False, None}


@pytest.mark.parametrize("fault", ["before", "before, status"])
@pytest.mark.parametrize("use", USES)
def test_a_write_that_was_not_done_says_so_and_may_be_tried_again(
    relay: Relay, store: HttpStore, empty_server: str, use: str, fault: str
) -> None:
    prepare(use, empty_server)
    relay.fault = fault
    with pytest.raises(StoreUnavailable) as told:
        USES[use](store)
    assert (relay.broken, told.value.exit_code) == (1, 5)
    assert told.value.key == ("http-status" if "status" in fault else "http-lost")
    with open_store(empty_server) as direct:
        assert direct.graphs() == ([IRI] if use in {"replace", "drop"} else [])
    relay.fault = ""
    assert USES[use](store) in {True, None}


def test_a_write_that_lands_after_it_was_given_up_is_not_written_twice(
    relay: Relay, store: HttpStore, empty_server: str
) -> None:
    relay.fault = "before"
    with pytest.raises(StoreUnavailable):
        USES["head"](store)
    relay.fault = ""
    with open_store(empty_server) as late:  # the server was slow, and does it now
        late.put_once({IRI: TRIPLES}, head=head(IRI))
    assert USES["head"](store) is False
    assert sum(t.predicate.value == JL + "verdict" for t in store.heads()) == 1


def test_a_lost_answer_and_another_writer_are_a_conflict(relay: Relay, store: HttpStore, empty_server: str) -> None:
    def first() -> None:
        with http_store.at(empty_server) as other:
            other._writer._serial = True  # it does not wait for an announcement
            other.put_once({OTHER: OTHERS}, head=head(OTHER))

    relay.fault, relay.then = "before", first
    with pytest.raises(StoreConflict):
        USES["head"](store)
    with open_store(empty_server) as direct:
        assert direct.graphs() == sorted([OTHER, HEADS])


def test_an_announcement_without_an_answer_is_taken_back(relay: Relay, store: HttpStore) -> None:
    relay.fault, relay.marked = "after", "Lamport"
    relay.then = lambda: setattr(relay, "fault", "")
    with pytest.raises(StoreUnavailable) as told:
        USES["head"](store)
    assert (told.value.key, store.graphs()) == ("http-unsure", [])
    assert USES["head"](store) is True  # at once: nobody stands in the way


def test_when_nobody_can_tell_that_is_told(relay: Relay, store: HttpStore) -> None:
    def die() -> None:
        relay.deaf = True

    relay.fault, relay.then = "after", die
    with pytest.raises(StoreUnavailable) as told:
        USES["graphs"](store)
    assert (told.value.key, relay.broken) == ("http-unsure", 1)
    relay.deaf, relay.fault = False, ""
    assert USES["graphs"](store) is False
