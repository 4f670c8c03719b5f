"""Freezing a contract: the same files give the same contract, one byte gives another, and what is wrong is named."""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from judgeloop import assets
from judgeloop.contract import (
    ALWAYS,
    asked_version,
    background_of,
    freeze,
    kept_graph,
    locate,
    once,
    ontology_graph,
    ontology_text,
    packs,
    shapes_of,
)
from judgeloop.contract.lock import differences, lock_of, lock_path
from judgeloop.errors import BadInput, ContractError
from judgeloop.messages import LANGS
from judgeloop.model import Contract
from judgeloop.vocab import JL, SH

ROOT = assets.root()
POLICY = "policies/multihop.ttl"
MH = "https://w3id.org/judgeloop/multihop#"


@cache
def shipped() -> Contract:
    return freeze(locate("multihop"))


@pytest.fixture
def pack(tmp_path: Path) -> Callable[[Mapping[str, bytes]], Path]:
    """Return a maker of packs: a folder with a copy of the shipped contract and the given files of its own."""

    def make(files: Mapping[str, bytes]) -> Path:
        for name, content in {POLICY: (ROOT / POLICY).read_bytes(), **files}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(content)
        return tmp_path / POLICY

    return make


Pack = Callable[[Mapping[str, bytes]], Path]


def edited(old: str, new: str, name: str = POLICY) -> dict[str, bytes]:
    """Return a shipped file with one change."""
    text = (ROOT / name).read_text("utf-8")
    assert old in text
    return {name: text.replace(old, new).encode()}


def refusal(path: Path) -> BadInput:
    with pytest.raises(BadInput) as refused:
        freeze(path)
    for lang in LANGS:
        assert refused.value.text(lang).startswith(f"{refused.value.place}: ")
    return refused.value


# --- the same files, the same contract


def test_freezing_twice_gives_the_same_contract() -> None:
    assert freeze(locate("multihop")) == shipped()
    assert freeze(locate("multihop")).digest == shipped().digest


def test_a_copy_elsewhere_gives_the_same_contract(pack: Pack) -> None:
    assert freeze(pack({})) == shipped()


def test_a_contract_pins_the_forms_of_cases_and_verdicts_and_itself() -> None:
    assert {
        *ALWAYS,
        POLICY,
        "worlds/multihop/world.ttl",
        "sparql/check/multihop/hop_exists.rq",
    } <= shipped().assets.keys()
    for name, asset in shipped().assets.items():
        assert asset.content == (ROOT / name).read_bytes()
        assert asset.sha256 == assets.digest(asset.content)


def test_a_contract_says_what_its_file_says() -> None:
    contract = shipped()
    assert (contract.iri, contract.name, contract.version) == (f"{MH}contract", "multihop", "1.0.0")
    assert (contract.id_base, contract.id_key, contract.retention_days) == ("https://kg.example/", "query_id", 30)
    assert [(limit.name, limit.value, limit.property) for limit in contract.limits] == [("max_hops", 3, f"{MH}maxHops")]
    (schema,) = [r for r in contract.requirements if r.iri == f"{MH}r-schema"]
    assert (schema.mandatory, schema.prohibition, schema.rule) == (True, False, f"{JL}schema")
    assert schema.label == {"en": "fits the JSON Schema of the pack", "ko": "팩의 JSON Schema 에 맞는다"}
    assert {severity.value for severity in contract.blocking} == {"Violation"}
    assert contract.policy_version == f"sha256:{assets.digest((ROOT / POLICY).read_bytes())}"


COMMENT = {".ttl": b"\n#", ".rq": b"\n#", ".json": b" ", ".jsonld": b" "}


@pytest.mark.parametrize("name", sorted(shipped().assets))
def test_a_changed_byte_in_any_asset_is_another_contract(name: str, pack: Pack) -> None:
    content = (ROOT / name).read_bytes() + COMMENT[Path(name).suffix]
    changed = freeze(pack({name: content}))
    assert changed.digest != shipped().digest
    assert changed.assets[name].content == content
    assert [n for n, a in changed.assets.items() if a.sha256 != shipped().assets[n].sha256] == [name]


@pytest.mark.parametrize(
    "name", [POLICY, "ontology/multihop.ttl", "shapes/multihop.schema.json", "sparql/check/multihop/hop_exists.rq"]
)
def test_line_ends_and_a_bom_are_no_change(name: str, pack: Pack) -> None:
    content = b"\xef\xbb\xbf" + (ROOT / name).read_bytes().replace(b"\n", b"\r\n")
    assert freeze(pack({name: content})).digest == shipped().digest


def test_a_pack_uses_its_own_files_first_and_shipped_ones_otherwise(pack: Pack) -> None:
    own = b'{"type": "object", "description": "mine"}'
    contract = freeze(pack({"shapes/multihop.schema.json": own}))
    assert contract.assets["shapes/multihop.schema.json"].content == own
    assert contract.assets["shapes/event.ttl"] == shipped().assets["shapes/event.ttl"]


# --- what may not be frozen: the error, the place, the words


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    error = refusal(tmp_path / "policies" / "none.ttl")
    assert (error.key, error.place) == ("file-missing", str(tmp_path / "policies" / "none.ttl"))


@pytest.mark.parametrize(
    ("old", "new", "key", "params"),
    [
        ("shapes/multihop.schema.json", "shapes/none.json", "contract-asset", {"asset": "shapes/none.json"}),
        ("sparql/measure/multihop/accuracy.rq", "sparql/none.rq", "contract-asset", {"asset": "sparql/none.rq"}),
        ("shapes/multihop.schema.json", "../../secret", "asset-outside", {"name": "../../secret"}),
        ("shapes/multihop.schema.json", "/etc/passwd", "asset-outside", {"name": "/etc/passwd"}),
        ("jl:rule jl:schema ;", "jl:rule jl:schemes ;", "contract-rule", {"rule": f"{JL}schemes"}),
        ("jl:condition jl:has_hashes ;", "jl:condition jl:has_hash ;", "contract-rule", {"rule": f"{JL}has_hash"}),
        ("mh:contract a jl:Contract ;", "mh:contract a jl:Agreement ;", "contract-none", {}),
        ("mh:max-hops a jl:Limit ;", "mh:other a jl:Contract . mh:max-hops a jl:Limit ;", "contract-many", {}),
        ("jl:limit mh:max-hops ;", "jl:limit [ a jl:Limit ] ;", "rdf-blank-node", {}),
    ],
)
def test_a_contract_that_names_what_is_not_there_is_refused(
    old: str, new: str, key: str, params: Mapping[str, str], pack: Pack
) -> None:
    path = pack(edited(old, new))
    error = refusal(path)
    assert isinstance(error, ContractError)
    assert (error.key, error.place, error.params) == (key, str(path), params)


@pytest.mark.parametrize(
    ("old", "new", "focus", "why"),
    [
        ("jl:mandatory true", "jl:mandatory false", "contract", "at least one requirement is mandatory"),
        (
            'rdfs:label "fits the JSON Schema of the pack"@en, "팩의 JSON Schema 에 맞는다"@ko ;',
            "",
            "r-schema",
            "one in en",
        ),
        (', "팩의 JSON Schema 에 맞는다"@ko', "", "r-schema", "one label in ko"),
        ('owl:versionInfo "1.0.0"', 'owl:versionInfo "1"', "contract", "three numbers"),
        ('jl:idBase "https://kg.example/"', 'jl:idBase "kg.example"', "contract", "jl:idBase"),
        ('jl:idBase "https://kg.example/" ;', "", "contract", "jl:idBase"),
        ("jl:quorum 1", "jl:quorum 0", "contract", "quorum"),
        ("jl:risk jl:low", "jl:risk jl:none", "contract", "risk"),
        (
            'jl:partialFailurePolicy "manual_escalation"',
            'jl:partialFailurePolicy "allow"',
            "contract",
            "partial-failure",
        ),
    ],
)
def test_a_contract_that_leaves_something_open_is_refused(old: str, new: str, focus: str, why: str, pack: Pack) -> None:
    path = pack(edited(old, new))
    error = refusal(path)
    assert isinstance(error, ContractError)
    assert (error.key, error.place) == ("contract-not-valid", f"{path} <{MH}{focus}>")
    assert why in error.text()


def test_a_syntax_error_of_the_contract_has_line_and_column(pack: Pack) -> None:
    path = pack(edited('jl:name "multihop" ;', 'jl:name "multihop" ;;; ]'))
    before = path.read_text("utf-8").partition("]")[0].splitlines()
    assert refusal(path).place == f"{path}:{len(before)}:{len(before[-1]) + 1}"


def test_an_undeclared_prefix_of_the_contract_has_line_and_column(pack: Pack) -> None:
    path = pack(edited("@prefix sh: <http://www.w3.org/ns/shacl#> .\n", ""))
    before = path.read_text("utf-8").partition("sh:Violation")[0].splitlines()
    error = refusal(path)
    assert (error.key, error.place) == ("rdf-syntax", f"{path}:{len(before)}:{len(before[-1]) + 1}")


@pytest.mark.parametrize(
    ("name", "content", "key", "place"),
    [
        ("ontology/multihop.ttl", b"\n  nonsense", "rdf-syntax", ":2:3"),
        ("ontology/multihop.ttl", "가".encode("cp949"), "not-utf8", ":1"),
        ("ontology/multihop.ttl", b"[] a <urn:x:C> .", "rdf-blank-node", ""),
        ("shapes/multihop.ttl", b"<urn:x:a> <urn:x:b> ", "rdf-syntax", ":1:21"),
        ("shapes/multihop.schema.json", b'{"type": ', "json-syntax", ":1:10"),
        ("shapes/multihop.schema.json", b'{"type": "objekt"}', "schema-broken", " /type"),
        ("ontology/contexts/multihop.context.jsonld", b'{"@context": {"a": "ex:a" "b"}}', "json-syntax", ":1:27"),
        ("ontology/contexts/multihop.context.jsonld", b"{}", "contract-context", ""),
        ("ontology/contexts/multihop.context.jsonld", b'{"@context": "https://e/c"}', "contract-context", ""),
        ("ontology/contexts/multihop.world.context.jsonld", b"[]", "contract-context", ""),
        ("sparql/check/multihop/hop_exists.rq", b"SELECT ?x WHERE { ?x", "rq-syntax", ":1:21"),
        ("sparql/check/multihop/hop_exists.rq", b"DROP ALL", "rq-forbidden", ""),
        ("sparql/check/multihop/hop_exists.rq", b"ASK { SERVICE <http://e/> { ?s ?p ?o } }", "rq-forbidden", None),
        ("sparql/check/multihop/hop_exists.rq", b"# @param x: nonsense\nASK { ?s ?p ?x }", "rq-header-type", None),
        ("sparql/condition/core/has_steps.rq", b"ASK { ?s ?p }", "rq-syntax", ":1:14"),
        ("sparql/derive/multihop/edges.rq", b"CONSTRUCT { ?s", "rq-syntax", ":1:15"),
        ("sparql/measure/multihop/accuracy.rq", b"SELECT (SUM(?x) AS ?y) ?z {}", "rq-syntax", ":1:29"),
    ],
)
def test_an_asset_that_can_not_be_read_is_named(
    name: str, content: bytes, key: str, place: str | None, pack: Pack
) -> None:
    error = refusal(pack({name: content}))
    assert error.key == key
    assert error.place.startswith(name)
    assert place is None or error.place == f"{name}{place}"


def test_a_class_that_can_have_no_member_is_named(pack: Pack) -> None:
    impossible = (
        b"\nmh:Both a owl:Class ; rdfs:subClassOf mh:Answer, mh:Refusal . mh:Answer owl:disjointWith mh:Refusal ."
    )
    path = pack({"ontology/multihop.ttl": (ROOT / "ontology/multihop.ttl").read_bytes() + impossible})
    error = refusal(path)
    assert isinstance(error, ContractError)
    assert (error.key, error.place, error.params["cls"]) == ("contract-unsatisfiable", str(path), f"{MH}Both")


# --- names


def test_a_name_or_a_path_leads_to_the_file(tmp_path: Path) -> None:
    assert locate("multihop") == locate("multihop@1.0.0") == ROOT / POLICY
    assert locate("somewhere/mine.ttl") == Path("somewhere/mine.ttl")
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "multihop.ttl").touch()
    (tmp_path / "policies" / "mine.ttl").touch()
    assert locate("multihop", [tmp_path]) == tmp_path / POLICY
    assert "mine" in packs([tmp_path])


def test_a_file_that_is_no_turtle_by_its_name_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "contract.md").touch()
    with pytest.raises(ContractError) as refused:
        locate(str(tmp_path / "contract.md"))
    assert refused.value.key == "contract-suffix"


@pytest.mark.parametrize("name", ["multihops", "../policies/multihop", "", "@1.0.0", "multihop/"])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(ContractError) as refused:
        locate(name)
    assert refused.value.key == "contract-unknown"
    assert "multihop" in str(refused.value.params["known"])


@pytest.mark.parametrize(
    ("name", "version"),
    [("multihop@1.0.0", "1.0.0"), ("multihop", None), ("policies/a@1.ttl", None), ("a/b@1", None), ("multihop@", None)],
)
def test_a_version_is_part_of_a_name_only(name: str, version: str | None) -> None:
    assert asked_version(name) == version


# --- the lock file


def test_a_lock_holds_what_was_frozen_and_compares_equal(tmp_path: Path) -> None:
    lock = lock_path(tmp_path / "multihop.ttl")
    assert lock == tmp_path / "multihop.lock.json"
    lock.write_text(json.dumps(lock_of(shipped())), "utf-8")
    held = json.loads(lock.read_text("utf-8"))
    assert (held["contract"], held["digest"]) == ("multihop@1.0.0", shipped().digest)
    assert list(held["assets"]) == sorted(shipped().assets)
    assert differences(shipped(), lock) == []


def test_changed_added_and_removed_assets_are_differences(tmp_path: Path) -> None:
    held = lock_of(shipped())
    pins = dict(shipped().assets)
    changed = {name: asset.sha256 for name, asset in pins.items()} | {POLICY: "0" * 64, "shapes/gone.ttl": "1" * 64}
    del changed["shapes/event.ttl"]
    lock = tmp_path / "multihop.lock.json"
    lock.write_text(json.dumps(held | {"assets": changed}), "utf-8")
    assert differences(shipped(), lock) == [POLICY, "shapes/event.ttl", "shapes/gone.ttl"]


def test_a_missing_lock_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContractError) as refused:
        differences(shipped(), tmp_path / "multihop.lock.json")
    assert refused.value.key == "lock-missing"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"assets": []}', b'{"assets": null}', b"\xff"])
def test_a_broken_lock_is_named(content: bytes, tmp_path: Path) -> None:
    lock = tmp_path / "multihop.lock.json"
    lock.write_bytes(content)
    with pytest.raises(ContractError) as refused:
        differences(shipped(), lock)
    assert (refused.value.key, refused.value.place) == ("lock-broken", str(lock))


# --- made once


def test_what_a_contract_gives_is_made_once_and_not_mixed_up(pack: Pack) -> None:
    made: list[str] = []

    @once
    def digest_of(contract: Contract) -> str:
        made.append(contract.digest)
        return contract.digest

    other = freeze(pack({"worlds/multihop/world.ttl": b"# another world"}))
    for contract in (shipped(), other, freeze(locate("multihop")), other):
        assert digest_of(contract) == contract.digest
    assert made == [shipped().digest, other.digest]
    assert ontology_graph(shipped())[0] != ontology_graph(other)[0]
    assert kept_graph(shipped())[0] != kept_graph(other)[0]


def test_what_failed_is_tried_again() -> None:
    tries: list[int] = []

    @once
    def second_time(contract: Contract) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise BadInput("file-empty", place=contract.name)
        return contract.name

    with pytest.raises(BadInput):
        second_time(shipped())
    assert second_time(shipped()) == "multihop"


def test_threads_share_what_was_made(pack: Pack) -> None:
    contract = freeze(pack({"worlds/multihop/world.ttl": b"# a third world"}))
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(ontology_text, [contract] * 16))
        shapes = list(pool.map(shapes_of, [contract] * 16))
    assert set(texts) == {ontology_text(contract)}
    assert {len(found.shapes) for found in shapes} == {len(shapes_of(contract).shapes)}
    assert background_of(contract) is background_of(contract)


def test_the_kept_graph_names_every_asset_with_its_digest() -> None:
    name, triples = kept_graph(shipped())
    assert name == f"https://kg.example/contract/multihop@1.0.0/sha256-{shipped().digest}"
    digests = {getattr(t.object, "value", "") for t in triples if t.predicate.value == f"{JL}sha256"}
    assert digests == {asset.sha256 for asset in shipped().assets.values()}
    assert not any(t.predicate.value.startswith(SH) for t in triples)
