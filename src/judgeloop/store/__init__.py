"""What a store must be able to do, and the one place where a URL becomes a store.

Importing this room loads no engine; `open_store` loads the one that the URL asks for.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, Self

from judgeloop.errors import StoreError

if TYPE_CHECKING:
    from judgeloop.rdf.rq import BoundQuery
    from judgeloop.rdf.terms import Quad, Term, Triple
    from judgeloop.store.heads import Head

__all__ = ["MEMORY", "Rows", "Store", "kind_of", "open_store"]

MEMORY: Final = "memory:"
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_SERVER: Final = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer of a SELECT: iterating gives one mapping of column to term per row, None where a column is unbound."""

    variables: tuple[str, ...]
    rows: "list[tuple[Term | None, ...]]"
    """One tuple per row, in the order of ``variables``."""
    complete: bool = True
    """False when rows may be missing; such an answer proves nothing about what is not there."""

    def __iter__(self) -> "Iterator[dict[str, Term | None]]":
        """Give the rows as mappings."""
        return (dict(zip(self.variables, row, strict=True)) for row in self.rows)

    def texts(self) -> "Iterator[dict[str, str]]":
        """Give the rows as text: the value of each bound column; an unbound column is not there."""
        for row in self.rows:
            bound = ((name, term) for name, term in zip(self.variables, row, strict=True) if term is not None)
            yield {name: str(getattr(term, "value", term)) for name, term in bound}

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)


class Store(Protocol):
    """Named graphs in one place. Every write is one step: all of it is there afterwards, or nothing.

    A graph is there when it holds a triple. Threads may share a store; a folder belongs to one process at a time.
    Every method raises `StoreError` when the store was closed, can't be read or can't be written.
    """

    @property
    def url(self) -> str:
        """Return what `open_store` was given."""

    @property
    def secret(self) -> bytes:
        """Return the key material for keyed digests: one per store, never shown."""

    def put_once(
        self, graphs: "Mapping[str, Iterable[Triple]]", extra: "Iterable[Quad]" = (), *, head: "Head | None" = None
    ) -> bool:
        """Write the graphs that are not there yet, ``extra`` and ``head`` in one step; say whether one was written.

        All of it is written or nothing. A graph that is there stays as it is. Where its name is the hash of the list of
        triples that is given, it must hold just these, else it was torn or changed; of an iterator, and of a name that
        is no hash, nothing is established.

        Raises:
            StoreConflict: another writer has the number of ``head``, or will have it; look again.
            StoreError: a graph that is there does not hold what its name says.
            StoreUnavailable: a server gave no answer; unless it says otherwise, what was written can't be told.
        """

    def replace(self, graph: str, triples: "Iterable[Triple]") -> bool:
        """Make ``graph`` hold these triples and no others, in one step; say whether anything changed."""

    def drop(self, graph: str) -> None:
        """Remove a graph; one that is not there stays away."""

    def has_graph(self, graph: str) -> bool:
        """Say whether the graph holds a triple."""

    def graph(self, graph: str) -> "Iterator[Triple]":
        """Give the triples of a graph as they are now, in no order; until it ends a closed folder stays occupied."""

    def graphs(self) -> list[str]:
        """Return the names of all graphs, sorted."""

    def count(self, graph: str) -> int:
        """Return how many triples a graph holds."""

    def heads(self) -> "Iterator[Triple]":
        """Give the triples that say which verdict is current."""

    def select(self, query: "BoundQuery", *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return the rows of a SELECT.

        What stands outside of GRAPH is matched against ``default_graphs``: their union, a triple that several of them
        hold being one triple; without them, against the store's own default graph. A query with FROM names its own.

        Raises:
            BadInput: the query is no SELECT, is no SPARQL, or can't be evaluated.
        """

    def ask(self, query: "BoundQuery", *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the answer of an ASK; graphs and errors as for `select`."""

    def construct(self, query: "BoundQuery", *, default_graphs: Sequence[str] | None = None) -> "list[Triple]":
        """Return the triples of a CONSTRUCT, each once; graphs and errors as for `select`."""

    def reindex(self) -> int:
        """Make the text index again from the labels that the store holds; return how many it holds then.

        Raises:
            StoreUnavailable: it can't be made.
        """

    def index_differences(self) -> tuple[int, int]:
        """Return how many labels the text index lacks, and how many it holds that are none of the store's.

        All labels are read, after the index was brought up to date with what this store wrote. So a difference comes
        from other programs that write to the data.
        """

    def flush(self) -> None:
        """Return when all that was written would survive a power cut (a killed process loses nothing anyway)."""

    def close(self) -> None:
        """Flush what was not, and let go of the store; closing twice is fine."""

    def __enter__(self) -> Self:
        """Return the store itself."""

    def __exit__(self, *failure: object) -> None:
        """Close the store."""


def open_store(url: str = MEMORY, *, create: bool = True) -> Store:
    """Return the store at ``url``: ``memory:``, a folder, or a SPARQL server's ``http://`` or ``https://`` address.

    A folder is made when ``create`` is true and it is missing; what a server lacks is never made.

    Raises:
        StoreError: unknown kind, another process has the folder open, the folder is no store, or its secret is gone.
        StoreUnavailable: the server can't be reached, refuses, or is none that speaks SPARQL.
    """
    kind = kind_of(url)
    if kind == "server":
        from judgeloop.store import http  # noqa: PLC0415 - as below

        return http.at(url)
    from judgeloop.store import embedded  # noqa: PLC0415 - the engine is loaded only when a store is opened

    return embedded.in_memory() if kind == "memory" else embedded.in_folder(url, create=create)


def kind_of(url: str) -> Literal["memory", "folder", "server"]:
    """Return what `open_store` would open.

    Raises:
        StoreError: unknown kind.
    """
    if _SERVER.match(url):
        return "server"
    if url == MEMORY:
        return "memory"
    if not url or _SCHEME.match(url):
        raise StoreError("store-kind", url=url or '""')
    return "folder"
