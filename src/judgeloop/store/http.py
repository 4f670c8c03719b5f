"""A store on a server: any that speaks SPARQL 1.1 queries and updates over HTTP.

Every write is one request, and what it did is read back (`judgeloop.store.writing`).
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self, TypeVar

from judgeloop.errors import StoreError, StoreUnavailable
from judgeloop.rdf.dataset import over
from judgeloop.rdf.replies import read_rows, read_triples, read_truth
from judgeloop.rdf.rq import BoundQuery, QueryKind, bind
from judgeloop.rdf.terms import Literal, NamedNode, Quad, Triple
from judgeloop.rdf.updates import sequence
from judgeloop.store import Rows, Store, address, embedded, secret, steps
from judgeloop.store.capabilities import Capabilities, probe
from judgeloop.store.heads import Head
from judgeloop.store.native_text import NativeLabels
from judgeloop.store.own import own_query
from judgeloop.store.refusals import refuse_unknown, refuse_wrong
from judgeloop.store.searching import Searching
from judgeloop.store.wire import RESULTS, TRIPLES, Client
from judgeloop.store.writing import Writer
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


class HttpStore(Searching):
    """A `judgeloop.store.Store` on a server; threads may share it, and so may other programs."""

    def __init__(self, client: Client, capabilities: Capabilities) -> None:
        """Use a client whose server was probed."""
        self.url = client.address.url
        self.capabilities = capabilities
        self._inner: Client | None = client
        self._writing = threading.RLock()
        self._writer = Writer(self, self._update, serial=capabilities.serial)
        self._labels: NativeLabels = NativeLabels(self, self._rows, self._update, alone=capabilities.fuseki)

    @cached_property
    def secret(self) -> bytes:
        """Return the key material for keyed digests: this user's for this server."""
        return secret.of_server(self.url)

    @property
    def unsearched(self) -> StoreUnavailable | None:
        """Return why the server's own text search can't be used, found out by searching; None where it can."""
        return self._labels.unsearched

    def status_of(self, text: str, *, update: bool = False) -> int:
        """Return the status that a query, or an update sent to where queries go, is answered with; nothing is read."""
        try:
            ask = self._client.update if update else self._client.query
            ask(self.capabilities.query, text)
        except StoreUnavailable as error:
            if error.key == "http-auth" or isinstance(error.params.get("status"), int):
                return int(str(error.params["status"]))
            raise
        return 200

    def put_once(
        self, graphs: Mapping[str, Iterable[Triple]], extra: Iterable[Quad] = (), *, head: Head | None = None
    ) -> bool:
        """Write what is not there yet, in one request; say whether anything was written.

        Does not establish, on a server that runs updates side by side: that another program which writes something else
        into the same graph at the same moment is kept out. Graphs that are named by their content can't meet this.
        """
        with self._writing:  # some servers would mix what two threads write into one graph
            return self._writer.put_once(graphs, extra, head)

    def replace(self, graph: str, triples: Iterable[Triple]) -> bool:
        """Make ``graph`` hold these triples and no others, in one request; say whether anything changed."""
        with self._writing:
            return self._writer.replace(graph, triples)

    def drop(self, graph: str) -> None:
        """Remove a graph; one that is not there stays away."""
        with self._writing:
            self._writer.drop(graph)

    def has_graph(self, graph: str) -> bool:
        """Say whether the graph holds a triple."""
        return self.ask(steps.about("has", graph))

    def graph(self, graph: str) -> Iterator[Triple]:
        """Give the triples of a graph as they are now; they are all here when this returns."""
        rows = steps.table(self, steps.about("graph", graph), "s", "p", "o")
        # the server's terms stand where its own triples had them
        return iter([Triple(*row) for row in rows])  # type: ignore[arg-type]

    def graphs(self) -> list[str]:
        """Return the names of all graphs that hold a triple, sorted."""
        rows = steps.table(self, bind(own_query("graphs"), {}), "graph")
        return sorted(name.value for (name,) in rows if isinstance(name, NamedNode))

    def count(self, graph: str) -> int:
        """Return how many triples a graph holds."""
        rows = steps.table(self, steps.about("count", graph), "triples")
        return sum(int(number.value) for (number,) in rows if isinstance(number, Literal))

    def heads(self) -> Iterator[Triple]:
        """Give the triples that say which verdict is current."""
        return self.graph(HEADS)

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return the rows of a SELECT, all of them."""
        return self._run(
            query,
            "select",
            default_graphs,
            lambda content, place: Rows(*read_rows(content, place)),
            lambda copy, asked: copy.select(asked, default_graphs=default_graphs),
        )

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the answer of an ASK."""
        return self._run(
            query,
            "ask",
            default_graphs,
            read_truth,
            lambda copy, asked: copy.ask(asked, default_graphs=default_graphs),
        )

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return the triples of a CONSTRUCT, each once."""
        return self._run(
            query,
            "construct",
            default_graphs,
            read_triples,
            lambda copy, asked: copy.construct(asked, default_graphs=default_graphs),
        )

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
        ask_copy: Callable[[Store, BoundQuery], _Read],
    ) -> _Read:
        """Return the answer of a query, by the server or by a copy of the graphs that it can reach."""
        if self.capabilities.fuseki:  # it takes a function that it does not know for one without a value
            refuse_unknown(query.query)
        query = self.prepared(query, wanted, graphs)
        text = query.text if graphs is None or "FROM" in query.query.words else self._over(query, graphs)
        if text is None:
            with self._copy(query, graphs or ()) as copy:
                return ask_copy(copy, query)
        return read(self._answer(query, text, TRIPLES if wanted == "construct" else RESULTS), self._place)

    def _rows(self, query: BoundQuery) -> Rows:
        """Return the rows of one of our own queries, which is sent as it is."""
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
        sent = list(requests)
        with self._labels.writing(step.values["graph"].value for step in sent if "graph" in step.values):
            self._client.update(path, sequence(sent))

    def _over(self, query: BoundQuery, graphs: Sequence[str]) -> str | None:
        """Return the text to send, or None where this server would not ask it over the merge of ``graphs``."""
        names = list(dict.fromkeys(graphs))
        if self.capabilities.union is not False and self._sees_without_from():
            return None
        if len(names) > 1:
            merge = bind(own_query("merge"), {})
            counted = steps.table(self, replace(merge, text=over(merge, names, ())), "rows", "triples")
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
