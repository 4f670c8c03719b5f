"""What a client of a server does with answers that are late, cut, too large, not from here, or none at all."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from judgeloop.errors import StoreError, StoreUnavailable
from judgeloop.store import address, wire
from judgeloop.store.capabilities import Capabilities
from judgeloop.store.http import HttpStore
from judgeloop.store.wire import RESULTS, TRIPLES, Client

if TYPE_CHECKING:
    from tests.conftest import Fake

Start = Callable[..., "Fake"]
COLUMNS = ('["graph"]', '["graph","s","p","o"]')
"""Of the question which graphs are there, and of what they hold."""
YES = b'{"head":{},"boolean":true}'


def reply(body: bytes, kind: str = RESULTS, status: str = "200 OK", *more: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *more]
    return "\r\n".join([*lines, "", ""]).encode() + body


@pytest.fixture(autouse=True)
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close what a test opened."""
    made: list[Client] = []
    begin = Client.__init__

    def keep(self: Client, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(Client, "__init__", keep)
    yield
    for each in made:
        each.close()


def client(server: "Fake", largest: int = wire.LARGEST) -> Client:
    return Client(address.read(server.url), largest=largest)


def refused(server: "Fake", accept: str = RESULTS) -> StoreUnavailable:
    with pytest.raises(StoreUnavailable) as told:
        client(server).query("/q", "ASK {}", accept)
    assert told.value.exit_code == 5
    assert told.value.place == f"{server.url}/q"
    return told.value


def hang_up(_: socket.socket) -> None:
    """Close the connection without an answer."""


# --- a whole answer


def test_a_query_is_posted_as_it_is_and_the_whole_answer_returned(fake: Start) -> None:
    server = fake(reply(YES))
    assert client(server).query("/q", "ASK { ?s ?p '서울' }").content == YES
    line, headers, body = server.requests[0]
    assert line == "POST /q HTTP/1.1"
    assert (headers["Content-Type"], headers["Accept"]) == ("application/sparql-query", RESULTS)
    assert headers["User-Agent"].startswith("judgeloop/")
    assert body.decode() == "ASK { ?s ?p '서울' }"


def test_one_connection_serves_many_requests(fake: Start) -> None:
    server = fake(reply(YES))
    asking = client(server)
    for _ in range(5):
        asking.query("/q", "ASK {}")
    assert (server.connections, len(server.requests)) == (1, 5)


def test_each_thread_has_its_own_connection(fake: Start) -> None:
    server = fake(reply(YES))
    asking = client(server)
    threads = [threading.Thread(target=asking.query, args=("/q", "ASK {}")) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (server.connections, len(server.requests)) == (3, 3)


def test_an_answer_that_ends_with_its_connection_is_read_to_the_end(fake: Start) -> None:
    server = fake(b"HTTP/1.1 200 OK\r\nContent-Type: " + RESULTS.encode() + b"\r\nConnection: close\r\n\r\n" + YES)
    asking = client(server)
    assert [asking.query("/q", "ASK {}").content for _ in range(2)] == [YES, YES]
    assert server.connections == 2


# --- late


def test_an_answer_that_drips_ends_at_the_deadline(fake: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def drip(peer: socket.socket) -> None:
        peer.sendall(reply(b" " * 1000)[:-1000])
        for _ in range(100):
            peer.sendall(b" ")
            time.sleep(0.05)

    monkeypatch.setenv(address.TIMEOUT, "0.4")
    began = time.monotonic()
    told = refused(fake(drip))
    assert 0.3 < time.monotonic() - began < 2
    assert told.key == "http-timeout"
    assert "0.4 s" in told.text()
    assert address.TIMEOUT in told.text("ko")


def test_headers_that_drip_end_at_the_deadline(fake: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def drip(peer: socket.socket) -> None:
        for byte in b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50:
            peer.sendall(bytes([byte]))
            time.sleep(0.05)

    monkeypatch.setenv(address.TIMEOUT, "0.4")
    began = time.monotonic()
    assert refused(fake(drip)).key == "http-timeout"
    assert time.monotonic() - began < 2


def test_a_write_without_an_answer_may_have_been_done_and_is_told_so(
    fake: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sleep(_: socket.socket) -> None:
        time.sleep(1)

    monkeypatch.setenv(address.TIMEOUT, "0.2")
    server = fake(sleep)
    with pytest.raises(StoreUnavailable) as told:
        client(server).update("/u", "CLEAR ALL")
    assert (told.value.key, len(server.requests)) == ("http-unsure", 1)
    assert "nothing within 0.2 s" in told.value.text()
    assert "0.2 초" in told.value.text("ko")


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(address.TIMEOUT, value)
    with pytest.raises(StoreError) as told:
        Client(address.read("http://localhost:1/"))
    assert (told.value.key, told.value.exit_code) == ("http-timeout-value", 2)


# --- no answer


def test_an_internal_error_is_told_with_its_first_words(fake: Start) -> None:
    told = refused(fake(reply(b"<h1>Out of\nheap</h1>", "text/html", "500 Internal Server Error")))
    assert (told.key, told.params["status"], told.params["kind"]) == ("http-status", 500, "text/html")
    assert "<h1>Out of heap</h1>" in told.text()


def test_after_an_internal_error_a_new_connection_is_made(fake: Start) -> None:
    server = fake(reply(b"", "text/plain", "500 Internal Server Error"), reply(YES))
    asking = client(server)
    with pytest.raises(StoreUnavailable):
        asking.query("/q", "ASK {}")
    asking.query("/q", "ASK {}")
    assert server.connections == 2


def test_a_web_page_is_no_answer(fake: Start) -> None:
    told = refused(fake(reply(b"<!doctype html><title>Welcome</title>", "text/html; charset=utf-8")))
    assert (told.key, told.params["kind"]) == ("http-not-sparql", "text/html")
    assert "Welcome" in told.text()


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/sparql-results+xml", ""])
def test_another_media_type_is_no_answer(fake: Start, kind: str) -> None:
    assert refused(fake(reply(YES, kind))).key == "http-not-sparql"


def test_an_empty_answer_is_no_answer(fake: Start) -> None:
    assert refused(fake(reply(b""))).key == "http-empty"


def test_a_packed_answer_is_no_answer(fake: Start) -> None:
    assert refused(fake(reply(YES, RESULTS, "200 OK", "Content-Encoding: gzip"))).key == "http-encoding"


def test_an_answer_shorter_than_it_said_is_no_answer(fake: Start) -> None:
    def short(peer: socket.socket) -> None:
        peer.sendall(reply(YES)[:-3])

    told = refused(fake(short))
    assert told.key == "http-dropped"
    assert "3 more expected" in told.text()


def test_an_answer_in_pieces_without_the_last_is_no_answer(fake: Start) -> None:
    def short(peer: socket.socket) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {RESULTS}\r\nTransfer-Encoding: chunked\r\n\r\n"
        peer.sendall(head.encode() + b"1a\r\n" + YES + b"\r\n")

    assert refused(fake(short)).key == "http-dropped"


def test_triples_without_an_end_are_no_answer(fake: Start) -> None:
    """A list of lines that was cut at a line end is a shorter list of lines."""
    server = fake(b"HTTP/1.1 200 OK\r\nContent-Type: " + TRIPLES.encode() + b"\r\nConnection: close\r\n\r\n")
    assert refused(server, TRIPLES).key == "http-unframed"


def test_no_triples_are_an_answer(fake: Start) -> None:
    assert client(fake(reply(b"", TRIPLES))).query("/q", "CONSTRUCT {} {}", TRIPLES).content == b""


def test_something_that_speaks_no_http_is_told(fake: Start) -> None:
    def other(peer: socket.socket) -> None:
        peer.sendall(b"220 mail.example ESMTP\r\n")

    assert refused(fake(other)).key == "http-dropped"


@pytest.mark.parametrize(
    ("fields", "rest", "why"),
    [
        ("Content-Length: 1e3", b"", "UnknownTransferEncoding"),
        ("Content-Length: 29\r\nContent-Length: 30", YES, "UnknownTransferEncoding"),
        ("Transfer-Encoding: gzip, chunked", YES, "UnknownTransferEncoding"),
        ("Transfer-Encoding: chunked", b"-1\r\n\r\n", "BadChunk"),
        ("Transfer-Encoding: chunked", b"1\r\n" + YES + b"\r\n0\r\n\r\n", "BadChunk"),
        ("Transfer-Encoding: chunked", b"x" * 70_000, "LineTooLong"),
        ("no field", b"", "BadHeader"),
        (" folded: 1", b"", "BadHeader"),
    ],
)
def test_an_answer_without_a_clear_end_is_no_answer(fake: Start, fields: str, rest: bytes, why: str) -> None:
    def speak(peer: socket.socket) -> None:
        peer.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: {RESULTS}\r\n{fields}\r\n\r\n".encode() + rest)

    told = refused(fake(speak))
    assert told.key == "http-dropped"
    assert why in told.text()


def test_a_head_without_end_is_no_answer(fake: Start) -> None:
    def speak(peer: socket.socket) -> None:
        peer.sendall(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000)

    assert "LineTooLong" in refused(fake(speak)).text()


def test_pieces_with_extensions_and_fields_after_the_last_are_one_answer(fake: Start) -> None:
    head = f"HTTP/1.1 200 OK\r\nCONTENT-TYPE: {RESULTS}\r\nTransfer-Encoding: Chunked\r\n\r\n".encode()
    pieces = b"5;a=b\r\n" + YES[:5] + b"\r\n" + f"{len(YES) - 5:X}".encode() + b"\r\n" + YES[5:] + b"\r\n"
    server = fake(head + pieces + b"0\r\nX-Sum: 1\r\n\r\n")
    asking = client(server)
    assert [asking.query("/q", "ASK {}").content for _ in range(3)] == [YES] * 3
    assert server.connections == 1


def test_what_comes_before_the_answer_is_passed_over(fake: Start) -> None:
    server = fake(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + reply(YES))
    assert client(server).query("/q", "ASK {}").content == YES


def test_a_path_is_one_line(fake: Start) -> None:
    server = fake(reply(YES))
    for path in ("/q HTTP/1.1\r\nX: y\r\n", "/서울"):
        with pytest.raises(StoreError) as told:
            client(server).query(path, "ASK {}")
        assert told.value.key == "http-url"
    assert server.requests == []


@pytest.mark.parametrize("framing", ["length", "pieces"])
def test_an_answer_that_is_too_large_is_not_kept(fake: Start, framing: str) -> None:
    body = b" " * 3000
    answer = reply(body)
    if framing == "pieces":
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {RESULTS}\r\nTransfer-Encoding: chunked\r\n\r\n"
        answer = head.encode() + b"bb8\r\n" + body + b"\r\n0\r\n\r\n"
    server = fake(answer)
    with pytest.raises(StoreUnavailable) as told:
        client(server, largest=2048).query("/q", "ASK {}")
    assert told.value.key == "http-too-large"
    assert client(server, largest=3000).query("/q", "ASK {}").content == body


def test_nobody_listens(fake: Start) -> None:
    server = fake(reply(YES))
    server.shutdown()
    server.server_close()
    told = refused(server)
    assert told.key == "http-unreachable"
    assert "Connection refused" in told.text()


@pytest.mark.parametrize("after", ["9", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_server_that_is_busy_is_asked_once(fake: Start, after: str) -> None:
    server = fake(reply(b"slow down", "text/plain", "429 Too Many Requests", f"Retry-After: {after}"))
    told = refused(server)
    assert told.key == "http-busy"
    assert f"429); ask again after {after}" in told.text()
    assert len(server.requests) == 1


def test_unavailable_for_a_while_says_how_long(fake: Start) -> None:
    told = refused(fake(reply(b"", "text/plain", "503 Service Unavailable", "Retry-After: 120")))
    assert "after 120 s" in told.text()


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 x"])
def test_nothing_is_asked_where_a_server_sends_on_to(fake: Start, monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    monkeypatch.setenv(address.USER, "writer")
    monkeypatch.setenv(address.PASSWORD, "hunter2")
    other = fake(reply(YES))
    location = other.url.replace("//", "//a:b@") + "/x?token=1"
    told = refused(fake(reply(b"", "text/plain", status, f"Location: {location}")))
    assert (told.key, told.params["target"]) == ("http-redirect", f"{other.url}/x")
    assert other.requests == []


# --- kept connections


def test_a_query_is_asked_once_more_when_a_kept_connection_breaks(fake: Start) -> None:
    server = fake(reply(YES), hang_up, reply(YES))
    asking = client(server)
    asking.query("/q", "ASK {}")
    assert asking.query("/q", "ASK {}").content == YES
    assert (server.connections, len(server.requests)) == (2, 3)


def test_a_query_is_not_asked_a_third_time(fake: Start) -> None:
    server = fake(reply(YES), hang_up)
    asking = client(server)
    asking.query("/q", "ASK {}")
    with pytest.raises(StoreUnavailable) as told:
        asking.query("/q", "ASK {}")
    assert (told.value.key, len(server.requests)) == ("http-dropped", 3)


def test_an_update_is_never_sent_twice(fake: Start) -> None:
    server = fake(reply(YES), hang_up, reply(b"", "text/plain"))
    asking = client(server)
    asking.query("/q", "ASK {}")
    with pytest.raises(StoreUnavailable) as told:
        asking.update("/u", "CLEAR ALL")
    assert (told.value.key, told.value.exit_code) == ("http-unsure", 5)
    assert [line for line, _, _ in server.requests].count("POST /u HTTP/1.1") == 1


def test_an_update_does_not_use_a_connection_that_the_server_has_closed(fake: Start) -> None:
    def answer_and_close(peer: socket.socket) -> None:
        peer.sendall(reply(YES))

    server = fake(answer_and_close, reply(b"", "text/plain"))
    asking = client(server)
    asking.query("/q", "ASK {}")
    time.sleep(0.1)  # until the server's goodbye is here
    assert asking.update("/u", "CLEAR ALL").status == 200
    assert server.connections == 2


def test_a_connection_that_was_idle_for_long_is_not_used_again(fake: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "IDLE_SECONDS", 0.0)
    server = fake(reply(YES))
    asking = client(server)
    asking.query("/q", "ASK {}")
    asking.query("/q", "ASK {}")
    assert server.connections == 2


# --- who asks


def test_a_wrong_password_is_told_without_it(fake: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(address.USER, "writer")
    monkeypatch.setenv(address.PASSWORD, "hunter2")
    server = fake(reply(b"no", "text/plain", "401 Unauthorized"))
    told = refused(server)
    assert told.key == "http-auth"
    assert [word for word in ("401", "~/.netrc", address.USER, address.PASSWORD) if word not in told.text()] == []
    assert server.requests[0][1]["Authorization"] == "Basic d3JpdGVyOmh1bnRlcjI="  # base64 of writer:hunter2
    shown = f"{told!r} {told.text()} {told.text('ko')} {client(server).address!r}"
    assert [secret for secret in ("hunter2", "d3JpdGVyOmh1bnRlcjI=") if secret in shown] == []


def test_a_user_without_the_right_is_told_the_same(fake: Start) -> None:
    assert refused(fake(reply(b"", "text/plain", "403 Forbidden"))).key == "http-auth"


# --- over TLS


@pytest.fixture
def secure(fake: Start) -> str:
    """Return the address of a server with a certificate that nobody vouches for."""
    server = fake(reply(YES))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("untrusted.pem"))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    return server.url.replace("http:", "https:")


def test_a_certificate_that_nobody_vouches_for_is_refused(secure: str) -> None:
    with pytest.raises(StoreUnavailable) as told:
        Client(address.read(secure)).query("/q", "ASK {}")
    assert told.value.key == "http-certificate"
    assert "SSL_CERT_FILE" in told.value.text()
    assert "self-signed" in told.value.text()


def test_a_certificate_that_the_user_vouches_for_is_taken(secure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(Path(__file__).with_name("untrusted.pem")))
    asking = Client(address.read(secure))
    assert [asking.query("/q", "ASK {}").content for _ in range(3)] == [YES] * 3


def test_a_server_without_tls_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def speak() -> None:
            peer, _ = plain.accept()
            with peer:
                peer.sendall(reply(b"", "text/plain", "400 Bad Request"))
                peer.recv(4096)

        thread = threading.Thread(target=speak)
        thread.start()
        with pytest.raises(StoreUnavailable) as told:
            Client(address.read(f"https://127.0.0.1:{plain.getsockname()[1]}")).query("/q", "ASK {}")
        thread.join()
    assert told.value.key == "http-tls"
    assert "https?" in told.value.text()


# --- what the store makes of it


def store_of(server: "Fake", update: str | None = "/u") -> HttpStore:
    return HttpStore(client(server), Capabilities("/q", update, None, union=False, product="-"))


def test_half_an_answer_is_no_answer_though_its_length_is_right(fake: Start) -> None:
    rows = json.dumps(
        {"head": {"vars": ["graph"]}, "results": {"bindings": [{"graph": {"type": "uri", "value": "urn:xx:1"}}]}}
    )
    with pytest.raises(StoreUnavailable) as told:
        store_of(fake(reply(rows.encode()[:-2]))).graphs()
    assert told.value.key == "http-cut"


def test_half_a_truth_is_no_truth(fake: Start) -> None:
    with pytest.raises(StoreUnavailable) as told:
        store_of(fake(reply(YES[:-1]))).has_graph("urn:xx:1")
    assert told.value.key == "http-cut"


def test_rows_are_no_answer_to_ask_and_a_truth_is_none_to_select(fake: Start) -> None:
    rows = reply(b'{"head":{"vars":[]},"results":{"bindings":[]}}')
    for ask in (store_of(fake(rows)).has_graph, store_of(fake(reply(YES))).count):
        with pytest.raises(StoreUnavailable) as told:
            ask("urn:xx:1")
        assert told.value.key == "http-kind"


def test_rows_of_another_query_are_no_answer(fake: Start) -> None:
    store = store_of(fake(reply(b'{"head":{"vars":["x"]},"results":{"bindings":[]}}')))
    for ask in (store.graphs, lambda: store.count("urn:xx:1"), lambda: store.graph("urn:xx:1")):
        with pytest.raises(StoreUnavailable) as told:
            ask()
        assert told.value.key == "http-kind"


def test_columns_in_another_order_are_the_same_columns(fake: Start) -> None:
    row = {"o": {"type": "literal", "value": "o"}, **{n: {"type": "uri", "value": f"urn:xx:{n}"} for n in "sp"}}
    table = {"head": {"vars": ["o", "p", "s"]}, "results": {"bindings": [row]}}
    store = store_of(fake(reply(json.dumps(table).encode())))
    assert list(store.graph("urn:xx:1")) == [Triple(NamedNode("urn:xx:s"), NamedNode("urn:xx:p"), Literal("o"))]


def test_endless_headers_are_no_answer(fake: Start) -> None:
    def talk(peer: socket.socket) -> None:
        peer.sendall(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 5000)

    assert refused(fake(talk)).key == "http-dropped"


def test_a_write_that_was_accepted_and_not_done_is_told(fake: Start) -> None:
    graph = "urn:xx:1"
    nothing = [reply(f'{{"head":{{"vars":{names}}},"results":{{"bindings":[]}}}}'.encode()) for names in COLUMNS]
    written = {graph: [Triple(NamedNode("urn:xx:s"), NamedNode("urn:xx:p"), Literal("서울"))]}
    with pytest.raises(StoreUnavailable) as told:
        store_of(fake(nothing[0], reply(b"", "text/plain"), nothing[1])).put_once(written)
    assert told.value.key == "http-not-written"


def test_an_address_that_takes_no_updates_is_told_when_something_is_written(fake: Start) -> None:
    server = fake(reply(b'{"head":{"vars":["graph"]},"results":{"bindings":[]}}'))
    with pytest.raises(StoreUnavailable) as told:
        store_of(server, update=None).drop("urn:xx:1")
    assert (told.value.key, server.requests) == ("http-read-only", [])
