"""The bytes of a sealed graph: canonical N-Quads, its own IRI written as ``urn:judgeloop:self``.

Follows RDFC-1.0 for graphs without blank nodes, where canonical form is the sorted set of canonical N-Quads.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from judgeloop.errors import BadInput
from judgeloop.rdf.stored import has_blank
from judgeloop.vocab import SELF, XSD_STRING

Node = NamedNode | Literal
_HASHED: Final = re.compile("/sha256-[0-9a-f]{64}$")
_NAMED: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_ESCAPES: Final = str.maketrans(
    {chr(c): f"\\u{c:04X}" for c in [*range(0x20), 0x7F]} | _NAMED  # RDFC-1.0, section 5
)


def term(node: object) -> str:
    """Return one term in canonical N-Triples."""
    if isinstance(node, NamedNode):
        return f"<{node.value}>"
    if isinstance(node, Literal):
        text = f'"{node.value.translate(_ESCAPES)}"'
        if node.language:
            return f"{text}@{node.language}" + (f"--{node.direction}" if node.direction else "")
        return text if node.datatype.value == XSD_STRING else f"{text}^^<{node.datatype.value}>"
    raise _unsealable(node)


def ntriples(triples: Iterable[Triple | Quad]) -> str:
    """Return the triples as sorted canonical N-Triples text, each once."""
    return "".join(sorted({f"{term(t.subject)} {term(t.predicate)} {term(t.object)} .\n" for t in triples}))


def content(triples: Iterable[Triple], own: str) -> bytes:
    """Return the canonical bytes of a graph whose IRI is ``own``."""
    lines = {
        f"{term(_swap(t.subject, own, SELF))} {term(t.predicate)} {term(_swap(t.object, own, SELF))} <{SELF}> .\n"
        for t in triples
    }
    return b"".join(sorted(line.encode() for line in lines))


def digest(triples: Iterable[Triple], own: str) -> str:
    """Return the SHA-256 of the graph's canonical bytes, in hex."""
    return hashlib.sha256(content(triples, own)).hexdigest()


def name(triples: Iterable[Triple], base: str) -> tuple[str, list[Triple]]:
    """Return the IRI that a graph about `SELF` earns under ``base``, and the graph with that IRI in it."""
    held = list(triples)
    own = f"{base}sha256-{digest(held, SELF)}"
    return own, rename(held, SELF, own)


def rename(triples: Iterable[Triple], old: str, new: str) -> list[Triple]:
    """Return the graph with the IRI ``old`` (and its fragments) written as ``new``."""
    return [Triple(_subject(_swap(t.subject, old, new)), t.predicate, _swap(t.object, old, new)) for t in triples]


def verify(triples: Iterable[Triple], own: str) -> bool:
    """Say whether a sealed graph still hashes to its own IRI.

    Does not establish: that what the graph says is true, or who wrote it.
    """
    held = list(triples)
    stand_in = any(_is(node, SELF) for t in held for node in (t.subject, t.object))  # it would hash like the IRI itself
    return not stand_in and own.endswith(f"sha256-{digest(held, own)}")


def addresses(name: str, triples: Sequence[Triple]) -> bool:
    """Say whether ``name`` is the IRI that just these triples earn; many names are hashes of something else."""
    return bool(_HASHED.search(name)) and not has_blank(triples) and verify(triples, name)


def _swap(node: object, old: str, new: str) -> NamedNode | Literal:
    if isinstance(node, NamedNode):
        return NamedNode(new + node.value[len(old) :]) if _is(node, old) else node
    if isinstance(node, Literal):
        return node
    raise _unsealable(node)


def _unsealable(node: object) -> BadInput:
    return BadInput("rdf-blank-node" if isinstance(node, BlankNode) else "rdf-triple-term")


def _is(node: object, own: str) -> bool:
    return isinstance(node, NamedNode) and (node.value == own or node.value.startswith(f"{own}#"))


def _subject(node: NamedNode | Literal) -> NamedNode | BlankNode:
    assert isinstance(node, NamedNode)  # noqa: S101 - RDF has no literal subjects
    return node
