"""What is the same for every verb: help, version, language, configuration, pipes and interrupts."""

import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judgeloop.assets import root
from judgeloop.cli import VERBS, parser

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
"""Unbuffered, Python drops what a closed pipe did not take, and nobody learns of it."""
JUDGELOOP = str(Path(sys.executable).parent / "judgeloop")


# --- help and version


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_is_whole_in_both_languages(cli: "Cli", verb: str, lang: str) -> None:
    done = cli(*filter(None, [verb]), "--help", "--lang", lang) if verb else cli("--lang", lang, "--help")
    assert (done.code, done.err) == (0, "")
    head = {"en": "usage: ", "ko": "사용법: "}[lang]
    assert done.out.startswith(f"{head}judgeloop{' ' * bool(verb)}{verb}")
    foreign = {"en": "가", "ko": "show this help message"}[lang]
    assert foreign not in done.out
    assert ("options:" in done.out, "옵션:" in done.out) == (lang == "en", lang == "ko")
    if not verb:
        assert all(f"\n    {name} " in done.out for name in VERBS)


def test_every_option_is_explained(cli: "Cli") -> None:
    for verb in VERBS:
        text = cli(verb, "--help", "--lang", "ko").out
        options = text.split("옵션:")[1]
        _, *entries = options.split("\n  -")
        assert entries
        assert [entry for entry in entries if not any("가" <= c <= "힣" for c in entry)] == []


def test_korean_help_fits_the_terminal(cli: "Cli", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for line in cli("judge", "--help", "--lang", "ko").out.splitlines():
        assert sum(2 if "가" <= c <= "힣" else 1 for c in line) <= 80


@pytest.mark.parametrize("words", [("--version",), ("--lang", "ko", "--version")])
def test_version(cli: "Cli", words: tuple[str, ...]) -> None:
    done = cli(*words)
    assert (done.code, done.out, done.err) == (0, f"judgeloop {version('judgeloop')}\n", "")


def test_help_is_given_even_where_the_configuration_is_broken(cli: "Cli") -> None:
    cli.write("judgeloop.toml", "= broken")
    assert cli("judge", "--help").code == 0
    assert cli("--version").code == 0
    assert cli("judge", "a.json").err.startswith(f"judgeloop: {cli.folder}/judgeloop.toml:1:1: not TOML: ")


def test_the_command_and_the_module_are_one(cli: "Cli") -> None:
    module = subprocess.run(
        [sys.executable, "-m", "judgeloop", "--version"], cwd=cli.folder, capture_output=True, text=True, check=True
    )
    assert cli.process("--version").out == module.stdout


def test_no_help_needs_a_heavy_library() -> None:
    heavy = ("pydantic", "rdflib", "pyoxigraph", "pyshacl", "jsonschema", "owlrl")
    code = (
        "import sys\nfrom judgeloop.cli import VERBS, run\n"
        "for verb in VERBS: run([verb, '--help']); run([verb, '--show-config'])\n"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# --- language


@pytest.mark.parametrize(
    ("environment", "config", "words", "lang"),
    [
        ({"LC_ALL": "ko_KR.UTF-8"}, "", (), "ko"),
        ({"LC_ALL": "", "LANG": "ko_KR.UTF-8"}, "", (), "ko"),
        ({"LC_ALL": "de_DE.UTF-8", "LANG": "ko_KR.UTF-8"}, "", (), "en"),
        ({"LC_ALL": "ko_KR.UTF-8"}, 'lang = "en"', (), "en"),
        ({"LC_ALL": "C"}, 'lang = "ko"', ("--lang", "en"), "en"),
        ({"LC_ALL": "C"}, 'lang = "en"', ("--lang=ko",), "ko"),
        ({"LC_ALL": "C"}, "", ("--lang", "en", "--lang", "ko"), "ko"),
    ],
)
def test_language_command_line_then_file_then_locale(  # noqa: PLR0913 - a table of four columns
    cli: "Cli",
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    config: str,
    words: tuple[str, ...],
    lang: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    cli.write("judgeloop.toml", config)
    wanted = {"en": "no.json: no such file", "ko": "no.json: 파일이 없습니다"}[lang]
    assert cli("judge", "no.json", *words).err.startswith(f"judgeloop: {wanted}")
    if words:
        assert cli(*words, "judge", "no.json").err.startswith(f"judgeloop: {wanted}")


# --- configuration


def test_a_file_of_defaults_is_used_and_the_command_line_wins(cli: "Cli") -> None:
    cli.write("wrong.json", cli.good({"answer": "pl_busan"}))
    cli.write("judgeloop.toml", 'fail-on = "none"\nquiet = true\nlang = "ko"\n')
    done = cli("judge", "wrong.json")
    assert (done.code, done.out.count("\n")) == (0, 2)
    assert "경로의 끝이 아닙니다" in done.out
    done = cli("judge", "wrong.json", "--fail-on", "fail", "--no-quiet", "--lang", "en")
    assert done.code == 3
    assert "n_total 1" in done.out
    assert "is not where the path ends" in done.out


def test_a_list_given_on_the_command_line_replaces_the_one_of_the_file(cli: "Cli") -> None:
    cli.write("case.json", cli.good())
    cli.write("judgeloop.toml", 'kg = ["missing.ttl"]')
    assert cli("judge", "case.json").err.startswith("judgeloop: missing.ttl: no such file")
    cli.write("empty.ttl", "# nothing")
    assert cli("judge", "case.json", "--kg", "empty.ttl").code == 5


def test_a_switch_of_the_file_can_be_switched_back(cli: "Cli") -> None:
    cli.write("case.json", cli.good())
    cli.write("policies/multihop.ttl", (root() / "policies/multihop.ttl").read_text(encoding="utf-8"))
    settings = 'contract = "policies/multihop.ttl"\nlocked = true\nenvelope = false\n'
    cli.write("pyproject.toml", f"[tool.judgeloop]\n{settings}")
    assert cli("judge", "case.json").code == 2, "there is no lock"
    shown = cli("judge", "case.json", "--no-locked", "--format", "jsonl")
    assert shown.code == 0
    assert "timings" not in shown.out
    assert "timings" in cli("judge", "case.json", "--no-locked", "--envelope", "--format", "jsonl").out


def test_a_form_that_a_verb_does_not_have_leaves_it_its_own(cli: "Cli") -> None:
    cli.write("case.json", cli.good())
    cli.write("judgeloop.toml", 'format = "csv"')
    cli.write("data.ttl", "<https://kg.example/a> <https://kg.example/b> 1 .")
    assert cli("judge", "case.json").out.startswith("PASS")
    assert cli("query", "SELECT ?o { ?s ?p ?o }", "--data", "data.ttl").out == "o\r\n1\r\n"


def test_show_config_says_what_holds_and_where_it_came_from(cli: "Cli") -> None:
    path = cli.write("judgeloop.toml", 'format = "json"\nlocked = true\nkg = ["a.ttl"]\nbase = "https://kg.example/"')
    done = cli("judge", "--show-config", "--format=jsonl", "--store", "kept", "some.json")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f'base = "https://kg.example/"  ({path})',
        "contract = null  (default)",
        "envelope = true  (default)",
        'fail-on = "fail,uncertain,abstain"  (default)',
        'format = "jsonl"  (command line)',
        f'kg = ["a.ttl"]  ({path})',
        'lang = "en"  (locale)',
        f"locked = true  ({path})",
        "out = null  (default)",
        "quiet = false  (default)",
        'store = "kept"  (command line)',
    ]
    assert not (cli.folder / "kept").exists()


def test_show_config_of_every_verb_in_korean(cli: "Cli") -> None:
    names = [name for name in parser()[1] if not any(other.startswith(f"{name} ") for other in parser()[1])]
    assert {name.split()[0] for name in names} == set(VERBS)
    for name in names:
        done = cli("--lang", "ko", *name.split(), "--show-config")
        assert (done.code, done.err) == (0, "")
        assert 'lang = "ko"  (명령줄)' in done.out.splitlines()
        assert "quiet = false  (기본값)" in done.out.splitlines()


# --- pipes and interrupts


def test_a_reader_that_has_seen_enough_is_no_crash(cli: "Cli") -> None:
    cli.write(
        "data.ttl", "".join(f"<https://kg.example/{i}> <https://kg.example/p> '{'x' * 500}' .\n" for i in range(400))
    )
    command = [JUDGELOOP, "query", "SELECT ?s ?p ?o { ?s ?p ?o }", "--data", "data.ttl"]
    with subprocess.Popen(
        command, cwd=cli.folder, env=BUFFERED, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().split() == [b"s", b"p", b"o"]
        process.stdout.close()  # as head -1 does
        assert process.stderr.read() == b""
    assert process.returncode == 128 + signal.SIGPIPE


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("judge", "--show-config")])
def test_a_reader_that_is_gone_before_the_first_line_is_no_crash(cli: "Cli", words: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [JUDGELOOP, *words], cwd=cli.folder, env=BUFFERED, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


def test_ctrl_c_ends_with_130_and_without_a_traceback(cli: "Cli") -> None:
    # A shell that started the suite in the background may have switched interrupts off.
    code = (
        "import signal, sys\nfrom judgeloop.__main__ import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\nsys.exit(main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "judge", "-"],
        cwd=cli.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b" " * 1_000_000)  # more than a pipe holds: it is reading now
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_an_interrupt_inside_a_verb_is_130(cli: "Cli", monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    cli.write("case.json", cli.good())
    monkeypatch.setattr("judgeloop.suite.judge", interrupt)
    done = cli("judge", "case.json", "--store", "kept")
    assert (done.code, done.out, done.err) == (130, "", "")
