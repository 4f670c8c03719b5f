"""How far a stranger's query may go, and what it is told beyond."""

from dataclasses import dataclass
from typing import Final, Literal

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.rq import BoundQuery


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one query may go; None: any length."""

    seconds: float = 10.0
    rows: int | None = 10_000
    """Rows of a SELECT, triples of a CONSTRUCT."""
    bytes: int | None = 16_000_000
    """Bytes of the answer in SPARQL's own JSON, or in N-Triples."""
    memory: int | None = 1_000_000_000
    """Bytes beside those that the data takes; held where the system can (Linux). On a server that is its own affair."""


DEFAULT: Final = Limits()


def over(limit: Literal["seconds", "rows", "bytes", "memory"], query: BoundQuery, limits: Limits) -> StoreUnavailable:
    """Return what a query is told that went beyond a limit."""
    most = f"{limits.seconds:g}" if limit == "seconds" else f"{getattr(limits, limit):,}"
    return StoreUnavailable(f"query-limit-{limit}", place=query.query.name, most=most)
