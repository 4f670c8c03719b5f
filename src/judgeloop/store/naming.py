"""Which graphs hold what a user knows, and which ones judgeloop wrote: told by their names."""

import re
from collections.abc import Iterable
from typing import Final

from judgeloop.rdf.skolem import BLANK
from judgeloop.vocab import HEADS, URN

_KINDS: Final = "event|payload|verdict|envelope|inferred|contract|policy|ontology|review"
_SEALED: Final = re.compile(rf"\b(?:{_KINDS})/(?:[^/]+/)?sha256-[0-9a-f]+(?:/envelope)?\Z")
"""`judgeloop.contract`, `judgeloop.event` and `judgeloop.record` mint such names under a contract's ``jl:idBase``."""
FILE: Final = f"{URN}file/"
"""What the names begin with of graphs that are called after their file."""
_KNOWLEDGE: Final = (f"{URN}kg/", FILE, BLANK)
"""What may stand under our own URN and is none of our own graphs."""


def is_domain(graph: str) -> bool:
    """Say whether a graph is one of knowledge: none of our events, verdicts, inferences, contracts and the like."""
    if graph.startswith(URN):
        return graph.startswith(_KNOWLEDGE)
    return not _SEALED.search(graph)


def is_kept(graph: str) -> bool:
    """Say whether a graph is one of ours that lasts and never changes once it is there (heads only grow)."""
    return graph == HEADS or bool(_SEALED.search(graph))


def domain(graphs: Iterable[str]) -> list[str]:
    """Return those of the graphs that hold knowledge; a query that names no graph sees their union."""
    return [graph for graph in graphs if is_domain(graph)]
