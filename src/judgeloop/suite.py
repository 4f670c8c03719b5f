"""Judges files: the cases in them, the contract, world and expectation of each; no file stops the others."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from judgeloop import assets
from judgeloop.casefile import case_files, is_case, read_cases, to_case
from judgeloop.contract import freeze, locate, packs
from judgeloop.contract.kept import from_store
from judgeloop.contract.lock import differences, lock_path
from judgeloop.errors import BadInput, ContractError, JudgeloopError
from judgeloop.loop import judge
from judgeloop.model import WORST_FIRST, Contract, Outcome
from judgeloop.opening import open_world
from judgeloop.record import VerdictRecord
from judgeloop.store import Store
from judgeloop.store.world import World

STDIN: Final = "-"
_PLAIN: Final = re.compile(r"[a-z][a-z0-9-]*(@[0-9.]+)?")


@dataclass(frozen=True)
class Row:
    """One input: the verdict of its case, or why it can't be read."""

    place: str
    judged: VerdictRecord | None = None
    error: JudgeloopError | None = None
    expected: Outcome | None = None

    @property
    def outcome(self) -> Outcome | None:
        """Return the verdict, or None where there is none."""
        return self.judged.verdict.outcome if self.judged else None

    @property
    def as_expected(self) -> bool:
        """Say whether the case got the verdict that stands beside it (one without an expectation got it)."""
        return self.expected is None or self.expected is self.outcome


@dataclass
class Summary:
    """Counts over all inputs; every aggregate says how many it is of."""

    rows: Sequence[Row]

    @cached_property
    def verdicts(self) -> Mapping[Outcome, int]:
        """Return how often each verdict was given, worst first."""
        given = [row.outcome for row in self.rows]
        return {outcome: given.count(outcome) for outcome in WORST_FIRST}

    @property
    def counts(self) -> dict[str, int]:
        """Return n_total, n_scored (a verdict that is no abstention), n_abstain and n_error."""
        abstain = self.verdicts[Outcome.ABSTAIN]
        judged = sum(self.verdicts.values())
        return {
            "n_total": len(self.rows),
            "n_scored": judged - abstain,
            "n_abstain": abstain,
            "n_error": len(self.rows) - judged,
        }

    @property
    def measures(self) -> dict[str, dict[str, int | float]]:
        """Return each measurement: how many of the cases with gold agree with it."""
        found: dict[str, list[bool]] = {}
        for row in self.rows:
            for measure in row.judged.measures if row.judged else ():
                found.setdefault(measure.name, []).append(measure.held == measure.examined)
        return {name: {"agree": sum(v), "n": len(v), "share": round(sum(v) / len(v), 4)} for name, v in found.items()}

    @property
    def expected(self) -> tuple[int, int] | None:
        """Return how many cases got the verdict that they expect, of how many that expect one."""
        asked = [row for row in self.rows if row.expected is not None]
        return (sum(row.as_expected for row in asked), len(asked)) if asked else None


@dataclass
class Suite:
    """Contracts and worlds are read once and kept for all cases that need them."""

    store: Store
    contract: str | None = None
    kg: Sequence[Path] = ()
    base: str | None = None
    locked: bool = False
    warnings: list[JudgeloopError] = field(default_factory=list)
    """What the user should know and what no verdict depends on."""
    _contracts: dict[str, Contract] = field(default_factory=dict)
    _worlds: dict[tuple[str, ...], World] = field(default_factory=dict)

    def rows(self, paths: Sequence[str], stdin: bytes = b"") -> Iterator[Row]:
        """Return one row for every case in ``paths`` (files, folders, ``-``), in order."""
        for name in paths:
            if name == STDIN:
                yield from self._file(Path("<stdin>"), stdin, strict=True)
                continue
            path = Path(name)
            for file in case_files(path) if path.is_dir() else [path]:
                yield from self._file(file, None, strict=not path.is_dir())

    def of(self, name: str) -> Contract:
        """Return the contract of a name or path, frozen once; an earlier version comes from the store.

        Raises:
            ContractError: it may not be frozen, or ``locked`` is set and an asset is not the one in the lock file.
        """
        if name not in self._contracts:
            path = locate(name)
            contract = freeze(path)
            _, at, version = name.partition("@")
            if at and _PLAIN.fullmatch(name) and version != contract.version:
                earlier = from_store(self.store, contract.name, version)
                if earlier is None:
                    raise ContractError("contract-unknown", name=name, known=f"{contract.name}@{contract.version}")
                contract = earlier
            else:
                self._compare(contract, path)
            self._contracts[name] = contract
        return self._contracts[name]

    def world(self, contract: Contract, files: Sequence[Path] = ()) -> World:
        """Return the world of some files, else the contract's own, loaded once.

        Raises:
            BadInput: a file can't be read.
        """
        key = (contract.digest, *map(str, files))
        if key not in self._worlds:
            self._worlds[key] = open_world(contract, files, self.base)
        return self._worlds[key]

    def _file(self, path: Path, content: bytes | None, *, strict: bool) -> Iterator[Row]:
        """Return the rows of one file; in a folder (not ``strict``) an object that is no case is passed over."""
        for place, raw, document in read_cases(path, content):
            if isinstance(document, JudgeloopError):
                yield Row(place, error=document)
            elif strict or is_case(document, self._id_keys()):
                yield self._row(place, raw, document, path)

    def _row(self, place: str, raw: bytes, document: Mapping[str, Any], path: Path) -> Row:
        try:
            contract = self.of(self._name(document, place))
            case = to_case(place, raw, document, contract)
            world = self.world(contract, self.kg or _beside(path))
            expected = _expected(path)
            return Row(place, judge(case, contract, world=world, store=self.store), expected=expected)
        except JudgeloopError as error:
            return Row(place, error=error)

    def _name(self, document: Mapping[str, Any], place: str) -> str:
        """Return the contract to judge by: the given one, the one that the case names, or the pack of its id key."""
        if self.contract:
            return self.contract
        named = document.get("contract")
        if isinstance(named, str) and "decision" in document:
            if not _PLAIN.fullmatch(named):  # a path is taken from the command line only
                raise ContractError("contract-unknown", place=place, name=named, known=", ".join(packs()))
            return named
        knowing = [pack for pack in packs() if self.of(pack).id_key in document]
        if len(knowing) != 1:
            raise BadInput("contract-not-named", place=place)
        return knowing[0]

    def _id_keys(self) -> frozenset[str]:
        return frozenset(self.of(name).id_key for name in ([self.contract] if self.contract else packs()))

    def _compare(self, contract: Contract, path: Path) -> None:
        """Compare a contract with its lock file: a difference is a warning, or a refusal where ``locked`` is set."""
        lock = lock_path(path)
        if not (self.locked or lock.is_file()):
            return
        for asset in differences(contract, lock):
            error = ContractError("lock-differs", place=str(path), asset=asset, lock=str(lock))
            if self.locked:
                raise error
            self.warnings.append(error)


def _beside(path: Path) -> list[Path]:
    """Return the world files that stand beside a case."""
    return sorted(p for p in path.parent.glob("world.*") if p.is_file()) if path.is_file() else []


def _expected(path: Path) -> Outcome | None:
    """Return the verdict that ``expect.json`` beside a ``case.json`` names."""
    beside = path.parent / "expect.json"
    if path.name != "case.json" or not beside.is_file():
        return None
    try:
        return Outcome(json.loads(assets.read(beside))["verdict"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("expectation", place=str(beside), why=str(error)) from None
