import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from judgeloop import assets
from judgeloop.errors import BadInput, EngineFailure
from judgeloop.schema import Schema, SchemaViolation, json_type
from judgeloop.sources import parse_json, resolve

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema(document: object) -> Schema:
    return Schema(json.dumps(document).encode(), "pack.schema.json")


def places(document: object, instance: Any) -> list[tuple[str, str]]:
    return [(v.pointer, v.keyword) for v in schema(document).violations(instance)]


def only(document: object, instance: Any) -> SchemaViolation:
    (violation,) = schema(document).violations(instance)
    return violation


def refusal(document: object) -> BadInput:
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(BadInput) as caught:
        Schema(content, "pack.schema.json")
    return caught.value


# --- the schema itself


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"type": "text"}, "pack.schema.json /type"),
        ({"properties": {"a": {"minLength": -1}}}, "pack.schema.json /properties/a/minLength"),
        ({"pattern": "("}, "pack.schema.json /pattern"),
        ([], "pack.schema.json"),
        ("type", "pack.schema.json"),
    ],
)
def test_what_is_no_schema_is_refused_with_its_place(document: object, place: str) -> None:
    error = refusal(document)
    assert (error.key, error.place) == ("schema-broken", place)
    assert error.text("ko").startswith(f"{place}: JSON Schema 가 아닙니다: ")


def test_a_schema_that_is_no_json_is_refused_as_json() -> None:
    assert refusal(b'{"type": }').place == "pack.schema.json:1:10"


@pytest.mark.parametrize("draft", ["http://json-schema.org/draft-04/schema#", "https://example.org/mine", 7])
def test_an_unknown_draft_is_not_read_as_the_newest(draft: object) -> None:
    error = refusal({"$schema": draft})
    assert error.key == "schema-broken"
    assert DRAFT in error.text("en")


@pytest.mark.parametrize(
    ("draft", "items"),
    [
        ("http://json-schema.org/draft-07/schema#", "items"),
        ("https://json-schema.org/draft/2019-09/schema", "items"),
        (DRAFT, "prefixItems"),
    ],
)
def test_each_draft_has_its_own_keywords(draft: str, items: str) -> None:
    pair = {"$schema": draft, items: [{"type": "string"}, {"type": "number"}]}
    assert places(pair, ["a", 1]) == []
    assert places(pair, ["a", "b"]) == [("/1", "type")]


@pytest.mark.parametrize(
    "reference", ["https://example.org/schema.json", "other.json", "#/$defs/none", "file:///etc/hostname"]
)
def test_nothing_is_ever_fetched(reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: pytest.fail("a name was looked up"))
    error = refusal({"properties": {"a": {"items": {"$ref": reference}}}})
    assert error.key == "schema-broken"
    assert reference in error.text("ko")


def test_references_inside_the_file_are_followed() -> None:
    tree = {
        "$schema": DRAFT,
        "$id": "https://example.org/tree",
        "type": "object",
        "required": ["id"],
        "properties": {"id": {"$ref": "#/$defs/id"}, "parts": {"items": {"$ref": "https://example.org/tree"}}},
        "$defs": {"id": {"$id": "id", "type": "string", "pattern": "^x$"}},
    }
    assert places(tree, {"id": "x", "parts": [{"id": "x"}]}) == []
    found = schema(tree).violations({"id": "x", "parts": [{"id": "x\n"}, {}]})
    assert [(v.pointer, v.keyword) for v in found] == [("/parts/0/id", "pattern"), ("/parts/1", "required")]
    assert found[1].message["en"] == 'the key "id" is missing', "the stricter reading holds behind a reference too"


def test_a_format_that_nothing_can_check_is_not_passed_over() -> None:
    error = refusal({"properties": {"a": {"format": "hostname"}}})
    assert error.key == "schema-broken"
    assert "hostname" in error.text("ko")


# --- violations


def test_a_document_that_fits_has_none() -> None:
    assert places({"type": "object", "required": ["a"]}, {"a": None}) == []


def test_each_missing_key_is_named_at_its_object() -> None:
    document = {"properties": {"hop": {"items": {"required": ["src", "dst"]}}}, "required": ["id"]}
    found = schema(document).violations({"hop": [{"dst": 1}, {}]})
    assert [(v.pointer, v.message["en"]) for v in found] == [
        ("", 'the key "id" is missing'),
        ("/hop/0", 'the key "src" is missing'),
        ("/hop/1", 'the key "dst" is missing'),
        ("/hop/1", 'the key "src" is missing'),
    ]
    assert found[0].message["ko"] == '키 "id" 이(가) 없습니다'


def test_each_key_too_many_is_named_where_it_stands() -> None:
    document = {"properties": {"a": True}, "patternProperties": {"^x-": True}, "additionalProperties": False}
    found = schema(document).violations({"a": 1, "x-b": 1, "c/d": 1, "e": 1})
    assert [(v.pointer, v.keyword) for v in found] == [
        ("/c~1d", "additionalProperties"),
        ("/e", "additionalProperties"),
    ]
    assert found[0].message == {
        "en": 'the key "c/d" is not known here',
        "ko": '키 "c/d" 은(는) 여기에 쓸 수 없습니다',
    }


def test_other_keys_may_have_a_schema_of_their_own() -> None:
    document = {"patternProperties": {"^n": {"type": "number"}}, "additionalProperties": {"type": "string"}}
    assert places(document, {"n1": 1, "n2": "x", "a": "x", "b": 1}) == [("/b", "type"), ("/n2", "type")]
    assert places(document, 5) == []


@pytest.mark.parametrize(
    ("document", "instance", "en", "ko"),
    [
        ({"type": "string"}, 5, "must be string, is number: 5", "string 이어야 하는데 number 입니다: 5"),
        (
            {"type": ["string", "null"]},
            {},
            "must be string | null, is object: {}",
            "string | null 이어야 하는데 object 입니다: {}",
        ),
        ({"enum": ["가", 1]}, "나", 'must be one of ["가", 1], is "나"', '["가", 1] 중 하나여야 하는데 "나" 입니다'),
        ({"const": 1}, True, "must be 1, is true", "1 이어야 하는데 true 입니다"),
        ({"minLength": 2}, "가", "must have at least 2 characters, has 1", "2 자 이상이어야 하는데 1 자입니다"),
        ({"maxLength": 1}, "가나", "must have at most 1 characters, has 2", "1 자 이하여야 하는데 2 자입니다"),
        ({"minItems": 1}, [], "must have at least 1 items, has 0", "항목이 1 개 이상이어야 하는데 0 개입니다"),
        ({"maxItems": 0}, [1], "must have at most 0 items, has 1", "항목이 0 개 이하여야 하는데 1 개입니다"),
        ({"minProperties": 1}, {}, "must have at least 1 keys, has 0", "키가 1 개 이상이어야 하는데 0 개입니다"),
        ({"uniqueItems": True}, [1, 1], "an item stands here twice", "같은 항목이 두 번 있습니다"),
        ({"minimum": 0}, -1, "must be 0 or more, is -1", "0 이상이어야 하는데 -1 입니다"),
        ({"maximum": 0}, 1, "must be 0 or less, is 1", "0 이하여야 하는데 1 입니다"),
        ({"exclusiveMinimum": 0}, 0, "must be more than 0, is 0", "0 보다 커야 하는데 0 입니다"),
        ({"exclusiveMaximum": 0}, 0, "must be less than 0, is 0", "0 보다 작아야 하는데 0 입니다"),
        (
            {"pattern": "^a$"},
            "b",
            'must match the pattern "^a$", is "b"',
            '패턴 "^a$" 에 맞아야 하는데 "b" 입니다',
        ),
        (
            {"format": "date"},
            "2024-02-30",
            'must have the format "date", is "2024-02-30"',
            '형식이 "date" 이어야 하는데 "2024-02-30" 입니다',
        ),
        (
            {"anyOf": [{"type": "null"}, False]},
            1,
            "fits none of the forms that are allowed here",
            "여기서 허용되는 어느 형식에도 맞지 않습니다",
        ),
        (
            {"oneOf": [True, True]},
            1,
            "must fit exactly one of the forms that are allowed here",
            "여기서 허용되는 형식 가운데 정확히 하나에 맞아야 합니다",
        ),
        (
            {"multipleOf": 2},
            3,
            "breaks the keyword multipleOf of the schema",
            "스키마의 키워드 multipleOf 을(를) 어깁니다",
        ),
        (False, 1, "breaks the keyword false of the schema", "스키마의 키워드 false 을(를) 어깁니다"),
    ],
)
def test_a_violation_says_in_both_languages_what_was_asked_for(
    document: object, instance: object, en: str, ko: str
) -> None:
    assert only(document, instance).message == {"en": en, "ko": ko}


def test_numbers_are_shown_as_they_were_written() -> None:
    instance = parse_json(b"1.50", "case.json")
    found = Schema(b'{"maximum": 1.20}', "s.json").violations(instance)[0]
    assert found.message["en"] == "must be 1.20 or less, is 1.50"


def test_what_can_not_be_seen_is_shown_escaped() -> None:
    assert only({"type": "number"}, "a\u202eb\u200b").message["ko"].endswith(r'"a\u202eb\u200b"')
    assert only({"type": "number"}, "\ud800").message["en"].encode()  # a lone surrogate would not be UTF-8


def test_violations_come_in_one_order() -> None:
    document = {"properties": {"b": {"type": "string", "minimum": 3}, "a": {"type": "string"}}, "required": ["z"]}
    expected = [("", "required"), ("/a", "type"), ("/b", "minimum"), ("/b", "type")]
    assert places(document, {"b": 1, "a": 1}) == places(document, {"a": 1, "b": 1}) == expected


# --- stricter than the library


def test_a_line_end_after_an_id_does_not_slip_through() -> None:
    """ECMA-262, 22.2.2.4: without the m flag ``$`` holds at the end of the input only."""
    assert places({"pattern": "^P-1$"}, "P-1\n") == [("", "pattern")]
    assert places({"patternProperties": {"^a$": {"type": "string"}}}, {"a\n": 1}) == []
    assert places({"patternProperties": {"^a$": True}, "additionalProperties": False}, {"a\n": 1}) == [
        ("/a\n", "additionalProperties")
    ]


def test_digits_and_words_are_ascii() -> None:
    """ECMA-262, 22.2.2.9: ``\\d`` is 0 to 9, ``\\w`` are 63 characters."""
    assert places({"pattern": r"^\d+$"}, "１２") == [("", "pattern")]
    assert places({"pattern": r"^\w+$"}, "가") == [("", "pattern")]
    assert places({"pattern": "^[가-힣]+$"}, "가") == []


@pytest.mark.parametrize(("pattern", "text"), [(r"^\$$", "$"), ("^[$]$", "$"), (r"^[\]$]+$", "]$"), ("a$|^b", "bc")])
def test_other_dollars_stay_dollars(pattern: str, text: str) -> None:
    assert places({"pattern": pattern}, text) == []


def test_equal_items_are_found_whatever_they_are() -> None:
    unique = {"uniqueItems": True}
    assert places(unique, [1, True, "1", [1], {"a": 1}, {"a": True}, None, [], {}, ["1", 1], [1, "1"], 0, False]) == []
    for twice in ([1, 1.0], [{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}], [[None], [None]], [0, -0.0]):
        assert places(unique, twice) == [("", "uniqueItems")]
    assert places({"uniqueItems": False}, [1, 1]) == []


def test_many_unlike_items_take_linear_time() -> None:
    items = [{"a": str(i)} for i in range(50_000)]
    started = time.perf_counter()
    assert places({"uniqueItems": True}, items) == []
    assert time.perf_counter() - started < 20, "comparing each with each takes half an hour"


@pytest.mark.parametrize(
    ("text", "fits"),
    [  # the first three are the examples of RFC 3339, section 5.8
        ("1985-04-12T23:20:50.52Z", True),
        ("1996-12-19T16:39:57-08:00", True),
        ("1937-01-01T12:00:27.87+00:20", True),
        ("2024-02-29t00:00:00z", True),
        ("2023-02-29T00:00:00Z", False),
        ("2024-01-01T24:00:00Z", False),
        ("2024-01-01T00:00:00", False),
        ("2024-01-01T00:00:00+0900", False),
        ("2024-01-01 00:00:00Z", False),
        ("2024-01-01T00:00:00Z\n", False),
        ("２024-01-01T00:00:00Z", False),
    ],
)
def test_a_date_time_is_one_of_rfc_3339(text: str, fits: bool) -> None:
    assert (places({"format": "date-time"}, text) == []) is fits


def test_an_iri_is_absolute_and_has_no_spaces() -> None:
    for name in ("iri", "uri"):
        assert places({"format": name}, "urn:judgeloop:가") == []
        for wrong in ("a", "/a", "http://a b", "http://a>", "1a:b", "a:b\n"):
            assert places({"format": name}, wrong) == [("", "format")]


def test_formats_speak_of_strings_only() -> None:
    assert places({"format": "date-time"}, 5) == places({"format": "iri"}, None) == []


# --- what was looked at


@pytest.mark.parametrize(
    ("instance", "values"), [(None, 1), ("x", 1), ({}, 1), ([], 1), ({"a": [1, {"b": None}], "c": ""}, 6)]
)
def test_every_value_counts_containers_too(instance: object, values: int) -> None:
    assert schema(True).examined(instance) == values


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{}", "object"),
        ("[]", "array"),
        ('""', "string"),
        ("1", "number"),
        ("1.5", "number"),
        ("true", "boolean"),
        ("null", "null"),
    ],
)
def test_a_value_has_one_of_six_types(text: str, name: str) -> None:
    assert json_type(parse_json(text.encode(), "case.json")) == name


# --- what can't be finished


def test_an_overflow_is_not_a_verdict() -> None:
    huge = parse_json(b"1" * 400, "case.json")
    with pytest.raises(EngineFailure) as caught:
        schema({"multipleOf": 0.1}).violations(huge)
    assert caught.value.key == "schema-stopped"


def test_a_depth_that_the_engine_can_not_reach_is_not_a_verdict() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(EngineFailure):
        schema({"items": {"$ref": "#"}}).violations(deep)
    assert schema(True).examined(deep) == 5001


def test_whatever_can_be_read_can_be_validated() -> None:
    deep = parse_json(b"[" * 200 + b"]" * 200, "case.json")
    assert places({"type": "array", "items": {"$ref": "#"}}, deep) == []


def test_one_schema_serves_many_threads() -> None:
    shared = schema({"items": {"type": "number", "pattern": "x"}})
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: len(shared.violations(["x"] * n)), range(60)))
    assert found == list(range(60))


# --- the shipped schemas, and the library as a second opinion


@pytest.mark.parametrize("file", sorted(p.name for p in (assets.root() / "shapes").glob("*.schema.json")))
def test_every_shipped_schema_is_sound(file: str) -> None:
    path = assets.root() / "shapes" / file
    assert Schema(assets.read(path), file).violations(5), "a decision, a case and a record are objects"


SAMPLE: dict[str, Any] = {
    "type": "object",
    "required": ["a"],
    "additionalProperties": False,
    "properties": {
        "a": {"type": ["integer", "null"], "minimum": 1},
        "b": {"type": "array", "uniqueItems": True, "items": {"$ref": "#"}, "minItems": 1},
        "c": {"enum": [1, "x", None]},
    },
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["x", "", 1.0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
)


@given(VALUES)
def test_the_library_agrees_where_nothing_is_stricter(instance: Any) -> None:
    found = schema(SAMPLE).violations(instance)
    assert (not found) is Draft202012Validator(SAMPLE).is_valid(instance)
    for violation in found:
        resolve(instance, violation.pointer)
