"""Names in Korean and English text: what is found, and what must not be."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeloop.text import PARTICLES, Mention, Span, key, label_of, mentions, nfc, stems, tokens, unmatched

NAMES = (
    "홍길동", "에이크미", "서울", "호기", "9호기", "A1라인", "다온정밀", "다온정밀 본사", "대만", "대", "강", "갑",
    "을", "이란", "5·18 민주화운동", "Acme", "Acme Inc.", "Acme Co., Ltd.", "Beta", "St. Louis", "Yahoo!", "C++", "R&D",
    "O’Brien",
)  # fmt: skip
LEXICON = {key(name): frozenset({name}) for name in NAMES}


def said(text: str) -> list[tuple[str, str]]:
    """Return surface and name of every mention."""
    return [(m.surface, next(iter(m.things))) for m in mentions(text, LEXICON)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("홍길동", "홍길동"),
        ("A1 라인", "a1라인"),
        ("Ａ１　라인", "a1라인"),
        ("(주)다온정밀", "다온정밀"),
        ("㈜ 다온정밀", "다온정밀"),
        ("다온정밀（주）", "다온정밀"),
        ("주식회사 다온정밀", "다온정밀"),
        ("다온정밀 유한회사", "다온정밀"),
        ("(유)다온", "다온"),
        ("Acme Inc.", "acmeinc"),
        ("ACME Co., Ltd.", "acmecoltd"),
        ("Acme Corp.", "acmecorp"),
        ("O’Brien", "obrien"),
        ("서울·부산", "서울부산"),
        ("서울ㆍ부산", "서울부산"),
        ("「서울의 봄」", "서울의봄"),
        ("30\u200b도", "30도"),
        ("3.5", "35"),
        ("C++", "c++"),
        ("C#", "c#"),
        ("R&D", "r&d"),
        ("80%", "80%"),
        ("a/b_c", "a/b_c"),
        ("Yahoo!", "yahoo!"),
        ("Straße", "strasse"),
        ("ﬁne", "fine"),
    ],
)
def test_key(text: str, expected: str) -> None:
    assert key(text) == expected


@pytest.mark.parametrize(
    "text", ["", " ", "()", "㈜", "(주)", "주식회사", "유한회사", "\u200b\ufeff", "-·,.", "주식(주)회사", "…"]
)
def test_key_of_nothing_but_dropped_characters_is_empty(text: str) -> None:
    assert key(text) == ""


def test_empty_key_never_matches() -> None:
    assert mentions("㈜ (주) 주식회사 - …", {"": frozenset({"x"})}) == []


def test_letters_parted_by_something_dropped_are_joined() -> None:
    assert key("ㄱ-ㅏ") == key("ㄱㅏ") == "가"
    assert key("e\u200b\u0301") == "é"


def test_decomposed_hangul_equals_composed() -> None:
    assert nfc(unicodedata.normalize("NFD", "홍길동")) == "홍길동"
    assert key(unicodedata.normalize("NFD", "주식회사 에이크미")) == "에이크미"


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("홍길동이", ["홍길동이", "홍길동"]),
        ("서울에서는", ["서울에서는", "서울", "서울에서"]),
        ("대만의", ["대만의", "대", "대만"]),
        ("홍길동이란", ["홍길동이란", "홍길동", "홍길동이"]),
        ("서울인가요", ["서울인가요", "서울"]),
        ("이", ["이"]),
        ("에서는", ["에서는", "에서"]),
        ("Acme's", ["Acme's", "Acme"]),
        ("Acme’s", ["Acme’s", "Acme"]),
        ("Acme는", ["Acme는", "Acme"]),
        ("Acmes", ["Acmes"]),
        ("", [""]),
    ],
)
def test_stems(token: str, expected: list[str]) -> None:
    assert list(stems(token)) == expected


def test_every_particle_leaves_its_name() -> None:
    for particle in PARTICLES:
        assert "홍길동" in stems("홍길동" + particle)
        assert said("홍길동" + particle) == [("홍길동", "홍길동")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("홍길동이 서울에 있나요?", ["홍길동이", "서울에", "있나요"]),
        ("Acme's plan, e.g. 3.14 of 1,000", ["Acme's", "plan", "e", "g", "3.14", "of", "1,000"]),
        ("“홍길동”은 ‘서울’로", ["홍길동", "은", "서울", "로"]),
        ("'홍길동'이", ["홍길동", "이"]),
        ("well-known", ["well-known"]),
        ("(주)다온정밀은", ["(주)다온정밀은"]),
        ("다온정밀(주)의", ["다온정밀(주)의"]),
        ("㈜ 다온", ["㈜", "다온"]),
        ("서울(강남)에", ["서울", "강남", "에"]),
        ("서울·부산", ["서울", "부산"]),
        ("5·18", ["5·18"]),
        ("30\u200b도", ["30\u200b도"]),
        ("", []),
        ("?!", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert [t.text for t in tokens(text)] == expected


def test_token_offsets_are_those_of_the_composed_text() -> None:
    decomposed = unicodedata.normalize("NFD", "홍길동이 왔다")
    assert tokens(decomposed) == [Span(0, 4, "홍길동이"), Span(5, 7, "왔다")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("홍길동이 일하는 곳", [("홍길동", "홍길동")]),
        ("홍길동에게서 서울까지", [("홍길동", "홍길동"), ("서울", "서울")]),
        ("A1 라인은 멈췄다", [("A1 라인", "A1라인")]),
        ("a1라인에서는", [("a1라인", "A1라인")]),
        ("9호기가 멈췄다", [("9호기", "9호기")]),
        ("8호기가 멈췄다", []),
        ("서울대 졸업", []),
        ("서울의 봄", [("서울", "서울")]),
        ("㈜ 다온정밀 본사는", [("다온정밀 본사", "다온정밀 본사")]),
        ("㈜ 다온정밀 지사는", [("다온정밀", "다온정밀")]),
        ("(주)다온정밀은", [("(주)다온정밀", "다온정밀")]),
        ("다온정밀 주식회사는", [("다온정밀", "다온정밀")]),
        ("대만의 서울", [("대만", "대만"), ("서울", "서울")]),
        ("강이 흐른다", [("강", "강")]),
        ("강물이 흐른다", []),
        ("이란의 수도", [("이란", "이란")]),
        ("'갑'과 '을'은", [("갑", "갑"), ("을", "을")]),
        ("'갑','을'", [("갑", "갑"), ("을", "을")]),
        ("'갑'을 본다", [("갑", "갑")]),
        ("“서울”에서는", [("서울", "서울")]),
        ("서울·대만", [("서울", "서울"), ("대만", "대만")]),
        ("5·18 민주화운동은", [("5·18 민주화운동", "5·18 민주화운동")]),
        ("Acme's owner", [("Acme", "Acme")]),
        ("Acme’s owner", [("Acme", "Acme")]),
        ("works for ACME Inc. in St. Louis.", [("ACME Inc", "Acme Inc."), ("St. Louis", "St. Louis")]),
        ("Acme Co., Ltd.는 Beta를", [("Acme Co., Ltd", "Acme Co., Ltd."), ("Beta", "Beta")]),
        ("Betas and acmeish", []),
        ("Yahoo! or Yahoo?", [("Yahoo!", "Yahoo!")]),
        ("C++과 R&D는", [("C++", "C++"), ("R&D", "R&D")]),
        ("O'Brien's", [("O'Brien", "O’Brien")]),
    ],
)
def test_mentions(text: str, expected: list[tuple[str, str]]) -> None:
    assert said(text) == expected


def test_label_that_ends_like_a_particle_wins_over_the_shorter_one() -> None:
    lexicon = {"홍길동": frozenset({"p1"}), "홍길동이": frozenset({"p2"})}
    assert mentions("홍길동이 왔다", lexicon) == [Mention(0, 4, "홍길동이", "홍길동이", frozenset({"p2"}))]
    assert mentions("홍길동은 왔다", lexicon) == [Mention(0, 3, "홍길동", "홍길동", frozenset({"p1"}))]


def test_closing_bracket_belongs_to_the_name_that_opens_it() -> None:
    lexicon = {key("서울(강남)"): frozenset({"x"}), key("서울"): frozenset({"y"})}
    assert [m.surface for m in mentions("서울(강남)에", lexicon)] == ["서울(강남)"]
    assert [m.surface for m in mentions("(서울)", lexicon)] == ["서울"]


def test_a_name_of_two_things_gives_both() -> None:
    (found,) = mentions("1호기", {"1호기": frozenset({"a", "b"})})
    assert found.things == {"a", "b"}


def test_longest_bounds_the_search() -> None:
    lexicon = {"서울": frozenset({"s"}), "서울특별시청": frozenset({"c"})}
    assert [m.surface for m in mentions("서울 특별 시청", lexicon)] == ["서울 특별 시청"]
    assert [m.surface for m in mentions("서울 특별 시청", lexicon, 2)] == ["서울"]
    assert mentions("서울", {}) == []


def test_decomposed_text_gives_the_same_mentions() -> None:
    text = "㈜ 다온정밀 본사는 서울에 있다"
    assert mentions(unicodedata.normalize("NFD", text), LEXICON) == mentions(text, LEXICON)


def test_unmatched_words_come_with_the_keys_to_look_up() -> None:
    text = "홍길동이 부산대에서는 A9 설비를 본다. “서울”에서는 그가"
    left = unmatched(text, mentions(text, LEXICON))
    assert left == [
        (Span(5, 11, "부산대에서는"), ("부산대에서는", "부산대에서", "부산대")),
        (Span(12, 14, "A9"), ("a9",)),
        (Span(15, 18, "설비를"), ("설비를", "설비")),
        (Span(19, 21, "본다"), ("본다",)),
        (Span(31, 33, "그가"), ("그가",)),
    ]


def test_particle_word_is_reported_where_it_stands_alone() -> None:
    assert [word.text for word, _ in unmatched("이란 이라는 나라", [])] == ["이란", "이라는", "나라"]


def test_company_marks_are_no_unmatched_words() -> None:
    text = "㈜ 다온정밀 주식회사는"
    assert unmatched(text, mentions(text, LEXICON)) == []


@pytest.mark.parametrize(
    ("iri", "expected"),
    [
        ("http://example.org/kg#worksFor", "works for"),
        ("https://example.org/kg/locatedIn/", "located in"),
        ("urn:judgeloop:p_hong", "p hong"),
        ("https://example.org/%ED%99%8D%EA%B8%B8%EB%8F%99", "홍길동"),
        ("https://example.org/A1라인", "A1라인"),
        ("https://w3id.org/judgeloop#ToolCall", "Tool call"),
        ("https://example.org/New_York", "New York"),
        ("https://example.org/hasURLOf", "has URL of"),
        ("https://example.org/HTTPServer", "HTTP server"),
        ("https://example.org/", "example.org"),
        ("urn:x:a%2Fb", "a/b"),
        ("#", "#"),
    ],
)
def test_label_of(iri: str, expected: str) -> None:
    assert label_of(iri) == expected


NOISE = st.text(
    alphabet=st.sampled_from([*"홍길동서울에이크미는의가 주식회사유㈜()'\"’.,!?-·ㆍㄱㅏaA1é\u0301\u200b\n"]),
    max_size=40,
)
ANY = st.one_of(st.text(), NOISE)


@given(ANY)
def test_key_is_its_own_key(text: str) -> None:
    assert key(key(text)) == key(text)


@given(ANY)
def test_key_does_not_depend_on_composition(text: str) -> None:
    assert key(unicodedata.normalize("NFD", text)) == key(unicodedata.normalize("NFC", text)) == key(text)


@given(ANY)
def test_stems_are_never_empty(token: str) -> None:
    first, *rest = stems(token)
    assert first == token
    assert all(stem and token.startswith(stem) for stem in rest)


@given(NOISE, st.lists(NOISE, max_size=6))
def test_mentions_never_overlap_and_lie_where_they_say(text: str, names: list[str]) -> None:
    lexicon = {k: frozenset({k}) for k in [*LEXICON, *map(key, names)]}
    found = mentions(text, lexicon)
    assert all(a.end <= b.start for a, b in pairwise(found))
    for m in found:
        assert nfc(text)[m.start : m.end] == m.surface
        assert key(m.surface) == m.key
    taken = {at for m in found for at in range(m.start, m.end)}
    assert all(taken.isdisjoint(range(w.start, w.end)) for w, _ in unmatched(text, found))
