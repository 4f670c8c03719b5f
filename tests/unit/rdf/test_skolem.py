"""Blank nodes get names: the same graph the same ones, and a graph that never ends is left in time."""

import subprocess
import sys
import time
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from judgeloop.errors import BadInput
from judgeloop.rdf import skolem
from judgeloop.rdf.canonical import ntriples
from judgeloop.rdf.skolem import skolemise, skolemise_all

P, Q = NamedNode("https://kg.example/p"), NamedNode("https://kg.example/q")
A = NamedNode("https://kg.example/a")


def chain(*labels: str) -> list[Triple]:
    """Return a → first → second … → "end"."""
    nodes = [BlankNode(label) for label in labels]
    steps: Iterable[tuple[NamedNode | BlankNode, BlankNode]] = zip([A, *nodes], nodes, strict=False)
    return [*(Triple(s, P, o) for s, o in steps), Triple(nodes[-1], Q, Literal("end"))]


def test_every_blank_node_gets_an_iri_of_ours() -> None:
    # RDFC-1.0, section 4.4: hashes of the two nodes differ by what is said of them; names are given in their order
    lines = ntriples(skolemise(chain("x", "y"))).splitlines()
    names = {"<urn:judgeloop:bnode/c14n0>", "<urn:judgeloop:bnode/c14n1>"}
    (first,) = [line.split()[2] for line in lines if line.startswith(f"<{A.value}>")]
    (last,) = [line.split()[0] for line in lines if line.endswith('"end" .')]
    assert {first, last} == names
    assert f"{first} <{P.value}> {last} ." in lines
    assert len(lines) == 3


def test_labels_and_order_change_nothing() -> None:
    named = {ntriples(skolemise(chain(*labels))) for labels in (("x", "y"), ("y", "x"))}
    named |= {ntriples(skolemise(order)) for order in list(permutations(chain("b", "a")))[1:5:2]}
    assert len(named) == 1


def test_two_nodes_that_nothing_tells_apart_stay_two() -> None:
    twins = [Triple(A, P, BlankNode()), Triple(A, P, BlankNode())]
    assert ntriples(skolemise(twins)) == "".join(
        f"<{A.value}> <{P.value}> <urn:judgeloop:bnode/c14n{i}> .\n" for i in (0, 1)
    )


def test_a_graph_without_blank_nodes_costs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("a process was started"))
    triples = [Triple(A, P, Literal("01", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#integer")))]
    assert skolemise(triples) == triples
    assert skolemise([]) == []


def poison(size: int) -> list[Triple]:
    """Return the complete digraph of so many blank nodes: the canonical form tries every order of them."""
    nodes = [BlankNode(f"n{i}") for i in range(size)]
    return [Triple(one, P, other) for one in nodes for other in nodes if one != other]


def test_a_graph_that_never_ends_is_refused_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert skolem.SECONDS <= 15
    monkeypatch.setattr(skolem, "SECONDS", 1)
    started = time.monotonic()
    with pytest.raises(BadInput) as refused:
        skolemise(poison(9))
    assert time.monotonic() - started < 10
    assert (refused.value.key, refused.value.params["seconds"]) == ("rdf-too-many-blank-nodes", 1)


def test_a_smaller_one_of_its_kind_ends() -> None:
    assert len(skolemise(poison(3))) == 6


def test_a_process_that_dies_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skolem, "__name__", "judgeloop.rdf.nowhere")
    with pytest.raises(BadInput) as refused:
        skolemise(chain("x"))
    assert refused.value.key == "rdf-too-many-blank-nodes"


def test_a_script_of_a_user_is_not_run_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from pyoxigraph import BlankNode, NamedNode, Triple\n"
        "from judgeloop.rdf.skolem import skolemise\n"
        "print('started')\n"
        "print(len(skolemise([Triple(BlankNode(), NamedNode('urn:x:p'), BlankNode())])))\n"
    )
    (tmp_path / "pyoxigraph.py").write_text("raise SystemExit('from the working folder')")
    command = [sys.executable, "-P", str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["started", "1"]


def test_with_names_of_their_own_the_blank_nodes_of_two_graphs_differ_and_those_of_one_stay() -> None:
    one = [Quad(BlankNode("x"), NamedNode("urn:x:p"), Literal("1"), NamedNode("urn:x:g"))]
    same = [Quad(BlankNode("y"), NamedNode("urn:x:p"), Literal("1"), NamedNode("urn:x:g"))]
    other = [Quad(BlankNode("x"), NamedNode("urn:x:p"), Literal("2"), NamedNode("urn:x:g"))]
    elsewhere = [Quad(BlankNode("x"), NamedNode("urn:x:p"), Literal("1"), NamedNode("urn:x:h"))]
    names = [skolemise_all(quads, own=True)[0].subject for quads in (one, same, other, elsewhere)]
    assert names[0] == names[1]
    assert len(set(names)) == 3


def test_what_holds_no_blank_node_changes_no_name() -> None:
    blank = Quad(BlankNode("x"), NamedNode("urn:x:p"), Literal("1"), NamedNode("urn:x:g"))
    plain = [Quad(NamedNode("urn:x:s"), NamedNode("urn:x:p"), Literal(str(n))) for n in range(3)]
    assert set(skolemise_all([blank, *plain], own=True)) == {*plain, *skolemise_all([blank], own=True)}


def test_a_blank_node_within_a_triple_term_gets_its_name_too() -> None:
    inner = Triple(BlankNode("x"), NamedNode("urn:x:p"), Literal("1"))
    found = skolemise_all(
        [
            Quad(NamedNode("urn:x:s"), NamedNode("urn:x:says"), inner),
            Quad(BlankNode("x"), NamedNode("urn:x:q"), Literal("2")),
        ]
    )
    terms = {str(quad.object.subject) for quad in found if isinstance(quad.object, Triple)}
    assert terms == {str(quad.subject) for quad in found if quad.predicate.value == "urn:x:q"}
    assert not any("_:" in str(quad) for quad in found)
