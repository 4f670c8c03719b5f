"""Which queries a server with jena-text may be sent as they are."""

import pytest

from judgeloop.rdf.rq import bind, parse
from judgeloop.rdf.textquery import is_native

PREFIX = "PREFIX text: <http://jena.apache.org/text#>\n"
SEARCH = '(?s ?score ?l) text:query ("9호기" 20)'


@pytest.mark.parametrize(
    ("text", "native"),
    [
        (f"SELECT ?s {{ GRAPH <http://e/g> {{ {SEARCH} }} }}", True),
        (f"SELECT ?s {{ GRAPH <http://e/g> {{ {SEARCH} . ?s ?p ?o }} }}", True),
        (f"ASK {{ GRAPH <http://e/g> {{ {SEARCH} }} }}", True),
        (f"SELECT ?s {{ GRAPH <http://e/g> {{ {SEARCH} }} GRAPH <http://e/h> {{ ?s ?p ?o }} }}", True),
        (f"SELECT ?s {{ {SEARCH} }}", False),
        (f"SELECT ?s {{ GRAPH ?g {{ {SEARCH} }} }}", False),
        (f"SELECT ?s {{ GRAPH <http://e/g> {{ {SEARCH} }} ?s ?p ?o }}", False),
        (f"SELECT ?s {{ GRAPH <http://e/g> {{ ?s ?p ?o . {SEARCH} }} }}", False),
        (f"SELECT ?s {{ GRAPH <http://e/h> {{ ?s ?p ?o }} GRAPH <http://e/g> {{ {SEARCH} }} }}", False),
        (f"SELECT ?s {{ GRAPH <http://e/g> {{ {SEARCH} . (?s ?x) text:query '8호기' }} }}", False),
        ("SELECT ?s FROM NAMED <http://e/g> { GRAPH <http://e/g> { ?s text:query '9호기' } }", False),
        ("SELECT ?x { GRAPH <http://e/g> { (<http://e/s> ?x) text:query '9호기' } }", False),
        ("SELECT ?s { GRAPH <http://e/g> { ?s text:query ('9호기' 20 'lang:ko') } }", False),
        ("SELECT ?s { GRAPH <http://e/g> { ?s text:query ('9호기'@ko 20) } }", False),
    ],
)
def test_only_one_first_search_in_a_graph_of_a_known_name_is_native(text: str, native: bool) -> None:
    assert is_native(bind(parse(PREFIX + text, "t.rq"), {})) is native
