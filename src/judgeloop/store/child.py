"""The process that a worker's queries run in; started as ``python -m judgeloop.store.child`` and killed at will.

It ends with its owner: where the pipe from there ends, so does this process, in the midst of a query too.
"""

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

import pyoxigraph
from pyoxigraph import QueryResultsFormat, RdfFormat

from judgeloop.errors import JudgeloopError, StoreError
from judgeloop.rdf.rq import BoundQuery, QueryKind, parse
from judgeloop.store import MEMORY, failures, frames, staging
from judgeloop.store.embedded import EmbeddedStore

resource: Any = None
with contextlib.suppress(ImportError):  # Windows: no limits of the system, those of the owner remain
    import resource

_WAITING: Final = 8
"""Frames that may wait before their sender has to."""
_STATUS: Final = Path("/proc/self/status")
_ANY: Final = parse("ASK {}", "query")


class _Over(Exception):
    """An answer grew over one of its limits, which is the first argument."""


class Bounded(EmbeddedStore):
    """A store whose answers are written down as far as their limits go, and not at all beyond."""

    def __init__(self, engine: pyoxigraph.Store, place: str = MEMORY) -> None:
        """Hold an engine; whatever else stands in the folder of a store is its owner's."""
        super().__init__(engine, MEMORY, b"")
        self.url = place

    def answer(self, query: BoundQuery, graphs: Sequence[str] | None, limits: Mapping[str, int | None]) -> Any:  # noqa: ANN401
        """Return the truth of an ASK, or the answer of another query as text."""
        kind: QueryKind = query.query.kind
        reads: dict[str, Callable[[Any], object]] = {
            "ask": bool,
            "select": lambda found: _Text(limits["bytes"]).of_rows(found),
            "construct": lambda found: _Text(limits["bytes"]).of_triples(found, limits["rows"]),
        }
        return self._run(query, kind, graphs, reads[kind])


class _Text:
    """What an engine writes, until it is too much."""

    def __init__(self, largest: int | None) -> None:
        self._left = sys.maxsize if largest is None else largest
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._left -= len(piece)
        if self._left < 0:
            raise _Over("bytes")
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Do nothing: all is kept."""

    def of_rows(self, found: pyoxigraph.QuerySolutions) -> bytes:
        found.serialize(self, format=QueryResultsFormat.JSON)  # type: ignore[arg-type] # it needs no more than this
        return b"".join(self._pieces)

    def of_triples(self, found: pyoxigraph.QueryTriples, most: int | None) -> bytes:
        """Write each triple once: a template may give the same one a million times."""
        seen = set[pyoxigraph.Triple]()
        for triple in found:
            if triple not in seen:
                seen.add(triple)
                self.write(f"{triple} .\n".encode())
            if most is not None and len(seen) > most:
                raise _Over("rows")
        return b"".join(self._pieces)


class _Child:
    """Reads requests, holds one store, and answers."""

    def __init__(self, source: IO[bytes], out: IO[bytes]) -> None:
        self._source, self._out = source, out
        self._frames: queue.Queue[tuple[frames.Kind, bytes]] = queue.Queue(_WAITING)
        self._store = Bounded(pyoxigraph.Store())
        self._taken = 0
        """Bytes of memory that the data takes."""

    def run(self) -> None:
        """Answer until the owner goes away."""
        threading.Thread(target=self._listen, daemon=True).start()
        does = {"files": self._files, "folder": self._folder, "view": self._view, "quads": self._quads}
        while True:
            request = json.loads(self._frames.get()[1])
            answer = None
            try:
                if request["do"] == "query":
                    reply, answer = self._query(request)
                else:
                    self._hold_nothing()
                    does[request["do"]](request)
                    reply = {"graphs": self._store.graphs()}
                    self._close_doors(files=request["do"] in {"files", "quads"})
            except JudgeloopError as error:
                reply = frames.told(error)
            except MemoryError:
                reply = {"over": "memory"}
            except _Over as limit:
                reply = {"over": str(limit)}
            frames.send_json(self._out, {**reply, "answer": answer is not None})
            if answer is not None:
                frames.send(self._out, b"A", answer)
            self._out.flush()

    def _listen(self) -> None:
        """Pass on what comes in, and end the process where nothing can come any more."""
        with contextlib.suppress(EOFError):
            while True:
                self._frames.put(frames.receive(self._source))
        os._exit(0)

    def _query(self, request: Mapping[str, Any]) -> tuple[dict[str, Any], bytes | None]:
        _limit("RLIMIT_DATA", request["memory"] and self._taken + request["memory"])
        text, words = request["text"], frozenset(request["words"])
        form = replace(_ANY, name=request["name"], kind=request["kind"], words=words, text=text, parts=(text,))
        found = self._store.answer(BoundQuery(text, form, {}), request["graphs"], request)
        return ({"truth": found}, None) if isinstance(found, bool) else ({}, found)

    def _hold_nothing(self) -> None:
        _limit("RLIMIT_DATA", None)
        _limit("RLIMIT_NOFILE", None)
        self._store.close()
        self._store = Bounded(pyoxigraph.Store())

    def _quads(self, _: Mapping[str, Any]) -> None:
        """Hold the quads that follow."""
        engine = pyoxigraph.Store()
        engine.bulk_load(frames.Received(self._frames.get), format=RdfFormat.N_QUADS, lenient=True)  # type: ignore[arg-type]
        self._store = Bounded(engine)

    def _files(self, request: Mapping[str, Any]) -> None:
        import judgeloop.store.index  # noqa: F401, PLC0415 - a search can't open its files any more
        from judgeloop.store.files import graphs  # noqa: PLC0415 - costs time that most workers don't need

        self._store.put_once(graphs(request["names"], request["base"]))

    def _folder(self, request: Mapping[str, Any]) -> None:
        """Open a folder as its only user; what a broken write left behind is not seen."""
        path = request["path"]
        try:
            engine = pyoxigraph.Store(path)
            staging.recover(engine)
        except (OSError, RuntimeError) as error:
            raise failures.opening(error, path) from error
        self._store = Bounded(engine, path)

    def _view(self, request: Mapping[str, Any]) -> None:
        """Open the files of a folder as they were, which nobody changes any more."""
        try:
            engine = pyoxigraph.Store.read_only(request["path"])
        except (OSError, RuntimeError) as error:
            raise StoreError("store-unreadable", place=request["place"], why=failures.last_part(error)) from error
        self._store = Bounded(engine, request["place"])

    def _close_doors(self, *, files: bool) -> None:
        """Take note of the memory in use; where nothing need be opened any more, let nothing be, and no socket."""
        with contextlib.suppress(OSError, StopIteration):
            lines = _STATUS.read_text().splitlines()
            self._taken = 1024 * int(next(line for line in lines if line.startswith("VmData:")).split()[1])
        if files:
            _limit("RLIMIT_NOFILE", 0)


def _limit(name: str, most: int | None) -> None:
    """Set one limit of the system, as far as there is such a thing; None takes it away."""
    if resource is None or not hasattr(resource, name):
        return
    kind = getattr(resource, name)
    hard = resource.getrlimit(kind)[1]
    wanted = hard if most is None else most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (wanted, hard))


def main() -> None:
    """Serve the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the owner decides
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed does not stand between frames
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _Child(sys.stdin.buffer, out).run()


if __name__ == "__main__":
    main()
