"""The decision table: findings, judgments, counterexamples and reviews in, one verdict out. No IO, no clock, no graph.

FAIL > ABSTAIN > UNCERTAIN > PASS: the worst row that applies decides, and all that apply are given as reasons.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from judgeloop.messages import both, each, render
from judgeloop.model import (
    RISING_RISK,
    WORST_FIRST,
    Contract,
    Counterexample,
    Decider,
    Effect,
    Finding,
    JudgeAnswer,
    Judgment,
    Outcome,
    Reason,
    Requirement,
    Review,
    Risk,
    Scope,
    Status,
    Verdict,
)

EVEN = 50
"""A score below this speaks for the opposite of the outcome that it came with."""


def decide(  # noqa: PLR0913 - the six inputs of the table
    contract: Contract,
    findings: Sequence[Finding],
    judgments: Sequence[Judgment] = (),
    counterexamples: Sequence[Counterexample] = (),
    reviews: Sequence[Review] = (),
    risk: Risk | None = None,
) -> Verdict:
    """Return the verdict that the table gives. ``risk`` can only raise the contract's own.

    Does not establish: that the decision is true, safe or lawful; only that what `Verdict.scope` lists was checked.
    """
    danger = max(contract.risk, risk or Risk.LOW, key=RISING_RISK.index)
    reasons = [
        *_machine(contract, findings),
        *_judges(contract, judgments),
        *_falsified(counterexamples),
        *_people(contract, reviews, danger),
    ]
    if not reasons:
        reasons = [_passed(contract, findings, judgments)]
    reasons.sort(key=lambda r: WORST_FIRST.index(r.outcome))
    outcome = reasons[0].outcome
    return Verdict(
        outcome=outcome,
        reasons=tuple(reasons),
        scope=tuple(_scope(contract, findings, judgments, reviews)),
        enforcement=_enforcement(contract, outcome, danger),
        judges_asked=len({j.judge for j in judgments}),
    )


def _machine(contract: Contract, findings: Sequence[Finding]) -> Iterator[Reason]:
    """Rows about what a machine checked."""
    by_requirement: dict[str | None, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_requirement[finding.requirement].append(finding)
    for requirement in contract.requirements:
        found = by_requirement[requirement.iri]
        for finding in found:
            yield from _of_finding(contract, requirement, finding)
        if requirement.mandatory and requirement.decided_by is Decider.MACHINE and not found:
            yield _reason("not-checked", Outcome.ABSTAIN, requirement)
    known = [f for r in contract.requirements for f in by_requirement[r.iri]]
    if not any(f.status is not Status.NOT_APPLICABLE for f in known):
        yield Reason(
            row="nothing-applied", outcome=Outcome.ABSTAIN, subject=contract.iri, message=both("row-nothing-applied")
        )


def _of_finding(contract: Contract, requirement: Requirement, finding: Finding) -> Iterator[Reason]:
    binding = requirement.mandatory or requirement.prohibition
    if finding.status is Status.VIOLATED and binding and finding.severity in contract.blocking:
        yield _found("violated", Outcome.FAIL, finding)
    elif finding.status is Status.DISPUTED:
        yield _found("disputed", Outcome.UNCERTAIN, finding)
    elif finding.status is Status.NOT_RUN and binding:
        yield _found("not-run", Outcome.ABSTAIN, finding)
    elif finding.status is Status.HOLDS and finding.examined == 0 and binding:
        yield _reason("nothing-examined", Outcome.ABSTAIN, requirement)


def _judges(contract: Contract, judgments: Sequence[Judgment]) -> Iterator[Reason]:
    """Rows about what judges answered, criterion by criterion."""
    asked: dict[str, list[Judgment]] = {
        r.iri: [] for r in contract.requirements if r.mandatory and r.decided_by is Decider.JUDGE
    }
    for judgment in judgments:
        asked.setdefault(judgment.criterion, []).append(judgment)
    for criterion, answers in asked.items():
        given = [j for j in answers if j.outcome is not JudgeAnswer.UNKNOWN]
        against = [j for j in given if j.outcome is JudgeAnswer.CONTRADICTED]
        if len(given) < contract.quorum:
            yield _row("quorum", Outcome.ABSTAIN, criterion, answered=len(given), quorum=contract.quorum)
        if against and len(against) < len(given):
            yield _row("judges-differ", Outcome.UNCERTAIN, criterion, against=len(against), answered=len(given))
        elif against:
            certified = contract.calibrator is not None
            yield _row("breach", Outcome.FAIL if certified else Outcome.UNCERTAIN, criterion, judge=against[0].judge)
        for judgment in given:
            if judgment.confidence is not None and judgment.confidence < EVEN:
                yield _row("score-contradicts", Outcome.UNCERTAIN, criterion, score=judgment.confidence)


def _falsified(counterexamples: Iterable[Counterexample]) -> Iterator[Reason]:
    """Rows about mutations: one that must flip and stood, or one that must not and flipped."""
    for example in counterexamples:
        if example.effect is Effect.STOOD and example.must_flip and example.critical:
            yield _row("did-not-flip", Outcome.UNCERTAIN, example.criterion, operator=example.operator)
        elif example.effect is Effect.FLIPPED and not example.must_flip:
            yield _row("flipped", Outcome.UNCERTAIN, example.criterion, operator=example.operator)


def _people(contract: Contract, reviews: Sequence[Review], danger: Risk) -> Iterator[Reason]:
    """Rows about people: what can't be mended fails, what nobody decided yet stays open."""
    for review in reviews:
        if review.decision is Outcome.FAIL:
            outcome = Outcome.UNCERTAIN if review.mendable else Outcome.FAIL
            row = "to-be-revised" if review.mendable else "final"
            yield _row(row, outcome, contract.iri, reviewer=review.reviewer, reason=review.reason)
        elif review.decision is not Outcome.PASS:
            yield _row("undecided", Outcome.UNCERTAIN, contract.iri, reviewer=review.reviewer)
    if danger is Risk.HIGH and not reviews:
        yield _row("high-risk", Outcome.UNCERTAIN, contract.iri)
    certified = {iri for review in reviews if review.decision is Outcome.PASS for iri in review.certifies}
    for requirement in contract.requirements:
        if requirement.mandatory and requirement.decided_by is Decider.PERSON and requirement.iri not in certified:
            yield _reason("open", Outcome.UNCERTAIN, requirement)


def _passed(contract: Contract, findings: Sequence[Finding], judgments: Sequence[Judgment]) -> Reason:
    """Return the PASS row, or say what keeps it from applying: a pass needs something binding that holds."""
    binding = {r.iri for r in contract.requirements if r.mandatory or r.prohibition}
    checked = [f for f in findings if f.examined and f.requirement in binding]
    held = [f for f in checked if f.status is Status.HOLDS]
    listed = [f for f in findings if f.status is Status.VIOLATED]
    if not held and not judgments and not any(f in listed for f in checked):
        return _row("open-contract", Outcome.UNCERTAIN, contract.iri)
    return _row("passed", Outcome.PASS, contract.iri, held=len(held), listed=len(listed))


def _scope(
    contract: Contract, findings: Sequence[Finding], judgments: Sequence[Judgment], reviews: Sequence[Review]
) -> Iterator[Scope]:
    """Return one line for every requirement: checked, how far, or by nobody."""
    found = {f.requirement: f for f in findings}
    certified = {iri for review in reviews for iri in review.certifies}
    for requirement in contract.requirements:
        finding = found.get(requirement.iri)
        answers = [j for j in judgments if j.criterion == requirement.iri]
        if finding:
            status, examined = finding.status.value, finding.examined
        elif answers:
            status, examined = "JUDGED", len(answers)
        else:
            status, examined = ("REVIEWED", 1) if requirement.iri in certified else ("NOT_RUN", 0)
        yield Scope(
            requirement=requirement.iri,
            label=requirement.label,
            status=status,
            examined=examined,
            mandatory=requirement.mandatory,
            decided_by=requirement.decided_by,
        )


def _enforcement(contract: Contract, outcome: Outcome, danger: Risk) -> str:
    if outcome is Outcome.PASS:
        return "allow"
    if outcome is Outcome.FAIL or danger is Risk.HIGH:
        return "block"
    return contract.partial_failure_policy


def _found(row: str, outcome: Outcome, finding: Finding) -> Reason:
    return Reason(row=row, outcome=outcome, subject=finding.rule, message=finding.message, where=finding.where)


def _reason(row: str, outcome: Outcome, requirement: Requirement) -> Reason:
    message = each(lambda lang: f"{requirement.label.get(lang, requirement.iri)}: {render(f'row-{row}', lang)}")
    return Reason(row=row, outcome=outcome, subject=requirement.iri, message=message)


def _row(row: str, outcome: Outcome, subject: str, **params: object) -> Reason:
    return Reason(row=row, outcome=outcome, subject=subject, message=both(f"row-{row}", **params))
