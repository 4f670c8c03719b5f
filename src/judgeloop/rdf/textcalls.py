"""Finds where a query searches for text: each ``text:query`` pattern, its terms, and what stands around it.

Follows the grammar of SPARQL 1.1 (rules 53 to 125) as far as it takes to tell verbs from other terms; whether the rest
is SPARQL is the store's business.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from judgeloop.rdf.cursor import Cursor
from judgeloop.rdf.lexer import Token
from judgeloop.rdf.textterms import Names, Node
from judgeloop.rdf.texttriples import Call, Group, Scope, Span, Triples
from judgeloop.vocab import TEXT_QUERY

_ELEMENTS: Final = frozenset({"OPTIONAL", "MINUS", "GRAPH", "BIND", "VALUES"})


@dataclass(frozen=True, slots=True)
class Plan:
    """Every search of one query, in the order of its text; places count characters of it."""

    calls: tuple[Call, ...]
    gone: tuple[Span, ...]
    """What goes when values take the place of the searches: their patterns, with the punctuation of these."""
    bare: int | None
    """Where the first triples stand for which neither GRAPH nor FROM names a graph."""


def mentioned(seen: Sequence[Token]) -> bool:
    """Say whether one of the tokens, declarations apart, stands for text:query."""
    names = Names()
    at = 0
    while at < len(seen):
        if seen[at].kind == "keyword" and seen[at].text.upper() in {"PREFIX", "BASE"}:
            at = names.declare(seen, at)
        elif names.iri(seen[at]) == TEXT_QUERY:
            return True
        else:
            at += 1
    return False


def read_calls(text: str, place: str, parameters: Collection[str] = ()) -> Plan:
    """Return the searches of a query; the values of ``parameters`` are known later.

    Raises:
        BadInput: one is no pattern of its own, or is not simply joined with the GRAPH ?variable that it stands in.
    """
    reader = _Reader(Cursor(text, place, parameters))
    reader.level(Scope())
    return Plan(tuple(reader.triples.calls), tuple(reader.triples.gone), reader.bare)


class _Reader:
    def __init__(self, cursor: Cursor) -> None:
        self.triples = Triples(cursor)
        self.bare: int | None = None
        self._on = cursor

    def level(self, scope: Scope, end: str = "") -> None:
        """Read a query, or up to ``end`` a SELECT within one."""
        on = self._on
        while on.more and on.now.text != end:
            if on.word in {"PREFIX", "BASE"}:
                on.at = on.names.declare(on.seen, on.at)
            elif on.word in {"FROM", "USING", "WITH"}:
                scope = self._dataset(scope)
            elif on.word in {"CONSTRUCT", "INSERT", "DELETE"}:
                self._template()
            elif on.word == "VALUES":
                self._rows()
            elif on.now.text == "{":
                self._group(scope)
            elif on.now.text == "(":
                self._expression(scope)
            else:
                if on.now.text == ";":  # the next operation of an update
                    scope = Scope()
                on.at += 1

    def _dataset(self, scope: Scope) -> Scope:
        on, word = self._on, self._on.word
        on.at += 1
        is_named = on.word == "NAMED"
        on.at += is_named
        graph = self._term()
        if word == "WITH":
            return scope._replace(default=graph)
        if scope.named is None:  # USING names a dataset instead of WITH
            scope = scope._replace(default=(), named=())
        if is_named:
            return scope._replace(named=(scope.named or ()) + graph)
        return scope._replace(default=(scope.default or ()) + graph)

    def _term(self) -> tuple[Node, ...]:
        return self._on.nodes(*self._on.term()) if self._on.more else ()

    def _template(self) -> None:
        """Take a template; where it is the pattern, too, it holds no search."""
        on, word = self._on, self._on.word
        on.at += 1
        is_pattern = on.word == "WHERE" or (word == "CONSTRUCT" and on.word == "FROM")
        while on.more and on.now.text != "{":
            on.at += 1
        start = on.at
        on.balanced("{", "}")
        if is_pattern:
            self.triples.refuse_searches(start, "text-query-template")

    def _rows(self) -> None:
        while self._on.more and self._on.now.text != "{":
            self._on.at += 1
        self._on.balanced("{", "}")

    def _expression(self, scope: Scope) -> None:
        """Take parentheses; EXISTS puts a group into them."""
        on, depth = self._on, 0
        while on.more:
            if on.now.text == "{":
                self._group(scope._replace(apart=True))
                continue
            depth += (on.now.text == "(") - (on.now.text == ")")
            on.at += 1
            if depth <= 0:
                return

    def _filter(self, scope: Scope) -> None:
        on = self._on
        on.at += 1
        while on.word in {"NOT", "EXISTS"}:
            on.at += 1
        if on.now.text not in {"{", "("}:
            on.at += 1  # the name of a function
        if on.now.text == "{":
            self._group(scope._replace(apart=True))
        elif on.now.text == "(":
            self._expression(scope)

    def _group(self, scope: Scope) -> None:
        """Take a group from its opening to its closing brace."""
        on = self._on
        on.at += 1
        if on.word == "SELECT":
            self.level(scope._replace(apart=True, known=frozenset()), "}")
        group = Group(scope)
        while on.more and on.now.text != "}":
            start = on.at
            if on.word == "FILTER":
                self._filter(group.scope)
                continue
            if on.now.text == ".":
                on.at += 1
            elif on.word in _ELEMENTS or on.now.text == "{":
                self._element(group.scope)
                group.start, group.first = None, False
            else:
                if self.bare is None and scope.graph is None and scope.default is None:
                    self.bare = on.now.offset
                self.triples.read(group)
            group.scope = group.scope._replace(known=group.scope.known | on.variables(start))
        on.at += 1

    def _element(self, scope: Scope) -> None:
        """Take what is neither triples nor a filter."""
        on, word = self._on, self._on.word
        if word == "VALUES":
            self._rows()
            return
        on.at += word != ""
        if word == "BIND":
            self._expression(scope)
            return
        if word == "GRAPH":
            name = self._term()
            scope = scope._replace(graph=name[0] if name else None, apart=False)
        elif word:
            scope = scope._replace(apart=True)
        if on.now.text == "{":
            self._group(scope)
        while on.word == "UNION":
            on.at += 1
            self._group(scope)
