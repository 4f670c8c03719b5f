"""Connections that end at a deadline: one for the whole request, however slowly bytes come."""

import http.client
import io
import selectors
import socket
import time
from typing import IO, Any, Final

PIECE: Final = 65536


class Connection(http.client.HTTPConnection):
    """A connection whose every operation ends at ``deadline`` (`time.monotonic`)."""

    deadline = 0.0
    idle_since = 0.0

    def connect(self) -> None:
        """Connect before the deadline. Does not establish: that looking up the name ends in time."""
        self.timeout = max(self.deadline - time.monotonic(), 0.001)
        super().connect()
        self.sock: Any = _Timed(self.sock, self)

    def spoke(self) -> bool:
        """Say whether a server that was asked nothing sent something: it closed the connection."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.sock, selectors.EVENT_READ)
            return bool(waiting.select(0))


class SecureConnection(Connection, http.client.HTTPSConnection):
    """The same over TLS."""


class _Timed:
    """The socket of a connection, as `http.client` uses it."""

    def __init__(self, inner: socket.socket, connection: Connection) -> None:
        self._inner = inner
        self._connection = connection
        self._reading = 0
        self._done = False

    def timely(self) -> socket.socket:
        """Return the socket with the time that is left as its timeout."""
        left = self._connection.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._inner.settimeout(left)
        return self._inner

    def sendall(self, data: bytes) -> None:
        """Send all of it."""
        rest = memoryview(data)
        while rest:
            rest = rest[self.timely().send(rest[:PIECE]) :]

    def makefile(self, _mode: str, *_: object) -> IO[bytes]:
        """Return what reads one answer."""
        self._reading += 1
        return io.BufferedReader(_Answer(self), PIECE)

    def read(self) -> None:
        """Take note that an answer was read to its end."""
        self._reading -= 1
        if self._done:
            self.close()

    def fileno(self) -> int:
        """Return what can be waited for."""
        return self._inner.fileno()

    def close(self) -> None:
        """Close the socket once no answer is read from it any more."""
        self._done = True
        if self._reading <= 0:
            self._inner.close()


class _Answer(io.RawIOBase):
    """The bytes of one answer; the socket stays open after it."""

    def __init__(self, source: _Timed) -> None:
        super().__init__()
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any writable buffer
        return self._source.timely().recv_into(buffer)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._source.read()
