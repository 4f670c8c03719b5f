"""Files as graphs: what ``judgeloop query --data`` asks about, and what ``judgeloop store load`` writes."""

import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Final

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.rdf.mint import encode
from judgeloop.rdf.parse import read_rdf
from judgeloop.rdf.skolem import skolemise_all
from judgeloop.rdf.terms import DefaultGraph, NamedNode, Quad, Triple
from judgeloop.store.naming import FILE

_GZIP: Final = ".gz"


def graphs(data: Sequence[str], base: str | None) -> dict[str, list[Triple]]:
    """Return the graphs of all files: named graphs under their own names, the rest under one that the file gives.

    Raises:
        BadInput: a file can't be read, or is a JSON table.
    """
    return by_graph(skolemise_all([quad for name in data for quad in statements(name, base)]))


def statements(name: str, base: str | None, graph: str | None = None) -> list[Quad]:
    """Return what one file says; what it puts into no graph stands in ``graph``, or in one that is called after it.

    Raises:
        BadInput: the file can't be read, or is a JSON table.
    """
    if PurePath(name).suffix.lower() == ".json":
        raise BadInput("query-tables", place=name)
    content, like = assets.read(Path(name)), name
    if PurePath(name).suffix.lower() == _GZIP:
        content, like = _unpacked(content, name), name[: -len(_GZIP)]
    written = name.encode("utf-8", "backslashreplace").decode()  # a name of no encoding
    rest = NamedNode(f"{FILE}{encode(written, safe='-._~/')}" if graph is None else graph)
    return [
        Quad(q.subject, q.predicate, q.object, rest) if isinstance(q.graph_name, DefaultGraph) else q
        for q in read_rdf(content, name, base, like=like)
    ]


def by_graph(quads: Iterable[Quad]) -> dict[str, list[Triple]]:
    """Return statements, all of them in graphs with names, by the name of their graph."""
    held: dict[str, list[Triple]] = {}
    for q in quads:
        assert isinstance(q.graph_name, NamedNode)  # noqa: S101 - there is no other graph left
        held.setdefault(q.graph_name.value, []).append(q.triple)
    return held


def _unpacked(content: bytes, name: str) -> bytes:
    """Return what a gzip file holds."""
    parts: list[bytes] = []
    left = assets.LARGEST
    try:
        while content:  # such files may stand one after the other
            unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
            parts.append(unpacker.decompress(content, left + 1))
            left -= len(parts[-1])
            if left < 0:
                raise BadInput("file-endless", place=name, limit=assets.LARGEST >> 20)
            if not unpacker.eof:
                raise BadInput("gzip-broken", place=name, why="EOF")
            content = unpacker.unused_data
    except zlib.error as error:
        raise BadInput("gzip-broken", place=name, why=error) from None
    return b"".join(parts)
