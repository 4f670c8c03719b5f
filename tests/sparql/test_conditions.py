"""Every condition, by name: a decision to which its rules apply, and one to which they do not."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from judgeloop.opening import freeze

FOLDER: Final = Path(__file__).parents[2] / "sparql" / "condition"
CONTRACT: Final = freeze("multihop")
Try = Mapping[str, Any]

WORKS: Final = "p_hong worksFor c_acme ch_11"
ONE: Final = {"says": f"answer c_acme | {WORKS}"}
TWO: Final = {"says": f"answer pl_seoul | {WORKS} | c_acme locatedIn pl_seoul ch_12"}
NOWHERE: Final = {"says": "answer pl_seoul"}
REFUSES: Final = {"says": "refuse missing_edge"}
STOPS: Final = {"says": f"max_hops hop_limit_exceeded | {WORKS}"}
TAKEN: Final = {"says": "refuse ungrounded_hop | c_acme acquired c_beta -"}
UNASKED: Final = {"asked": None}
UNTYPED: Final = "<https://kg.example/a> <https://kg.example/b> <https://kg.example/c> ."
STEP: Final = {"id": "s1", "type": "tool_result", "result": "x"}

# condition: a decision to which it applies, one to which it does not
TABLE: Final[Mapping[str, tuple[Try, Try]]] = {
    "core/has_evidence": (ONE | {"case": {"evidence": [{"id": "e1"}]}}, ONE | {"case": {"evidence": []}}),
    "core/has_hashes": (
        ONE | {"case": {"trace": [STEP | {"sha256": "0"}]}},
        ONE | {"case": {"trace": [STEP], "prompt": {"sha256": "0"}}},
    ),
    "core/has_steps": (ONE | {"case": {"trace": [STEP]}}, ONE | {"case": {"evidence": [{"id": "e1"}]}}),
    "multihop/answer_and_question": (ONE, ONE | UNASKED),
    "multihop/answer_path_and_question": (ONE, ONE | UNASKED),
    "multihop/answers": (ONE, REFUSES),
    "multihop/answers_with_path": (ONE, NOWHERE),
    "multihop/asks_for_a_class": (ONE, ONE | {"asked": "홍길동은 어디 다녀?"}),
    "multihop/claims_hop_limit_exceeded": (STOPS, TAKEN),
    "multihop/claims_missing_edge": (REFUSES, TAKEN),
    "multihop/claims_missing_start_node": ({"says": "refuse missing_start_node"}, REFUSES),
    "multihop/claims_node_alias_unmapped": ({"says": "refuse node_alias_unmapped"}, REFUSES),
    "multihop/claims_ungrounded_hop": (TAKEN, REFUSES),
    "multihop/counts_or_lists": (ONE | {"asked": "직원은 모두 몇 명이야?"}, ONE),
    "multihop/has_factors": (REFUSES, {"says": "refuse -"}),
    "multihop/has_gold": (ONE | {"but": {"query_id": "q001"}}, ONE | {"case": {"gold": {"answer": "c_acme"}}}),
    "multihop/has_grounded_hops": (ONE, TAKEN),
    "multihop/has_path": (ONE, REFUSES),
    "multihop/has_steps": (TWO, ONE),
    "multihop/path_and_question": (ONE, ONE | UNASKED),
    "multihop/question_known": (REFUSES, REFUSES | UNASKED),
    "multihop/question_known_twice": (ONE | {"but": {"query_id": "q001"}}, ONE),
    "multihop/refusal_and_question": (REFUSES, REFUSES | UNASKED),
    "multihop/refuses": (REFUSES, STOPS),
    "multihop/relations_asked": (ONE | {"asked": "에이크미의 직원은 누구야?"}, ONE | {"asked": "홍길동은?"}),
    "multihop/stops_at_limit": (STOPS, REFUSES),
    "multihop/world_has_disjoint_classes": (ONE, ONE | {"world": UNTYPED}),
}


def applies(bench: Any, tried: Try, name: str) -> bool:
    path = f"sparql/condition/{name}.rq"
    return bool(bench.see(tried, lambda matter: matter.world.store.ask(matter.bound(path)[0])))


def test_every_condition_is_in_the_table() -> None:
    assert sorted(TABLE) == sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.rq"))


def test_every_condition_is_used_by_a_requirement() -> None:
    used = {CONTRACT.queries[r.condition] for r in CONTRACT.requirements if r.condition}
    assert used == {f"sparql/condition/{name}.rq" for name in TABLE}


@pytest.mark.parametrize("name", TABLE)
def test_a_condition_tells_two_decisions_apart(bench: Any, name: str) -> None:
    yes, no = TABLE[name]
    assert applies(bench, yes, name)
    assert not applies(bench, no, name)
