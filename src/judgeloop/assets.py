"""The files that rules are made of: where they are, what they hold, and the digest that pins them."""

import hashlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path, PureWindowsPath
from typing import BinaryIO, Final

from judgeloop.errors import BadInput

FOLDERS: Final = ("ontology", "shapes", "policies", "sparql", "worlds")
LARGEST: Final = 1 << 30
"""Bytes of one input; a device that never ends must not take all memory."""
_BOM: Final = b"\xef\xbb\xbf"


def root() -> Path:
    """Return the folder that holds `FOLDERS`: inside the installed package, else the checkout around ``src/``.

    Raises:
        BadInput: this installation has neither.
    """
    package = Path(str(resources.files("judgeloop")))
    for candidate in (package / "data", package.parent.parent):
        if (candidate / FOLDERS[0]).is_dir():
            return candidate
    raise BadInput("assets-missing", place=str(package), folders=", ".join(FOLDERS))


def installed(path: Path) -> bool:
    """Say whether a file is one of an installed package's own, which the next installation replaces."""
    return path.resolve().is_relative_to((Path(str(resources.files("judgeloop"))) / "data").resolve())


def read(path: Path) -> bytes:
    """Return the bytes of a file as they are on disk.

    Raises:
        BadInput: no such file, the system refuses to read it, or it is too large.
    """
    try:
        with path.open("rb") as file:
            return bounded(file, str(path))
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput("file-missing", place=str(path)) from None
    except OSError as error:
        raise BadInput("file-unreadable", place=str(path), why=error.strerror) from None


def bounded(file: BinaryIO, place: str) -> bytes:
    """Return all that a file or a stream holds.

    Raises:
        BadInput: it holds more than `LARGEST` bytes, or never ends.
    """
    content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise BadInput("file-endless", place=place, limit=LARGEST >> 20)
    return content


def digest(content: bytes) -> str:
    """Return the SHA-256 (hex) of a text file, the same for LF and CRLF line ends and with or without a UTF-8 BOM.

    Does not establish: that two files with one digest are equal byte for byte.
    """
    return hashlib.sha256(content.removeprefix(_BOM).replace(b"\r\n", b"\n")).hexdigest()


def find(name: str, roots: Sequence[Path]) -> Path:
    """Return the first file called ``name`` (relative, ``/`` between folders) under ``roots``.

    Does not establish: that the file itself is inside; a link that the owner of the folder put there is followed.

    Raises:
        BadInput: the name leads out of its folder, or no root has such a file.
    """
    # Windows rules see every way out that POSIX sees (``/x``, ``..``) and those that it doesn't (``C:x``, ``..\x``).
    parts = PureWindowsPath(name)
    if parts.drive or parts.root or ".." in parts.parts:
        raise BadInput("asset-outside", name=name)
    for folder in roots:
        if (folder / name).is_file():
            return folder / name
    raise BadInput("file-missing", place=name)
