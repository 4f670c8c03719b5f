"""A case becomes one sealed graph: for any case, however odd, the graph says all of it, about it only, and verifies."""

import base64
import hashlib
import hmac
import json
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from judgeloop.casefile import to_case
from judgeloop.contract import freeze, locate
from judgeloop.errors import BadInput
from judgeloop.event import Event, context_of, seal
from judgeloop.model import Case, Contract
from judgeloop.rdf.canonical import verify
from judgeloop.rdf.literal import written
from judgeloop.rdf.mapping import LONG_TEXT
from judgeloop.rdf.mint import fragment, pointer_of
from judgeloop.sources import leaves, parse_json, resolve
from judgeloop.store import Store, open_store
from judgeloop.vocab import EVENT_PROFILE, JL, RDF, RDF_TYPE, XSD_BASE64

SECRET = b"a secret of the tests"
MH = "https://w3id.org/judgeloop/multihop#"


@cache
def contract() -> Contract:
    return freeze(locate("multihop"))


def case_of(text: str) -> Case:
    raw = text.encode()
    document = parse_json(raw, "case.json")
    assert isinstance(document, dict)
    return to_case("case.json", raw, document, contract())


def case_from(**members: Any) -> Case:
    return case_of(json.dumps({"case_id": "c1", "decision": {}, **members}, ensure_ascii=False))


def sealed(**members: Any) -> Event:
    return seal(case_from(**members), contract(), SECRET)


def values(event: Event, prop: str, subject: str = "") -> list[str]:
    """Return the values of a property as text; ``subject`` is a JSON Pointer."""
    about = f"{event.iri}#{fragment(subject)}" if subject else event.iri
    found = [t.object for t in event.triples if t.predicate.value == prop and t.subject == NamedNode(about)]
    return sorted(o.value for o in found if isinstance(o, NamedNode | Literal))


# --- any valid case, as it may be written in a file


class Number(str):
    """A number in the form that stands in the file."""

    __slots__ = ()


def dump(value: Any) -> str:
    """Return JSON text in which numbers keep their form."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k, ensure_ascii=False)}: {dump(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dump(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


HIDDEN = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?", fullmatch=True).map(Number)
TEXTS = st.one_of(
    st.text(),
    st.sampled_from(
        ["", "홍길동은 어디에 다녀?", unicodedata.normalize("NFD", "한글"), 'a\n"b"\\c\t\x00', "_:b", "null"]
    ),
    st.builds(lambda unit, n: unit * n, st.sampled_from(["긴 글. ", "a", "\n"]), st.integers(1000, 4200)),
)
IDS = st.one_of(
    st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters=HIDDEN), min_size=1, max_size=12),
    st.sampled_from(
        ["p 홍(길동)", "http://e/x y", "a/../b", ".", "..", "<evil>", "urn:judgeloop:self", "葛\U000e0100"]
    ),
)
OUR_TERMS = (
    "index",
    "member",
    "name",
    "value",
    "jsonType",
    "digest",
    "profile",
    "rawDigest",
    "*",
    "xsd",
    "at.dateTime",
)
HOSTILE = ("@id", "@type", "@graph", "@context", "@reverse", "jl:verdict", "http://evil.example/p", "a@b")
KEYS = st.one_of(st.text(max_size=8), st.sampled_from([*OUR_TERMS, *HOSTILE, "", "a/b", "m~n", "한글", "c%d"]))
SCALARS = st.one_of(TEXTS, NUMBERS, st.booleans(), st.none())
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=3)
TIMES = st.sampled_from(["2026-01-01T00:00:00.120+09:00", "2026-01-01", "2024-02-29T00:00:00Z", "yesterday", ""])


def some(
    known: dict[str, st.SearchStrategy[Any]], **needed: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    """Return objects with some of the known keys and a few that nobody knows; a known key keeps its own values."""
    own = {**needed, **known}
    return st.builds(
        lambda unknown, mine: {k: v for k, v in unknown.items() if k not in own} | mine,
        OBJECTS,
        st.fixed_dictionaries(needed, optional=known),
    )


STEPS = some(
    {
        "id": IDS,
        "actor": IDS,
        "tool": IDS,
        "on_behalf_of": IDS,
        "arguments": JSON,
        "result": JSON,
        "is_error": st.booleans(),
        "isError": st.booleans(),
        "parent": IDS | st.none() | st.just("s1"),
        "at": TIMES,
        "text": TEXTS,
        "items": st.lists(OBJECTS, max_size=2),
        "uses": st.integers(0, 9),
        "decision": TEXTS,
    },
    type=st.sampled_from(["plan", "tool_call", "tool_result", "retrieval", "approval"]),
)
EVIDENCE = some(
    {"text": TEXTS, "trust": TEXTS, "trust_root": JSON, "retrieved_at": TIMES, "table": JSON, "page": SCALARS}, id=IDS
)
HOPS = some({"src": IDS, "rel": IDS, "dst": IDS, "chunk_id": IDS | st.none()})
DECISIONS = some(
    {
        "query_id": IDS | NUMBERS,
        "decision": st.sampled_from(["answer", "refuse", "decision", "mh:Answer", ""]) | JSON,
        "answer": IDS | st.none() | NUMBERS | st.lists(IDS, max_size=2),
        "path": st.lists(HOPS, max_size=3) | SCALARS,
        "factors": st.lists(st.sampled_from(["missing_edge", "unheard_of"]) | JSON, max_size=3) | JSON,
        "reason": JSON,
        "evidence": TEXTS,
        "hedge": st.none() | TEXTS,
    }
)
CASES = some(
    {
        "contract": st.just("multihop"),
        "input": some({"text": TEXTS, "lang": st.sampled_from(["ko", "en"]), "asked_at": TIMES, "time_zone": TEXTS}),
        "trace": st.lists(STEPS, max_size=3),
        "evidence": st.lists(EVIDENCE, max_size=2),
        "model": some({"name": TEXTS, "version": TEXTS}),
        "prompt": OBJECTS.filter(lambda prompt: "sha256" not in prompt),
        "risk": st.sampled_from(["low", "medium", "high"]),
        "budget": OBJECTS,
        "limits": OBJECTS,
        "gold": DECISIONS,
    },
    case_id=IDS,
    decision=DECISIONS,
).map(dump)


def properties(context: Any) -> Iterator[str]:
    """Give every property that a context can name."""
    for value in context.values() if isinstance(context, Mapping) else ():
        compact = value.get("@id") if isinstance(value, Mapping) else value
        if isinstance(compact, str):
            prefix, _, local = compact.partition(":")
            yield {"jl": JL, "mh": MH, "rdf": RDF, "prov": "http://www.w3.org/ns/prov#"}.get(prefix, "") + local
        if isinstance(value, Mapping):
            yield from properties(value.get("@context", {}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(str(tmp_path_factory.mktemp("event") / "store")) as store:
        yield store


MANY = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
FEW = settings(MANY, max_examples=20)


@MANY
@given(CASES)
def test_any_case_is_sealed_whole_and_says_nothing_about_others(text: str) -> None:
    case = case_of(text)
    event = seal(case, contract(), SECRET)
    assert verify(event.triples, event.iri)
    assert {t.predicate.value for t in event.triples} <= {*properties(context_of(contract())), RDF_TYPE}
    for triple in event.whole:
        assert not isinstance(triple.object, BlankNode | Triple)
        assert isinstance(triple.subject, NamedNode)
        assert triple.subject.value.partition("#")[0] == event.iri
        assert triple.object not in {NamedNode(f"{RDF}List"), NamedNode(f"{RDF}nil")}
        for node in (triple.subject, triple.object):
            if isinstance(node, NamedNode) and node.value.startswith(f"{event.iri}#"):
                resolve(case.document, pointer_of(node.value) or "")  # raises where nothing stands


@MANY
@given(CASES)
def test_every_leaf_of_any_case_is_in_the_graph(text: str) -> None:
    case = case_of(text)
    event = seal(case, contract(), SECRET)
    texts: dict[str, set[str]] = {}
    for triple in event.whole:
        if isinstance(triple.object, Literal) and isinstance(triple.subject, NamedNode):
            texts.setdefault(pointer_of(triple.subject.value) or "", set()).add(triple.object.value)
    for place, value in leaves(case.document):
        if any(place == hostile or place.startswith(f"{hostile}/") for hostile in event.hostile):
            continue
        form, kind = written(value)
        said = texts.get(place, set()) | texts.get(place.rpartition("/")[0], set())
        assert (form if kind != "null" else "null") in said
        assert kind == "string" or kind in texts[place]


@MANY
@given(CASES)
def test_a_store_gives_back_what_was_sealed(folder: Store, text: str) -> None:
    event = seal(case_of(text), contract(), SECRET)
    for store in (open_store(), folder):
        store.put_once({event.iri: event.triples, event.payload_iri: event.payload})
        held = list(store.graph(event.iri))
        assert set(held) == set(event.triples)
        assert verify(held, event.iri)
        assert set(store.graph(event.payload_iri)) == set(event.payload)
        assert not store.put_once({event.iri: event.triples, event.payload_iri: event.payload})
        store.drop(event.payload_iri)
        assert verify(store.graph(event.iri), event.iri)
        store.drop(event.iri)


@FEW
@given(CASES, st.data())
def test_one_byte_more_or_less_is_another_event(text: str, data: st.DataObject) -> None:
    case = case_of(text)
    event = seal(case, contract(), SECRET)
    assert seal(case_of(text), contract(), SECRET) == event
    at = data.draw(st.integers(0, len(case.raw) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != case.raw[at]))
    for raw in (
        case.raw[:at] + bytes([other]) + case.raw[at + 1 :],
        case.raw[:at] + case.raw[at + 1 :],
        case.raw + b"\n",
    ):
        assert seal(case.model_copy(update={"raw": raw}), contract(), SECRET).iri != event.iri


# --- what an event says


def test_an_event_says_what_it_is() -> None:
    event = sealed(contract="multihop", risk="high")
    assert event.iri.startswith("https://kg.example/event/sha256-")
    assert event.payload_iri == event.iri.replace("/event/", "/payload/")
    assert values(event, RDF_TYPE) == [f"{JL}Event"]
    assert values(event, f"{JL}profile") == [EVENT_PROFILE]
    assert values(event, f"{JL}caseId") == ["c1"]
    assert values(event, f"{JL}contractRef") == ["multihop"]
    assert values(event, f"{JL}decision") == [f"{event.iri}#/decision"]


def test_a_decision_says_its_kind_and_gold_is_no_decision() -> None:
    event = sealed(decision={"decision": "answer", "answer": "a"}, gold={"decision": "answer", "answer": "a"})
    assert values(event, RDF_TYPE, "/decision") == [f"{MH}Answer"]
    assert values(event, RDF_TYPE, "/gold") == []
    assert values(event, f"{MH}answer", "/gold") == ["https://kg.example/a"]


def test_a_step_says_its_kind_and_whom_it_follows() -> None:
    steps = [{"id": "s1", "type": "plan"}, {"id": "s2", "type": "tool_call", "parent": "s1", "tool": "kg.find"}]
    event = sealed(trace=[*steps, {"id": "s3", "type": "message", "parent": "nobody"}])
    assert values(event, RDF_TYPE, "/trace/1") == [f"{JL}ToolCall"]
    assert values(event, f"{JL}index", "/trace/1") == ["1"]
    assert values(event, "http://www.w3.org/ns/prov#wasInformedBy", "/trace/1") == [f"{event.iri}#/trace/0"]
    assert values(event, "http://www.w3.org/ns/prov#wasInformedBy", "/trace/2") == []
    assert values(event, f"{JL}parent", "/trace/2") == ["nobody"]


def test_a_bare_decision_is_an_event_too() -> None:
    event = seal(case_of('{"query_id": "q001", "decision": "refuse"}'), contract(), SECRET)
    assert values(event, RDF_TYPE, "/decision") == [f"{MH}Refusal"]
    assert values(event, f"{JL}caseId") == []


def test_tool_arguments_hold_any_key_and_mint_no_property() -> None:
    arguments = {"@id": "urn:other", "jl:verdict": "PASS", "http://evil.example/p": {"@type": ["x", "x"]}}
    event = sealed(trace=[{"type": "tool_call", "arguments": arguments}])
    assert (event.opaque, event.hostile) == ((), ())
    names = [o.value for t in event.triples if t.predicate.value == f"{JL}name" and isinstance(o := t.object, Literal)]
    assert sorted(names) == ["@id", "@type", "http://evil.example/p", "jl:verdict"]
    assert not any("evil.example" in t.predicate.value for t in event.triples)


def test_keys_that_pose_as_json_ld_are_listed_and_only_in_the_raw_bytes() -> None:
    event = sealed(decision={"@graph": [{"@id": "urn:other", "http://evil.example/p": "x"}]}, **{"jl:verdict": "PASS"})
    assert sorted(event.hostile) == ["/decision/@graph", "/jl:verdict"]
    assert not any("evil" in str(t) or "urn:other" in str(t) or "PASS" in str(t) for t in event.triples)


def test_unknown_fields_are_kept_and_listed() -> None:
    event = sealed(decision={"mood": {"@id": "x"}}, profile="https://evil.example/", rawDigest="hmac-sha256:0")
    assert event.opaque == ("/decision/mood", "/profile", "/rawDigest")
    assert values(event, f"{JL}profile") == [EVENT_PROFILE]
    assert len(values(event, f"{JL}rawDigest")) == 1
    assert values(event, f"{JL}value", "/profile") == ["https://evil.example/"]


@pytest.mark.parametrize(
    ("member", "place"),
    [
        ('"decision": {"query_id": "q\\u202e"}', "case.json#/decision/query_id"),
        ('"decision": {"answer": "a\\nb"}', "case.json#/decision/answer"),
        ('"decision": {"path": [{"src": "\\u0000"}]}', "case.json#/decision/path/0/src"),
        ('"decision": {}, "trace": [{"type": "plan", "actor": "\\ud800"}]', "case.json#/trace/0/actor"),
        ('"decision": {}, "input": {"text": "\\udc00"}', "case.json#/input/text"),
        ('"decision": {"\\ud800": 1}', "case.json#/decision"),
        ('"decision": {"@\\ud800": 1}', "case.json#/decision"),
    ],
)
def test_hidden_characters_are_refused_with_their_place(member: str, place: str) -> None:
    with pytest.raises(BadInput) as refused:
        seal(case_of(f'{{"case_id": "c", {member}}}'), contract(), SECRET)
    assert (refused.value.key, refused.value.place) == ("id-characters", place)
    refused.value.text("ko").encode()


# --- what stands outside, and can be erased

ANSWER = "제 이름은 홍길동이고 전화번호는 010-0000-0000 입니다"


def test_the_payload_holds_the_file_byte_by_byte() -> None:
    text = '\ufeff{ "case_id" : "c1",\r\n "decision": {"reason": "\\ud55c"} }\n'
    event = seal(case_of(text), contract(), SECRET)
    (raw,) = [t.object for t in event.payload if t.predicate.value == f"{JL}rawBytes"]
    assert isinstance(raw, Literal)
    assert raw.datatype.value == XSD_BASE64
    assert base64.b64decode(raw.value) == text.encode()
    assert not any(t.predicate.value == f"{JL}rawBytes" for t in event.whole)


def test_the_raw_digest_is_keyed_by_store_and_case() -> None:
    case = case_from()
    key = hmac.new(SECRET, b"c1", hashlib.sha256).digest()
    expected = hmac.new(key, case.raw, hashlib.sha256).hexdigest()  # RFC 2104, twice
    assert values(sealed(), f"{JL}rawDigest") == [f"hmac-sha256:{expected}"]


def test_another_store_or_another_case_has_other_digests() -> None:
    personal = contract().model_copy(update={"personal": ("/decision/reason",)})
    case = case_from(decision={"reason": ANSWER})
    other_id = case.model_copy(update={"case_id": "c2"})
    events = [seal(case, personal, SECRET), seal(case, personal, b"another secret"), seal(other_id, personal, SECRET)]
    for prop, place in ((f"{JL}rawDigest", ""), (f"{JL}digest", "/decision/reason")):
        assert len({values(event, prop, place)[0] for event in events}) == 3


@pytest.mark.parametrize(
    "place", ["/decision/reason", "/input/text", "/decision/path/0/src", "/trace/0/arguments/q", "/evidence/0/text"]
)
def test_a_personal_text_is_not_in_the_event(place: str) -> None:
    case = case_from(
        decision={"reason": ANSWER, "path": [{"src": ANSWER}]},
        input={"text": ANSWER},
        trace=[{"type": "tool_call", "arguments": {"q": ANSWER}}],
        evidence=[{"id": "e", "text": ANSWER}],
    )
    event = seal(case, contract().model_copy(update={"personal": (place,)}), SECRET)
    holding = [t for t in event.triples if isinstance(t.object, Literal) and t.object.value == ANSWER]
    assert len(holding) == 4
    assert len([t for t in event.whole if isinstance(t.object, Literal) and t.object.value == ANSWER]) == 5
    assert values(event, f"{JL}digest", place)[0].startswith("hmac-sha256:")


def test_the_texts_outside_have_the_property_that_they_would_have_inside() -> None:
    text = "가" * LONG_TEXT
    whole = {
        (t.subject.value.removeprefix(event.iri), t.predicate.value)
        for event in [
            sealed(
                decision={"reason": text, "mood": text},
                input={"text": text},
                trace=[{"type": "approval", "decision": text, "result": {"a": text}}],
            )
        ]
        for t in event.whole
        if isinstance(t.subject, NamedNode) and isinstance(t.object, Literal) and t.object.value == text
    }
    assert whole == {
        ("#/decision", f"{MH}reason"),
        ("#/decision/mood", f"{JL}value"),
        ("#/input", f"{JL}text"),
        ("#/trace/0", f"{JL}approvalDecision"),
        ("#/trace/0/result/a", f"{JL}value"),
    }


def test_an_erased_payload_leaves_an_event_that_verifies() -> None:
    event = sealed(decision={"reason": "긴 글 " * LONG_TEXT})
    with open_store() as store:
        store.put_once({event.iri: event.triples, event.payload_iri: event.payload})
        store.drop(event.payload_iri)
        assert store.graphs() == [event.iri]
        assert verify(store.graph(event.iri), event.iri)
        assert not any("긴 글" in str(t) for t in store.graph(event.iri))
