"""A query that would overflow the engine's stack is refused before the engine sees it."""

import pytest

from judgeloop.errors import BadInput
from judgeloop.rdf.rq import parse


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f"ASK {{ FILTER({'STR(' * 1000}1{')' * 1000}) }}", "rq-too-deep"),
        (f"ASK {'{' * 3000}{'}' * 3000}", "rq-too-deep"),
        (f"ASK {{ {' '.join(f'BIND({i} AS ?x{i})' for i in range(3000))} }}", "rq-too-long"),
        (f"ASK {{ FILTER({' || '.join(['true'] * 10_000)}) }}", "rq-too-long"),
    ],
    ids=["calls", "groups", "binds", "ors"],
)
def test_a_query_that_would_overflow_the_engine_is_refused(text: str, key: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(text, "query")
    assert caught.value.key == key


def test_a_query_at_the_limit_of_depth_is_read() -> None:
    assert parse(f"ASK {{ FILTER({'STR(' * 98}1{')' * 98}) }}", "query").kind == "ask"
