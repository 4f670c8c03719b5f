"""Opens by name what the loop takes as values: a contract, its world, a case file."""

from collections.abc import Sequence
from pathlib import Path

from judgeloop import assets
from judgeloop.casefile import read_cases, to_case
from judgeloop.contract import asked_version, locate, ontology_text
from judgeloop.contract import freeze as freeze_file
from judgeloop.errors import BadInput, ContractError, JudgeloopError
from judgeloop.model import Case, Contract
from judgeloop.reason import close, default_cache
from judgeloop.store.world import World, load


def freeze(name: str | Path) -> Contract:
    """Return the frozen contract of a pack's name (``multihop`` or ``multihop@1.0.0``) or of a Turtle file.

    Raises:
        ContractError: there is no such contract or version, or it may not be frozen.
    """
    contract = freeze_file(locate(str(name)))
    if asked_version(str(name)) not in {None, contract.version}:
        raise ContractError("contract-unknown", name=str(name), known=f"{contract.name}@{contract.version}")
    return contract


def open_world(contract: Contract, files: Sequence[str | Path] = (), base: str | None = None) -> World:
    """Return the world of ``files``, or the contract's own where none are given.

    Raises:
        BadInput: a file can't be read.
    """
    given = [(str(f), assets.read(Path(f))) for f in files]
    if not files and contract.world:
        given = [(contract.world, contract.assets[contract.world].content)]
    return load(given, contract, close(ontology_text(contract), cache=default_cache()), base)


def read_case(path: str | Path, contract: Contract) -> Case:
    """Return the one case of a ``.json`` file.

    Raises:
        BadInput: the file can't be read, holds no case, or more than one.
    """
    found = list(read_cases(Path(path)))
    if len(found) != 1:
        raise BadInput("case-many", place=str(path), n=len(found))
    place, raw, document = found[0]
    if isinstance(document, JudgeloopError):
        raise document
    return to_case(place, raw, document, contract)
