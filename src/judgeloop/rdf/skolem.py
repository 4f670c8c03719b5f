"""Blank nodes of foreign graphs get IRIs by RDFC-1.0, in a process that can be stopped: some graphs never end."""

import os
import subprocess
import sys
from collections.abc import Sequence
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
BLANK: Final = f"{URN}bnode/"
"""What the IRIs begin with that stand for blank nodes."""


def skolemise(triples: Sequence[Triple]) -> list[Triple]:
    """Return the graph with every blank node as ``urn:judgeloop:bnode/…``; the same graph gets the same IRIs.

    Raises:
        BadInput: the blank nodes can't be told apart in time.
    """
    if not any(isinstance(node, BlankNode) for t in triples for node in (t.subject, t.object)):
        return list(triples)
    return [quad.triple for quad in skolemise_all([Quad(*t) for t in triples])]


def skolemise_all(quads: Sequence[Quad]) -> list[Quad]:
    """Return several graphs as `skolemise` does one: a blank node that two of them share stays one node.

    Raises:
        BadInput: the blank nodes can't be told apart in time.
    """
    if not any(isinstance(node, BlankNode) for q in quads for node in (q.subject, q.object, q.graph_name)):
        return list(quads)
    # Not by multiprocessing: that runs the caller's own script once more, wherever it has no main guard.
    try:
        done = subprocess.run(  # noqa: S603 - this very module; the graph is its input and no argument
            [sys.executable, "-P", "-m", __name__],
            input=serialize(quads, format=RdfFormat.N_QUADS) or b"",
            capture_output=True,
            check=True,
            timeout=SECONDS,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        raise BadInput("rdf-too-many-blank-nodes", seconds=SECONDS) from None
    found = parse(done.stdout, RdfFormat.N_QUADS)
    return [Quad(_node(q.subject), q.predicate, _node(q.object), _node(q.graph_name)) for q in found]


def shown(term: Any) -> Any:  # noqa: ANN401 - any term, or None
    """Return a term as people get it: the IRIs of `skolemise` are blank nodes again.

    Such an IRI names a node within one store only, so that two answers may hold the same one and mean two nodes.
    """
    if isinstance(term, NamedNode) and term.value.startswith(BLANK):
        return BlankNode(term.value.removeprefix(BLANK))
    return Triple(shown(term.subject), term.predicate, shown(term.object)) if isinstance(term, Triple) else term


def _node(node: Any) -> Any:  # noqa: ANN401 - any term
    return NamedNode(BLANK + node.value) if isinstance(node, BlankNode) else node


def _canonical(text: bytes) -> bytes:
    dataset = Dataset(parse(text, RdfFormat.N_QUADS))
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return serialize(dataset, format=RdfFormat.N_QUADS) or b""


if __name__ == "__main__":
    sys.stdout.buffer.write(_canonical(sys.stdin.buffer.read()))
