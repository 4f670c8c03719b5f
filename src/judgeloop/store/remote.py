"""Queries about the data of a server: its client asks them, with one deadline for all that a query takes."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import TypeVar

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.rq import BoundQuery
from judgeloop.rdf.terms import Triple
from judgeloop.store import Rows, address
from judgeloop.store.http import HttpStore
from judgeloop.store.limits import Limits, over
from judgeloop.store.local import Live, Local
from judgeloop.store.wire import LARGEST, Client, Reply, Request

_Found = TypeVar("_Found")


class Remote:
    """Asks the server of a store; what would be run in this process is run in one that can be killed."""

    def __init__(self, store: HttpStore, limits: Limits) -> None:
        """Use connections of its own to the server of ``store``."""
        self._limits = limits
        self._owner = store
        self._client = _Hurried(address.read(store.url), limits)
        self._store = copy(store)
        # the same store but for who asks the server, and who asks a copy
        vars(self._store).update(_inner=self._client, _copy=self._apart)

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return all rows."""
        return self._within(query, lambda: self._store.select(query, default_graphs=default_graphs))

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the truth."""
        return self._within(query, lambda: self._store.ask(query, default_graphs=default_graphs))

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return all triples."""
        return self._within(query, lambda: self._store.construct(query, default_graphs=default_graphs))

    def close(self) -> None:
        """Close the connections."""
        self._store.close()

    def _within(self, query: BoundQuery, ask: Callable[[], _Found]) -> _Found:
        _ = self._owner._client  # noqa: SLF001 - it says so where the owner was closed
        try:
            with self._client.hurried(self._limits.seconds):
                return ask()
        except StoreUnavailable as error:
            if error.key == "http-timeout":
                raise over("seconds", query, self._limits) from error
            if error.key == "http-too-large" and self._limits.bytes is not None:
                raise over("bytes", query, self._limits) from error
            raise

    def _apart(self, query: BoundQuery, graphs: Sequence[str]) -> Local:
        """Return what asks a copy of the graphs that ``query`` can reach, in the time that is left."""
        held = HttpStore._copy(self._store, query, graphs)  # noqa: SLF001 - in place of this very method
        return Local(Live(held), replace(self._limits, seconds=self._client.left()))


class _Hurried(Client):
    """A client whose requests share a deadline as long as a query is asked."""

    def __init__(self, place: address.Address, limits: Limits) -> None:
        super().__init__(place, largest=LARGEST if limits.bytes is None else limits.bytes)
        self._until = threading.local()

    @contextmanager
    def hurried(self, seconds: float) -> Iterator[None]:
        """Give the requests of this thread ``seconds`` together."""
        self._until.moment = time.monotonic() + seconds
        yield

    def left(self) -> float:
        """Return the seconds that are left."""
        moment: float = self._until.moment
        return max(moment - time.monotonic(), 0.001)

    def _send(self, request: Request) -> Reply:
        return super()._send(replace(request, seconds=self.left()))
