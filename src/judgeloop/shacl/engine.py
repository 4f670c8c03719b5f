"""pyshacl, run shape by shape: its answers without its report texts, defaults and caches.

What differs from `pyshacl.validate`: constraints are built and queries compiled once per shapes graph, and before any
data is seen, so that a broken one is found even where no node is selected; nothing is written into pyshacl or rdflib;
a query that binds ``?failure`` is a failure, as SHACL says; ``$this`` and a validator's ``$value`` are always prebound.
"""
# ruff: noqa: ANN401 - the signatures are pyshacl's, and it has no types
# mypy: disable-error-code="no-untyped-call"

import logging
from collections.abc import Iterable
from typing import Any, Final

import pyshacl
from pyshacl import consts
from pyshacl.constraints import ALL_CONSTRAINT_PARAMETERS, CONSTRAINT_PARAMETERS_MAP
from pyshacl.constraints.sparql.sparql_based_constraint_components import SPARQLConstraintComponentValidator
from pyshacl.pytypes import SHACLExecutor
from pyshacl.shape import Shape as PyshaclShape
from pyshacl.shapes_graph import ShapesGraph as PyshaclShapesGraph
from rdflib import URIRef
from rdflib.term import Node

from judgeloop.errors import EngineFailure
from judgeloop.shacl.constraint import Finding, core_constraint, custom_constraint
from judgeloop.shacl.graph import TERMS, View
from judgeloop.shacl.sparql import Plans
from judgeloop.shacl.terms import kept

ENGINE: Final = f"pyshacl {pyshacl.__version__}"
"""Name and version of the engine that every report here comes from."""
_DEPTH: Final = 100
"""Nesting that is followed; recursion is refused before, so only an absurd file gets there."""
_LOG: Final = logging.getLogger("judgeloop.shacl")

for _term in (*ALL_CONSTRAINT_PARAMETERS, *vars(consts).values()):
    if type(_term) is URIRef:
        kept(_term)


class Engine:
    """One shapes graph, ready to run. Not safe to use from two threads at once."""

    def __init__(self, graph: View, plans: Plans) -> None:
        """Build every constraint of ``graph``.

        Raises:
            EngineFailure: a query or a constraint that can't be used.
            Exception: whatever pyshacl raises about a shape that it can't load.
        """
        _forget(graph)
        try:
            self._shapes = _Shapes(graph)
            for shape in self._shapes.ready.values():
                shape.prepare(plans)
        finally:
            _forget(graph)
        self._executor = SHACLExecutor(max_validation_depth=_DEPTH)

    def knows(self, node: Node) -> bool:
        """Say whether pyshacl takes ``node`` for a shape."""
        return node in self._shapes.ready

    def focus_nodes(self, node: Node, data: View) -> set[Node]:
        """Return the nodes that a shape's own targets select."""
        found: set[Node] = self._shapes.ready[node].focus_nodes(data)
        return found

    def run(self, node: Node, focus: Iterable[Node], data: View) -> list[Finding]:
        """Return what breaks the shape ``node`` at the given focus nodes."""
        _, found = self._shapes.ready[node].validate(self._executor, data, focus=list(focus))
        return [finding for _, finding, _ in found]


def _forget(graph: View) -> None:
    """Drop what pyshacl remembers of a graph by its address: a later graph may stand at the same one."""
    cache = SPARQLConstraintComponentValidator.validator_cache
    for key in [key for key in cache if key[0] == id(graph)]:
        del cache[key]


class _Shapes(PyshaclShapesGraph):
    def __init__(self, graph: View) -> None:
        super().__init__(graph, debug=False, logger=_LOG)
        self.ready: dict[Node, _Shape] = {
            shape.node: _Shape(self, shape.node, p=shape.is_property_shape, path=shape.path(), logger=_LOG)
            for shape in self.shapes
        }

    def lookup_shape_from_node(self, node: Any) -> "_Shape":
        return self.ready[node]

    def is_filtered_out_shape(self, node: Any) -> bool:  # noqa: ARG002 - all shapes are loaded, none is left out
        return False


class _Shape(PyshaclShape):
    """A shape with its targets and constraints worked out once."""

    _targets: tuple[tuple[Node, ...], ...] = ((), (), (), (), ())
    _constraints: tuple[Any, ...] = ()

    def prepare(self, plans: Plans) -> None:
        self._targets = tuple(tuple(nodes) for nodes in super().target())
        if not self.deactivated:
            stated = (CONSTRAINT_PARAMETERS_MAP.get(p) for p, _ in self.sg.predicate_objects(self.node))
            kinds = dict.fromkeys(kind for kind in stated if kind is not None)
            own = self.find_custom_constraints()
            self._constraints = (
                *(core_constraint(kind, self, plans) for kind in kinds),
                *(custom_constraint(component, self, plans) for component in own),
            )

    def target(self) -> Any:
        return self._targets

    def validate(self, executor: Any, target_graph: Any, focus: Any = None, _evaluation_path: Any = None) -> Any:
        """Return what pyshacl's own loop returns, over constraints that stand ready."""
        if self.deactivated:
            return True, []
        nodes = [focus] if type(focus) in TERMS else list(focus)
        way = _evaluation_path or []
        if len(way) // 2 >= executor.max_validation_depth:
            raise EngineFailure("shacl-depth", limit=executor.max_validation_depth)
        values = self.value_nodes(target_graph, nodes)
        found: list[Any] = []
        conforms = True
        for constraint in self._constraints:
            held, reports = constraint.evaluate(executor, target_graph, values, [*way, self, constraint])
            conforms = conforms and held
            found += reports
        return conforms, found
