"""The parser of the command line in both languages: its help, and one sentence about what is wrong with a command."""

import argparse
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NoReturn

from judgeloop.errors import BadInput
from judgeloop.messages import Lang, render

_FAULTS: Final = (
    (re.compile(r"the following arguments are required: (?P<names>.+)"), "cli-usage-required"),
    (re.compile(r"unrecognized arguments: (?P<names>.+)"), "cli-usage-unknown"),
    (re.compile(r"argument (?P<name>.+?): invalid choice: (?P<value>.+?) \(choose from (?P<known>.+)\)"), "cli-choice"),
    (re.compile(r"argument (?P<name>.+?): expected (?:one|at least one) argument"), "cli-usage-value"),
    (re.compile(r"argument (?P<name>.+?): ignored explicit argument (?P<value>.+)"), "cli-usage-no-value"),
    (re.compile(r"(?:argument )?(?P<name>.+?): not allowed with argument (?P<other>.+)"), "cli-usage-either"),
)
"""What Python's parser says, and the key of our sentence for it."""


class Parser(argparse.ArgumentParser):
    """Speaks one language; a fault is a `BadInput`, after the usage was shown."""

    def __init__(self, *, lang: Lang = "en", **settings: Any) -> None:  # noqa: ANN401 - argparse's own settings
        """Make a parser that takes no abbreviations."""
        formatter = partial(_Formatter, lang=lang)
        super().__init__(**settings, formatter_class=formatter, add_help=False, allow_abbrev=False)
        self._positionals.title = render("cli-positionals", lang)
        self._optionals.title = render("cli-options", lang)
        self.add_argument("-h", "--help", action="help", help=render("cli-help", lang))

    def error(self, message: str) -> NoReturn:
        """Show the usage and refuse the command.

        Raises:
            BadInput: always.
        """
        self.print_usage(sys.stderr)
        for pattern, key in _FAULTS:
            if found := pattern.fullmatch(message):
                raise BadInput(key, program=self.prog, **found.groupdict())
        raise BadInput("cli-usage-other", program=self.prog, why=message)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:  # noqa: ANN401 - argparse's own form
        """Keep a ``--`` that stands after ``--``: Python before 3.13 drops it and gives a list instead of a text."""
        if action.nargs is None and not action.option_strings and arg_strings == ["--"]:
            return self._get_value(action, "--")
        return super()._get_values(action, arg_strings)


class Listed(argparse.Action):
    """Collects the values of an option that may be given several times; the first one given replaces a default."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        """Add one value."""
        del parser, option
        held = getattr(namespace, self.dest)
        fresh = held is self.default or not isinstance(held, list)
        setattr(namespace, self.dest, [values] if fresh else [*held, values])


def switch(parser: argparse.ArgumentParser, name: str, text: str, *, default: bool = False) -> None:
    """Add ``--name`` and ``--no-name``, so that the command line wins over a file in both directions."""
    parser.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, help=text)
    parser.set_defaults(**{name.replace("-", "_"): default})


class _Formatter(argparse.HelpFormatter):
    """Wraps lines by the columns that they take on a terminal, where Hangul takes two."""

    def __init__(self, prog: str, *, lang: Lang = "en") -> None:
        super().__init__(prog)
        self._lang: Lang = lang

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, render("cli-usage", self._lang) if prefix is None else prefix)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return list(_wrapped(text.split(), width))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in _wrapped(text.split(), width - len(indent)))


def _wrapped(words: Sequence[str], columns: int) -> Iterator[str]:
    line = ""
    for word in words:
        longer = f"{line} {word}" if line else word
        if line and _columns(longer) > columns:
            yield line
            longer = word
        line = longer
    if line:
        yield line


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
