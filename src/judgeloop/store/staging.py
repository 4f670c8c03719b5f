"""Graphs in which an embedded store notes what it is about to do, so that a stop in the middle leaves nothing in part.

Triples that are exchanged wait here for the one step that moves them. A large graph is filled by the engine's bulk
loader, which is several times as fast and no transaction: its name stands here until it is whole.
"""

import contextlib
from collections.abc import Sequence
from typing import Final

from pyoxigraph import NamedNode, Quad, Store

from judgeloop.vocab import URN

ADDED: Final = URN + "staging/added"
REMOVED: Final = URN + "staging/removed"
"""Where the triples of `EmbeddedStore.replace` wait; sparql/store/replace.rq names both graphs, too."""
FILLING: Final = URN + "staging/filling"
"""Where the name of a graph stands that is being filled in bulk, and was not there before."""
STAGES: Final = frozenset({ADDED, REMOVED, FILLING})
LARGE: Final = 100_000
"""Triples from which on a new graph is filled in bulk; below, one transaction is about as fast."""


def recover(engine: Store) -> None:
    """Take away what a stop left behind: graphs that were being filled, and what waited for its step."""
    for note in engine.quads_for_pattern(None, None, None, NamedNode(FILLING)):
        assert isinstance(note.subject, NamedNode)  # noqa: S101 - `fill` writes the name of a graph
        engine.remove_graph(note.subject)
    for stage in (ADDED, REMOVED, FILLING):
        engine.remove_graph(NamedNode(stage))


def fill(engine: Store, graph: str, quads: Sequence[Quad]) -> None:
    """Fill a graph that is not there in bulk; after a stop or a failure it is not there again.

    Raises:
        OSError: the engine failed.
    """
    name = NamedNode(graph)
    engine.add(Quad(name, name, name, NamedNode(FILLING)))
    engine.flush()  # what is loaded in bulk is on the disk at once, and must not be there before its note
    try:
        engine.bulk_extend(quads)
    except OSError:
        with contextlib.suppress(OSError):  # else it goes when the folder is opened again
            recover(engine)
        raise
    engine.remove_graph(NamedNode(FILLING))
