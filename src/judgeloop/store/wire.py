"""One client of one server: requests over kept connections, each with one deadline, each answer whole or refused.

An update is never sent twice. A query is, once, when a kept connection turns out to be closed.
"""

import http.client
import ssl
import threading
import time
import weakref
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, NamedTuple

from judgeloop.errors import StoreUnavailable
from judgeloop.store.address import QUERY_SECONDS, UPDATE_SECONDS, Address, seconds
from judgeloop.store.connection import Connection, Head, Headers
from judgeloop.store.refusals import broken, refusal, unreachable

RESULTS: Final = "application/sparql-results+json"
TRIPLES: Final = "application/n-triples"
LARGEST: Final = 256 * 2**20
"""Bytes of one answer."""
IDLE_SECONDS: Final = 20.0
"""A connection that was left alone for longer is not used again; servers close theirs after some 30 s."""
_WORDS: Final = 4096
"""Bytes of a refusal that are read."""


class Reply(NamedTuple):
    """What a server answered."""

    status: int
    headers: Headers
    content: bytes
    framed: bool
    """Whether the server said where the answer ends."""

    @property
    def kind(self) -> str:
        """Return the media type without its parameters."""
        return (self.headers.get("Content-Type") or "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str]
    seconds: float
    writes: bool = False


class Client:
    """Asks one server; threads may share it, each has a connection of its own."""

    def __init__(self, address: Address, *, largest: int = LARGEST) -> None:
        """Prepare to ask; nothing is sent yet."""
        self.address = address
        self._largest = largest
        self._query_seconds, self._update_seconds = seconds(QUERY_SECONDS), seconds(UPDATE_SECONDS)
        self._tls = ssl.create_default_context() if address.tls else None
        self._own = threading.local()
        self._open: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._headers = {
            "Host": address.at("").partition("//")[2],
            "User-Agent": f"judgeloop/{version('judgeloop')}",
            "Accept-Encoding": "identity",
        }
        self._begun: dict[tuple[str, ...], bytes] = {}
        """Requests up to their length, by what differs in them: a client sends few kinds."""
        if address.authorization:
            self._headers["Authorization"] = address.authorization

    def query(self, path: str, text: str, accept: str = RESULTS) -> Reply:
        """Return the whole answer of a query, which is of the media type ``accept``.

        Raises:
            StoreUnavailable: there is no such answer.
        """
        headers = {"Content-Type": "application/sparql-query", "Accept": accept}
        reply = self._send(Request("POST", path, text.encode(), headers, self._query_seconds))
        place = self.address.at(path)
        if reply.status != http.HTTPStatus.OK or reply.kind != accept:
            raise refusal(place, reply.status, reply.kind, reply.headers, reply.content)
        if (packed := (reply.headers.get("Content-Encoding") or "identity").lower()) != "identity":
            raise StoreUnavailable("http-encoding", place=place, kind=packed)
        if not reply.content and accept != TRIPLES:
            raise StoreUnavailable("http-empty", place=place)
        if accept == TRIPLES and not reply.framed:  # lines that end early look like fewer lines
            raise StoreUnavailable("http-unframed", place=place)
        return reply

    def update(self, path: str, text: str) -> Reply:
        """Send an update once. Does not establish: that anything was written; read it back.

        Raises:
            StoreUnavailable: the server refused, or did not say what it did.
        """
        headers = {"Content-Type": "application/sparql-update", "Accept": "*/*"}
        reply = self._send(Request("POST", path, text.encode(), headers, self._update_seconds, writes=True))
        if reply.status not in {http.HTTPStatus.OK, http.HTTPStatus.NO_CONTENT}:
            raise refusal(self.address.at(path), reply.status, reply.kind, reply.headers, reply.content)
        return reply

    def head(self, path: str) -> int:
        """Return the status that a path has."""
        return self._send(Request("HEAD", path, b"", {"Accept": TRIPLES}, self._query_seconds)).status

    def close(self) -> None:
        """Close all connections; closing twice is fine."""
        for connection in list(self._open):
            connection.close()

    def _send(self, request: Request) -> Reply:
        place = self.address.at(request.path)
        deadline = time.monotonic() + request.seconds
        while True:
            connection = self._connection()
            kept = connection.sock is not None
            connection.deadline = deadline
            try:
                if not kept:
                    connection.connect()
            except (OSError, UnicodeError) as error:
                connection.close()
                raise unreachable(place, error, request.seconds) from None
            try:
                reply = self._exchange(connection, request, place)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if kept and not request.writes and isinstance(error, ConnectionError):
                    continue  # the next connection is new, so this happens once
                raise broken(place, error, request.seconds, writes=request.writes) from None
            connection.idle_since = time.monotonic()
            return reply

    def _exchange(self, connection: Connection, request: Request, place: str) -> Reply:
        connection.send(self._written(request))
        head = connection.receive(bodiless=request.method == "HEAD")
        if not http.HTTPStatus.OK <= head.status < http.HTTPStatus.MULTIPLE_CHOICES:
            content = _words(connection, head)
            connection.close()  # some servers count the bytes of a refusal wrongly
            return Reply(head.status, head.headers, content, framed=True)
        content, whole = connection.body(head, self._largest)
        if head.last or not whole:
            connection.close()
        if not whole:
            raise StoreUnavailable("http-too-large", place=place, limit=f"{self._largest / 2**20:g}")
        return Reply(head.status, head.headers, content, head.framed)

    def _written(self, request: Request) -> bytes:
        """Return a request as it goes over the wire, in one piece."""
        kind = (request.method, request.path, *request.headers.values())
        if (begin := self._begun.get(kind)) is None:
            fields = self._headers | request.headers
            lines = [f"{request.method} {request.path or '/'} HTTP/1.1", *(f"{k}: {v}" for k, v in fields.items())]
            if not all(line.isascii() and line.isprintable() for line in lines):
                raise StoreUnavailable("http-url", place=self.address.url, why="-")  # it would be more than one line
            begin = self._begun[kind] = "\r\n".join([*lines, "Content-Length: "]).encode("latin-1")
        return b"%b%d\r\n\r\n%b" % (begin, len(request.body), request.body)

    def _connection(self) -> Connection:
        found: Connection | None = getattr(self._own, "connection", None)
        if found is None:
            host, port = self.address.host, self.address.port
            found = Connection(host, port, self._tls)
            self._own.connection = found
            self._open.add(found)
        elif found.sock is not None and (time.monotonic() - found.idle_since > IDLE_SECONDS or found.spoke()):
            found.close()
        return found


def _words(connection: Connection, head: Head) -> bytes:
    """Return how a refusal begins; where it can't be read, its status says enough."""
    try:
        return connection.body(head, _WORDS)[0]
    except (OSError, http.client.HTTPException):
        return b""
