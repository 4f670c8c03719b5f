"""Graphs as text that stays the same as long as they do: sorted, so that two dumps can be compared line by line."""

from collections.abc import Sequence
from typing import Final

from pyoxigraph import Quad, RdfFormat, serialize

QUADS: Final = {"nq": RdfFormat.N_QUADS, "trig": RdfFormat.TRIG}
"""Forms that name graphs."""
TRIPLES: Final = {"nt": RdfFormat.N_TRIPLES, "turtle": RdfFormat.TURTLE}
"""Forms that hold one graph without its name."""
FORMS: Final = (*QUADS, *TRIPLES)


def to_text(quads: Sequence[Quad], form: str) -> str:
    """Return the statements, each once, in one of `FORMS`, without a line end at the end."""
    if form in {"nq", "nt"}:  # sorted by their bytes, as `LC_ALL=C sort` does
        parts = quads if form == "nq" else [quad.triple for quad in quads]
        lines = (serialize(parts, format={**QUADS, **TRIPLES}[form]) or b"").splitlines()
        return b"\n".join(sorted(dict.fromkeys(lines))).decode()
    held = sorted(dict.fromkeys(quads), key=lambda quad: [str(node) for node in (quad.graph_name, *quad.triple)])
    parts = held if form == "trig" else [quad.triple for quad in held]
    text = serialize(parts, format={**QUADS, **TRIPLES}[form])
    return (text or b"").decode().removesuffix("\n")
