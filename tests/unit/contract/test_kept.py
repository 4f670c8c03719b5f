"""A frozen contract is read back from the store with every byte that it pins."""

from pathlib import Path

import pytest

from judgeloop import freeze, open_store
from judgeloop.contract.kept import from_store, graph_of
from judgeloop.errors import ContractError
from judgeloop.rdf.terms import Literal, NamedNode, Triple
from judgeloop.vocab import JL


def test_a_kept_contract_equals_the_frozen_one() -> None:
    contract = freeze("multihop")
    with open_store() as store:
        store.put_once(dict([graph_of(contract)]))
        assert from_store(store, "multihop", contract.version) == contract


def test_a_version_that_the_store_never_saw_is_none() -> None:
    with open_store() as store:
        store.put_once(dict([graph_of(freeze("multihop"))]))
        assert from_store(store, "multihop", "9.9.9") is None


def test_changed_bytes_are_found_out() -> None:
    name, triples = graph_of(freeze("multihop"))
    changed = [
        Triple(
            t.subject, t.predicate, Literal("AAAA", datatype=NamedNode("http://www.w3.org/2001/XMLSchema#base64Binary"))
        )
        if t.predicate.value == JL + "content"
        else t
        for t in triples
    ]
    with open_store() as store:
        store.put_once({name: changed})
        with pytest.raises(ContractError) as caught:
            from_store(store, "multihop", "1.0.0")
    assert caught.value.key == "integrity-asset"


def test_a_case_may_name_an_earlier_version_of_the_store(tmp_path: Path) -> None:
    from judgeloop.suite import Suite  # noqa: PLC0415 - only this test needs it

    contract = freeze("multihop")
    earlier = contract.model_copy(update={"version": "0.9.0"})
    name, triples = graph_of(earlier)
    told = [
        Triple(t.subject, t.predicate, Literal("0.9.0"))
        if t.object == Literal("1.0.0") and "versionInfo" in str(t)
        else t
        for t in triples
    ]
    with open_store(str(tmp_path / "store")) as store:
        store.put_once({name: told})
        assert Suite(store).of("multihop@0.9.0").digest == contract.digest
        with pytest.raises(ContractError):
            Suite(store).of("multihop@0.8.0")
