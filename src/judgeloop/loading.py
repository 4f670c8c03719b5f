"""Files into a store and out of it again: what ``judgeloop store load`` and ``judgeloop store dump`` do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from judgeloop.errors import BadInput, StoreError
from judgeloop.rdf.answers import written
from judgeloop.rdf.dumps import TRIPLES, to_text
from judgeloop.rdf.skolem import skolemise_all
from judgeloop.rdf.stored import alike, as_stored, respelt
from judgeloop.rdf.terms import Literal as RdfLiteral
from judgeloop.rdf.terms import Quad, Term, Triple, named, quads
from judgeloop.store import Store, kind_of
from judgeloop.store.files import by_graph, statements
from judgeloop.store.labels import TEXTS
from judgeloop.store.naming import is_domain, is_kept
from judgeloop.vocab import HEADS

SHOWN: Final = 3
"""Literals that a store spells in its own way, of which so many are shown."""
Told = Callable[[str, int, int], None]
"""Is told what is worked on next, its number, and how many there are."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of one graph."""

    graph: str
    triples: int
    """As many as the store holds: two spellings of one value may be one triple."""
    change: Literal["new", "replaced", "same"]
    respelt: int
    """Literals that this store gives back in another spelling."""
    examples: tuple[tuple[str, str], ...]
    """Some of them, as given and as given back, in N-Triples."""


def read(files: Sequence[str], graph: str | None, base: str | None, told: Told) -> dict[str, list[Triple]]:
    """Return the graphs of all files; what they put into no graph stands in ``graph``, or in one called after its file.

    Blank nodes get IRIs that are the same for the same file, and others for any other.

    Raises:
        BadInput: a file can't be read or says nothing, or a graph has a name that none may have, or that is our own.
    """
    if graph is not None and not is_domain(named(graph).value):
        raise BadInput("load-own-graph", place=graph)
    found: list[Quad] = []
    for at, name in enumerate(files, start=1):
        told(name, at, len(files))
        stated = statements(name, base, graph)
        if not stated:
            raise BadInput("load-nothing", place=name)
        found += skolemise_all(stated, own=True)
    held = by_graph(found)
    for name in held:
        if not is_domain(named(name).value) and not is_kept(name):
            raise BadInput("load-own-graph", place=name)
    return held


def load(store: Store, graphs: Mapping[str, Sequence[Triple]], told: Told) -> Iterator[Loaded]:
    """Make each graph hold what it is given, one after the other, each in one step; what is sealed is never replaced.

    Raises:
        StoreError: a graph of events, verdicts or the like is there and holds something else; nothing was written.
        StoreUnavailable: a server failed; the graphs before are written, those after are not.
    """
    names = sorted(graphs, key=lambda name: (name == HEADS, name))  # what heads name is there before they are
    sealed = {name for name in names if not is_domain(name) and store.has_graph(name)}
    for name in sealed:
        if not alike(store.graph(name), graphs[name]):
            raise StoreError("load-sealed", place=name)
    for at, name in enumerate(names, start=1):
        told(name, at, len(names))
        there = name in sealed or store.has_graph(name)
        changed = name not in sealed and store.replace(name, graphs[name])
        other, number = _respelt(store, name, graphs[name])
        shown = dict.fromkeys((written(was), written(now)) for was, now in other)
        change: Literal["new", "replaced", "same"] = "same" if not changed else "replaced" if there else "new"
        yield Loaded(name, number, change, len(other), tuple(shown)[:SHOWN])


def dump(store: Store, graphs: Sequence[str], form: str) -> str:
    """Return all named graphs of a store, or those that are named, as sorted text in a form of `judgeloop.rdf.dumps`.

    Raises:
        BadInput: a graph is not there, or the form holds one graph and there are several.
    """
    there = store.graphs()
    for name in graphs:
        if name not in there:
            raise BadInput("dump-no-graph", place=store.url, graph=name)
    names = sorted(set(graphs)) if graphs else there
    if form in TRIPLES and len(names) > 1:
        raise BadInput("dump-one-graph", place=store.url, form=form, n=len(names))
    return to_text([quad for name in names for quad in quads(name, store.graph(name))], form)


def _respelt(store: Store, name: str, given: Sequence[Triple]) -> tuple[list[tuple[Term, Term]], int]:
    """Return which literals of a graph come back in another spelling, and how many triples the store holds."""
    if kind_of(store.url) == "server":  # each has its own way
        back = list(store.graph(name))
        return [*respelt(given, back)], len(back)
    typed = [t for t in given if isinstance(t.object, RdfLiteral) and t.object.datatype.value not in TEXTS]
    return [*respelt(typed, as_stored(typed))], store.count(name)
