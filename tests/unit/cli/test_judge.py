"""The exit code of a run: the worst of its verdicts, or what could not be read."""

from itertools import product
from types import SimpleNamespace

import pytest

from judgeloop.cli.exits import Exit
from judgeloop.cli.judge import _code, _failing
from judgeloop.errors import BadInput, StoreUnavailable
from judgeloop.model import WORST_FIRST, Outcome
from judgeloop.suite import Row

CODES = {Outcome.FAIL: 3, Outcome.ABSTAIN: 5, Outcome.UNCERTAIN: 4, Outcome.PASS: 0}
ALL = _failing("fail,uncertain,abstain")


def rows(*outcomes: Outcome) -> list[Row]:
    return [Row("x", SimpleNamespace(verdict=SimpleNamespace(outcome=outcome))) for outcome in outcomes]  # type: ignore[arg-type] # only the outcome is read


def test_the_codes_are_those_of_the_public_surface() -> None:
    assert {code.name: int(code) for code in Exit} == {
        "PASS": 0,
        "CRASH": 1,
        "USAGE": 2,
        "FAIL": 3,
        "UNCERTAIN": 4,
        "ABSTAIN": 5,
    }


@pytest.mark.parametrize("length", [1, 2, 3])
def test_the_worst_verdict_decides_in_any_order(length: int) -> None:
    for outcomes in product(WORST_FIRST, repeat=length):
        worst = min(outcomes, key=[Outcome.FAIL, Outcome.ABSTAIN, Outcome.UNCERTAIN, Outcome.PASS].index)
        assert _code(rows(*outcomes), ALL) == CODES[worst]


@pytest.mark.parametrize(
    ("words", "code"),
    [("fail", 3), ("abstain", 5), ("uncertain", 4), ("uncertain,abstain", 5), (" Abstain ,FAIL", 3), ("none", 0)],
)
def test_only_the_named_verdicts_count(words: str, code: int) -> None:
    assert _code(rows(*WORST_FIRST), _failing(words)) == code
    assert _code(rows(Outcome.PASS), _failing(words)) == 0


@pytest.mark.parametrize("words", ["", "fail,", "pass", "never"])
def test_an_unknown_word_is_refused(words: str) -> None:
    with pytest.raises(BadInput) as caught:
        _failing(words)
    assert caught.value.key == "cli-fail-on-word"


def test_what_can_not_be_read_outweighs_every_verdict_and_every_choice() -> None:
    unread = [*rows(Outcome.FAIL), Row("y", error=BadInput("file-missing", place="y"))]
    assert _code(unread, ALL) == _code(unread, _failing("none")) == 2


def test_a_server_that_is_not_there_is_5() -> None:
    assert _code([Row("y", error=StoreUnavailable("store-closed"))], ALL) == 5
