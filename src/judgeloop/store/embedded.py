"""A store inside this process: pyoxigraph, in memory or in a folder; it has no time limit for a stranger's query."""

import contextlib
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final, Self, TypeVar

import pyoxigraph

from judgeloop.errors import BadInput, StoreError
from judgeloop.rdf.rq import BoundQuery, Query, QueryKind, bind
from judgeloop.rdf.stored import as_stored, merged
from judgeloop.rdf.terms import BlankNode, Literal, NamedNode, Quad, Triple, named, quads
from judgeloop.store import MEMORY, Rows, failures, folder, staging
from judgeloop.store.heads import Head, claimed, holds
from judgeloop.store.own import own_query
from judgeloop.store.searching import Searching, of_engine
from judgeloop.store.staging import ADDED, REMOVED
from judgeloop.vocab import HEADS

MEMORY_SECRET: Final = b"judgeloop: memory has no secrets"
"""Known to everybody: nothing in memory outlives its process, and the same case must give the same bytes in each."""

_Found = TypeVar("_Found")
_Read = TypeVar("_Read")


def in_memory() -> "EmbeddedStore":
    """Return an empty store that ends with its process."""
    return EmbeddedStore(pyoxigraph.Store(), MEMORY, MEMORY_SECRET)


def in_folder(path: str, *, create: bool) -> "EmbeddedStore":
    """Return the store in the folder ``path``; this process is its only user until it is closed.

    Raises:
        StoreError: another process has it open (told at once, never waited for), or the folder can't be a store.
    """
    secret = folder.prepare(Path(path), create=create)
    try:
        inner = pyoxigraph.Store(path)
        staging.recover(inner)
    except (OSError, RuntimeError) as error:
        raise failures.opening(error, path) from error
    return EmbeddedStore(inner, path, secret)


class EmbeddedStore(Searching):
    """A `judgeloop.store.Store` on pyoxigraph; its threads write one after the other and read at any time."""

    def __init__(self, inner: pyoxigraph.Store, url: str, secret: bytes) -> None:
        """Wrap an opened engine."""
        self.url = url
        self.secret = secret
        self._inner: pyoxigraph.Store | None = inner
        self._writing = threading.RLock()
        self._unflushed = False
        self._union: tuple[tuple[object, ...], pyoxigraph.Store | None] | None = None
        self._labels = of_engine(url, self._statements, self._writing, self.flush)
        self._writes = 0

    @property
    def revision(self) -> int:
        """Return a number that is another one after every write."""
        _ = self._engine  # a closed store has none
        return self._writes

    def copy_to(self, target: str | IO[bytes]) -> None:
        """Write all that is there now: as N-Quads, or into a new folder that shares the files of this one."""
        with self._writing:
            if isinstance(target, str):
                self._engine.backup(target)
            else:
                self._engine.dump(target, format=pyoxigraph.RdfFormat.N_QUADS)

    def put_once(
        self, graphs: Mapping[str, Iterable[Triple]], extra: Iterable[Quad] = (), *, head: Head | None = None
    ) -> bool:
        """Write what is not there yet, in one step; say whether anything was written."""
        with self._writing:
            stated = [*extra, *(() if head is None or claimed(self, head) else head.quads())]
            new = [quad for graph, held in graphs.items() if not holds(self, graph, held) for quad in _in(graph, held)]
            new += [quad for quad in stated if quad not in self._engine]
            if new:
                with self._labels.changing(new):
                    self._write(lambda engine: engine.extend(new))
            return bool(new)

    def replace(self, graph: str, triples: Iterable[Triple]) -> bool:
        """Make ``graph`` hold these triples and no others, in one step; say whether anything changed."""
        with self._writing:
            wanted, held = set(triples), set(self.graph(graph))
            wanted = wanted if wanted == held or not held else as_stored(wanted)
            added, removed = wanted - held, held - wanted
            if removed and not wanted:
                self.drop(graph)
            elif added or removed:
                new = _in(graph, added)
                with self._labels.changing(new, _in(graph, removed)):
                    self._exchange(graph, new, removed)
            return bool(added or removed)

    def drop(self, graph: str) -> None:
        """Remove a graph; one that is not there stays away."""
        name = named(graph)
        with self._writing, self._labels.changing(dropped=graph):
            self._write(lambda engine: engine.remove_graph(name))

    def has_graph(self, graph: str) -> bool:
        """Say whether the graph holds a triple."""
        return next(self.graph(graph), None) is not None

    def graph(self, graph: str) -> Iterator[Triple]:
        """Give the triples of a graph as they are now; until it ends a closed folder stays occupied."""
        return self._reading(self._engine.quads_for_pattern(None, None, None, named(graph)), lambda quad: quad.triple)

    def graphs(self) -> list[str]:
        """Return the names of all graphs that hold a triple, sorted."""
        engine = self._engine
        held = self._reading(
            engine.named_graphs(),
            lambda name: (name.value, next(engine.quads_for_pattern(None, None, None, name), None)),
        )
        return sorted(name for name, quad in held if quad is not None and name not in staging.STAGES)

    def count(self, graph: str) -> int:
        """Return how many triples a graph holds."""
        rows = self.select(bind(own_query("count"), {"graph": graph})).rows
        return sum(int(number.value) for (number,) in rows if isinstance(number, Literal))

    def heads(self) -> Iterator[Triple]:
        """Give the triples that say which verdict is current."""
        return self.graph(HEADS)

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return the rows of a SELECT, all of them."""
        return self._run(query, "select", default_graphs, _rows)

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the answer of an ASK."""
        return self._run(query, "ask", default_graphs, bool)

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return the triples of a CONSTRUCT, each once."""
        return self._run(query, "construct", default_graphs, lambda found: list(dict.fromkeys(found)))

    def flush(self) -> None:
        """Return when all that was written would survive a power cut; costs some 65 ms in a folder."""
        if self.url != MEMORY and self._unflushed:
            self._write(lambda engine: engine.flush())
            self._unflushed = False
        self._labels.settle()

    def close(self) -> None:
        """Flush what was not, and let go of the store; closing twice is fine."""
        try:
            if self._inner is not None:
                self._labels.close()
                self.flush()
        finally:
            self._inner = self._union = None

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the store."""
        self.close()

    @property
    def _engine(self) -> pyoxigraph.Store:
        if self._inner is None:
            raise StoreError("store-closed", place=self.url)
        return self._inner

    def _write(self, step: Callable[[pyoxigraph.Store], None]) -> None:
        self._union = None
        self._writes += 1
        try:
            step(self._engine)
            self._unflushed = True
        except OSError as error:
            raise StoreError("store-full", place=self.url, why=failures.last_part(error)) from error

    def _statements(self, prop: NamedNode, graph: NamedNode | None) -> Iterator[Quad]:
        return self._reading(self._engine.quads_for_pattern(None, prop, None, graph), lambda quad: quad)

    def _exchange(self, graph: str, new: Sequence[Quad], removed: Collection[Triple]) -> None:
        """Take triples out of a graph and put others in; the cost is that of the difference, not of the graph."""
        if not removed:
            large = len(new) >= staging.LARGE and self.url != MEMORY and not self.has_graph(graph)
            self._write(lambda engine: staging.fill(engine, graph, new) if large else engine.extend(new))
            return
        added = [quad.triple for quad in new]
        step = bind(own_query("replace"), {"graph": graph})
        try:
            self._write(lambda engine: engine.extend(_in(ADDED, added) + _in(REMOVED, removed)))
            self._write(lambda engine: engine.update(step.text))
        except StoreError:
            for staged in (ADDED, REMOVED):
                with contextlib.suppress(StoreError):  # else it goes when the folder is opened again
                    self.drop(staged)
            raise

    def _reading(self, found: Iterator[_Found], part: Callable[[_Found], _Read]) -> Iterator[_Read]:
        try:
            for each in found:
                yield part(each)
        except OSError as error:
            raise StoreError("store-unreadable", place=self.url, why=failures.last_part(error)) from error

    def _run(
        self, query: BoundQuery, wanted: QueryKind, graphs: Sequence[str] | None, read: Callable[[Any], _Read]
    ) -> _Read:
        query, name = self.prepared(query, wanted, graphs), query.query.name
        try:
            engine, defaults = self._dataset(query.query, graphs)
            return read(engine.query(query.text, default_graph=defaults))
        except SyntaxError as error:
            raise failures.syntax(error, name) from None
        except RuntimeError as error:
            raise BadInput("rq-unrunnable", place=name, why=failures.last_part(error)) from error
        except OSError as error:
            raise StoreError("store-unreadable", place=self.url, why=failures.last_part(error)) from error

    def _dataset(
        self, query: Query, graphs: Sequence[str] | None
    ) -> tuple[pyoxigraph.Store, list[NamedNode | BlankNode | pyoxigraph.DefaultGraph] | None]:
        """Return the engine to ask and the graphs that stand for its default graph (None: its own)."""
        if graphs is None or "FROM" in query.words:
            return self._engine, None
        names = [named(graph) for graph in dict.fromkeys(graphs)]
        if len(names) < 2:  # noqa: PLR2004 - one has nothing to share
            return self._engine, [*names]
        key = ("GRAPH" in query.words, *names)
        with self._writing:
            if self._union is None or self._union[0] != key:
                self._union = key, merged(self._engine, names, with_named="GRAPH" in query.words)
            copy = self._union[1]
        return (self._engine, [*names]) if copy is None else (copy, None)


def _rows(found: pyoxigraph.QuerySolutions) -> Rows:
    return Rows(tuple([column.value for column in found.variables]), [*map(tuple, found)])


def _in(graph: str, triples: Iterable[Triple]) -> list[Quad]:
    return quads(named(graph).value, triples)
