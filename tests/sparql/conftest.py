"""One decision seen by one rule. The tables of this folder write a decision as one line:

``answer pl_seoul | p_hong worksFor c_acme ch_11 | c_acme locatedIn pl_seoul ch_12``: the kind, the answer or the
factors, then the hops; ``-`` stands for nothing (no factor, no chunk).
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, TypeVar

import pytest

from judgeloop.casefile import to_case
from judgeloop.checks.matter import Matter, seated
from judgeloop.contract import ontology_text
from judgeloop.event import seal
from judgeloop.model import Contract
from judgeloop.opening import freeze, open_world
from judgeloop.reason import close
from judgeloop.store.world import World, load

SECRET: Final = bytes(32)
QUESTION: Final = "홍길동이 다니는 회사는 어느 도시에 있어?"
SIGNS: Final = {
    "missing_start_node": "start_id=null",
    "ungrounded_hop": "grounded=false",
    "hop_limit_exceeded": "max_hops=3",
}
_T = TypeVar("_T")


@cache
def frozen() -> Contract:
    return freeze("multihop")


@cache
def world_of(turtle: str, *, alone: bool) -> World:
    """Return the shipped world, with some Turtle added to it or instead of it."""
    if not turtle:
        return open_world(frozen())
    shipped = frozen().world or ""
    files = [] if alone else [(shipped, frozen().assets[shipped].content)]
    return load([*files, ("more.ttl", turtle.encode())], frozen(), close(ontology_text(frozen())))


def decision_of(line: str) -> dict[str, Any]:
    first, *rest = (part.strip() for part in line.split("|"))
    kind, _, said = first.partition(" ")
    hops = [dict(zip(("src", "rel", "dst", "chunk_id"), hop.split(), strict=True)) for hop in rest]
    path = [{**hop, "chunk_id": None if hop["chunk_id"] == "-" else hop["chunk_id"]} for hop in hops]
    factors = [] if kind == "answer" or said == "-" else said.split()
    walked = ", ".join(f"{hop['rel']}:{hop['chunk_id']}" for hop in path)
    return {
        "query_id": "tried",
        "decision": kind,
        "answer": said if kind == "answer" else None,
        "path": path,
        "factors": factors,
        "reason": "이 판단의 까닭을 스무 글자가 넘도록 적어 둡니다.",
        "evidence": walked if kind == "answer" else ", ".join(SIGNS.get(f, f) for f in factors) or "none named",
        "hedge": None if kind == "answer" else "답하지 않습니다",
    }


class Bench:
    """Seats a try and gives what is seen of it."""

    def see(self, tried: Mapping[str, Any], look: Callable[[Matter], _T]) -> _T:
        """Return what ``look`` sees of a try: ``says``, and where they differ ``asked``, ``at``, ``but``, ``case``,
        ``more`` (Turtle added to the world) and ``world`` (Turtle instead of it)."""
        decision = decision_of(tried["says"]) | tried.get("but", {})
        document: dict[str, Any] = {"case_id": "tried", "decision": decision, **tried.get("case", {})}
        if (text := tried.get("asked", QUESTION)) is not None:
            document["input"] = {"text": text} | ({"asked_at": tried["at"]} if "at" in tried else {})
        case = to_case("tried.json", json.dumps(document, ensure_ascii=False).encode(), document, frozen())
        world = world_of(tried.get("world", tried.get("more", "")), alone="world" in tried)
        with seated(frozen(), case, seal(case, frozen(), SECRET), world) as matter:
            return look(matter)


@pytest.fixture(scope="session")
def bench() -> Bench:
    return Bench()
