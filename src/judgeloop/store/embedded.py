"""A store inside this process: pyoxigraph in memory, or in a folder (RocksDB).

The engine writes a step atomically and survives being killed; it has no time limit, so queries of strangers run in a
process that can be stopped.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Self, TypeVar

import pyoxigraph
from pyoxigraph import DefaultGraph, QueryBoolean, QuerySolutions, QueryTriples

from judgeloop import assets
from judgeloop.errors import BadInput, StoreError
from judgeloop.rdf.rq import BoundQuery, Query, QueryKind, bind, parse
from judgeloop.rdf.terms import BlankNode, Literal, NamedNode, Quad, Triple
from judgeloop.store import MEMORY, Rows, failures, folder
from judgeloop.vocab import HEADS, URN

MEMORY_SECRET: Final = b"judgeloop: memory has no secrets"
"""Known to everybody: nothing in memory outlives its process, and the same case must give the same bytes in each."""
STAGING: Final = URN + "staging"
"""Where the triples of `EmbeddedStore.replace` wait; sparql/store/replace.rq names it too."""

_Answer = QuerySolutions | QueryBoolean | QueryTriples
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
        inner.remove_graph(NamedNode(STAGING))
    except (OSError, RuntimeError) as error:
        raise failures.opening(error, path) from error
    return EmbeddedStore(inner, path, secret)


class EmbeddedStore:
    """A `judgeloop.store.Store` on pyoxigraph; its threads write one after the other and read at any time."""

    def __init__(self, inner: pyoxigraph.Store, url: str, secret: bytes) -> None:
        """Wrap an opened engine."""
        self.url = url
        self.secret = secret
        self._inner: pyoxigraph.Store | None = inner
        self._writing = threading.RLock()
        self._writes = 0
        self._union: tuple[tuple[object, ...], pyoxigraph.Store | None] | None = None

    def put_once(self, graphs: Mapping[str, Iterable[Triple]], extra: Iterable[Quad] = ()) -> bool:
        """Write the graphs that are not there yet and ``extra``, in one step; say whether anything was written."""
        with self._writing:
            quads = [quad for graph, held in graphs.items() if not self.has_graph(graph) for quad in _in(graph, held)]
            quads += [quad for quad in extra if quad not in self._engine]
            if quads:
                self._write(lambda engine: engine.extend(quads))
            return bool(quads)

    def replace(self, graph: str, triples: Iterable[Triple]) -> bool:
        """Make ``graph`` hold these triples and no others, in one step; say whether anything changed."""
        with self._writing:
            wanted, held = set(triples), set(self.graph(graph))
            if wanted == held or _as_stored(wanted) == held:
                return False
            if not wanted:
                self.drop(graph)
            elif not held:
                self._write(lambda engine: engine.extend(_in(graph, wanted)))
            else:
                move = bind(_own_query("replace"), {"graph": graph})
                try:
                    self._write(lambda engine: engine.extend(_in(STAGING, wanted)))
                    self._write(lambda engine: engine.update(move.text))
                except StoreError:
                    with contextlib.suppress(StoreError):  # else it goes when the folder is opened again
                        self.drop(STAGING)
                    raise
            return True

    def drop(self, graph: str) -> None:
        """Remove a graph; one that is not there stays away."""
        name = _named(graph)
        with self._writing:
            self._write(lambda engine: engine.remove_graph(name))

    def has_graph(self, graph: str) -> bool:
        """Say whether the graph holds a triple."""
        return next(self.graph(graph), None) is not None

    def graph(self, graph: str) -> Iterator[Triple]:
        """Give the triples of a graph as they are now; until it ends a closed folder stays occupied."""
        return self._reading(self._engine.quads_for_pattern(None, None, None, _named(graph)), lambda quad: quad.triple)

    def graphs(self) -> list[str]:
        """Return the names of all graphs that hold a triple, sorted."""
        names = self._reading(self._engine.named_graphs(), lambda name: name.value)
        return sorted(name for name in names if name != STAGING and self.has_graph(name))

    def count(self, graph: str) -> int:
        """Return how many triples a graph holds."""
        counted = self.select(bind(_own_query("count"), {"graph": graph})).rows[0][0]
        assert isinstance(counted, Literal)  # noqa: S101 - COUNT gives an integer
        return int(counted.value)

    def heads(self) -> Iterator[Triple]:
        """Give the triples that say which verdict is current."""
        return self.graph(HEADS)

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return the rows of a SELECT, all of them."""

        def read(answer: _Answer) -> Rows:
            assert isinstance(answer, QuerySolutions)  # noqa: S101 - the kind was checked
            return Rows(tuple([v.value for v in answer.variables]), [tuple(row) for row in answer])

        return self._run(query, "select", default_graphs, read)

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the answer of an ASK."""
        return self._run(query, "ask", default_graphs, bool)

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return the triples of a CONSTRUCT, each once."""

        def read(answer: _Answer) -> list[Triple]:
            assert isinstance(answer, QueryTriples)  # noqa: S101 - the kind was checked
            return list(dict.fromkeys(answer))

        return self._run(query, "construct", default_graphs, read)

    def flush(self) -> None:
        """Return when all that was written would survive a power cut; costs some 65 ms in a folder."""
        if self.url != MEMORY:
            self._write(lambda engine: engine.flush())

    def close(self) -> None:
        """Let go of the store; closing twice is fine."""
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
        self._writes += 1
        try:
            step(self._engine)
        except OSError as error:
            raise StoreError("store-full", place=self.url, why=failures.last_part(error)) from error

    def _reading(self, found: Iterator[_Found], part: Callable[[_Found], _Read]) -> Iterator[_Read]:
        try:
            for each in found:
                yield part(each)
        except OSError as error:
            raise StoreError("store-unreadable", place=self.url, why=failures.last_part(error)) from error

    def _run(
        self, query: BoundQuery, wanted: QueryKind, graphs: Sequence[str] | None, read: Callable[[_Answer], _Read]
    ) -> _Read:
        name = query.query.name
        if query.query.kind != wanted:
            raise BadInput("rq-kind", place=name, kind=query.query.kind.upper(), wanted=wanted.upper())
        engine, defaults = self._dataset(query.query, graphs)
        try:
            return read(engine.query(query.text, default_graph=defaults))
        except SyntaxError as error:
            raise failures.syntax(error, name) from None
        except RuntimeError as error:
            raise BadInput("rq-unrunnable", place=name, why=failures.last_part(error)) from error
        except OSError as error:
            raise StoreError("store-unreadable", place=self.url, why=failures.last_part(error)) from error

    def _dataset(
        self, query: Query, graphs: Sequence[str] | None
    ) -> tuple[pyoxigraph.Store, list[NamedNode | BlankNode | DefaultGraph] | None]:
        """Return the engine to ask and the graphs that stand for its default graph (None: its own)."""
        if graphs is None or query.uses("FROM"):
            return self._engine, None
        names = [_named(graph) for graph in dict.fromkeys(graphs)]
        merged = self._merged(names, with_named=query.uses("GRAPH")) if len(names) > 1 else None
        return (self._engine, [*names]) if merged is None else (merged, None)

    def _merged(self, names: Sequence[NamedNode], *, with_named: bool) -> pyoxigraph.Store | None:
        """Return a copy with the union of the graphs as default graph, or None when they share no triple.

        The engine chains default graphs and would give a triple that two of them hold twice, where RDF merges them.
        """
        key = (self._writes, with_named, *names)
        if self._union is None or self._union[0] != key:
            engine = self._engine
            seen: set[Triple] = set()
            total = 0
            for name in names:
                triples = [quad.triple for quad in engine.quads_for_pattern(None, None, None, name)]
                total += len(triples)
                seen.update(triples)
            copy = None
            if len(seen) < total:
                copy = pyoxigraph.Store()
                copy.extend(Quad(t.subject, t.predicate, t.object) for t in seen)
                if with_named:
                    copy.extend(quad for quad in engine if quad.graph_name != DefaultGraph())
            self._union = (key, copy)
        return self._union[1]


def _named(graph: str) -> NamedNode:
    try:
        return NamedNode(graph)
    except ValueError:
        raise BadInput("iri-unsafe", value=graph, allowed="http, https, urn") from None


def _in(graph: str, triples: Iterable[Triple]) -> list[Quad]:
    name = _named(graph)
    return [Quad(t.subject, t.predicate, t.object, name) for t in triples]


def _as_stored(triples: Iterable[Triple]) -> set[Triple]:
    """Return the triples as the engine gives them back: it rewrites some literals (``01`` to ``1``)."""
    passing = pyoxigraph.Store()
    passing.extend(Quad(t.subject, t.predicate, t.object) for t in triples)
    return {quad.triple for quad in passing}


@cache
def _own_query(name: str) -> Query:
    path = assets.find(f"sparql/store/{name}.rq", [assets.root()])
    return parse(assets.read(path).decode(), path.name, allow_update=True)
