"""Query rules: what is not there proves nothing, and what can't be told is not run."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from judgeloop.checks import grounding
from judgeloop.model import Status

PREFIXES: Final = """@prefix kg: <https://kg.example/> .
@prefix jl: <https://w3id.org/judgeloop#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
NODES: Final = f'{PREFIXES}kg:c_acme rdfs:label "에이크미"@ko . kg:pl_seoul rdfs:label "서울"@ko .\n'
CHUNK: Final = 'kg:ch_12 a jl:Chunk ; jl:text "에이크미는 서울에 있다." .\n'
EDGE: Final = (
    "kg:c_acme kg:locatedIn kg:pl_seoul . kg:e a jl:Edge ; jl:src kg:c_acme ; jl:rel kg:locatedIn ; "
    "jl:dst kg:pl_seoul ; jl:grounded true ; jl:chunk kg:ch_12 .\n"
)
OF_EDGES: Final = {
    "answer_alone",
    "hop_exists",
    "hop_chunk",
    "hop_grounded",
    "hop_valid",
    "path_start",
    "start_unambiguous",
}
REFUSED: Final[Mapping[str, Any]] = {
    "decision": "refuse",
    "answer": None,
    "path": [],
    "factors": ["missing_start_node"],
    "evidence": "start_id=null",
    "hedge": "시작 노드가 없어 답하지 않습니다",
}


def not_run(desk: Any, turtle: str, decision: Mapping[str, Any] | None = None) -> set[str]:
    found = desk.findings(desk.case(decision), turtle)
    return {rule for rule, finding in found.items() if finding.status is Status.NOT_RUN}


def test_a_whole_world_lets_every_rule_run(desk: Any) -> None:
    assert not_run(desk, NODES + CHUNK + EDGE) == set()


def test_an_empty_world_proves_nothing(desk: Any) -> None:
    assert not_run(desk, "# nothing") == {
        *OF_EDGES,
        "hop_mentioned",
        "path_direction",
        "answer_kind",
        "names_asked",
        "hops_asked",
    }
    assert not_run(desk, "# nothing", REFUSED) == {"missing_start_node", "refusal_has_cause", "refusal_overlooked"}
    message = desk.findings(desk.case(), "# nothing")["hop_exists"].message
    assert message["en"] == "walks edges of the knowledge graph could not run: the world has no triples"
    assert message["ko"] == "그래프에 있는 엣지만 밟는다 을(를) 실행할 수 없습니다: 세계에 트리플이 없습니다"


@pytest.mark.parametrize("turtle", [NODES, NODES + CHUNK], ids=["nodes", "nodes and texts"])
def test_a_world_without_edges_proves_nothing_about_edges(desk: Any, turtle: str) -> None:
    assert not_run(desk, turtle) >= OF_EDGES
    assert not_run(desk, turtle, REFUSED) >= {"missing_start_node", "refusal_has_cause", "refusal_overlooked"}
    message = desk.findings(desk.case(), turtle)["hop_exists"].message
    assert message["en"].endswith("there is no https://w3id.org/judgeloop#Edge to examine")


def test_a_world_without_texts_proves_nothing_about_texts(desk: Any) -> None:
    assert not_run(desk, NODES + EDGE) == {"hop_mentioned"}


def test_a_row_that_can_not_be_told_is_not_run_and_says_so(desk: Any) -> None:
    hop = {"src": "c_acme", "rel": "ledBy", "dst": "p_lee", "chunk_id": "ch_32"}
    found = desk.findings(desk.case({"answer": "p_lee", "path": [hop], "evidence": "ledBy:ch_32"}))["hop_valid"]
    assert (found.status, found.examined, found.where) == (Status.NOT_RUN, 1, ("/decision/path/0",))
    assert found.message["en"] == (
        "c_acme ledBy p_lee holds for a time only, and when the question was asked is not known"
    )
    assert found.message["ko"] == "c_acme ledBy p_lee 은(는) 일정 기간만 유효한데 언제 물었는지 알 수 없습니다"


def test_a_rule_that_is_broken_once_is_broken_although_the_rest_is_unknown(desk: Any) -> None:
    led = {"src": "c_acme", "rel": "ledBy", "dst": "p_lee", "chunk_id": "ch_32"}
    made_up = {"src": "c_acme", "rel": "ledBy", "dst": "p_hong", "chunk_id": "ch_32"}
    found = desk.findings(desk.case({"path": [led, made_up]}))
    assert (found["hop_exists"].status, found["hop_exists"].where) == (Status.VIOLATED, ("/decision/path/1",))
    assert (found["hop_exists"].examined, found["hop_valid"].status) == (2, Status.NOT_RUN)


def test_many_faults_are_counted_and_a_few_are_spelt_out(desk: Any) -> None:
    path = [{"src": "c_acme", "rel": "knows", "dst": f"x{n}", "chunk_id": None} for n in range(grounding.SHOWN + 2)]
    found = desk.findings(desk.case({"path": path}))["hop_exists"]
    assert len(found.where) == grounding.SHOWN + 2
    assert found.message["en"].count("no edge") == grounding.SHOWN
    assert found.message["en"].endswith(" (+2)")
    assert found.message["ko"].endswith(" (+2)")


def test_a_bare_decision_is_pointed_at_from_its_own_root(desk: Any) -> None:
    hop = {"src": "c_acme", "rel": "locatedIn", "dst": "pl_busan", "chunk_id": "ch_12"}
    case = desk.case({"path": [hop], "answer": "pl_busan"}, bare=True)
    assert desk.findings(case)["hop_exists"].where == ("/path/0",)
    assert desk.findings(case)["gold_answer"].where == ("",)


def test_a_value_with_braces_is_no_template(desk: Any) -> None:
    hop = {"src": "{?holds}", "rel": "$world", "dst": "{0}", "chunk_id": None}
    message = desk.findings(desk.case({"path": [hop]}))["hop_exists"].message
    assert message["en"] == "no edge {?holds} $world {0} in the graph"
