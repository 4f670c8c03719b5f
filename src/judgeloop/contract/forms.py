"""Refuses what a contract pins and nobody could read: contexts, schemas and queries, before a case meets them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Final

from judgeloop.errors import ContractError
from judgeloop.model import Contract
from judgeloop.rdf.context import faults
from judgeloop.rdf.rq import Value, bind, read_once
from judgeloop.schema import compiled
from judgeloop.sources import parse_json
from judgeloop.store import open_store
from judgeloop.vocab import SELF

_CONTEXTS: Final = ("ontology/contexts/case.context.jsonld", "ontology/contexts/verdict.context.jsonld")
_SCHEMAS: Final = ("shapes/case.schema.json", "shapes/verdict.schema.json")
_STAND_INS: Final[Mapping[str, Value]] = {
    "string": "",
    "langString": ("", "en"),
    "iri": SELF,
    "integer": 1,
    "decimal": Decimal(1),
    "boolean": True,
    "dateTime": datetime(2000, 1, 1, tzinfo=UTC),
}
"""A value of every kind of parameter, to see whether a query can be asked at all."""


def check_forms(contract: Contract) -> None:
    """Refuse contexts and schemas that can't be read.

    Raises:
        ContractError: a context that is no object of terms, or would have to be fetched.
        BadInput: no JSON, or no JSON Schema.
    """
    own = [name for name in (contract.context, contract.world_context) if name]
    for name in (*_CONTEXTS, *own):
        document = parse_json(contract.assets[name].content, name)
        for place in faults(document.get("@context") if isinstance(document, dict) else None, "/@context"):
            raise ContractError("contract-context", place=name, pointer=place)
    for name in filter(None, (*_SCHEMAS, contract.decision_schema, contract.world_schema)):
        compiled(contract.assets[name].content, name)


@lru_cache(maxsize=512)
def check_query(text: str, name: str) -> None:
    """Refuse a query that can't be run: an empty store is asked, so that it fails here and not at the first case.

    Raises:
        BadInput: the header, a parameter or the SPARQL is wrong.
    """
    query = read_once(text, name)
    bound = bind(query, {parameter: _STAND_INS[kind] for parameter, kind in query.params.items()})
    with open_store() as nothing:
        if query.kind == "select":
            nothing.select(bound)
        elif query.kind == "ask":
            nothing.ask(bound)
        else:
            nothing.construct(bound)
