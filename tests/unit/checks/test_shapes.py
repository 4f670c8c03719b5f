"""Shapes: an engine that did not finish says nothing, for every shape."""

from typing import Any, Final

import pytest

from judgeloop.checks import matter
from judgeloop.model import Requirement, Status
from judgeloop.shacl import Report
from judgeloop.shacl.report import Failure

REFUSED: Final = {"decision": "refuse", "answer": None, "factors": ["missing_edge"], "evidence": "edge=null: x"}
TRACE: Final = [{"id": "s1", "type": "plan", "text": "한 걸음"}]
EVIDENCE: Final = [{"id": "ch_12", "text": "에이크미는 서울에 있다."}]


def shapes(desk: Any, case: Any) -> dict[str, Any]:
    return {rule: f for rule, f in desk.findings(case).items() if rule.endswith("Shape")}


def test_every_applicable_shape_holds_with_what_it_examined(desk: Any) -> None:
    found = shapes(desk, desk.case(trace=TRACE, evidence=EVIDENCE))
    held = {rule: (f.examined, f.engine) for rule, f in found.items() if f.status is Status.HOLDS}
    assert held == dict.fromkeys(
        ("EventShape", "StepShape", "EvidenceShape", "DecisionShape", "HopShape", "AnswerShape"), (1, "pyshacl")
    )
    assert all(f.constraints > 0 for f in found.values() if f.status is Status.HOLDS)


@pytest.mark.parametrize("decision", [{}, {**REFUSED, "hedge": "답하지 않습니다"}], ids=["answer", "refusal"])
def test_an_engine_that_stops_leaves_no_applicable_shape_standing(
    desk: Any, monkeypatch: pytest.MonkeyPatch, decision: dict[str, Any]
) -> None:
    failure = Failure.because("engine", why="기억이 모자람")
    monkeypatch.setattr(matter, "validate", lambda *_, **__: Report((), {}, failure))
    found = shapes(desk, desk.case(decision, trace=TRACE, evidence=EVIDENCE))
    applied = {rule: f for rule, f in found.items() if f.status is not Status.NOT_APPLICABLE}
    assert set(applied) >= {"EventShape", "StepShape", "EvidenceShape", "DecisionShape", "HopShape"}
    assert {f.status for f in applied.values()} == {Status.NOT_RUN}
    assert "the SHACL engine stopped: 기억이 모자람" in applied["EventShape"].message["en"]
    assert "SHACL 엔진이 멈췄습니다" in applied["EventShape"].message["ko"]
    assert desk.findings(desk.case())["hop_exists"].status is Status.HOLDS


def test_an_engine_that_crashes_leaves_no_shape_standing(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any, **__: Any) -> Report:
        raise MemoryError

    monkeypatch.setattr(matter, "validate", crash)
    found = shapes(desk, desk.case())
    assert {f.status for f in found.values()} == {Status.NOT_RUN, Status.NOT_APPLICABLE}
    assert found["EventShape"].status is Status.NOT_RUN


def test_a_shape_that_the_engine_did_not_run_did_not_run(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matter, "validate", lambda *_, **__: Report((), {}, None))
    found = shapes(desk, desk.case())
    assert found["EventShape"].status is Status.NOT_RUN
    assert "EventShape" in found["EventShape"].message["en"]


def test_a_shape_whose_target_matches_nothing_did_not_run(desk: Any) -> None:
    wrong = [
        Requirement(**(r.model_dump() | {"condition": None})) if r.rule.endswith("RefusalShape") else r
        for r in desk.contract.requirements
    ]
    contract = desk.contract.model_copy(update={"requirements": tuple(wrong)})
    found = desk.findings(desk.case(), contract=contract)["RefusalShape"]
    assert (found.status, found.examined) == (Status.NOT_RUN, 0)


def test_a_broken_shape_names_place_and_fault_in_both_languages(desk: Any) -> None:
    found = desk.findings(desk.case({"hedge": "글쎄요", "factors": ["missing_edge"]}))["AnswerShape"]
    assert (found.status, found.where) == (Status.VIOLATED, ("/decision",))
    assert "/decision: an answer does not hedge" in found.message["en"]
    assert "/decision: 답에는 요인이 없어야 합니다" in found.message["ko"]
