"""The core terms: labelled and defined in both languages, declared once, in accord with the standards that they use."""

import re
from functools import cache
from pathlib import Path

import pytest
from rdflib import DCTERMS, OWL, PROV, RDF, RDFS, SKOS, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from judgeloop import reason

ROOT = Path(__file__).parents[2]
JL = Namespace("https://w3id.org/judgeloop#")
EARL = Namespace("http://www.w3.org/ns/earl#")
FILES = ("judge", "trace")
SEED_TERMS = ("Task", "Requirement", "Risk", "Evidence", "Action", "Actor", "Tool", "Policy", "Verdict", "Appeal")
STEPS = {
    "Plan", "Message", "ToolCall", "ToolResult", "StateChange", "Retrieval", "ApprovalRequest", "Approval",
    "Delegation",
}  # fmt: skip
MAPPINGS = (SKOS.exactMatch, SKOS.closeMatch, SKOS.relatedMatch, RDFS.subClassOf, RDFS.subPropertyOf, JL.twin)


@cache
def parsed(name: str) -> Graph:
    return Graph().parse(ROOT / "ontology" / f"{name}.ttl", format="turtle")


@cache
def together() -> Graph:
    return parsed("judge") + parsed("trace")


def declared(graph: Graph) -> set[Node]:
    return {s for s in graph.subjects(RDF.type, None) if str(s).startswith(JL)}


def ntriples(graph: Graph) -> str:
    return graph.serialize(format="nt")


@pytest.mark.parametrize("name", FILES)
def test_file_says_its_version_title_and_licence(name: str) -> None:
    graph = parsed(name)
    (ontology,) = graph.subjects(RDF.type, OWL.Ontology)
    assert ontology == URIRef(f"https://w3id.org/judgeloop/{name}")
    assert graph.value(ontology, OWL.versionIRI) == URIRef(f"https://w3id.org/judgeloop/{name}/1.0.0")
    assert graph.value(ontology, OWL.versionInfo) == Literal("1.0.0")
    assert graph.value(ontology, DCTERMS.license)
    assert {title.language for title in graph.objects(ontology, DCTERMS.title) if isinstance(title, Literal)} == {
        "ko",
        "en",
    }
    assert not list(graph.triples((None, OWL.imports, None)))
    assert all(term == ontology or str(term).startswith(JL) for term in graph.subjects(RDF.type, None))
    assert set(graph.objects(None, RDFS.isDefinedBy)) == {ontology}


@pytest.mark.parametrize("name", FILES)
def test_every_term_is_labelled_and_defined_once_in_each_language(name: str) -> None:
    graph = parsed(name)
    for term in declared(graph):
        for prop in (RDFS.label, SKOS.definition):
            said = [o for o in graph.objects(term, prop) if isinstance(o, Literal)]
            assert sorted(str(o.language) for o in said) == ["en", "ko"], term
            assert all(str(o).strip() == str(o) != "" for o in said), term
            assert all(bool(re.search("[가-힣]", o)) == (o.language == "ko") for o in said), term
        assert all(str(o).endswith(".") for o in graph.objects(term, SKOS.definition)), term
        assert len(list(graph.objects(term, RDFS.isDefinedBy))) == 1, term


def test_no_two_terms_share_a_definition() -> None:
    said = list(together().objects(None, SKOS.definition))
    assert len(said) == len(set(said))
    assert len(said) == 2 * len(declared(together()))


def test_no_term_is_declared_twice() -> None:
    assert declared(parsed("judge")).isdisjoint(declared(parsed("trace")))
    for name in FILES:
        text = (ROOT / "ontology" / f"{name}.ttl").read_text(encoding="utf-8")
        heads = re.findall(r"^(jl:\S+) a ", text, re.MULTILINE)
        assert len(heads) == len(set(heads)) == len(declared(parsed(name)))


def test_no_blank_node() -> None:
    assert all(isinstance(node, URIRef | Literal) for triple in together() for node in triple)


def test_the_ten_core_terms_are_classes() -> None:
    assert all((JL[name], RDF.type, OWL.Class) in parsed("judge") for name in SEED_TERMS)


def test_the_scales_have_their_values() -> None:
    graph = together()
    for scheme, kind, names in (
        ("risks", "Risk", "low medium high"),
        ("outcomes", "Outcome", "PASS FAIL UNCERTAIN ABSTAIN"),
        ("statuses", "Status", "HOLDS VIOLATED DISPUTED NOT_RUN NOT_APPLICABLE"),
        ("deciders", "Decider", "machine judge person"),
    ):
        assert set(graph.subjects(SKOS.inScheme, JL[scheme])) == {JL[n] for n in names.split()}
        assert set(graph.subjects(RDF.type, JL[kind])) == {JL[n] for n in names.split()}


def test_outcomes_and_statuses_are_mapped_to_earl() -> None:
    graph = together()
    assert {
        (str(s).rpartition("#")[2], str(o).rpartition("#")[2]) for s, o in graph.subject_objects(SKOS.exactMatch)
    } == {
        ("PASS", "passed"),
        ("FAIL", "failed"),
        ("UNCERTAIN", "cantTell"),
        ("ABSTAIN", "untested"),
        ("NOT_APPLICABLE", "inapplicable"),
    }
    close = {(s, o) for s, o in graph.subject_objects(SKOS.closeMatch) if str(o).startswith(EARL)}
    assert close == {
        (JL.HOLDS, EARL.passed),
        (JL.VIOLATED, EARL.failed),
        (JL.DISPUTED, EARL.cantTell),
        (JL.NOT_RUN, EARL.untested),
    }


def test_every_term_that_is_aligned_or_used_is_declared() -> None:
    graph = together()
    own = {s for prop in MAPPINGS for s in graph.subjects(prop, None) if str(s).startswith(JL)}
    used = {node for triple in graph for node in triple if str(node).startswith(JL)}
    assert own <= used == declared(graph)


def test_every_term_that_the_shipped_files_use_is_declared() -> None:
    used: dict[str, str] = {}
    for folder, pattern in (
        ("ontology/contexts", "*.jsonld"),
        ("sparql", "**/*.rq"),
        ("shapes", "*.ttl"),
        ("policies", "*.ttl"),
    ):
        for file in sorted((ROOT / folder).glob(pattern)):
            text = re.sub(r"(?m)^\s*#.*$", "", file.read_text(encoding="utf-8"))
            used |= dict.fromkeys(re.findall(r"\bjl:([A-Za-z_][\w-]*)", text), file.name)
    for file in sorted((ROOT / "src").rglob("*.py")):
        used |= dict.fromkeys(re.findall(r'\bJL \+ "([A-Za-z_]\w*)"', file.read_text(encoding="utf-8")), file.name)
    own = {str(term).removeprefix(JL) for term in declared(together())}
    for file in sorted([*(ROOT / "shapes").glob("*.ttl"), *(ROOT / "policies").glob("*.ttl")]):
        own |= {str(s).removeprefix(JL) for s in Graph().parse(file, format="turtle").subjects(RDF.type, None)}
    assert {name: file for name, file in used.items() if name not in own} == {}


def test_no_class_is_unsatisfiable_and_every_step_is_an_activity(tmp_path: Path) -> None:
    text = ntriples(together())
    assert reason.unsatisfiable(text, cache=tmp_path) == []
    implied = Graph().parse(data=reason.close(text, cache=tmp_path), format="nt")
    assert {str(s).removeprefix(JL) for s in implied.subjects(RDFS.subClassOf, JL.Action)} == STEPS
    assert all((JL[step], RDFS.subClassOf, PROV.Activity) in implied for step in STEPS)
    assert (JL.Verdict, OWL.disjointWith, JL.Evidence) in implied
    assert (JL.Contract, RDFS.subClassOf, PROV.Entity) in implied


def test_a_plan_that_is_activity_and_entity_would_be_noticed(tmp_path: Path) -> None:
    wrong = together() + Graph().add((JL.Plan, RDFS.subClassOf, PROV.Plan))
    ((cls, why),) = reason.unsatisfiable(ntriples(wrong), cache=tmp_path)
    assert cls == str(JL.Plan)
    assert why == f"<{PROV.Activity}> <{OWL.disjointWith}> <{PROV.Entity}>"


# Domains and ranges as PROV-O (W3C Recommendation, 30 April 2013) states them.
PROV_O = {
    PROV.wasAssociatedWith: (PROV.Activity, PROV.Agent),
    PROV.wasInformedBy: (PROV.Activity, PROV.Activity),
    PROV.startedAtTime: (PROV.Activity, None),
    PROV.generatedAtTime: (PROV.Entity, None),
    PROV.wasDerivedFrom: (PROV.Entity, PROV.Entity),
    PROV.wasRevisionOf: (PROV.Entity, PROV.Entity),
    PROV.wasQuotedFrom: (PROV.Entity, PROV.Entity),
    PROV.wasGeneratedBy: (PROV.Entity, PROV.Activity),
    PROV.value: (PROV.Entity, None),
}


def test_a_recorded_case_keeps_activities_and_entities_apart(tmp_path: Path) -> None:
    graph = Graph() + together()
    for prop, (domain, ranged) in PROV_O.items():
        graph.add((prop, RDFS.domain, domain))
        if ranged is not None:
            graph.add((prop, RDFS.range, ranged))
    graph.parse(
        data="""
        @prefix : <http://example.org/> . @prefix jl: <https://w3id.org/judgeloop#> .
        @prefix prov: <http://www.w3.org/ns/prov#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        :e a jl:Event ; jl:input :in ; jl:decision :d ; jl:step :s0, :s1, :s2, :s3 ;
          jl:evidence :ev, :old ; jl:model :m .
        :s0 a jl:Plan ; jl:text "먼저 찾는다" ; jl:at "9시" ; prov:startedAtTime "2026-01-01T00:00:00Z"^^xsd:dateTime ;
          prov:wasAssociatedWith :agent .
        :s1 a jl:ApprovalRequest ; jl:tool :stop ; jl:arguments :args ; prov:wasInformedBy :s0 .
        :s2 a jl:Approval ; jl:coversStep :s1 ; prov:wasAssociatedWith :kim ; jl:onBehalfOf :owner .
        :s3 a jl:ToolCall ; jl:tool :stop ; jl:arguments :args ; prov:wasInformedBy :s2 ; jl:member :extra .
        :args jl:member :arg . :arg jl:name "line" ; jl:value "A1" . :extra jl:name "x" ; jl:value "1" .
        :ev prov:generatedAtTime "2026-01-01T00:00:00Z"^^xsd:dateTime ; prov:wasRevisionOf :old .
        :span a jl:Span ; jl:spanOf :in ; jl:mentions :line ; jl:occursIn :chunk .
        :edge jl:src :a ; jl:rel :r ; jl:dst :b ; jl:chunk :chunk .
        :v a jl:Verdict ; jl:finding :f ; jl:reason :why ; jl:evidence :ev ; jl:outcome jl:PASS ; jl:provenance :p .
        :f jl:rule jl:schema ; jl:status jl:HOLDS . :p jl:event :e ; prov:wasGeneratedBy :run .
        :head a jl:Head ; jl:verdict :v ; jl:supersedes :head0 .
        """,
        format="turtle",
    )
    graph += Graph().parse(data=reason.close(ntriples(graph), cache=tmp_path), format="nt")
    types = {s: set(graph.objects(s, RDF.type)) for s in set(graph.subjects(RDF.type, None))}
    for one, other in graph.subject_objects(OWL.disjointWith):
        assert not [s for s, held in types.items() if {one, other} <= held], (one, other)
    named = {str(s).rpartition("/")[2]: held for s, held in types.items()}
    assert all(PROV.Activity in named[step] for step in ("s0", "s1", "s2", "s3", "run"))
    assert all(
        PROV.Entity in named[thing] for thing in ("e", "in", "d", "ev", "old", "arg", "span", "v", "f", "p", "head0")
    )
    assert {JL.Edge, PROV.Entity} <= named["edge"]
    assert PROV.Agent in named["owner"]
