"""Queries that an agent wrote: nothing that leaves the store gets past, however it is spelt.

Each hidden spelling below was seen to reach a server through an engine, or to be legal by section 19 of SPARQL 1.1.
"""

import pytest

from judgeloop.errors import BadInput
from judgeloop.rdf.rq import refuse_unsafe

PROLOGUE = "PREFIX : <http://127.0.0.1/> PREFIX e: <http://127.0.0.1/>\n"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
        "SELECT * { service silent ?x { ?s ?p ?o } }",
        "SELECT*{SERVICE<http://127.0.0.1/>{}}",
        "SELECT * { SERVICE:x { ?s ?p ?o } }",
        "SELECT * { SERVICEe:x { ?s ?p ?o } }",
        "SELECT * { SERVICE:x # c\n { ?s ?p ?o } }",
        "SELECT * { SERVICESILENT<http://127.0.0.1/>{ ?s ?p ?o } }",
        "SELECT * { SERVICESILENTe:x{ ?s ?p ?o } }",
        "SELECT * { ?s ?p trueSERVICE<http://127.0.0.1/>{ ?s ?p ?o } }",
        "SELECT * { ?s ?p falseSERVICE:x{ ?s ?p ?o } }",
        "SELECT * { ?s ?p 1SERVICE<http://127.0.0.1/>{ ?s ?p ?o } }",
        "SELECT * { FILTER(?x<2)SERVICE<http://127.0.0.1/>{ ?s ?p ?o } }",
        "SELECT * { ?s <#\\u0041> ?o SERVICE<http://127.0.0.1/>{ ?s ?p ?o } }",
        'SELECT * { ?s ?p "\\u0022 } SERVICE <http://127.0.0.1/> {} #" }',
        "SELECT * { ?s ?p '''\\u0027'' ; ?q ?r SERVICE <http://127.0.0.1/> {} #''' }",
        "LOAD <http://127.0.0.1/>",
        "INSERT DATA { e:a e:b e:c }",
        "DELETE WHERE { ?s ?p ?o }",
        "SELECT * {} ; DROP ALL",
        "clear all",
        "CREATE GRAPH e:g",
        "COPY e:a TO e:b",
        "MOVE e:a TO e:b",
        "ADD e:a TO e:b",
        "WITH e:g DELETE {} WHERE {}",
    ],
)
def test_a_query_that_reaches_out_or_writes_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        refuse_unsafe(PROLOGUE + text)
    assert refused.value.key == "rq-forbidden"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { FILTER(?x<2)SERVICE?v#>\n{ ?s ?p ?o } }",
        'SELECT * { FILTER(?x<2#>"""\n)SERVICE<http://127.0.0.1/>{ ?s ?p ?o } #"""\n}',
        "SELECT * { FILTER(?x<e:x#>'''\n)SERVICE<http://127.0.0.1/>{ ?s ?p ?o } #'''\n}",
        'SELECT (?o<2#>"""\n AS ?k) { SERVICE :x {} } #"""',
        "SELECT * { SERV\\u0049CE<http://127.0.0.1/>{ ?s ?p ?o } }",
        "SELECT * { ?s ?p 'open",
    ],
)
def test_a_query_that_engines_read_differently_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        refuse_unsafe(PROLOGUE + text)
    assert refused.value.key in {"rq-lex", "rq-lex-angle"}


@pytest.mark.parametrize(
    "text",
    [
        'SELECT * { ?s ?p "SERVICE <http://e/> { } ; DROP ALL" }',
        "SELECT * { ?s ?p '''LOAD''' } # INSERT DATA",
        "SELECT * { ?s <http://e/SERVICE> <http://e/load#INSERT> }",
        "SELECT ?service ?load { ?service e:service ?load ; e:drop ?delete }",
        "PREFIX service: <http://e/> SELECT * { service:a service:b ?o OPTIONAL { ?o service:c ?x } }",
        'SELECT * { ?s ?p "서비스"@ko FILTER(?s < 3 && ?s > 1) }',
    ],
)
def test_the_words_are_harmless_in_strings_iris_names_and_comments(text: str) -> None:
    refuse_unsafe(PROLOGUE + text)
