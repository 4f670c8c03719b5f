"""Every query file says what it is for, can be read, and can be run."""

from pathlib import Path
from typing import Final

import pytest

from judgeloop.messages import LANGS
from judgeloop.opening import freeze
from judgeloop.rdf.rq import Query, Value, bind, parse
from judgeloop.rdf.rq_lint import lint
from judgeloop.store import Store, open_store

ROOT: Final = Path(__file__).parents[2] / "sparql"
FILES: Final = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.rq"))
ANY: Final[dict[str, Value]] = {
    "iri": "https://kg.example/x",
    "string": "값 'x\"",
    "text": "값 'x\"",
    "langString": ("값 'x\"", "ko"),
    "integer": 3,
}


def query(name: str) -> Query:
    return parse((ROOT / name).read_text("utf-8"), f"sparql/{name}", allow_update=True)


@pytest.fixture(scope="module")
def store() -> Store:
    return open_store()


@pytest.mark.parametrize("name", FILES)
def test_a_query_says_problem_why_and_remedy(name: str) -> None:
    asked = query(name)
    assert [word for word in (asked.problem, asked.why, asked.remedy) if not word.endswith((".", "?"))] == []


@pytest.mark.parametrize("name", FILES)
def test_a_query_can_be_run(name: str, store: Store) -> None:
    asked = query(name)
    # tests/stores runs these: a list of values takes the place of one, or only a Fuseki is asked
    if {"each", "jena"} & set(asked.meta):
        assert name.startswith("store/")
        return
    bound = bind(asked, {parameter: ANY[kind] for parameter, kind in asked.params.items()})
    if asked.kind == "select":
        assert set(store.select(bound).variables) >= {"focus", "holds"} or not name.startswith("check/")
    elif asked.kind == "ask":
        assert store.ask(bound) is (name == "store/probe.rq"), "an empty store says yes only to the empty question"
    elif asked.kind == "construct":
        assert store.construct(bound) == []
    else:
        assert name.startswith("store/"), "only the store changes anything"


@pytest.mark.parametrize("name", FILES)
def test_a_query_gives_the_same_on_every_store(name: str) -> None:
    assert lint(query(name)) == []


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("check/")])
def test_a_check_has_a_message_in_both_languages(name: str) -> None:
    asked = query(name)
    assert set(asked.messages) == set(LANGS)
    assert asked.kind == "select"


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("condition/")])
def test_a_condition_is_a_question_of_yes_or_no(name: str) -> None:
    assert query(name).kind == "ask"


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("derive/")])
def test_a_derivation_says_where_its_statements_go(name: str) -> None:
    asked = query(name)
    assert asked.kind == "construct"
    assert asked.meta["into"] in {"world", "inferred", "reading"}


def test_the_contract_uses_every_query_of_its_pack() -> None:
    contract = freeze("multihop")
    of_pack = {f"sparql/{name}" for name in FILES if name.split("/")[0] in {"check", "condition", "derive", "measure"}}
    assert {*contract.queries.values(), *contract.derive} == of_pack
