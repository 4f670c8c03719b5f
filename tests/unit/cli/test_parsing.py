"""The parser speaks one language, takes lists and switches, and its help fits wide letters."""

import pytest

from judgeloop.cli.parsing import Listed, Parser, switch
from judgeloop.errors import BadInput


def test_the_first_value_replaces_a_default_and_the_next_are_added() -> None:
    made = Parser(prog="x")
    made.add_argument("--kg", action=Listed, default=["from a file"])
    assert made.parse_args([]).kg == ["from a file"]
    assert made.parse_args(["--kg", "a", "--kg", "b"]).kg == ["a", "b"]
    assert made.parse_args([]).kg == ["from a file"], "no run changes the default"


def test_a_switch_goes_both_ways_and_the_last_one_counts() -> None:
    made = Parser(prog="x")
    switch(made, "envelope", "text", default=True)
    assert [made.parse_args(words).envelope for words in ([], ["--no-envelope"], ["--no-envelope", "--envelope"])] == [
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "--kg needs a value; see x --help"), ("ko", "--kg 에는 값이 필요합니다. x --help 를 보세요")],
)
def test_a_fault_is_told_in_the_language_after_the_usage(
    capsys: pytest.CaptureFixture[str], lang: str, said: str
) -> None:
    made = Parser(prog="x", lang="ko" if lang == "ko" else "en")
    made.add_argument("--kg")
    with pytest.raises(BadInput) as caught:
        made.parse_args(["--kg"])
    assert caught.value.text("ko" if lang == "ko" else "en") == said
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith({"en": "usage: x", "ko": "사용법: x"}[lang])


def test_a_fault_that_nobody_foresaw_is_told_in_pythons_words() -> None:
    with pytest.raises(BadInput) as caught:
        Parser(prog="x").error("something new")
    assert caught.value.text() == "something new; see x --help"


def test_wide_letters_are_wrapped_by_the_columns_that_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    made = Parser(prog="x", lang="ko", description="가나다라 " * 12)
    made.add_argument("--kg", help="가나다라마바사 " * 12)
    for line in made.format_help().splitlines():
        assert sum(2 if "가" <= c <= "힣" else 1 for c in line) <= 40


def test_two_dashes_after_two_dashes_are_an_operand() -> None:
    parser = Parser(prog="judgeloop")
    parser.add_argument("pack")
    parser.add_argument("text")
    assert vars(parser.parse_args(["multihop", "--", "--"])) == {"pack": "multihop", "text": "--"}
