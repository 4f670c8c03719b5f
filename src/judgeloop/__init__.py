"""Verifies what AI agents decide: one sealed graph, the machine's checks first, one verdict with its reasons.

Values (`Case`, `Finding`, `Verdict` …) and contracts are immutable and may be shared between threads; a `World` and a
`Store` may be used by several threads at once.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgeloop.errors import (
        BadInput,
        ContractError,
        EngineFailure,
        JudgeloopError,
        StoreError,
        StoreUnavailable,
    )
    from judgeloop.event import Event, seal
    from judgeloop.loop import ajudge, judge, judge_many
    from judgeloop.model import Case, Contract, Finding, Judgment, Verdict
    from judgeloop.opening import freeze, open_world, read_case
    from judgeloop.record import VerdictRecord
    from judgeloop.store import Store, open_store
    from judgeloop.store.world import World
    from judgeloop.verdict import decide

_ROOMS = {
    "errors": ("BadInput", "ContractError", "EngineFailure", "JudgeloopError", "StoreError", "StoreUnavailable"),
    "event": ("Event", "seal"),
    "loop": ("ajudge", "judge", "judge_many"),
    "model": ("Case", "Contract", "Finding", "Judgment", "Verdict"),
    "opening": ("freeze", "open_world", "read_case"),
    "record": ("VerdictRecord",),
    "store": ("Store", "open_store"),
    "store.world": ("World",),
    "verdict": ("decide",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "BadInput",
    "Case",
    "Contract",
    "ContractError",
    "EngineFailure",
    "Event",
    "Finding",
    "JudgeloopError",
    "Judgment",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "Verdict",
    "VerdictRecord",
    "World",
    "ajudge",
    "decide",
    "freeze",
    "judge",
    "judge_many",
    "open_store",
    "open_world",
    "read_case",
    "seal",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: `import judgeloop` itself loads nothing heavy."""
    if name not in _HOME:
        raise AttributeError(f"module 'judgeloop' has no attribute {name!r}")  # noqa: EM102, TRY003 - Python's own words
    from importlib import import_module  # noqa: PLC0415 - only when something is asked for

    return getattr(import_module(f"judgeloop.{_HOME[name]}"), name)
