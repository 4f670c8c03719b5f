"""The multi-hop agent: it walks what the question names, and tells what it can't walk."""

import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final
from unicodedata import normalize

import pytest

from judgeloop.agents import agents
from judgeloop.agents.multihop import Search, ask
from judgeloop.contract import ontology_text
from judgeloop.errors import BadInput
from judgeloop.model import Contract
from judgeloop.opening import freeze
from judgeloop.reason import close
from judgeloop.store.world import World, load

Json = dict[str, Any]

NAMES: Final = {
    "p_ann": ("앤", "Ann"),
    "p_bo": ("보", "Bo"),
    "c_pine": ("소나무", "Pine"),
    "c_oak": ("참나무", "Oak"),
    "c_elm": ("느릅나무", "Elm"),
    "pl_cork": ("코크", "Cork"),
    "pl_galway": ("골웨이", "Galway"),
    "pl_ie": ("아일랜드", "Ireland"),
}
RELATIONS: Final = {
    "worksFor": ["다니는", "다녀", "works for", "work for"],
    "locatedIn": ["있는", "있어", "located in"],
    "partOf": ["속한", "속해", "part of"],
    "owns": ["가진", "owns", "own"],
    "ledBy": ["대표는", "led by"],
}


@cache
def contract() -> Contract:
    return freeze("multihop")


def rows(*edges: str, **more: Any) -> Json:
    """Return tables with the edges ``src rel dst``; a ``-`` behind them makes one ungrounded."""
    parts = [edge.split() for edge in edges]
    table: list[Json] = [
        {"src": p[0], "rel": p[1], "dst": p[2], "chunk_id": f"ch_{i}", "grounded": "-" not in p}
        for i, p in enumerate(parts, start=1)
    ]
    told = [f"{NAMES[p[0]][1]} and {NAMES[p[2]][1]}." for p in parts]
    return {
        "nodes": [{"id": name, "label": ko, "alias": [en]} for name, (ko, en) in NAMES.items()],
        "relations": [{"id": name, "label": name, "alias": alias} for name, alias in RELATIONS.items()],
        "edges": table,
        "chunks": [{"id": f"ch_{i}", "text": text} for i, text in enumerate(told, start=1)],
        **more,
    }


def world(table: Json) -> World:
    closed = close(ontology_text(contract()))
    return load([("world.json", json.dumps(table, ensure_ascii=False).encode())], contract(), closed)


def decided(text: str, table: Json, asked_at: str | None = None) -> Json:
    return ask(text, contract(), world(table), query_id="q", asked_at=asked_at)


def hops(decision: Json) -> list[str]:
    return [f"{h['src']} {h['rel']} {h['dst']}" for h in decision["path"]]


CHAIN: Final = ("p_ann worksFor c_pine", "c_pine locatedIn pl_cork", "pl_cork partOf pl_ie")


def test_the_pack_names_this_agent() -> None:
    assert agents()["multihop"]() is ask


# --- answering


@pytest.mark.parametrize(
    ("text", "answer", "length"),
    [
        ("앤이 다니는 회사는?", "c_pine", 1),
        ("앤이 다니는 회사는 어디에 있어?", "pl_cork", 2),
        (normalize("NFD", "앤이 다니는 회사는 어디에 있어?"), "pl_cork", 2),
        ("앤이 다니는 회사가 있는 도시는 어디에 속해?", "pl_ie", 3),
        ("Where is the company located in that Ann works for?", "pl_cork", 2),
        ("What is the city part of where the company is located in that Ann works for?", "pl_ie", 3),
    ],
)
def test_every_relation_of_the_question_is_walked_whatever_its_order(text: str, answer: str, length: int) -> None:
    decision = decided(text, rows(*CHAIN))
    assert (decision["decision"], decision["answer"], decision["factors"]) == ("answer", answer, [])
    assert hops(decision) == list(CHAIN[:length])
    assert decision["hedge"] is None
    assert decision["evidence"] == ", ".join(f"{h['rel']}:{h['chunk_id']}" for h in decision["path"])


def test_the_reason_is_in_the_language_of_the_question() -> None:
    assert decided("Whom does Ann work for?", rows(*CHAIN))["reason"].startswith("Every hop has a chunk")
    assert "근거 청크가 있어" in decided("앤은 어디 다녀?", rows(*CHAIN))["reason"]


TWO: Final = ("p_ann worksFor c_pine", "p_ann worksFor c_oak")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("앤이 다니는 회사는 모두 무엇이야?", "c_oak, c_pine"),
        ("앤이 다니는 회사는 어디야?", "c_oak, c_pine"),
        ("앤이 다니는 회사는 몇 개야?", "2"),
        ("How many companies does Ann work for?", "2"),
    ],
)
def test_all_ends_of_the_last_relation_are_told_or_counted(text: str, answer: str) -> None:
    decision = decided(text, rows(*TWO))
    assert decision["answer"] == answer
    assert sorted(hops(decision)) == sorted(TWO)


def test_a_thing_stated_twice_is_one_thing() -> None:
    decision = decided("앤이 다니는 회사는 몇 개야?", rows(*TWO, TWO[0]))
    assert (decision["answer"], len(decision["path"])) == ("2", 2)


def test_a_second_start_is_tried_where_the_first_leads_nowhere() -> None:
    table = rows("c_oak locatedIn pl_galway", "p_ann worksFor c_pine")
    assert decided("앤과 참나무 가운데 하나는 어디에 있어?", table)["answer"] == "pl_galway"


def test_no_walk_goes_twice_through_one_node() -> None:
    table = rows("c_pine owns c_oak", "c_oak owns c_pine")
    decision = decided("소나무가 가진 회사가 가진 회사는?", table)
    assert (decision["decision"], decision["factors"]) == ("refuse", ["missing_edge"])


# --- inverses


def inverse(table: Json, *, typed: bool = True) -> Json:
    for node in table["nodes"] if typed else ():
        node["type"] = {"p": "Staff", "c": "Firm"}.get(node["id"].partition("_")[0], "Other")
    table["relations"].append(
        {"id": "employs", "label": "고용", "alias": ["직원은", "employees"], "inverse_of": "worksFor"}
    )
    return table


def test_an_edge_is_walked_backwards_only_by_a_declared_inverse() -> None:
    table = rows("p_ann worksFor c_pine", "p_bo worksFor c_pine")
    assert decided("소나무에 다니는 사람은?", table)["factors"] == ["missing_edge"]
    for text in ("소나무의 직원은 누구야?", "소나무에 다니는 사람은?", "Who are the employees of Pine?"):
        decision = decided(text, inverse(table))
        assert decision["answer"] == "p_ann, p_bo"
        assert hops(decision) == ["p_ann worksFor c_pine", "p_bo worksFor c_pine"]
        table["relations"].pop()


@pytest.mark.parametrize("typed", [False, True], ids=["of no known kind", "of one kind"])
def test_ends_that_may_be_mixed_up_are_walked_by_their_own_name_only(typed: bool) -> None:
    table = rows("c_pine owns c_oak")
    table["relations"].append({"id": "ownedBy", "label": "소유자", "alias": ["주인은"], "inverse_of": "owns"})
    for node in table["nodes"] if typed else ():
        node["type"] = "Firm"
    assert decided("소나무가 가진 회사는?", table)["answer"] == "c_oak"
    assert decided("참나무의 주인은 누구야?", table)["answer"] == "c_pine"
    assert decided("참나무가 가진 회사는?", table)["factors"] == ["missing_edge"], "it is owned and owns nothing"


def test_an_edge_without_text_is_found_by_the_inverse_too() -> None:
    decision = decided("소나무의 직원은 누구야?", inverse(rows("p_ann worksFor c_pine -")))
    assert (decision["factors"], hops(decision)) == (["ungrounded_hop"], ["p_ann worksFor c_pine"])


def test_a_question_of_too_many_relations_is_refused_at_once() -> None:
    started = time.monotonic()
    for often in (5, 20):
        assert decided("Ann works for " * often, rows(*CHAIN))["decision"] in {"answer", "refuse"}
    with pytest.raises(BadInput) as refused:
        decided("Ann works for " * 2000, rows(*CHAIN))
    assert refused.value.key == "ask-too-broad"
    assert time.monotonic() - started < 20


def test_two_directions_of_one_relation_are_not_mixed() -> None:
    table = rows("c_oak owns c_pine", "c_pine owns c_elm")
    table["relations"].append({"id": "ownedBy", "label": "소유자", "alias": ["주인은"], "inverse_of": "owns"})
    assert decided("소나무가 가진 회사는?", table)["answer"] == "c_elm"
    assert decided("소나무의 주인은 누구야?", table)["answer"] == "c_oak"


# --- refusing


@pytest.mark.parametrize(
    ("text", "edges", "factor", "path", "evidence"),
    [
        ("진이 다니는 회사는?", CHAIN, "missing_start_node", [], "start_id=null"),
        ("Whom does Jean work for?", CHAIN, "missing_start_node", [], "start_id=null"),
        ("앤은 어디에 있어?", CHAIN, "missing_edge", [], "edge=null: p_ann locatedIn"),
        ("앤이 다니는 회사의 대표는?", CHAIN, "missing_edge", [CHAIN[0]], "edge=null: c_pine ledBy"),
        ("앤은 무엇이야?", CHAIN, "missing_edge", [], "edge=null: p_ann ?"),
        (
            "앤이 다니는 회사는?",
            ["p_ann worksFor c_pine -"],
            "ungrounded_hop",
            ["p_ann worksFor c_pine"],
            "worksFor grounded=false",
        ),
        (
            "앤이 다니는 회사는 어디에 있어?",
            [CHAIN[0], "c_pine locatedIn pl_cork -", CHAIN[2]],
            "ungrounded_hop",
            ["p_ann worksFor c_pine", "c_pine locatedIn pl_cork"],
            "locatedIn grounded=false",
        ),
    ],
)
def test_what_can_not_be_walked_is_told(
    text: str, edges: Sequence[str], factor: str, path: list[str], evidence: str
) -> None:
    decision = decided(text, rows(*edges))
    assert (decision["decision"], decision["answer"], decision["factors"]) == ("refuse", None, [factor])
    assert (hops(decision), decision["evidence"]) == (path, evidence)
    assert decision["hedge"]
    assert len(decision["reason"]) >= 20


@pytest.mark.parametrize(
    ("edges", "path"),
    [
        (["p_ann worksFor c_pine -"], ["p_ann worksFor c_pine"]),
        (
            ["p_ann worksFor c_pine", "c_pine locatedIn pl_cork -"],
            ["p_ann worksFor c_pine", "c_pine locatedIn pl_cork"],
        ),
    ],
    ids=["at once", "on the way"],
)
def test_an_edge_without_a_text_is_told_although_another_is_missing_behind_it(
    edges: Sequence[str], path: list[str]
) -> None:
    decision = decided("앤이 다니는 회사가 있는 도시는 어디에 속해?", rows(*edges))
    assert (decision["factors"], hops(decision)) == (["ungrounded_hop"], path)


def test_an_edge_without_a_text_beside_a_grounded_one_is_not_what_is_missing() -> None:
    table = rows("p_ann worksFor c_oak -", "p_ann worksFor c_pine", "c_oak locatedIn pl_cork")
    decision = decided("앤이 다니는 회사는 어디에 있어?", table)
    assert (decision["factors"], hops(decision)) == (["missing_edge"], ["p_ann worksFor c_pine"])


@pytest.mark.parametrize("last", ["", " -"])
def test_what_lies_behind_the_limit_is_not_looked_into(last: str) -> None:
    table = rows(*CHAIN[:2], f"pl_cork partOf pl_ie{last}", max_hops=2)
    decision = decided("앤이 다니는 회사가 있는 도시가 속한 나라의 대표는?", table)
    assert (decision["decision"], decision["factors"]) == ("max_hops", ["hop_limit_exceeded"])
    assert hops(decision) == list(CHAIN[:2])


def test_an_edge_whose_text_does_not_say_it_is_not_grounded() -> None:
    table = rows("p_ann worksFor c_pine")
    table["chunks"][0]["text"] = "Ann works somewhere."
    decision = decided("앤이 다니는 회사는?", table)
    assert (decision["factors"], decision["path"][0]["chunk_id"]) == (["ungrounded_hop"], "ch_1")


def test_a_grounded_edge_is_preferred_to_one_that_is_not() -> None:
    table = rows("p_ann worksFor c_oak -", "p_ann worksFor c_pine")
    assert decided("앤이 다니는 회사는?", table)["answer"] == "c_pine"


def test_a_name_that_stands_in_a_text_only_is_an_unmapped_alias() -> None:
    table = rows("c_pine locatedIn pl_cork")
    table["chunks"][0]["text"] = "소나무, 옛 이름 솔가지, 는 코크에 있다."
    decision = decided("솔가지는 어디에 있어?", table)
    assert (decision["factors"], decision["evidence"]) == (["node_alias_unmapped"], "alias=null: 솔가지는")
    assert "c_pine" in decision["reason"]


def test_two_nodes_of_one_name_are_told_and_none_is_picked() -> None:
    table = rows("p_ann worksFor c_pine", "p_bo worksFor c_oak")
    table["nodes"][1]["label"] = "앤"
    decision = decided("앤이 다니는 회사는?", table)
    assert (decision["decision"], decision["answer"], decision["factors"]) == ("refuse", None, [])
    assert decision["evidence"] == "start_id=p_ann|p_bo"
    assert "p_ann, p_bo" in decision["reason"]


def test_walks_that_part_on_the_way_are_told_and_none_is_picked() -> None:
    table = rows(*TWO, "c_pine locatedIn pl_cork", "c_oak locatedIn pl_galway")
    decision = decided("앤이 다니는 회사는 어디에 있어?", table)
    assert (decision["decision"], decision["answer"], decision["factors"]) == ("refuse", None, [])
    assert decision["evidence"] == "start_id=pl_cork|pl_galway"


def test_walks_that_part_and_meet_again_have_one_end() -> None:
    table = rows(*TWO, "c_pine locatedIn pl_cork", "c_oak locatedIn pl_cork")
    assert decided("앤이 다니는 회사는 어디에 있어?", table)["answer"] == "pl_cork"


# --- the limit


@pytest.mark.parametrize(("limit", "kind"), [(3, "answer"), (2, "max_hops"), (9, "answer")])
def test_a_world_may_tighten_the_limit(limit: int, kind: str) -> None:
    table = rows(*CHAIN, max_hops=limit)
    decision = decided("앤이 다니는 회사가 있는 도시는 어디에 속해?", table)
    assert decision["decision"] == kind
    if kind == "max_hops":
        assert (decision["factors"], len(decision["path"])) == (["hop_limit_exceeded"], 2)
        assert decision["evidence"] == "max_hops=2 초과"


# --- time


@pytest.mark.parametrize(
    ("asked_at", "answer"),
    [
        ("2023-12-31T23:59:59Z", "p_ann"),
        ("2024-01-01T00:00:00Z", "p_bo"),
        ("2026-01-01T00:00:00Z", "p_bo"),
        (None, None),
    ],
)
def test_only_facts_that_hold_when_asked_are_walked(asked_at: str | None, answer: str | None) -> None:
    table = rows("c_pine ledBy p_ann", "c_pine ledBy p_bo")
    table["edges"][0]["valid_until"] = table["edges"][1]["valid_from"] = "2024-01-01T00:00:00Z"
    decision = decided("소나무의 대표는?", table, asked_at)
    assert decision["answer"] == answer
    assert decision["factors"] == ([] if answer else ["missing_edge"])


# --- ids, and what is left behind


@pytest.mark.parametrize(
    "node",
    [
        "공장 (제1)",
        "a/b?c#d",
        "50%",
        "<x> \"y\" 'z'",
        normalize("NFD", "가"),
        "https://elsewhere.example/n#1",
        "urn:x:1",
    ],
)
def test_an_id_comes_back_as_it_was_written(node: str) -> None:
    table = rows("p_ann worksFor c_pine")
    table["nodes"].append({"id": node, "label": "물푸레"})
    table["edges"][0] |= {"dst": node}
    table["chunks"][0]["text"] = "앤은 물푸레에 다닌다."
    decision = decided("앤이 다니는 회사는?", table)
    assert (decision["answer"], decision["path"][0]["dst"]) == (node, node)


def test_the_question_leaves_nothing_in_the_world(monkeypatch: pytest.MonkeyPatch) -> None:
    known = world(rows(*CHAIN))
    before = known.store.graphs()
    ask("앤이 다니는 회사는?", contract(), known, query_id="q")
    assert known.store.graphs() == before

    def fail(_: Search) -> Mapping[str, Any]:
        raise ZeroDivisionError

    monkeypatch.setattr(Search, "decide", fail)
    with pytest.raises(ZeroDivisionError):
        ask("앤이 다니는 회사는?", contract(), known, query_id="q")
    assert known.store.graphs() == before


def test_the_same_question_gives_the_same_decision() -> None:
    known = world(rows(*TWO))
    asked = [ask("앤이 다니는 회사는?", contract(), known, query_id="q") for _ in range(3)]
    assert asked[0] == asked[1] == asked[2]
    assert asked[0]["query_id"] == "q"
