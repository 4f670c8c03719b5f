"""The gate: shapes parsed once, data looked at once, and nothing passes because it was not looked at."""

import hashlib
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from threading import Lock, RLock
from typing import Final

from rdflib.term import Node

from judgeloop.errors import JudgeloopError
from judgeloop.rdf.parse import read_rdf
from judgeloop.shacl.account import Catalogue, Shape
from judgeloop.shacl.engine import Engine
from judgeloop.shacl.graph import Index, View
from judgeloop.shacl.literals import LiteralProblem, problems_of
from judgeloop.shacl.refusal import UnknownTerm, refusals, unknown_terms
from judgeloop.shacl.report import Examined, Failure, Report, Result
from judgeloop.shacl.sparql import Plans
from judgeloop.shacl.terms import read, text_of
from judgeloop.shacl.wording import result_of

_KEPT: Final = 16
_kept: Final[OrderedDict[str, "ShapesGraph"]] = OrderedDict()
_keeping: Final = Lock()


class Background:
    """Triples that many validations share (ontology, types and labels of the nodes that an event names)."""

    def __init__(self, index: Index, problems: tuple[LiteralProblem, ...]) -> None:
        """Keep an index; use `parse`."""
        self.index = index
        self.problems = problems
        """Literals that can't be compared safely; validation against this background fails while there are any."""

    @classmethod
    def parse(cls, nt: str) -> "Background":
        """Return the triples of an N-Triples text, ready to be shared by threads.

        Raises:
            BadInput: not N-Triples.
        """
        triples = read(nt, "background", blanks="background-", keep=True)
        return cls(Index(triples), tuple(problems_of(triples)))


class ShapesGraph:
    """Shapes of one set of files, ready to run; safe to share, runs wait for each other."""

    shapes: tuple[Shape, ...]
    """Shapes with a target, and named ones that no other shape refers to; empty for a graph without shapes."""
    unknown_terms: tuple[UnknownTerm, ...]
    """Terms in SHACL's namespace that SHACL 1.0 does not define."""
    refusals: tuple[Failure, ...]
    """Why `validate` will not use these shapes; empty where it will."""

    def __init__(self, graph: View, plans: Plans) -> None:
        """Look ``graph`` through; use `parse`."""
        self.lock = RLock()
        self.plans = plans
        self.graph = graph
        catalogue = Catalogue(graph)
        self.shapes = catalogue.top()
        self.unknown_terms = unknown_terms(graph)
        self.refusals = refusals(graph, catalogue)
        self.nodes: dict[str, Node] = {text_of(node): node for node in catalogue.shape_nodes()}
        self.engine: Engine | None = None
        if not self.refusals:
            self._build()

    @classmethod
    def parse(cls, files: Sequence[tuple[str, bytes]]) -> "ShapesGraph":
        """Return the union of some files (name, Turtle); the same bytes give the same object.

        ``owl:imports`` is not followed. Does not establish: that the shapes ask for the right things; see `refusals`
        for what is wrong with their form.

        Raises:
            BadInput: a file that can't be read, with file, line and column.
        """
        hashed = hashlib.sha256()
        for _, content in files:
            hashed.update(b"%d:" % len(content) + content)
        digest = hashed.hexdigest()
        with _keeping:
            if digest in _kept:
                _kept.move_to_end(digest)
                return _kept[digest]
        plans = Plans()
        made = cls(View(Index(_statements(files)), plan=plans), plans)
        with _keeping:
            made = _kept.setdefault(digest, made)
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)
        return made

    def _build(self) -> None:
        try:
            self.engine = Engine(self.graph, self.plans)
            strange = [s.iri for s in self.shapes if s.targets and not self.engine.knows(self.nodes[s.iri])]
        except Exception as error:  # noqa: BLE001 - the border to the engine: any crash is a failure, never a pass
            self.refusals = (_failure(error),)
        else:
            if strange:
                self.refusals = (Failure.because("not-a-shape", what=", ".join(strange)),)


def validate(
    shapes: ShapesGraph, data_nt: str, background: Background | None = None, *, only: Collection[str] | None = None
) -> Report:
    """Return what the shapes find in the data and the background taken as one graph.

    Args:
        shapes: what to check.
        data_nt: the data, as N-Triples.
        background: triples that are looked at with the data. Its nodes are focus nodes too where a target selects them.
        only: the top-level shapes to run, by name; None runs all. A name that is no top-level shape is accounted for
            with nothing examined.

    Raises:
        BadInput: ``data_nt`` is not N-Triples.
    """
    listed = {shape.iri: shape for shape in shapes.shapes}
    wanted = sorted(listed if only is None else set(only))
    account = {name: _unexamined(listed.get(name)) for name in wanted}
    if shapes.engine is None or shapes.refusals:
        return Report((), account, shapes.refusals[0])
    triples = read(data_nt, "data")
    problems = (*problems_of(triples), *(background.problems if background else ()))
    if problems:
        return Report((), account, _unsafe(problems))
    below = (background.index,) if background else ()
    data = View(Index(t for t in triples if not any(t in layer for layer in below)), *below, plan=shapes.plans)
    examined = dict(account)
    try:
        with shapes.lock:
            results = list(_run(shapes, shapes.engine, [listed[n] for n in wanted if n in listed], data, examined))
    except Exception as error:  # noqa: BLE001 - the border to the engine: any crash is a failure, never a pass
        return Report((), account, _failure(error))
    return Report(tuple(sorted(results, key=Result.order)), examined)


def _run(
    shapes: ShapesGraph, engine: Engine, wanted: Sequence[Shape], data: View, examined: dict[str, Examined]
) -> Iterator[Result]:
    """Yield the results of each shape and write down what it looked at."""
    for shape in wanted:
        if shape.targets and not shape.deactivated:
            node = shapes.nodes[shape.iri]
            focus = engine.focus_nodes(node, data)
            examined[shape.iri] = Examined(len(focus), shape.constraints)
            if focus:
                for finding in engine.run(node, focus, data):
                    yield result_of(finding, shape.iri, shapes.graph)


def _unexamined(shape: Shape | None) -> Examined:
    return Examined(0, shape.constraints, shape.deactivated) if shape else Examined(0, 0)


def _unsafe(problems: Sequence[LiteralProblem]) -> Failure:
    first = problems[0]
    return Failure.because(
        "literals",
        count=len(problems),
        subject=first.subject,
        predicate=first.predicate,
        value=f'"{first.lexical}"^^<{first.datatype}>',
        why=first.why,
    )


def _failure(error: Exception) -> Failure:
    if isinstance(error, JudgeloopError):
        return Failure.of(error)
    return Failure.because("engine", why=f"{type(error).__name__}: {error}".strip().splitlines()[0])


def _statements(files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[Node, Node, Node]]:
    """Yield the statements of all files, blank nodes numbered by file and by first appearance."""
    for number, (name, content) in enumerate(files, start=1):
        labels: dict[str, str] = {}
        lines = []
        for quad in read_rdf(content, name):
            words = [_relabelled(str(term), labels) for term in (quad.subject, quad.predicate, quad.object)]
            lines.append(" ".join((*words, ".")))
        yield from read("\n".join(lines), name, blanks=f"{number}-", keep=True)


def _relabelled(term: str, labels: dict[str, str]) -> str:
    return f"_:{labels.setdefault(term, str(len(labels) + 1))}" if term.startswith("_:") else term
