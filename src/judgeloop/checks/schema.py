"""The decision fits the JSON Schema of its pack."""

from judgeloop.checks.matter import Matter, told
from judgeloop.messages import each, render
from judgeloop.model import Finding, Requirement, Status
from judgeloop.schema import compiled


def check(matter: Matter, requirement: Requirement) -> Finding:
    """Return VIOLATED with the JSON Pointer of every fault, else HOLDS.

    Does not establish: anything beyond the form; an empty path or a null answer may fit.
    """
    contract = matter.contract
    schema = compiled(contract.assets[contract.decision_schema].content, contract.decision_schema)
    faults = schema.violations(matter.case.decision)
    places = [matter.in_file("/decision" + fault.pointer) for fault in faults]
    examined = schema.examined(matter.case.decision)
    held = told(requirement, "check-held", examined=examined)
    message = each(
        lambda lang: (
            "; ".join(
                render("schema-violation", lang, where=place or "/", why=fault.message[lang])
                for place, fault in zip(places, faults, strict=True)
            )
            or held[lang]
        )
    )
    return Finding(
        rule=requirement.rule,
        requirement=requirement.iri,
        status=Status.VIOLATED if faults else Status.HOLDS,
        examined=examined,
        severity=requirement.severity,
        message=message,
        where=tuple(places),
        engine="jsonschema",
    )
