import hashlib
import sys
from pathlib import Path

import pytest

from judgeloop import assets
from judgeloop.errors import BadInput


def test_the_root_of_a_checkout_lies_beside_src() -> None:
    checkout = Path(__file__).parents[2]
    assert assets.root() == checkout
    assert (assets.root() / "ontology").is_dir()


def test_an_installed_package_holds_its_own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "judgeloop"
    (package / "data" / "ontology").mkdir(parents=True)
    (tmp_path / "ontology").mkdir()  # a stranger's folder that happens to have the same name
    monkeypatch.setattr("importlib.resources.files", lambda _: package)
    assert assets.root() == package / "data"
    assert assets.installed(package / "data" / "policies" / "multihop.lock.json")
    assert not assets.installed(tmp_path / "policies" / "multihop.lock.json")


def test_an_installation_without_data_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path / "site" / "judgeloop")
    with pytest.raises(BadInput) as caught:
        assets.root()
    assert caught.value.key == "assets-missing"
    assert "ontology, shapes, policies, sparql, worlds" in caught.value.text("ko")


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "규칙.ttl"
    file.write_bytes(b"\xef\xbb\xbfa\r\n")
    assert assets.read(file) == b"\xef\xbb\xbfa\r\n"


@pytest.mark.parametrize("name", ["none.ttl", "file/inside.ttl"])
def test_a_missing_file_is_bad_input(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BadInput) as caught:
        assets.read(tmp_path / name)
    assert caught.value.key == "file-missing"
    assert caught.value.place == str(tmp_path / name)
    assert caught.value.exit_code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows words it differently")
def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        assets.read(tmp_path)
    assert caught.value.key == "file-unreadable"
    assert "Is a directory" in str(caught.value)


# SHA-256 of "abc" is the first example of FIPS 180-2, appendix B.1.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_digest_is_sha256() -> None:
    assert assets.digest(b"abc") == ABC


def test_a_bom_does_not_change_the_digest() -> None:
    assert assets.digest(b"\xef\xbb\xbfabc") == ABC


def test_line_ends_do_not_change_the_digest() -> None:
    lf = hashlib.sha256("가\n나\n".encode()).hexdigest()
    assert assets.digest("가\r\n나\r\n".encode()) == lf
    assert assets.digest("가\n나\n".encode()) == lf


def test_a_lone_carriage_return_is_content() -> None:
    assert assets.digest(b"a\rb") != assets.digest(b"a\nb")
    assert assets.digest(b"a\xef\xbb\xbfb") != assets.digest(b"ab"), "only a BOM at the very start is dropped"


def test_the_first_root_wins(tmp_path: Path) -> None:
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    for folder in (own, shipped):
        (folder / "shapes").mkdir(parents=True)
    (shipped / "shapes" / "a.ttl").touch()
    assert assets.find("shapes/a.ttl", [own, shipped]) == shipped / "shapes" / "a.ttl"
    (own / "shapes" / "a.ttl").touch()
    assert assets.find("shapes/a.ttl", [own, shipped]) == own / "shapes" / "a.ttl"


def test_a_name_that_no_root_has_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "shapes").mkdir()
    for name in ("shapes/none.ttl", "shapes", "", "nul\0byte"):
        with pytest.raises(BadInput) as caught:
            assets.find(name, [tmp_path])
        assert caught.value.key == "file-missing"


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "shapes/../../secret",
        "shapes/../a.ttl",
        "/etc/passwd",
        "\\secret",
        "..\\secret",
        "C:\\secret",
        "C:x",
    ],
)
def test_a_name_never_leads_out_of_its_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").touch()
    root = tmp_path / "pack"
    (root / "shapes").mkdir(parents=True)
    with pytest.raises(BadInput) as caught:
        assets.find(name, [root])
    assert caught.value.key == "asset-outside"


def test_dots_inside_a_name_are_fine(tmp_path: Path) -> None:
    (tmp_path / "a..b.ttl").touch()
    assert assets.find("a..b.ttl", [tmp_path]) == tmp_path / "a..b.ttl"
