"""The chain that says which verdict of a case is the current one: a head per verdict, numbered without gaps.

A head is the only thing that two writers can dispute: everything else that a step writes is named by its own content.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from judgeloop.errors import StoreConflict, StoreError
from judgeloop.rdf.canonical import addresses
from judgeloop.rdf.rq import Value, bind
from judgeloop.rdf.stored import alike, as_stored
from judgeloop.rdf.terms import Literal, NamedNode, Quad, Triple
from judgeloop.store.own import own_query
from judgeloop.vocab import HEADS, JL, RDF_TYPE, XSD_INTEGER

if TYPE_CHECKING:
    from judgeloop.store import Store

COMPARED: Final = 5_000
"""Triples up to which a graph that is there is compared with what it should hold; of a larger one the number is."""


@dataclass(frozen=True, slots=True)
class Head:
    """Says that ``verdict`` is the current one of a case under a contract, as number ``number`` (1, 2, …)."""

    iri: str
    case: str
    contract: str
    verdict: str
    outcome: str
    """The IRI of the outcome."""
    number: int
    supersedes: str | None
    """The head that was the newest until now; none for number 1."""

    def quads(self) -> list[Quad]:
        """Return what the graph of heads says about it."""
        said: list[tuple[str, NamedNode | Literal]] = [
            (RDF_TYPE, NamedNode(JL + "Head")),
            (JL + "caseId", Literal(self.case)),
            (JL + "contract", NamedNode(self.contract)),
            (JL + "verdict", NamedNode(self.verdict)),
            (JL + "outcome", NamedNode(self.outcome)),
            (JL + "sequence", Literal(str(self.number), datatype=NamedNode(XSD_INTEGER))),
        ]
        if self.supersedes:
            said.append((JL + "supersedes", NamedNode(self.supersedes)))
        graph = NamedNode(HEADS)
        return [Quad(NamedNode(self.iri), NamedNode(prop), value, graph) for prop, value in said]

    @property
    def place(self) -> "Mapping[str, Value]":
        """Return what a query needs to find the heads of this number."""
        return {"case": self.case, "contract": self.contract, "number": self.number}


def claimed(store: "Store", head: Head) -> bool:
    """Say whether this very head has its number.

    Raises:
        StoreConflict: another verdict has it.
    """
    owners = {(row["head"], row["verdict"]) for row in store.select(bind(own_query("claimed"), head.place)).texts()}
    if owners - {(head.iri, head.verdict)}:
        raise StoreConflict("store-conflict", place=store.url, case=head.case, number=head.number)
    return bool(owners)


def holds(store: "Store", graph: str, given: Iterable[Triple]) -> bool:
    """Say whether a graph is there; one whose name is the hash of ``given`` must hold just that.

    Raises:
        StoreError: the graph was torn or changed.
    """
    there = store.has_graph(graph)
    if there:
        compare(store, graph, given)
    return there


def compare(store: "Store", graph: str, given: Iterable[Triple]) -> None:
    """Refuse a graph that is there and holds something else than its name says; many names say nothing of this.

    What is given as an iterator is read only to be written. Of a large graph only the number of triples is compared.

    Raises:
        StoreError: the graph was torn or changed.
    """
    if not isinstance(given, Sequence) or not addresses(graph, given):
        return
    if len(given) > COMPARED:
        count = store.count(graph)
        same = len(as_stored(given)) <= count <= len(set(given))  # a store may spell two values alike
    else:
        held = list(store.graph(graph))
        count, same = len(held), alike(held, given)
    if not same:
        raise StoreError("store-other", place=graph, n=count, wanted=len(given))
