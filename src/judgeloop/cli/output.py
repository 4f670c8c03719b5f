"""Where results go: standard output, or a file that is written whole or not at all."""

import os
import tempfile
from pathlib import Path

from judgeloop.errors import BadInput


def write(content: str, out: str | None) -> None:
    """Print ``content``, or write it to the file ``out`` in one step.

    Raises:
        BadInput: the file can't be written; one that was there before is unchanged.
    """
    if out is None:
        if content:
            print(content)
        return
    path = Path(out)
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            file.write(content + "\n")
        Path(file.name).replace(path)
    except OSError as error:
        raise BadInput("file-unwritable", place=out, why=os.strerror(error.errno or 0)) from None
