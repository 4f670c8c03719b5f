"""Loads files into a store, writes its graphs out, and makes its text index again."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from judgeloop.cli.exits import Exit
from judgeloop.cli.output import STDOUT, refuse_unwritable, write
from judgeloop.cli.parsing import Listed, Parser, switch
from judgeloop.errors import BadInput
from judgeloop.messages import Lang, render
from judgeloop.store import MEMORY

if TYPE_CHECKING:
    from judgeloop.loading import Loaded, Told

FORMS: Final = ("nq", "trig", "turtle", "nt")


def configure(parser: Parser, lang: Lang) -> Mapping[str, Parser]:
    """Add the sub-verbs and return their parsers by name."""
    verbs = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    made: dict[str, Parser] = {}
    for name, does in (("load", _load), ("dump", _dump), ("reindex", _reindex), ("health", _health)):
        about = render(f"cli-store-{name}", lang)
        made[name] = verb = verbs.add_parser(name, help=about, description=about, lang=lang)
        verb.set_defaults(does=does)
    made["load"].add_argument("files", metavar="FILE", nargs="+", help=render("cli-store-files", lang))
    made["load"].add_argument("--store", metavar="URL", default=MEMORY, help=render("cli-load-store", lang))
    made["load"].add_argument("--graph", metavar="IRI", help=render("cli-load-graph", lang))
    made["load"].add_argument("--base", metavar="IRI", help=render("cli-load-base", lang))
    made["load"].add_argument("--format", choices=("text", "json"), default="text", help=render("cli-format", lang))
    made["dump"].add_argument("--store", metavar="URL", help=render("cli-read-store", lang))
    graphs = render("cli-dump-graph", lang)
    made["dump"].add_argument("--graph", action=Listed, default=[], metavar="IRI", help=graphs)
    made["dump"].add_argument("--format", choices=FORMS, default=FORMS[0], help=render("cli-dump-format", lang))
    made["dump"].add_argument("--out", metavar="FILE", help=render("cli-out", lang))
    for name in ("reindex", "health"):
        made[name].add_argument("--store", metavar="URL", help=render("cli-store-which", lang))
    made["health"].add_argument("--graph", metavar="IRI", help=render("cli-health-graph", lang))
    made["health"].add_argument("--format", choices=("text", "json"), default="text", help=render("cli-format", lang))
    switch(made["health"], "deep", render("cli-health-deep", lang))
    return made


def run(args: argparse.Namespace) -> int:
    """Do one thing with one store."""
    return int(args.does(args))


def _load(args: argparse.Namespace) -> Exit:
    from judgeloop.loading import load, read  # noqa: PLC0415 - heavy rooms are loaded by the verb that needs them
    from judgeloop.store import open_store  # noqa: PLC0415

    told = _Progress(args)
    try:
        graphs = read(args.files, args.graph, args.base, told.reading)
        with open_store(args.store) as store:
            done = list(load(store, graphs, told.writing))
            store.flush()
    finally:
        told.clear()
    if args.format == "json":
        write(json.dumps({"graphs": [asdict(each) for each in done]}, ensure_ascii=False, indent=2), STDOUT)
    elif not args.quiet:
        write("\n".join(line for each in done for line in _lines(each, args.lang)), STDOUT)
    if args.store == MEMORY and not args.quiet:
        print(render("cli-warning", args.lang, text=render("load-memory", args.lang)), file=sys.stderr)
    return Exit.PASS


def _lines(done: "Loaded", lang: Lang) -> list[str]:
    said = render(f"load-{done.change}", lang, graph=done.graph, n=done.triples)
    if not done.respelt:
        return [said]
    examples = ", ".join(f"{was} → {now}" for was, now in done.examples)
    return [said, "  " + render("load-respelt", lang, n=done.respelt, examples=examples)]


def _dump(args: argparse.Namespace) -> Exit:
    refuse_unwritable(args.out)
    from judgeloop.loading import dump  # noqa: PLC0415
    from judgeloop.store import open_store  # noqa: PLC0415

    with open_store(_lasting(args), create=False) as store:
        content = dump(store, args.graph, args.format)
    write(content, args.out)
    return Exit.PASS


def _reindex(args: argparse.Namespace) -> Exit:
    from judgeloop.store import open_store  # noqa: PLC0415

    with open_store(_lasting(args), create=False) as store:
        number = store.reindex()
        store.flush()
    print(number if args.quiet else render("store-reindexed", args.lang, n=number))
    return Exit.PASS


def _health(args: argparse.Namespace) -> Exit:
    from judgeloop.store import open_store  # noqa: PLC0415
    from judgeloop.store.health import examine  # noqa: PLC0415

    with open_store(_lasting(args), create=False) as store:
        checks = list(examine(store, args.graph, deep=args.deep))
    if args.format == "json":
        told = [{"check": each.name, "status": each.status.value, "why": dict(each.why)} for each in checks]
        write(json.dumps({"store": args.store, "checks": told}, ensure_ascii=False, indent=2), STDOUT)
    else:
        shown = [each for each in checks if not (args.quiet and each.fine)]
        write("\n".join(f"{each.status.value:<14}  {each.name:<15}  {each.why[args.lang]}" for each in shown), STDOUT)
    return Exit.PASS if all(each.fine for each in checks) else Exit.ABSTAIN


def _lasting(args: argparse.Namespace) -> str:
    """Return the store that is named, which must be one that was there before this command."""
    if args.store in {None, MEMORY}:
        raise BadInput("cli-needs-lasting-store")
    return str(args.store)


class _Progress:
    """One line on a terminal that says what is worked on; on anything else, nothing."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._lang: Lang = args.lang
        self._shown = not args.quiet and sys.stderr is not None and sys.stderr.isatty()
        self._columns = 0
        self.reading: Told = lambda name, at, n: self._say("load-reading", name, at, n)
        self.writing: Told = lambda name, at, n: self._say("load-writing", name, at, n)

    def clear(self) -> None:
        if self._columns:
            print("\r" + " " * self._columns + "\r", end="", file=sys.stderr, flush=True)
        self._columns = 0

    def _say(self, key: str, name: str, at: int, n: int) -> None:
        if self._shown:
            self.clear()
            line = render(key, self._lang, name=name, at=at, n=n)
            self._columns = 2 * len(line)
            print(line, end="", file=sys.stderr, flush=True)
