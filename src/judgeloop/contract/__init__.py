"""Freezes a judge contract: reads its Turtle, pins every asset by SHA-256, and refuses what may not be frozen."""

import re
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Final, TypeVar

from judgeloop import assets
from judgeloop.contract.forms import check_forms, check_query
from judgeloop.contract.kept import graph_of
from judgeloop.contract.reading import to_contract
from judgeloop.errors import BadInput, ContractError
from judgeloop.model import Asset, Contract
from judgeloop.rdf.canonical import ntriples
from judgeloop.rdf.graph import Graph
from judgeloop.rdf.parse import read_triples
from judgeloop.rdf.terms import BlankNode, Triple
from judgeloop.reason import default_cache, unsatisfiable
from judgeloop.shacl import Background, ShapesGraph, validate
from judgeloop.vocab import JL

ALWAYS: Final = (
    "ontology/contexts/case.context.jsonld",
    "ontology/contexts/verdict.context.jsonld",
    "shapes/case.schema.json",
    "shapes/contract.ttl",
    "shapes/verdict.schema.json",
    "shapes/verdict.ttl",
)
"""What every contract pins beside its own files: the formats of cases and verdicts."""
_T = TypeVar("_T")
_VERSIONED: Final = re.compile(r"[\w-]+@(?P<version>[^/\\]+)")
BUILT_IN: Final = tuple(JL + rule for rule in ("schema", "integrity_keys", "integrity_evidence", "integrity_contract"))


def locate(name: str, roots: Sequence[Path] = ()) -> Path:
    """Return the Turtle file of a contract: a path, or the name (``name@version`` too) of a pack at hand.

    Raises:
        ContractError: there is no such pack, or the file's name does not end in .ttl.
    """
    path = Path(name)
    if path.suffix == ".ttl":
        return path
    folders = [*(r / "policies" for r in roots), assets.root() / "policies"]
    plain = name.partition("@")[0]
    for folder in folders:
        if (folder / f"{plain}.ttl").is_file() and "/" not in plain:
            return folder / f"{plain}.ttl"
    if path.is_file():
        raise ContractError("contract-suffix", place=name)
    known = packs([*roots, assets.root()])
    raise ContractError("contract-unknown", name=name, known=", ".join(known))


def packs(roots: Sequence[Path] = ()) -> list[str]:
    """Return the names of the packs at hand (the shipped ones unless ``roots`` says otherwise)."""
    folders = [root / "policies" for root in roots or [assets.root()]]
    return sorted({path.stem for folder in folders for path in folder.glob("*.ttl")})


def asked_version(name: str) -> str | None:
    """Return the version that a pack's name asks for (``multihop@1.0.0``); None for a plain name and for a path."""
    found = None if Path(name).suffix == ".ttl" else _VERSIONED.fullmatch(name)
    return found["version"] if found else None


def freeze(path: Path) -> Contract:
    """Return the contract in ``path`` as an immutable value that holds the bytes of everything it uses.

    Assets are looked up beside the contract (the folder above ``policies/``) and then among the shipped ones.

    Raises:
        ContractError: the shapes of contracts refuse it, an asset is missing, a rule is unknown, or a class of its
            ontology can have no member.
        BadInput: a file can't be read.
    """
    content = assets.read(path)
    triples = _named_nodes(content, str(path))
    graph = Graph(triples)
    found = graph.instances(JL + "Contract")
    if len(found) != 1:
        raise ContractError("contract-many" if found else "contract-none", place=str(path))
    iri = found[0]
    roots = [path.resolve().parent.parent, assets.root()]
    own = Asset(path=f"policies/{path.name}", sha256=assets.digest(content), content=content)
    _refuse(ntriples(triples), _pin("shapes/contract.ttl", roots, path), path)
    pinned = {a.path: a for a in (_pin(name, roots, path) for name in sorted(_named(graph, iri)))} | {own.path: own}
    contract = to_contract(graph, iri, pinned, own)
    check_forms(contract)
    _check_rules(contract, path)
    _check_ontology(contract, path)
    return contract


def once(make: Callable[[Contract], _T]) -> Callable[[Contract], _T]:
    """Return ``make`` as a function that works once per frozen contract; what it gives is shared, never changed."""
    made: dict[str, _T] = {}

    @wraps(make)
    def kept(contract: Contract) -> _T:
        if contract.digest not in made:
            made[contract.digest] = make(contract)
        return made[contract.digest]

    return kept


@once
def ontology_text(contract: Contract) -> str:
    """Return the contract's ontology files as one N-Triples text."""
    return ntriples(ontology_graph(contract)[1])


@once
def ontology_graph(contract: Contract) -> tuple[str, list[Triple]]:
    """Return the named graph that keeps the contract's ontology."""
    triples = [t for name in contract.ontology for t in _named_nodes(contract.assets[name].content, name)]
    return f"{contract.id_base}ontology/{contract.name}@{contract.version}/sha256-{contract.digest}", triples


@once
def shapes_of(contract: Contract) -> ShapesGraph:
    """Return the contract's shapes, parsed once per digest."""
    return ShapesGraph.parse([(name, contract.assets[name].content) for name in contract.shapes])


def _named(graph: Graph, iri: str) -> set[str]:
    """Return the names of all files that the contract uses."""
    props = ("decisionSchema", "context", "worldContext", "worldSchema", "world", "ontology", "shapes", "derive")
    names = {name for prop in props for name in graph.values(iri, JL + prop)}
    names |= {name for rule in graph.subjects(JL + "query") for name in graph.values(rule, JL + "query")}
    return names.union(ALWAYS)


def _pin(name: str, roots: Sequence[Path], path: Path) -> Asset:
    try:
        content = assets.read(assets.find(name, roots))
    except BadInput as error:
        if error.key != "file-missing":
            raise ContractError(error.key, place=error.place or str(path), **error.params) from None
        raise ContractError("contract-asset", place=str(path), asset=name) from None
    return Asset(path=name, sha256=assets.digest(content), content=content)


def _refuse(contract_nt: str, shapes: Asset, path: Path) -> None:
    """Refuse a contract that its shapes find fault with."""
    report = validate(ShapesGraph.parse([(shapes.path, shapes.content)]), contract_nt)
    if report.failure:
        raise ContractError("contract-not-valid", place=str(path), why=report.failure.text)
    if report.results:
        first = report.results[0]
        more = f" (+{len(report.results) - 1})" if len(report.results) > 1 else ""
        raise ContractError("contract-not-valid", place=f"{path} <{first.focus}>", why=f"{first.message['en']}{more}")


def _named_nodes(content: bytes, name: str) -> list[Triple]:
    """Return the statements of a file that goes into a graph of ours, where nothing is without a name."""
    triples = read_triples(content, name)
    if any(isinstance(node, BlankNode) for t in triples for node in (t.subject, t.object)):
        raise ContractError("rdf-blank-node", place=name)
    return triples


def _check_rules(contract: Contract, path: Path) -> None:
    """Refuse rules that nothing implements, and query files that can't be read."""
    for name in sorted({*contract.queries.values(), *contract.derive}):
        check_query(contract.text(name), name)
    shapes = {shape.iri for shape in shapes_of(contract).shapes}
    for requirement in contract.requirements:
        wanted = [requirement.rule] + ([requirement.condition] if requirement.condition else [])
        for rule in wanted:
            if rule not in contract.queries and rule not in shapes and rule not in BUILT_IN:
                raise ContractError("contract-rule", place=str(path), rule=rule)


def _check_ontology(contract: Contract, path: Path) -> None:
    broken = unsatisfiable(ontology_text(contract), cache=default_cache())
    if broken:
        cls, why = broken[0]
        raise ContractError("contract-unsatisfiable", place=str(path), cls=cls, why=why)


@once
def background_of(contract: Contract) -> Background:
    """Return the contract's ontology as the ground on which shapes are checked."""
    return Background.parse(ontology_text(contract))


kept_graph = once(graph_of)
"""The named graph that keeps a contract, made once."""
