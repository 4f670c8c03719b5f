"""A result is written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from judgeloop.cli.output import refuse_unwritable, write
from judgeloop.errors import BadInput


@pytest.mark.parametrize("out", [None, "-"])
def test_without_a_file_it_is_printed(capsys: pytest.CaptureFixture[str], out: str | None) -> None:
    write("판정", out)
    write("", out)
    assert capsys.readouterr().out == "판정\n"


def test_a_file_is_utf8_with_lf(tmp_path: Path) -> None:
    write("판정\n둘", str(tmp_path / "out.txt"))
    assert (tmp_path / "out.txt").read_bytes() == "판정\n둘\n".encode()


def test_a_name_of_no_encoding_is_written_as_its_escape(tmp_path: Path) -> None:
    write("place \udcff", str(tmp_path / "out.txt"))
    assert (tmp_path / "out.txt").read_bytes() == b"place \\udcff\n"


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write("x", str(tmp_path / "new"))
    old = tmp_path / "old"
    old.touch(mode=0o600)
    write("x", str(old))
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode
    assert stat.S_IMODE(old.stat().st_mode) == 0o600


def test_a_link_stays_and_what_it_names_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write("new", str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new\n"


def test_a_device_is_written_to_and_not_replaced() -> None:
    before = Path(os.devnull).stat()
    write("x", os.devnull)
    after = Path(os.devnull).stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)


def test_where_writing_fails_the_old_file_is_unchanged_and_nothing_else_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Path, __: Path) -> Path:
        raise OSError(28, "No space left on device")

    out = tmp_path / "out.txt"
    out.write_text("old")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(BadInput) as caught:
        write("new", str(out))
    assert (
        caught.value.text()
        == f"{out}: the file can't be written (No space left on device); what was there is unchanged"
    )
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("out.txt", "old")]


@pytest.mark.parametrize(("out", "why"), [("no/out.txt", "No such file"), (".", "Is a directory"), ("", "Is a dir")])
def test_what_can_not_be_written_is_known_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for attempt in (refuse_unwritable, lambda path: write("x", path)):
        with pytest.raises(BadInput) as caught:
            attempt(out)
        assert caught.value.key == "file-unwritable"
        assert why in caught.value.text()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_not_be_written_to_is_known_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # the administrator may write everywhere
    with pytest.raises(BadInput) as caught:
        refuse_unwritable(str(tmp_path / "out.txt"))
    assert "Permission denied" in caught.value.text()


@pytest.mark.parametrize("out", [None, "-", os.devnull])
def test_what_is_no_file_is_no_hindrance(out: str | None) -> None:
    refuse_unwritable(out)
