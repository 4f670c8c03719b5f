"""SHACL as a gate: pyshacl behind a driver whose reports say what was examined.

Verdict material is the results, never a conformance flag; whatever keeps the engine from looking is a `Failure`; and
each top-level shape is accounted for with its focus nodes and constraints, so that an empty report is not a pass.
"""

from judgeloop.shacl.account import Shape, Target
from judgeloop.shacl.driver import Background, ShapesGraph, validate
from judgeloop.shacl.engine import ENGINE
from judgeloop.shacl.literals import LiteralProblem, literal_problems
from judgeloop.shacl.refusal import UnknownTerm
from judgeloop.shacl.report import Examined, Failure, Report, Result

__all__ = [
    "ENGINE",
    "Background",
    "Examined",
    "Failure",
    "LiteralProblem",
    "Report",
    "Result",
    "Shape",
    "ShapesGraph",
    "Target",
    "UnknownTerm",
    "literal_problems",
    "validate",
]
