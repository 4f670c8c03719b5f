"""Blank nodes of foreign graphs get IRIs by RDFC-1.0, in a process that can be stopped: some graphs never end."""

import multiprocessing
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any, Final

from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    NamedNode,
    Quad,
    RdfFormat,
    Triple,
    parse,
    serialize,
)

from judgeloop.errors import BadInput
from judgeloop.vocab import URN

SECONDS: Final = 10


def skolemise(triples: Sequence[Triple]) -> list[Triple]:
    """Return the graph with every blank node as ``urn:judgeloop:bnode/…``; the same graph gets the same IRIs.

    Raises:
        BadInput: the blank nodes can't be told apart in time.
    """
    if not any(isinstance(node, BlankNode) for t in triples for node in (t.subject, t.object)):
        return list(triples)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    text = serialize((Quad(*t) for t in triples), format=RdfFormat.N_TRIPLES)
    worker = context.Process(target=_canonical, args=(text, theirs), daemon=True)
    worker.start()
    theirs.close()
    try:
        if not ours.poll(SECONDS):
            raise BadInput("rdf-too-many-blank-nodes", seconds=SECONDS)
        named = ours.recv_bytes()
    except EOFError:
        raise BadInput("rdf-too-many-blank-nodes", seconds=SECONDS) from None
    finally:
        worker.kill()
        worker.join()
    return [Triple(_node(q.subject), q.predicate, _node(q.object)) for q in parse(named, RdfFormat.N_TRIPLES)]


def _canonical(text: bytes, out: Connection) -> None:
    dataset = Dataset(parse(text, RdfFormat.N_TRIPLES))
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    out.send_bytes(serialize(dataset, format=RdfFormat.N_QUADS) or b"")


def _node(node: Any) -> Any:  # noqa: ANN401 - any term
    return NamedNode(f"{URN}bnode/{node.value}") if isinstance(node, BlankNode) else node
