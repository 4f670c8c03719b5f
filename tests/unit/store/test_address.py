"""Addresses of servers: what is one, and that no name or password is ever part of it or of a message."""

from pathlib import Path

import pytest

from judgeloop.errors import StoreError
from judgeloop.store import address, open_store


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in (address.USER, address.PASSWORD):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    return tmp_path / "netrc"


@pytest.mark.parametrize(
    ("url", "shown", "path"),
    [
        ("http://localhost:3030/judge", "http://localhost:3030/judge", "/judge"),
        ("HTTP://LocalHost:3030/judge/", "http://localhost:3030/judge", "/judge"),
        ("http://localhost:80", "http://localhost", ""),
        ("https://example.org/", "https://example.org", ""),
        ("https://example.org:443/a%20b", "https://example.org/a%20b", "/a%20b"),
        ("http://example.org/판정", "http://example.org/%ED%8C%90%EC%A0%95", "/%ED%8C%90%EC%A0%95"),
        ("http://[::1]:7878/", "http://[::1]:7878", ""),
    ],
)
def test_one_server_has_one_address(url: str, shown: str, path: str) -> None:
    found = address.read(url)
    assert (found.url, found.path, found.authorization) == (shown, path, None)


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://:3030/x",
        "http://h:port/x",
        "http://h:99999/",
        "http://h/x?y=1",
        "http://h/x#y",
        "http://h/ x",
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(StoreError) as told:
        open_store(url)
    assert (told.value.key, told.value.exit_code) == ("http-url", 2)
    assert "http://host:port/dataset" in told.value.text()


@pytest.mark.parametrize(
    "url",
    [
        "http://writer:hunter2@localhost:3030/judge",
        "http://hunter2@localhost:3030/judge",
        "http://writer:hun/ter2hunter2@localhost:3030/judge",
        "http://writer:hunter2?hunter2@localhost:3030/judge",
        "https://writer:hunter2#@localhost:3030/judge",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(StoreError) as told:
        open_store(url)
    assert (told.value.key, told.value.exit_code) == ("http-credentials-in-url", 2)
    assert [word for word in ("~/.netrc", address.USER, address.PASSWORD) if word not in told.value.text()] == []
    assert "hunter2" not in f"{told.value.text()} {told.value.text('ko')} {told.value!r}"


def test_a_query_string_is_not_shown_either() -> None:
    with pytest.raises(StoreError) as told:
        address.read("http://h/x?token=hunter2")
    assert "hunter2" not in told.value.text()


def test_name_and_password_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, nobody: Path) -> None:
    nobody.write_text("machine h login other password other\n")
    nobody.chmod(0o600)
    monkeypatch.setenv(address.USER, "쓰기")
    monkeypatch.setenv(address.PASSWORD, "비밀:1")
    found = address.read("http://h/x")
    assert found.authorization == "Basic 7JOw6riwOuu5hOuwgDox"  # printf '쓰기:비밀:1' | base64
    assert "7JOw" not in f"{found!r} {found}"


def test_name_and_password_come_from_netrc_for_the_host_that_it_names(nobody: Path) -> None:
    nobody.write_text("machine judge.example login writer password hunter2\n")
    nobody.chmod(0o600)
    assert address.read("http://judge.example/x").authorization == "Basic d3JpdGVyOmh1bnRlcjI="
    assert address.read("http://other.example/x").authorization is None


def test_a_netrc_that_cannot_be_read_is_told_without_its_words(nobody: Path) -> None:
    nobody.write_text("machine h login writer hunter2\n")
    nobody.chmod(0o600)
    with pytest.raises(StoreError) as told:
        address.read("http://h/x")
    assert told.value.key == "http-netrc"
    assert told.value.place.startswith(str(nobody))
    assert "hunter2" not in told.value.text()


def test_half_of_the_credentials_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(address.USER, "writer")
    with pytest.raises(StoreError) as told:
        address.read("http://h/x")
    assert told.value.key == "http-credentials-half"
