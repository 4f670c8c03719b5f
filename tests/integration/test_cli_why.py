"""``judgeloop why``: one verdict in the nine lines of the loop, read back from its graph."""

import csv
import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from judgeloop.store import open_store

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

LINES = {
    "en": [
        "freeze the contract",
        "record the event",
        "check what a machine can decide",
        "stop at a violation or a check that could not run",
        "ask one judge per criterion",
        "try to overturn them",
        "decide",
        "seal, validate and store the verdict",
        "route to people",
    ],
    "ko": [
        "계약 고정",
        "사건 기록",
        "기계가 정할 수 있는 것 확인",
        "위반이나 실행 못한 확인에서 멈춤",
        "기준마다 판정자에게 묻기",
        "뒤집어 보기",
        "판정",
        "판정 봉인, 검증, 저장",
        "사람에게 넘기기",
    ],
}
REASON = {
    "en": "violated answer_follows_path the answer pl_busan is not where the path ends (1 different ends) [/decision]",
    "ko": "violated answer_follows_path 답 pl_busan 은(는) 경로의 끝이 아닙니다 (서로 다른 끝 1 개) [/decision]",
}


def verdict_of(cli: "Cli", case: str) -> str:
    out = cli("query", "report/current_verdicts.rq", "--store", "kept", "--format", "csv").out
    return next(row["verdict"] for row in csv.DictReader(io.StringIO(out)) if row["case"] == case)


def numbered(out: str) -> list[str]:
    return [line for line in out.splitlines() if line[:1].isdigit()]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_nine_lines_with_reasons_and_places(cli: "Cli", kept: str, lang: str) -> None:
    done = cli("why", "틀린 도시", "--store", kept, "--lang", lang)
    assert (done.code, done.err) == (0, "")
    lines = numbered(done.out)
    assert [line.split(":")[0].split(" (")[0] for line in lines] == [
        f"{n} {text}" for n, text in enumerate(LINES[lang])
    ]
    assert re.search(r": multihop@1\.0\.0 [0-9a-f]{64}$", lines[0])
    assert re.search(r": https://kg\.example/event/sha256-[0-9a-f]{64} 틀린 도시$", lines[1])
    decided = done.out.split("\n6 ")[1].split("\n7 ")[0].splitlines()
    assert [line.strip() for line in decided[1:]] == ["FAIL", REASON[lang]]
    assert lines[7].endswith(verdict_of(cli, "틀린 도시"))
    assert lines[8].endswith(": block manual_escalation")


def test_a_pass_says_how_many_requirements_hold(cli: "Cli", kept: str) -> None:
    out = cli("why", "acme-city", "--store", kept).out
    assert len(numbered(out)) == 9
    held = re.search(r"HOLDS (\d+)", out)
    assert held
    assert f"passed contract {held[1]} requirements hold; 0 lesser findings are listed" in out


def test_a_verdict_is_found_by_its_iri(cli: "Cli", kept: str) -> None:
    by_case, by_iri = (cli("why", name, "--store", kept) for name in ("틀린 도시", verdict_of(cli, "틀린 도시")))
    assert by_case.out == by_iri.out


@pytest.mark.parametrize("form", ["json", "jsonl"])
@pytest.mark.parametrize("envelope", [(), ("--no-envelope",)], ids=["with envelope", "without"])
def test_a_record_explains_itself_without_any_store(
    cli: "Cli", kept: str, form: str, envelope: tuple[str, ...]
) -> None:
    out = cli.folder / f"record.{form}"
    cli.write("wrong.json", cli.good({"answer": "pl_busan"}, case_id="틀린 도시"))
    cli.write("case.json", cli.good())
    cli("judge", "wrong.json", "case.json", "--format", form, "--out", out, "--quiet", "--store", kept, *envelope)
    done = cli("why", out, "--lang", "ko")
    assert done.code == 0
    assert len(numbered(done.out)) == 18
    wanted = cli("why", "틀린 도시", "--store", kept, "--lang", "ko").out
    assert done.out.split("\n0 ")[0].strip() == wanted.strip()


def test_one_record_alone_is_enough(cli: "Cli") -> None:
    cli.write("case.json", cli.good())
    (record,) = json.loads(cli("judge", "case.json", "--format", "json").out)["verdicts"]
    cli.write("one.json", record)
    assert len(numbered(cli("why", "one.json").out)) == 9


def test_a_case_id_that_ends_like_a_file_is_still_a_case(cli: "Cli") -> None:
    cli.write("case.json", cli.good(case_id="q1.json"))
    cli("judge", "case.json", "--store", "kept")
    assert len(numbered(cli("why", "q1.json", "--store", "kept").out)) == 9


def test_the_current_verdict_of_a_case_is_told(cli: "Cli", kept: str) -> None:
    cli.write("wrong.json", cli.good(case_id="틀린 도시"))
    cli("judge", "wrong.json", "--store", kept)
    assert "\n    PASS\n" in cli("why", "틀린 도시", "--store", kept).out


def test_control_characters_of_a_case_never_reach_the_terminal(cli: "Cli") -> None:
    cli.write("case.json", cli.good({"decision": "may\x1b[31mbe"}))
    assert cli("judge", "case.json", "--store", "kept").code == 3
    out = cli("why", "acme-city", "--store", "kept").out
    assert "\x1b" not in out
    assert "x1b[31mbe" in out or "u001b[31mbe" in out


REFUSALS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "no store": (("acme-city",), "acme-city is looked up in a store; give --store, or a record file", "acme-city 은"),
    "a store in memory": (("acme-city", "--store", "memory:"), "acme-city is looked up in a store; ", "acme-city 은"),
    "a store that is not there": (("x", "--store", "no"), "no: there is no store in this folder; ", "no: 이 폴더에"),
    "an unknown case": (("x", "--store", "kept"), "kept: this store knows neither a case nor a verdict x", "kept: 이"),
    "an unknown IRI": (("https://kg.example/x", "--store", "kept"), "kept: this store knows neither", "kept: 이 저"),
    "a case file": (("case.json",), "case.json: no verdict record (/: the key ", "case.json: 판정 기록이 아닙니다"),
    "no JSON": (("bad.json",), "bad.json:1:1: not JSON: ", "bad.json:1:1: JSON 이 아닙니다"),
    "a missing file": (("no.json",), "no.json: no such file; check the path", "no.json: 파일이 없습니다"),
}


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("name", REFUSALS)
def test_what_can_not_be_explained_is_told(cli: "Cli", name: str) -> None:
    cli.write("bad.json", "bad")
    cli.write("case.json", cli.good())
    words, *sentences = REFUSALS[name]
    for lang, sentence in zip(("en", "ko"), sentences, strict=True):
        done = cli("why", *words, "--lang", lang)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"judgeloop: {sentence}"), done.err
        assert done.err.count("\n") == 1
    assert not (cli.folder / "no").exists()


def test_a_graph_that_is_no_verdict_is_not_explained(cli: "Cli", kept: str) -> None:
    with open_store(kept) as store:
        others = [name for name in store.graphs() if "/verdict/" not in name or name.endswith("/envelope")]
    assert len(others) > 5
    for name in others:
        assert cli("why", name, "--store", kept).code == 2


@pytest.mark.parametrize("change", ["@id", "@context", "reasons"])
def test_a_damaged_record_is_no_crash(cli: "Cli", change: str) -> None:
    cli.write("case.json", cli.good())
    (record,) = json.loads(cli("judge", "case.json", "--format", "json").out)["verdicts"]
    cli.write("record.json", record | {change: "http://x.example/ y"})
    done = cli("why", "record.json")
    assert done.code == (0 if change == "@context" else 2), "the pinned context is used, whatever the file names"
    assert done.err.count("\n") == (0 if change == "@context" else 1)


def test_a_record_that_was_changed_is_refused(cli: "Cli") -> None:
    cli.write("case.json", cli.good({"answer": "pl_busan"}))
    cli("judge", "case.json", "--format", "json", "--out", "rec.json", "--quiet")
    report = json.loads((cli.folder / "rec.json").read_text("utf-8"))
    (record,) = report["verdicts"]
    changes: list[dict[str, object]] = [{"verdict": "PASS"}, {"reasons": []}, {"case_id": "other"}]
    for change in changes:
        cli.write("changed.json", record | change)
        done = cli("why", "changed.json")
        assert done.code == 2
        assert "judge the case again" in done.err
    cli.write("whole.json", record)
    assert cli("why", "whole.json").code == 0
