"""The values that travel through the loop: frozen, without a graph library, safe to share between threads."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

Text = Mapping[str, str]
"""One sentence in every language: ``{"en": …, "ko": …}``."""


class Frozen(BaseModel):
    """A value that can't be changed after it was made."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Status(StrEnum):
    """What a check found out about one rule."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    DISPUTED = "DISPUTED"
    NOT_RUN = "NOT_RUN"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class Outcome(StrEnum):
    """The four verdicts, worst first."""

    FAIL = "FAIL"
    ABSTAIN = "ABSTAIN"
    UNCERTAIN = "UNCERTAIN"
    PASS = "PASS"  # noqa: S105 - a verdict, not a password


WORST_FIRST: Final = tuple(Outcome)


class Severity(StrEnum):
    """SHACL's three severities."""

    VIOLATION = "Violation"
    WARNING = "Warning"
    INFO = "Info"


class Risk(StrEnum):
    """How much a wrong decision costs, in rising order."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


RISING_RISK: Final = tuple(Risk)


class Decider(StrEnum):
    """Who may decide a requirement."""

    MACHINE = "machine"
    JUDGE = "judge"
    PERSON = "person"


class Asset(Frozen):
    """One file that a contract pins: its name under the pack's root and its bytes.

    ``sha256`` is taken over LF line ends, so the same file has one digest on every system.
    """

    path: str
    sha256: str
    content: bytes = Field(repr=False)

    @property
    def text(self) -> str:
        """Return the content as text (UTF-8, a BOM is dropped)."""
        return self.content.decode("utf-8-sig")


class Requirement(Frozen):
    """One thing that a decision must satisfy, as the contract states it."""

    iri: str
    label: Text
    mandatory: bool
    prohibition: bool = False
    decided_by: Decider = Decider.MACHINE
    severity: Severity = Severity.VIOLATION
    rule: str
    condition: str | None = None
    """IRI of the ASK query that says whether this requirement applies; None: always."""
    evidence_types: tuple[str, ...] = ()


class Limit(Frozen):
    """A number that neither a case nor a world may widen, e.g. ``max_hops``."""

    name: str
    value: int
    property: str
    """The property by which a world states a tighter value."""


class Contract(Frozen):
    """A frozen judge contract: what is required, and the bytes of everything that decides it."""

    iri: str
    name: str
    version: str
    digest: str
    """SHA-256 over the contract's canonical graph and the digests of its assets."""
    ontology_version: str
    policy_version: str
    shapes_version: str
    id_base: str
    prefixes: Mapping[str, str] = Field(default_factory=dict)
    id_key: str
    """The decision's own key that holds its id (``query_id``)."""
    context: str
    world_context: str | None = None
    world_schema: str | None = None
    decision_schema: str
    world: str | None = None
    ontology: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    derive: tuple[str, ...] = ()
    queries: Mapping[str, str] = Field(default_factory=dict)
    """Rule or condition IRI → path of its ``.rq`` file."""
    requirements: tuple[Requirement, ...]
    measures: tuple[str, ...] = ()
    """Rule IRIs that are measured beside the verdict and never decide it."""
    limits: tuple[Limit, ...] = ()
    risk: Risk = Risk.LOW
    blocking: frozenset[Severity] = frozenset({Severity.VIOLATION})
    quorum: int = 1
    calibrator: str | None = None
    """A calibrator that certifies judges' breaches; without one a breach is never FAIL."""
    partial_failure_policy: str = "manual_escalation"
    enforcement_point: str = ""
    classification: str = "internal"
    retention_days: int | None = None
    personal: tuple[str, ...] = ()
    """JSON Pointers of texts that stand in the payload graph only."""
    assets: Mapping[str, Asset] = Field(default_factory=dict, repr=False)

    def text(self, path: str) -> str:
        """Return the pinned text of one asset."""
        return self.assets[path].text


class Case(Frozen):
    """One decision to be judged, as it was handed in."""

    case_id: str
    contract: str | None
    source: str
    """The file (and line) that it was read from, for messages."""
    raw: bytes = Field(repr=False)
    document: Mapping[str, Any] = Field(repr=False)
    """The whole case as JSON (numbers keep their written form in ``.text``)."""
    bare: bool = False
    """True when the file was the decision alone; ``document`` is then ``{"decision": …}``."""
    warnings: tuple[Text, ...] = ()

    @property
    def decision(self) -> Mapping[str, Any]:
        """Return the decision object as the agent wrote it."""
        found = self.document.get("decision")
        return found if isinstance(found, Mapping) else {}

    @property
    def risk(self) -> Risk:
        """Return the risk that the case names for itself (it can only raise the contract's)."""
        return Risk(self.document.get("risk", Risk.LOW))


class Finding(Frozen):
    """What one check found out about one rule, and what it looked at to say so."""

    rule: str
    requirement: str | None = None
    status: Status
    examined: int = Field(default=0, ge=0)
    """Focus nodes, rows or comparisons that were looked at; 0 is never HOLDS."""
    constraints: int = Field(default=0, ge=0)
    severity: Severity = Severity.VIOLATION
    message: Text
    where: tuple[str, ...] = ()
    """JSON Pointers into the case."""
    engine: str = ""


class JudgeAnswer(StrEnum):
    """What a judge may answer about one criterion."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


class Judgment(Frozen):
    """One judge's answer about one criterion. ``confidence`` is a raw score from 0 to 100, not a probability."""

    criterion: str
    judge: str
    evidence_ids: tuple[str, ...] = ()
    outcome: JudgeAnswer
    finding: str
    confidence: int | None = Field(default=None, ge=0, le=100)
    confidence_kind: str = "raw"
    counterevidence: tuple[str, ...] = ()


class Effect(StrEnum):
    """What a mutation did to a judgment."""

    STOOD = "stood"
    FLIPPED = "flipped"
    INVALID = "invalid"


class Counterexample(Frozen):
    """One attempt to overturn a judgment: the operator, what it did and what it should have done."""

    operator: str
    criterion: str
    effect: Effect
    must_flip: bool
    critical: bool = True


class Review(Frozen):
    """What a person or an external tool decided. ``mendable`` False makes a violation final."""

    reviewer: str
    decision: Outcome
    mendable: bool = True
    reason: str
    certifies: tuple[str, ...] = ()


class Measure(Frozen):
    """A number beside the verdict: how many of the examined things agree with gold."""

    name: str
    examined: int
    held: int


class Reason(Frozen):
    """One row of the decision table that applied."""

    row: str
    """The row's name, e.g. ``violated``."""
    outcome: Outcome
    subject: str
    """IRI of the rule, requirement or criterion that it speaks of."""
    message: Text
    where: tuple[str, ...] = ()


class Scope(Frozen):
    """One requirement and how far it was checked: a PASS says no more than this."""

    requirement: str
    label: Text
    status: str
    examined: int
    mandatory: bool
    decided_by: Decider


class Verdict(Frozen):
    """The outcome with every reason for it and the scope that it speaks for."""

    outcome: Outcome
    reasons: tuple[Reason, ...]
    scope: tuple[Scope, ...]
    enforcement: str
    """``allow``, ``block`` or the contract's partial-failure policy."""
    judges_asked: int
