"""Strangers' queries: each runs in a process of its own beside the store, within limits, and is killed beyond them.

One process answers query after query. What it holds is brought up to date before a query when something was written
since the last one: for a folder by a view (files that are shared with the folder, some 25 ms however large it is), for
a store in memory by sending all of it again. A server is asked by its own client, within the same limits.
"""

from collections.abc import Sequence
from typing import Protocol, Self

from judgeloop.errors import StoreError
from judgeloop.rdf.rq import BoundQuery, refuse_unsafe
from judgeloop.rdf.terms import Triple
from judgeloop.store import Rows, Store
from judgeloop.store.limits import DEFAULT, Limits, over
from judgeloop.store.local import Live, Local

__all__ = ["Limits", "Worker"]


class Asked(Protocol):
    """What a worker asks."""

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return all rows."""

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the truth."""

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return all triples."""

    def close(self) -> None:
        """Let go."""


class Worker:
    """Answers strangers' queries about one store; threads may share it, and wait for each other.

    It is closed by itself, before or after its store. An answer is whole or none: beyond a limit, StoreUnavailable
    with the key ``query-limit-seconds``, ``-rows``, ``-bytes`` or ``-memory``; ``query-worker-died`` where the engine
    broke. The next query finds a new process.
    """

    def __init__(self, store: Store | Local, limits: Limits = DEFAULT) -> None:
        """Answer from ``store``, which stays the caller's, or from what a process of our own holds."""
        self._limits = limits
        self._asked = _asked(store, limits)

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return the rows of a SELECT, all of them; graphs as for `judgeloop.store.Store.select`.

        Raises:
            BadInput: the query would leave the store or change it, is of another kind, or can't be evaluated.
            StoreUnavailable: it went beyond a limit.
            StoreError: the store was closed, or can't be read.
        """
        refuse_unsafe(query.text, query.query.name)
        rows = self._asked.select(query, default_graphs=default_graphs)
        self._refuse_many(len(rows), query)
        return rows

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the answer of an ASK; graphs and errors as for `select`."""
        refuse_unsafe(query.text, query.query.name)
        return self._asked.ask(query, default_graphs=default_graphs)

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return the triples of a CONSTRUCT, each once; graphs and errors as for `select`."""
        refuse_unsafe(query.text, query.query.name)
        triples = self._asked.construct(query, default_graphs=default_graphs)
        self._refuse_many(len(triples), query)
        return triples

    def close(self) -> None:
        """End the process; closing twice is fine."""
        self._asked.close()

    def __enter__(self) -> Self:
        """Return the worker itself."""
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the worker."""
        self.close()

    def _refuse_many(self, found: int, query: BoundQuery) -> None:
        if self._limits.rows is not None and found > self._limits.rows:
            raise over("rows", query, self._limits)


def _asked(store: Store | Local, limits: Limits) -> Asked:
    if isinstance(store, Local):
        return store
    from judgeloop.store.embedded import EmbeddedStore  # noqa: PLC0415 - the engine of the store is loaded already
    from judgeloop.store.http import HttpStore  # noqa: PLC0415 - as above

    if isinstance(store, EmbeddedStore):
        return Local(Live(store), limits)
    if isinstance(store, HttpStore):
        from judgeloop.store.remote import Remote  # noqa: PLC0415 - of one kind of store only

        return Remote(store, limits)
    raise StoreError("store-kind", url=store.url)
