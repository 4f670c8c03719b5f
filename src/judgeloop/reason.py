"""What an ontology implies (OWL 2 RL): meaning, apart from the constraints that `judgeloop.shacl` checks.

The only door to owlrl, whose closure also holds reflexive, axiomatic and ill-formed triples: only named hierarchies,
types of individuals, inverses and disjointness leave this room. An answer is computed once per ontology and kept.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgeloop.errors import EngineFailure
from judgeloop.vocab import DCTERMS, OWL, RDF, RDF_TYPE, RDFS, SKOS, URN, XSD

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node, URIRef

VERSION: Final = 1  # raised with every change of what this room answers, so that no older answer is read

_SUBCLASS: Final = RDFS + "subClassOf"
_SUBPROPERTY: Final = RDFS + "subPropertyOf"
_EQUIVALENT: Final = OWL + "equivalentClass"
_INVERSE: Final = OWL + "inverseOf"
_DISJOINT: Final = OWL + "disjointWith"
_NOTHING: Final = OWL + "Nothing"
_KEPT: Final = (RDF_TYPE, _SUBCLASS, _SUBPROPERTY, _EQUIVALENT, OWL + "equivalentProperty", _INVERSE, _DISJOINT)
_RESERVED: Final = (RDF, RDFS, OWL, XSD)
_SILENT: Final = frozenset(
    {RDFS + name for name in ("label", "comment", "seeAlso", "isDefinedBy")}
    | {OWL + name for name in ("versionInfo", "versionIRI", "deprecated", "priorVersion", "imports")}
)
"""Annotations; with those of SKOS and Dublin Core they imply nothing that leaves this room."""
_IDENTITY: Final = frozenset(
    {OWL + name for name in ("FunctionalProperty", "InverseFunctionalProperty", "hasKey", "sameAs")}
    | {OWL + name for name in ("maxCardinality", "maxQualifiedCardinality")}
)
"""What lets two individuals be found to be one; it would merge the probes of two classes."""
_UNWRITABLE: Final = frozenset('<>"{}|^`\\') | {chr(c) for c in range(33)}
_PROBE: Final = URN + "probe/"


def default_cache() -> Path:
    """Return the folder where answers are kept between runs: ``judgeloop`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():  # the XDG specification has a relative one ignored
        return named / "judgeloop"
    try:
        return Path.home() / ".cache" / "judgeloop"
    except RuntimeError:  # a user without a home: nothing is kept
        return Path(os.devnull) / "judgeloop"


def close(nt: str, *, cache: Path | None = None) -> str:
    """Return what the ontology ``nt`` (N-Triples) implies and does not say, as sorted N-Triples between IRIs.

    These are sub- and equivalent classes and properties, types of individuals, owl:inverseOf both ways, and
    owl:disjointWith both ways and for each pair of an owl:AllDisjointClasses. ``cache`` None: `default_cache`.

    Does not establish: all that OWL entails (this is the RL profile, and owl:sameAs is left out), or that ``nt`` is
    consistent.

    Raises:
        EngineFailure: the reasoner stopped.
    """
    return _kept("closure", nt, cache, _close)


def unsatisfiable(nt: str, *, cache: Path | None = None) -> list[tuple[str, str]]:
    """Return the IRI of every named class that can have no member, with the statements that forbid it, sorted.

    One made-up individual per class is classified; it may fall neither into two disjoint classes nor into owl:Nothing.

    Does not establish: that the other classes can have members. Contradictions beyond OWL 2 RL, and those that need two
    individuals to be one, are not found.

    Raises:
        EngineFailure: the reasoner stopped.
    """
    lines = _kept("unsatisfiable", nt, cache, _unsatisfiable).splitlines()
    return [(cls, why) for cls, _, why in (line.partition("\t") for line in lines)]


# --- the closure


def _close(nt: str) -> str:
    graph = _schema(nt)
    said = set(graph)
    terms = _terms(graph)
    mirrored = list(_mirrored(graph))
    _expand(graph)
    implied = {*graph, *mirrored} - said
    return "".join(sorted(f"<{s}> <{p}> <{o}> .\n" for s, p, o in implied if _leaves(s, p, o, terms)))


def _schema(nt: str) -> "Graph":
    """Return ``nt`` without its annotations, which cost the reasoner time and imply nothing."""
    from rdflib import Graph  # noqa: PLC0415 - heavy, and needed only where no answer is kept

    graph = Graph()
    with _engine():
        graph.parse(data=nt, format="nt")
    declared = set(graph.subjects(_iri(RDF_TYPE), _iri(OWL + "AnnotationProperty")))
    for triple in list(graph):
        prop = triple[1]
        if prop in declared or str(prop) in _SILENT or str(prop).startswith((SKOS, DCTERMS)):
            graph.remove(triple)
    return graph


def _expand(graph: "Graph") -> None:
    from owlrl import OWLRL_Semantics  # noqa: PLC0415 - heavy

    with _engine():  # not by DeductiveClosure: that exchanges rdflib's literal conversions for the whole process
        OWLRL_Semantics(graph, axioms=False, daxioms=False).closure()


@contextmanager
def _engine() -> Iterator[None]:
    """Turn what rdflib and owlrl raise over an ontology that they can't read into one failure."""
    from rdflib.exceptions import Error  # noqa: PLC0415

    try:
        yield
    except (Error, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise EngineFailure("reason-failed", why=f"{type(error).__name__}: {error}") from error


def _terms(graph: "Graph") -> set["Node"]:
    """Return the classes, properties and ontologies that are not individuals besides."""
    types: dict[Node, set[str]] = {}
    for s, o in graph.subject_objects(_iri(RDF_TYPE)):
        types.setdefault(s, set()).add(str(o))
    both = OWL + "NamedIndividual"
    return {s for s, held in types.items() if both not in held and all(t.startswith(_RESERVED) for t in held)}


def _mirrored(graph: "Graph") -> Iterator[tuple["Node", "Node", "Node"]]:
    """Yield inverse and disjoint pairs both ways, for which OWL 2 RL has no rule."""
    for s, o in graph.subject_objects(_iri(_INVERSE)):
        yield o, _iri(_INVERSE), s
    for one, other in _apart(graph, _DISJOINT):
        yield one, _iri(_DISJOINT), other
        yield other, _iri(_DISJOINT), one


def _leaves(s: "Node", p: "Node", o: "Node", terms: set["Node"]) -> bool:
    if not (_is_name(s) and _is_name(o)) or s == o or str(p) not in _KEPT or str(s).startswith(_RESERVED):
        return False
    if str(p) == RDF_TYPE and s in terms:
        return False
    return not str(o).startswith((OWL, XSD) if str(p) == _SUBPROPERTY else _RESERVED)  # below rdfs:label is news


# --- classes that can have no member


def _unsatisfiable(nt: str) -> str:
    graph = _schema(nt)
    for triple in [t for t in graph if not _IDENTITY.isdisjoint(map(str, t[1:]))]:
        graph.remove(triple)
    probes = {_iri(f"{_PROBE}{n}"): cls for n, cls in enumerate(sorted(_named_classes(graph)))}
    for probe, cls in probes.items():
        graph.add((probe, _iri(RDF_TYPE), _iri(cls)))
    apart = _apart(graph, _DISJOINT, OWL + "complementOf")
    _expand(graph)
    lines = []
    for probe, cls in probes.items():
        held = set(graph.objects(probe, _iri(RDF_TYPE)))
        pairs = ((one, prop, other) for (one, other), prop in apart.items() if {one, other} <= held)
        whys = {f"{_written(one)} <{prop}> {_written(other)}" for one, prop, other in pairs}
        if _iri(_NOTHING) in held:
            whys.add(f"<{cls}> <{_SUBCLASS}> <{_NOTHING}>")
        if whys:
            lines.append(f"{cls}\t{'; '.join(sorted(whys))}\n")
    return "".join(lines)


def _named_classes(graph: "Graph") -> set[str]:
    found = {s for ns in (OWL, RDFS) for s in graph.subjects(_iri(RDF_TYPE), _iri(ns + "Class"))}
    for prop in (_SUBCLASS, _EQUIVALENT, _DISJOINT):
        found.update(*graph.subject_objects(_iri(prop)))
    return {str(c) for c in found if _is_name(c) and not str(c).startswith(_RESERVED)}


def _apart(graph: "Graph", *props: str) -> dict[tuple["Node", "Node"], str]:
    """Return the pairs of classes that share no member, each with the property that says so."""
    pairs: dict[tuple[Node, Node], str] = {}
    for prop in props:
        for s, o in graph.subject_objects(_iri(prop)):
            pairs[min(s, o, key=str), max(s, o, key=str)] = prop
    lists = list(graph.objects(None, _iri(OWL + "disjointUnionOf")))
    for owner in graph.subjects(_iri(RDF_TYPE), _iri(OWL + "AllDisjointClasses")):
        lists += graph.objects(owner, _iri(OWL + "members"))
    with _engine():
        for members in lists:
            for one, other in combinations(sorted(set(graph.items(members)), key=str), 2):
                pairs.setdefault((one, other), _DISJOINT)
    return pairs


# --- terms and kept answers


def _iri(text: str) -> "URIRef":
    from rdflib import URIRef  # noqa: PLC0415

    return URIRef(text)


def _is_name(node: "Node") -> bool:
    from rdflib import URIRef  # noqa: PLC0415

    return isinstance(node, URIRef) and _UNWRITABLE.isdisjoint(node)


def _written(node: "Node") -> str:
    return f"<{node}>" if _is_name(node) else "[]"  # a blank node's label changes from run to run


def _kept(kind: str, nt: str, cache: Path | None, compute: Callable[[str], str]) -> str:
    """Return ``compute(nt)``, from the cache folder where a whole answer to the same input is there."""
    source = hashlib.sha256(nt.encode()).hexdigest()
    path = (default_cache() if cache is None else cache) / f"{kind}-{VERSION}-{source}"
    with suppress(OSError, ValueError):
        digest, _, body = path.read_bytes().partition(b"\n")
        if digest.decode() == hashlib.sha256(body).hexdigest():
            return body.decode()
    answer = compute(nt)
    with suppress(OSError):  # a folder that can't be written costs time, no answer
        _keep(path, answer.encode())
    return answer


def _keep(path: Path, body: bytes) -> None:
    """Write the digest and ``body`` so that no reader ever sees a part of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
