"""Whether an index in a folder is the one that belongs to the labels of a store.

A revision is a random name for one state of the labels. It stands in a file beside the data and again in the folder of
the index, with the size and checksum of each of its files. A new one is written beside the data, and is on the disk,
before the first label changes after an index was finished; the index gets it when it is finished again. So a process
that stops in between leaves two revisions that differ, an index of an earlier day bears an earlier one, and a file that
is not what it was has another checksum: in each case the index is made again.
"""

import json
import os
import secrets
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

REVISION_FILE: Final = "judgeloop.revision"
FOLDER: Final = "judgeloop.labels"
_STAMP: Final = "stamp.json"
_LOCK: Final = ".lock"


def renew(store: Path) -> str:
    """Write and return a new revision for the labels of the store in ``store``."""
    revision = secrets.token_hex(16)
    _write(store / REVISION_FILE, revision)
    return revision


def revision(store: Path) -> str | None:
    """Return the revision of the labels of a store; None for one whose labels never changed."""
    try:
        return (store / REVISION_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def set_stamp(index: Path, revision: str) -> None:
    """Say that the index in the folder is finished and holds the labels of this revision."""
    _write(index / _STAMP, json.dumps({"revision": revision, "files": _files(index)}))


def stamped(index: Path) -> str | None:
    """Return the revision that the index holds; None where there is none, or a file of it is not as it was."""
    try:
        stamp = json.loads((index / _STAMP).read_bytes())
        files = _files(index)
        intact = isinstance(stamp, dict) and all(files.get(n) == sum_ for n, sum_ in stamp["files"].items())
        return str(stamp["revision"]) if intact else None
    except (OSError, ValueError, KeyError, AttributeError):
        return None


def _files(index: Path) -> Mapping[str, list[int]]:
    """Return size and checksum of each file of an index by its name."""
    found = {}
    for path in sorted(index.rglob("*")):
        if path.is_file() and path.name != _STAMP and path.suffix != _LOCK:
            content = path.read_bytes()
            found[path.relative_to(index).as_posix()] = [len(content), zlib.crc32(content)]
    return found


def _write(path: Path, text: str) -> None:
    """Write a whole file that is on the disk when this returns; nobody ever reads a part of it."""
    draft = path.with_name(f"{path.name}.new")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    if os.name != "posix":  # elsewhere a folder can't be opened
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
