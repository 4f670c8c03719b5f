"""The terms that SHACL 1.0 defines, and which of them can be violated, as plain text."""

from typing import Final

from judgeloop.vocab import SH

_CLASSES: Final = """
    Shape NodeShape PropertyShape PropertyGroup Parameterizable Parameter ConstraintComponent Validator ResultAnnotation
    PrefixDeclaration SPARQLConstraint SPARQLExecutable SPARQLAskExecutable SPARQLSelectExecutable SPARQLAskValidator
    SPARQLSelectValidator ValidationReport ValidationResult AbstractResult Severity Violation Warning Info NodeKind
    IRI BlankNode Literal BlankNodeOrIRI BlankNodeOrLiteral IRIOrLiteral
"""
_TARGETS: Final = "targetClass targetNode targetSubjectsOf targetObjectsOf"
_PATHS: Final = "path inversePath alternativePath zeroOrMorePath oneOrMorePath zeroOrOnePath"
_ABOUT: Final = """
    message severity deactivated name description order group defaultValue entailment shapesGraph suggestedShapesGraph
    shapesGraphWellFormed conforms result focusNode resultPath value sourceShape sourceConstraint
    sourceConstraintComponent resultMessage resultSeverity detail
"""
_SPARQL: Final = """
    sparql select ask prefixes declare prefix namespace parameter optional labelTemplate validator nodeValidator
    propertyValidator
"""
_LEAVES: Final = """
    class datatype nodeKind minCount maxCount minExclusive minInclusive maxExclusive maxInclusive minLength maxLength
    pattern languageIn uniqueLang equals disjoint lessThan lessThanOrEquals closed hasValue in not xone sparql
    qualifiedMinCount qualifiedMaxCount
"""
_CONNECTORS: Final = "property node and or not xone qualifiedValueShape"
_AUXILIARY: Final = "flags ignoredProperties qualifiedValueShapesDisjoint"
_COMPONENTS: Final = """
    And Class Closed Datatype Disjoint Equals HasValue In LanguageIn LessThan LessThanOrEquals MaxCount MaxExclusive
    MaxInclusive MaxLength MinCount MinExclusive MinInclusive MinLength Node NodeKind Not Or Pattern Property
    QualifiedMaxCount QualifiedMinCount SPARQL UniqueLang Xone
"""
_ADVANCED: Final = """
    target Target TargetType SPARQLTarget SPARQLTargetType resultAnnotation annotationProperty annotationValue
    annotationVarName Function SPARQLFunction returnType this filterShape nodes intersection union expression
    ExpressionConstraintComponent Rule Rules rule condition TripleRule subject predicate object SPARQLRule construct
    update SPARQLConstructExecutable SPARQLUpdateExecutable
"""
_JAVASCRIPT: Final = """
    js jsFunctionName jsLibrary jsLibraryURL JSConstraint JSConstraintComponent JSExecutable JSFunction JSLibrary JSRule
    JSTarget JSTargetType JSValidator
"""


def _terms(*names: str) -> frozenset[str]:
    return frozenset(SH + name for text in names for name in text.split())


ADVANCED: Final = _terms(_ADVANCED, _JAVASCRIPT) - {SH + "ResultAnnotation"}
"""Terms of the Working Group Notes on advanced features and JavaScript; a gate never runs them."""

DEFINED: Final = _terms(_CLASSES, _TARGETS, _PATHS, _ABOUT, _SPARQL, _LEAVES, _CONNECTORS, _AUXILIARY) | frozenset(
    SH + name + "ConstraintComponent" for name in _COMPONENTS.split()
)
"""Terms of the Recommendation (SHACL Core and SHACL-SPARQL)."""

TARGETS: Final = tuple(SH + name for name in _TARGETS.split())

LEAVES: Final = _terms(_LEAVES)
"""Parameters whose triple can be violated by itself."""

NEVER_VIOLATED: Final = frozenset(
    [(SH + name, "0") for name in ("minCount", "minLength", "qualifiedMinCount")]
    + [(SH + name, value) for name in ("closed", "uniqueLang") for value in ("false", "0")]
)
"""Parameter and lexical value pairs that no data can break."""

REFERENCES: Final = tuple(SH + name for name in ("property", "node", "not", "qualifiedValueShape"))
"""Parameters whose value is a shape."""

LISTS_OF_SHAPES: Final = tuple(SH + name for name in ("and", "or", "xone"))
"""Parameters whose value is a list of shapes."""

PARAMETERS: Final = LEAVES | _terms(_CONNECTORS, _AUXILIARY)
"""Every parameter of the Core and SPARQL components: whatever has one is a shape."""

LISTS: Final = (*LISTS_OF_SHAPES, *(SH + name for name in ("in", "languageIn", "ignoredProperties", "alternativePath")))
BOOLEANS: Final = sorted(_terms("deactivated closed uniqueLang qualifiedValueShapesDisjoint optional"))
IRIS: Final = tuple(
    SH + name
    for name in (
        *("targetClass", "targetSubjectsOf", "targetObjectsOf", "class", "datatype", "severity", "nodeKind"),
        *("equals", "disjoint", "lessThan", "lessThanOrEquals"),
    )
)
RANGES: Final = tuple(SH + name for name in ("minExclusive", "minInclusive", "maxExclusive", "maxInclusive"))
NODE_KINDS: Final = _terms("IRI BlankNode Literal BlankNodeOrIRI BlankNodeOrLiteral IRIOrLiteral")
SINGLE: Final = (
    *(SH + name for name in ("severity", "deactivated", "path", "nodeKind", "datatype", "minCount", "maxCount", "in")),
    *(SH + name for name in ("minLength", "maxLength", "languageIn", "uniqueLang", "flags", "closed")),
    *(SH + name for name in ("minExclusive", "minInclusive", "maxExclusive", "maxInclusive")),
)
"""Parameters that a shape may have once; with two values an engine picks one of them."""
