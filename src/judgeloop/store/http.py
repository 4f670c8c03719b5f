"""A store on a server: any that speaks SPARQL 1.1 queries and updates over HTTP.

Every write is one request, and what it did is read back: a server answers a guarded update in the same way whether its
condition held or not.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self, TypeVar

from judgeloop.errors import BadInput, StoreError, StoreUnavailable
from judgeloop.rdf.dataset import over
from judgeloop.rdf.replies import read_rows, read_triples, read_truth
from judgeloop.rdf.rq import BoundQuery, QueryKind, bind
from judgeloop.rdf.stored import alike, has_blank
from judgeloop.rdf.terms import Literal, NamedNode, Quad, Term, Triple
from judgeloop.rdf.textquery import uses_text
from judgeloop.rdf.updates import sequence
from judgeloop.store import Rows, address, embedded, secret, steps
from judgeloop.store.capabilities import Capabilities, own_query, probe
from judgeloop.store.native_text import NativeText
from judgeloop.store.refusals import refuse_unknown, refuse_wrong
from judgeloop.store.wire import RESULTS, TRIPLES, Client
from judgeloop.vocab import HEADS

_Read = TypeVar("_Read")


def at(url: str) -> "HttpStore":
    """Return the store on the server at ``url``, after asking the server what it can do.

    Raises:
        StoreError: the URL can't be used.
        StoreUnavailable: no server answers there, or it refuses.
    """
    client = Client(address.read(url))
    try:
        return HttpStore(client, probe(client))
    except StoreError:
        client.close()
        raise


class HttpStore:
    """A `judgeloop.store.Store` on a server; threads may share it, and so may other programs."""

    def __init__(self, client: Client, capabilities: Capabilities) -> None:
        """Use a client whose server was probed."""
        self.url = client.address.url
        self.capabilities = capabilities
        self._inner: Client | None = client
        self._writing = threading.RLock()
        self.text = NativeText(self.url, self._rows, self._update)

    @cached_property
    def secret(self) -> bytes:
        """Return the key material for keyed digests: this user's for this server."""
        return secret.of_server(self.url)

    def put_once(self, graphs: Mapping[str, Iterable[Triple]], extra: Iterable[Quad] = ()) -> bool:
        """Write the graphs that are not there yet and ``extra``, in one request; say whether anything was written."""
        with self._writing:
            there = self._existing(graphs)
            new = {graph: held for graph in graphs if graph not in there and (held := list(graphs[graph]))}
            stated = steps.by_graph(extra)
            added = {graph: stated[graph] for graph in stated if not self._holds(graph, stated[graph])}
            if not new and not added:
                return False
            self._update(steps.write(new, added))
            written = [alike(self._read_back(graph), held) for graph, held in new.items()]
            if not all(self._holds(graph, added[graph]) for graph in added):
                raise StoreUnavailable("http-not-written", place=self.url)
            return any(written) or bool(added)

    def replace(self, graph: str, triples: Iterable[Triple]) -> bool:
        """Make ``graph`` hold these triples and no others, in one request; say whether anything changed."""
        with self._writing:
            wanted, held = list(dict.fromkeys(triples)), list(self.graph(graph))
            if alike(held, wanted) and not has_blank(wanted):
                return False
            if not wanted:
                self.drop(graph)
                return True
            self._update([steps.renew(graph, wanted)])
            if not alike(self._read_back(graph), wanted):
                raise StoreUnavailable("http-not-written", place=self.url)
            return True

    def drop(self, graph: str) -> None:
        """Remove a graph; one that is not there stays away."""
        with self._writing:
            self._update([steps.about("drop", graph)])
            if self.has_graph(graph):
                raise StoreUnavailable("http-not-written", place=self.url)

    def has_graph(self, graph: str) -> bool:
        """Say whether the graph holds a triple."""
        return self.ask(steps.about("has", graph))

    def graph(self, graph: str) -> Iterator[Triple]:
        """Give the triples of a graph as they are now; they are all here when this returns."""
        rows = self._table(steps.about("graph", graph), "s", "p", "o")
        # the server's terms stand where its own triples had them
        return iter([Triple(*row) for row in rows])  # type: ignore[arg-type]

    def graphs(self) -> list[str]:
        """Return the names of all graphs that hold a triple, sorted."""
        rows = self._table(bind(own_query("graphs"), {}), "graph")
        return sorted(name.value for (name,) in rows if isinstance(name, NamedNode))

    def count(self, graph: str) -> int:
        """Return how many triples a graph holds."""
        rows = self._table(steps.about("count", graph), "triples")
        return sum(int(number.value) for (number,) in rows if isinstance(number, Literal))

    def heads(self) -> Iterator[Triple]:
        """Give the triples that say which verdict is current."""
        return self.graph(HEADS)

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return the rows of a SELECT, all of them."""
        return self._run(query, "select", default_graphs, lambda content, place: Rows(*read_rows(content, place)))

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the answer of an ASK."""
        return self._run(query, "ask", default_graphs, read_truth)

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return the triples of a CONSTRUCT, each once."""
        return self._run(query, "construct", default_graphs, read_triples)

    def flush(self) -> None:
        """Return at once: what a server said it had written, and was read back, is in the server's care."""

    def close(self) -> None:
        """Let go of the server; closing twice is fine."""
        if self._inner is not None:
            self._inner.close()
        self._inner = None

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the store."""
        self.close()

    @property
    def _client(self) -> Client:
        if self._inner is None:
            raise StoreError("store-closed", place=self.url)
        return self._inner

    @property
    def _place(self) -> str:
        return self._client.address.at(self.capabilities.query)

    def _run(
        self,
        query: BoundQuery,
        wanted: QueryKind,
        graphs: Sequence[str] | None,
        read: Callable[[bytes, str], _Read],
    ) -> _Read:
        """Return the answer of a query, by the server or by a copy of the graphs that it can reach."""
        name = query.query.name
        if query.query.kind != wanted:
            raise BadInput("rq-kind", place=name, kind=query.query.kind.upper(), wanted=wanted.upper())
        refuse_unknown(query.query)
        if uses_text(query.query):
            query, graphs = self.text.prepared(query, graphs)
        text = query.text if graphs is None or "FROM" in query.query.words else self._over(query, graphs)
        if text is None:
            with self._copy(query, graphs or ()) as copy:
                answer: _Read = getattr(copy, wanted)(query, default_graphs=graphs)  # the method is called as the kind
                return answer
        return read(self._answer(query, text, TRIPLES if wanted == "construct" else RESULTS), self._place)

    def _rows(self, query: BoundQuery) -> Rows:
        """Return the rows of a SELECT as the server gives them for just this text."""
        return Rows(*read_rows(self._answer(query, query.text), self._place))

    def _answer(self, query: BoundQuery, text: str, accept: str = RESULTS) -> bytes:
        """Return the answer of a query; one that no engine takes is told like that of an embedded store."""
        try:
            return self._client.query(self.capabilities.query, text, accept).content
        except StoreUnavailable as refused:
            if refused.key == "http-status":
                refuse_wrong(query, refused)
            raise

    def _update(self, requests: Iterable[BoundQuery]) -> None:
        path = self.capabilities.update
        if path is None:
            refused = self.capabilities.refused
            if refused is not None and refused.key == "http-auth":
                raise refused
            raise StoreUnavailable("http-read-only", place=self.url)
        self._client.update(path, sequence(requests))

    def _over(self, query: BoundQuery, graphs: Sequence[str]) -> str | None:
        """Return the text to send, or None where this server would not ask it over the merge of ``graphs``."""
        names = list(dict.fromkeys(graphs))
        if self.capabilities.union is not False and self._sees_without_from():
            return None
        if len(names) > 1:
            merge = bind(own_query("merge"), {})
            counted = self._table(replace(merge, text=over(merge, names, ())), "rows", "triples")
            if any(rows != triples for rows, triples in counted):
                return None
        return over(query, names, self.graphs() if "GRAPH" in query.query.words else ())

    def _copy(self, query: BoundQuery, graphs: Sequence[str]) -> embedded.EmbeddedStore:
        """Return a store in memory that holds what a query over ``graphs`` can reach."""
        reach = [*graphs, *(self.graphs() if "GRAPH" in query.query.words else ())]
        copy = embedded.in_memory()
        copy.put_once({graph: self.graph(graph) for graph in dict.fromkeys(reach)})
        return copy

    def _sees_without_from(self) -> bool:
        """Say whether a default graph that a query names as empty holds something all the same."""
        anything = bind(own_query("probe_any"), {})
        return self.ask(replace(anything, text=over(anything, (), ())))

    def _table(self, query: BoundQuery, *columns: str) -> list[tuple[Term | None, ...]]:
        """Return these columns of one of our own queries; a server that gives others answered something else."""
        rows = self.select(query)
        if set(rows.variables) != set(columns):
            raise StoreUnavailable("http-kind", place=self._place)
        return rows.rows if rows.variables == columns else [tuple([row[name] for name in columns]) for row in rows]

    def _existing(self, graphs: Iterable[str]) -> set[str]:
        rows = self._table(steps.existing(graphs), "graph")
        return {name.value for (name,) in rows if isinstance(name, NamedNode)}

    def _holds(self, graph: str | None, stated: Sequence[Triple]) -> bool:
        return all(self.ask(question) for question in steps.holds(graph, stated))

    def _read_back(self, graph: str) -> list[Triple]:
        found = list(self.graph(graph))
        if not found:
            raise StoreUnavailable("http-not-written", place=self.url)
        return found
