"""Connections that end at a deadline, and the answers that come on them: HTTP/1.1 (RFC 9112) as a client needs it.

`http.client` sends head and body apart and makes an e-mail of every head; that took longer than a short query itself.
"""

import re
import select
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from http.client import (
    BadStatusLine,
    HTTPException,
    IncompleteRead,
    LineTooLong,
    RemoteDisconnected,
    UnknownTransferEncoding,
)
from typing import Final

PIECE: Final = 65536
_LONGEST_HEAD: Final = 65536
_END: Final = b"\r\n\r\n"
_STATUS: Final = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9]{2})(?: .*)?")
_FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")
_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
_INFORMS: Final = 200
"""Statuses below it announce another answer."""
_BODILESS: Final = frozenset({204, 304})


class BadChunk(HTTPException):
    """A piece of an answer has no size, or is longer than that."""


class BadHeader(HTTPException):
    """A line between status and body is no header field."""


class Headers:
    """Header fields by name, whatever its case."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        """Keep fields whose names are in lower case."""
        self._fields = fields

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return the value of a field, or ``default`` where there is none."""
        return self._fields.get(name.lower(), default)


@dataclass(frozen=True, slots=True)
class Head:
    """How an answer begins, and where it ends."""

    status: int
    headers: Headers
    chunked: bool
    length: int | None
    """Bytes of the body; None where it ends with its chunks or with the connection."""
    last: bool
    """Whether the connection ends with this answer."""

    @property
    def framed(self) -> bool:
        """Say whether the server said where the answer ends."""
        return self.chunked or self.length is not None


class Connection:
    """A connection whose every operation ends at ``deadline`` (`time.monotonic`)."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        """Prepare to connect; nothing is sent yet."""
        self.sock: socket.socket | None = None
        self.deadline = 0.0
        self.idle_since = 0.0
        self._place = (host, port)
        self._tls = tls
        self._held = bytearray()

    def connect(self) -> None:
        """Connect before the deadline. Does not establish: that looking up the name ends in time."""
        sock = socket.create_connection(self._place, self._left())
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                sock.settimeout(self._left())
                sock = self._tls.wrap_socket(sock, server_hostname=self._place[0])
        except BaseException:
            sock.close()
            raise
        self.sock = sock
        self._held.clear()

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        if self.sock is not None:
            self.sock.close()
        self.sock = None

    def spoke(self) -> bool:
        """Say whether a server that was asked nothing sent something: it closed the connection."""
        waiting = select.poll()
        waiting.register(self._open, select.POLLIN)
        return bool(self._held or waiting.poll(0))

    def send(self, data: bytes) -> None:
        """Send all of it."""
        rest = memoryview(data)
        while rest:
            self._open.settimeout(self._left())
            rest = rest[self._open.send(rest[:PIECE]) :]

    def receive(self, *, bodiless: bool) -> Head:
        """Return how the answer begins; ``bodiless`` says that it has no body, whatever its fields say.

        Raises:
            HTTPException: what comes is no HTTP.
        """
        while (end := self._held.find(_END)) < 0:
            if not self._more():
                raise IncompleteRead(bytes(self._held)) if self._held else RemoteDisconnected("no answer")
            if not self._held.startswith(b"HTTP/"[: len(self._held)]):
                raise BadStatusLine(repr(bytes(self._held[:40])))
            if len(self._held) > _LONGEST_HEAD:
                raise LineTooLong("header")
        head = _head(self._take(end + len(_END))[:end], bodiless=bodiless)
        return self.receive(bodiless=bodiless) if head.status < _INFORMS else head

    def body(self, head: Head, largest: int) -> tuple[bytes, bool]:
        """Return the body, or its beginning where it is larger than ``largest`` bytes, and whether that is all of it.

        Raises:
            IncompleteRead: it ends early.
        """
        if head.chunked:
            return self._chunks(largest)
        if head.length is not None:
            return self._take(min(head.length, largest)), head.length <= largest
        while len(self._held) <= largest and self._more():
            pass
        return bytes(self._held[:largest]), len(self._held) <= largest

    def _chunks(self, largest: int) -> tuple[bytes, bool]:
        pieces: list[bytes] = []
        left = largest
        while size := self._size():
            pieces.append(self._take(min(size, left)))
            left -= size
            if left < 0:
                return b"".join(pieces), False
            if rest := self._line():
                raise BadChunk(repr(rest[:40]))
        while self._line():
            pass  # fields after the last chunk
        return b"".join(pieces), True

    def _size(self) -> int:
        line = self._line()
        found = _SIZE.fullmatch(line)
        if found is None:
            raise BadChunk(repr(line[:40]))
        return int(found[1], 16)

    def _line(self) -> bytes:
        while (end := self._held.find(b"\r\n")) < 0:
            if len(self._held) > _LONGEST_HEAD:
                raise LineTooLong("chunk")
            if not self._more():
                raise IncompleteRead(b"")
        return self._take(end + 2)[:end]

    def _take(self, size: int) -> bytes:
        while len(self._held) < size:
            if not self._more():
                raise IncompleteRead(b"", size - len(self._held))
        taken = bytes(memoryview(self._held)[:size])
        del self._held[:size]
        return taken

    def _more(self) -> bool:
        """Wait for more bytes; say whether any came."""
        self._open.settimeout(self._left())
        piece = self._open.recv(PIECE)
        self._held += piece
        return bool(piece)

    @property
    def _open(self) -> socket.socket:
        if self.sock is None:
            raise ConnectionAbortedError
        return self.sock

    def _left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


@lru_cache(maxsize=16)  # many servers begin every answer with the same bytes
def _head(text: bytes, *, bodiless: bool) -> Head:
    first, *lines = text.split(b"\r\n")
    status = _STATUS.fullmatch(first)
    if status is None:
        raise BadStatusLine(repr(first[:40]))
    fields: dict[str, str] = {}
    for line in lines:
        field = _FIELD.fullmatch(line)
        if field is None:
            raise BadHeader(repr(line[:40]))
        name, value = field[1].decode().lower(), field[2].decode("latin-1")
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    coding = fields.get("transfer-encoding", "").lower()
    length = fields.get("content-length", "")
    if coding not in {"", "chunked"} or (length and not (length.isascii() and length.isdigit())):
        raise UnknownTransferEncoding(repr(coding or length))
    words = fields.get("connection", "").lower()
    code = int(status[2])
    bodiless = bodiless or code in _BODILESS or code < _INFORMS
    chunked = bool(coding) and not bodiless
    size = 0 if bodiless else int(length) if length and not chunked else None
    last = "close" in words or (status[1] == b"0" and "keep-alive" not in words) or not (chunked or size is not None)
    return Head(code, Headers(fields), chunked, size, last)
