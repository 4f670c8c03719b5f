"""Worlds: the same small world in every form that people have, and each way in which a file can be wrong."""

import json
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from pyoxigraph import Literal, NamedNode

from judgeloop.contract import freeze, locate, ontology_text
from judgeloop.errors import BadInput
from judgeloop.messages import LANGS
from judgeloop.model import Contract
from judgeloop.rdf import skolem
from judgeloop.rdf.canonical import digest, ntriples, verify
from judgeloop.reason import close
from judgeloop.store.world import World, load
from judgeloop.text import key
from judgeloop.vocab import JL, OWL, RDF_TYPE, RDFS_LABEL, XSD

MH = "https://w3id.org/judgeloop/multihop#"
KG = "https://kg.example/"
ALT = "http://www.w3.org/2004/02/skos/core#altLabel"


@cache
def contract() -> Contract:
    return freeze(locate("multihop"))


@cache
def closed() -> str:
    return close(ontology_text(contract()))


def world_of(*files: tuple[str, str | bytes | Mapping[str, Any]], base: str | None = None) -> World:
    given = [(name, _bytes(content)) for name, content in files]
    return load(given, contract(), closed(), base)


def _bytes(content: str | bytes | Mapping[str, Any]) -> bytes:
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)).encode()


def refusal(name: str, content: str | bytes | Mapping[str, Any]) -> BadInput:
    with pytest.raises(BadInput) as refused:
        world_of((name, content))
    for lang in LANGS:
        refused.value.text(lang).encode()
    return refused.value


def facts(world: World, graph: str | None = None) -> set[tuple[str, str, str]]:
    """Return the statements of a graph as text."""
    return {
        (t.subject.value, t.predicate.value, t.object.value)
        for t in world.store.graph(graph or world.graph)
        if isinstance(t.subject, NamedNode) and isinstance(t.object, NamedNode | Literal)
    }


def edges(world: World) -> set[tuple[str, ...]]:
    """Return source, relation, target, chunk and grounding of every edge."""
    held: dict[str, dict[str, str]] = {}
    for subject, prop, value in facts(world):
        held.setdefault(subject, {})[prop.removeprefix(JL)] = value
    rows = [row for row in held.values() if row.get(RDF_TYPE) == f"{JL}Edge"]
    return {tuple(row.get(part, "") for part in ("src", "rel", "dst", "chunk", "grounded")) for row in rows}


def steps(world: World) -> set[tuple[str, str, str]]:
    """Return from, relation and to of every step that may be walked."""
    held: dict[str, dict[str, set[str]]] = {}
    for subject, prop, value in facts(world, world.inferred):
        held.setdefault(subject, {}).setdefault(prop.removeprefix(MH), set()).add(value)
    return {
        (start.removeprefix(KG), via.removeprefix(KG), end.removeprefix(KG))
        for row in held.values()
        for start in row.get("from", ())
        for via in row.get("via", ())
        for end in row.get("to", ())
    }


def names(world: World) -> set[tuple[str, str, str]]:
    return {fact for fact in facts(world) if fact[1] in {RDFS_LABEL, ALT}}


# --- one world, seven forms

TURTLE = f"""
@prefix kg: <{KG}> . @prefix jl: <{JL}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
kg:p_hong rdfs:label "홍길동" ; skos:altLabel "Gildong Hong" .
kg:c_acme rdfs:label "에이크미" .
kg:worksFor rdfs:label "근무" .
kg:p_hong kg:worksFor kg:c_acme .
kg:e1 a jl:Edge ; jl:src kg:p_hong ; jl:rel kg:worksFor ; jl:dst kg:c_acme ; jl:chunk kg:ch_1 ; jl:grounded true .
kg:ch_1 a jl:Chunk ; jl:text "홍길동은 에이크미에서 일한다." .
"""
TABLES: dict[str, Any] = {
    "kind": "kg",
    "nodes": [
        {"id": "p_hong", "label": "홍길동", "alias": ["Gildong Hong"]},
        {"id": "c_acme", "label": "에이크미"},
    ],
    "relations": [{"id": "worksFor", "label": "근무"}],
    "edges": [{"src": "p_hong", "rel": "worksFor", "dst": "c_acme", "chunk_id": "ch_1", "grounded": True}],
    "chunks": [{"id": "ch_1", "text": "홍길동은 에이크미에서 일한다."}],
}
RDF_XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:kg="{KG}" xmlns:jl="{JL}">
  <rdf:Description rdf:about="{KG}p_hong">
    <rdfs:label>홍길동</rdfs:label><skos:altLabel>Gildong Hong</skos:altLabel>
    <kg:worksFor rdf:resource="{KG}c_acme"/>
  </rdf:Description>
  <rdf:Description rdf:about="{KG}c_acme"><rdfs:label>에이크미</rdfs:label></rdf:Description>
  <rdf:Description rdf:about="{KG}worksFor"><rdfs:label>근무</rdfs:label></rdf:Description>
  <jl:Edge rdf:about="{KG}e1">
    <jl:src rdf:resource="{KG}p_hong"/><jl:rel rdf:resource="{KG}worksFor"/><jl:dst rdf:resource="{KG}c_acme"/>
    <jl:chunk rdf:resource="{KG}ch_1"/><jl:grounded rdf:datatype="{XSD}boolean">true</jl:grounded>
  </jl:Edge>
  <jl:Chunk rdf:about="{KG}ch_1"><jl:text>홍길동은 에이크미에서 일한다.</jl:text></jl:Chunk>
</rdf:RDF>"""
JSON_LD = {
    "@context": {
        "kg": KG,
        "jl": JL,
        "label": "http://www.w3.org/2000/01/rdf-schema#label",
        **{prop: {"@id": f"jl:{prop}", "@type": "@id"} for prop in ("src", "rel", "dst", "chunk")},
    },
    "@graph": [
        {"@id": "kg:p_hong", "label": "홍길동", ALT: "Gildong Hong", "kg:worksFor": {"@id": "kg:c_acme"}},
        {"@id": "kg:c_acme", "label": "에이크미"},
        {"@id": "kg:worksFor", "label": "근무"},
        {
            "@id": "kg:e1",
            "@type": "jl:Edge",
            "src": "kg:p_hong",
            "rel": "kg:worksFor",
            "dst": "kg:c_acme",
            "chunk": "kg:ch_1",
            "jl:grounded": True,
        },
        {"@id": "kg:ch_1", "@type": "jl:Chunk", "jl:text": "홍길동은 에이크미에서 일한다."},
    ],
}


@cache
def plain() -> World:
    return world_of(("w.ttl", TURTLE))


def lines() -> str:
    return ntriples(t for t in plain().store.graph(plain().graph))


FORMS: dict[str, Any] = {
    "w.ttl": lambda: "\ufeff" + TURTLE.replace("\n", "\r\n"),
    "w.trig": lambda: TURTLE.replace("kg:p_hong rdfs", "kg:anywhere { kg:p_hong rdfs").rstrip() + " }",
    "w.nt": lambda: "".join(reversed(lines().splitlines(keepends=True))),
    "w.nq": lambda: lines().replace(" .\n", f" <{KG}g> .\n"),
    "w.rdf": lambda: RDF_XML,
    "w.jsonld": lambda: JSON_LD,
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_rdf_gives_the_same_world(name: str) -> None:
    world = world_of((name, FORMS[name]()))
    assert world.sha256 == plain().sha256
    assert (world.graph, world.inferred) == (plain().graph, plain().inferred)
    assert world.triples == plain().triples == 13


def test_json_tables_give_the_same_edges_names_and_steps() -> None:
    tables = world_of(("w.json", TABLES))
    assert edges(tables) == edges(plain()) == {(f"{KG}p_hong", f"{KG}worksFor", f"{KG}c_acme", f"{KG}ch_1", "true")}
    assert names(tables) == names(plain())
    assert steps(tables) == steps(plain()) == {("p_hong", "worksFor", "c_acme")}
    assert tables.lexicon == plain().lexicon
    assert tables.warnings == ()


def test_an_edge_of_a_table_is_a_triple_too() -> None:
    assert (f"{KG}p_hong", f"{KG}worksFor", f"{KG}c_acme") in facts(world_of(("w.json", TABLES)))


def test_several_files_are_one_world_in_any_order() -> None:
    one, other = TURTLE.split("kg:e1 ")
    prefixes = "\n".join(line for line in TURTLE.splitlines() if line.startswith("@prefix"))
    files = [("a.ttl", one), ("b.ttl", f"{prefixes}\nkg:e1 {other}")]
    assert world_of(*files).sha256 == world_of(*reversed(files)).sha256 == plain().sha256


def test_a_world_is_named_by_what_it_says() -> None:
    assert plain().graph == f"{KG}kg/sha256-{plain().sha256}"
    assert verify(plain().store.graph(plain().graph), plain().graph)
    assert digest(plain().store.graph(plain().graph), plain().graph) == plain().sha256
    assert world_of(("w.ttl", TURTLE.replace("홍길동은", "홍길동이"))).sha256 != plain().sha256


def test_a_file_may_need_a_base() -> None:
    relative = TURTLE.replace("kg:c_acme rdfs", "<c_acme> rdfs")
    assert refusal("w.ttl", relative).key == "rdf-relative-iri"
    assert world_of(("w.ttl", relative), base=KG).sha256 == plain().sha256


@pytest.mark.parametrize(
    "files", [[], [("w.ttl", "# nothing\n")], [("w.trig", "@prefix kg: <urn:x:> ."), ("w.nt", "#\n")]]
)
def test_an_empty_world_has_no_triples_and_is_no_error(files: list[tuple[str, str]]) -> None:
    world = world_of(*files)
    # SHA-256 of nothing (FIPS 180-4)
    assert (world.triples, world.sha256[:16], world.limits) == (0, "e3b0c44298fc1c14", {"max_hops": 3})


@pytest.mark.parametrize("name", ["w.ttl", "w.json", "w.jsonld", "w.rdf"])
def test_an_empty_file_is_refused(name: str) -> None:
    error = refusal(name, " \n")
    assert (error.key, error.place) == ("file-empty", name)


def test_a_doctype_is_refused() -> None:
    error = refusal("w.rdf", RDF_XML.replace("<rdf:RDF", '<!DOCTYPE rdf:RDF [<!ENTITY a "b">]>\n<rdf:RDF', 1))
    assert (error.key, error.place) == ("rdf-doctype", "w.rdf:2")


def test_a_name_that_is_no_form_is_refused() -> None:
    assert refusal("w.csv", "a,b").key == "rdf-format-unknown"


def test_a_triple_as_a_term_is_refused() -> None:
    assert refusal("w.ttl", "<urn:x:a> <urn:x:p> <<( <urn:x:b> <urn:x:p> <urn:x:c> )>> .").key == "rdf-triple-term"


# --- blank nodes

BLANK = f"""@prefix kg: <{KG}> . @prefix jl: <{JL}> .
_:n a jl:Edge ; jl:src kg:a ; jl:rel kg:r ; jl:dst kg:b . [] a jl:Edge ; jl:src kg:b ; jl:rel kg:r ; jl:dst kg:a ."""


def test_blank_nodes_get_the_same_names_each_time() -> None:
    worlds = [world_of(("w.ttl", BLANK)), world_of(("w.ttl", BLANK.replace("_:n", "_:other")))]
    assert worlds[0].sha256 == worlds[1].sha256
    assert len(edges(worlds[0])) == 2
    assert {s for s, p, _ in facts(worlds[0]) if p == f"{JL}src"} == {f"urn:judgeloop:bnode/c14n{i}" for i in (0, 1)}


def test_blank_nodes_of_two_files_are_not_one() -> None:
    both = world_of(("a.nt", f"_:x <{KG}p> <{KG}a> .\n"), ("b.nt", f"_:x <{KG}p> <{KG}b> .\n"))
    assert len({s for s, p, _ in facts(both) if p == f"{KG}p"}) == 2


def test_a_poisoned_world_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skolem, "SECONDS", 1)
    complete = "".join(f"_:n{i} <{KG}p> _:n{j} .\n" for i in range(9) for j in range(9) if i != j)
    started = time.monotonic()
    assert refusal("w.nt", complete).key == "rdf-too-many-blank-nodes"
    assert time.monotonic() - started < 10


# --- tables

EDGE = {"src": "a", "rel": "r", "dst": "b", "grounded": True}


@pytest.mark.parametrize(
    ("tables", "place"),
    [
        ({"edges": [EDGE | {"valid_from": "2026-01-01"}]}, "/edges/0/valid_from"),
        ({"edges": [EDGE, EDGE | {"valid_until": "2026-01-01T00:00:00"}]}, "/edges/1/valid_until"),
        ({"edges": [EDGE | {"grounded": 1}]}, "/edges/0/grounded"),
        ({"edges": [EDGE | {"grounded": "yes"}]}, "/edges/0/grounded"),
        ({"edges": [EDGE | {"grounded": [True]}]}, "/edges/0/grounded"),
        ({"edges": [EDGE | {"chunk_id": ""}]}, "/edges/0/chunk_id"),
        ({"questions": [{"id": "q", "asked_at": "today"}]}, "/questions/0/asked_at"),
        ({"max_hops": 2.0}, "/max_hops"),
        ({"max_hops": "two"}, "/max_hops"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_its_pointer(tables: Mapping[str, Any], place: str) -> None:
    error = refusal("w.json", tables)
    assert (error.key, error.place, error.params["pointer"]) == ("world-value", "w.json", place)


@pytest.mark.parametrize(
    ("tables", "place"),
    [
        ({"edges": [EDGE | {"src": ["a", "c"]}]}, "/edges/0/src"),
        ({"edges": [EDGE | {"dst": {"id": "b"}}]}, "/edges/0/dst"),
        ({"edges": [{"src": "a"}]}, "/edges/0"),
        ({"edges": [1]}, "/edges/0"),
        ({"nodes": [{"id": None, "label": "x"}]}, "/nodes/0/id"),
        ({"nodes": [{"id": {"a": 1}}]}, "/nodes/0/id"),
        ({"nodes": [{"id": ""}]}, "/nodes/0/id"),
        ({"nodes": [{"label": "x"}]}, "/nodes/0"),
        ({"nodes": [[]]}, "/nodes/0"),
        ({"nodes": "x"}, "/nodes"),
        ({"nodes": None}, "/nodes"),
        ({"nodes": {"a": 1}}, "/nodes"),
        ({"chunks": ["x"]}, "/chunks/0"),
        ({"chunks": [{"id": "c"}]}, "/chunks/0"),
        ({"chunks": [{"id": "c", "text": 5}]}, "/chunks/0/text"),
        ({"kind": "register"}, "/kind"),
        ({"kind": 5}, "/kind"),
    ],
)
def test_a_table_that_is_not_whole_is_refused_with_its_pointer(tables: Mapping[str, Any], place: str) -> None:
    error = refusal("w.json", tables)
    assert (error.key, error.place, error.params["pointer"]) == ("world-row", "w.json", place)


@pytest.mark.parametrize(
    "value", ['"2020-01-01"^^xsd:date', '"2020-01-01T00:00:00Z"', '"2020"^^xsd:gYear', '"foo"^^xsd:dateTime', "kg:now"]
)
@pytest.mark.parametrize("name", ["validFrom", "validUntil", "askedAtTime"])
def test_a_time_that_can_not_be_compared_is_refused(name: str, value: str) -> None:
    text = f"@prefix kg: <{KG}> . @prefix jl: <{JL}> . @prefix xsd: <{XSD}> . kg:e jl:{name} {value} ."
    error = refusal("w.ttl", text.encode())
    assert (error.key, error.place) == ("world-value", "w.ttl")
    assert name in str(error.params["pointer"])


def test_a_flag_that_is_none_is_refused() -> None:
    assert refusal("w.ttl", f'<{KG}e> <{JL}grounded> "true" .'.encode()).key == "world-value"


def test_a_chunk_has_one_text() -> None:
    twice = {"chunks": [{"id": "c", "text": "에이크미."}, {"id": "c", "text": "서울."}]}
    error = refusal("w.json", twice)
    assert (error.key, error.place) == ("world-chunk-texts", f"<{KG}c>")


@pytest.mark.parametrize(
    ("tables", "place"),
    [
        ({"@graph": [{"@id": f"{KG}a", f"{KG}p": "x"}]}, "/@graph"),
        ({"@context": {"a": "b"}, "nodes": []}, "/@context"),
        ({"nodes": [{"id": "a", "rdfs:label": "x"}]}, "/nodes/0/rdfs:label"),
    ],
)
def test_json_ld_that_is_called_a_table_is_not_lost_but_refused(tables: Mapping[str, Any], place: str) -> None:
    error = refusal("w.json", tables)
    assert (error.key, error.place, error.params["pointer"]) == ("world-key", "w.json", place)


@pytest.mark.parametrize(
    ("content", "key_"),
    [
        (b"[]", "world-not-object"),
        (b"{", "json-syntax"),
        (b'{"nodes": [], "nodes": []}', "json-duplicate-key"),
        (b'{"max_hops": NaN}', "json-not-a-number"),
        (b'{"nodes": [{"id": "a\\u202e"}]}', "id-characters"),
        (b'{"nodes": [{"id": "a", "label": "\\ud800"}]}', "id-characters"),
        ("가".encode("cp949"), "not-utf8"),
    ],
)
def test_a_table_is_strict_json(content: bytes, key_: str) -> None:
    error = refusal("w.json", content)
    assert error.key == key_
    assert error.place.startswith("w.json")


def test_a_contract_may_read_no_tables() -> None:
    with pytest.raises(BadInput) as refused:
        load([("w.json", b"{}")], contract().model_copy(update={"world_context": None}), closed())
    assert (refused.value.key, refused.value.place) == ("world-no-tables", "w.json")


def test_unknown_fields_are_kept_and_warned_about() -> None:
    world = world_of(("w.json", {"nodes": [{"id": "a", "wight": 70}], "name": "my world", "index": "x"}))
    told = [warning["en"].partition(":")[0] for warning in world.warnings]
    assert told == ["w.json#/nodes/0/wight", "w.json#/name", "w.json#/index"]
    assert {(p.removeprefix(JL), o) for s, p, o in facts(world) if s.endswith("/wight")} == {
        *(("name", "wight"), ("value", "70"), ("jsonType", "number")),
    }


def test_two_rows_of_one_id_are_one_node() -> None:
    world = world_of(
        (
            "w.json",
            {"nodes": [{"id": "a", "label": "하나", "alias": ["x", "x"]}, {"id": "a", "label": "one", "type": "T"}]},
        )
    )
    assert {(p, o) for s, p, o in facts(world) if s == f"{KG}a"} == {
        *((RDFS_LABEL, "하나"), (RDFS_LABEL, "one"), (ALT, "x"), (RDF_TYPE, f"{KG}T")),
    }
    assert world.lexicon[key("하나")] == world.lexicon[key("one")] == frozenset({f"{KG}a"})


def test_composed_and_decomposed_names_are_found_alike() -> None:
    world = world_of(("w.json", {"nodes": [{"id": "a", "label": "\u1112\u1161\u11ab"}]}))  # 한, decomposed
    assert world.lexicon[key("한")] == frozenset({f"{KG}a"})
    assert (f"{KG}a", RDFS_LABEL, "\u1112\u1161\u11ab") in facts(world)


def test_two_edges_of_the_same_words_stay_two() -> None:
    world = world_of(("w.json", {"edges": [EDGE, EDGE]}))
    assert len([1 for _, p, o in facts(world) if (p, o) == (RDF_TYPE, f"{JL}Edge")]) == 2


def test_the_written_form_of_a_time_becomes_an_instant() -> None:
    world = world_of(("w.json", {"edges": [EDGE | {"valid_from": "2026-01-01T00:00:00+09:00"}]}))
    assert [o for _, p, o in facts(world) if p == f"{JL}validFrom"] == ["2025-12-31T15:00:00Z"]


# --- what may be walked


def walkable(**relation: Any) -> dict[str, Any]:
    return TABLES | {"relations": [{"id": "worksFor", "label": "근무", **relation}]}


def test_a_declared_inverse_may_be_walked_backwards() -> None:
    nodes = [node | {"type": kind} for node, kind in zip(TABLES["nodes"], ("Staff", "Firm"), strict=True)]
    world = world_of(("w.json", walkable(inverse_of="employs") | {"nodes": nodes}))
    assert (f"{KG}worksFor", f"{OWL}inverseOf", f"{KG}employs") in facts(world)
    assert steps(world) == {
        (start, via, end)
        for start, end in (("p_hong", "c_acme"), ("c_acme", "p_hong"))
        for via in ("worksFor", "employs")
    }


@pytest.mark.parametrize("kind", [None, "Firm"], ids=["of no known kind", "of one kind"])
def test_ends_that_may_be_mixed_up_are_walked_by_their_own_name_only(kind: str | None) -> None:
    nodes = [node | ({"type": kind} if kind else {}) for node in TABLES["nodes"]]
    world = world_of(("w.json", walkable(inverse_of="employs") | {"nodes": nodes}))
    assert steps(world) == {("p_hong", "worksFor", "c_acme"), ("c_acme", "employs", "p_hong")}


def test_without_an_inverse_nothing_is_walked_backwards() -> None:
    assert steps(world_of(("w.json", walkable()))) == {("p_hong", "worksFor", "c_acme")}


@pytest.mark.parametrize(
    "edge",
    [{"grounded": False}, {"grounded": None}, {"chunk_id": None}, {"chunk_id": "ch_2"}],
    ids=["not grounded", "not known", "no chunk", "an unknown chunk"],
)
def test_an_edge_that_no_text_supports_is_not_walked(edge: Mapping[str, Any]) -> None:
    world = world_of(("w.json", TABLES | {"edges": [TABLES["edges"][0] | edge]}))
    assert steps(world) == set()
    assert len(edges(world)) == 1


# --- limits


@pytest.mark.parametrize(
    ("stated", "limit"),
    [({}, 3), ({"max_hops": 1}, 1), ({"max_hops": 3}, 3), ({"max_hops": 9}, 3), ({"max_hops": 0}, 0)],
)
def test_a_world_may_only_tighten_a_limit(stated: Mapping[str, Any], limit: int) -> None:
    assert world_of(("w.json", stated)).limits == {"max_hops": limit}


def test_the_tightest_of_several_limits_holds() -> None:
    world = world_of(("a.json", {"max_hops": 2}), ("b.ttl", f"<{KG}w> <{MH}maxHops> 1, 5 ."))
    assert world.limits == {"max_hops": 1}


@pytest.mark.parametrize("value", ['"two"', "2.5", f"<{KG}two>", "-1"])
def test_a_limit_is_a_whole_number(value: str) -> None:
    error = refusal("w.ttl", f"<{KG}w> <{MH}maxHops> {value} .")
    assert (error.key, error.place) == ("world-limit", f"<{MH}maxHops>")


# --- questions


def test_a_question_is_found_by_its_iri() -> None:
    rows = [{"id": "q1", "text": "누구야?", "asked_at": "2026-01-01T09:00:00+09:00"}, {"id": "q2", "text": "who?"}]
    world = world_of(("w.json", {"questions": rows}))
    assert world.question(f"{KG}q1") == ("누구야?", "2026-01-01T00:00:00Z")
    assert world.question(f"{KG}q2") == ("who?", None)
    assert world.question(f"{KG}q3") is None


def test_gold_is_no_decision() -> None:
    gold = {"decision": "answer", "answer": "c_acme", "path": [{"src": "p_hong", "rel": "worksFor", "dst": "c_acme"}]}
    world = world_of(("w.json", {"questions": [{"id": "q1", "text": "?", "gold": gold}]}))
    assert not any(p == RDF_TYPE and o.startswith(MH) for _, p, o in facts(world))
    assert [o for _, p, o in facts(world) if p == f"{MH}answer"] == [f"{KG}c_acme"]
