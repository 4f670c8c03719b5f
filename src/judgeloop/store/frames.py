"""The words that a worker and its owner exchange over two pipes: frames of a kind, a length and that many bytes.

A request is one frame of JSON, after which N-Quads may follow in pieces; a reply is one frame of JSON, after which one
frame with an answer may follow. Nothing that comes out of a pipe is ever run.
"""

import io
import json
import struct
from collections.abc import Callable, Mapping
from typing import IO, Any, Final, Literal, cast

from judgeloop.errors import BadInput, JudgeloopError, StoreError, StoreUnavailable

Kind = Literal[b"J", b"D", b"E", b"A"]
"""JSON, a piece of data, the end of the data, an answer."""

_HEAD: Final = struct.Struct(">cQ")
_PIECE: Final = 2**20
_ERRORS: Final = {kind.__name__: kind for kind in (BadInput, StoreError, StoreUnavailable)}


def send(out: IO[bytes], kind: Kind, content: bytes = b"") -> None:
    """Write one frame; what was written waits in ``out`` until that is flushed."""
    out.write(_HEAD.pack(kind, len(content)))
    out.write(content)


def receive(source: IO[bytes], largest: int | None = None) -> tuple[Kind, bytes]:
    """Return kind and content of the next frame.

    Raises:
        EOFError: the other side is gone, or its frame is larger than ``largest`` bytes.
    """
    head = source.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise EOFError
    kind, length = _HEAD.unpack(head)
    if largest is not None and length > largest:
        raise EOFError
    content = source.read(length)
    if len(content) < length:
        raise EOFError
    return cast("Kind", kind), content


def send_json(out: IO[bytes], value: Mapping[str, Any]) -> None:
    """Write one frame of JSON."""
    send(out, b"J", json.dumps(value).encode())


class Pieces(io.RawIOBase):
    """Takes data of any length and sends it in frames of at most 1 MiB."""

    def __init__(self, out: IO[bytes]) -> None:
        """Send to ``out``."""
        super().__init__()
        self._out = out

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, content: Any) -> int:  # noqa: ANN401 - any buffer
        """Send what the buffer around this one has collected."""
        with memoryview(content) as view:
            for at in range(0, len(view), _PIECE):
                send(self._out, b"D", bytes(view[at : at + _PIECE]))
            return len(view)


def send_data(out: IO[bytes], fill: Callable[[IO[bytes]], object]) -> None:
    """Send what ``fill`` writes, and its end."""
    with io.BufferedWriter(Pieces(out), _PIECE) as pieces:
        fill(pieces)
    send(out, b"E")


class Received(io.RawIOBase):
    """Reads the data that `send_data` sent, to its end."""

    def __init__(self, following: Callable[[], tuple[Kind, bytes]]) -> None:
        """Take frames from ``following``."""
        super().__init__()
        self._following = following
        self._rest = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any writable buffer
        """Give what is there of the current piece."""
        while not self._rest and not self._ended:
            kind, content = self._following()
            self._rest, self._ended = memoryview(content), kind == b"E"
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def told(error: JudgeloopError) -> dict[str, Any]:
    """Return an error in a form that JSON takes."""
    kind = type(error).__name__
    params = {name: v if isinstance(v, int | float | dict) else str(v) for name, v in error.params.items()}
    known = kind if kind in _ERRORS else "StoreError"
    return {"error": known, "key": error.key, "place": error.place, "params": params}


def error_of(reply: Mapping[str, Any]) -> JudgeloopError:
    """Return the error that `told` told."""
    return _ERRORS[reply["error"]](reply["key"], place=reply["place"], **reply["params"])
