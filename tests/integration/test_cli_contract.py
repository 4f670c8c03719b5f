"""``judgeloop contract``: freeze, show, diff and lint, of a pack and of a file of the user's own."""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judgeloop.assets import root

if TYPE_CHECKING:
    from tests.integration.conftest import Cli


@pytest.fixture
def mine(cli: "Cli") -> Path:
    """Return a contract of the user's own; its shapes stand beside it, all else comes from the package."""
    cli.write("own/shapes/multihop.ttl", (root() / "shapes/multihop.ttl").read_bytes())
    return cli.write("own/policies/mine.ttl", (root() / "policies/multihop.ttl").read_bytes())


# --- freeze


def test_freeze_writes_nothing_into_an_installed_package(
    cli: "Cli", mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judgeloop.assets.installed", lambda path: path == mine)
    done = cli("contract", "freeze", mine)
    assert done.code == 2
    assert "mine.lock.json: this lock belongs to the installed judgeloop" in done.err
    assert "--out FILE" in done.err
    assert not mine.with_suffix(".lock.json").exists()
    assert cli("contract", "freeze", mine, "--out", "mine.lock.json").code == 0


def test_freeze_pins_every_asset_by_its_digest(cli: "Cli", mine: Path) -> None:
    english, korean = (cli("contract", "freeze", mine, "--lang", lang) for lang in ("en", "ko"))
    lock = json.loads(mine.with_suffix(".lock.json").read_text("utf-8"))
    assert english.out == f"multihop@1.0.0: {len(lock['assets'])} assets pinned in {mine.with_suffix('.lock.json')}\n"
    assert korean.out.startswith(f"multihop@1.0.0: 자산 {len(lock['assets'])} 개를")
    for name in ("policies/mine.ttl", "shapes/multihop.ttl"):
        assert lock["assets"][name] == hashlib.sha256((cli.folder / "own" / name).read_bytes()).hexdigest()
    for name in ("shapes/case.schema.json", "worlds/multihop/world.ttl", "sparql/check/multihop/hop_exists.rq"):
        assert lock["assets"][name] == hashlib.sha256((root() / name).read_bytes()).hexdigest()


def test_freezing_twice_gives_the_same_bytes(cli: "Cli", mine: Path) -> None:
    locks = [cli("contract", "freeze", mine, "--out", "-") for _ in range(2)]
    assert locks[0] == locks[1]
    assert json.loads(locks[0].out)["contract"] == "multihop@1.0.0"
    assert not mine.with_suffix(".lock.json").exists()


def test_a_shipped_pack_is_frozen_to_where_one_says(cli: "Cli") -> None:
    before = sorted((root() / "policies").iterdir())
    assert cli("contract", "freeze", "multihop", "--out", "here.lock.json", "--quiet").out == ""
    assert json.loads((cli.folder / "here.lock.json").read_text("utf-8"))["lock"] == 1
    assert sorted((root() / "policies").iterdir()) == before


def test_a_lock_that_can_not_be_written_is_told_first(cli: "Cli", mine: Path) -> None:
    done = cli("contract", "freeze", mine, "--out", "no/where.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("judgeloop: no/where.json: the file can't be written (")


# --- show


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_show_says_what_is_required_of_whom_and_pinned(cli: "Cli", lang: str) -> None:
    done = cli("contract", "show", "multihop@1.0.0", "--lang", lang)
    assert (done.code, done.err) == (0, "")
    wanted = {
        "en": "  must not mandatory machine hop_grounded: never answers over an ungrounded edge",
        "ko": "  금지 필수 machine hop_grounded: 근거 없는 엣지로 답하지 않는다",
    }
    lines = done.out.splitlines()
    assert lines[0].startswith("multihop@1.0.0  sha256:")
    assert "max_hops=3" in lines[1]
    assert wanted[lang] in lines
    digest = hashlib.sha256((root() / "shapes/multihop.ttl").read_bytes()).hexdigest()
    assert f"  {digest}  shapes/multihop.ttl" in lines


def test_show_as_json_goes_where_one_says(cli: "Cli") -> None:
    assert cli("contract", "show", "multihop", "--format", "json", "--out", "shown.json").out == ""
    shown = json.loads((cli.folder / "shown.json").read_text("utf-8"))
    assert (shown["name"], shown["limits"][0]["value"], shown["risk"]) == ("multihop", 3, "low")
    assert set(shown["assets"]["shapes/multihop.ttl"]) <= set("0123456789abcdef")


# --- diff


def test_diff_names_what_changed_and_exits_3(cli: "Cli", mine: Path) -> None:
    cli("contract", "freeze", mine)
    same = cli("contract", "diff", mine)
    assert (same.code, same.out) == (0, f"nothing differs from {mine.with_suffix('.lock.json')}\n")
    shapes = cli.folder / "own/shapes/multihop.ttl"
    shapes.write_text(shapes.read_text("utf-8") + "# more\n", "utf-8")
    mine.write_text(mine.read_text("utf-8").replace("jl:limitValue 3", "jl:limitValue 2"), "utf-8")
    changed = cli("contract", "diff", mine)
    assert (changed.code, changed.out) == (3, "policies/mine.ttl\nshapes/multihop.ttl\n")
    as_json = cli("contract", "diff", mine, "--format", "json")
    assert json.loads(as_json.out) == {"changed": ["policies/mine.ttl", "shapes/multihop.ttl"]}


def test_diff_names_what_came_and_what_went(cli: "Cli", mine: Path) -> None:
    cli("contract", "freeze", mine)
    lock = mine.with_suffix(".lock.json")
    held = json.loads(lock.read_text("utf-8"))
    held["assets"]["sparql/gone.rq"] = held["assets"].pop("shapes/event.ttl")
    lock.write_text(json.dumps(held))
    assert cli("contract", "diff", mine).out == "shapes/event.ttl\nsparql/gone.rq\n"


def test_diff_without_a_lock_says_how_to_write_it(cli: "Cli", mine: Path) -> None:
    done = cli("contract", "diff", mine)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"write it with: judgeloop contract freeze {mine}\n")


# --- lint


def test_a_contract_that_may_be_frozen_is_fine(cli: "Cli", mine: Path) -> None:
    assert cli("contract", "lint", mine).out == "multihop@1.0.0 may be frozen\n"
    assert cli("contract", "lint", mine, "--lang", "ko").out == "multihop@1.0.0 을(를) 고정할 수 있습니다\n"
    assert json.loads(cli("contract", "lint", mine, "--format", "json").out) == {"findings": []}


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"shapes/multihop.ttl"', '"shapes/gone.ttl"', "contract-asset"),
        ("jl:rule mh:hop_limit ;", "jl:rule mh:hop_limits ;", "contract-rule"),
        ("jl:risk jl:low", "jl:risk jl:tiny", "contract-not-valid"),
        ('jl:name "multihop"', 'jl:name "multihop", "other"', "contract-not-valid"),
        ("mh:contract a jl:Contract", "mh:contract a jl:Treaty", "contract-none"),
        ("mh:contract a jl:Contract", "mh:other a jl:Contract . mh:contract a jl:Contract", "contract-many"),
    ],
)
def test_what_keeps_a_contract_from_being_frozen_is_a_finding(
    cli: "Cli", mine: Path, old: str, new: str, key: str
) -> None:
    text = mine.read_text("utf-8")
    assert old in text
    mine.write_text(text.replace(old, new), "utf-8")
    done = cli("contract", "lint", mine, "--format", "json")
    (finding,) = json.loads(done.out)["findings"]
    assert (done.code, done.err, finding["key"]) == (3, "", key)
    assert finding["message"].startswith(str(mine))
    korean = cli("contract", "lint", mine, "--lang", "ko")
    assert any("가" <= c <= "힣" for c in korean.out)


@pytest.mark.parametrize("action", ["freeze", "show", "diff", "lint"])
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nosuch", "no contract nosuch; shipped are "),
        ("multihop@9.9.9", "no contract multihop@9.9.9; shipped are multihop@1.0.0; "),
        ("no/such.ttl", "no/such.ttl: no such file; check the path"),
        ("broken.ttl", "broken.ttl:2:1: Turtle syntax error: "),
    ],
)
def test_a_contract_that_can_not_be_read_is_no_finding(cli: "Cli", action: str, name: str, why: str) -> None:
    cli.write("broken.ttl", "# broken\nx:a x:b 1 .")
    done = cli("contract", action, name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"judgeloop: {why}"), done.err
    assert not list(cli.folder.glob("*.lock.json"))
