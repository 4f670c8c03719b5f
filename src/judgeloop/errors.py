"""What can go wrong at the border of the house.

::

    JudgeloopError
    ├── BadInput            a file, an id, a query or an option that can't be read        exit 2
    │   └── ContractError   a contract that may not be frozen, or an asset that differs   exit 2
    ├── StoreError          the store refuses: another writer, no room, a broken folder   exit 2
    │   ├── StoreConflict     another writer was first with the current verdict           exit 5
    │   └── StoreUnavailable  a server that can't be reached or answers incompletely      exit 5
    └── EngineFailure       an engine stopped; a check turns it into NOT_RUN              never seen by a user

A rule that is violated and a check that could not run are findings (`judgeloop.model.Finding`), not errors.
"""

from judgeloop.messages import Lang, render


class JudgeloopError(Exception):
    """A message key with its values, and the place that it speaks of."""

    exit_code = 2

    def __init__(self, key: str, *, place: str = "", **params: object) -> None:
        """Keep ``key`` and ``params`` so that the sentence can be given in either language."""
        super().__init__(key)
        self.key = key
        self.place = place
        self.params = params

    def text(self, lang: Lang = "en") -> str:
        """Return ``place: sentence`` in ``lang``."""
        sentence = render(self.key, lang, **self.params)
        # a place may be a JSON Pointer, whose keys hold whatever a file holds
        place = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in self.place)
        return f"{place}: {sentence}" if place else sentence

    def __str__(self) -> str:
        """Return the English sentence with its place."""
        return self.text()


class BadInput(JudgeloopError):
    """Something that was handed in can't be read; nothing was stored."""


class ContractError(BadInput):
    """A contract can't be frozen, or an asset is not the one that was pinned."""


class StoreError(JudgeloopError):
    """The store can't be used; what it held before is unchanged."""


class StoreConflict(StoreError):
    """Another writer was first; nothing of this step was written, and a fresh look may succeed."""

    exit_code = 5


class StoreUnavailable(StoreError):
    """A server gave no complete answer."""

    exit_code = 5


class EngineFailure(JudgeloopError):
    """A validation or reasoning engine did not finish."""
