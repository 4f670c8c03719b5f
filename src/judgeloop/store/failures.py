"""What an engine's message means, as an error with a key."""

import re
from typing import Final

from judgeloop.errors import BadInput, StoreError

_AT: Final = re.compile(r"error at (\d+):(\d+): (.*)", re.DOTALL)
_LENGTH: Final = 200
_HELD: Final = ("Resource temporarily unavailable", "lock hold by current process")


def syntax(error: SyntaxError, name: str) -> BadInput:
    """Return the refusal of a query that is no SPARQL, with line and column of the text after binding."""
    found = _AT.match(str(error))
    place, why = (f"{name}:{found[1]}:{found[2]}", found[3]) if found else (name, str(error))
    why = " ".join(why.split())
    return BadInput("rq-syntax", place=place, why=why if len(why) <= _LENGTH else f"{why[:_LENGTH]}…")


def opening(error: OSError | RuntimeError, path: str) -> StoreError:
    """Return why a folder could not be opened; an engine tells a held lock by its words only."""
    if "LOCK: " in str(error) and any(held in str(error) for held in _HELD):
        return StoreError("store-locked", place=path)
    return StoreError("store-broken", place=path, why=last_part(error))


def last_part(error: Exception) -> str:
    """Return the part of an engine's message that says why; before it stand kinds and paths."""
    return str(error).strip().rsplit(": ", 1)[-1]
