"""What people and machines are shown, all from the same rows."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from judgeloop.errors import BadInput
from judgeloop.messages import LANGS, Lang
from judgeloop.model import Outcome, Reason
from judgeloop.opening import freeze
from judgeloop.report import contract as contract_report
from judgeloop.report import render_rows, summary, text
from judgeloop.suite import Row, Summary

SUBJECT = "https://kg.example/rule"


def judged(outcome: Outcome, *reasons: Reason, **record: object) -> Any:
    whole = {"case_id": "사례", "verdict": outcome.value, "warnings": [], **record}
    verdict = SimpleNamespace(outcome=outcome, reasons=reasons)
    return SimpleNamespace(
        verdict=verdict, record=whole, measures=(), json=lambda *, envelope: {**whole, "e": envelope}
    )


def reason(outcome: Outcome, english: str, korean: str, *where: str) -> Reason:
    return Reason(row="violated", outcome=outcome, subject=SUBJECT, message={"en": english, "ko": korean}, where=where)


FAILED = Row(
    "a.json", judged(Outcome.FAIL, reason(Outcome.FAIL, "no", "아니오", "/decision", "")), expected=Outcome.PASS
)
UNREAD = Row("b.json", error=BadInput("file-missing", place="b.json"))


# --- text


@pytest.mark.parametrize(("lang", "said"), [("en", ("no", "expected PASS")), ("ko", ("아니오", "기대는 PASS"))])
def test_a_verdict_that_is_no_pass_is_followed_by_its_reasons(lang: Lang, said: tuple[str, str]) -> None:
    assert text.rows([FAILED, UNREAD], lang).splitlines() == [
        f"FAIL      사례  a.json  ({said[1]})",
        f"          violated: {SUBJECT} {said[0]} [/decision /]",
    ]


def test_a_pass_is_one_line_and_its_warnings() -> None:
    warning = {"message": {"en": "look", "ko": "보세요"}}
    found = Row("a.json", judged(Outcome.PASS, reason(Outcome.PASS, "all", "모두"), warnings=[warning]))
    assert text.rows([found], "ko").splitlines() == ["PASS      사례  a.json", "          경고: 보세요"]


@pytest.mark.parametrize("hostile", ["\x1b[31m", "\x07", "\u202e", "\n", "\x9b"])
def test_no_text_of_a_case_or_a_file_name_steers_the_terminal(hostile: str) -> None:
    broken = reason(Outcome.FAIL, f"<{hostile}>", f"<{hostile}>", f"/a{hostile}")
    record = {"case_id": f"id{hostile}"}
    lines = text.rows([Row(f"place{hostile}", judged(Outcome.FAIL, broken, **record))], "en").splitlines()
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    assert hostile.encode("unicode_escape").decode() in lines[0]
    table = text.table("pack", [Row("p", judged(Outcome.FAIL, broken, **record))], "en")
    assert hostile == "\n" or hostile not in table
    assert table.count("\n") == 3


def test_the_summary_shows_every_n() -> None:
    assert text.summary(Summary([FAILED, UNREAD]), "en").splitlines() == [
        "FAIL 1 · ABSTAIN 0 · UNCERTAIN 0 · PASS 0  (n_total 2, n_scored 1, n_abstain 0, n_error 1)",
        "as expected: 0 of 1",
    ]


def test_the_table_of_a_pack_is_aligned_and_shows_errors_in_place() -> None:
    assert text.table("팩", [FAILED, UNREAD], "ko").splitlines() == [
        "팩      판정  기대  첫 이유",
        "------  ----  ----  ------------------------------------------",
        "사례    FAIL  PASS  아니오",
        "b.json  -           b.json: 파일이 없습니다. 경로를 확인하세요",
    ]


# --- for machines


def test_json_has_records_errors_and_summary() -> None:
    found = json.loads(render_rows([FAILED, UNREAD], "json", "ko", envelope=False))
    assert [record["e"] for record in found["verdicts"]] == [False]
    assert found["errors"] == [
        {"place": "b.json", "key": "file-missing", "message": "b.json: 파일이 없습니다. 경로를 확인하세요"}
    ]
    assert found["summary"] == json.loads(json.dumps(summary(Summary([FAILED, UNREAD]))))
    assert (found["summary"]["as_expected"], found["summary"]["n_expected"]) == (0, 1)


@pytest.mark.parametrize("form", ["text", "jsonl", "turtle"])
def test_no_verdict_is_no_text(form: str) -> None:
    assert render_rows([UNREAD], form, "en") == ""


def test_without_an_expectation_none_is_counted() -> None:
    assert "n_expected" not in summary(Summary([UNREAD]))


# --- contracts


@pytest.mark.parametrize("lang", LANGS)
def test_a_contract_lists_every_requirement_and_every_asset(lang: Lang) -> None:
    contract = freeze("multihop")
    lines = contract_report.show(contract, "text", lang).splitlines()
    assert len(lines) == 2 + len(contract.requirements) + len(contract.assets)
    for requirement in contract.requirements:
        assert any(line.endswith(f": {requirement.label[lang]}") for line in lines)


def test_a_contract_as_json_holds_digests_and_no_bytes() -> None:
    contract = freeze("multihop")
    shown = json.loads(contract_report.show(contract, "json", "en"))
    assert shown["assets"] == {name: asset.sha256 for name, asset in contract.assets.items()}
    assert shown["digest"] == contract.digest
