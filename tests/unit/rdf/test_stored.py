"""What stores make of literals: told apart by value, shown by spelling."""

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from judgeloop.rdf.stored import alike, as_stored, respelt
from judgeloop.vocab import XSD

S, P = NamedNode("urn:x:s"), NamedNode("urn:x:p")


def typed(text: str, kind: str = "integer") -> Literal:
    return Literal(text, datatype=NamedNode(XSD + kind))


def of(*values: Literal | NamedNode | BlankNode) -> list[Triple]:
    return [Triple(S, P, value) for value in values]


@pytest.mark.parametrize(
    ("given", "back", "told"),
    [
        ([typed("01")], [typed("1")], [(typed("01"), typed("1"))]),
        ([typed("01"), typed("1")], [typed("1")], [(typed("01"), typed("1"))]),
        ([typed("1.50", "decimal")], [typed("1.5", "decimal")], [(typed("1.50", "decimal"), typed("1.5", "decimal"))]),
        (
            [typed("1.0E0", "double")],
            [typed("1.0e0", "double")],
            [(typed("1.0E0", "double"), typed("1.0e0", "double"))],
        ),
        ([typed("1"), Literal("01"), Literal("a", language="ko")], None, []),
        ([typed("1")], [typed("2")], []),
        ([typed("1")], [typed("1", "decimal")], []),
        ([Literal("1")], [typed("1")], []),
        ([], [typed("1")], []),
    ],
)
def test_another_spelling_of_a_value_is_told_and_another_value_is_not(
    given: list[Literal], back: list[Literal] | None, told: list[tuple[Literal, Literal]]
) -> None:
    assert respelt(of(*given), of(*(given if back is None else back))) == told


def test_what_the_embedded_engine_does_is_told() -> None:
    given = of(*(typed(f"0{n}") for n in range(1, 10)), typed("10"))
    assert len(respelt(given, as_stored(given))) == 9


def test_a_spelling_of_another_thing_is_no_spelling_of_this_one() -> None:
    assert respelt([Triple(S, P, typed("01"))], [Triple(P, P, typed("1"))]) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (of(typed("01"), typed("1")), of(typed("1")), True),
        (of(typed("01"), typed("2")), of(typed("1")), False),
        (of(typed("1")), of(), False),
        (of(BlankNode("a"), BlankNode("b")), of(BlankNode("a")), False),
        (of(BlankNode("a")), of(BlankNode("b")), True),
    ],
)
def test_two_spellings_of_a_value_are_one_triple_and_two_blank_nodes_are_two(
    one: list[Triple], other: list[Triple], same: bool
) -> None:
    assert alike(one, other) is alike(other, one) is same
