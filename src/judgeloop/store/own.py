"""The queries and updates by which stores do their own work: sparql/store/*.rq."""

from functools import cache

from judgeloop import assets
from judgeloop.rdf.rq import Query, parse


@cache
def own_query(name: str) -> Query:
    """Return one of them, parsed once."""
    path = assets.find(f"sparql/store/{name}.rq", [assets.root()])
    return parse(assets.read(path).decode(), path.name, allow_update=True)
