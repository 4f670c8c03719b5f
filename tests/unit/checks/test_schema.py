"""The JSON Schema of the pack: the place of every fault, as it stands in the file that was handed in."""

from typing import Any

import pytest

from judgeloop.model import Status


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ({"reason": "짧다"}, ["/decision/reason"]),
        ({"evidence": "ch_12"}, ["/decision/evidence"]),
        ({"decision": "maybe"}, ["/decision/decision"]),
        ({"answer": 2}, ["/decision/answer"]),
        ({"path": [{"src": 1, "rel": "r", "dst": "d", "chunk_id": None}]}, ["/decision/path/0/src"]),
        ({"factors": ["missing_edge", "tired"]}, ["/decision/factors/1"]),
        ({"factors": "missing_edge", "hedge": 0}, ["/decision/factors", "/decision/hedge"]),
    ],
)
def test_a_fault_has_its_place(desk: Any, change: dict[str, Any], places: list[str]) -> None:
    found = desk.findings(desk.case(change))["schema"]
    assert (found.status, sorted(found.where)) == (Status.VIOLATED, places)
    assert found.message["en"] != found.message["ko"]
    bare = desk.findings(desk.case(change, bare=True))["schema"]
    assert sorted(bare.where) == [place.removeprefix("/decision") for place in places]


def test_a_missing_key_is_a_fault_of_the_whole(desk: Any) -> None:
    case = desk.case()
    del case.document["decision"]["hedge"]
    found = desk.findings(case)["schema"]
    assert (found.status, found.where) == (Status.VIOLATED, ("/decision",))
    assert all(text.startswith("/decision: ") and "hedge" in text for text in found.message.values())


def test_a_key_too_many_is_no_fault(desk: Any) -> None:
    found = desk.findings(desk.case({"score": 1}))["schema"]
    assert found.status is Status.HOLDS
    assert found.examined > 0


def test_an_empty_path_fits_and_is_left_to_the_shapes(desk: Any) -> None:
    found = desk.findings(desk.case({"path": [], "answer": None}))
    assert (found["schema"].status, found["AnswerShape"].status) == (Status.HOLDS, Status.VIOLATED)
