"""What a validation found, what it looked at, and why it could not look."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from judgeloop.errors import JudgeloopError
from judgeloop.messages import LANGS, both
from judgeloop.model import Severity, Text


@dataclass(frozen=True, slots=True)
class Examined:
    """How much one top-level shape looked at: with 0 in either number it has established nothing."""

    focus_nodes: int
    """Distinct nodes that the shape's targets selected."""
    constraints: int
    """Constraints that data can break, through all nested shapes; each counts once."""
    deactivated: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the results, even when there are none, say nothing about the data."""

    kind: str
    """The message key without ``shacl-``: ``unknown-term``, ``dangling``, ``literals``, ``engine`` …"""
    text: Text

    @classmethod
    def of(cls, error: JudgeloopError) -> Self:
        """Return the failure that an error speaks of."""
        return cls(error.key.removeprefix("shacl-"), {lang: error.text(lang) for lang in LANGS})

    @classmethod
    def because(cls, kind: str, **params: object) -> Self:
        """Return the failure ``kind`` with its sentence."""
        return cls(kind, both(f"shacl-{kind}", **params))


@dataclass(frozen=True, slots=True)
class Result:
    """One broken constraint. Terms are texts: an IRI as it is, ``_:label``, or a literal as N-Triples writes it.

    The label of a blank node of the shapes is its file's and its own number in the order of the files.
    """

    shape: str
    """The top-level shape that was run; it owns ``source``."""
    focus: str
    path: str
    """The property path in SPARQL's notation with full IRIs; empty for a node shape."""
    value: str
    """The value node; empty where the result speaks of none (a missing value has none)."""
    component: str
    """IRI of the constraint component, e.g. ``sh:MinCountConstraintComponent`` in full."""
    source: str
    """``sh:sourceShape``."""
    source_constraint: str
    """``sh:sourceConstraint`` of a SPARQL constraint; otherwise empty."""
    severity: Severity | str
    """A severity of SHACL, or the IRI of a custom one."""
    message: Text

    def order(self) -> tuple[str, ...]:
        """Return what a report sorts its results by."""
        texts = (self.shape, self.focus, self.path, self.value, self.component, self.source, self.source_constraint)
        return (*texts, str(self.severity), *(self.message[lang] for lang in LANGS))


@dataclass(frozen=True, slots=True)
class Report:
    """What one validation found.

    No results and no ``failure`` mean that nothing was broken *among what* ``account`` *counts*: a shape with no focus
    node or no constraint has not been checked. With a ``failure`` there are no results, and no focus node counts.
    """

    results: tuple[Result, ...]
    account: Mapping[str, Examined]
    """What was examined, by top-level shape."""
    failure: Failure | None = None
