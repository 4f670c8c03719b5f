"""The decision fits the JSON Schema of its pack."""

from judgeloop.checks.matter import Matter
from judgeloop.messages import LANGS, render
from judgeloop.model import Finding, Requirement, Status
from judgeloop.schema import Schema


def check(matter: Matter, requirement: Requirement) -> Finding:
    """Return VIOLATED with the JSON Pointer of every fault, else HOLDS.

    Does not establish: anything beyond the form; an empty path or a null answer may fit.
    """
    contract = matter.contract
    schema = Schema(contract.assets[contract.decision_schema].content, contract.decision_schema)
    faults = schema.violations(matter.case.decision)
    places = [matter.in_file("/decision" + fault.pointer) or "/" for fault in faults]
    message = {
        lang: "; ".join(
            render("schema-violation", lang, where=place, why=fault.message[lang])
            for place, fault in zip(places, faults, strict=True)
        )
        or render("check-held", lang, rule=requirement.label[lang], examined=schema.examined(matter.case.decision))
        for lang in LANGS
    }
    return Finding(
        rule=requirement.rule,
        requirement=requirement.iri,
        status=Status.VIOLATED if faults else Status.HOLDS,
        examined=schema.examined(matter.case.decision),
        severity=requirement.severity,
        message=message,
        where=tuple(places),
        engine="jsonschema",
    )
