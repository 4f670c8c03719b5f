"""JSON becomes RDF: every trap that JSON-LD sets for JSON of strangers, one test each.

The expected triples are written by hand from JSON-LD 1.1 and from the naming conventions of the module. A second reader
(rdflib) reads the same annotated documents, so that no expectation rests on one parser alone.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
import rdflib
from pyoxigraph import BlankNode, NamedNode, Triple

from judgeloop.contract import freeze, locate
from judgeloop.errors import BadInput
from judgeloop.event import context_of
from judgeloop.model import Contract
from judgeloop.rdf import jsonld
from judgeloop.rdf.canonical import term
from judgeloop.rdf.context import faults
from judgeloop.rdf.jsonld import Mapped, expand, to_rdf
from judgeloop.rdf.mapping import LONG_TEXT
from judgeloop.rdf.mint import Minting
from judgeloop.sources import parse_json
from judgeloop.vocab import JL, RDF, RDF_TYPE, XSD

OWN = "urn:judgeloop:self"
BASE = "https://kg.example/"
EX = "https://parcel.example/v#"
MINTING = Minting(BASE, {"wd": "http://www.wikidata.org/entity/"})
OURS = {
    "jl": JL,
    "ex": EX,
    "rdf": RDF,
    "xsd": XSD,
    "index": {"@id": "jl:index", "@type": "xsd:integer"},
    "member": "jl:member",
    "name": "jl:name",
    "value": "jl:value",
    "jsonType": "jl:jsonType",
    "digest": "jl:digest",
}
PARCEL = {
    "*type": "ex:Parcel",
    "id": "ex:idText",
    "id.iri": {"@id": "ex:id", "@type": "@id"},
    "to": "ex:toText",
    "to.iri": {"@id": "ex:to", "@type": "@id"},
    "stops": "ex:stopText",
    "stops.iris": {"@id": "ex:stop", "@type": "@id"},
    "weight": "ex:weightText",
    "weight.decimal": {"@id": "ex:weight", "@type": "xsd:decimal"},
    "count": "ex:countText",
    "count.integer": {"@id": "ex:count", "@type": "xsd:integer"},
    "sent": "ex:sentText",
    "sent.dateTime": {"@id": "ex:sent", "@type": "xsd:dateTime"},
    "fragile": "ex:fragileText",
    "fragile.boolean": {"@id": "ex:fragile", "@type": "xsd:boolean"},
    "state": "ex:state",
    "state.type": {"@id": "ex:stateTerm", "@type": "@vocab", "@context": {"state": "ex:State", "lost": "ex:Lost"}},
    "tags": "ex:tag",
    "note": "ex:note",
    "remark": "ex:note",
    "leg": {"@id": "ex:leg", "@context": {"*type": "ex:Leg", "from": "ex:from"}},
    "scores": {"@id": "ex:score", "@context": {"value": "ex:scoreText"}},
    "extras": {"@id": "ex:extras", "@context": {"*": None}},
}
CONTEXT: dict[str, Any] = {**OURS, "parcel": {"@id": "ex:parcel", "@context": PARCEL}}


def mapped(parcel: str, **options: Any) -> Mapped:
    """Map ``{"parcel": …}``, given as it is written in the file."""
    document = parse_json(f'{{"parcel": {parcel}}}'.encode(), "parcel.json")
    return to_rdf(document, CONTEXT, own=OWN, minting=MINTING, place="parcel.json", **options)


def said(found: Mapped) -> set[str]:
    """Return the statements below the root, written short."""
    return {line for t in found.triples if (line := short(t)) != "- ex:parcel /parcel" and "ex:Parcel" not in line}


def short(triple: Triple) -> str:
    return " ".join(_short(term(node)) for node in (triple.subject, triple.predicate, triple.object))


def _short(text: str) -> str:
    for namespace, prefix in ((EX, "ex:"), (JL, "jl:"), (XSD, "xsd:"), (RDF, "rdf:"), (BASE, "kg:"), (f"{OWN}#", "")):
        text = text.replace(f"<{namespace}", f"{prefix}<")
    return text.replace("<", "").replace(">", "") if text != f"<{OWN}>" else "-"


def predicates(found: Mapped) -> set[str]:
    return {t.predicate.value for t in found.triples}


# --- keys that a stranger chose


@pytest.mark.parametrize(
    "member",
    [
        '"@id": "urn:other"',
        '"@type": "https://evil.example/T"',
        '"@graph": [{"@id": "urn:other", "http://evil.example/p": "x"}]',
        '"@context": {"note": "http://evil.example/p"}',
        '"@context": "http://evil.example/context"',
        '"@reverse": {"ex:leg": {"@id": "urn:other"}}',
        '"@included": [{"@id": "urn:other", "http://evil.example/p": "x"}]',
        '"jl:verdict": "PASS"',
        '"ex:note": "x"',
        '"http://evil.example/p": "x"',
        '"a@b": {"ex:note": "x"}',
        '"\\u0040id": "urn:other"',
    ],
)
def test_a_key_that_poses_as_json_ld_becomes_nothing_and_is_listed(member: str) -> None:
    clean = mapped('{"note": "n"}')
    hostile = mapped(f'{{"note": "n", {member}}}')
    assert hostile.triples == clean.triples
    (place,) = hostile.hostile
    assert place == "/parcel/" + json.loads(f"{{{member}}}").popitem()[0].replace("/", "~1")
    assert hostile.opaque == []


def test_an_unknown_key_is_kept_as_name_and_value_and_listed() -> None:
    found = mapped('{"colour": "red", "Note": "n"}')
    assert said(found) == {
        "/parcel jl:member /parcel/colour",
        '/parcel/colour jl:name "colour"',
        '/parcel/colour jl:value "red"',
        "/parcel jl:member /parcel/Note",
        '/parcel/Note jl:name "Note"',
        '/parcel/Note jl:value "n"',
    }
    assert found.opaque == ["/parcel/colour", "/parcel/Note"]


@pytest.mark.parametrize(
    "key", ["*", "*type", "weight.decimal", "state.type", "xsd", "jl", "index", "member", "name", "value", "digest", ""]
)
def test_the_words_of_a_context_are_no_keys_of_a_user(key: str) -> None:
    found = mapped(json.dumps({key: "x"}))
    assert found.opaque == [f"/parcel/{key}"]
    assert predicates(found) == {f"{EX}parcel", RDF_TYPE, f"{JL}member", f"{JL}name", f"{JL}value"}


@pytest.mark.parametrize("key", ["index", "member", "name", "value", "jsonType", "digest", "profile"])
def test_our_own_terms_are_no_keys_of_a_user_either(key: str) -> None:
    context = CONTEXT | {"profile": {"@id": "jl:profile", "@type": "@id"}}
    found = to_rdf({key: "7"}, context, own=OWN, minting=MINTING, extra={"profile": "https://kg.example/profile"})
    assert found.opaque == [f"/{key}"]
    assert {short(t) for t in found.triples} == {
        "- jl:profile kg:profile",
        f"- jl:member /{key}",
        f'/{key} jl:name "{key}"',
        f'/{key} jl:value "7"',
    }


def test_a_scoped_context_does_not_give_our_terms_another_meaning() -> None:
    found = mapped('{"scores": [{"colour": "red"}, ["a"], "b"]}')
    assert said(found) == {
        "/parcel ex:score /parcel/scores/0",
        '/parcel/scores/0 jl:index "0"^^xsd:integer',
        "/parcel/scores/0 jl:member /parcel/scores/0/colour",
        '/parcel/scores/0/colour jl:name "colour"',
        '/parcel/scores/0/colour jl:value "red"',  # and not ex:scoreText
        "/parcel ex:score /parcel/scores/1",
        '/parcel/scores/1 jl:index "1"^^xsd:integer',
        "/parcel/scores/1 jl:member /parcel/scores/1/0",
        '/parcel/scores/1/0 jl:index "0"^^xsd:integer',
        '/parcel/scores/1/0 jl:value "a"',
        "/parcel ex:score /parcel/scores/2",
        '/parcel/scores/2 jl:index "2"^^xsd:integer',
        '/parcel/scores/2 ex:scoreText "b"',
    }


@pytest.mark.parametrize(
    ("extras", "statements"),
    [
        (
            '{"@id": "urn:x", "jl:verdict": "PASS", "note": "n"}',
            {
                '/parcel/extras/@id jl:name "@id"',
                '/parcel/extras/@id jl:value "urn:x"',
                "/parcel/extras jl:member /parcel/extras/@id",
                '/parcel/extras/jl:verdict jl:name "jl:verdict"',
                '/parcel/extras/jl:verdict jl:value "PASS"',
                "/parcel/extras jl:member /parcel/extras/jl:verdict",
                '/parcel/extras/note jl:name "note"',
                '/parcel/extras/note jl:value "n"',
                "/parcel/extras jl:member /parcel/extras/note",
            },
        ),
        (
            '{"a/b": [1.50, null, {"": true}]}',
            {
                "/parcel/extras jl:member /parcel/extras/a~1b",
                '/parcel/extras/a~1b jl:name "a/b"',
                "/parcel/extras/a~1b jl:member /parcel/extras/a~1b/0",
                '/parcel/extras/a~1b/0 jl:index "0"^^xsd:integer',
                '/parcel/extras/a~1b/0 jl:value "1.50"',
                '/parcel/extras/a~1b/0 jl:jsonType "number"',
                "/parcel/extras/a~1b jl:member /parcel/extras/a~1b/1",
                '/parcel/extras/a~1b/1 jl:index "1"^^xsd:integer',
                '/parcel/extras/a~1b/1 jl:jsonType "null"',
                "/parcel/extras/a~1b jl:member /parcel/extras/a~1b/2",
                '/parcel/extras/a~1b/2 jl:index "2"^^xsd:integer',
                "/parcel/extras/a~1b/2 jl:member /parcel/extras/a~1b/2/",
                '/parcel/extras/a~1b/2/ jl:name ""',
                '/parcel/extras/a~1b/2/ jl:value "true"',
                '/parcel/extras/a~1b/2/ jl:jsonType "boolean"',
            },
        ),
        ("{}", set()),
    ],
    ids=["any key", "any depth", "nothing"],
)
def test_what_a_tool_was_given_stays_opaque(extras: str, statements: set[str]) -> None:
    found = mapped(f'{{"extras": {extras}}}')
    assert said(found) == statements | {"/parcel ex:extras /parcel/extras"}
    assert (found.opaque, found.hostile) == ([], [])


def test_an_object_where_the_context_expects_text_is_opaque() -> None:
    assert said(mapped('{"note": {"lang": "ko"}}')) == {
        "/parcel ex:note /parcel/note",
        "/parcel/note jl:member /parcel/note/lang",
        '/parcel/note/lang jl:name "lang"',
        '/parcel/note/lang jl:value "ko"',
    }


# --- ids


@pytest.mark.parametrize(
    ("written", "iri"),
    [
        ("p_hong", "kg:p_hong"),
        ("p 홍(길동)", "kg:p%20홍%28길동%29"),
        ("http://e/x y", "kg:http%3A%2F%2Fe%2Fx%20y"),
        ("<evil>", "kg:%3Cevil%3E"),
        ("_:b0", "kg:_%3Ab0"),
        ("a/../b", "kg:a%2F..%2Fb"),
        (".", "kg:%2E"),
        ("..", "kg:%2E%2E"),
        ("#/parcel", "kg:%23%2Fparcel"),
        ("ex:note", "kg:ex%3Anote"),
        ("parcel", "kg:parcel"),
        ("葛\U000e0100", "kg:葛%F3%A0%84%80"),
        ("http://e/a/../b", "http://e/a/../b"),
        ("wd:Q42", "http://www.wikidata.org/entity/Q42"),
    ],
)
def test_an_id_is_minted_and_never_lost_or_resolved(written: str, iri: str) -> None:
    assert said(mapped(json.dumps({"to": written}))) == {
        f'/parcel ex:toText "{written}"'.replace("<", "").replace(">", ""),
        f"/parcel ex:to {iri}",
    }


def test_an_id_with_hidden_characters_is_refused_with_its_place() -> None:
    with pytest.raises(BadInput) as refused:
        mapped('{"to": "p_hong\\u202e"}')
    assert (refused.value.key, refused.value.place) == ("id-characters", "parcel.json#/parcel/to")


def test_a_list_of_ids_in_one_text_names_each_once() -> None:
    assert said(mapped('{"stops": "a, b,, a "}')) == {
        '/parcel ex:stopText "a, b,, a "',
        "/parcel ex:stop kg:a",
        "/parcel ex:stop kg:b",
    }


@pytest.mark.parametrize("text", ['"\\ud800"', '{"\\ud800": 1}', '{"@\\udfff": 1}', '{"extras": {"\\udfff": 1}}'])
def test_half_a_character_can_not_be_recorded(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        mapped(text if text.startswith("{") else f'{{"note": {text}}}')
    assert refused.value.key == "id-characters"
    refused.value.text().encode()


# --- values


def test_a_value_that_is_called_like_a_property_is_no_property() -> None:
    assert said(mapped('{"state": "state"}')) == {'/parcel ex:state "state"', "/parcel ex:stateTerm ex:State"}


@pytest.mark.parametrize("value", ["note", "weird", "ex:Lost", "http://evil.example/T", "*", "@id", ""])
def test_a_value_that_the_context_does_not_know_gets_no_term(value: str) -> None:
    assert said(mapped(json.dumps({"state": value}))) == {f'/parcel ex:state "{value}"'}


@pytest.mark.parametrize(
    ("member", "twin"),
    [
        ('"weight": 0.82', 'ex:weight "0.82"^^xsd:decimal'),
        ('"weight": 1.0', 'ex:weight "1"^^xsd:decimal'),
        ('"weight": 8.20e-1', 'ex:weight "0.82"^^xsd:decimal'),
        ('"count": 20', 'ex:count "20"^^xsd:integer'),
        ('"fragile": true', 'ex:fragile "true"^^xsd:boolean'),
        ('"sent": "2026-03-02T09:00:00.120+09:00"', 'ex:sent "2026-03-02T00:00:00.12Z"^^xsd:dateTime'),
        ('"weight": 0.12345678901234567', None),
        ('"count": 123456789012345678901', None),
        ('"count": 2.0', None),
        ('"count": -0', None),
        ('"sent": "2026-03-02T09:00:00"', None),
        ('"fragile": "yes"', None),
    ],
)
def test_a_typed_twin_stands_beside_the_text_as_it_was_written(member: str, twin: str | None) -> None:
    key, _, written = member.replace('"', "").partition(": ")
    statements = said(mapped(f"{{{member}}}")) - {
        f'/parcel/{key} jl:jsonType "{kind}"' for kind in ("number", "boolean")
    }
    assert statements == {f'/parcel ex:{key}Text "{written}"'} | ({f"/parcel {twin}"} if twin else set())


@pytest.mark.parametrize(
    ("value", "kind"), [("1.50", "number"), ("-0", "number"), ("123456789012345678901", "number"), ("true", "boolean")]
)
def test_what_is_no_text_says_so(value: str, kind: str) -> None:
    assert said(mapped(f'{{"note": {value}}}')) == {
        f'/parcel ex:note "{value}"',
        f'/parcel/note jl:jsonType "{kind}"',
    }


def test_null_is_not_the_same_as_nothing() -> None:
    assert said(mapped('{"note": null}')) == {'/parcel/note jl:jsonType "null"'}
    assert said(mapped("{}")) == set()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"note": "a", "note": "b"}', "json-duplicate-key"),
        ('{"note": "a", "n\\u006fte": "b"}', "json-duplicate-key"),
        ('{"weight": NaN}', "json-not-a-number"),
        ('{"weight": Infinity}', "json-not-a-number"),
        ('{"weight": -Infinity}', "json-not-a-number"),
    ],
)
def test_json_that_only_python_reads_is_refused(text: str, key: str) -> None:
    with pytest.raises(BadInput) as refused:
        mapped(text)
    assert refused.value.key == key


def test_a_text_twice_in_an_array_keeps_both() -> None:
    assert said(mapped('{"tags": ["a", "a", null, 1]}')) == {
        *(f"/parcel ex:tag /parcel/tags/{i}" for i in range(4)),
        *(f'/parcel/tags/{i} jl:index "{i}"^^xsd:integer' for i in range(4)),
        '/parcel/tags/0 jl:value "a"',
        '/parcel/tags/1 jl:value "a"',
        '/parcel/tags/2 jl:jsonType "null"',
        '/parcel/tags/3 jl:value "1"',
        '/parcel/tags/3 jl:jsonType "number"',
    }


def test_arrays_of_arrays_and_of_objects_keep_their_order_without_a_list() -> None:
    found = mapped('{"leg": [{"from": "a"}, {"from": "a"}], "tags": [[], ["x"]]}')
    assert said(found) == {
        *(f"/parcel ex:leg /parcel/leg/{i}" for i in (0, 1)),
        *(f"/parcel/leg/{i} rdf:type ex:Leg" for i in (0, 1)),
        *(f'/parcel/leg/{i} ex:from "a"' for i in (0, 1)),
        *(f'/parcel/leg/{i} jl:index "{i}"^^xsd:integer' for i in (0, 1)),
        *(f"/parcel ex:tag /parcel/tags/{i}" for i in (0, 1)),
        *(f'/parcel/tags/{i} jl:index "{i}"^^xsd:integer' for i in (0, 1)),
        "/parcel/tags/1 jl:member /parcel/tags/1/0",
        '/parcel/tags/1/0 jl:index "0"^^xsd:integer',
        '/parcel/tags/1/0 jl:value "x"',
    }
    assert not any(isinstance(node, BlankNode) for t in found.triples for node in (t.subject, t.object))


def test_empty_arrays_say_nothing_and_empty_objects_are_there() -> None:
    assert said(mapped('{"tags": [], "extras": {}, "leg": {}}')) == {
        "/parcel ex:extras /parcel/extras",
        "/parcel ex:leg /parcel/leg",
        "/parcel/leg rdf:type ex:Leg",
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00\x01\x1f\x7f",
        'a"b\\c\n\r\t',
        "한글",
        "\u1112\u1161\u11ab\u1100\u1173\u11af",
        "\ufeff\u2028",
        "👩\u200d👩",
        "_:b",
    ],
)
def test_any_text_is_kept_as_it_is(text: str) -> None:
    found = mapped(json.dumps({"note": text}))
    (note,) = [t.object for t in found.triples if t.predicate.value == f"{EX}note"]
    assert getattr(note, "value", None) == text


# --- the count: leaves in = statements out


def test_two_keys_of_one_property_and_value_are_one_statement() -> None:
    assert said(mapped('{"note": "n", "remark": "n"}')) == {'/parcel ex:note "n"'}
    assert said(mapped('{"note": "n", "remark": "m"}')) == {'/parcel ex:note "n"', '/parcel ex:note "m"'}


def test_a_text_and_its_twin_of_one_property_are_two_statements() -> None:
    context = {**OURS, "n": "ex:n", "n.integer": {"@id": "ex:n", "@type": "xsd:integer"}}
    found = to_rdf({"n": "5"}, context, own=OWN, minting=MINTING)
    assert {short(t) for t in found.triples} == {'- ex:n "5"', '- ex:n "5"^^xsd:integer'}


@pytest.mark.parametrize(
    "lossy",
    [
        {"@id": "not a property"},
        {"@id": "ex:note", "@container": "@list"},
        None,
    ],
    ids=["no IRI", "a list", "null"],
)
def test_a_context_that_loses_values_is_found_out(lossy: object) -> None:
    with pytest.raises(BadInput) as refused:
        to_rdf({"note": "n"}, {**OURS, "note": lossy}, own=OWN, minting=MINTING, place="case.json")
    assert (refused.value.key, refused.value.place) == ("leaves-lost", "case.json")
    assert refused.value.params["found"] != refused.value.params["expected"]


def test_a_context_that_breaks_the_rules_of_json_ld_is_named_with_its_case() -> None:
    with pytest.raises(BadInput) as refused:
        to_rdf({"note": "n"}, {**OURS, "note": {"@reverse": "ex:note"}}, own=OWN, minting=MINTING, place="case.json")
    assert (refused.value.key, refused.value.place) == ("rdf-syntax", "case.json")


def test_an_unknown_kind_of_twin_is_no_twin_and_an_unknown_type_keeps_the_text() -> None:
    context = {**OURS, "n": "ex:n", "n.float": {"@id": "ex:m"}, "day": {"@id": "ex:day", "@type": "xsd:date"}}
    found = to_rdf({"n": "5", "day": "2026-01-01"}, context, own=OWN, minting=MINTING)
    assert {short(t) for t in found.triples} == {
        '- ex:n "5"',
        "- jl:member /day",
        '/day jl:name "day"',
        '/day jl:value "2026-01-01"',
    }
    assert found.opaque == ["/day"]


@pytest.mark.parametrize("value", [["a"], {"x": "a"}, ""])
def test_what_is_no_single_typed_value_stays_opaque(value: object) -> None:
    context = {**OURS, "to": {"@id": "ex:to", "@type": "@id"}}
    found = to_rdf({"to": value}, context, own=OWN, minting=MINTING)
    assert found.opaque == ["/to"]
    assert f"{EX}to" not in predicates(found)


# --- texts that stand outside


def digest(text: str) -> str:
    return f"digest-of-{len(text)}"


@pytest.mark.parametrize(
    ("text", "outside"),
    [("a" * LONG_TEXT, False), ("a" * (LONG_TEXT + 1), True), ("가" * 1365, False), ("가" * 1366, True)],
    ids=["4096 bytes", "4097 bytes", "4095 bytes of Hangul", "4098 bytes of Hangul"],
)
def test_a_text_longer_than_4_kb_stands_outside(text: str, outside: bool) -> None:
    found = mapped(json.dumps({"note": text}), seal_text=digest)
    inside = said(found)
    assert (f'/parcel/note jl:digest "digest-of-{len(text)}"' in inside) is outside
    assert (f'/parcel ex:note "{text}"' in inside) is not outside
    assert [short(t) for t in found.payload] == ([f'/parcel ex:note "{text}"'] if outside else [])


@pytest.mark.parametrize(
    ("parcel", "personal", "outside"),
    [
        ('{"note": "secret"}', "/parcel/note", '/parcel ex:note "secret"'),
        ('{"to": "secret"}', "/parcel/to", '/parcel ex:toText "secret"'),
        ('{"tags": ["a", "secret"]}', "/parcel/tags/1", '/parcel/tags/1 jl:value "secret"'),
        ('{"scores": ["secret"]}', "/parcel/scores/0", '/parcel/scores/0 ex:scoreText "secret"'),
        ('{"leg": {"from": "secret"}}', "/parcel/leg/from", '/parcel/leg ex:from "secret"'),
        ('{"extras": {"a": ["secret"]}}', "/parcel/extras/a/0", '/parcel/extras/a/0 jl:value "secret"'),
        ('{"colour": "secret"}', "/parcel/colour", '/parcel/colour jl:value "secret"'),
        ('{"weight": 77.5}', "/parcel/weight", '/parcel ex:weightText "77.5"'),
    ],
)
def test_a_personal_text_stands_outside_under_its_own_property(parcel: str, personal: str, outside: str) -> None:
    found = mapped(parcel, seal_text=digest, personal=(personal,))
    assert [short(t) for t in found.payload] == [outside]
    assert not any("secret" in line or "77.5" in line for line in said(found))
    assert any(line.startswith(f"{personal} jl:digest ") for line in said(found))


@pytest.mark.parametrize(
    ("personal", "left"),
    [
        ("/parcel", 0),
        ("/parcel/leg", 2),
        ("/parcel/extras", 2),
        ("/parcel/extras/a", 2),
        ("/parcel/ex", 3),
        ("/parcel/le", 3),
    ],
)
def test_what_stands_in_a_personal_part_is_personal(personal: str, left: int) -> None:
    parcel = '{"note": "secret", "leg": {"from": "secret"}, "extras": {"a": ["secret"]}}'
    found = mapped(parcel, seal_text=digest, personal=(personal,))
    inside = [t for t in found.triples if "secret" in str(t.object)]
    assert (len(inside), len(found.payload)) == (left, 3 - left)


def test_a_personal_value_that_the_context_wants_typed_stands_outside_too() -> None:
    context = {**OURS, "age": {"@id": "ex:age", "@type": "xsd:integer"}}
    found = to_rdf({"age": 77}, context, own=OWN, minting=MINTING, seal_text=digest, personal=("/age",))
    assert [short(t) for t in found.payload] == ['- ex:age "77"']
    assert not any("77" in short(t) for t in found.triples)


# --- nothing is fetched


@pytest.mark.parametrize(
    "document",
    [
        {"@context": "http://127.0.0.1:9/context.jsonld", "@id": "urn:x:1", "http://e/p": "x"},
        {"@context": ["http://127.0.0.1:9/context.jsonld"], "@id": "urn:x:1"},
        {"@context": {"@import": "http://127.0.0.1:9/context.jsonld"}, "@id": "urn:x:1"},
    ],
)
def test_no_context_is_ever_fetched(document: Mapping[str, Any]) -> None:
    with pytest.raises(SyntaxError):
        expand(document)


@pytest.mark.parametrize(
    ("context", "places"),
    [
        (
            {"a": "ex:a", "*": None, "*type": "ex:T", "@version": 1.1, "b": {"@id": "ex:b", "@context": {"c": "ex:c"}}},
            [],
        ),
        ("http://e/context", ["/@context"]),
        ([{"a": "ex:a"}], ["/@context"]),
        (None, ["/@context"]),
        ({"a": None, "b": 1, "*": "x"}, ["/@context/a", "/@context/b", "/@context/*"]),
        ({"@import": "http://e/context"}, ["/@context/@import"]),
        ({"a/b": {"@id": "ex:a", "@context": "http://e/c"}}, ["/@context/a~1b/@context"]),
        ({"a": {"@id": "ex:a", "@context": {"b": []}}}, ["/@context/a/@context/b"]),
    ],
)
def test_a_context_that_would_have_to_be_fetched_is_found(context: object, places: list[str]) -> None:
    assert list(faults(context, "/@context")) == places


# --- two readers, one graph


@cache
def contract() -> Contract:
    return freeze(locate("multihop"))


def second_reading(document: Mapping[str, Any]) -> set[str]:
    """Return the statements that rdflib reads from an annotated document."""
    graph = rdflib.Graph().parse(data=json.dumps(document), format="json-ld")
    return {" ".join(_n3(node) for node in triple) for triple in graph}


def _n3(node: object) -> str:
    assert isinstance(node, rdflib.URIRef | rdflib.Literal), f"{node!r} is a blank node"
    if isinstance(node, rdflib.URIRef):
        return f"<{node}>"
    kind = str(node.datatype or f"{XSD}string")
    return json.dumps([str(node), kind, node.language])


def first_reading(found: Mapped) -> set[str]:
    return {" ".join(_ours(node) for node in (t.subject, t.predicate, t.object)) for t in found.triples}


def _ours(node: object) -> str:
    if isinstance(node, NamedNode):
        return f"<{node.value}>"
    return json.dumps([node.value, node.datatype.value, node.language])  # type: ignore[attr-defined] # a literal


@pytest.fixture
def documents(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Mapping[str, Any]]]:
    """Keep what is handed to the parser."""
    monkeypatch.setattr(rdflib, "NORMALIZE_LITERALS", False)
    seen: list[Mapping[str, Any]] = []

    def kept(document: Mapping[str, Any]) -> list[Triple]:
        seen.append(document)
        return expand(document)

    monkeypatch.setattr(jsonld, "expand", kept)
    yield seen
    assert len(seen) == 1


CASES = [
    {"decision": {}},
    {
        "case_id": "사례 1",
        "contract": "multihop",
        "input": {"text": "홍길동은 어디에 다녀?", "lang": "ko", "asked_at": "2026-01-01T00:00:00.120+09:00"},
        "decision": {
            "query_id": "q001",
            "decision": "answer",
            "answer": "pl_seoul, http://e/x y",
            "path": [{"src": "p_hong", "rel": "worksFor", "dst": "c_acme", "chunk_id": "ch_11"}, {"src": "a/../b"}],
            "factors": ["missing_edge", "missing_edge", "unheard_of"],
            "reason": 'a "quoted"\nline',
            "hedge": None,
            "answer.iri": "http://evil/p",
            "unknown": [1, True, None, {"@id": "urn:x"}],
        },
        "gold": {"decision": "answer", "answer": "pl_seoul"},
    },
    {
        "case_id": "trace",
        "decision": {"decision": "refuse", "answer": None, "path": []},
        "trace": [
            {"id": "s1", "type": "plan", "actor": "agent 1", "at": "2026-01-01T00:00:00Z"},
            {
                "id": "s2",
                "type": "tool_call",
                "parent": "s1",
                "tool": "kg.find",
                "arguments": {"@type": "x", "jl:verdict": "PASS", "a b": [[], {}, [1.5]]},
                "is_error": False,
                "isError": False,
                "items": [{"id": "i", "outcome": "done"}],
            },
            {"id": "s3", "type": "approval", "decision": "granted", "covers": "s2", "uses": 1},
        ],
        "evidence": [{"id": "e1", "text": "가", "trust": "world", "trust_root": "world", "table": [["a", 1]]}],
        "model": {"name": "m", "version": "1"},
        "budget": {"calls": 3, "cost": 0.10},
        "risk": "low",
        "index": 4,
    },
]


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")
@pytest.mark.parametrize("case", CASES, ids=["nearly empty", "a decision", "a trace"])
def test_two_parsers_read_the_same_graph(case: Mapping[str, Any], documents: list[Mapping[str, Any]]) -> None:
    document = parse_json(json.dumps(case).encode(), "case.json")
    found = to_rdf(document, context_of(contract()), own="https://kg.example/event/x", minting=MINTING)
    assert first_reading(found) == second_reading(documents[0])
