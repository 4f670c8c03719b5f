"""All checks together: one finding for each requirement, in a fixed order, and nothing that stops holds."""

from typing import Any, Final

import pytest

from judgeloop import checks
from judgeloop.checks import grounding, integrity, schema
from judgeloop.errors import EngineFailure
from judgeloop.model import Decider, Finding, Status
from judgeloop.verdict import decide

SHAPES: Final = (
    "EventShape",
    "StepShape",
    "EvidenceShape",
    "DecisionShape",
    "HopShape",
    "AnswerShape",
    "RefusalShape",
    "HopLimitShape",
    "FactorShape",
)


def boom(*_: Any) -> Finding:
    message = "북쪽 창고"
    raise ZeroDivisionError(message)


def test_every_machine_requirement_has_one_finding(desk: Any) -> None:
    found, _ = desk.ran(desk.case())
    assert sorted(f.requirement for f in found) == sorted(r.iri for r in desk.contract.requirements)
    assert {f.status for f in found} == {Status.HOLDS, Status.NOT_APPLICABLE}
    assert all(f.examined for f in found if f.status is Status.HOLDS)
    assert decide(desk.contract, found).outcome == "PASS"


def test_the_order_is_schema_integrity_shapes_queries(desk: Any) -> None:
    found, _ = desk.ran(desk.case())
    names = [f.rule.rpartition("#")[2] for f in found]
    assert names[:4] == ["schema", "integrity_keys", "integrity_evidence", "integrity_contract"]
    assert set(names[4:13]) == set(SHAPES)
    assert set(names[13:]) == {iri.rpartition("#")[2] for iri in desk.contract.queries} & set(names)
    assert names == [f.rule.rpartition("#")[2] for f in desk.ran(desk.case())[0]]


def test_a_requirement_of_a_person_is_left_to_the_person(desk: Any) -> None:
    left = tuple(
        r.model_copy(update={"decided_by": Decider.PERSON}) if r.rule.endswith("#schema") else r
        for r in desk.contract.requirements
    )
    contract = desk.contract.model_copy(update={"requirements": left})
    assert "schema" not in desk.findings(desk.case(), contract=contract)


@pytest.mark.parametrize(
    ("room", "name", "rules"),
    [
        (schema, "check", ["schema"]),
        (integrity, "check_keys", ["integrity_keys"]),
        (integrity, "check_contract", ["integrity_contract"]),
        (grounding, "check", ["hop_exists", "world_consistent"]),
    ],
    ids=["schema", "keys", "contract", "queries"],
)
def test_a_check_that_crashes_did_not_run(
    desk: Any, monkeypatch: pytest.MonkeyPatch, room: Any, name: str, rules: list[str]
) -> None:
    built_in = {iri: boom if check is getattr(room, name) else check for iri, check in checks.BUILT_IN.items()}
    monkeypatch.setattr(checks, "BUILT_IN", built_in)
    monkeypatch.setattr(room, name, boom)
    found = desk.findings(desk.case())
    for rule in rules:
        assert (found[rule].status, found[rule].examined) == (Status.NOT_RUN, 0)
        assert "ZeroDivisionError: 북쪽 창고" in found[rule].message["en"]
        assert "ZeroDivisionError: 북쪽 창고" in found[rule].message["ko"]
    assert found["DecisionShape"].status is Status.HOLDS, "the others ran"
    assert decide(desk.contract, list(found.values())).outcome == "ABSTAIN"


def test_a_condition_that_crashes_did_not_run(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judgeloop.checks.matter.Matter.applies", boom)
    found = desk.findings(desk.case())
    assert {f.status for f in found.values()} == {Status.NOT_RUN}


def test_an_error_of_our_own_is_told_in_both_languages(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any) -> Finding:
        raise EngineFailure("check-nothing-examined", rule="X")

    monkeypatch.setattr(grounding, "check", stopped)
    message = desk.findings(desk.case())["hop_exists"].message
    assert "walks edges of the knowledge graph could not run: X applies but found nothing to examine" in message["en"]
    assert "그래프에 있는 엣지만 밟는다 을(를) 실행할 수 없습니다: X 을(를) 적용해야 하는데" in message["ko"]


def test_a_check_that_holds_but_examined_nothing_did_not_run(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def idle(_: Any, requirement: Any) -> Finding:
        return Finding(rule=requirement.rule, requirement=requirement.iri, status=Status.HOLDS, message={})

    monkeypatch.setattr(grounding, "check", idle)
    found = desk.findings(desk.case())["hop_exists"]
    assert found.status is Status.NOT_RUN
    assert "found nothing to examine" in found.message["en"]


def test_what_does_not_apply_says_why(desk: Any) -> None:
    found = desk.findings(desk.case())["RefusalShape"]
    assert (found.status, found.examined) == (Status.NOT_APPLICABLE, 0)
    assert "does not apply: refuses" in found.message["en"]


def test_an_answer_is_measured_beside_its_verdict(desk: Any) -> None:
    _, measures = desk.ran(desk.case())
    assert {m.name: (m.held, m.examined) for m in measures} == {"accuracy": (1, 1), "path agreement": (1, 1)}
    _, measures = desk.ran(desk.case({"answer": "pl_busan"}))
    assert {m.name: (m.held, m.examined) for m in measures} == {"accuracy": (0, 1), "path agreement": (1, 1)}
    assert desk.ran(desk.case({"query_id": "nobody asked"}))[1] == []


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_of_a_case_stays_in_the_working_store(desk: Any, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    world = desk.world()
    before = world.store.graphs()
    if fails:
        monkeypatch.setattr(checks, "_measure", boom)
        with pytest.raises(ZeroDivisionError):
            desk.ran(desk.case())
    else:
        desk.ran(desk.case())
    assert world.store.graphs() == before
