"""Runs one SPARQL query over a store, or over files; or checks query files."""

import argparse
import json
import math
from contextlib import nullcontext

from judgeloop.cli.exits import Exit
from judgeloop.cli.parsing import Listed
from judgeloop.errors import BadInput
from judgeloop.messages import Lang, render

FORMATS = ("table", "json", "xml", "csv", "tsv", "turtle")


def configure(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of ``query``."""
    parser.add_argument("query", metavar="FILE.rq|TEXT", nargs="+", help=render("cli-query-query", lang))
    parser.add_argument("--param", action=Listed, default=[], metavar="NAME=VALUE", help=render("cli-param", lang))
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--store", metavar="URL", help=render("cli-read-store", lang))
    where.add_argument("--data", action=Listed, default=[], metavar="FILE", help=render("cli-data", lang))
    parser.add_argument("--base", metavar="IRI", help=render("cli-base", lang))
    parser.add_argument("--timeout", metavar="SECONDS", help=render("cli-timeout", lang))
    parser.add_argument("--format", choices=FORMATS, default="table", help=render("cli-format", lang))
    parser.add_argument("--lint", action="store_true", help=render("cli-query-lint", lang))
    parser.add_argument("--strict", action="store_true", help=render("cli-query-strict", lang))


def run(args: argparse.Namespace) -> int:
    """Return PASS for rows and for none; with ``--lint``, FAIL where a query is to be changed."""
    if args.lint:
        return _lint(args)
    if len(args.query) > 1:
        raise BadInput("query-one", place=args.query[1])
    from judgeloop.store import MEMORY, kind_of  # noqa: PLC0415 - heavy rooms are loaded by the verb that needs them
    from judgeloop.store.process import Process  # noqa: PLC0415 - as above

    store = None if args.data else args.store  # a store may stand in the configuration
    if not args.data and store in {None, MEMORY}:
        raise BadInput("cli-needs-data")
    seconds = None if args.timeout is None else _seconds(args.timeout)
    values = dict(_value(text) for text in args.param)
    # what will be asked gets ready while this process reads the rest of itself
    with nullcontext() if store and kind_of(store) == "server" else Process() as process:
        from judgeloop import querying  # noqa: PLC0415 - as above

        query = querying.read_query(args.query[0], values)
        print(
            querying.answer(query, store, args.data, args.format, args.base, seconds=seconds, process=process), end=""
        )
    return Exit.PASS


def _seconds(text: str) -> float:
    """Return a time above 0."""
    try:
        given = float(text)
    except ValueError:
        given = math.nan
    if not 0 < given < math.inf:
        raise BadInput("cli-timeout-value", value=text)
    return given


def _lint(args: argparse.Namespace) -> int:
    from judgeloop import querying  # noqa: PLC0415 - as above

    found, n = querying.check(args.query)
    if args.format == "json":
        told = [
            {"place": r.place, "severity": r.severity, "key": r.key, "message": render(r.key, args.lang, **r.params)}
            for r in found
        ]
        print(json.dumps({"findings": told}, ensure_ascii=False, indent=2))
    else:
        for r in found:
            severity, kind = render(f"text-{r.severity}", args.lang), r.key.removeprefix("rq-lint-")
            print(f"{r.place}: {severity}: {render(r.key, args.lang, **r.params)} [{kind}]")
        if not found and not args.quiet:
            print(render("query-lint-fine", args.lang, n=n))
    return Exit.FAIL if any(r.severity == "error" or args.strict for r in found) else Exit.PASS


def _value(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise BadInput("cli-param-form", value=text)
    return name, value
