"""The folder of a store on disk: whose it is, and the secret that stands beside its data."""

from pathlib import Path
from typing import Final

from judgeloop.errors import StoreError
from judgeloop.store import secret

SECRET_FILE: Final = "judgeloop.secret"  # noqa: S105 - the name of a file
_HAS_DATA: Final = "CURRENT"
"""The file that a RocksDB folder always has."""


def prepare(path: Path, *, create: bool) -> bytes:
    """Return the secret of the store in ``path``; an empty or missing folder gets one when ``create`` is true.

    Raises:
        StoreError: a file, a folder of something else, no store though none may be made, or data without its secret.
    """
    place = str(path)
    if path.exists() and not path.is_dir():
        raise StoreError("store-not-folder", place=place)
    if not create and not (path / SECRET_FILE).exists() and not (path / _HAS_DATA).exists():
        raise StoreError("store-missing", place=place)
    try:
        path.mkdir(parents=True, exist_ok=True)
        _claim(path)
        content = (path / SECRET_FILE).read_bytes()
    except NotADirectoryError:
        raise StoreError("store-not-folder", place=place) from None
    except OSError as error:
        raise StoreError("store-broken", place=place, why=error.strerror or str(error)) from error
    if len(content) != secret.BYTES:
        raise StoreError("store-secret-damaged", place=place, file=SECRET_FILE)
    return content


def _claim(path: Path) -> None:
    """Make the secret of a new store; of two that try at once, both go on with the first one's."""
    if (path / SECRET_FILE).exists():
        return
    names = {entry.name for entry in path.iterdir() if not entry.name.startswith(SECRET_FILE)}
    if not names:
        secret.make(path / SECRET_FILE)
    elif not (path / SECRET_FILE).exists():  # another process may have begun since the first look
        key = "store-secret-missing" if _HAS_DATA in names else "store-foreign"
        raise StoreError(key, place=str(path), file=SECRET_FILE)
