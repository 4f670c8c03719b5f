"""``judgeloop judge``: verdicts and exit codes, formats, inputs of every kind, and what a store keeps of it."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyoxigraph import RdfFormat, parse

from judgeloop.assets import root
from judgeloop.schema import compiled
from judgeloop.store import open_store

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

BUSAN = {"answer": "pl_busan"}
UNSEEN = [{"id": "e1", "sha256": "0" * 64}]
"""Evidence with a hash and without the text that it is of: nothing can be checked."""


@pytest.fixture
def four(cli: "Cli") -> dict[str, Path]:
    """Return one case for each verdict."""
    return {
        "PASS": cli.write("pass.json", cli.good()),
        "FAIL": cli.write("fail.json", cli.good(BUSAN, case_id="wrong-city")),
        "UNCERTAIN": cli.write("uncertain.json", cli.good(risk="high", case_id="risky")),
        "ABSTAIN": cli.write("abstain.json", cli.good(evidence=UNSEEN, case_id="unseen")),
    }


# --- exit codes


@pytest.mark.parametrize(("verdict", "code"), [("PASS", 0), ("FAIL", 3), ("UNCERTAIN", 4), ("ABSTAIN", 5)])
def test_each_verdict_has_its_exit_code(cli: "Cli", four: dict[str, Path], verdict: str, code: int) -> None:
    done = cli("judge", four[verdict])
    assert (done.code, done.out.split()[0]) == (code, verdict)


def test_the_worst_verdict_decides_and_fail_on_changes_the_code_only(cli: "Cli", four: dict[str, Path]) -> None:
    plain = cli("judge", *four.values())
    chosen = cli("judge", *four.values(), "--fail-on", "abstain,uncertain")
    ignored = cli("judge", *four.values(), "--fail-on", "none")
    assert (plain.code, chosen.code, ignored.code) == (3, 5, 0)
    assert plain.out == chosen.out == ignored.out


def test_fail_on_an_unknown_word_is_a_usage_error(cli: "Cli") -> None:
    done = cli("judge", "a.json", "--fail-on", "fail,never")
    assert (done.code, done.out) == (2, "")
    assert done.err == "judgeloop: --fail-on does not know never; it knows fail, uncertain, abstain, none\n"


def test_an_unreadable_input_is_2_and_the_others_are_judged(cli: "Cli", four: dict[str, Path]) -> None:
    cli.write("broken.json", "{")
    done = cli("judge", "broken.json", four["FAIL"], "missing.json", four["PASS"], "--fail-on", "none")
    assert done.code == 2
    assert [line.split()[0] for line in done.out.splitlines() if line.startswith(("PASS", "FAIL "))][:2] == [
        "FAIL",
        "PASS",
    ]
    assert "n_total 4, n_scored 2, n_abstain 0, n_error 2" in done.out
    assert [line.split(": ")[1] for line in done.err.splitlines()] == ["broken.json:1:2", "missing.json"]


def test_a_crash_is_never_renamed(cli: "Cli", four: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def fall(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("judgeloop.suite.judge", fall)
    with pytest.raises(ZeroDivisionError):  # which Python ends with 1
        cli("judge", four["PASS"])


# --- judged, not refused

ODD: dict[str, tuple[dict[str, object], str, str]] = {
    "a decision of no kind": ({"decision": "maybe"}, "schema", "/decision/decision"),
    "a reason of three letters": ({"reason": "yes"}, "schema", "/decision/reason"),
    "a factor that nobody knows": ({"factors": ["bad_luck"]}, "schema", "/decision/factors/0"),
    "an answer that is a number": ({"answer": 7}, "schema", "/decision/answer"),
    **{
        f"the key {key}": ({key: "PASS"}, "integrity_keys", "/decision/" + key.replace("/", "~1"))
        for key in ("@context", "@id", "@graph", "jl:verdict", "http://x.example/y")
    },
}


def test_what_breaks_a_rule_is_judged_with_its_json_pointer(cli: "Cli") -> None:
    for number, (decision, *_) in enumerate(ODD.values()):
        cli.write(f"odd/{number:02}.json", cli.good(decision, case_id=f"odd-{number:02}"))
    records = cli.judged("odd")
    assert len(records) == len(ODD)
    for record, (_, rule, place) in zip(records, ODD.values(), strict=True):
        found = [r for r in record["reasons"] if r["subject"] == f"https://w3id.org/judgeloop#{rule}"]
        assert record["verdict"] == "FAIL"
        assert [reason["where"] for reason in found] == [[place]]


def test_a_missing_null_is_a_missing_key(cli: "Cli") -> None:
    case = cli.good()
    del case["decision"]["hedge"]
    cli.write("case.json", case)
    for lang, why in (("en", 'the key "hedge" is missing'), ("ko", '키 "hedge" 이(가) 없습니다')):
        done = cli("judge", "case.json", "--quiet", "--lang", lang)
        assert done.code == 3
        assert f"violated: https://w3id.org/judgeloop#schema /decision: {why} [/decision]" in done.out


@pytest.mark.parametrize("key", ["@context", "@graph", "jl:verdict", "http://x.example/y"])
def test_a_key_of_the_envelope_that_poses_as_json_ld_is_a_violation_and_no_unknown_field(cli: "Cli", key: str) -> None:
    cli.write("case.json", cli.good(**{key: {"verdict": "PASS"}}))
    (record,) = cli.judged("case.json")
    assert record["verdict"] == "FAIL"
    assert [r["subject"].rpartition("#")[2] for r in record["reasons"]] == ["integrity_keys"]
    assert record["warnings"] == []


def test_a_field_too_many_is_kept_listed_and_a_warning(cli: "Cli") -> None:
    cli.write("case.json", cli.good({"note": "n"}, **{"ext/ra": {"deep": [1, "안녕"]}}))
    english, korean = (cli("judge", "case.json", "--lang", lang, "--store", "kept") for lang in ("en", "ko"))
    assert (english.code, korean.code) == (0, 0)
    assert "warning: unknown field /ext~1ra: kept as it is" in english.out
    assert "경고: 모르는 필드 /decision/note: 그대로 둡니다" in korean.out
    kept = cli(
        "query", "SELECT ?v { GRAPH ?e { ?e a <https://w3id.org/judgeloop#Event> . ?n ?p ?v } }", "--store", "kept"
    )
    assert "안녕" in kept.out


@pytest.mark.parametrize("bare", [False, True], ids=["a case", "a decision alone"])
def test_over_an_empty_world_nothing_is_known(cli: "Cli", bare: bool) -> None:
    cli.write("case.json", cli.good()["decision"] if bare else cli.good())
    cli.write("empty.ttl", "# no statement\n")
    english, korean = (cli("judge", "case.json", "--kg", "empty.ttl", "--lang", lang) for lang in ("en", "ko"))
    assert (english.code, korean.code) == (5, 5)
    assert "#hop_exists walks edges of the knowledge graph could not run: the world has no triples" in english.out
    assert "#hop_exists 그래프에 있는 엣지만 밟는다 을(를) 실행할 수 없습니다: 세계에 트리플이 없습니다" in korean.out


# --- what is printed


def test_text_names_rule_reason_and_place_in_both_languages(cli: "Cli", four: dict[str, Path]) -> None:
    rule = "https://w3id.org/judgeloop/multihop#answer_follows_path"
    english, korean = cli("judge", four["FAIL"]), cli("judge", four["FAIL"], "--lang", "ko")
    assert f"violated: {rule} the answer pl_busan is not where the path ends" in english.out
    assert f"violated: {rule} 답 pl_busan 은(는) 경로의 끝이 아닙니다" in korean.out
    for done in (english, korean):
        assert done.out.splitlines()[0].split() == ["FAIL", "wrong-city", str(four["FAIL"])]
        assert done.out.splitlines()[1].endswith("[/decision]")


def test_quiet_prints_the_verdicts_only(cli: "Cli", four: dict[str, Path]) -> None:
    done = cli("judge", four["PASS"], "--quiet")
    assert (done.out, done.err) == (f"PASS      acme-city  {four['PASS']}\n", "")


def test_on_a_terminal_one_sees_it_work(cli: "Cli", four: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True, raising=False)
    done = cli("judge", four["PASS"], four["PASS"], "--lang", "ko")
    assert done.err.startswith("\r1 건 판정\r2 건 판정\r ")
    assert done.err.endswith("\r")
    assert cli("judge", four["PASS"], "--quiet").err == ""


def test_nothing_is_coloured_not_even_by_a_hostile_case(cli: "Cli") -> None:
    cli.write("red.json", cli.good(BUSAN | {"answer": "pl_b\u0301usan"}, **{"\x1b[31mfield": 1}))
    done = cli("judge", "red.json")
    assert done.code == 3
    assert "\x1b" not in done.out + done.err
    assert "\\x1b[31mfield" in done.out


def test_json_holds_records_errors_and_counts(cli: "Cli", four: dict[str, Path]) -> None:
    cli.write("broken.json", "{")
    done = cli("judge", *four.values(), "broken.json", "--format", "json", "--lang", "ko")
    report = json.loads(done.out)
    schema = compiled((root() / "shapes/verdict.schema.json").read_bytes(), "verdict.schema.json")
    assert [schema.violations(record) for record in report["verdicts"]] == [[]] * 4
    assert [record["verdict"] for record in report["verdicts"]] == list(four)
    (error,) = report["errors"]
    assert (error["place"], error["key"]) == ("broken.json", "json-syntax")
    assert error["message"].startswith("broken.json:1:2: JSON 이 아닙니다")
    assert report["summary"]["verdicts"] == {"FAIL": 1, "ABSTAIN": 1, "UNCERTAIN": 1, "PASS": 1}
    assert {k: v for k, v in report["summary"].items() if k.startswith("n_")} == {
        "n_total": 5,
        "n_scored": 3,
        "n_abstain": 1,
        "n_error": 1,
    }
    assert done.err.count("\n") == 2, "the error, and the summary, which is no JSON"


def test_jsonl_holds_one_record_a_line(cli: "Cli", four: dict[str, Path]) -> None:
    done = cli("judge", four["PASS"], four["FAIL"], "--format", "jsonl", "--quiet")
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [(r["case_id"], r["verdict"]) for r in records] == [("acme-city", "PASS"), ("wrong-city", "FAIL")]


def test_turtle_is_the_verdict_graph(cli: "Cli", four: dict[str, Path]) -> None:
    done = cli("judge", four["FAIL"], "--format", "turtle", "--quiet")
    triples = {(str(q.subject), str(q.predicate), str(q.object)) for q in parse(done.out, RdfFormat.TURTLE)}
    jl = "https://w3id.org/judgeloop#"
    (verdict,) = [s for s, p, o in triples if (p, o) == (f"<{jl}outcome>", f"<{jl}FAIL>") and "#" not in s]
    assert (verdict, f"<{jl}caseId>", '"wrong-city"') in triples


def test_out_is_written_whole_and_stdout_stays_empty(cli: "Cli", four: dict[str, Path]) -> None:
    out = cli.write("report.json", "old")
    done = cli("judge", four["PASS"], "--format", "json", "--out", out, "--quiet")
    assert (done.code, done.out) == (0, "")
    assert json.loads(out.read_text("utf-8"))["verdicts"][0]["verdict"] == "PASS"
    assert sorted(p.name for p in cli.folder.iterdir() if "report" in p.name) == ["report.json"]


@pytest.mark.parametrize("out", ["nowhere/report.json", "."])
def test_an_out_that_can_not_be_written_is_told_before_anything_is_judged(
    cli: "Cli", four: dict[str, Path], out: str
) -> None:
    done = cli("judge", four["PASS"], "--out", out, "--store", "kept")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"judgeloop: {out}: the file can't be written (")
    assert not (cli.folder / "kept").exists()


# --- the same inputs, the same bytes


def test_without_the_envelope_the_same_inputs_give_the_same_bytes(cli: "Cli", four: dict[str, Path]) -> None:
    cli.write("odd.json", cli.good({"zeta": 1, "alpha": 2}, case_id="odd", beta=3, eta=[4], theta={"iota": 5}))
    words = ("judge", "--no-envelope", "odd.json", str(four["FAIL"]))
    forms = ("text", "json", "jsonl", "turtle")
    code = f"from judgeloop.cli import run\nfor form in {forms}: run([*{words}, '--format', form])"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.decode().endswith(cli(*words, "--format", forms[-1]).out)


def test_the_envelope_holds_what_differs(cli: "Cli", four: dict[str, Path]) -> None:
    (record,) = json.loads(cli("judge", four["PASS"], "--format", "json").out)["verdicts"]
    (sealed,) = cli.judged(four["PASS"])
    assert set(record) - set(sealed) == {"timings"}
    assert set(record["provenance"]) - set(sealed["provenance"]) == {"activity", "hash", "signature"}
    assert record["@id"] == sealed["@id"]
    assert record["@id"].endswith(record["provenance"]["hash"])


# --- inputs: files, lines, standard input, folders


@pytest.mark.parametrize("lines", [False, True], ids=["one case", "a case a line"])
def test_standard_input_is_a_dash(cli: "Cli", lines: bool) -> None:
    cases = [cli.good(), cli.good(BUSAN, case_id="wrong-city")][: 1 + lines]
    done = cli("judge", "-", stdin="\n".join(map(json.dumps, cases)).encode())
    assert done.code == (3 if lines else 0)
    places = ["<stdin>:1", "<stdin>:2"] if lines else ["<stdin>"]
    assert [line.split()[2] for line in done.out.splitlines() if line.startswith(("PASS ", "FAIL   "))] == places


def test_a_case_over_many_lines_of_standard_input_is_one_case(cli: "Cli") -> None:
    assert cli("judge", "-", stdin=json.dumps(cli.good(), indent=2).encode()).code == 0


@pytest.mark.parametrize("stdin", [b"", b" \n"])
def test_an_empty_standard_input_is_no_pass(cli: "Cli", stdin: bytes) -> None:
    done = cli("judge", "-", stdin=stdin)
    assert (done.code, done.err) == (2, "judgeloop: <stdin>: the file is empty\n")


def test_a_bad_line_in_the_middle_stops_no_other_line(cli: "Cli") -> None:
    good = json.dumps(cli.good())
    cli.write("cases.jsonl", f'{good}\n\n{{"case_id": "b", "case_id": "c"}}\n[1]\n{good}\n')
    done = cli("judge", "cases.jsonl", "--lang", "en")
    assert done.code == 2
    assert [line.split()[2] for line in done.out.splitlines() if line.startswith("PASS ")] == [
        "cases.jsonl:1",
        "cases.jsonl:5",
    ]
    first, second = done.err.splitlines()
    assert first.startswith('judgeloop: cases.jsonl:3:18: the key "case_id" stands twice')
    assert second == "judgeloop: cases.jsonl:4: a case is a JSON object, this is array"


@pytest.mark.parametrize("text", ["\ufeff{}\r\n", "{}"])
def test_bom_and_crlf_change_no_verdict(cli: "Cli", text: str) -> None:
    cli.write("windows.json", text.replace("{}", json.dumps(cli.good(), indent=1).replace("\n", "\r\n")))
    assert cli("judge", "windows.json").code == 0


@pytest.fixture
def folder(cli: "Cli") -> Path:
    """Return a folder as people have it: cases at any depth, and much that is none."""
    world = (root() / "worlds/multihop/world.ttl").read_text("utf-8")
    moved = world.replace(
        "jl:src kg:c_acme ; jl:rel kg:locatedIn ; jl:dst kg:pl_seoul",
        "jl:src kg:c_acme ; jl:rel kg:locatedIn ; jl:dst kg:pl_busan",
    )
    assert moved != world
    cli.write("set/acme/case.json", cli.good())
    cli.write("set/acme/expect.json", {"verdict": "PASS"})
    cli.write("set/deep/er/case.json", cli.good(case_id="moved"))
    cli.write("set/deep/er/world.ttl", moved)
    cli.write("set/deep/er/expect.json", {"verdict": "PASS"})
    cli.write("set/many.jsonl", json.dumps(cli.good(case_id="line-1")) + "\n" + json.dumps(cli.good(case_id="line-2")))
    cli.write("set/named.json", cli.good(case_id="named"))
    cli.write("set/bare.json", cli.good()["decision"])
    cli.write("set/settings.json", {"colour": "blue"})
    cli.write("set/list.json", [1, 2])
    cli.write("set/meta.json", {"case_id": "about the folder"})
    cli.write("set/notes.txt", "no case")
    return cli.folder / "set"


def test_a_folder_gives_its_cases_and_nothing_else(cli: "Cli", folder: Path) -> None:
    done = cli("judge", folder)
    rows = [line.split() for line in done.out.splitlines() if line.startswith(("PASS ", "FAIL   ", "ABSTAIN "))]
    assert [(row[0], row[2].removeprefix(f"{folder}/")) for row in rows] == [
        ("PASS", "acme/case.json"),
        ("PASS", "bare.json"),
        ("FAIL", "deep/er/case.json"),
        ("PASS", "many.jsonl:1"),
        ("PASS", "many.jsonl:2"),
        ("PASS", "named.json"),
    ]
    assert done.err == ""
    assert done.code == 3


def test_in_a_folder_a_world_beside_a_case_is_its_world_unless_one_is_given(cli: "Cli", folder: Path) -> None:
    case = folder / "deep/er/case.json"
    own = root() / "worlds/multihop/world.ttl"
    assert (cli("judge", case.parent).code, cli("judge", case.parent, "--kg", own).code) == (3, 0)


def test_a_case_that_is_named_itself_takes_no_world_from_its_folder(cli: "Cli", folder: Path) -> None:
    assert cli("judge", folder / "deep/er/case.json").code == 0


def test_an_expectation_that_is_not_met_is_marked_and_counted(cli: "Cli", folder: Path) -> None:
    english, korean = (cli("judge", folder / "acme", folder / "deep", "--lang", lang) for lang in ("en", "ko"))
    assert "case.json  (expected PASS)" in english.out
    assert english.out.splitlines()[-1] == "as expected: 1 of 2"
    assert "case.json  (기대는 PASS)" in korean.out
    assert korean.out.splitlines()[-1] == "기대대로: 2 건 가운데 1 건"


@pytest.mark.parametrize("content", ['{"verdict": "pass"}', "[]", "{}", "{"])
def test_a_bad_expectation_is_told_and_stops_no_other_case(cli: "Cli", folder: Path, content: str) -> None:
    (folder / "acme/expect.json").write_text(content)
    done = cli("judge", folder / "acme", folder / "named.json", "--store", "kept")
    assert done.code == 2
    assert done.err.startswith(f"judgeloop: {folder}/acme/expect.json")
    assert "PASS      named" in done.out
    with open_store("kept") as store:
        assert {str(t.object) for t in store.heads() if t.predicate.value.endswith("caseId")} == {'"named"'}


def test_what_is_named_as_a_case_is_one_even_if_it_can_not_be_read(cli: "Cli") -> None:
    cli.write("set/a/case.json", {"colour": "blue"})
    cli.write("set/b/case.json", [])
    cli.write("set/c.jsonl", '{"colour": "blue"}\n')
    done = cli("judge", "set")
    assert done.code == 2
    assert done.err.splitlines() == [
        "judgeloop: set/a/case.json: which contract? give --contract, or a contract in the case",
        "judgeloop: set/b/case.json: a case is a JSON object, this is array",
        "judgeloop: set/c.jsonl:1: which contract? give --contract, or a contract in the case",
    ]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_folder_without_cases_is_an_error_even_beside_others(cli: "Cli", four: dict[str, Path], lang: str) -> None:
    cli.write("empty/settings.json", {"colour": "blue"})
    done = cli("judge", four["PASS"], "empty", "--lang", lang)
    assert done.code == 2
    wanted = {"en": "judgeloop: empty: no case found", "ko": "judgeloop: empty: 사례가 없습니다"}
    assert done.err.startswith(wanted[lang])
    assert done.out.startswith("PASS")


def test_a_part_of_a_folder_that_can_not_be_read_is_told_and_stops_no_other_case(
    cli: "Cli", folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.scandir

    def scandir(path: Any) -> Any:
        if os.fspath(path).endswith("deep"):  # whatever its mode, the administrator may read every folder
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return really(path)

    monkeypatch.setattr(os, "scandir", scandir)
    done = cli("judge", folder)
    assert done.code == 2
    assert done.err == f"judgeloop: {folder}/deep: the file can't be read (Permission denied)\n"
    assert done.out.count("PASS ") == 6


def test_a_loop_of_links_ends(cli: "Cli", folder: Path) -> None:
    (folder / "acme" / "again").symlink_to(folder, target_is_directory=True)
    assert cli("judge", folder / "acme").out.count("PASS ") == 2


# --- accuracy


def test_the_summary_says_how_many_agree_with_gold(cli: "Cli") -> None:
    path = cli.good()["decision"]["path"]
    gold = {"decision": "answer", "answer": "pl_seoul", "path": path}
    cli.write("right.json", cli.good(case_id="right", gold=gold))
    cli.write("other.json", cli.good(case_id="other", gold=gold | {"answer": "pl_busan"}))
    cli.write("none.json", cli.good(case_id="none"))
    done = cli("judge", "right.json", "other.json", "none.json", "--lang", "en")
    assert done.code == 0, "gold that a case brings along is measured and decides nothing"
    assert done.out.splitlines()[-2:] == ["accuracy: 1 of 2 (0.50)", "path agreement: 2 of 2 (1.00)"]
    report = json.loads(cli("judge", "right.json", "other.json", "none.json", "--format", "json").out)
    assert report["summary"]["measures"]["accuracy"] == {"agree": 1, "n": 2, "share": 0.5}


# --- the store


def snapshot(url: Path) -> str:
    with open_store(str(url), create=False) as store:
        graphs = {name: sorted(map(str, store.graph(name))) for name in store.graphs()}
    return hashlib.sha256(json.dumps(graphs, sort_keys=True).encode()).hexdigest()


def test_judging_the_same_again_writes_nothing(cli: "Cli", four: dict[str, Path]) -> None:
    store = cli.folder / "kept"
    cli("judge", *four.values(), "--store", store)
    before = snapshot(store)
    assert cli("judge", *four.values(), "--store", store).code == 3
    assert cli("judge", four["PASS"], "--store", store, "--lang", "ko", "--format", "json").code == 0
    assert snapshot(store) == before


def test_a_changed_decision_is_a_new_verdict_beside_the_old_one(cli: "Cli") -> None:
    case = cli.write("case.json", cli.good())
    cli("judge", case, "--store", "kept")
    cli.write("case.json", cli.good(BUSAN))
    cli("judge", case, "--store", "kept")
    with open_store("kept", create=False) as store:
        kinds = [name.split("/")[3] for name in store.graphs() if name.startswith("https://kg.example/")]
        assert kinds.count("event") == 2
        assert sum(name.endswith("/envelope") for name in store.graphs()) == 2
        numbers = [str(t.object) for t in store.heads() if t.predicate.value.endswith("sequence")]
    assert sorted(number[1] for number in numbers) == ["1", "2"]


def test_a_store_of_another_process_is_refused_at_once(cli: "Cli", four: dict[str, Path]) -> None:
    opens = "from judgeloop.store import open_store\nwith open_store('kept'): print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", opens], cwd=cli.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        english, korean = (cli("judge", four["PASS"], "--store", "kept", "--lang", lang) for lang in ("en", "ko"))
        other.communicate(b"\n")
    assert (english.code, english.out) == (korean.code, korean.out) == (2, "")
    assert english.err == "judgeloop: kept: another process has this store open; stop it, or use another folder\n"
    assert korean.err.startswith("judgeloop: kept: 다른 프로세스가 이 저장소를 열고 있습니다")
    assert cli("judge", four["PASS"], "--store", "kept").code == 0


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("pass.json", "pass.json: this is a file; a store is a folder"),
        (".", ".: the folder holds other files and no store; use an empty folder"),
        ("ftp://store", "unknown kind of store ftp://store"),
    ],
)
def test_what_is_no_store_is_refused_and_unchanged(cli: "Cli", four: dict[str, Path], url: str, why: str) -> None:
    before = sorted((p.name, p.read_bytes()) for p in cli.folder.iterdir())
    done = cli("judge", four["PASS"], "--store", url)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"judgeloop: {why}")
    assert sorted((p.name, p.read_bytes()) for p in cli.folder.iterdir()) == before


# --- the contract and its lock


@pytest.fixture
def locked(cli: "Cli") -> Path:
    """Return a contract of the user's own with a fresh lock file; its shapes stand beside it."""
    contract = cli.write("own/policies/mine.ttl", (root() / "policies/multihop.ttl").read_bytes())
    cli.write("own/shapes/multihop.ttl", (root() / "shapes/multihop.ttl").read_bytes())
    assert cli("contract", "freeze", contract).code == 0
    return contract


def test_a_fresh_lock_changes_nothing(cli: "Cli", four: dict[str, Path], locked: Path) -> None:
    done = cli("judge", four["PASS"], "--contract", locked, "--locked")
    assert (done.code, done.err) == (0, "")


def test_a_changed_asset_is_a_warning_and_locked_a_refusal_that_names_it(
    cli: "Cli", four: dict[str, Path], locked: Path
) -> None:
    shapes = locked.parents[1] / "shapes/multihop.ttl"
    shapes.write_bytes(shapes.read_bytes().replace(b"\n", b"\r\n"))
    assert cli("judge", four["PASS"], "--contract", locked, "--locked").code == 0, "CRLF is no change"
    shapes.write_text(shapes.read_text("utf-8") + "# changed\n", "utf-8")
    warned = cli("judge", four["PASS"], four["PASS"], "--contract", locked)
    assert warned.code == 0
    lock = locked.with_suffix(".lock.json")
    assert warned.err == (
        f"warning: {locked}: shapes/multihop.ttl is not the one in {lock}; "
        "look at it with: judgeloop contract diff, then freeze again\n"
    )
    for lang, said in (("en", "shapes/multihop.ttl is not the one in"), ("ko", "shapes/multihop.ttl 이(가)")):
        refused = cli("judge", four["PASS"], "--contract", locked, "--locked", "--store", "kept", "--lang", lang)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith(f"judgeloop: {locked}: {said}")
    with open_store("kept") as store:
        assert store.graphs() == []


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_locked_without_a_lock_says_how_to_write_it(cli: "Cli", four: dict[str, Path], locked: Path, lang: str) -> None:
    locked.with_suffix(".lock.json").unlink()
    done = cli("judge", four["PASS"], four["FAIL"], "--contract", locked, "--locked", "--lang", lang)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    command = done.err.rpartition("judgeloop ")[2].split()
    assert cli(*command).code == 0, "the command that the message names works"
    assert cli("judge", four["PASS"], "--contract", locked, "--locked").code == 0


@pytest.mark.parametrize("content", ["[]", '{"assets": []}', "{"])
def test_a_broken_lock_is_told(cli: "Cli", four: dict[str, Path], locked: Path, content: str) -> None:
    locked.with_suffix(".lock.json").write_text(content)
    done = cli("judge", four["PASS"], "--contract", locked)
    assert (done.code, done.out) == (2, "")
    assert "this is no lock file; write it again with: judgeloop contract freeze" in done.err
