"""The lock files that ship are of the contracts that ship: a change of any asset is frozen on purpose."""

import pytest

from judgeloop.assets import root
from judgeloop.contract import freeze, packs
from judgeloop.contract.lock import differences, lock_path


@pytest.mark.parametrize("pack", packs())
def test_every_shipped_contract_is_the_one_in_its_lock_file(pack: str) -> None:
    path = root() / "policies" / f"{pack}.ttl"
    assert differences(freeze(path), lock_path(path)) == [], f"look, then: judgeloop contract freeze {pack}"
