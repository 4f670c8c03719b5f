"""One case that is right, and what the checks find out about it and its twins."""

import copy
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import pytest

from judgeloop.casefile import to_case
from judgeloop.checks import run
from judgeloop.contract import ontology_text
from judgeloop.event import seal
from judgeloop.model import Case, Contract, Finding, Measure
from judgeloop.opening import freeze, open_world
from judgeloop.reason import close
from judgeloop.store.world import World, load

SECRET: Final = bytes(32)
RIGHT: Final[dict[str, Any]] = {
    "case_id": "에이크미 1",
    "contract": "multihop",
    "input": {"text": "에이크미는 어느 도시에 있어?", "lang": "ko"},
    "decision": {
        "query_id": "q005",
        "decision": "answer",
        "answer": "pl_seoul",
        "path": [{"src": "c_acme", "rel": "locatedIn", "dst": "pl_seoul", "chunk_id": "ch_12"}],
        "factors": [],
        "reason": "에이크미가 서울에 있다고 ch_12 가 말하므로 서울이라고 답합니다.",
        "evidence": "locatedIn:ch_12",
        "hedge": None,
    },
}
"""What worlds/multihop/world.ttl says: c_acme locatedIn pl_seoul, supported by ch_12."""


@cache
def frozen() -> Contract:
    return freeze("multihop")


@cache
def world_of(turtle: str | None) -> World:
    if turtle is None:
        return open_world(frozen())
    return load([("world.ttl", turtle.encode())], frozen(), close(ontology_text(frozen())))


class Desk:
    """Runs all checks of the contract over one case."""

    contract = frozen()

    def world(self, turtle: str | None = None) -> World:
        return world_of(turtle)

    def case(self, decision: Mapping[str, Any] | None = None, *, bare: bool = False, **envelope: Any) -> Case:
        document = copy.deepcopy(RIGHT)
        document["decision"] |= decision or {}
        document |= envelope
        given = document["decision"] if bare else document
        return to_case("case.json", json.dumps(given, ensure_ascii=False).encode(), given, frozen())

    def ran(
        self, case: Case, turtle: str | None = None, contract: Contract | None = None
    ) -> tuple[list[Finding], list[Measure]]:
        used = contract or frozen()
        return run(used, case, seal(case, used, SECRET), world_of(turtle))

    def findings(self, case: Case, turtle: str | None = None, contract: Contract | None = None) -> dict[str, Finding]:
        """Return the findings by the local name of their rule."""
        return {f.rule.rpartition("#")[2]: f for f in self.ran(case, turtle, contract)[0]}


@pytest.fixture(scope="session")
def desk() -> Desk:
    return Desk()
