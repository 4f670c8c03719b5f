"""Results in words: paths, messages in both languages, and a sentence where the shapes have none."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from rdflib import RDF, BNode, Literal, URIRef
from rdflib.term import Node

from judgeloop.messages import LANGS, both
from judgeloop.model import Text
from judgeloop.shacl.account import members, severity_of
from judgeloop.shacl.constraint import Finding
from judgeloop.shacl.graph import View
from judgeloop.shacl.report import Result
from judgeloop.shacl.terms import text_of
from judgeloop.vocab import SH, XSD_BOOLEAN, XSD_DECIMAL, XSD_INTEGER

_HOLE: Final = re.compile(r"\{[?$](\w+)\}")
_BARE: Final = frozenset({XSD_BOOLEAN, XSD_DECIMAL, XSD_INTEGER})
_INVERSE: Final = URIRef(SH + "inversePath")
_ALTERNATIVE: Final = URIRef(SH + "alternativePath")
_REPEATED: Final[dict[Node, str]] = {
    URIRef(SH + "zeroOrMorePath"): "*",
    URIRef(SH + "oneOrMorePath"): "+",
    URIRef(SH + "zeroOrOnePath"): "?",
}


def result_of(finding: Finding, shape: str, graph: View) -> Result:
    """Return a finding as a value without a graph library; ``graph`` holds the shapes."""
    return Result(
        shape=shape,
        focus=text_of(finding.focus),
        path="" if finding.path is None else path_text(finding.path, graph),
        value="" if finding.value is None else text_of(finding.value),
        component=text_of(finding.component),
        source=text_of(finding.shape),
        source_constraint="" if finding.source_constraint is None else text_of(finding.source_constraint),
        severity=severity_of(finding.severity),
        message=message(finding, graph),
    )


def path_text(path: Node, graph: View, *, inner: bool = False) -> str:
    """Return a property path in SPARQL's notation, with full IRIs and brackets wherever they could matter."""
    if not isinstance(path, BNode):
        return f"<{path}>"
    for predicate, value in graph.predicate_objects(path):
        if predicate in _REPEATED:
            return path_text(value, graph, inner=True) + _REPEATED[predicate]
        if predicate == _INVERSE:
            text = "^" + path_text(value, graph, inner=True)
            return f"({text})" if inner else text
        if predicate in {_ALTERNATIVE, RDF.first}:
            steps = members(graph, value if predicate == _ALTERNATIVE else path)
            mark = "|" if predicate == _ALTERNATIVE else "/"
            text = mark.join(path_text(step, graph, inner=True) for step in steps)
            return f"({text})" if inner else text
    return text_of(path)


def message(finding: Finding, graph: View) -> Text:
    """Return the nearest messages that the shapes give, per language, with ``{?name}`` and ``{$name}`` filled in.

    A language that has none takes the one without language, else another; a shape without any gets a sentence that
    names the broken parameter.
    """
    for level in finding.messages:
        if level:
            written = _by_language(level)
            return {lang: _filled(_chosen(written, lang), finding.known, graph) for lang in LANGS}
    constraint = _constraint(finding, graph)
    what = _shown(finding.focus if finding.value is None else finding.value, graph)
    if finding.path is None:
        return both("shacl-default", what=what, constraint=constraint)
    return both("shacl-default-path", what=what, constraint=constraint, path=path_text(finding.path, graph))


def _by_language(messages: Iterable[Literal]) -> dict[str, str]:
    """Join what one language says; ``ko-KR`` is Korean."""
    found: dict[str, list[str]] = {}
    for text in sorted(messages, key=text_of):
        found.setdefault((text.language or "").lower().partition("-")[0], []).append(str(text))
    return {lang: " ".join(texts) for lang, texts in found.items()}


def _chosen(written: Mapping[str, str], lang: str) -> str:
    return next(written[key] for key in (lang, "", *LANGS, *sorted(written)) if key in written)


def _filled(template: str, known: Mapping[str, Node], graph: View) -> str:
    """Fill what is known, once: a value that looks like ``{?name}`` stays as it is."""
    return _HOLE.sub(lambda hole: _named(hole, known, graph), template)


def _named(hole: re.Match[str], known: Mapping[str, Node], graph: View) -> str:
    term = known.get(hole[1])
    if term is None:
        return hole[0]
    if hole[1] in {"path", "PATH"}:
        return path_text(term, graph)
    return str(term) if isinstance(term, URIRef | Literal) else text_of(term)


def _constraint(finding: Finding, graph: View) -> str:
    stated = [
        f"{_shown(parameter, graph)} {_shown(value, graph)}"
        for parameter in finding.parameters
        for value in graph.objects(finding.shape, parameter)
    ]
    return " ; ".join(sorted(stated)) or _shown(finding.component, graph)


def _shown(term: Node, graph: View) -> str:
    if isinstance(term, BNode):
        items = members(graph, term)
        return f"({' '.join(_shown(item, graph) for item in items)})" if any(graph.objects(term, RDF.first)) else "[…]"
    if isinstance(term, URIRef):
        return f"sh:{term.removeprefix(SH)}" if term.startswith(SH) else f"<{term}>"
    return str(term) if isinstance(term, Literal) and str(term.datatype) in _BARE else text_of(term)
