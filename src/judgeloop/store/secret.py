"""Key material of a store that outlives its process: a file that is there whole or not at all."""

import hashlib
import os
import re
import secrets
import stat
from pathlib import Path
from typing import Final

from judgeloop.errors import StoreError

VARIABLE: Final = "JUDGELOOP_STORE_SECRET"
BYTES: Final = 32
_HEX: Final = re.compile(r"(?:[0-9A-Fa-f]{2}){16,}")


def of_server(url: str) -> bytes:
    """Return the key material for the server at ``url``: from the environment, else from a file of this user.

    A server keeps no secrets for its clients. Machines that judge into one server have to be given the same one,
    or the same case gets an event of its own from each of them.

    Raises:
        StoreError: the variable is empty, or the file can't be made or read, or others may read it.
    """
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _from_text(given.strip())
    path = _folder() / hashlib.sha256(url.encode()).hexdigest()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            make(path)
        content = path.read_bytes()
        open_to = stat.S_IMODE(path.stat().st_mode) & 0o077 if os.name == "posix" else 0
    except OSError as error:
        raise StoreError("http-secret", place=str(path), why=error.strerror or error, name=VARIABLE) from error
    if open_to:
        raise StoreError("http-secret-open", place=str(path))
    if len(content) != BYTES:
        raise StoreError("store-secret-damaged", place=str(path.parent), file=path.name)
    return content


def make(path: Path) -> None:
    """Write a new secret; of two processes that try at once, both go on with the first one's.

    The whole secret is written under another name first, so that nobody ever reads a part of it.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(BYTES))
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _from_text(text: str) -> bytes:
    if not text:
        raise StoreError("http-secret-empty", name=VARIABLE)
    material = bytes.fromhex(text) if _HEX.fullmatch(text) else text.encode("utf-8", "surrogateescape")
    return material if len(material) == BYTES else hashlib.sha256(material).digest()


def _folder() -> Path:
    """Return ``judgeloop/secrets`` in ``$XDG_CONFIG_HOME`` or ``~/.config``."""
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    try:
        config = named if named.is_absolute() else Path.home() / ".config"
    except RuntimeError:  # a user without a home
        raise StoreError("http-secret", place="~", why="HOME", name=VARIABLE) from None
    return config / "judgeloop" / "secrets"
