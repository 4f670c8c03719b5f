"""Reads triples of a graph pattern, one subject at a time, and finds the searches among them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from judgeloop.rdf.cursor import Cursor
from judgeloop.rdf.textterms import Node
from judgeloop.vocab import TEXT_QUERY

Span = tuple[int, int]
"""Where something begins and where the next thing does."""

_PATH_BEGINS: Final = frozenset({"^", "!", "("})
_NO_TERM: Final = frozenset({".", ";", ",", "{", "}", ")", "]"})


class Scope(NamedTuple):
    """What holds inside of one group."""

    graph: Node | None = None
    """What the GRAPH around names."""
    apart: bool = False
    """True where the solutions of this group are not simply joined with the other ones of that GRAPH."""
    known: frozenset[str] = frozenset()
    """Variables that may have a value before."""
    default: tuple[Node, ...] | None = None
    """The graphs of FROM (USING, WITH); None when the query names no dataset."""
    named: tuple[Node, ...] | None = None
    """The graphs of FROM NAMED, likewise."""


@dataclass(frozen=True, slots=True)
class Call:
    """One search."""

    offset: int
    """Where its property stands."""
    listed: bool
    """True when the subject is a list of what the search fills."""
    subject: tuple[Node, ...]
    arguments: tuple[Node, ...]
    scope: Scope
    at: int
    """Where its values go: before the triples that they are joined with, so that these stay together."""
    first: bool
    """True when only searches stand before it in its group."""


class Group:
    """What of a group has been read."""

    def __init__(self, scope: Scope) -> None:
        """Begin a group."""
        self.scope = scope
        self.start: int | None = None
        """Where the running basic graph pattern begins; a FILTER does not end it."""
        self.first = True


class _Said(NamedTuple):
    """One verb with its objects, as numbers of tokens."""

    start: int
    end: int
    words: Span | None
    """The object of a search."""


class Triples:
    """Collects the searches of one query."""

    def __init__(self, cursor: Cursor) -> None:
        """Read where ``cursor`` stands."""
        self.calls: list[Call] = []
        self.gone: list[Span] = []
        self._on = cursor

    def read(self, group: Group) -> None:
        """Take one subject with everything that is said of it.

        Raises:
            BadInput: a search is no pattern of its own.
        """
        on, offset = self._on, self._on.now.offset
        group.start = offset if group.start is None else group.start
        subject = self._term()
        said: list[_Said] = []
        while on.now.kind in {"iri", "pname", "var"} or on.word == "A" or on.now.text in _PATH_BEGINS:
            said.append(self._verb_and_objects())
            if said[-1].words is not None:
                self._call(subject, said, group)
            on.skip(";")
        kept = [one for one in said if one.words is None]
        if len(kept) == len(said):
            group.first = False
        elif kept:
            group.first = False
            self.gone += _spans(said, on)
        else:
            on.at += on.now.text == "."
            self.gone.append((offset, on.end_of(on.at)))

    def _verb_and_objects(self) -> _Said:
        on, start = self._on, self._on.at
        self._path()
        searches = [at for at in range(start, on.at) if self._is_search(at)]
        if searches and on.at > start + 1:
            raise on.refusal("text-query-path", searches[0])
        objects, plain = self._objects()
        if searches and (len(objects) != 1 or not plain):
            raise on.refusal("text-query-objects", start)
        return _Said(start, on.at, objects[0] if searches else None)

    def _path(self) -> None:
        on = self._on
        while on.more:
            while on.now.text in {"^", "!"}:
                on.at += 1
            if on.now.text == "(":
                on.balanced("(", ")")
            else:
                on.at += 1
            while on.now.kind == "op" and on.now.text in {"*", "+", "?"}:
                on.at += 1
            if on.now.text not in {"/", "|"}:
                return
            on.at += 1

    def _objects(self) -> tuple[list[Span], bool]:
        """Take the objects of one verb; say whether nothing is said about the triples that they make."""
        on, plain = self._on, True
        found: list[Span] = []
        while on.more and on.now.text not in _NO_TERM:
            found.append(self._term())
            while on.now.text in {"~", "{|"}:
                plain = False
                self._annotation()
            if on.now.text != ",":
                break
            on.at += 1
        return found, plain

    def _annotation(self) -> None:
        """Take what is said of the triple before (RDF 1.2): the name of a reifier, or triples in braces."""
        on, start = self._on, self._on.at
        if on.now.text == "{|":
            on.balanced("{|", "|}")
            self.refuse_searches(start, "text-query-brackets")
            return
        on.at += 1
        if on.now.kind in {"iri", "pname", "var", "bnode"}:
            on.at += 1

    def _term(self) -> Span:
        """Take one term, however large."""
        start, end = self._on.term()
        if end > start + 1:
            self.refuse_searches(start, "text-query-brackets")
        return start, end

    def _call(self, subject: Span, said: Sequence[_Said], group: Group) -> None:
        on = self._on
        *before, search = said
        if group.scope.apart and group.scope.graph is not None and group.scope.graph.kind == "variable":
            raise on.refusal("text-query-graph", search.start)
        listed = on.seen[subject[0]].text == "("
        if listed and (before or on.now.text == ";"):
            raise on.refusal("text-query-subject", search.start)
        self.calls.append(
            Call(
                offset=on.seen[search.start].offset,
                listed=listed,
                subject=self._members(subject),
                arguments=self._members(search.words or subject),
                scope=group.scope,
                at=group.start or 0,
                first=group.first and all(one.words is not None for one in before),
            )
        )

    def _members(self, span: Span) -> tuple[Node, ...]:
        """Return the members of a list, or the one term."""
        start, end = span
        return self._on.nodes(start + 1, end - 1) if self._on.seen[start].text == "(" else self._on.nodes(start, end)

    def _is_search(self, at: int) -> bool:
        return self._on.names.iri(self._on.seen[at]) == TEXT_QUERY

    def refuse_searches(self, start: int, key: str) -> None:
        """Refuse a search between a token and this place."""
        for at in range(start, self._on.at):
            if self._is_search(at):
                raise self._on.refusal(key, at)


def _spans(said: Sequence[_Said], on: Cursor) -> Iterator[Span]:
    """Give what goes of one subject's list: each search with the punctuation that parts it from the rest."""
    kept = False
    for before, one in zip([None, *said], said, strict=False):
        start = on.seen[one.start].offset
        if one.words is not None:
            yield start if before is None else on.end_of(before.end), on.end_of(one.end)
        elif before is not None and not kept:
            yield on.end_of(before.end), start
        kept = kept or one.words is None
