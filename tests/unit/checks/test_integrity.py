"""A case is what it claims to be: keys, hashes, contract."""

import hashlib
import json
from typing import Any, Final

import pytest

from judgeloop.model import Asset, Status

TEXT: Final = "에이크미는 서울에 있다."


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def evidence(**change: Any) -> dict[str, Any]:
    return {"id": "ch_12", "text": TEXT, "sha256": sha(TEXT), **change}


def result(value: Any, claimed: str) -> dict[str, Any]:
    return {"id": "s1", "type": "tool_result", "result": value, "sha256": claimed}


# --- keys


@pytest.mark.parametrize("key", ["@context", "@id", "@type", "@graph", "jl:verdict", "http://evil.example/p", ":", "@"])
@pytest.mark.parametrize("bare", [True, False])
def test_a_key_that_poses_as_json_ld_is_found(desk: Any, key: str, bare: bool) -> None:
    found = desk.findings(desk.case({key: "x"}, bare=bare))["integrity_keys"]
    place = ("" if bare else "/decision") + "/" + key.replace("/", "~1")
    assert (found.status, found.where) == (Status.VIOLATED, (place,))
    assert place in found.message["en"]
    assert place in found.message["ko"]


def test_every_hostile_key_is_named(desk: Any) -> None:
    found = desk.findings(desk.case({"a:b": 1}, **{"@type": "x"}))["integrity_keys"]
    assert sorted(found.where) == ["/@type", "/decision/a:b"]


def test_a_value_may_hold_anything(desk: Any) -> None:
    found = desk.findings(desk.case({"note": "@context http://evil.example/ jl:verdict"}))["integrity_keys"]
    assert found.status is Status.HOLDS


# --- hashes


def test_a_case_without_hashes_claims_nothing(desk: Any) -> None:
    found = desk.findings(desk.case(evidence=[{"id": "ch_12", "text": TEXT}]))["integrity_evidence"]
    assert found.status is Status.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("value", "hashed"),
    [
        ("두 행", "두 행"),
        ("", ""),
        ({"b": 1, "a": ["가", None]}, '{"a":["가",null],"b":1}'),
        ([], "[]"),
        (True, "true"),
    ],
)
def test_a_tool_result_hashes_as_its_compact_text(desk: Any, value: Any, hashed: str) -> None:
    found = desk.findings(desk.case(trace=[result(value, sha(hashed))]))["integrity_evidence"]
    assert (found.status, found.examined) == (Status.HOLDS, 1)
    broken = desk.findings(desk.case(trace=[result(value, sha(hashed + " "))]))["integrity_evidence"]
    assert (broken.status, broken.where) == (Status.VIOLATED, ("/trace/0/sha256",))


@pytest.mark.parametrize("claimed", [sha(TEXT), sha(TEXT).upper()])
def test_a_right_hash_holds_in_either_case(desk: Any, claimed: str) -> None:
    found = desk.findings(desk.case(evidence=[evidence(sha256=claimed)]))["integrity_evidence"]
    assert (found.status, found.examined) == (Status.HOLDS, 1)


@pytest.mark.parametrize("change", [{"text": TEXT + " "}, {"text": ""}, {"sha256": "0" * 64}, {"sha256": ""}])
def test_a_wrong_hash_is_found_with_both_sums(desk: Any, change: dict[str, str]) -> None:
    item = evidence(**change)
    found = desk.findings(desk.case(evidence=[evidence(), item]))["integrity_evidence"]
    assert (found.status, found.where, found.examined) == (Status.VIOLATED, ("/evidence/1/sha256",), 2)
    assert sha(item["text"]) in found.message["en"]
    assert item["sha256"] in found.message["ko"]


def test_a_hash_without_its_text_can_not_be_checked(desk: Any) -> None:
    lone = {"id": "ch_12", "sha256": sha(TEXT)}
    found = desk.findings(desk.case(evidence=[evidence(), lone]))["integrity_evidence"]
    assert (found.status, found.where) == (Status.NOT_RUN, ("/evidence/1/sha256",))
    wrong = desk.findings(desk.case(evidence=[evidence(text="다른 글"), lone]))["integrity_evidence"]
    assert (wrong.status, wrong.where) == (Status.VIOLATED, ("/evidence/0/sha256",))


def test_the_hash_is_of_the_text_as_written(desk: Any) -> None:
    decomposed = "\u1112\u1161\u11ab"
    claim = evidence(text=decomposed, sha256=sha("한"))
    assert desk.findings(desk.case(evidence=[claim]))["integrity_evidence"].status is Status.VIOLATED


def test_a_long_text_is_hashed_whole(desk: Any) -> None:
    text = "가" * 5000
    found = desk.findings(desk.case(evidence=[evidence(text=text, sha256=sha(text))]))["integrity_evidence"]
    assert found.status is Status.HOLDS


def test_a_written_number_keeps_its_form_in_the_hash(desk: Any) -> None:
    claim = sha(json.dumps({"n": 1.5}, separators=(",", ":")))
    assert desk.findings(desk.case(trace=[result({"n": 1.5}, claim)]))["integrity_evidence"].status is Status.HOLDS


# --- contract


@pytest.mark.parametrize("named", [None, "multihop", "multihop@1.0.0"])
def test_a_contract_may_be_named_in_several_ways(desk: Any, named: str | None) -> None:
    case = desk.case(contract=named) if named else desk.case(bare=True)
    found = desk.findings(case)["integrity_contract"]
    assert (found.status, found.examined) == (Status.HOLDS, len(desk.contract.assets))


@pytest.mark.parametrize("named", ["routing", "multihop@9.9.9", "Multihop", "multihop@1.0"])
def test_a_case_of_another_contract_is_not_judged_by_this_one(desk: Any, named: str) -> None:
    found = desk.findings(desk.case(contract=named))["integrity_contract"]
    assert (found.status, found.where) == (Status.NOT_RUN, ("/contract",))
    assert named in found.message["en"]
    assert "multihop@1.0.0" in found.message["ko"]


def test_an_asset_that_is_not_the_pinned_one_is_found(desk: Any) -> None:
    name = "shapes/event.ttl"
    pinned = desk.contract.assets[name]
    swapped = Asset(path=name, sha256=pinned.sha256, content=pinned.content + b"\n# and more\n")
    contract = desk.contract.model_copy(update={"assets": {**desk.contract.assets, name: swapped}})
    found = desk.findings(desk.case(), contract=contract)["integrity_contract"]
    assert found.status is Status.VIOLATED
    assert name in found.message["en"]
    crlf = Asset(path=name, sha256=pinned.sha256, content=pinned.content.replace(b"\n", b"\r\n"))
    contract = desk.contract.model_copy(update={"assets": {**desk.contract.assets, name: crlf}})
    assert desk.findings(desk.case(), contract=contract)["integrity_contract"].status is Status.HOLDS
