"""Judges files: the cases in them, the contract, world and expectation of each; no file stops the others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

from judgeloop import assets
from judgeloop.casefile import case_files, is_case, read_cases, to_case
from judgeloop.contract import asked_version, freeze, locate, packs
from judgeloop.contract.kept import from_store
from judgeloop.contract.lock import differences, lock_path
from judgeloop.errors import BadInput, ContractError, JudgeloopError
from judgeloop.loop import judge
from judgeloop.model import WORST_FIRST, Contract, Outcome
from judgeloop.opening import open_world
from judgeloop.record import VerdictRecord
from judgeloop.sources import parse_json
from judgeloop.store import Store
from judgeloop.store.world import World

STDIN: Final = "-"
_T = TypeVar("_T", Contract, World)


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
    _contracts: dict[str, Contract | JudgeloopError] = field(default_factory=dict)
    _worlds: dict[tuple[str, ...], World | JudgeloopError] = field(default_factory=dict)

    def rows(self, paths: Sequence[str], stdin: bytes = b"") -> Iterator[Row]:
        """Return one row for every case in ``paths`` (files, folders, ``-``), in order.

        Raises:
            ContractError: the contract that was given for all cases can't be used; nothing was judged.
        """
        if self.contract:
            self.of(self.contract)
        for name in paths:
            if name == STDIN:
                yield from self._file(Path("<stdin>"), stdin)
            elif Path(name).is_dir():
                yield from self._folder(Path(name))
            else:
                yield from self._file(Path(name))

    def of(self, name: str) -> Contract:
        """Return the contract of a name or path, frozen once; an earlier version comes from the store.

        Raises:
            ContractError: it may not be frozen, or ``locked`` is set and an asset is not the one in the lock file.
        """
        if name not in self._contracts:
            try:
                self._contracts[name] = self._freeze(name)
            except JudgeloopError as error:
                self._contracts[name] = error
        return _unless_error(self._contracts[name])

    def world(self, contract: Contract, files: Sequence[Path] = ()) -> World:
        """Return the world of some files, else the contract's own, loaded once.

        Raises:
            BadInput: a file can't be read.
        """
        key = (contract.digest, *map(str, files))
        if key not in self._worlds:
            try:
                self._worlds[key] = open_world(contract, files, self.base)
            except JudgeloopError as error:
                error.place = error.place or " ".join(key[1:])
                self._worlds[key] = error
        return _unless_error(self._worlds[key])

    def _freeze(self, name: str) -> Contract:
        path = locate(name)
        contract = freeze(path)
        version = asked_version(name)
        if version in {None, contract.version}:
            self._compare(contract, path)
            return contract
        earlier = from_store(self.store, contract.name, str(version))
        if earlier is None:
            raise ContractError("contract-unknown", name=name, known=f"{contract.name}@{contract.version}")
        return earlier

    def _folder(self, folder: Path) -> Iterator[Row]:
        """Return the rows of a folder: what is named as a case, and other JSON that holds one."""
        files, errors = case_files(folder)
        found = False
        for error in errors:
            yield Row(error.place, error=error)
        for file in files:
            strict = file.name == "case.json" or file.suffix == ".jsonl"
            for row in self._file(file, strict=strict, beside=file):
                found = True
                yield row
        if not found and not errors:
            yield Row(str(folder), error=BadInput("cli-no-cases", place=str(folder)))

    def _file(
        self, path: Path, content: bytes | None = None, *, strict: bool = True, beside: Path | None = None
    ) -> Iterator[Row]:
        """Return the rows of one file; where not ``strict``, what is no case is passed over.

        ``beside`` is the file where it was found in a folder: its world and expectation may stand next to it.
        """
        for place, raw, document in read_cases(path, content):
            if isinstance(document, JudgeloopError):
                if strict or document.key != "json-not-object":
                    yield Row(place, error=document)
            elif strict or "case_id" in document or is_case(document, self._id_keys()):
                yield self._row(place, raw, document, beside)

    def _row(self, place: str, raw: bytes, document: Mapping[str, Any], beside: Path | None) -> Row:
        try:
            contract = self._contract(document, place)
            case = to_case(place, raw, document, contract)
            world = self.world(contract, self.kg or (_beside(beside) if beside else ()))
            expected = _expected(beside) if beside else None
            return Row(place, judge(case, contract, world=world, store=self.store), expected=expected)
        except JudgeloopError as error:
            return Row(place, error=error)

    def _contract(self, document: Mapping[str, Any], place: str) -> Contract:
        """Return the contract to judge by: the given one, the one that the case names, or the pack of its id key."""
        if self.contract:
            return self.of(self.contract)
        named = document.get("contract")
        if isinstance(named, str) and "decision" in document:
            if named.partition("@")[0] not in packs():  # a path is taken from the command line only
                key = "contract-path" if Path(named).suffix == ".ttl" else "contract-unknown"
                raise ContractError(key, place=place, name=named, known=", ".join(packs()))
            try:
                return self.of(named)
            except ContractError as error:  # of a version that nobody has; every case that asks for it is told
                raise ContractError(error.key, place=error.place or place, **error.params) from None
        knowing = [pack for pack in packs() if self.of(pack).id_key in document]
        if len(knowing) != 1:
            raise BadInput("contract-not-named", place=place)
        return self.of(knowing[0])

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


def _unless_error(found: _T | JudgeloopError) -> _T:
    if isinstance(found, JudgeloopError):
        raise found
    return found


def _beside(path: Path) -> list[Path]:
    """Return the world files that stand beside a case."""
    return sorted(p for p in path.parent.glob("world.*") if p.is_file()) if path.is_file() else []


def _expected(path: Path) -> Outcome | None:
    """Return the verdict that ``expect.json`` beside a ``case.json`` names."""
    beside = path.parent / "expect.json"
    if path.name != "case.json" or not beside.is_file():
        return None
    document = parse_json(assets.read(beside), str(beside))
    wanted = document.get("verdict") if isinstance(document, dict) else None
    if wanted not in WORST_FIRST:
        raise BadInput("expectation", place=str(beside), why=", ".join(WORST_FIRST))
    return Outcome(wanted)
