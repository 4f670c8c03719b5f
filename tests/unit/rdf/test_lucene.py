"""What Apache Lucene's classic query parser makes of a text.

The expected readings are those of Lucene 9.12.1 with the 2-gram analyser, asked once: a text of several words is one
text for the analyser, joined by single spaces, unless an operator parts it (grammar: QueryParser.jj, productions
MultiTerm and TERM; the same in 10.3).
"""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgeloop.errors import BadInput
from judgeloop.rdf.lucene import LONGEST, SHORTEST, escape, pieces
from judgeloop.text import nfc

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=LONGEST)
HOSTILE = st.lists(
    st.sampled_from(
        [*'\\+-!():^[]"{}~*?|&/ \t\n\r\u3000', "AND", "OR", "NOT", "TO", "label", "홍길동", "u0041", "ᄒ", "\u2028"]
    ),
    min_size=2,
    max_size=12,
).map("".join)


def refused(key: str, text: str, read: object = pieces) -> BadInput:
    assert callable(read)
    with pytest.raises(BadInput) as caught:
        read(text, "q.rq:3:7")
    assert (caught.value.key, caught.value.place) == (key, "q.rq:3:7")
    caught.value.text("ko").encode()
    return caught.value


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("홍길동", "홍길동"),
        ("홍길동 서울", "홍길동\\ 서울"),
        ("(주)에이크미", "\\(주\\)에이크미"),
        ("12:30", "12\\:30"),
        ("[A]-{b}", "\\[A\\]\\-\\{b\\}"),
        ('"인용"', '\\"인용\\"'),
        ("A&B || c", "A\\&B\\ \\|\\|\\ c"),
        ("C:\\temp", "C\\:\\\\temp"),
        ("a\tb\u3000c", "a\\\tb\\\u3000c"),
        ("AND", "and"),
        ("R AND D", "R\\ and\\ D"),
        ("ANDROID TO NOTE", "ANDROID\\ to\\ NOTE"),
        ("x) OR label:(y", "x\\)\\ or\\ label\\:\\(y"),
        ("\u1112\u1169\u11bc길", "홍길"),
    ],
)
def test_what_lucene_would_act_on_is_escaped(text: str, escaped: str) -> None:
    assert escape(text, "words") == escaped


@given(TEXTS | HOSTILE)
@example("  ")
@example("\\\\")
@example("a" * LONGEST)
def test_an_escaped_text_is_read_as_itself(text: str) -> None:
    text = nfc(text)
    if SHORTEST <= len(text) <= LONGEST:
        (read,) = pieces(escape(text, "words"), "words")
        assert re.sub(r"\b(and|or|not|to)\b", "", read) == re.sub(r"\b(and|or|not|to|AND|OR|NOT|TO)\b", "", text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("홍길동", "홍길동"),
        ("홍길동 서울", "홍길동 서울"),
        ("  A1 \t\u3000 라인\n", "A1 라인"),
        ("a bc", "a bc"),
        ("A-1+2", "A-1+2"),
        ("a&&b|c", "a&&b|c"),
        ("TO", "TO"),
        ("\\(주\\)", "(주)"),
        ("\\u0041b", "Ab"),
        ("R\\ AND\\ D", "R AND D"),
        ("ANDROID NOTE", "ANDROID NOTE"),
        ("a\u00a0b", "a\u00a0b"),
    ],
)
def test_words_without_an_operator_are_one_text(text: str, read: str) -> None:
    assert pieces(text, "words") == (read,)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("label:홍길동", ":"),
        ("x) OR prefLabel:(길동", ")"),
        ("12:30", ":"),
        ("/(a+)+/", "/"),
        ("a/b", "/"),
        ("-9호기", "-"),
        ("+9호기", "+"),
        ("a - b", "-"),
        ("!a", "!"),
        ("a!b", "!"),
        ('"인용 부호"', '"'),
        ("홍길*", "*"),
        ("홍?동", "?"),
        ("홍길동~1", "~"),
        ("홍길동^4", "^"),
        ("[A]", "["),
        ("{a TO b}", "{"),
        ("밸브 OR", "OR"),
        ("AND", "AND"),
        ("NOT 홍길동", "NOT"),
        ("a && b", "&&"),
        ("a || b", "||"),
        ("홍길동\\", "\\"),
        ("\\u00", "\\u"),
    ],
)
def test_an_operator_is_refused_and_named(text: str, found: str) -> None:
    error = refused("text-query-operator", text)
    assert error.params["found"] == found
    assert found in error.text("en")
    assert "# @param words: text" in error.text("en")
    assert "# @param words: text" in error.text("ko")


@pytest.mark.parametrize("read", [escape, pieces])
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "text-query-short"),
        ("가", "text-query-short"),
        ("\U0001f600", "text-query-short"),
        ("a" * (LONGEST + 1), "text-query-long"),
        ("ab\x00", "text-query-characters"),
        ("ab\ud800", "text-query-characters"),
    ],
)
def test_what_finds_everything_or_nothing_is_refused(read: object, text: str, key: str) -> None:
    refused(key, text, read)


@pytest.mark.parametrize(("read", "text"), [(pieces, " \\( "), (pieces, "  "), (escape, "\u1100\u1161")])
def test_length_is_counted_without_what_goes(read: object, text: str) -> None:
    refused("text-query-short", text, read)


def test_the_longest_text_counts_its_own_characters_only() -> None:
    text = "(" * LONGEST
    assert pieces(escape(text, "words"), "words") == (text,)


@given(TEXTS | HOSTILE)
def test_a_plain_text_is_read_or_refused(text: str) -> None:
    try:
        (read,) = pieces(text, "words")
    except BadInput as error:
        assert error.key.startswith("text-query-")  # noqa: PT017 - both outcomes are right, and nothing else is
    else:
        assert SHORTEST <= len(read) <= LONGEST


def test_an_empty_text_is_shown_as_such() -> None:
    with pytest.raises(BadInput) as refused:
        escape("", "q.rq words")
    assert 'this is ""' in refused.value.text("en")
