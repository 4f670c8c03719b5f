"""The decision table: one example for each row, and what holds of every input."""

import random
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeloop.messages import LANGS
from judgeloop.model import (
    WORST_FIRST,
    Contract,
    Counterexample,
    Decider,
    Effect,
    Finding,
    JudgeAnswer,
    Judgment,
    Outcome,
    Requirement,
    Review,
    Risk,
    Severity,
    Status,
    Verdict,
)
from judgeloop.verdict import EVEN, decide

URN: Final = "urn:test:"
_T = TypeVar("_T")
TEXT: Final = {"en": "it is so", "ko": "그렇습니다"}


def requirement(name: str, **rest: Any) -> Requirement:
    return Requirement(**{"iri": URN + name, "label": TEXT, "mandatory": True, "rule": f"{URN}{name}-rule", **rest})


def contract(*requirements: Requirement, **rest: Any) -> Contract:
    given: dict[str, Any] = {
        "iri": f"{URN}contract",
        "name": "test",
        "version": "1.0.0",
        "digest": "0" * 64,
        "ontology_version": "1",
        "policy_version": "1",
        "shapes_version": "1",
        "id_base": URN,
        "id_key": "id",
        "context": "context",
        "decision_schema": "schema",
        "requirements": requirements,
    }
    return Contract(**{**given, **rest})


def finding(name: str, status: Status = Status.HOLDS, examined: int = 1, **rest: Any) -> Finding:
    named = {"rule": f"{URN}{name}-rule", "requirement": URN + name, "status": status, "examined": examined}
    return Finding(**{**named, "message": TEXT, **rest})


def judgment(name: str, outcome: JudgeAnswer, **rest: Any) -> Judgment:
    return Judgment(**{"criterion": URN + name, "judge": "j1", "outcome": outcome, "finding": "so", **rest})


def review(decision: Outcome, **rest: Any) -> Review:
    return Review(**{"reviewer": "kim", "decision": decision, "reason": "보았습니다", **rest})


def rows(verdict: Verdict) -> list[tuple[str, str]]:
    return [(reason.row, reason.subject.removeprefix(URN)) for reason in verdict.reasons]


A, B = requirement("a"), requirement("b")
OPTIONAL, NEVER = requirement("o", mandatory=False), requirement("n", mandatory=False, prohibition=True)
BY_JUDGE, BY_PERSON = requirement("j", decided_by=Decider.JUDGE), requirement("p", decided_by=Decider.PERSON)
HELD: Final = finding("a")
SUPPORTED, CONTRADICTED, SILENT = JudgeAnswer.SUPPORTED, JudgeAnswer.CONTRADICTED, JudgeAnswer.UNKNOWN


# --- FAIL


@pytest.mark.parametrize(
    ("terms", "broken"),
    [
        (contract(A, B), finding("b", Status.VIOLATED)),
        (contract(A, NEVER), finding("n", Status.VIOLATED)),
        (contract(A, B, blocking=frozenset(Severity)), finding("b", Status.VIOLATED, severity=Severity.INFO)),
    ],
    ids=["mandatory", "prohibition", "a severity that blocks here"],
)
def test_a_violation_fails(terms: Contract, broken: Finding) -> None:
    verdict = decide(terms, [HELD, broken])
    assert (verdict.outcome, verdict.enforcement) == (Outcome.FAIL, "block")
    assert rows(verdict) == [("violated", broken.rule.removeprefix(URN))]


def test_what_a_person_finds_beyond_mending_fails() -> None:
    verdict = decide(contract(A), [HELD], reviews=[review(Outcome.FAIL, mendable=False)])
    assert (verdict.outcome, rows(verdict)) == (Outcome.FAIL, [("final", "contract")])


def test_a_breach_fails_where_a_calibrator_certifies_it() -> None:
    certified = contract(A, BY_JUDGE, calibrator="cal-1")
    verdict = decide(certified, [HELD], [judgment("j", CONTRADICTED)])
    assert (verdict.outcome, rows(verdict)) == (Outcome.FAIL, [("breach", "j")])


# --- ABSTAIN


def test_a_check_that_could_not_run_abstains() -> None:
    verdict = decide(contract(A, B), [HELD, finding("b", Status.NOT_RUN, 0)])
    assert (verdict.outcome, verdict.enforcement) == (Outcome.ABSTAIN, "manual_escalation")
    assert rows(verdict) == [("not-run", "b-rule")]


def test_a_requirement_that_nobody_checked_abstains() -> None:
    verdict = decide(contract(A, B), [HELD])
    assert (verdict.outcome, rows(verdict)) == (Outcome.ABSTAIN, [("not-checked", "b")])


def test_a_check_that_examined_nothing_abstains() -> None:
    verdict = decide(contract(A, B), [HELD, finding("b", examined=0)])
    assert (verdict.outcome, rows(verdict)) == (Outcome.ABSTAIN, [("nothing-examined", "b")])


def test_a_contract_of_which_nothing_applies_abstains() -> None:
    unmet = [finding(name, Status.NOT_APPLICABLE, 0) for name in "ab"]
    verdict = decide(contract(A, B), unmet)
    assert (verdict.outcome, rows(verdict)) == (Outcome.ABSTAIN, [("nothing-applied", "contract")])


def test_a_pass_does_not_rest_on_what_is_optional_or_unknown() -> None:
    unmet = finding("a", Status.NOT_APPLICABLE, 0)
    verdict = decide(contract(A, OPTIONAL), [unmet, finding("o")])
    assert (verdict.outcome, rows(verdict)) == (Outcome.UNCERTAIN, [("open-contract", "contract")])
    verdict = decide(contract(A), [unmet, finding("stray")])
    assert (verdict.outcome, rows(verdict)) == (Outcome.ABSTAIN, [("nothing-applied", "contract")])


def test_nothing_at_all_abstains() -> None:
    verdict = decide(contract(A), [])
    assert (verdict.outcome, rows(verdict)) == (
        Outcome.ABSTAIN,
        [("not-checked", "a"), ("nothing-applied", "contract")],
    )


@pytest.mark.parametrize(
    ("quorum", "answers"), [(1, []), (1, [SILENT]), (2, [SUPPORTED]), (3, [SUPPORTED, SUPPORTED, SILENT])]
)
def test_fewer_judges_than_the_quorum_abstain(quorum: int, answers: Sequence[JudgeAnswer]) -> None:
    verdict = decide(contract(A, BY_JUDGE, quorum=quorum), [HELD], [judgment("j", answer) for answer in answers])
    assert (verdict.outcome, rows(verdict)) == (Outcome.ABSTAIN, [("quorum", "j")])


@pytest.mark.parametrize("policy", ["manual_escalation", "block"])
def test_high_risk_blocks_what_would_otherwise_follow_the_policy(policy: str) -> None:
    terms, stopped = contract(A, partial_failure_policy=policy), [finding("a", Status.NOT_RUN, 0)]
    assert decide(terms, stopped).enforcement == policy
    assert decide(terms, stopped, risk=Risk.MEDIUM).enforcement == policy
    assert decide(terms, stopped, risk=Risk.HIGH).enforcement == "block"


# --- UNCERTAIN


def test_a_disputed_finding_is_uncertain() -> None:
    verdict = decide(contract(A, B), [HELD, finding("b", Status.DISPUTED)])
    assert (verdict.outcome, verdict.enforcement) == (Outcome.UNCERTAIN, "manual_escalation")
    assert rows(verdict) == [("disputed", "b-rule")]


def test_a_dispute_about_something_optional_is_uncertain_too() -> None:
    verdict = decide(contract(A, OPTIONAL), [HELD, finding("o", Status.DISPUTED)])
    assert (verdict.outcome, rows(verdict)) == (Outcome.UNCERTAIN, [("disputed", "o-rule")])


def test_a_breach_that_nothing_certifies_is_uncertain() -> None:
    verdict = decide(contract(A, BY_JUDGE), [HELD], [judgment("j", CONTRADICTED)])
    assert (verdict.outcome, rows(verdict)) == (Outcome.UNCERTAIN, [("breach", "j")])


def test_judges_that_differ_are_uncertain() -> None:
    verdict = decide(contract(A, BY_JUDGE), [HELD], [judgment("j", CONTRADICTED), judgment("j", SUPPORTED)])
    assert (verdict.outcome, rows(verdict)) == (Outcome.UNCERTAIN, [("judges-differ", "j")])


def test_a_score_that_contradicts_its_outcome_is_uncertain() -> None:
    verdict = decide(contract(A, BY_JUDGE), [HELD], [judgment("j", SUPPORTED, confidence=EVEN - 1)])
    assert (verdict.outcome, rows(verdict)) == (Outcome.UNCERTAIN, [("score-contradicts", "j")])
    assert decide(contract(A, BY_JUDGE), [HELD], [judgment("j", SUPPORTED, confidence=EVEN)]).outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("effect", "must_flip", "critical", "row"),
    [
        (Effect.STOOD, True, True, "did-not-flip"),
        (Effect.FLIPPED, False, True, "flipped"),
        (Effect.FLIPPED, False, False, "flipped"),
        (Effect.STOOD, True, False, "passed"),
        (Effect.FLIPPED, True, True, "passed"),
        (Effect.STOOD, False, True, "passed"),
        (Effect.INVALID, True, True, "passed"),
    ],
)
def test_mutations(effect: Effect, must_flip: bool, critical: bool, row: str) -> None:
    example = Counterexample(
        operator="swap", criterion=f"{URN}j", effect=effect, must_flip=must_flip, critical=critical
    )
    verdict = decide(contract(A), [HELD], counterexamples=[example])
    assert verdict.outcome == (Outcome.PASS if row == "passed" else Outcome.UNCERTAIN)
    assert [reason.row for reason in verdict.reasons] == [row]


def test_high_risk_without_a_person_is_uncertain() -> None:
    verdict = decide(contract(A, risk=Risk.HIGH), [HELD])
    assert (verdict.outcome, verdict.enforcement) == (Outcome.UNCERTAIN, "block")
    assert rows(verdict) == [("high-risk", "contract")]


def test_high_risk_with_a_person_passes() -> None:
    verdict = decide(contract(A), [HELD], reviews=[review(Outcome.PASS)], risk=Risk.HIGH)
    assert (verdict.outcome, verdict.enforcement) == (Outcome.PASS, "allow")


def test_a_case_can_not_lower_the_risk_of_its_contract() -> None:
    assert decide(contract(A, risk=Risk.HIGH), [HELD], risk=Risk.LOW).outcome == Outcome.UNCERTAIN


def test_what_a_person_wants_revised_is_uncertain() -> None:
    verdict = decide(contract(A), [HELD], reviews=[review(Outcome.FAIL)])
    assert (verdict.outcome, rows(verdict)) == (Outcome.UNCERTAIN, [("to-be-revised", "contract")])


@pytest.mark.parametrize("open_still", [Outcome.UNCERTAIN, Outcome.ABSTAIN])
def test_a_person_who_did_not_decide_leaves_it_uncertain(open_still: Outcome) -> None:
    verdict = decide(contract(A), [HELD], reviews=[review(open_still)], risk=Risk.HIGH)
    assert (verdict.outcome, rows(verdict)) == (Outcome.UNCERTAIN, [("undecided", "contract")])


def test_a_requirement_that_only_a_person_decides_stays_open() -> None:
    verdict = decide(contract(A, BY_PERSON), [HELD])
    assert (verdict.outcome, rows(verdict)) == (Outcome.UNCERTAIN, [("open", "p")])
    certified = review(Outcome.PASS, certifies=(BY_PERSON.iri,))
    assert decide(contract(A, BY_PERSON), [HELD], reviews=[certified]).outcome == Outcome.PASS


# --- PASS


def test_what_holds_passes_with_its_scope() -> None:
    verdict = decide(contract(A, B, OPTIONAL), [HELD, finding("b", Status.NOT_APPLICABLE, 0)])
    assert (verdict.outcome, verdict.enforcement, rows(verdict)) == (Outcome.PASS, "allow", [("passed", "contract")])
    said = [(s.requirement.removeprefix(URN), s.status, s.examined, s.mandatory) for s in verdict.scope]
    assert said == [("a", "HOLDS", 1, True), ("b", "NOT_APPLICABLE", 0, True), ("o", "NOT_RUN", 0, False)]


def test_a_violation_below_the_blocking_severity_is_listed() -> None:
    verdict = decide(contract(A, B), [HELD, finding("b", Status.VIOLATED, severity=Severity.WARNING)])
    assert verdict.outcome == Outcome.PASS
    assert "1 lesser findings are listed" in verdict.reasons[0].message["en"]


@pytest.mark.parametrize("status", [Status.VIOLATED, Status.NOT_RUN])
def test_what_is_optional_decides_nothing(status: Status) -> None:
    assert decide(contract(A, OPTIONAL), [HELD, finding("o", status)]).outcome == Outcome.PASS


# --- the worst decides, and all that apply are given


def test_every_reason_is_given_worst_first() -> None:
    found = [finding("a", Status.DISPUTED), finding("b", Status.NOT_RUN, 0), finding("n", Status.VIOLATED)]
    verdict = decide(contract(A, B, NEVER), found, risk=Risk.HIGH)
    assert [(r.outcome.value, r.row) for r in verdict.reasons] == [
        ("FAIL", "violated"),
        ("ABSTAIN", "not-run"),
        ("UNCERTAIN", "disputed"),
        ("UNCERTAIN", "high-risk"),
    ]


# --- every input

NAMES: Final = ("a", "b", "c", "d")
_requirements = st.lists(
    st.builds(
        requirement,
        st.sampled_from(NAMES),
        mandatory=st.booleans(),
        prohibition=st.booleans(),
        decided_by=st.sampled_from(Decider),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda r: r.iri,
)
_contracts = st.builds(
    lambda parts, rest: contract(*parts, **rest),
    _requirements,
    st.fixed_dictionaries(
        {
            "risk": st.sampled_from(Risk),
            "blocking": st.sets(st.sampled_from(Severity), min_size=1).map(frozenset),
            "quorum": st.integers(1, 3),
            "calibrator": st.none() | st.just("cal-1"),
            "partial_failure_policy": st.sampled_from(["manual_escalation", "block"]),
        }
    ),
)
_findings = st.lists(
    st.builds(
        finding,
        st.sampled_from((*NAMES, "stray")),
        st.sampled_from(Status),
        st.integers(0, 2),
        severity=st.sampled_from(Severity),
    ),
    max_size=6,
)
_judgments = st.lists(
    st.builds(
        judgment,
        st.sampled_from((*NAMES, "stray")),
        st.sampled_from(JudgeAnswer),
        confidence=st.none() | st.integers(0, 100),
    ),
    max_size=3,
)
_examples = st.lists(
    st.builds(
        Counterexample,
        operator=st.just("swap"),
        criterion=st.just(f"{URN}a"),
        effect=st.sampled_from(Effect),
        must_flip=st.booleans(),
        critical=st.booleans(),
    ),
    max_size=2,
)
_reviews = st.lists(
    st.builds(
        review,
        st.sampled_from(Outcome),
        mendable=st.booleans(),
        certifies=st.lists(st.sampled_from([URN + n for n in NAMES]), max_size=2).map(tuple),
    ),
    max_size=2,
)
Input = tuple[Contract, list[Finding], list[Judgment], list[Counterexample], list[Review], Risk | None]
_inputs: st.SearchStrategy[Input] = st.tuples(
    _contracts, _findings, _judgments, _examples, _reviews, st.none() | st.sampled_from(Risk)
)


@given(_inputs)
def test_the_table_is_total_and_the_worst_reason_decides(given_: Input) -> None:
    verdict = decide(*given_)
    assert verdict.reasons
    ranks = [WORST_FIRST.index(reason.outcome) for reason in verdict.reasons]
    assert ranks == sorted(ranks)
    assert verdict.outcome is verdict.reasons[0].outcome
    assert all(set(reason.message) == set(LANGS) for reason in verdict.reasons)
    assert [line.requirement for line in verdict.scope] == [r.iri for r in given_[0].requirements]
    assert WORST_FIRST == (Outcome.FAIL, Outcome.ABSTAIN, Outcome.UNCERTAIN, Outcome.PASS)


@given(_inputs)
def test_no_gap_in_a_mandatory_requirement_passes(given_: Input) -> None:
    terms, found, judgments, _, reviews, risk = given_
    if decide(*given_).outcome is not Outcome.PASS:
        return
    binding = {r.iri for r in terms.requirements if r.mandatory or r.prohibition}
    assert judgments or any(f.status is Status.HOLDS and f.requirement in binding for f in found)
    for needed in (r for r in terms.requirements if r.mandatory):
        about = [f for f in found if f.requirement == needed.iri]
        assert not [f for f in about if f.status in {Status.NOT_RUN, Status.DISPUTED}]
        assert not [f for f in about if f.status is Status.VIOLATED and f.severity in terms.blocking]
        assert not [f for f in about if f.status is Status.HOLDS and f.examined == 0]
        if needed.decided_by is Decider.MACHINE:
            assert about
        elif needed.decided_by is Decider.JUDGE:
            answers = [j for j in judgments if j.criterion == needed.iri and j.outcome is SUPPORTED]
            assert len(answers) >= terms.quorum
        else:
            assert any(needed.iri in r.certifies for r in reviews if r.decision is Outcome.PASS)
    assert reviews or Risk.HIGH not in {terms.risk, risk}


@given(_inputs)
def test_what_is_not_a_pass_is_never_let_through(given_: Input) -> None:
    verdict = decide(*given_)
    assert (verdict.enforcement == "allow") is (verdict.outcome is Outcome.PASS)
    if verdict.outcome is not Outcome.PASS and Risk.HIGH in {given_[0].risk, given_[5]}:
        assert verdict.enforcement == "block"


@given(_inputs, st.randoms(use_true_random=False))
def test_the_order_of_the_inputs_decides_nothing(given_: Input, dice: random.Random) -> None:
    terms, found, judgments, examples, reviews, risk = given_
    mixed = decide(terms, _mixed(dice, found), _mixed(dice, judgments), _mixed(dice, examples), reviews[::-1], risk)
    assert mixed.outcome is decide(*given_).outcome


def _mixed(dice: random.Random, part: list[_T]) -> list[_T]:
    return dice.sample(part, len(part))


LEAST: Final = {Status.VIOLATED: Outcome.FAIL, Status.NOT_RUN: Outcome.ABSTAIN, Status.DISPUTED: Outcome.UNCERTAIN}


@given(_inputs, st.sampled_from(sorted(LEAST)))
def test_nothing_outweighs_a_fault_in_a_binding_requirement(given_: Input, status: Status) -> None:
    terms, found, judgments, examples, reviews, risk = given_
    needed = terms.requirements[0]
    fault = finding(needed.iri.removeprefix(URN), status, severity=min(terms.blocking))
    outcome = decide(terms, [*found, fault], judgments, examples, reviews, risk).outcome
    if needed.mandatory or needed.prohibition:
        assert WORST_FIRST.index(outcome) <= WORST_FIRST.index(LEAST[status])


@given(_inputs)
def test_the_same_input_gives_the_same_verdict(given_: Input) -> None:
    assert decide(*given_) == decide(*given_)


def test_a_contract_whose_only_fault_is_below_the_blocking_severity_passes() -> None:
    verdict = decide(contract(A), [finding("a", Status.VIOLATED, severity=Severity.WARNING)])
    assert verdict.outcome == Outcome.PASS
