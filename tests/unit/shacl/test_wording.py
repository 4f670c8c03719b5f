"""What people read: messages of the shapes in both languages, their holes filled, and never a message in no words."""

from collections.abc import Callable, Mapping
from typing import Protocol

import pytest

from judgeloop.shacl import Report, ShapesGraph
from judgeloop.shacl.graph import Index, View
from judgeloop.shacl.sparql import Plans
from judgeloop.shacl.terms import read
from judgeloop.shacl.wording import path_text
from judgeloop.vocab import SH


class Check(Protocol):
    def __call__(self, shapes: str, data: str) -> Report: ...


Parse = Callable[[str], ShapesGraph]
DECLARED = ': a owl:Ontology ; sh:declare [ sh:prefix "" ; sh:namespace "http://e/"^^xsd:anyURI ] . '
QUERY = DECLARED + ":S a sh:NodeShape ; sh:targetClass :T ; %s sh:sparql [ sh:prefixes : ; %s sh:select '''%s''' ] ."
SPENT = "SELECT $this ?value ?limit WHERE { $this :spent ?value ; :budget ?limit FILTER (?value > ?limit) }"


def said(report: Report) -> Mapping[str, str]:
    assert report.failure is None
    (result,) = report.results
    return result.message


@pytest.mark.parametrize(
    ("written", "en", "ko"),
    [
        ('"too few"@en , "너무 적음"@ko', "too few", "너무 적음"),
        ('"too few"@en-GB , "너무 적음"@ko-KR', "too few", "너무 적음"),
        ('"너무 적음"@ko', "너무 적음", "너무 적음"),
        ('"too few"@en', "too few", "too few"),
        ('"plain" , "너무 적음"@ko', "plain", "너무 적음"),
        ('"zu wenig"@de', "zu wenig", "zu wenig"),
        ('"b"@en , "a"@en , "ㄱ"@ko', "a b", "ㄱ"),
    ],
)
def test_a_message_loses_its_language(check: Check, written: str, en: str, ko: str) -> None:
    shapes = f":S sh:targetClass :T ; sh:property [ sh:path :p ; sh:minCount 1 ; sh:message {written} ] ."
    assert said(check(shapes, ":a a :T .")) == {"en": en, "ko": ko}


def test_a_query_message_loses_its_language_and_values(check: Check) -> None:
    shapes = QUERY % (
        "",
        'sh:message "{?value} of {?limit} by {$this}"@en , "{$this}: {?limit} 중 {?value}"@ko ;',
        SPENT,
    )
    message = said(check(shapes, ":a a :T ; :spent 5 ; :budget 3 ."))
    assert message == {"en": "5 of 3 by http://e/a", "ko": "http://e/a: 3 중 5"}


def test_the_message_of_the_shape_hides_that_of_the_query(check: Check) -> None:
    data = ":a a :T ; :spent 5 ; :budget 3 ."
    assert said(check(QUERY % ('sh:message "shape" ;', 'sh:message "query" ;', SPENT), data))["en"] == "query"
    assert said(check(QUERY % ('sh:message "shape {?limit}" ;', "", SPENT), data))["en"] == "shape 3"
    bound = SPENT.replace("?limit WHERE", "?limit ?message WHERE").replace(
        "FILTER", 'BIND ("bound"@ko AS ?message) FILTER'
    )
    message = said(check(QUERY % ('sh:message "shape" ;', 'sh:message "query" ;', bound), data))
    assert message == {"en": "bound", "ko": "bound"}


@pytest.mark.parametrize("value", [r"\\1 \\d \\g<0>", "{?limit}", "{0} {value.real}"])
def test_a_value_is_read_as_a_template(check: Check, value: str) -> None:
    query = "SELECT $this ?value ?limit WHERE { $this :says ?value ; :budget ?limit }"
    message = said(
        check(QUERY % ("", 'sh:message "it said {?value}" ;', query), f':a a :T ; :says "{value}" ; :budget 3 .')
    )
    assert message["en"] == "it said " + value.replace("\\\\", "\\")


def test_a_hole_that_nobody_can_fill_vanishes(check: Check) -> None:
    shapes = ':S sh:targetClass :T ; sh:property [ sh:path :p ; sh:minCount 1 ; sh:message "{?nobody} at {?path}" ] .'
    assert said(check(shapes, ":a a :T ."))["en"] == "{?nobody} at <http://e/p>"


@pytest.mark.parametrize(
    ("constraint", "data", "en"),
    [
        ("sh:minCount 1", "", "<http://e/a> does not satisfy sh:minCount 1 on <http://e/p>"),
        ("sh:nodeKind sh:IRI", '; :p "x"@ko', '"x"@ko does not satisfy sh:nodeKind sh:IRI on <http://e/p>'),
        ("sh:class :C", "; :p :b", "<http://e/b> does not satisfy sh:class <http://e/C> on <http://e/p>"),
        ('sh:in ( :b "c" 1.5 )', "; :p 2", 'sh:in (<http://e/b> "c" 1.5) on <http://e/p>'),
        ('sh:pattern "^a$" ; sh:flags "i"', '; :p "b"', '"b" does not satisfy sh:pattern "^a$" on <http://e/p>'),
        ("sh:or ( [ sh:class :C ] [ sh:class :D ] )", "; :p :b", "sh:or ([…] […]) on <http://e/p>"),
    ],
)
def test_a_shape_without_a_message_says_nothing(check: Check, constraint: str, data: str, en: str) -> None:
    message = said(check(f":S sh:targetClass :T ; sh:property [ sh:path :p ; {constraint} ] .", f":a a :T {data} ."))
    assert message["en"].endswith(en)
    assert "만족하지 않습니다" in message["ko"]


def test_a_node_shape_without_a_message_says_nothing(check: Check) -> None:
    message = said(check(":S sh:targetClass :T ; sh:nodeKind sh:Literal .", ":a a :T ."))
    assert message["en"] == "<http://e/a> does not satisfy sh:nodeKind sh:Literal"


def test_a_query_without_a_message_says_nothing(check: Check) -> None:
    assert (
        "does not satisfy sh:sparql" in said(check(QUERY % ("", "", SPENT), ":a a :T ; :spent 5 ; :budget 3 ."))["en"]
    )


OWN = (
    DECLARED + ":Own a sh:ConstraintComponent ; sh:parameter [ sh:path :longest ] ; sh:validator [ "
    'a sh:SPARQLAskValidator ; sh:message "{$value} is longer than {$longest}"@en , "{$longest} 자보다 깁니다"@ko ; '
    'sh:prefixes : ; sh:ask "ASK { FILTER (STRLEN(STR($value)) <= $longest) }" ] . '
    ":S a sh:NodeShape ; sh:targetClass :T ; sh:property [ sh:path :p ; :longest 4 ] ."
)


def test_a_component_of_ones_own_has_no_words(check: Check) -> None:
    report = check(OWN, r':a a :T ; :p "five\\n" , "four" .')
    assert said(report) == {"en": "five\\n is longer than 4", "ko": "4 자보다 깁니다"}
    assert report.results[0].component == "http://e/Own"
    assert report.account["http://e/S"].constraints == 1


def test_messages_of_one_focus_node_leak_into_the_next(check: Check) -> None:
    report = check(OWN, ':a a :T ; :p "12345" . :b a :T ; :p "123456" .')
    assert [r.message["en"] for r in report.results] == ["12345 is longer than 4", "123456 is longer than 4"]


def test_a_value_that_python_calls_false_is_not_looked_at(check: Check) -> None:
    assert len(check(OWN.replace(":longest 4", ":longest 3"), ":a a :T ; :p false .").results) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (":p", "<http://e/p>"),
        ("[ sh:inversePath :p ]", "^<http://e/p>"),
        ("( :p [ sh:inversePath :q ] )", "<http://e/p>/(^<http://e/q>)"),
        ("[ sh:inversePath ( :p :q ) ]", "^(<http://e/p>/<http://e/q>)"),
        ("[ sh:alternativePath ( :p ( :q :r ) ) ]", "<http://e/p>|(<http://e/q>/<http://e/r>)"),
        ("[ sh:zeroOrMorePath [ sh:inversePath :p ] ]", "(^<http://e/p>)*"),
        ("[ sh:oneOrMorePath [ sh:alternativePath ( :p :q ) ] ]", "(<http://e/p>|<http://e/q>)+"),
        ("( [ sh:zeroOrOnePath :p ] :q )", "<http://e/p>?/<http://e/q>"),
    ],
)
def test_a_path_reads_as_another_one(check: Check, path: str, text: str) -> None:
    report = check(f":S sh:targetClass :T ; sh:property [ sh:path {path} ; sh:minCount 9 ] .", ":a a :T .")
    assert [result.path for result in report.results] == [text]


def test_a_node_that_is_no_path_has_no_text() -> None:
    ((blank, _, _),) = triples = read(f"_:b <{SH}message> _:c .", "shapes")
    assert path_text(blank, View(Index(triples), plan=Plans())) == "_:b"
