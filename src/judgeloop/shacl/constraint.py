"""pyshacl's constraint components, built once: they keep what they find as values, their queries stand compiled."""
# ruff: noqa: ANN401 - the signatures are pyshacl's, and it has no types
# mypy: disable-error-code="no-untyped-call"

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from pyshacl import consts
from pyshacl.constraints import CONSTRAINT_PARAMETERS_MAP
from pyshacl.constraints.sparql.sparql_based_constraint_components import BoundShapeValidatorComponent
from pyshacl.constraints.sparql.sparql_based_constraints import SPARQLBasedConstraint
from pyshacl.errors import ConstraintLoadWarning
from pyshacl.helper.sparql_query_helper import SPARQLQueryHelper
from rdflib import OWL, Literal, URIRef
from rdflib.term import Node

from judgeloop.errors import EngineFailure
from judgeloop.shacl.sparql import Plans
from judgeloop.shacl.terms import text_of
from judgeloop.vocab import SH

_DECLARE: Final = URIRef(SH + "declare")
_PROBE: Final = URIRef("urn:judgeloop:probe")


class Finding(NamedTuple):
    """One broken constraint, in the engine's own terms."""

    focus: Node
    path: Node | None
    value: Node | None
    component: Node
    shape: Node
    severity: Node
    source_constraint: Node | None
    parameters: tuple[Node, ...]
    """The properties by which the shape states the constraint."""
    messages: tuple[tuple[Literal, ...], ...]
    """What the shapes say of it, the nearest first: bound by the query, of the constraint, of the shape."""
    known: Mapping[str, Node]
    """What ``{?name}`` in a message stands for."""


def core_constraint(kind: Any, shape: Any, plans: Plans) -> Any:
    """Return the constraint of one component of SHACL Core or SHACL-SPARQL on a shape.

    Raises:
        EngineFailure: a query that can't be used, or a parameter that pyshacl would ignore.
        Exception: whatever pyshacl raises about a constraint that it can't load.
    """
    try:
        constraint = _RECORDING[kind](shape)
    except ConstraintLoadWarning:
        raise EngineFailure("shacl-ignored", what=f"{kind.__name__} ({text_of(shape.node)})") from None
    if isinstance(constraint, SPARQLBasedConstraint):
        constraint.sparql_constraints = {_Query.ready(old, plans) for old in constraint.sparql_constraints}
    return constraint


def custom_constraint(component: Any, shape: Any, plans: Plans) -> Any:
    """Return the constraint of a SPARQL-based component that the shapes graph defines itself (same errors)."""
    bound = component.make_validator_for_shape(shape)
    constraint = _Bound(bound.constraint, shape, bound.validator)
    constraint.query_helper = _Query.ready(constraint.query_helper, plans, value=_PROBE)
    return constraint


class _Query(SPARQLQueryHelper):
    """A query text with its prefixes, put together, checked and compiled once."""

    _done: tuple[Mapping[str, Node], str]

    @classmethod
    def ready(cls, helper: Any, plans: Plans, value: Node | None = None) -> "_Query":
        parts = (helper.select_text, helper.parameters, helper.unbound_messages, helper.deactivated)
        made = cls(helper.shape, helper.node, *parts)
        made.collect_prefixes()
        if not made.deactivated:
            names = list(made.param_bind_map) or None
            bound, text = super(_Query, made).pre_bind_variables(_PROBE, value, names)
            made._done = bound, super(_Query, made).apply_prefixes(text)
            plans(made._done[1])
            super(_Query, made).check_invalid_sparql(made.select_text, value, names)
        return made

    def collect_prefixes(self) -> None:
        """Take the declarations of ``sh:prefixes`` and of what it imports, as far as these files hold it."""
        super().collect_prefixes()
        graph = self.shape.sg.graph
        for start in graph.objects(self.node, consts.SH_prefixes):
            for ontology in graph.transitive_objects(start, OWL.imports):
                for declared in graph.objects(ontology, _DECLARE):
                    for prefix in graph.objects(declared, consts.SH_prefix):
                        for namespace in graph.objects(declared, consts.SH_namespace):
                            self.prefixes[str(prefix)] = URIRef(str(namespace))

    def check_invalid_sparql(self, sparql_text: Any, valuenode: Any = None, extravars: Any = None) -> bool:  # noqa: ARG002 - asked once, in `ready`, after our own check
        return True

    def pre_bind_variables(self, thisnode: Any, valuenode: Any = None, extravars: Any = None) -> Any:  # noqa: ARG002 - worked out in `ready`
        bound, text = self._done
        return {**bound, "this": thisnode} | ({} if valuenode is None else {"value": valuenode}), text

    def apply_prefixes(self, sparql: Any) -> Any:
        return sparql

    def bind_messages(self, param_map: Any = None) -> None:
        """Note what is known of the result that comes next; its messages are filled where they are read."""
        self.known: Mapping[str, Node] = dict(param_map or self.param_bind_map)
        self.bound_messages: set[Any] = set()


class _Recording:
    """Goes before a constraint component: keeps what it found as a value instead of as text and triples."""

    def make_v_result(  # noqa: PLR0913 - pyshacl's signature
        self,
        datagraph: Any,  # noqa: ARG002 - pyshacl's signature
        focus_node: Any,
        value_node: Any = None,
        result_path: Any = None,
        constraint_component: Any = None,
        source_constraint: Any = None,
        extra_messages: Any = None,
        bound_vars: Any = None,
    ) -> tuple[str, Finding, list[Any]]:
        if isinstance(bound_vars, Mapping):  # so it is where the query bound ?failure, and only there
            raise EngineFailure("shacl-query-failure", shape=str(source_constraint))
        made: Any = self
        shape = made.shape
        own = _Own.of(made)
        projected = bound_vars[3] if len(bound_vars or ()) > 3 else {}  # noqa: PLR2004 - this, path, value, the others
        path = shape.path() if result_path is None and shape.is_property_shape else result_path
        named = {"this": focus_node, "value": value_node, "path": path}
        finding = Finding(
            focus=focus_node,
            path=path,
            value=value_node,
            component=constraint_component or made.shacl_constraint_component,
            shape=shape.node,
            severity=shape.severity,
            source_constraint=source_constraint,
            parameters=own.parameters,
            messages=(
                tuple(m for m in (projected.get("message"),) if isinstance(m, Literal)),
                tuple(extra_messages or own.messages),
                tuple(shape.message),
            ),
            known={**own.known, **projected, **{name: term for name, term in named.items() if term is not None}},
        )
        return "", finding, [finding]


class _Own(NamedTuple):
    """What a component brings along."""

    parameters: tuple[Node, ...]
    messages: Iterable[Literal] = ()
    known: Mapping[str, Node] = {}

    @classmethod
    def of(cls, constraint: Any) -> "_Own":
        if not isinstance(constraint, BoundShapeValidatorComponent):
            return cls(tuple(constraint.constraint_parameters()))
        paths = tuple(parameter.path() for parameter in constraint.constraint.parameters)
        return cls(paths, constraint.validator.messages, constraint.query_helper.known)


class _Bound(_Recording, BoundShapeValidatorComponent):
    pass


_RECORDING: Final[dict[Any, Any]] = {
    kind: type(kind.__name__, (_Recording, kind), {}) for kind in set(CONSTRAINT_PARAMETERS_MAP.values())
}
