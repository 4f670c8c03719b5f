"""``judgeloop ask``: the agent's decision as JSON, and with ``--case`` a case that ``judge`` takes as it is."""

import json
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

from judgeloop.assets import root
from judgeloop.schema import compiled

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

AT = ("--asked-at", "2026-03-02T09:00:00Z")
WORLD = {
    "kind": "kg",
    "nodes": [
        {"id": "v_daon", "type": "Company", "label": "다온정밀", "alias": ["(주)다온정밀"]},
        {"id": "pl_cw", "type": "City", "label": "창원"},
    ],
    "relations": [{"id": "locatedIn", "label": "located in", "alias": ["있는", "있어"]}],
    "edges": [{"src": "v_daon", "rel": "locatedIn", "dst": "pl_cw", "chunk_id": "ch_1", "grounded": True}],
    "chunks": [{"id": "ch_1", "text": "다온정밀은 창원에 있다."}],
}


def asked(cli: "Cli", text: str, *words: str) -> dict[str, Any]:
    done = cli("ask", "multihop", text, *words)
    assert (done.code, done.err) == (0, "")
    decision: dict[str, Any] = json.loads(done.out)
    return decision


@pytest.mark.parametrize(
    ("text", "decision", "answer"),
    [
        ("홍길동이 다니는 회사는 어느 도시에 있어?", "answer", "pl_seoul"),
        ("Which city is the company located in that Hong Gildong works for?", "answer", "pl_seoul"),
        ("How many products does Acme make?", "answer", "2"),
        ("에이크미가 인수한 회사는 어느 도시에 있어?", "refuse", None),
        ("Which company does Kim Minsu work for?", "refuse", None),
        ("홍길동이 세운 회사가 있는 도시가 속한 나라가 가입한 국제기구는?", "max_hops", None),
    ],
)
def test_the_decision_is_the_gold_one_fits_its_schema_and_passes(
    cli: "Cli", text: str, decision: str, answer: str | None
) -> None:
    """The gold decisions stand in worlds/multihop/world.ttl (q001, q002, q017, q003, q021, q008)."""
    found = asked(cli, text, *AT)
    schema = compiled((root() / "shapes/multihop.schema.json").read_bytes(), "multihop.schema.json")
    assert schema.violations(found) == []
    assert (found["decision"], found["answer"]) == (decision, answer)
    case = cli("ask", "multihop", text, "--case", *AT)
    assert json.loads(case.out)["decision"] == found
    judged = cli("judge", "-", stdin=case.out.encode())
    assert (judged.code, judged.out.split()[0]) == (0, "PASS")


def test_the_case_says_what_was_asked_of_whom_and_when(cli: "Cli") -> None:
    text = "에이크미는 어느 도시에 있어?"
    case = json.loads(cli("ask", "multihop", text, "--case", "--asked-at", "2026-03-02T18:00:00+09:00").out)
    assert case["contract"] == "multihop@1.0.0"
    assert case["input"] == {"text": text, "asked_at": "2026-03-02T18:00:00+09:00"}
    assert case["model"]["name"] == "judgeloop-multihop"
    assert case["case_id"] == case["decision"]["query_id"]


def test_without_a_time_it_is_asked_now(cli: "Cli") -> None:
    case = json.loads(cli("ask", "multihop", "Who was Acme led by?", "--case").out)
    assert case["input"]["asked_at"].endswith("Z")
    assert case["decision"]["answer"] == "p_lee"


def test_the_same_question_in_another_spelling_has_one_id(cli: "Cli") -> None:
    composed = "에이크미는 어느 도시에 있어?"
    first, second = asked(cli, composed, *AT), asked(cli, unicodedata.normalize("NFD", composed), *AT)
    assert first == second


def test_a_world_of_the_users_own_is_asked(cli: "Cli") -> None:
    cli.write("world.json", WORLD)
    case = cli("ask", "multihop", "㈜ 다온정밀은 어느 도시에 있어?", "--kg", "world.json", "--case", *AT)
    assert json.loads(case.out)["decision"]["answer"] == "pl_cw"
    cli.write("case/case.json", case.out)
    assert cli("judge", "case", "--kg", "world.json").code == 0
    assert cli("judge", "case").code == 3, "another world does not say so"


@pytest.mark.parametrize(
    "text", ["\nWhich city is Acme\tlocated in?\n", "Which city is \x1b[31mAcme\u202e located in?"]
)
def test_control_characters_of_a_question_stay_where_they_are(cli: "Cli", text: str) -> None:
    case = cli("ask", "multihop", text, "--case", *AT)
    assert "\x1b" not in case.out, "JSON escapes it"
    assert json.loads(case.out)["input"]["text"] == text
    judged = cli("judge", "-", stdin=case.out.encode())
    assert (judged.code, "\x1b" in judged.out) == (0, False)


REFUSALS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "an unknown pack": (("ask", "nosuch", "x"), "no pack nosuch; there is multihop", "팩 nosuch 이(가) 없습니다"),
    "an empty text": (("ask", "multihop", ""), "the question is empty", "질문이 비어 있습니다"),
    "a blank text": (("ask", "multihop", " \t\n"), "the question is empty", "질문이 비어 있습니다"),
    "bytes that are no text": (
        ("ask", "multihop", "Acme\udcff"),
        r"the question is no text: Acme\udcff; write it in UTF-8",
        r"질문이 글이 아닙니다: Acme\udcff",
    ),
    "a time without its zone": (
        ("ask", "multihop", "x", "--asked-at", "2026-03-02T09:00:00"),
        "2026-03-02T09:00:00 is no time with a zone, e.g. 2026-01-01T00:00:00Z",
        "2026-03-02T09:00:00 은(는)",
    ),
    "an empty time": (("ask", "multihop", "x", "--asked-at", ""), " is no time with a zone", " 은(는)"),
    "a month that is none": (("ask", "multihop", "x", "--asked-at", "2026-13-01T00:00:00Z"), "2026-13-01T", "2026-13"),
    "a world that is not there": (("ask", "multihop", "x", "--kg", "no.ttl"), "no.ttl: no such file", "no.ttl: 파일이"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_can_not_be_asked_is_told(cli: "Cli", name: str) -> None:
    words, *sentences = REFUSALS[name]
    for lang, sentence in zip(("en", "ko"), sentences, strict=True):
        done = cli(*words, "--lang", lang)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"judgeloop: {sentence}")
        assert done.err.count("\n") == 1


def test_the_shell_may_hand_over_bytes_that_are_no_text(cli: "Cli") -> None:
    done = cli.process("ask", "multihop", "Acme\udcff")  # as Python spells the byte FF of a command line
    assert (done.code, done.out) == (2, "")
    assert done.err == "judgeloop: the question is no text: Acme\\udcff; write it in UTF-8\n"
