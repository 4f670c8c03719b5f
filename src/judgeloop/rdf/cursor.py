"""A place in the tokens of a query that moves forward, term by term and bracket by bracket."""

from collections.abc import Collection
from typing import Final

from judgeloop.errors import BadInput
from judgeloop.rdf.lexer import Token, lex, significant, where
from judgeloop.rdf.textterms import Names, Node, after_term, read_nodes

_END: Final = Token("op", "", -1)


class Cursor:
    """Stands at one token of a query; at the end, at a token without text."""

    def __init__(self, text: str, place: str, parameters: Collection[str] = ()) -> None:
        """Stand at the first token of ``text``; ``parameters`` are the variables whose values are known later."""
        self.seen = significant(lex(text, place))
        self._at = 0
        self.names = Names()
        self._text, self._place, self._parameters = text, place, parameters

    @property
    def at(self) -> int:
        """Return the number of the token here."""
        return self._at

    @at.setter
    def at(self, at: int) -> None:
        """Move to a token, no further than to the end."""
        self._at = min(at, len(self.seen))

    @property
    def now(self) -> Token:
        """Return the token here."""
        return self.seen[self.at] if self.at < len(self.seen) else _END

    @property
    def word(self) -> str:
        """Return the keyword here in capitals, or nothing when it is none."""
        return self.now.text.upper() if self.now.kind == "keyword" else ""

    @property
    def more(self) -> bool:
        """Say whether a token is here."""
        return self.at < len(self.seen)

    def end_of(self, at: int) -> int:
        """Return where in the text the token before the one numbered ``at`` ends."""
        before = self.seen[at - 1]
        return before.offset + len(before.text)

    def skip(self, text: str) -> None:
        """Move behind every token here that is ``text``."""
        while self.now.text == text:
            self.at += 1

    def term(self) -> tuple[int, int]:
        """Move behind the term here, however large; return the numbers of its first token and of the one after it."""
        start = self.at
        self.at = after_term(self.seen, start)
        return start, self.at

    def balanced(self, opens: str, closes: str) -> None:
        """Move from an opening bracket here behind its partner."""
        depth = 0
        while self.more:
            depth += (self.now.text == opens) - (self.now.text == closes)
            self.at += 1
            if depth == 0:
                return

    def nodes(self, start: int, end: int) -> tuple[Node, ...]:
        """Return the terms between two numbers of tokens."""
        return read_nodes(self.seen[start:end], self.names, self._parameters)

    def variables(self, start: int) -> frozenset[str]:
        """Return the variables and parameters between a token and this place."""
        return frozenset(token.text[1:] for token in self.seen[start : self.at] if token.kind == "var")

    def refusal(self, key: str, at: int) -> BadInput:
        """Return the error ``key`` about the token of a number."""
        return BadInput(key, place=where(self._text, self.seen[at].offset, self._place))
