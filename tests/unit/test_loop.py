"""The loop keeps what a verdict rests on in one step, and a chain of heads says which verdict is the current one."""

import asyncio
import dataclasses
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from judgeloop import loop
from judgeloop.casefile import to_case
from judgeloop.contract import kept_graph, ontology_graph
from judgeloop.errors import BadInput, StoreConflict, StoreError
from judgeloop.loop import ajudge, judge, judge_many, keep
from judgeloop.model import Case, Contract, Outcome
from judgeloop.opening import freeze, open_world
from judgeloop.rdf.canonical import verify
from judgeloop.rdf.rq import bind
from judgeloop.sources import parse_json
from judgeloop.store import Store, open_store
from judgeloop.store.embedded import EmbeddedStore
from judgeloop.store.heads import Head
from judgeloop.store.world import World, shipped
from judgeloop.vocab import HEADS, JL

RIGHT: Mapping[str, Any] = {
    "case_id": "c1",
    "contract": "multihop",
    "input": {"text": "에이크미는 어느 도시에 있어?", "lang": "ko", "asked_at": "2026-01-01T00:00:00Z"},
    "decision": {
        "query_id": "q005",
        "decision": "answer",
        "answer": "pl_seoul",
        "path": [{"src": "c_acme", "rel": "locatedIn", "dst": "pl_seoul", "chunk_id": "ch_12"}],
        "factors": [],
        "reason": "에이크미가 locatedIn 으로 서울에 닿고, 그 홉에 원문 근거 청크가 있어 답합니다.",
        "evidence": "locatedIn:ch_12",
        "hedge": None,
    },
}
WRONG: Mapping[str, Any] = {**RIGHT, "decision": {**RIGHT["decision"], "answer": "pl_busan"}}


@cache
def contract() -> Contract:
    return freeze("multihop")


@cache
def world() -> World:
    return open_world(contract())


def case_of(document: Mapping[str, Any], **members: Any) -> Case:
    raw = json.dumps({**document, **members}, ensure_ascii=False).encode()
    return to_case("case.json", raw, parse_json(raw, "case.json"), contract())


def heads(store: Store) -> list[dict[str, str]]:
    """Return every head with what it says, the oldest first."""
    held: dict[str, dict[str, str]] = {}
    for triple in store.heads():
        subject, value = str(getattr(triple.subject, "value", "")), str(getattr(triple.object, "value", ""))
        held.setdefault(subject, {"head": subject})[triple.predicate.value.removeprefix(JL)] = value
    return sorted(held.values(), key=lambda head: (head["caseId"], int(head["sequence"])))


def current(store: Store, case_id: str = "c1") -> str:
    rows = store.select(bind(shipped("retrieve/head.rq"), {"case": case_id, "contract": contract().iri}))
    (row,) = rows.texts()
    return row["verdict"]


# --- what is kept


def test_a_verdict_is_kept_with_all_that_it_rests_on() -> None:
    with open_store() as store:
        record = judge(case_of(RIGHT), contract(), world=world(), store=store)
        assert record.verdict.outcome is Outcome.PASS
        assert store.graphs() == sorted(
            [
                record.iri,
                f"{record.iri}/envelope",
                record.event.iri,
                record.event.payload_iri,
                world().graph,
                world().inferred,
                kept_graph(contract())[0],
                ontology_graph(contract())[0],
                HEADS,
            ]
        )
        for name in (record.iri, record.event.iri, world().graph):
            assert verify(store.graph(name), name)
        assert set(store.graph(f"{record.iri}/envelope")) == set(record.envelope)


def test_keeping_twice_writes_nothing() -> None:
    with open_store() as store:
        record = judge(case_of(RIGHT), contract(), world=world(), store=store)
        before = {name: set(store.graph(name)) for name in store.graphs()}
        assert not keep(store, contract(), record, world())
        assert not keep(store, contract(), record, world())
        assert {name: set(store.graph(name)) for name in store.graphs()} == before


def test_keeping_writes_once() -> None:
    with open_store() as first, open_store() as second:
        record = judge(case_of(RIGHT), contract(), world=world(), store=first)
        assert keep(second, contract(), record, world())
        assert set(second.graphs()) == set(first.graphs())


def test_judging_twice_keeps_the_first_envelope() -> None:
    with open_store() as store:
        first = judge(case_of(RIGHT), contract(), world=world(), store=store)
        second = judge(case_of(RIGHT), contract(), world=world(), store=store)
        assert first.iri == second.iri
        assert set(store.graph(f"{first.iri}/envelope")) == set(first.envelope)
        assert len(heads(store)) == 1


def test_the_world_that_was_judged_in_is_left_as_it_was() -> None:
    before = {name: set(world().store.graph(name)) for name in world().store.graphs()}
    with open_store() as store:
        judge(case_of(WRONG), contract(), world=world(), store=store)
    assert {name: set(world().store.graph(name)) for name in world().store.graphs()} == before


def test_a_case_that_can_not_be_recorded_leaves_nothing() -> None:
    hidden = case_of(RIGHT, decision={**RIGHT["decision"], "answer": "pl_seoul\u202e"})
    with open_store() as store:
        with pytest.raises(BadInput):
            judge(hidden, contract(), world=world(), store=store)
        assert store.graphs() == []


def test_a_closed_store_is_an_error_and_no_verdict() -> None:
    store = open_store()
    store.close()
    with pytest.raises(StoreError) as refused:
        judge(case_of(RIGHT), contract(), world=world(), store=store)
    assert refused.value.key == "store-closed"


def test_a_folder_keeps_verdicts_between_two_runs(tmp_path: Path) -> None:
    url = str(tmp_path / "store")
    with open_store(url) as store:
        first = judge(case_of(RIGHT), contract(), world=world(), store=store)
    with open_store(url) as store:
        second = judge(case_of(RIGHT), contract(), world=world(), store=store)
        assert (first.iri, first.event.iri) == (second.iri, second.event.iri)
        assert [head["verdict"] for head in heads(store)] == [first.iri]
        assert verify(store.graph(first.event.iri), first.event.iri)


def test_another_store_gives_another_event_of_the_same_case(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "a")) as one, open_store(str(tmp_path / "b")) as other:
        events = {judge(case_of(RIGHT), contract(), world=world(), store=store).event.iri for store in (one, other)}
    assert len(events) == 2


# --- which verdict is current


def test_the_first_verdict_is_the_first_head() -> None:
    with open_store() as store:
        record = judge(case_of(RIGHT), contract(), world=world(), store=store)
        assert heads(store) == [
            {
                "head": "https://kg.example/head/multihop-292a55bc/c1/1",
                "http://www.w3.org/1999/02/22-rdf-syntax-ns#type": f"{JL}Head",
                "caseId": "c1",
                "contract": contract().iri,
                "verdict": record.iri,
                "outcome": f"{JL}PASS",
                "sequence": "1",
            }
        ]


def test_another_verdict_supersedes_and_the_first_again_is_a_third() -> None:
    with open_store() as store:
        given = [judge(case_of(d), contract(), world=world(), store=store).iri for d in (RIGHT, WRONG, WRONG, RIGHT)]
        assert given[0] == given[3] != given[1] == given[2]
        chain = heads(store)
        assert [head["verdict"] for head in chain] == [given[0], given[1], given[0]]
        assert [head["outcome"] for head in chain] == [f"{JL}PASS", f"{JL}FAIL", f"{JL}PASS"]
        assert [head.get("supersedes") for head in chain] == [None, chain[0]["head"], chain[1]["head"]]
        assert current(store) == given[0]


def test_the_tenth_head_comes_after_the_ninth() -> None:
    with open_store() as store:
        for turn in range(10):
            judge(case_of((RIGHT, WRONG)[turn % 2]), contract(), world=world(), store=store)
        assert [head["sequence"] for head in heads(store)] == [str(n) for n in range(1, 11)]
        assert current(store) == heads(store)[9]["verdict"]


@pytest.mark.parametrize(
    "case_id", ["사례 1", "a/b", "..", "c1#x", 'say "hi"', "c1\\", "?x } DROP ALL", "葛\U000e0100"]
)
def test_any_id_has_a_head_of_its_own(case_id: str) -> None:
    with open_store() as store:
        records = [
            judge(case_of(document, case_id=case_id), contract(), world=world(), store=store)
            for document in (RIGHT, WRONG)
        ]
        judge(case_of(RIGHT), contract(), world=world(), store=store)
        assert [head["verdict"] for head in heads(store) if head["caseId"] == case_id] == [r.iri for r in records]
        assert current(store, case_id) == records[1].iri
        assert len({head["head"] for head in heads(store)}) == 3


def test_two_cases_of_the_same_words_are_two() -> None:
    with open_store() as store:
        one, other = (
            judge(case_of(RIGHT, case_id=case_id), contract(), world=world(), store=store) for case_id in ("a", "b")
        )
        assert one.iri != other.iri
        assert [head["sequence"] for head in heads(store)] == ["1", "1"]


# --- many, and without waiting


def test_what_was_judged_stays_though_a_later_case_can_not_be() -> None:
    broken = case_of(RIGHT, case_id="c2", decision={**RIGHT["decision"], "query_id": "q\n"})
    with open_store() as store:
        run = judge_many([case_of(RIGHT), broken], contract(), world=world(), store=store)
        first = next(run)
        with pytest.raises(BadInput):
            next(run)
        assert current(store) == first.iri
        assert [head["caseId"] for head in heads(store)] == ["c1"]


@pytest.fixture
def flushes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets one entry each time that a folder writes to the disk what was not there yet."""
    seen: list[str] = []
    real = EmbeddedStore.flush

    def flush(store: EmbeddedStore) -> None:
        if store._unflushed:  # else nothing has to go to the disk
            seen.append(store.url)
        real(store)

    monkeypatch.setattr(EmbeddedStore, "flush", flush)
    return seen


def test_many_verdicts_are_flushed_once_and_one_when_the_store_is_closed(tmp_path: Path, flushes: list[str]) -> None:
    many, one = str(tmp_path / "many"), str(tmp_path / "one")
    with open_store(many) as store:
        run = judge_many([case_of(RIGHT), case_of(WRONG)], contract(), world=world(), store=store)
        next(run)
        assert flushes == []
        next(run)
        assert list(run) == []
        assert flushes == [many]
    assert flushes == [many], "what was flushed is not flushed again"
    with open_store(one) as store:
        judge(case_of(RIGHT), contract(), world=world(), store=store)
        assert flushes == [many]
    assert flushes == [many, one]


def test_a_batch_that_is_left_early_is_flushed(tmp_path: Path, flushes: list[str]) -> None:
    with open_store(str(tmp_path / "s")) as store:
        run = judge_many([case_of(RIGHT), case_of(WRONG)], contract(), world=world(), store=store)
        next(run)
        run.close()  # type: ignore[attr-defined]
        assert flushes == [str(tmp_path / "s")]


def test_judging_may_be_awaited() -> None:
    async def all_of(ids: list[str]) -> list[str]:
        jobs = (ajudge(case_of(RIGHT, case_id=i), contract(), world=world(), store=store) for i in ids)
        return [record.iri for record in await asyncio.gather(*jobs)]

    ids = [f"c{n}" for n in range(4)]
    with open_store() as store:
        awaited = asyncio.run(all_of(ids))
        assert len(heads(store)) == 4
    with open_store() as store:
        one_by_one = [judge(case_of(RIGHT, case_id=i), contract(), world=world(), store=store).iri for i in ids]
    assert awaited == one_by_one


def test_verdicts_of_one_case_at_once_still_make_one_chain() -> None:
    async def all_of(answers: list[str]) -> None:
        cases = [case_of(RIGHT, decision={**RIGHT["decision"], "answer": answer}) for answer in answers]
        await asyncio.gather(*(ajudge(case, contract(), world=world(), store=store) for case in cases))

    with open_store() as store:
        asyncio.run(all_of(["a", "b", "c", "d"]))
        chain = heads(store)
        assert [head["sequence"] for head in chain] == ["1", "2", "3", "4"]
        assert [head.get("supersedes") for head in chain] == [None, *(head["head"] for head in chain[:-1])]
        assert sum(triple.predicate.value == f"{JL}verdict" for triple in store.heads()) == 4


def test_a_writer_that_is_never_first_is_told_after_some_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "TRIES", 5)
    with open_store() as store:
        record = judge(case_of(RIGHT), contract(), world=world(), store=store)
        asked, put = [], store.put_once

        def lose(graphs: Any, extra: Any = (), *, head: Head | None = None) -> bool:
            asked.append(head)
            rival = dataclasses.replace(head, iri=f"{head.iri}-rival", verdict=f"urn:xx:{len(asked)}") if head else None
            put({}, head=rival)
            return put(graphs, extra, head=head)

        monkeypatch.setattr(store, "put_once", lose)
        with pytest.raises(StoreConflict) as told:
            judge(case_of(WRONG), contract(), world=world(), store=store)
        assert (told.value.key, told.value.exit_code, len(asked)) == ("store-contended", 5, 5)
        assert "c1" in told.value.text("ko")
        assert [head.number for head in asked if head] == [2, 3, 4, 5, 6]  # each time with a fresh look
        assert not any("verdict/" in graph and record.iri not in graph for graph in store.graphs())


def test_a_verdict_or_world_that_was_changed_in_the_store_is_told() -> None:
    with open_store() as store:
        record = judge(case_of(RIGHT), contract(), world=world(), store=store)
        for name in (record.iri, record.event.iri, world().graph):
            whole = set(store.graph(name))
            gone = min(whole, key=str)
            store.replace(name, whole - {gone})
            world().kept.discard(store)
            with pytest.raises(StoreError) as told:
                judge(case_of(RIGHT), contract(), world=world(), store=store)
            assert (told.value.key, told.value.place) == ("store-other", name)
            store.replace(name, whole)
        assert judge(case_of(RIGHT), contract(), world=world(), store=store).iri == record.iri


def test_a_world_that_was_dropped_comes_back_with_the_next_verdict() -> None:
    with open_store() as store:
        judge(case_of(RIGHT), contract(), world=world(), store=store)
        for name in (world().graph, world().inferred):
            store.drop(name)
        judge(case_of(WRONG), contract(), world=world(), store=store)
        for name in (world().graph, world().inferred):
            assert set(store.graph(name)) == set(world().store.graph(name))


def test_the_risk_of_a_case_only_raises_that_of_the_contract() -> None:
    with open_store() as store:
        for risk, outcome in (("low", Outcome.PASS), ("medium", Outcome.PASS), ("high", Outcome.UNCERTAIN)):
            record = judge(case_of(RIGHT, risk=risk), contract(), world=world(), store=store)
            assert record.verdict.outcome is outcome
        strict = contract().model_copy(update={"risk": case_of(RIGHT, risk="high").risk})
        assert (
            judge(case_of(RIGHT, risk="low"), strict, world=world(), store=store).verdict.outcome is Outcome.UNCERTAIN
        )
