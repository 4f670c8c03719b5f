"""A shape holds of the event: the verdict comes from the results and from what was examined, never from a flag."""

from judgeloop.checks.matter import Matter, stopped, told
from judgeloop.errors import EngineFailure
from judgeloop.messages import each
from judgeloop.model import Finding, Requirement, Status


def check(matter: Matter, requirement: Requirement) -> Finding:
    """Return what SHACL found about one shape, or NOT_RUN where the engine did not finish.

    Raises:
        EngineFailure: there is no such shape; the caller makes NOT_RUN of it.
    """
    report = matter.report
    if report.failure:
        return stopped(requirement, report.failure.text)
    account = report.account.get(requirement.rule)
    if account is None:
        raise EngineFailure("engine-no-shapes", rule=requirement.rule)
    results = [r for r in report.results if r.shape == requirement.rule]
    examined = account.focus_nodes if account.constraints else 0
    held = told(requirement, "check-held", examined=examined)
    places = [(matter.place(r.focus) or "", r) for r in results]
    message = each(lambda lang: "; ".join(f"{place or '/'}: {r.message[lang]}" for place, r in places) or held[lang])
    return Finding(
        rule=requirement.rule,
        requirement=requirement.iri,
        status=Status.VIOLATED if results else Status.HOLDS,
        examined=examined,
        constraints=account.constraints,
        severity=requirement.severity,
        message=message,
        where=tuple(dict.fromkeys(place for place, _ in places)),
        engine="pyshacl",
    )
