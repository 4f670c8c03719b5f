"""Text search beside a store that has none of its own: an index of its labels that is kept equal to them.

The index is made at the first search. From then on it follows what this store writes, and a commit waits for the next
search. Only in a folder is it kept, and there it is followed from the first write on; see `judgeloop.store.stamp` for
how a stop is noticed.
"""

import contextlib
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from judgeloop.errors import BadInput, StoreError, StoreUnavailable
from judgeloop.rdf.rq import BoundQuery, QueryKind
from judgeloop.rdf.terms import NamedNode, Quad
from judgeloop.rdf.textquery import Hit, Search, rewrite, uses_text
from judgeloop.store import MEMORY, stamp
from judgeloop.store.labels import FIELDS, is_label

if TYPE_CHECKING:
    from judgeloop.store.index import LabelIndex

Read = Callable[[NamedNode, NamedNode | None], Iterable[Quad]]
"""Gives the statements with a property in one graph, or in all of them."""


class Searching:
    """The part of a store that searches its labels."""

    _labels: "Labels"

    def reindex(self) -> int:
        """Make the text index again from the labels in the store; return how many were written."""
        return self._labels.rebuild()

    def index_differences(self) -> tuple[int, int]:
        """Return how many labels the text index lacks, and how many it holds that the store does not."""
        return self._labels.differences()

    def prepared(self, query: BoundQuery, wanted: QueryKind, graphs: Sequence[str] | None) -> BoundQuery:
        """Return a query of the kind that is wanted, with what its searches find in their place."""
        query = of_kind(query, wanted)
        return rewrite(query, self._labels.find, graphs) if uses_text(query.query) else query


def of_kind(query: BoundQuery, wanted: QueryKind) -> BoundQuery:
    """Return the query; one of another kind is refused."""
    kind = query.query.kind
    if kind != wanted:
        raise BadInput("rq-kind", place=query.query.name, kind=kind.upper(), wanted=wanted.upper())
    return query


def of_engine(url: str, read: Read, writing: threading.RLock, flush: Callable[[], None]) -> "Labels":
    """Return the labels of a store in memory or in a folder; ``flush`` makes what it holds safe against a power cut."""
    return Labels(url, read, writing) if url == MEMORY else KeptLabels(Path(url), read, writing, flush)


class Labels:
    """The labels of one store and their index, in memory; the lock is the one under which the store writes."""

    def __init__(self, place: str, read: Read, writing: threading.RLock) -> None:
        """Remember where labels are read; nothing is read yet."""
        self._place = place
        self._read = read
        self._writing = writing
        self._index: LabelIndex | None = None
        self._pending = False
        """Whether the index was changed and not committed."""

    def find(self, search: Search) -> list[Hit]:
        """Return what a search finds in the labels as they are now.

        Raises:
            StoreUnavailable: the index can't be brought up to date; what it would find is not known.
        """
        return self._ready().find(search)

    def rebuild(self) -> int:
        """Make the index again; return how many labels it holds."""
        with self._writing:
            self._index = None
            index = self._empty()
            number = index.add(self._held())
            index.commit()
            self._finish()
            self._index, self._pending = index, False
            return number

    def differences(self) -> tuple[int, int]:
        """Return how many labels the index lacks, and how many it holds that are no labels of the store."""
        with self._writing:
            held = set(self._held())
            there = list(self._ready().labels())
            both = held.intersection(there)
            return len(held) - len(both), len(there) - len(both)

    @contextlib.contextmanager
    def changing(
        self, added: Iterable[Quad] = (), removed: Iterable[Quad] = (), *, dropped: str | None = None
    ) -> Iterator[None]:
        """Carry a write of the store over to the index once it is done; after a write that failed it is made again.

        ``added`` is not in the store yet, ``removed`` is.
        """
        if not self._follows():
            yield
            return
        new, old = list(dict.fromkeys(filter(is_label, added))), list(filter(is_label, removed))
        emptied = dropped is not None and next(self._held(dropped), None) is not None
        if not (new or old or emptied):
            yield
            return
        self._begin()
        index, self._index = self._index, None
        yield
        if index is not None:
            with contextlib.suppress(StoreUnavailable):  # the next search makes it again, and says so if it can't
                index.remove(old)
                if emptied and dropped is not None:
                    index.drop(dropped)
                index.add(new)
                self._index, self._pending = index, True

    def settle(self) -> None:
        """Commit what was written since the last search; an index that fails is made again at the next one."""
        with self._writing:
            if self._index is not None and self._pending:
                index, self._index = self._index, None
                with contextlib.suppress(StoreError):
                    index.commit()
                    self._finish()
                    self._index, self._pending = index, False

    def close(self) -> None:
        """Let go of the index."""
        self._index = None

    def _ready(self) -> "LabelIndex":
        """Return the index, up to date; one that needs nothing waits for no write."""
        index = self._index
        if index is not None and not self._pending:
            return index
        with self._writing:
            self.settle()
            if self._index is None:
                self.rebuild()
            assert self._index is not None  # noqa: S101 - rebuilt or refused
            return self._index

    def _follows(self) -> bool:
        """Say whether a write has to be carried over."""
        return self._index is not None

    def _begin(self) -> None:
        """Prepare for labels that change."""

    def _empty(self) -> "LabelIndex":
        """Return an index without labels."""
        from judgeloop.store.index import LabelIndex  # noqa: PLC0415 - the engine is loaded for those who search

        return LabelIndex(self._place)

    def _finish(self) -> None:
        """Note that the index was committed."""

    def _held(self, graph: str | None = None) -> Iterator[Quad]:
        """Give the labels in one graph of the store, or in all."""
        name = None if graph is None else NamedNode(graph)
        return (quad for prop in FIELDS for quad in self._read(NamedNode(prop), name) if is_label(quad))


class KeptLabels(Labels):
    """The labels of a store in a folder; their index lies in a folder within it."""

    def __init__(self, folder: Path, read: Read, writing: threading.RLock, flush: Callable[[], None]) -> None:
        """Remember where labels and index are; ``flush`` makes the store's data safe against a power cut."""
        super().__init__(str(folder / stamp.FOLDER), read, writing)
        self._store = folder
        self._folder = folder / stamp.FOLDER
        self._flush = flush
        self._finished: bool | None = None
        """Whether the index on the disk is that of the labels on the disk; None: not looked at yet."""

    def close(self) -> None:
        """Commit what was written, and let go of the index."""
        self.settle()
        super().close()

    def _ready(self) -> "LabelIndex":
        if self._finished is None:
            with self._writing:
                self._open()
        return super()._ready()

    def _follows(self) -> bool:
        return True

    def _begin(self) -> None:
        self._open()
        if self._finished:
            try:
                stamp.renew(self._store)
            except OSError as error:
                raise StoreError("store-full", place=str(self._store), why=error.strerror or str(error)) from error
            self._finished = False

    def _open(self) -> None:
        """Open the index if it is the one of these labels; the first labels of a store begin an empty one."""
        if self._finished is not None:
            return
        here, there = stamp.revision(self._store), stamp.stamped(self._folder)
        with contextlib.suppress(StoreUnavailable):
            if here is not None and here == there:
                self._index = self._engine()
            elif here is None and there is None and next(self._held(), None) is None:
                self._index = self._empty()
        self._finished = self._index is not None

    def _empty(self) -> "LabelIndex":
        self._finished = False
        try:
            if self._folder.exists():
                shutil.rmtree(self._folder)
        except OSError as error:
            raise StoreUnavailable("text-index-behind", place=self._place, why=error.strerror or str(error)) from error
        return self._engine()

    def _engine(self) -> "LabelIndex":
        from judgeloop.store.index import LabelIndex  # noqa: PLC0415 - the engine is loaded for those who search

        return LabelIndex(self._place, self._folder)

    def _finish(self) -> None:
        """Stamp the index with the revision of the labels, once both are on the disk."""
        self._flush()
        revision = stamp.revision(self._store)
        try:
            stamp.set_stamp(self._folder, stamp.renew(self._store) if revision is None else revision)
        except OSError as error:
            raise StoreUnavailable("text-index-behind", place=self._place, why=error.strerror or str(error)) from error
        self._finished = True
