"""A contract for people: what it requires, who decides, and what it pins."""

import json

from judgeloop.contract.lock import lock_of
from judgeloop.messages import Lang, render
from judgeloop.model import Contract


def show(contract: Contract, form: str, lang: Lang) -> str:
    """Return the contract as text or JSON."""
    if form == "json":
        told = contract.model_dump(mode="json", exclude={"assets"})
        return json.dumps(told | {"assets": lock_of(contract)["assets"]}, ensure_ascii=False, indent=2, sort_keys=True)
    lines = [
        f"{contract.name}@{contract.version}  sha256:{contract.digest}",
        render(
            "text-contract",
            lang,
            risk=contract.risk.value,
            blocking=", ".join(sorted(contract.blocking)),
            policy=contract.partial_failure_policy,
            limits=", ".join(f"{limit.name}={limit.value}" for limit in contract.limits) or "-",
        ),
    ]
    for requirement in contract.requirements:
        kind = render("text-prohibition" if requirement.prohibition else "text-requirement", lang)
        need = render("text-mandatory" if requirement.mandatory else "text-optional", lang)
        name = requirement.rule.rpartition("#")[2]
        lines.append(f"  {kind} {need} {requirement.decided_by.value} {name}: {requirement.label[lang]}")
    lines += [f"  {asset.sha256}  {asset.path}" for _, asset in sorted(contract.assets.items())]
    return "\n".join(lines)
