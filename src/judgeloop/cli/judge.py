"""Judges case files: the loop over each, one verdict a case, and a summary."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from judgeloop.cli.exits import Exit
from judgeloop.cli.output import refuse_unwritable, write
from judgeloop.cli.parsing import Listed, switch
from judgeloop.errors import BadInput
from judgeloop.messages import Lang, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from judgeloop.suite import Row

FORMATS = ("text", "json", "jsonl", "turtle")
WORST_FIRST = (Exit.FAIL, Exit.ABSTAIN, Exit.UNCERTAIN, Exit.PASS)


def configure(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of ``judge``."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help=render("cli-judge-files", lang))
    add("--contract", metavar="NAME|FILE", help=render("cli-contract-option", lang))
    switch(parser, "locked", render("cli-locked", lang))
    add("--kg", action=Listed, default=[], metavar="FILE", help=render("cli-kg", lang))
    add("--base", metavar="IRI", help=render("cli-base", lang))
    add("--store", default="memory:", metavar="URL", help=render("cli-judge-store", lang))
    add("--format", choices=FORMATS, default="text", help=render("cli-format", lang))
    add("--out", metavar="FILE", help=render("cli-out", lang))
    add("--fail-on", metavar="LIST", default="fail,uncertain,abstain", help=render("cli-fail-on", lang))
    switch(parser, "envelope", render("cli-envelope", lang), default=True)


def run(args: argparse.Namespace) -> int:
    """Return the worst verdict's code among those that ``--fail-on`` names; 2 where an input can't be read."""
    failing = _failing(args.fail_on)
    refuse_unwritable(args.out, [*args.files, *args.kg, *filter(None, [args.contract])])
    from judgeloop.assets import bounded  # noqa: PLC0415 - heavy rooms are loaded by the verb that needs them
    from judgeloop.report import render_rows, text  # noqa: PLC0415
    from judgeloop.store import open_store  # noqa: PLC0415
    from judgeloop.suite import STDIN, Suite, Summary  # noqa: PLC0415

    stdin = bounded(sys.stdin.buffer, STDIN) if STDIN in args.files and sys.stdin else b""
    with open_store(args.store) as store:
        suite = Suite(store, args.contract, [Path(k) for k in args.kg], args.base, args.locked)
        rows = list(_watched(suite.rows(args.files, stdin), args))
        store.flush()
    write(render_rows(rows, args.format, args.lang, envelope=args.envelope), args.out)
    told = [render("cli-warning", args.lang, text=warning.text(args.lang)) for warning in suite.warnings]
    told += [f"judgeloop: {row.error.text(args.lang)}" for row in rows if row.error]
    for line in dict.fromkeys(told):  # many cases may meet one fault
        print(line, file=sys.stderr)
    if not args.quiet:
        print(text.summary(Summary(rows), args.lang), file=sys.stdout if args.format == "text" else sys.stderr)
    return _code(rows, failing)


def _watched(rows: "Iterator[Row]", args: argparse.Namespace) -> "Iterator[Row]":
    """Count on a terminal while the rows come; the line is gone when they have come."""
    shown = not args.quiet and sys.stderr is not None and sys.stderr.isatty()
    line = ""
    for number, row in enumerate(rows, start=1):
        yield row
        if shown:
            line = render("cli-progress", args.lang, n=number)
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
    print("\r" + " " * 2 * len(line) + "\r" if line else "", end="", file=sys.stderr, flush=True)


def _code(rows: "Sequence[Row]", failing: set[Exit]) -> int:
    errors = [row.error.exit_code for row in rows if row.error]
    given = {Exit[row.outcome.value] for row in rows if row.outcome}
    return max(errors) if errors else next(code for code in WORST_FIRST if code in (given & failing) | {Exit.PASS})


def _failing(words: str) -> set[Exit]:
    known = {"fail": Exit.FAIL, "uncertain": Exit.UNCERTAIN, "abstain": Exit.ABSTAIN, "none": Exit.PASS}
    named = {word.strip().lower() for word in words.split(",")}
    if named - known.keys():
        raise BadInput("cli-fail-on-word", word=min(named - known.keys()), known=", ".join(known))
    return {known[word] for word in named}
