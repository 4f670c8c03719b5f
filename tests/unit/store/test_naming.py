"""Which graphs are knowledge, by their names."""

import pytest

from judgeloop.store.naming import domain, is_domain, is_kept

SHA = "sha256-" + "0a" * 32
BASES = ("https://kg.example/", "urn:judgeloop:", "https://한국.example/a#")
KINDS = ("event", "payload", "verdict", "inferred", "contract/a@1.0.0", "ontology/a@1.0.0", "review", "policy/p@1")
OURS = [
    "urn:judgeloop:heads",
    *(f"{base}{kind}/{SHA}" for base in BASES for kind in KINDS),
    f"https://kg.example/verdict/{SHA}/envelope",
]
PASSING = ["urn:judgeloop:claims", "urn:judgeloop:staging/added", "urn:judgeloop:no-graph", "urn:judgeloop:asked/1"]
KNOWLEDGE = [
    "http://example.org/g",
    "urn:judgeloop:file/kg/a.ttl",
    f"urn:judgeloop:file/event/{SHA}",
    f"urn:judgeloop:kg/{SHA}",
    f"https://kg.example/kg/{SHA}",
    f"https://kg.example/kg/{SHA}/event",
    "urn:judgeloop:bnode/0a-c14n0",
    "http://example.org/event/2026",
    "http://example.org/policy/contract.pdf",
    f"http://example.org/preview/{SHA}",
    "http://example.org/ontology/",
    "http://example.org/heads",
    "https://kg.example/한글 그래프/(1)",
]


@pytest.mark.parametrize("graph", OURS)
def test_what_judgeloop_seals_is_no_knowledge(graph: str) -> None:
    assert (is_domain(graph), is_kept(graph)) == (False, True)


@pytest.mark.parametrize("graph", PASSING)
def test_what_passes_is_neither(graph: str) -> None:
    assert (is_domain(graph), is_kept(graph)) == (False, False)


@pytest.mark.parametrize("graph", KNOWLEDGE)
def test_all_else_is_knowledge(graph: str) -> None:
    assert is_domain(graph)


def test_the_order_stays() -> None:
    assert domain([*KNOWLEDGE, *OURS, *PASSING, "urn:x:a"]) == [*KNOWLEDGE, "urn:x:a"]
