"""Blank nodes of foreign graphs get IRIs by RDFC-1.0, in a process that can be stopped: some graphs never end."""

import hashlib
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
_DIGITS: Final = 32
"""Hex digits that tell the blank nodes of one load from those of another."""


def skolemise(triples: Sequence[Triple]) -> list[Triple]:
    """Return the graph with every blank node as ``urn:judgeloop:bnode/…``; the same graph gets the same IRIs.

    Raises:
        BadInput: the blank nodes can't be told apart in time.
    """
    if not any(isinstance(node, BlankNode) for t in triples for node in (t.subject, t.object)):
        return list(triples)
    return [quad.triple for quad in skolemise_all([Quad(*t) for t in triples])]


def skolemise_all(quads: Sequence[Quad], *, own: bool = False) -> list[Quad]:
    """Return several graphs as `skolemise` does one: a blank node that two of them share stays one node.

    With ``own`` the IRIs hold a digest of all that is said of blank nodes here, so that those of other graphs differ.

    Raises:
        BadInput: the blank nodes can't be told apart in time.
    """
    plain, blank = list[Quad](), list[Quad]()
    for quad in quads:  # what holds no blank node says nothing about one
        (blank if any(map(_holds_blank, (quad.subject, quad.object, quad.graph_name))) else plain).append(quad)
    if not blank:
        return plain
    # Not by multiprocessing: that runs the caller's own script once more, wherever it has no main guard.
    try:
        done = subprocess.run(  # noqa: S603 - this very module; the graph is its input and no argument
            [sys.executable, "-P", "-m", __name__],
            input=serialize(blank, format=RdfFormat.N_QUADS) or b"",
            capture_output=True,
            check=True,
            timeout=SECONDS,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        raise BadInput("rdf-too-many-blank-nodes", seconds=SECONDS) from None
    base = BLANK
    if own:
        lines = sorted(done.stdout.splitlines())
        base += f"{hashlib.sha256(b''.join(lines)).hexdigest()[:_DIGITS]}-"
    for q in parse(done.stdout, RdfFormat.N_QUADS):
        plain.append(Quad(_node(q.subject, base), q.predicate, _node(q.object, base), _node(q.graph_name, base)))
    return plain


def shown(term: Any) -> Any:  # noqa: ANN401 - any term, or None
    """Return a term as people get it: the IRIs of `skolemise` are blank nodes again.

    Such an IRI names a node within one store only, so that two answers may hold the same one and mean two nodes.
    """
    if isinstance(term, NamedNode) and term.value.startswith(BLANK):
        return BlankNode(term.value.removeprefix(BLANK))
    return Triple(shown(term.subject), term.predicate, shown(term.object)) if isinstance(term, Triple) else term


def _holds_blank(node: Any) -> bool:  # noqa: ANN401 - any term
    if isinstance(node, Triple):
        return _holds_blank(node.subject) or _holds_blank(node.object)
    return isinstance(node, BlankNode)


def _node(node: Any, base: str) -> Any:  # noqa: ANN401 - any term
    if isinstance(node, Triple):
        return Triple(_node(node.subject, base), node.predicate, _node(node.object, base))
    return NamedNode(base + node.value) if isinstance(node, BlankNode) else node


def _canonical(text: bytes) -> bytes:
    dataset = Dataset(parse(text, RdfFormat.N_QUADS))
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return serialize(dataset, format=RdfFormat.N_QUADS) or b""


if __name__ == "__main__":
    sys.stdout.buffer.write(_canonical(sys.stdin.buffer.read()))
