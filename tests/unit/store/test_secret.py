"""Key material for a server: from the environment, or from a file that only its user can read."""

import hashlib
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judgeloop.errors import StoreError
from judgeloop.store import secret

URL = "http://localhost:3030/judge"


@pytest.fixture(autouse=True)
def config(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv(secret.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_a_secret_is_made_once_and_for_its_user_only(config: Path) -> None:
    made = secret.of_server(URL)
    file = config / "judgeloop" / "secrets" / hashlib.sha256(URL.encode()).hexdigest()
    assert file.read_bytes() == made == secret.of_server(URL)
    assert len(made) == 32
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_two_servers_have_two_secrets() -> None:
    assert secret.of_server(URL) != secret.of_server("http://localhost:7878")


def test_threads_that_come_at_once_get_one_secret() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(secret.of_server, [URL] * 16))) == 1


@pytest.mark.parametrize(
    ("given", "bytes_"),
    [
        ("5e" * 32, b"\x5e" * 32),
        ("5E" * 32 + "\n", b"\x5e" * 32),
        ("00" * 16, hashlib.sha256(bytes(16)).digest()),
        ("오래된 비밀", hashlib.sha256("오래된 비밀".encode()).digest()),
        ("cafe", hashlib.sha256(b"cafe").digest()),
    ],
)
def test_the_environment_gives_it_in_hex_or_as_text(
    monkeypatch: pytest.MonkeyPatch, config: Path, given: str, bytes_: bytes
) -> None:
    monkeypatch.setenv(secret.VARIABLE, given)
    assert secret.of_server(URL) == bytes_
    assert list(config.iterdir()) == []


def test_an_empty_variable_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(secret.VARIABLE, " ")
    with pytest.raises(StoreError) as told:
        secret.of_server(URL)
    assert (told.value.key, told.value.exit_code) == ("http-secret-empty", 2)


def test_a_secret_that_others_can_read_is_refused(config: Path) -> None:
    secret.of_server(URL)
    (file,) = (config / "judgeloop" / "secrets").iterdir()
    file.chmod(0o644)
    with pytest.raises(StoreError) as told:
        secret.of_server(URL)
    assert (told.value.key, told.value.place) == ("http-secret-open", str(file))


def test_a_secret_that_lost_its_end_is_refused(config: Path) -> None:
    secret.of_server(URL)
    (file,) = (config / "judgeloop" / "secrets").iterdir()
    file.write_bytes(b"short")
    with pytest.raises(StoreError) as told:
        secret.of_server(URL)
    assert told.value.key == "store-secret-damaged"


def test_a_folder_that_cannot_be_made_is_told(config: Path) -> None:
    (config / "judgeloop").write_text("a file")
    with pytest.raises(StoreError) as told:
        secret.of_server(URL)
    assert told.value.key == "http-secret"
    assert secret.VARIABLE in told.value.text()
