"""Where results go: standard output, or a file that is written whole or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from judgeloop.errors import BadInput

STDOUT: Final = "-"


def write(content: str, out: str | None) -> None:
    """Print ``content``, or write it to the file ``out`` in one step; a link stays and what it names is replaced.

    Raises:
        BadInput: the file can't be written; one that was there before is unchanged.
    """
    if out in {None, STDOUT}:
        if content:
            print(content)
        return
    try:
        if _special(Path(str(out))):
            _fill(Path(str(out)), content)
            return
        path = Path(os.path.realpath(str(out)))
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            _fill(draft, content)
            if path.exists():
                shutil.copymode(path, draft)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput("file-unwritable", place=str(out), why=error.strerror or type(error).__name__) from None


def refuse_unwritable(out: str | None, inputs: Iterable[str] = ()) -> None:
    """Refuse a file that could not be written or is one of the inputs, before anything is done.

    Does not establish: that there is room for it.

    Raises:
        BadInput: it is a folder or an input, or its folder is missing or may not be written to.
    """
    if out is None or out == STDOUT or _special(Path(out)):
        return
    fault = None
    if Path(out).exists() and any(Path(name).exists() and Path(out).samefile(name) for name in inputs):
        raise BadInput("file-is-input", place=out)
    if Path(out).is_dir():
        fault = errno.EISDIR
    elif not Path(out).parent.is_dir():
        fault = errno.ENOENT
    elif not os.access(Path(out).parent, os.W_OK):
        fault = errno.EACCES
    if fault:
        raise BadInput("file-unwritable", place=out or '""', why=os.strerror(fault))


def _special(path: Path) -> bool:
    """Say whether the path is a device or a pipe, which is written to and never replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _fill(path: Path, content: str) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(content + "\n")
