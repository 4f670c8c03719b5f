"""What a server can do, found out by asking it: where it takes queries and updates, and what its default graph is."""

import http
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.replies import read_rows, read_truth
from judgeloop.rdf.terms import Literal
from judgeloop.store.own import own_query
from judgeloop.store.wire import Client

_NOT_HERE: Final = frozenset(
    {
        http.HTTPStatus.NOT_FOUND,
        http.HTTPStatus.METHOD_NOT_ALLOWED,
        http.HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        http.HTTPStatus.NOT_IMPLEMENTED,
    }
)
_ONE_WRITER: Final = "Apache Jena Fuseki"
_ITS_MARK: Final = "Fuseki-Request-Id"
"""A Fuseki says no more of itself since version 6."""
_ENDPOINTS: Final = frozenset({"query", "sparql", "update", "data", "store"})


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What was found at one address."""

    query: str
    """The path that takes queries."""
    update: str | None
    """The path that takes updates, or None where none does."""
    data: str | None
    """The path of the graph store protocol, or None."""
    union: bool | None
    """Whether the default graph is the union of the named graphs; None: there is no named graph to tell by."""
    product: str
    """What the server says it is."""
    refused: StoreUnavailable | None = None
    """Why no path takes updates."""

    @property
    def serial(self) -> bool:
        """Return whether the server is known to run updates one after the other, so that conditions hold.

        No question can tell; Fuseki has one writer at a time, `oxigraph serve` has many and of others nothing is known.
        """
        return self.product.startswith(_ONE_WRITER)


def probe(client: Client) -> Capabilities:
    """Return what the server at the client's address can do; nothing there is changed.

    Raises:
        StoreUnavailable: nothing answers queries there, or not to this user.
    """
    root, own = _roots(client.address.path)
    query, product = _query(client, [own, f"{root}/query"] if own != root else _under(root, "query", "sparql"))
    update: str | None = None
    refused: StoreUnavailable | None = None
    for path in _under(root, "update", "statements"):
        try:
            client.update(path, own_query("probe_update").text)
        except StoreUnavailable as error:
            if error.key not in {"http-status", "http-auth", "http-redirect"}:
                raise
            if refused is None or error.key == "http-auth":
                refused = error
        else:
            update, refused = path, None
            break
    data = next((path for path in (f"{root}/data", f"{root}/store") if _keeps_graphs(client, path)), None)
    return Capabilities(query, update, data, _union(client, query), product, refused)


def _roots(path: str) -> tuple[str, str]:
    """Return the path of the dataset, and the one that was given: an endpoint of it, or the dataset itself."""
    parent, _, last = path.rpartition("/")
    return (parent, path) if last.lower() in _ENDPOINTS else (path, path)


def _under(root: str, *names: str) -> list[str]:
    return [*(f"{root}/{name}" for name in names), root or "/"]


def _query(client: Client, paths: Sequence[str]) -> tuple[str, str]:
    for path in paths:
        try:
            reply = client.query(path, own_query("probe").text)
        except StoreUnavailable as error:
            if error.params.get("status") not in _NOT_HERE:
                raise
        else:
            read_truth(reply.content, client.address.at(path))
            return path, reply.headers.get("Server") or (_ONE_WRITER if reply.headers.get(_ITS_MARK) else "-")
    tried = ", ".join(client.address.at(path) for path in paths)
    raise StoreUnavailable("http-no-endpoint", place=client.address.url, tried=tried)


def _keeps_graphs(client: Client, path: str) -> bool:
    return client.head(f"{path}?default") == http.HTTPStatus.OK


def _union(client: Client, path: str) -> bool | None:
    reply = client.query(path, own_query("probe_union").text)
    _, rows = read_rows(reply.content, client.address.at(path))
    seen = [term.value == "true" for (term,) in rows if isinstance(term, Literal)]
    return all(seen) if seen else None
