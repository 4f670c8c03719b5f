"""What a machine can decide, in a fixed order, all of it: schema, integrity, shapes, grounding.

What could not run is NOT_RUN, never a pass. This is one of the borders where a crash becomes a finding.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Final

from judgeloop.checks import grounding, integrity, schema, shapes
from judgeloop.checks.matter import Matter, not_run, seated, stopped, told
from judgeloop.errors import JudgeloopError
from judgeloop.event import Event
from judgeloop.messages import each
from judgeloop.model import Case, Contract, Decider, Finding, Measure, Requirement, Status
from judgeloop.store.world import World
from judgeloop.vocab import JL

Check = Callable[[Matter, Requirement], Finding]
_LOG: Final = logging.getLogger("judgeloop.checks")
BUILT_IN: Final[Mapping[str, Check]] = {
    JL + "schema": schema.check,
    JL + "integrity_keys": integrity.check_keys,
    JL + "integrity_evidence": integrity.check_evidence,
    JL + "integrity_contract": integrity.check_contract,
}


def run(contract: Contract, case: Case, event: Event, world: World) -> tuple[list[Finding], list[Measure]]:
    """Return one finding for every requirement that a machine decides, and the contract's measurements."""
    machine = [r for r in contract.requirements if r.decided_by is Decider.MACHINE]
    with seated(contract, case, event, world) as matter:
        findings = [_one(matter, requirement) for requirement in sorted(machine, key=lambda r: _order(contract, r))]
        return findings, [m for rule in contract.measures if (m := _measure(matter, rule))]


def _order(contract: Contract, requirement: Requirement) -> tuple[int, str]:
    rule = requirement.rule
    if rule in BUILT_IN:
        return list(BUILT_IN).index(rule), rule
    return len(BUILT_IN) + (rule in contract.queries), requirement.iri


def _one(matter: Matter, requirement: Requirement) -> Finding:
    """Return the finding of one requirement; a check that crashes did not run."""
    try:
        if not matter.applies(requirement):
            why = (requirement.condition or "").rpartition("#")[2]
            return Finding(
                rule=requirement.rule,
                requirement=requirement.iri,
                status=Status.NOT_APPLICABLE,
                severity=requirement.severity,
                message=told(requirement, "check-not-applicable", why=why),
            )
        return _vacuous(requirement, _check(matter, requirement)(matter, requirement))
    except Exception as error:  # noqa: BLE001 - the border where a crash becomes NOT_RUN
        _LOG.debug("%s crashed", requirement.rule, exc_info=True)
        said, crash = error if isinstance(error, JudgeloopError) else None, f"{type(error).__name__}: {error}"
        return stopped(requirement, each(lambda lang: said.text(lang) if said else crash))


def _check(matter: Matter, requirement: Requirement) -> Check:
    if requirement.rule in BUILT_IN:
        return BUILT_IN[requirement.rule]
    return grounding.check if requirement.rule in matter.contract.queries else shapes.check


def _vacuous(requirement: Requirement, finding: Finding) -> Finding:
    """Return the finding, or NOT_RUN where a rule applies, holds and examined nothing."""
    if finding.status is Status.HOLDS and finding.examined == 0:
        return not_run(requirement, told(requirement, "check-nothing-examined"))
    return finding


def _measure(matter: Matter, rule: str) -> Measure | None:
    query, _ = matter.bound(matter.contract.queries[rule])
    rows = matter.world.ask(query)
    if not rows:
        return None
    held = sum(row.get("holds") == "true" for row in rows)
    return Measure(name=query.query.meta.get("measure", rule), examined=len(rows), held=held)
