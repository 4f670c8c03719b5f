"""The lock file: what a contract was when people agreed on it."""

import json
from pathlib import Path
from typing import Final

from judgeloop import assets
from judgeloop.errors import ContractError
from judgeloop.model import Contract

LOCK_VERSION: Final = 1


def lock_of(contract: Contract) -> dict[str, object]:
    """Return what a lock file holds: the contract's name, version and digest, and every asset's digest."""
    return {
        "lock": LOCK_VERSION,
        "contract": f"{contract.name}@{contract.version}",
        "iri": contract.iri,
        "digest": contract.digest,
        "assets": {name: asset.sha256 for name, asset in sorted(contract.assets.items())},
    }


def lock_path(path: Path) -> Path:
    """Return where the lock file of a contract file stands."""
    return path.with_suffix(".lock.json")


def differences(contract: Contract, lock: Path) -> list[str]:
    """Return the assets whose digest is not the one in the lock file, added and removed ones included.

    Raises:
        ContractError: the lock file is missing or can't be read.
    """
    path = str(lock).removesuffix(".lock.json") + ".ttl"
    if not lock.is_file():
        raise ContractError("lock-missing", lock=str(lock), name=path)
    try:
        held = json.loads(assets.read(lock))["assets"]
        if not isinstance(held, dict):
            raise TypeError(lock)  # noqa: TRY301
    except (ValueError, KeyError, TypeError):
        raise ContractError("lock-broken", place=str(lock), name=path) from None
    now = {name: asset.sha256 for name, asset in contract.assets.items()}
    return sorted(name for name in held.keys() | now.keys() if held.get(name) != now.get(name))
