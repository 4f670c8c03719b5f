"""Ids become IRIs: each form of id once, nothing hidden in it, and back from the IRI to the place in the JSON."""

import unicodedata
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from judgeloop.errors import BadInput
from judgeloop.messages import LANGS
from judgeloop.rdf.mint import encode, fragment, mint, pointer_of, refuse_hidden
from judgeloop.vocab import SELF, URN

BASE = "https://kg.example/"
PREFIXES = {"wd": "http://www.wikidata.org/entity/", "kg": "https://kg.example/"}

_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
READABLE = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters=_BIDI), min_size=1)


def minted(identifier: str) -> str:
    return mint(identifier, BASE, PREFIXES)


# --- which IRI


@pytest.mark.parametrize(
    ("identifier", "iri"),
    [
        ("p_hong", "https://kg.example/p_hong"),
        ("홍길동", "https://kg.example/홍길동"),
        ("p 홍(길동)", "https://kg.example/p%20홍%28길동%29"),
        ("A/B", "https://kg.example/A%2FB"),
        ("100%", "https://kg.example/100%25"),
        ("%2E", "https://kg.example/%252E"),
        ("a#b", "https://kg.example/a%23b"),
        ("a?b", "https://kg.example/a%3Fb"),
        ("<evil>", "https://kg.example/%3Cevil%3E"),
        ("_:b0", "https://kg.example/_%3Ab0"),
        ("", "https://kg.example/"),
    ],
    ids=repr,
)
def test_an_id_stands_percent_encoded_under_the_base(identifier: str, iri: str) -> None:
    assert minted(identifier) == iri  # RFC 3986, section 2.1; letters of other scripts stay (RFC 3987, ucschar)


@pytest.mark.parametrize(
    ("identifier", "iri"),
    [
        (".", "https://kg.example/%2E"),
        ("..", "https://kg.example/%2E%2E"),
        ("a/../b", "https://kg.example/a%2F..%2Fb"),
        ("./a", "https://kg.example/.%2Fa"),
        ("...", "https://kg.example/..."),
    ],
)
def test_a_relative_path_never_leads_to_another_node(identifier: str, iri: str) -> None:
    assert minted(identifier) == iri


@pytest.mark.parametrize(
    "iri",
    [
        "http://example.org/a",
        "https://example.org/a/../b",
        "http://www.Statnett.no/IGM/Nordic44_CGM#_0",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "https://example.org/홍길동",
    ],
)
def test_a_full_iri_stays_as_it_is(iri: str) -> None:
    assert minted(iri) == iri


@pytest.mark.parametrize(
    ("identifier", "iri"),
    [
        ("http://e/x y", "https://kg.example/http%3A%2F%2Fe%2Fx%20y"),
        ("http:", "https://kg.example/http%3A"),
        ("http:///x", "https://kg.example/http%3A%2F%2F%2Fx"),
        ("file:///etc/passwd", "https://kg.example/file%3A%2F%2F%2Fetc%2Fpasswd"),
        ("javascript:alert(1)", "https://kg.example/javascript%3Aalert%281%29"),
        ("urn:x", "https://kg.example/urn%3Ax"),
        ("x:y", "https://kg.example/x%3Ay"),
    ],
)
def test_what_only_looks_like_an_iri_is_an_id(identifier: str, iri: str) -> None:
    assert minted(identifier) == iri


@pytest.mark.parametrize("identifier", [SELF, f"{SELF}#/decision", f"{URN}heads", f"{URN}bnode/c14n0"])
def test_nobody_names_our_own_graphs(identifier: str) -> None:
    assert minted(identifier).startswith("https://kg.example/urn%3Ajudgeloop%3A")


def test_a_curie_stands_for_its_prefix() -> None:
    assert minted("wd:Q42") == "http://www.wikidata.org/entity/Q42"
    assert minted("wd:a/b c") == "http://www.wikidata.org/entity/a%2Fb%20c"
    assert minted("wd:..") == "http://www.wikidata.org/entity/%2E%2E"
    assert minted("WD:Q42") == "https://kg.example/WD%3AQ42"


def test_composed_and_decomposed_hangul_stay_two_ids() -> None:
    composed = "홍길동"
    decomposed = unicodedata.normalize("NFD", composed)
    assert minted(composed) != minted(decomposed)
    assert minted(decomposed) == BASE + decomposed


@given(READABLE)
@example("葛\U000e0100")  # an ideograph with a variation selector, which RFC 3987 has no place for
@example("\ufffc")
@example("\ufdd0")
@example("\U000e0001")
@example("\ue000\U000f0000\U0010fffd")
@example("a\u00a0b\u3000c")
@example("👩\u200d👩\u200d👧")
def test_every_readable_id_is_one_segment_of_a_valid_iri(identifier: str) -> None:
    segment = encode(identifier)
    assert NamedNode(BASE + segment).value == BASE + segment
    assert unquote(segment) == identifier
    assert not set(segment) & set("/?#[]@:")


@given(READABLE, READABLE)
def test_two_ids_are_two_iris(one: str, other: str) -> None:
    assert (encode(one) == encode(other)) == (one == other)


@pytest.mark.parametrize("char", ["\u00a0", "\u200d", "\u2028", "\u3000", "\ufeff", "\ue000", "\ufffd", "\U000e0100"])
def test_what_nobody_sees_is_encoded(char: str) -> None:
    assert encode(f"a{char}b") == "a" + "".join(f"%{byte:02X}" for byte in char.encode()) + "b"


# --- what is refused


@pytest.mark.parametrize(
    "identifier",
    ["a\x00", "a\nb", "a\tb", "\x7f", "\x85", "a\u202eb", "a\u2066b\u2069", "\u200f가", "\u061ca", "\ud800", "a\udfff"],
    ids=ascii,
)
def test_an_id_that_shows_other_than_it_is_is_refused(identifier: str) -> None:
    with pytest.raises(BadInput) as refused:
        mint(identifier, BASE, PREFIXES, "case.json#/decision/src")
    assert (refused.value.key, refused.value.place) == ("id-characters", "case.json#/decision/src")
    for lang in LANGS:
        text = refused.value.text(lang)
        assert text.startswith("case.json#/decision/src: ")
        assert text.isprintable()


def test_a_place_is_shown_as_far_as_it_can_be_seen() -> None:
    with pytest.raises(BadInput) as refused:
        refuse_hidden("\ud800", "case.json#/a\x1b[2J\ud800")
    assert refused.value.text().startswith(r"case.json#/a\x1b[2J\ud800: ")


@pytest.mark.parametrize("identifier", ["p_hong", "홍길동", "a b", "Ω≈ç", "👩\u200d👩\u200d👧", ""])
def test_a_readable_id_is_not_refused(identifier: str) -> None:
    refuse_hidden(identifier)


# --- back to the JSON


@pytest.mark.parametrize(
    ("pointer", "written"),
    [
        ("/foo/0", "/foo/0"),
        ("/", "/"),
        ("/a~1b", "/a~1b"),
        ("/c%d", "/c%25d"),
        ("/e^f", "/e%5Ef"),
        ("/g|h", "/g%7Ch"),
        ("/i\\j", "/i%5Cj"),
        ('/k"l', "/k%22l"),
        ("/ ", "/%20"),
        ("/m~0n", "/m~0n"),
        ("/이유", "/이유"),
    ],
)
def test_a_pointer_is_a_fragment(pointer: str, written: str) -> None:
    assert fragment(pointer) == written  # RFC 6901, section 6; Hangul needs no encoding in an IRI (RFC 3987)


@given(st.text())
@example("/a#b")
@example("/%2F/~1")
def test_a_node_leads_back_to_its_pointer(pointer: str) -> None:
    iri = f"{BASE}event/sha256-0#{fragment(pointer)}"
    assert NamedNode(iri).value == iri
    assert pointer_of(iri) == pointer


def test_the_event_itself_has_no_pointer() -> None:
    assert pointer_of(f"{BASE}event/sha256-0") is None
