"""The loop: what happens to one decision, in nine lines. `judgeloop why` prints them back from the graph.

Steps 4, 5 and 8 ask judges, look for counterexamples and route to people; a contract whose mandatory requirements are
all machine-decided needs none of them, and the scope of its verdicts says that no judge was asked.
"""

import asyncio
import hashlib
import random
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from judgeloop import checks
from judgeloop.contract import kept_graph, ontology_graph
from judgeloop.errors import StoreConflict
from judgeloop.event import seal
from judgeloop.model import Case, Contract
from judgeloop.rdf.mint import encode
from judgeloop.rdf.rq import bind
from judgeloop.rdf.terms import Triple
from judgeloop.record import VerdictRecord, make
from judgeloop.store import Store
from judgeloop.store.heads import Head
from judgeloop.store.world import World, shipped
from judgeloop.verdict import decide
from judgeloop.vocab import JL

TRIES: Final = 60
"""How often a verdict is tried to be kept while other writers are first; with the pauses some 20 s."""


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
    """Return the verdicts of many cases, one after the other; what was judged is stored even if a later case fails.

    The store is flushed once, after the last case: a flush takes longer than a verdict.
    """
    try:
        for case in cases:
            yield judge(case, contract, world=world, store=store)
    finally:
        store.flush()


def keep(store: Store, contract: Contract, record: VerdictRecord, world: World) -> bool:
    """Store everything that a verdict rests on in one step; say whether anything was written.

    Keeping the same verdict twice writes nothing. When this returns, a killed process loses nothing of it; a power cut
    may, until the store was flushed.

    Raises:
        StoreConflict: other writers changed the current verdict of this case each time that this one tried.
        StoreError: the store can't be written, or holds something else under one of these names.
    """
    own: dict[str, Iterable[Triple]] = {
        record.event.iri: record.event.triples,
        record.event.payload_iri: record.event.payload,
        record.iri: record.triples,
        f"{record.iri}/envelope": record.envelope,
    }
    for tried in range(TRIES):
        try:
            written = store.put_once(own | _shared(store, contract, world), head=_head(store, contract, record))
        except StoreConflict:
            time.sleep(random.uniform(0, 0.02 * tried))  # noqa: S311 - who waits how long is no secret
        else:
            world.kept.add(store)
            return written
    raise StoreConflict("store-contended", place=store.url, case=record.record["case_id"], tries=TRIES)


def _shared(store: Store, contract: Contract, world: World) -> dict[str, Iterable[Triple]]:
    """Return the graphs that many verdicts rest on, to be read where they are missing.

    The world is also compared with what its name says, once per open store.
    """
    asserted = world.store.graph(world.graph)
    return {
        world.graph: asserted if store in world.kept else list(asserted),
        world.inferred: world.store.graph(world.inferred),
        **{name: iter(triples) for name, triples in (kept_graph(contract), ontology_graph(contract))},
    }


def _head(store: Store, contract: Contract, record: VerdictRecord) -> Head | None:
    """Return the entry that makes this the current verdict of its case; None where it already is."""
    case_id = record.record["case_id"]
    rows = store.select(bind(shipped("retrieve/head.rq"), {"case": case_id, "contract": contract.iri}))
    newest = next(rows.texts(), None)
    if newest and newest["verdict"] == record.iri:
        return None
    number = int(newest["number"]) + 1 if newest else 1
    told_apart = hashlib.sha256(contract.iri.encode()).hexdigest()[:8]  # two contracts may share a name
    return Head(
        iri=f"{contract.id_base}head/{contract.name}-{told_apart}/{encode(case_id)}/{number}",
        case=case_id,
        contract=contract.iri,
        verdict=record.iri,
        outcome=JL + record.verdict.outcome.value,
        number=number,
        supersedes=newest["head"] if newest else None,
    )
