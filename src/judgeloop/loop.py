"""The loop: what happens to one decision, in nine lines. `judgeloop why` prints them back from the graph.

Steps 4, 5 and 8 ask judges, look for counterexamples and route to people; a contract whose mandatory requirements are
all machine-decided needs none of them, and the scope of its verdicts says that no judge was asked.
"""

import asyncio
import hashlib
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from judgeloop import checks
from judgeloop.contract import kept_graph, ontology_graph
from judgeloop.event import seal
from judgeloop.model import Case, Contract
from judgeloop.rdf.mint import encode
from judgeloop.rdf.rq import bind
from judgeloop.rdf.terms import Literal, NamedNode, Quad
from judgeloop.record import VerdictRecord, make
from judgeloop.store import Store
from judgeloop.store.world import World, shipped
from judgeloop.verdict import decide
from judgeloop.vocab import HEADS, JL, RDF_TYPE, XSD_INTEGER

_KEEPING: Final = threading.Lock()
"""Held from looking up the newest head to writing the next one: two verdicts at once must not become one head."""


def judge(case: Case, contract: Contract, *, world: World, store: Store) -> VerdictRecord:
    """Return the verdict of one case and keep it in ``store``: the event, its payload, the verdict and its head.

    Raises:
        BadInput: the case can't be recorded; nothing was stored.
        StoreError: nothing of this case was stored.
    """
    started, clock = datetime.now(UTC), time.perf_counter()
    # 0 the contract was frozen by the caller                                    (contract.freeze)
    event = seal(case, contract, store.secret)  # 1 record the event
    findings, measures = checks.run(contract, case, event, world)  # 2 check what a machine can decide
    # 3 a violation, or a check that could not run, stops here                   (rows of the table)
    # 4 ask one judge per criterion, 5 try to overturn them                      (none is named by the contract)
    verdict = decide(contract, findings, risk=case.risk)  # 6 decide
    elapsed = int((time.perf_counter() - clock) * 1000)
    timings = {"started_at": started.strftime("%Y-%m-%dT%H:%M:%SZ"), "milliseconds": elapsed}
    record = make(contract, case, event, world, findings, verdict, measures=measures, timings=timings)
    keep(store, contract, record, world)  # 7 seal, validate and store the verdict
    return record  # 8 people see it in sparql/report/open_queue.rq


async def ajudge(case: Case, contract: Contract, *, world: World, store: Store) -> VerdictRecord:
    """Return what `judge` returns, without holding up the event loop."""
    return await asyncio.to_thread(judge, case, contract, world=world, store=store)


def judge_many(cases: Iterable[Case], contract: Contract, *, world: World, store: Store) -> Iterator[VerdictRecord]:
    """Return the verdicts of many cases, one after the other; what was judged is stored even if a later case fails."""
    for case in cases:
        yield judge(case, contract, world=world, store=store)


def keep(store: Store, contract: Contract, record: VerdictRecord, world: World) -> bool:
    """Store everything that a verdict rests on in one step; say whether anything was written.

    Keeping the same verdict twice writes nothing.
    """
    graphs = {
        record.event.iri: record.event.triples,
        record.event.payload_iri: record.event.payload,
        record.iri: record.triples,
        f"{record.iri}/envelope": record.envelope,
        world.graph: () if store.has_graph(world.graph) else world.store.graph(world.graph),
        world.inferred: () if store.has_graph(world.inferred) else world.store.graph(world.inferred),
        **dict([kept_graph(contract), ontology_graph(contract)]),
    }
    with _KEEPING:
        head = _head(store, contract, record)
        return store.put_once({name: triples for name, triples in graphs.items() if triples}, head)


def _head(store: Store, contract: Contract, record: VerdictRecord) -> Sequence[Quad]:
    """Return the entry that makes this the current verdict of its case; none where it already is."""
    case_id = record.record["case_id"]
    rows = store.select(bind(shipped("retrieve/head.rq"), {"case": case_id, "contract": contract.iri}))
    newest = next(rows.texts(), None)
    if newest and newest["verdict"] == record.iri:
        return []
    number = int(newest["number"]) + 1 if newest else 1
    told_apart = hashlib.sha256(contract.iri.encode()).hexdigest()[:8]  # two contracts may share a name
    name = f"{contract.name}-{told_apart}/{encode(case_id)}/{number}"
    node, graph = NamedNode(f"{contract.id_base}head/{name}"), NamedNode(HEADS)
    said: list[tuple[str, NamedNode | Literal]] = [
        (RDF_TYPE, NamedNode(JL + "Head")),
        (JL + "caseId", Literal(case_id)),
        (JL + "contract", NamedNode(contract.iri)),
        (JL + "verdict", NamedNode(record.iri)),
        (JL + "outcome", NamedNode(JL + record.verdict.outcome.value)),
        (JL + "sequence", Literal(str(number), datatype=NamedNode(XSD_INTEGER))),
    ]
    if newest:
        said.append((JL + "supersedes", NamedNode(newest["head"])))
    return [Quad(node, NamedNode(prop), value, graph) for prop, value in said]
