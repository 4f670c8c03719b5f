"""A store on a server: any that speaks SPARQL 1.1 queries and updates over HTTP.

Every write is one request, and what it did is read back: a server answers a guarded update in the same way whether its
condition held or not.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, Self

from judgeloop.errors import BadInput, StoreError, StoreUnavailable
from judgeloop.rdf.dataset import NOWHERE, over
from judgeloop.rdf.replies import read_rows, read_triples, read_truth
from judgeloop.rdf.rq import BoundQuery, QueryKind, Value, bind
from judgeloop.rdf.stored import alike, has_blank
from judgeloop.rdf.terms import Literal, NamedNode, Quad, Triple, named
from judgeloop.rdf.updates import fill_names, fill_triples, sequence
from judgeloop.store import Rows, address, embedded, secret
from judgeloop.store.capabilities import Capabilities, own_query, probe
from judgeloop.store.wire import RESULTS, TRIPLES, Client
from judgeloop.vocab import HEADS

_AT_ONCE: Final = 100
"""Statements that one question asks about."""


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

    @cached_property
    def secret(self) -> bytes:
        """Return the key material for keyed digests: this user's for this server."""
        return secret.of_server(self.url)

    def put_once(self, graphs: Mapping[str, Iterable[Triple]], extra: Iterable[Quad] = ()) -> bool:
        """Write the graphs that are not there yet and ``extra``, in one request; say whether anything was written."""
        with self._writing:
            there = self._existing(graphs)
            new = {graph: held for graph in graphs if graph not in there and (held := list(graphs[graph]))}
            added = {graph: stated for graph, stated in _by_graph(extra).items() if not self._holds(graph, stated)}
            steps = [
                fill_triples(own_query("fill"), {"graph": named(graph)}, held, f"f{number}")
                for number, (graph, held) in enumerate(new.items())
            ]
            steps += [_adding(graph, stated, f"a{number}") for number, (graph, stated) in enumerate(added.items())]
            if not steps:
                return False
            self._update(steps)
            written = [alike(self._read_back(graph), held) for graph, held in new.items()]
            for graph, stated in added.items():
                if not self._holds(graph, stated):
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
            self._update([fill_triples(own_query("renew"), {"graph": named(graph)}, wanted)])
            if not alike(self._read_back(graph), wanted):
                raise StoreUnavailable("http-not-written", place=self.url)
            return True

    def drop(self, graph: str) -> None:
        """Remove a graph; one that is not there stays away."""
        with self._writing:
            self._update([bind(own_query("drop"), {"graph": named(graph)})])
            if self.has_graph(graph):
                raise StoreUnavailable("http-not-written", place=self.url)

    def has_graph(self, graph: str) -> bool:
        """Say whether the graph holds a triple."""
        return self.ask(bind(own_query("has"), {"graph": named(graph)}))

    def graph(self, graph: str) -> Iterator[Triple]:
        """Give the triples of a graph as they are now; they are all here when this returns."""
        rows = self.select(bind(own_query("graph"), {"graph": named(graph)})).rows
        # the server's terms stand where its own triples had them
        return iter([Triple(s, p, o) for s, p, o in rows])  # type: ignore[arg-type]

    def graphs(self) -> list[str]:
        """Return the names of all graphs that hold a triple, sorted."""
        rows = self.select(bind(own_query("graphs"), {})).rows
        return sorted(name.value for (name,) in rows if isinstance(name, NamedNode))

    def count(self, graph: str) -> int:
        """Return how many triples a graph holds."""
        rows = self.select(bind(own_query("count"), {"graph": named(graph)})).rows
        return sum(int(number.value) for (number,) in rows if isinstance(number, Literal))

    def heads(self) -> Iterator[Triple]:
        """Give the triples that say which verdict is current."""
        return self.graph(HEADS)

    def select(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> Rows:
        """Return the rows of a SELECT, all of them."""
        text = self._asked(query, "select", default_graphs)
        if text is None:
            with self._copy(query, default_graphs or ()) as copy:
                return copy.select(query, default_graphs=default_graphs)
        return Rows(*read_rows(self._answer(query, text), self._place))

    def ask(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> bool:
        """Return the answer of an ASK."""
        text = self._asked(query, "ask", default_graphs)
        if text is None:
            with self._copy(query, default_graphs or ()) as copy:
                return copy.ask(query, default_graphs=default_graphs)
        return read_truth(self._answer(query, text), self._place)

    def construct(self, query: BoundQuery, *, default_graphs: Sequence[str] | None = None) -> list[Triple]:
        """Return the triples of a CONSTRUCT, each once."""
        text = self._asked(query, "construct", default_graphs)
        if text is None:
            with self._copy(query, default_graphs or ()) as copy:
                return copy.construct(query, default_graphs=default_graphs)
        return read_triples(self._answer(query, text, TRIPLES), self._place)

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

    def _answer(self, query: BoundQuery, text: str, accept: str = RESULTS) -> bytes:
        """Return the answer of a query; one that no engine takes is told like that of an embedded store."""
        try:
            return self._client.query(self.capabilities.query, text, accept).content
        except StoreUnavailable as refused:
            if refused.key == "http-status":
                _refuse_wrong(query, refused)
            raise

    def _update(self, steps: Iterable[BoundQuery]) -> None:
        text = sequence(steps)
        path = self.capabilities.update
        if path is None:
            refused = self.capabilities.refused
            if refused is not None and refused.key == "http-auth":
                raise refused
            raise StoreUnavailable("http-read-only", place=self.url)
        self._client.update(path, text)

    def _asked(self, query: BoundQuery, wanted: QueryKind, graphs: Sequence[str] | None) -> str | None:
        """Return the text to send, or None where this server would not ask it over the merge of ``graphs``."""
        name = query.query.name
        if query.query.kind != wanted:
            raise BadInput("rq-kind", place=name, kind=query.query.kind.upper(), wanted=wanted.upper())
        if graphs is None or "FROM" in query.query.words:
            return query.text
        names = list(dict.fromkeys(graphs))
        if self.capabilities.union is not False and self._truth("probe_any", (NOWHERE,)):
            return None
        if len(names) > 1:
            counted = over(bind(own_query("merge"), {}), names, ())
            _, [(rows, triples)] = read_rows(self._answer(query, counted), self._place)
            if rows != triples:
                return None
        return over(query, names, self.graphs() if "GRAPH" in query.query.words else ())

    def _copy(self, query: BoundQuery, graphs: Sequence[str]) -> embedded.EmbeddedStore:
        """Return a store in memory that holds what a query over ``graphs`` can reach."""
        reach = [*graphs, *(self.graphs() if "GRAPH" in query.query.words else ())]
        copy = embedded.in_memory()
        copy.put_once({graph: self.graph(graph) for graph in dict.fromkeys(reach)})
        return copy

    def _truth(self, name: str, graphs: Sequence[str]) -> bool:
        query = bind(own_query(name), {})
        return read_truth(self._answer(query, over(query, graphs, ())), self._place)

    def _existing(self, graphs: Iterable[str]) -> set[str]:
        rows = self.select(fill_names(own_query("existing"), {}, graphs)).rows
        return {name.value for (name,) in rows if isinstance(name, NamedNode)}

    def _holds(self, graph: str | None, stated: Sequence[Triple]) -> bool:
        name, values = _keyed("holds", graph)
        parts = [stated[i : i + _AT_ONCE] for i in range(0, len(stated), _AT_ONCE)]
        return all(self.ask(fill_triples(own_query(name), values, part)) for part in parts)

    def _read_back(self, graph: str) -> list[Triple]:
        found = list(self.graph(graph))
        if not found:
            raise StoreUnavailable("http-not-written", place=self.url)
        return found


def _by_graph(quads: Iterable[Quad]) -> dict[str | None, list[Triple]]:
    """Return the statements by the name of their graph; the default graph has none."""
    found: dict[str | None, list[Triple]] = defaultdict(list)
    for quad in quads:
        found[quad.graph_name.value if isinstance(quad.graph_name, NamedNode) else None].append(quad.triple)
    return found


def _adding(graph: str | None, stated: Iterable[Triple], scope: str) -> BoundQuery:
    name, values = _keyed("add", graph)
    return fill_triples(own_query(name), values, stated, scope)


def _keyed(name: str, graph: str | None) -> tuple[str, Mapping[str, Value]]:
    return (f"{name}_default", {}) if graph is None else (name, {"graph": named(graph)})


def _refuse_wrong(query: BoundQuery, refused: StoreUnavailable) -> None:
    """Refuse a query as bad input where an engine that holds nothing refuses it for the reason that the server gave.

    Raises:
        BadInput: the query itself is wrong.
    """
    try:
        with embedded.in_memory() as nothing:
            run = {"select": nothing.select, "ask": nothing.ask}.get(query.query.kind, nothing.construct)
            run(query)
    except BadInput as wrong:
        if wrong.key == "rq-syntax" or str(wrong.params.get("why")) in str(refused.params["words"]):
            raise wrong from None
