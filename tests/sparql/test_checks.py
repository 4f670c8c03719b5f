"""Every check query, by name: a decision that keeps it, a decision that breaks it, and one it can't tell about."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from judgeloop.checks import grounding
from judgeloop.model import Finding, Status
from judgeloop.opening import freeze
from judgeloop.rdf.rq import Query, parse

FOLDER: Final = Path(__file__).parents[2] / "sparql" / "check" / "multihop"
CONTRACT: Final = freeze("multihop")
Try = Mapping[str, Any]

SEOUL: Final = "c_acme locatedIn pl_seoul ch_12"
BUSAN: Final = "c_beta locatedIn pl_busan ch_13"
WORKS: Final = "p_hong worksFor c_acme ch_11"
ANVIL: Final = "c_acme makes pr_anvil ch_41"
ROPE: Final = "c_acme makes pr_rope ch_42"
KOREA: Final = "pl_seoul partOf pl_kr ch_21"
FOUNDED: Final = "p_hong foundedBy c_acme ch_18"
TAKEN: Final = "c_acme acquired c_beta -"
TWO: Final = f"answer pl_seoul | {WORKS} | {SEOUL}"
CITY: Final = "Which city is Acme located in?"
LEADS: Final = "에이크미의 대표는 누구야?"
MADE: Final = "How many products does Acme make?"
FAR: Final = "홍길동이 세운 회사가 있는 도시가 속한 나라가 가입한 국제기구는?"
BOTH: Final = "<https://kg.example/p_hong> a <https://kg.example/Company> ."

# rule: a decision that keeps it, a decision that breaks it
TABLE: Final[Mapping[str, tuple[Try, Try]]] = {
    "answer_alone": (
        {"says": f"answer pr_anvil, pr_rope | {ANVIL} | {ROPE}", "asked": "What does Acme make?"},
        {"says": f"answer pr_anvil | {ANVIL}", "asked": "What does Acme make?"},
    ),
    "answer_class": (
        {"says": f"answer pl_seoul | {SEOUL}", "asked": CITY},
        {"says": f"answer pl_seoul | {SEOUL}", "asked": "Which product is Acme located in?"},
    ),
    "answer_complete": (
        {"says": f"answer 2 | {ANVIL} | {ROPE}", "asked": MADE},
        {"says": "answer 1 | c_acme makes pr_anvil ch_41", "asked": MADE},
    ),
    "answer_follows_path": ({"says": TWO}, {"says": f"answer pl_busan | {WORKS} | {SEOUL}"}),
    "answer_kind": (
        {"says": "answer 1 | c_acme makes pr_anvil ch_41", "asked": MADE},
        {"says": "answer pr_anvil | c_acme makes pr_anvil ch_41", "asked": MADE},
    ),
    "evidence_names_cause": (
        {"says": f"refuse ungrounded_hop | {TAKEN}", "but": {"evidence": "acquired grounded=false"}},
        {"says": f"refuse ungrounded_hop | {TAKEN}", "but": {"evidence": "acquired grounded=falsehood"}},
    ),
    "evidence_names_path": ({"says": TWO}, {"says": TWO, "but": {"evidence": "worksFor:ch_11, locatedIn:ch_1"}}),
    "gold_answer": (
        {"says": TWO, "but": {"query_id": "q001"}},
        {"says": TWO, "but": {"query_id": "q001", "answer": "pl_busan"}},
    ),
    "gold_decision": (
        {"says": TWO, "but": {"query_id": "q001"}},
        {"says": "refuse missing_edge", "but": {"query_id": "q001"}},
    ),
    "hop_chunk": ({"says": TWO}, {"says": f"answer pl_seoul | {WORKS} | c_acme locatedIn pl_seoul ch_13"}),
    "hop_exists": ({"says": TWO}, {"says": f"answer pl_busan | {WORKS} | c_acme locatedIn pl_busan ch_12"}),
    "hop_grounded": ({"says": TWO}, {"says": f"answer c_beta | {TAKEN}"}),
    "hop_limit": (
        {"says": f"answer pl_kr | {WORKS} | {SEOUL} | {KOREA}"},
        {"says": f"answer o_un | {WORKS} | {SEOUL} | {KOREA} | pl_kr memberOf o_un ch_22"},
    ),
    "hop_limit_exceeded": (
        {"says": f"max_hops hop_limit_exceeded | {FOUNDED} | {SEOUL} | {KOREA}", "asked": FAR},
        {"says": f"max_hops hop_limit_exceeded | {FOUNDED} | {SEOUL}", "asked": FAR},
    ),
    "hop_mentioned": ({"says": TWO}, {"says": "answer c_gamma | c_delta subsidiaryOf c_gamma ch_45"}),
    "hop_valid": (
        {"says": "answer p_lee | c_acme ledBy p_lee ch_32", "asked": LEADS, "at": "2024-01-01T00:00:00Z"},
        {"says": "answer p_choi | c_acme ledBy p_choi ch_31", "asked": LEADS, "at": "2024-01-01T00:00:00Z"},
    ),
    "hops_asked": (
        {"says": f"answer pl_seoul | {SEOUL}", "asked": "Where is Acme located?"},
        {"says": f"answer pl_kr | {SEOUL} | {KOREA}", "asked": "Where is Acme located?"},
    ),
    "missing_edge": (
        {"says": "refuse missing_edge", "asked": "Which city is Gamma located in?"},
        {"says": "refuse missing_edge", "asked": CITY},
    ),
    "missing_start_node": (
        {"says": "refuse missing_start_node", "asked": "박영희는 어느 회사에 다녀?"},
        {"says": "refuse missing_start_node", "asked": "(주) 에이크미는 어느 도시에 있어?"},
    ),
    "names_asked": (
        {"says": f"answer pl_busan | {BUSAN}", "asked": "Where is Beta located?"},
        {"says": f"answer pl_seoul | {SEOUL}", "asked": "Where is Beta, a rival of Acme, located?"},
    ),
    "node_alias_unmapped": (
        {"says": "refuse node_alias_unmapped", "asked": "청해상사는 어느 도시에 있어?"},
        {"says": "refuse node_alias_unmapped", "asked": "박영희는 어느 도시에 있어?"},
    ),
    "path_connected": ({"says": TWO}, {"says": f"answer pl_busan | {WORKS} | {BUSAN}"}),
    "path_direction": (
        {"says": f"answer p_hong | {WORKS}", "asked": "에이크미의 직원은 누구야?"},
        {"says": f"answer c_beta | {BUSAN}", "asked": "부산에 있는 회사는 어디야?"},
    ),
    "path_simple": (
        {"says": TWO},
        {"says": f"answer c_acme | {WORKS} | c_acme ledBy p_lee ch_32 | p_lee worksFor c_acme ch_14"},
    ),
    "path_start": ({"says": TWO}, {"says": f"answer pl_seoul | p_lee worksFor c_acme ch_14 | {SEOUL}"}),
    "question_readable": ({"says": TWO}, {"says": TWO, "asked": "???"}),
    "question_same": (
        {"says": TWO, "but": {"query_id": "q001"}},
        {"says": f"answer pl_seoul | {SEOUL}", "asked": CITY, "but": {"query_id": "q001"}},
    ),
    "refusal_has_cause": (
        {"says": "refuse -", "asked": "김민수는 어느 회사에 다녀?"},
        {"says": "refuse -", "asked": "최무선은 어느 회사에 다녀?"},
    ),
    "refusal_overlooked": (
        {"says": "refuse missing_edge", "asked": "감마는 어느 도시에 있어?"},
        {"says": "refuse missing_edge"},
    ),
    "relations_asked": ({"says": TWO}, {"says": f"answer c_acme | {WORKS}"}),
    "start_unambiguous": (
        {"says": TWO},
        {"says": "answer c_beta | p_kim1 worksFor c_beta ch_15", "asked": "Which company does Kim Minsu work for?"},
    ),
    "ungrounded_hop": (
        {"says": f"refuse ungrounded_hop | {TAKEN}"},
        {"says": f"refuse ungrounded_hop | {SEOUL}"},
    ),
    "world_consistent": ({"says": TWO}, {"says": TWO, "more": BOTH}),
}
# rule: a decision that the rule can't tell about
UNKNOWN: Final[Mapping[str, Try]] = {
    "question_readable": {"says": TWO, "asked": "???"},
    "hop_valid": {"says": "answer p_lee | c_acme ledBy p_lee ch_32", "asked": LEADS},
}


def query(rule: str) -> Query:
    return parse((FOLDER / f"{rule}.rq").read_text("utf-8"), rule)


def found(bench: Any, tried: Try, rule: str) -> Finding:
    (requirement,) = [r for r in CONTRACT.requirements if r.rule.rpartition("#")[2] == rule]
    finding: Finding = bench.see(tried, lambda matter: grounding.check(matter, requirement))
    return finding


def test_every_check_is_in_the_table() -> None:
    assert sorted(TABLE) == sorted(path.stem for path in FOLDER.glob("*.rq"))


def test_every_check_that_may_not_know_is_tried() -> None:
    assert sorted(UNKNOWN) == sorted(rule for rule in TABLE if query(rule).unknown)


def test_a_check_has_the_name_of_its_rule() -> None:
    checks = {iri.rpartition("#")[2]: path for iri, path in CONTRACT.queries.items() if "/check/" in path}
    assert checks == {rule: f"sparql/check/multihop/{rule}.rq" for rule in TABLE}


@pytest.mark.parametrize("rule", TABLE)
def test_what_keeps_the_rule_holds(bench: Any, rule: str) -> None:
    finding = found(bench, TABLE[rule][0], rule)
    assert (finding.status, finding.where) == (Status.HOLDS, ())
    assert finding.examined > 0


@pytest.mark.parametrize("rule", TABLE)
def test_what_breaks_the_rule_is_found_and_said_in_both_languages(bench: Any, rule: str) -> None:
    finding = found(bench, TABLE[rule][1], rule)
    assert finding.status == (Status.NOT_RUN if rule == "question_readable" else query(rule).violation)
    assert finding.examined > 0
    assert finding.message["en"] != finding.message["ko"]
    assert not [text for text in finding.message.values() if not text or "{" in text or "$" in text]
    assert all(place.startswith("/decision") for place in finding.where)
    assert finding.where or rule == "world_consistent", "what is wrong with a decision has a place"


@pytest.mark.parametrize("rule", UNKNOWN)
def test_what_can_not_be_told_is_not_run(bench: Any, rule: str) -> None:
    finding = found(bench, UNKNOWN[rule], rule)
    assert finding.status is Status.NOT_RUN
    assert not [text for text in finding.message.values() if not text or "{" in text]
