"""The case is what it claims to be: its keys, its hashes, its contract."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgeloop import assets
from judgeloop.checks.matter import Matter, told
from judgeloop.messages import both, each
from judgeloop.model import Finding, Requirement, Status, Text
from judgeloop.sources import leaves, pointer


def check_keys(matter: Matter, requirement: Requirement) -> Finding:
    """Return VIOLATED where a key poses as JSON-LD (``@graph``, ``jl:verdict``, ``http://…``)."""
    places = [matter.in_file(p) for p in matter.event.hostile]
    examined = sum(1 for _ in leaves(matter.case.document)) + len(places)
    return _finding(requirement, examined, [(p, both("integrity-key", pointer=p)) for p in places])


def check_evidence(matter: Matter, requirement: Requirement) -> Finding:
    """Return VIOLATED where a text does not hash to the SHA-256 beside it, NOT_RUN where the text is missing."""
    faults: list[tuple[str, Text]] = []
    unknown: list[tuple[str, Text]] = []
    examined = 0
    for place, claimed, text in _claims(matter.case.document):
        if text is None:
            unknown.append((place, both("integrity-hash-without-text", pointer=place)))
            continue
        examined += 1
        found = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        if found != claimed.lower():
            faults.append((place, both("integrity-hash", pointer=place, found=found, claimed=claimed)))
    if unknown and not faults:
        return _finding(requirement, examined, unknown, Status.NOT_RUN)
    return _finding(requirement, examined, faults)


def check_contract(matter: Matter, requirement: Requirement) -> Finding:
    """Return NOT_RUN where the case names another contract, VIOLATED where a pinned asset is not the pinned one."""
    contract = matter.contract
    used = f"{contract.name}@{contract.version}"
    if matter.case.contract not in {None, contract.name, used, contract.iri}:
        message = both("contract-differs", named=matter.case.contract, used=used)
        return _finding(requirement, 0, [("/contract", message)], Status.NOT_RUN)
    changed = [name for name, a in contract.assets.items() if assets.digest(a.content) != a.sha256]
    return _finding(requirement, len(contract.assets), [("", both("integrity-asset", asset=n)) for n in changed])


def _claims(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Return place, claimed hash and text of everything in evidence and trace that names a hash."""
    for part, field in (("evidence", "text"), ("trace", "result")):
        items = document.get(part, ())
        for i, item in enumerate(items if isinstance(items, Sequence) else ()):
            if isinstance(item, Mapping) and isinstance(item.get("sha256"), str):
                value = item.get(field)
                text = value if isinstance(value, str) or value is None else _plain(value)
                yield pointer(part, i, "sha256"), item["sha256"], text


def _plain(value: object) -> str:
    """Return a JSON result as its compact text with sorted keys, which is what its hash is of."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _finding(
    requirement: Requirement,
    examined: int,
    faults: list[tuple[str, Text]],
    status: Status = Status.VIOLATED,
) -> Finding:
    held = told(requirement, "check-held", examined=examined)
    message = each(lambda lang: "; ".join(text[lang] for _, text in faults) or held[lang])
    return Finding(
        rule=requirement.rule,
        requirement=requirement.iri,
        status=status if faults else Status.HOLDS,
        examined=examined,
        severity=requirement.severity,
        message=message,
        where=tuple(place for place, _ in faults),
        engine="judgeloop",
    )
