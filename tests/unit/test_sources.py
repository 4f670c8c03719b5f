import copy
import json
import math
import pickle
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgeloop.errors import BadInput
from judgeloop.messages import LANGS, render
from judgeloop.sources import (
    MAX_STRING,
    WrittenFloat,
    WrittenInt,
    decode,
    leaves,
    line_column,
    lines,
    parse_json,
    pointer,
    read_jsonl,
    resolve,
)


def refusal(content: bytes | str) -> BadInput:
    with pytest.raises(BadInput) as caught:
        parse_json(content.encode() if isinstance(content, str) else content, "case.json")
    return caught.value


# --- bytes


def test_a_bom_is_no_content() -> None:
    assert parse_json('\ufeff{"가": "나"}'.encode(), "case.json") == {"가": "나"}


def test_a_second_bom_is() -> None:
    assert refusal("\ufeff\ufeff{}").place == "case.json:1:1"


@pytest.mark.parametrize("content", [b"", b" \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_not_null(content: bytes) -> None:
    assert refusal(content).key == "file-empty"


@pytest.mark.parametrize(
    ("content", "line", "offset"),
    [
        ("한".encode("cp949"), 1, 0),
        (b'{\n"a": "\xc3"}', 2, 8),
        (b"\xef\xbb\xbf\n\xff", 2, 4),
        (b'\xff\xfe{\x00"\x00', 1, 0),
        (b'"\xed\xa0\x80"', 1, 1),
    ],
    ids=["cp949", "a cut character", "after a BOM", "UTF-16", "an encoded surrogate"],
)
def test_other_encodings_are_refused_with_the_byte(content: bytes, line: int, offset: int) -> None:
    error = refusal(content)
    assert (error.key, error.place, error.params["offset"]) == ("not-utf8", f"case.json:{line}", offset)


def test_text_is_decoded_without_its_bom() -> None:
    assert decode(b"\xef\xbb\xbfa\r\n", "a.rq") == "a\r\n"


# --- syntax


@pytest.mark.parametrize(
    ("content", "place", "why"),
    [
        ('{"a": }', "1:7", "json-why-value"),
        ("[01]", "1:3", "json-why-comma"),
        ("[+1]", "1:2", "json-why-value"),
        ("[.5]", "1:2", "json-why-value"),
        ("[1.]", "1:3", "json-why-comma"),
        ("{'a': 1}", "1:2", "json-why-key"),
        ("{a: 1}", "1:2", "json-why-key"),
        ('{"a" 1}', "1:6", "json-why-colon"),
        ('{"a": 1 "b": 2}', "1:9", "json-why-comma"),
        ("{}\n{}", "2:1", "json-why-extra"),
        ('{"a": 1}]', "1:9", "json-why-extra"),
        ('{"a": "b}', "1:7", "json-why-open-string"),
        ('"a\nb"', "1:3", "json-why-control"),
        (r'"\x"', "1:2", "json-why-escape"),
        (r'"\u12"', "1:3", "json-why-escape"),
        ('{"a": [1, 2', "1:12", "json-why-cut-off"),
        ('{"a":\n', "2:1", "json-why-cut-off"),
        ("<!DOCTYPE html><p>404", "1:1", "json-why-markup"),
        ('{\n<<<<<<< ours\n"a": 1}', "2:1", "json-why-merge-marker"),
        ("<<<<<<< ours\n{}", "1:1", "json-why-merge-marker"),
        ("// why\n{}", "1:1", "json-why-value"),
        ("\u00a0{}", "1:1", "json-why-value"),
        ("True", "1:1", "json-why-value"),
    ],
)
def test_a_syntax_error_says_where_and_why(content: str, place: str, why: str) -> None:
    error = refusal(content)
    assert error.key == "json-syntax"
    assert error.place == f"case.json:{place}"
    for lang in LANGS:
        assert render(why, lang) in error.text(lang)


@pytest.mark.parametrize(("content", "why"), [("[1,\n 2, ]", "json-why-value"), ('{\n"a": 2, }', "json-why-key")])
def test_a_trailing_comma_is_refused_on_its_line(content: str, why: str) -> None:
    error = refusal(content)
    assert error.place.startswith("case.json:2:"), "which of comma and bracket is named depends on the Python version"
    assert render(why, "ko") in error.text("ko")


def test_columns_count_characters_not_bytes() -> None:
    assert refusal('{"안전": 1, "안전": 2}').place == "case.json:1:11"


@pytest.mark.parametrize(
    ("content", "place", "name"),
    [
        ('{"a": 1,\n\n "a": 1}', "3:2", '"a"'),
        ('{"a": {"b": 1},\n "c": [{"b": 1,\n "b": 2}]}', "3:2", '"b"'),
        ('{"a": 1, "\\u0061": 2}', "1:10", '"\\u0061"'),
        ('{"a\\"": 1, "a\\"" : 2}', "1:12", '"a\\""'),
        ('{"": 1, "": 2}', "1:9", '""'),
    ],
)
def test_a_key_twice_is_refused_where_it_stands_again(content: str, place: str, name: str) -> None:
    error = refusal(content)
    assert (error.key, error.place, error.params["name"]) == ("json-duplicate-key", f"case.json:{place}", name)


def test_the_same_key_in_other_objects_is_fine() -> None:
    document = {"a": {"a": [{"a": "a"}, {"a": "a: a"}]}, "b": '"a":'}
    assert parse_json(json.dumps(document).encode(), "case.json") == document


def test_two_spellings_of_one_letter_are_two_keys() -> None:
    assert len(parse_json('{"가": 1, "\u1100\u1161": 2}'.encode(), "case.json")) == 2


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_not_a_number_is_no_number(value: str) -> None:
    error = refusal(f'{{"a": "{value}",\n "b": {value}}}')
    assert (error.key, error.place, error.params["value"]) == ("json-not-a-number", "case.json:2:7", value)
    assert parse_json(f'"{value}"'.encode(), "case.json") == value


# --- size


def test_two_hundred_levels_are_read() -> None:
    assert list(leaves(parse_json(b"[" * 200 + b"1" + b"]" * 200, "case.json"))) == [("/0" * 200, 1)]


@pytest.mark.parametrize("depth", [201, 10_000, 1_000_000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_refused_and_no_crash(depth: int, opening: str) -> None:
    error = refusal(opening * depth)
    assert (error.key, error.place) == ("json-too-deep", f"case.json:1:{200 * len(opening) + 1}")


def test_brackets_in_strings_are_no_levels() -> None:
    assert parse_json(json.dumps(["[" * 1000, '\\"[' * 1000]).encode(), "case.json")[0] == "[" * 1000


def test_the_longest_string_is_counted_in_characters() -> None:
    assert len(parse_json(('"' + "가" * MAX_STRING + '"').encode(), "case.json")) == MAX_STRING
    assert len(parse_json(b'"' + rb"\ud83d\ude00" * MAX_STRING + b'"', "case.json")) == MAX_STRING
    error = refusal('["' + "a" * (MAX_STRING + 1) + '"]')
    assert (error.key, error.place) == ("json-string-too-long", "case.json:1:2")
    assert "1048577" in error.text("ko")


def test_a_number_of_four_thousand_digits_is_read_and_printed() -> None:
    digits = "9" * 4000
    assert str(parse_json(digits.encode(), "case.json")) == digits


@pytest.mark.parametrize(
    ("number", "key"),
    [
        ("9" * 4001, "json-number-too-long"),
        ("0." + "1" * 4000, "json-number-too-long"),
        ("-1e309", "json-number-too-large"),
    ],
)
def test_a_number_that_nothing_can_hold_is_refused(number: str, key: str) -> None:
    error = refusal(f"[1, {number}]")
    assert (error.key, error.place) == (key, "case.json:1:5")


@pytest.mark.parametrize("part", ['\\"', '"', "{", '"a":', "\\", "1e"])
def test_hostile_text_takes_linear_time(part: str) -> None:
    """Two hundred thousand repetitions: a reader that goes back over them would take minutes."""
    started = time.perf_counter()
    refusal('"' + part * 200_000)
    refusal(part * 200_000)
    assert time.perf_counter() - started < 10


# --- numbers


@pytest.mark.parametrize("written", ["1.50", "1e3", "1E+3", "-0.0", "0.1", "1e-400"])
def test_a_fraction_keeps_its_written_form(written: str) -> None:
    value = parse_json(written.encode(), "case.json")
    assert isinstance(value, WrittenFloat)
    assert value.text == written
    assert value == float(written)


@pytest.mark.parametrize("written", ["0", "-0", "12345678901234567890"])
def test_an_integer_keeps_its_written_form(written: str) -> None:
    value = parse_json(written.encode(), "case.json")
    assert isinstance(value, WrittenInt)
    assert value.text == written
    assert value == int(written)


def test_true_is_no_number() -> None:
    assert parse_json(b"[true, false, null]", "case.json") == [True, False, None]


def test_copies_keep_the_written_form() -> None:
    document = parse_json(b"[-0, 1.50]", "case.json")
    for twin in (copy.deepcopy(document), pickle.loads(pickle.dumps(document))):  # noqa: S301 - our own bytes
        assert [n.text for n in twin] == ["-0", "1.50"]


def test_lone_surrogates_are_kept() -> None:
    assert parse_json(rb'"\ud800"', "case.json") == "\ud800"


# --- JSON Lines


def test_blank_lines_are_skipped_and_counted() -> None:
    content = b'\xef\xbb\xbf{"a": 1}\r\n\n  \n{"b": "\xe2\x80\xa8"}'
    assert list(read_jsonl(content, "x.jsonl")) == [
        ("x.jsonl:1", b'{"a": 1}', {"a": 1}),
        ("x.jsonl:4", b'{"b": "\xe2\x80\xa8"}', {"b": "\u2028"}),
    ]


@pytest.mark.parametrize(
    ("bad", "place"), [(b'{"a": }', "x.jsonl:3:7"), (b'{"a": "\xff"}', "x.jsonl:3"), (b"\xc2\xa0", "x.jsonl:3:1")]
)
def test_a_bad_line_is_named_by_its_line_in_the_file(bad: bytes, place: str) -> None:
    rows = read_jsonl(b"\n{}\n" + bad, "x.jsonl")
    assert next(rows)[0] == "x.jsonl:2"
    with pytest.raises(BadInput) as caught:
        next(rows)
    assert caught.value.place == place


def test_the_lines_after_a_bad_one_can_be_had() -> None:
    good = [line for number, line in lines(b"{}\n{\n[]\n", "x.jsonl") if number != 2]
    assert good == [b"{}", b"[]"]


def test_an_empty_jsonl_file_is_refused() -> None:
    with pytest.raises(BadInput) as caught:
        list(read_jsonl(b"\n \r\n", "x.jsonl"))
    assert (caught.value.key, caught.value.place) == ("file-empty", "x.jsonl")


# --- places


def test_lines_and_columns_start_at_one() -> None:
    text = "a\r\n나b\n"
    assert [line_column(text, i) for i in range(len(text) + 1)] == [
        (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1),
    ]  # fmt: skip


RFC_6901 = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("", RFC_6901), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
        ("/g|h", 4), ("/i\\j", 5), ('/k"l', 6), ("/ ", 7), ("/m~0n", 8),
    ],
)  # fmt: skip
def test_a_pointer_leads_where_rfc_6901_section_5_says(place: str, value: object) -> None:
    assert resolve(RFC_6901, place) == value


def test_escapes_are_undone_in_the_order_of_rfc_6901_section_4() -> None:
    assert pointer("~1") == "/~01"
    assert resolve({"~1": 1, "/": 2}, "/~01") == 1


@pytest.mark.parametrize("place", ["/foo/2", "/foo/-", "/foo/00", "/foo/-1", "/foo/１", "/foo/0/x", "/none", "/foo/"])
def test_a_pointer_to_nothing_is_a_key_error(place: str) -> None:
    with pytest.raises(KeyError):
        resolve(RFC_6901, place)


@pytest.mark.parametrize("place", ["foo", "#/foo", "/~", "/~2"])
def test_what_is_no_pointer_is_a_value_error(place: str) -> None:
    with pytest.raises(ValueError, match=re.escape(place)):
        resolve(RFC_6901, place)


def test_leaves_come_in_the_order_of_the_document() -> None:
    document = {"b": [1, {"a/~": None}], "empty": {}, "a": "x", "none": []}
    assert list(leaves(document)) == [("/b/0", 1), ("/b/1/a~1~0", None), ("/a", "x")]
    assert list(leaves(3)) == [("", 3)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, st.booleans())
def test_what_is_json_is_read_as_such(document: Any, escaped: bool) -> None:
    written = json.dumps(document, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    assert parse_json(written, "case.json") == document


@given(JSON)
def test_every_leaf_is_found_at_its_pointer(document: Any) -> None:
    for place, value in leaves(document):
        assert resolve(document, place) is value


@given(st.text(alphabet='{}[]:,"\\ue0aN-1.'))
def test_any_text_is_read_as_json_reads_it_or_refused(text: str) -> None:
    try:
        value = parse_json(text.encode(), "case.json")
    except BadInput as error:
        assert error.place.startswith("case.json")  # noqa: PT017 - either outcome is right, this one has a place
    else:
        assert value == json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} was read"))
        assert all(not isinstance(leaf, float) or math.isfinite(leaf) for _, leaf in leaves(value))
