"""A frozen contract in a store: what it states and every byte that it pins, so that its version stays resolvable."""

import base64
from pathlib import Path

from judgeloop import assets
from judgeloop.contract.reading import to_contract
from judgeloop.errors import ContractError
from judgeloop.model import Asset, Contract
from judgeloop.rdf.graph import Graph
from judgeloop.rdf.parse import read_triples
from judgeloop.rdf.rq import bind, read_once
from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.store import Store
from judgeloop.vocab import JL, RDF_TYPE, XSD_BASE64

QUERY = "retrieve/contract.rq"


def graph_of(contract: Contract) -> tuple[str, list[Triple]]:
    """Return the named graph that keeps a frozen contract: what it states, and each asset's path, digest and bytes."""
    own = next(a for a in contract.assets.values() if a.path.startswith("policies/"))
    name = f"{contract.id_base}contract/{contract.name}@{contract.version}/sha256-{contract.digest}"
    triples = read_triples(own.content, own.path)
    for i, asset in enumerate(sorted(contract.assets.values(), key=lambda a: a.path)):
        node = NamedNode(f"{name}#asset-{i}")
        content = Literal(base64.b64encode(asset.content).decode(), datatype=NamedNode(XSD_BASE64))
        triples += [
            Triple(NamedNode(contract.iri), NamedNode(JL + "pins"), node),
            Triple(node, NamedNode(RDF_TYPE), NamedNode(JL + "Asset")),
            Triple(node, NamedNode(JL + "path"), Literal(asset.path)),
            Triple(node, NamedNode(JL + "sha256"), Literal(asset.sha256)),
            Triple(node, NamedNode(JL + "content"), content),
        ]
    return name, triples


def from_store(store: Store, name: str, version: str) -> Contract | None:
    """Return the contract ``name@version`` as it was frozen, or None where the store has never seen it.

    Raises:
        ContractError: the store holds two different contracts of that name and version, or changed bytes.
    """
    path = assets.root() / "sparql" / QUERY
    query = read_once(assets.read(path).decode(), QUERY)
    rows = list(store.select(bind(query, {"name": name, "version": version})).texts())
    if not rows:
        return None
    if len(rows) > 1:
        found = ", ".join(row["graph"].rpartition("/")[2] for row in rows)
        raise ContractError("contract-two", place=store.url, name=f"{name}@{version}", found=found)
    graph = Graph(store.graph(rows[0]["graph"]))
    pinned = {a.path: a for a in (_asset(graph, node) for node in graph.values(rows[0]["contract"], JL + "pins"))}
    for asset in pinned.values():
        if assets.digest(asset.content) != asset.sha256:
            raise ContractError("integrity-asset", place=store.url, asset=asset.path)
    own = next(a for a in pinned.values() if a.path.startswith("policies/"))
    stated = Graph(read_triples(own.content, own.path))
    return to_contract(stated, rows[0]["contract"], pinned, own)


def _asset(graph: Graph, node: str) -> Asset:
    path, sha256, content = (str(graph.value(node, JL + prop)) for prop in ("path", "sha256", "content"))
    return Asset(path=Path(path).as_posix(), sha256=sha256, content=base64.b64decode(content))
