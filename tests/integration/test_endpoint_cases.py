"""Servers that answer badly, one folder each in tests/cases/endpoint: what is said, and that no row is made of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Fake
    from tests.integration.conftest import Cli

CASES = Path(__file__).parents[1] / "cases" / "endpoint"


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir()))
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_bad_answer_is_told_and_never_read_as_rows(
    cli: "Cli", fake: "Callable[..., Fake]", name: str, lang: str
) -> None:
    case = json.loads((CASES / name / "case.json").read_text(encoding="utf-8"))
    server = fake((CASES / name / "response.http").read_bytes())
    cli.write("q.rq", (CASES / name / "q.rq").read_bytes())
    done = cli(*(word.replace("{url}", server.url) for word in case["command"]), "--lang", lang)
    expect = case["expect"]
    assert (done.code, done.out) == (expect["exit"], expect["out"])
    assert done.err.startswith(f"judgeloop: {server.url}/sparql: ")
    assert "Traceback" not in done.err
    if lang == "en":
        assert [words for words in expect["says"] if words not in done.err] == []
    assert len(server.requests) == expect["requests"]
    assert server.requests[0][1]["User-Agent"].startswith(expect.get("user_agent", "judgeloop/"))
