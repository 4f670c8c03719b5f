"""Files as graphs: what ``judgeloop query --data`` asks about."""

from collections.abc import Sequence
from pathlib import Path, PurePath

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.rdf.mint import encode
from judgeloop.rdf.parse import read_rdf
from judgeloop.rdf.skolem import skolemise_all
from judgeloop.rdf.terms import DefaultGraph, NamedNode, Quad, Triple
from judgeloop.vocab import URN


def graphs(data: Sequence[str], base: str | None) -> dict[str, list[Triple]]:
    """Return the graphs of all files: named graphs under their own names, the rest under one that the file gives.

    Raises:
        BadInput: a file can't be read, or is a JSON table.
    """
    found: list[Quad] = []
    for name in data:
        if PurePath(name).suffix.lower() == ".json":
            raise BadInput("query-tables", place=name)
        written = name.encode("utf-8", "backslashreplace").decode()  # a name of no encoding
        rest = NamedNode(f"{URN}file/{encode(written, safe='-._~/')}")
        for q in read_rdf(assets.read(Path(name)), name, base):
            own = rest if isinstance(q.graph_name, DefaultGraph) else q.graph_name
            found.append(Quad(q.subject, q.predicate, q.object, own))
    held: dict[str, list[Triple]] = {}
    for q in skolemise_all(found):
        assert isinstance(q.graph_name, NamedNode)  # noqa: S101 - there is no other graph left
        held.setdefault(q.graph_name.value, []).append(q.triple)
    return held
