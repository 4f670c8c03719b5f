from collections.abc import Callable, Collection
from pathlib import Path
from typing import Protocol

import pytest

from judgeloop.rdf.parse import read_rdf
from judgeloop.shacl import Background, Report, ShapesGraph, validate

HERE = Path(__file__).parent
PREFIXES = """
@prefix : <http://e/> . @prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def n_triples(turtle: str) -> str:
    quads = read_rdf(turtle.encode(), "data.ttl")
    return "\n".join(f"{quad.subject} {quad.predicate} {quad.object} ." for quad in quads)


class Check(Protocol):
    def __call__(self, shapes: str, data: str, background: str = "", only: Collection[str] | None = None) -> Report: ...


@pytest.fixture
def parse() -> Callable[[str], ShapesGraph]:
    """Shapes from Turtle, with the prefixes of this folder."""
    return lambda turtle: ShapesGraph.parse([("shapes.ttl", (PREFIXES + turtle).encode())])


@pytest.fixture
def check(parse: Callable[[str], ShapesGraph]) -> Check:
    """What some shapes find in some data, all in Turtle."""

    def run(shapes: str, data: str, background: str = "", only: Collection[str] | None = None) -> Report:
        below = Background.parse(n_triples(PREFIXES + background)) if background else None
        return validate(parse(shapes), n_triples(PREFIXES + data), below, only=only)

    return run


@pytest.fixture(scope="session")
def repair() -> dict[str, str]:
    """The texts of the repair example: shapes, ontology, decision."""
    return {name: (HERE / f"{name}.ttl").read_text(encoding="utf-8") for name in ("shapes", "ontology", "decision")}
