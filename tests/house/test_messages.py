"""Every sentence exists in both languages, and every key that the code names exists."""

import re
from pathlib import Path
from string import Formatter

import pytest

from judgeloop.messages import LONGEST, both, en, ko, render

SRC = Path(__file__).parents[2] / "src"
USE = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Input|Unavailable|Conflict|Failure)|refuse|render|both)\(\s*\"([^\"\s]+)\"",
)
"""A key as the first argument of an error or of a function that renders."""


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def named_keys() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in sorted(SRC.rglob("*.py")):
        for key in USE.findall(path.read_text()):
            found.setdefault(key, set()).add(str(path.relative_to(SRC)))
    return found


def test_both_languages_have_the_same_keys() -> None:
    assert sorted(en.MESSAGES) == sorted(ko.MESSAGES)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_key_stands_twice(language: str) -> None:
    text = (SRC / "judgeloop" / "messages" / f"{language}.py").read_text()
    keys = re.findall(r'^    "([^"]+)":', text, re.MULTILINE)
    assert [key for key in keys if keys.count(key) > 1] == []


@pytest.mark.parametrize("key", sorted(en.MESSAGES))
def test_both_languages_say_the_same(key: str) -> None:
    assert placeholders(en.MESSAGES[key]) == placeholders(ko.MESSAGES[key])
    assert all(name.isidentifier() for name in placeholders(en.MESSAGES[key])), "a name, never an attribute or a format"


@pytest.mark.parametrize("key", sorted(en.MESSAGES))
def test_a_korean_sentence_is_korean(key: str) -> None:
    template = Formatter().parse(ko.MESSAGES[key])
    words = "".join(text for text, *_ in template)
    assert re.search("[가-힣]", words) or not re.search("[A-Za-z]{3}", words)


def test_every_key_that_the_code_names_exists() -> None:
    named = named_keys()
    assert len(named) > 20, "the pattern no longer finds the keys"
    assert {key: files for key, files in named.items() if key not in en.MESSAGES} == {}


def test_a_value_is_never_a_template() -> None:
    assert render("file-unreadable", why="{0.__class__} {why}") == "the file can't be read ({0.__class__} {why})"


def test_a_sentence_inside_a_sentence_is_in_the_same_language() -> None:
    found = both("json-syntax", why=both("json-why-cut-off"))
    assert found["en"] == "not JSON: the text ends before the value is complete"
    assert found["ko"] == "JSON 이 아닙니다: 값이 끝나기 전에 글이 끊겼습니다"


def test_a_value_is_shown_as_far_as_it_can_be_seen() -> None:
    assert render("file-unreadable", why="a\nb\u202e\ud800") == r"the file can't be read (a\nb\u202e\ud800)"
    assert render("file-unreadable", why="가 나") == "the file can't be read (가 나)"
    assert len(render("file-unreadable", why="x" * 10_000)) < LONGEST + 50
