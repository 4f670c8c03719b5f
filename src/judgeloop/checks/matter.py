"""What the checks look at: one case, sealed and read, seated in the working store beside its world."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from judgeloop.contract import background_of, shapes_of
from judgeloop.event import Event
from judgeloop.messages import each, render
from judgeloop.model import Case, Contract, Finding, Requirement, Status, Text
from judgeloop.rdf import literal
from judgeloop.rdf.canonical import ntriples
from judgeloop.rdf.mint import pointer_of
from judgeloop.rdf.rq import BoundQuery, bind
from judgeloop.rdf.rq import read_once as parse_query
from judgeloop.rdf.terms import Triple, quads
from judgeloop.shacl import Report, validate
from judgeloop.store.world import World, question_iri, shipped


@dataclass(frozen=True)
class Matter:
    """One case under examination. ``reading`` is the graph that says how the world understands the question."""

    contract: Contract
    case: Case
    event: Event
    world: World
    reading: str

    def bound(self, path: str) -> tuple[BoundQuery, frozenset[str]]:
        """Return one of the contract's queries with the values that it declares, and their names."""
        query = parse_query(self.contract.text(path), path)
        values: Mapping[str, str | int] = {
            "event": self.event.iri,
            "world": self.world.graph,
            "inferred": self.world.inferred,
            "reading": self.reading,
            **self.world.limits,
        }
        return bind(query, {name: values[name] for name in query.params if name in values}), frozenset(query.params)

    def applies(self, requirement: Requirement) -> bool:
        """Say whether the requirement's condition is met; a requirement without one always applies."""
        if requirement.condition is None:
            return True
        return self.world.store.ask(self.bound(self.contract.queries[requirement.condition])[0])

    def missing(self, requirement: Requirement) -> str | None:
        """Return the first kind of evidence that a requirement needs and neither event nor world holds a piece of."""
        query = shipped("retrieve/has_instance.rq")
        graphs = {"event": self.event.iri, "world": self.world.graph}
        for kind in requirement.evidence_types:
            if not self.world.store.ask(bind(query, {**graphs, "class": kind})):
                return kind
        return None

    @cached_property
    def report(self) -> Report:
        """Return what SHACL says of the event, the ontology, and the types and labels of the nodes that it names."""
        named = self.world.store.construct(
            bind(shipped("retrieve/named_nodes.rq"), {"event": self.event.iri, "world": self.world.graph})
        )
        data = ntriples([*self.event.whole, *named])
        rules = {r.rule for r in self.contract.requirements}
        return validate(shapes_of(self.contract), data, background=background_of(self.contract), only=rules)

    def place(self, iri: str) -> str | None:
        """Return the JSON Pointer that a node of the event came from, as it stands in the file that was handed in."""
        if not iri.startswith(self.event.iri):
            return None
        pointer = pointer_of(iri) or ""
        return self.in_file(pointer)

    def in_file(self, pointer: str) -> str:
        """Return a pointer of the case as a pointer of the file: a bare decision is the file's root."""
        return pointer.removeprefix("/decision") if self.case.bare else pointer


@contextmanager
def seated(contract: Contract, case: Case, event: Event, world: World) -> Iterator[Matter]:
    """Seat the case in the world's working store for as long as it is examined."""
    reading = f"{contract.id_base}reading/{event.iri.rpartition('/')[2]}"
    matter = Matter(contract, case, event, world, reading)
    store = world.store
    with world.seats.taken(event.iri):  # the same case in another thread would share these graphs
        try:
            store.put_once({event.iri: event.whole, reading: _reading(matter)})
            for path in contract.derive:
                query, names = matter.bound(path)
                if "event" in names:
                    store.put_once({}, quads(reading, store.construct(query)))
            yield matter
        finally:
            store.drop(event.iri)
            store.drop(reading)


def _reading(matter: Matter) -> list[Triple]:
    """Return how the question is understood; nothing where there is none."""
    task = f"{matter.event.iri}#/input"
    given = matter.case.document.get("input")
    given = given if isinstance(given, Mapping) else {}
    text, asked = given.get("text"), literal.instant(str(given.get("asked_at", "")))
    if not isinstance(text, str):
        identifier = matter.case.decision.get(matter.contract.id_key)
        known = (
            matter.world.question(question_iri(identifier, matter.contract)) if isinstance(identifier, str) else None
        )
        if known is None:
            return []
        text, asked = known[0], asked or known[1]
    return matter.world.read(task, text, asked)


def not_run(requirement: Requirement, message: Text) -> Finding:
    """Return a finding that says why a check could not run."""
    return Finding(
        rule=requirement.rule,
        requirement=requirement.iri,
        status=Status.NOT_RUN,
        severity=requirement.severity,
        message=message,
    )


def stopped(requirement: Requirement, why: Text) -> Finding:
    """Return a finding that says what stopped a check."""
    message = each(lambda lang: render("check-crashed", lang, rule=requirement.label[lang], why=why[lang]))
    return not_run(requirement, message)


def told(requirement: Requirement, key: str, **params: object) -> Text:
    """Return a sentence about a requirement, by its label, in every language."""
    return each(lambda lang: render(key, lang, rule=requirement.label[lang], **params))
