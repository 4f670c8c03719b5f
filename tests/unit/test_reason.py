"""What follows from small ontologies, found by hand from the OWL 2 RL rules, and what must not leave the reasoner."""

import subprocess
import sys
from pathlib import Path

import pytest

from judgeloop import reason
from judgeloop.errors import EngineFailure
from judgeloop.reason import close, default_cache, unsatisfiable

NAMESPACES = {
    "": "http://example.org/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}


def nt(text: str) -> str:
    """Return N-Triples of lines like ``:A rdfs:subClassOf :B``."""
    return "".join(" ".join(map(term, line.split())) + " .\n" for line in text.splitlines() if line.strip())


def term(written: str) -> str:
    if written.startswith(("_:", '"', "<")):
        return written
    prefix, _, local = ("rdf:type" if written == "a" else written).partition(":")
    return f"<{NAMESPACES[prefix]}{local}>"


def short(text: str) -> str:
    for prefix, namespace in NAMESPACES.items():
        text = text.replace(f"<{namespace}", f"{prefix}:" if prefix else ":").replace(">", "")
    return text


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "judgeloop"


def closed(text: str) -> list[str]:
    """Return the new triples, written short."""
    return [short(line).removesuffix(" .") for line in close(nt(text)).splitlines()]


# --- what follows


def test_class_hierarchy_reaches_individuals() -> None:
    assert closed(":Pump rdfs:subClassOf :Device\n:Device rdfs:subClassOf :Thing\n:p1 a :Pump") == [
        ":Pump rdfs:subClassOf :Thing",
        ":p1 rdf:type :Device",
        ":p1 rdf:type :Thing",
    ]


def test_property_hierarchy_is_transitive_and_may_end_in_a_label() -> None:
    assert closed(":worksFor rdfs:subPropertyOf :knows\n:knows rdfs:subPropertyOf :relatedTo") == [
        ":worksFor rdfs:subPropertyOf :relatedTo"
    ]
    assert closed(":nick rdfs:subPropertyOf :name\n:name rdfs:subPropertyOf rdfs:label") == [
        ":nick rdfs:subPropertyOf rdfs:label"
    ]


def test_equivalence_goes_both_ways() -> None:
    assert closed(":회사 owl:equivalentClass :Company\n:p owl:equivalentProperty :q") == [
        ":Company rdfs:subClassOf :회사",
        ":Company owl:equivalentClass :회사",
        ":p rdfs:subPropertyOf :q",
        ":q rdfs:subPropertyOf :p",
        ":q owl:equivalentProperty :p",
        ":회사 rdfs:subClassOf :Company",
    ]


def test_inverse_and_disjointness_are_said_both_ways() -> None:
    assert closed(":locatedIn owl:inverseOf :contains\n:Person owl:disjointWith :Company") == [
        ":Company owl:disjointWith :Person",
        ":contains owl:inverseOf :locatedIn",
    ]


def test_members_of_a_disjoint_list_are_disjoint_in_pairs() -> None:
    rows = closed("""
        _:d a owl:AllDisjointClasses
        _:d owl:members _:1
        _:1 rdf:first :A
        _:1 rdf:rest _:2
        _:2 rdf:first :B
        _:2 rdf:rest _:3
        _:3 rdf:first :C
        _:3 rdf:rest rdf:nil
    """)
    assert rows == [f":{a} owl:disjointWith :{b}" for a, b in ("AB", "AC", "BA", "BC", "CA", "CB")]


def test_domain_and_range_classify_individuals() -> None:
    assert closed(":owns rdfs:domain :Person\n:owns rdfs:range :Thing\n:hong :owns :car") == [
        ":car rdf:type :Thing",
        ":hong rdf:type :Person",
    ]


# --- what must stay inside


def test_nothing_reflexive_axiomatic_or_ill_formed_leaves() -> None:
    rows = close(
        nt("""
        :A a owl:Class
        :A rdfs:subClassOf :B
        :p a owl:ObjectProperty
        :q a owl:FunctionalProperty
        :x :q "1"^^<http://www.w3.org/2001/XMLSchema#integer>
        :x :q :y
        :x :q :z
        :y a :A
        _:r rdfs:subClassOf :B
        :A rdfs:subClassOf _:r
        """)
    ).splitlines()
    assert [short(row) for row in rows] == [":y rdf:type :B .", ":z rdf:type :A .", ":z rdf:type :B ."]


def test_labels_and_other_annotations_imply_nothing() -> None:
    text = """
        :note a owl:AnnotationProperty
        :note rdfs:domain :Noted
        skos:definition rdfs:domain :Defined
        rdfs:label rdfs:domain :Labelled
        :A :note :n
        :i rdfs:label "이름"@ko
        :i skos:definition "x"
        :i :note "x"
    """
    assert closed(text) == []


def test_a_class_is_no_individual_unless_it_is_said_to_be_one() -> None:
    text = """
        :Eagle a owl:Class
        :Eagle :of :b
        :of rdfs:domain :Kind
        :Owl a owl:Class
        :Owl a :Species
        :Species rdfs:subClassOf :Taxon
    """
    assert closed(text) == [":Owl rdf:type :Taxon"]


def test_iri_that_no_triples_file_can_hold_is_left_out() -> None:
    text = "<http://example.org/a\\u003Eb> <%s> <http://example.org/B> .\n" % (NAMESPACES["rdfs"] + "subClassOf")
    assert close(text + nt(":B rdfs:subClassOf :C")) == ""


def test_same_statements_in_another_order_give_the_same_bytes() -> None:
    lines = nt(":A rdfs:subClassOf :B\n:B rdfs:subClassOf :C\n:C rdfs:subClassOf :D\n:i a :A").splitlines(keepends=True)
    assert close("".join(lines)) == close("".join(reversed(lines)))
    assert close("") == ""


# --- classes that can have no member


def broken(text: str) -> list[tuple[str, str]]:
    return [(short(f"<{cls}>"), short(why)) for cls, why in unsatisfiable(nt(text))]


def test_class_below_two_disjoint_ones_can_have_no_member() -> None:
    assert broken("""
        :Mule rdfs:subClassOf :Horse
        :Mule rdfs:subClassOf :Donkey
        :Horse owl:disjointWith :Donkey
        :Hinny rdfs:subClassOf :Mule
        :Donkey rdfs:subClassOf :Animal
    """) == [
        (":Hinny", ":Donkey owl:disjointWith :Horse"),
        (":Mule", ":Donkey owl:disjointWith :Horse"),
    ]


def test_sound_ontology_has_no_broken_class() -> None:
    assert broken(":사람 owl:disjointWith :회사\n:직원 rdfs:subClassOf :사람\n:법인 owl:equivalentClass :회사") == []


def test_disjoint_list_complement_and_nothing_break_a_class() -> None:
    text = """
        _:d a owl:AllDisjointClasses
        _:d owl:members _:1
        _:1 rdf:first :A
        _:1 rdf:rest _:2
        _:2 rdf:first :B
        _:2 rdf:rest rdf:nil
        :AB rdfs:subClassOf :A
        :AB rdfs:subClassOf :B
        :On owl:complementOf :Off
        :OnOff rdfs:subClassOf :On
        :OnOff rdfs:subClassOf :Off
        :Void rdfs:subClassOf owl:Nothing
        :Odd owl:disjointWith :Odd
    """
    assert broken(text) == [
        (":AB", ":A owl:disjointWith :B"),
        (":Odd", ":Odd owl:disjointWith :Odd"),
        (":OnOff", ":Off owl:complementOf :On"),
        (":Void", ":Void rdfs:subClassOf owl:Nothing"),
    ]


def test_intersection_breaks_only_the_class_that_it_defines() -> None:
    text = """
        :Both owl:intersectionOf _:1
        _:1 rdf:first :A
        _:1 rdf:rest _:2
        _:2 rdf:first :B
        _:2 rdf:rest rdf:nil
        :Both a owl:Class
        :A owl:disjointWith :B
    """
    assert broken(text) == [(":Both", ":A owl:disjointWith :B")]


def test_two_sound_classes_that_share_one_key_value_are_not_merged() -> None:
    # Each class can have its one member; only both at once could not. Probes of two classes must not become one.
    text = """
        :seat a owl:InverseFunctionalProperty
        _:v owl:onProperty :seat
        _:v owl:hasValue :one
        :King rdfs:subClassOf _:v
        :Queen rdfs:subClassOf _:v
        :King owl:disjointWith :Queen
    """
    assert broken(text) == []


def test_an_individual_in_two_disjoint_classes_breaks_no_class() -> None:
    assert broken(":A owl:disjointWith :B\n:i a :A\n:i a :B") == []


# --- kept answers


def test_second_call_reads_the_kept_answer(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = nt(":A rdfs:subClassOf :B\n:i a :A")
    first = close(text)
    assert [p.name.split("-")[:2] for p in cache.iterdir()] == [["closure", str(reason.VERSION)]]
    monkeypatch.setattr(reason, "_close", None)
    assert close(text) == first
    assert close(text, cache=cache) == first


@pytest.mark.parametrize("damage", [b"", b"abc", b"\xff\xfe", None])
def test_damaged_answer_is_computed_again(cache: Path, damage: bytes | None) -> None:
    text = nt(":A rdfs:subClassOf :B\n:i a :A")
    first = close(text)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-5] if damage is None else damage)
    assert close(text) == first
    assert file.read_bytes() == whole
    assert list(cache.iterdir()) == [file]


def test_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert close(nt(":A rdfs:subClassOf :B\n:i a :A"), cache=blocked / "sub").count("\n") == 1


def test_failed_replacement_leaves_no_part_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(Path, "replace", refuse)
    assert close(nt(":A rdfs:subClassOf :B\n:i a :A")).count("\n") == 1
    assert list(cache.iterdir()) == []


def test_cache_stands_under_xdg_or_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "judgeloop"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert default_cache() == tmp_path / "home" / ".cache" / "judgeloop"


def test_user_without_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    assert close(nt(":A rdfs:subClassOf :B\n:i a :A")).count("\n") == 1


# --- failures


@pytest.mark.parametrize(
    "text",
    [
        "this is no triple",
        nt(":C owl:maxCardinality :many"),
        nt(":C owl:intersectionOf _:1\n_:1 rdf:first :A\n_:1 rdf:rest _:1"),
        nt("_:d a owl:AllDisjointClasses\n_:d owl:members _:1\n_:1 rdf:first :A\n_:1 rdf:rest _:1"),
    ],
)
def test_ontology_that_stops_the_reasoner_is_an_engine_failure(text: str, cache: Path) -> None:
    for ask in (close, unsatisfiable):
        if "maxCardinality" in text and ask is unsatisfiable:
            continue  # cardinalities are left out there
        with pytest.raises(EngineFailure) as caught:
            ask(text)
        assert caught.value.key == "reason-failed"
        assert "추론" in caught.value.text("ko")
    assert not cache.exists()


def test_importing_this_room_imports_no_reasoner() -> None:
    code = "import sys, judgeloop.reason; print(sorted({'owlrl', 'rdflib'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
