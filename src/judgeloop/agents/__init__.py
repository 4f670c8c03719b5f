"""The agents that ship: each answers in its pack's own JSON, and sees a world, never a check or a judge."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from judgeloop.model import Contract
from judgeloop.store.world import World


class Agent(Protocol):
    """Decides one question over one world."""

    def __call__(
        self, text: str, contract: Contract, world: World, *, query_id: str, asked_at: str | None = None
    ) -> dict[str, Any]:
        """Return the decision; ``asked_at`` is an xsd:dateTime in UTC, or None where the time is unknown."""


def agents() -> Mapping[str, Callable[[], Agent]]:
    """Return the loader of each pack's agent; an agent is imported only when it is asked."""
    return {"multihop": _multihop}


def _multihop() -> Agent:
    from judgeloop.agents import multihop  # noqa: PLC0415 - only the agent that is asked

    return multihop.ask
