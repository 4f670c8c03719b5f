"""``judgeloop demo``: the shipped cases against what they expect, and what to try next."""

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judgeloop import assets

if TYPE_CHECKING:
    from tests.integration.conftest import Cli


@pytest.fixture
def shipped(cli: "Cli", monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cases of a package that ships two: one that passes, one that fails as it should."""
    real, package = assets.root(), cli.folder / "package"
    for folder in assets.FOLDERS[:-1]:
        (package / folder).parent.mkdir(exist_ok=True)
        (package / folder).symlink_to(real / folder, target_is_directory=True)
    shutil.copytree(real / "worlds", package / "worlds", ignore=shutil.ignore_patterns("cases"))
    cases = package / "worlds/multihop/cases"
    cli.write("package/worlds/multihop/cases/right/case.json", cli.good())
    cli.write("package/worlds/multihop/cases/right/expect.json", {"verdict": "PASS"})
    cli.write("package/worlds/multihop/cases/wrong/case.json", cli.good({"answer": "pl_busan"}, case_id="틀린 도시"))
    cli.write("package/worlds/multihop/cases/wrong/expect.json", {"verdict": "FAIL"})
    monkeypatch.setattr(assets, "root", lambda: package)
    return cases


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize("words", [(), ("multihop",)])
def test_every_case_as_expected_is_0(cli: "Cli", monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    done = cli("demo", *words)
    assert (done.code, done.err) == (0, "")
    table = done.out.splitlines()
    assert table[0].split() == ["multihop", "verdict", "expected", "first", "reason"]
    assert table[2].split()[:3] == ["acme-city", "PASS", "PASS"]
    assert table[3].split("  ")[0] == "틀린 도시"
    assert table[3].index("FAIL") == table[2].index("PASS") - 4, "four wide letters take four columns more"
    assert "6 decide\n    FAIL\n" in done.out
    assert "as expected: 2 of 2" in done.out
    assert [line for line in done.out.splitlines() if line.startswith("  judgeloop ")] == [
        '  judgeloop ask multihop "Which city is Acme located in?" --case > case.json',
        "  judgeloop judge case.json",
        "  judgeloop contract show multihop",
    ]


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(
    ("called", "program"), [("bin/judgeloop", "bin/judgeloop"), ("x.py", f"{sys.executable} -m judgeloop")]
)
def test_what_to_try_next_can_be_typed_where_it_is_not_on_the_path(
    cli: "Cli", monkeypatch: pytest.MonkeyPatch, called: str, program: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr("sys.argv", [called])
    assert f"\n  {program} judge case.json\n" in cli("demo").out


@pytest.mark.usefixtures("shipped")
def test_it_speaks_korean_and_quiet_leaves_out_the_rest(cli: "Cli") -> None:
    done = cli("demo", "--lang", "ko")
    assert "기대대로: 2 건 가운데 2 건" in done.out
    assert "다음을 해 보세요" in done.out
    quiet = cli("demo", "--quiet").out
    assert "as expected: 2 of 2" in quiet
    assert "judgeloop judge" not in quiet
    assert "freeze the contract" not in quiet


def test_a_verdict_that_differs_is_3_and_told(cli: "Cli", shipped: Path) -> None:
    (shipped / "wrong/expect.json").write_text(json.dumps({"verdict": "PASS"}))
    done = cli("demo")
    assert (done.code, done.err) == (3, "a case did not get the verdict that it expects\n")
    assert "as expected: 1 of 2" in done.out


def test_a_case_that_can_not_be_read_is_no_success(cli: "Cli", shipped: Path) -> None:
    (shipped / "wrong/case.json").write_text("{")
    done = cli("demo")
    assert done.code == 3
    assert "not JSON" in done.out


@pytest.mark.usefixtures("shipped")
def test_an_unknown_pack_is_told(cli: "Cli") -> None:
    done = cli("demo", "nosuch")
    assert (done.code, done.out, done.err) == (2, "", "judgeloop: no pack nosuch; there is multihop\n")


def test_where_nothing_is_judged_nothing_went_well(cli: "Cli", shipped: Path) -> None:
    shutil.rmtree(shipped)
    for lang, said in (("en", "no pack brings cases"), ("ko", "사례를 가진 팩이 없어")):
        done = cli("demo", "--lang", lang)
        assert (done.code, done.out) == (2, "")
        assert said in done.err


def test_an_empty_folder_of_cases_is_no_success(cli: "Cli", shipped: Path) -> None:
    shutil.rmtree(shipped)
    shipped.mkdir()
    assert cli("demo").code == 3
