"""The bytes of a sealed graph: written out by hand here, and beside a second canonicaliser (RDFC-1.0)."""

import hashlib
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import (
    BaseDirection,
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    Triple,
    serialize,
)

from judgeloop.errors import BadInput
from judgeloop.rdf.canonical import content, digest, name, ntriples, rename, term, verify
from judgeloop.vocab import SELF, XSD_INTEGER

P = NamedNode("https://kg.example/p")
BASE = "https://kg.example/event/"


def about(subject: str, value: NamedNode | Literal) -> Triple:
    return Triple(NamedNode(subject), P, value)


# --- one term


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", '""'),
        ("한글 é 😀", '"한글 é 😀"'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("\b\t\n\f\r", r'"\b\t\n\f\r"'),
        ("\x00\x07\x0b\x0e\x1f\x7f", r'"\u0000\u0007\u000B\u000E\u001F\u007F"'),
        ("\x80\x85\xa0\u2028\ufeff\ufffe", '"\x80\x85\xa0\u2028\ufeff\ufffe"'),
        ("'<>{}", '"\'<>{}"'),
    ],
    ids=ascii,
)
def test_a_text_is_escaped_as_canonical_n_quads_asks(text: str, written: str) -> None:
    assert term(Literal(text)) == written  # RDF 1.2 N-Quads, "A Canonical form of N-Quads"


def test_a_term_says_its_type_or_its_language() -> None:
    assert term(NamedNode("https://kg.example/홍")) == "<https://kg.example/홍>"
    assert term(Literal("가", language="ko")) == '"가"@ko'
    assert term(Literal("a", language="en", direction=BaseDirection.LTR)) == '"a"@en--ltr'
    assert term(Literal("1", datatype=NamedNode(XSD_INTEGER))) == f'"1"^^<{XSD_INTEGER}>'


@pytest.mark.parametrize(
    ("node", "key"), [(BlankNode("a"), "rdf-blank-node"), (about(SELF, Literal("x")), "rdf-triple-term")]
)
def test_what_has_no_name_of_its_own_can_not_be_sealed(node: BlankNode | Triple, key: str) -> None:
    triple = Triple(NamedNode(SELF), P, node)
    with pytest.raises(BadInput) as refused:
        ntriples([triple])
    assert refused.value.key == key
    with pytest.raises(BadInput) as refused:
        digest([triple], SELF)
    assert refused.value.key == key


# --- one graph


def test_the_bytes_are_sorted_lines_in_the_graph_of_itself() -> None:
    own = f"{BASE}sha256-0"
    triples = [
        about(f"{own}#/b", Literal("가\n")),
        about(own, NamedNode(f"{own}#/b")),
        about("https://kg.example/z", NamedNode(f"{own}0")),
        about(own, NamedNode(f"{own}#/b")),
    ]
    expected = (
        "<https://kg.example/z> <https://kg.example/p> <https://kg.example/event/sha256-00> <urn:judgeloop:self> .\n"
        '<urn:judgeloop:self#/b> <https://kg.example/p> "가\\n" <urn:judgeloop:self> .\n'
        "<urn:judgeloop:self> <https://kg.example/p> <urn:judgeloop:self#/b> <urn:judgeloop:self> .\n"
    ).encode()
    assert content(triples, own) == expected
    assert digest(triples, own) == hashlib.sha256(expected).hexdigest()


def test_lines_are_sorted_by_their_bytes() -> None:
    texts = ["\uffff", "😀", "z", "가"]  # by UTF-16 the face would come before U+FFFF
    lines = ntriples(about(SELF, Literal(text)) for text in texts).splitlines()
    assert [line.split('"')[1] for line in lines] == ["z", "가", "\uffff", "😀"]
    assert lines == sorted(lines, key=str.encode)


def test_order_and_repetition_do_not_matter() -> None:
    triples = [about(SELF, Literal(text)) for text in "abc"]
    assert len({content([*order, order[0]], SELF) for order in permutations(triples)}) == 1


TERMS = st.one_of(
    st.text().map(Literal),
    st.text().map(lambda text: Literal(text, language="ko")),
    st.integers(-9, 9).map(lambda n: Literal(str(n), datatype=NamedNode(XSD_INTEGER))),
    st.sampled_from([NamedNode(SELF), NamedNode(f"{SELF}#/a"), NamedNode("https://kg.example/홍")]),
)
GRAPHS = st.lists(st.builds(about, st.sampled_from([SELF, f"{SELF}#/a", "https://kg.example/a"]), TERMS), max_size=8)


@given(GRAPHS)
def test_a_second_canonicaliser_gives_the_same_bytes(triples: list[Triple]) -> None:
    dataset = Dataset(Quad(t.subject, t.predicate, t.object, NamedNode(SELF)) for t in triples)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    text = serialize(dataset, format=RdfFormat.N_QUADS) or b""
    # the lines only: RDFC-1.0 sorts them by code point, the engine gives them in its own order
    assert content(triples, SELF).splitlines() == sorted(text.split(b"\n"))[1:]


# --- the name that a graph earns


@given(GRAPHS)
def test_a_graph_verifies_under_the_name_that_it_earned(triples: list[Triple]) -> None:
    own, held = name(triples, BASE)
    assert own.startswith(f"{BASE}sha256-")
    assert verify(held, own)
    assert name(reversed(triples), BASE) == (own, list(reversed(held)))
    assert digest(held, own) == digest(triples, SELF)


def test_a_changed_graph_does_not_verify() -> None:
    own, held = name([about(SELF, Literal("a")), about(f"{SELF}#/b", Literal("b"))], BASE)
    changed = [
        held[:1],
        [],
        [*held, about(own, Literal("c"))],
        [held[0], about(f"{own}#/b", Literal("B"))],
        [held[0], about(f"{own}#/B", Literal("b"))],
        [held[0], about(f"{own}#/b", Literal("b", language="en"))],
        [held[0], Triple(NamedNode(f"{own}#/b"), NamedNode("https://kg.example/P"), Literal("b"))],
    ]
    assert [verify(graph, own) for graph in changed] == [False] * len(changed)
    assert not verify(held, own.replace("sha256-", "sha512-"))
    assert not verify(rename(held, own, f"{BASE}sha256-0"), own)


def test_the_stand_in_of_a_name_is_not_taken_for_the_name() -> None:
    own, held = name([about(SELF, NamedNode(f"{SELF}#/b")), about(f"{SELF}#/b", Literal("b"))], BASE)
    assert verify(held, own)
    for forged in (rename(held, own, SELF), [held[0], rename(held, own, SELF)[1]]):
        assert not verify(forged, own)


def test_renaming_touches_the_graph_and_its_fragments_only() -> None:
    old, new = f"{BASE}a", f"{BASE}b"
    others: list[NamedNode | Literal] = [NamedNode(f"{old}0"), NamedNode(f"{old}/c")]
    others += [Literal(old), Literal(old, datatype=NamedNode(old))]
    assert rename([about(old, NamedNode(f"{old}#/x"))], old, new) == [about(new, NamedNode(f"{new}#/x"))]
    assert rename([about(P.value, other) for other in others], old, new) == [about(P.value, o) for o in others]
