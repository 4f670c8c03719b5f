"""Judges the cases that ship with each pack, and shows what to try next."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from judgeloop.cli.exits import Exit
from judgeloop.errors import BadInput
from judgeloop.messages import Lang, render


def configure(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the pack that may be named."""
    parser.add_argument("pack", nargs="?", metavar="PACK", help=render("cli-demo-pack", lang))


def run(args: argparse.Namespace) -> int:
    """Return PASS when every shipped case got the verdict that it expects."""
    from judgeloop import assets  # noqa: PLC0415 - heavy rooms are loaded by the verb that needs them
    from judgeloop.report import text  # noqa: PLC0415
    from judgeloop.store import open_store  # noqa: PLC0415
    from judgeloop.suite import Suite, Summary  # noqa: PLC0415

    worlds = assets.root() / "worlds"
    packs = sorted(p.name for p in worlds.iterdir() if (p / "cases").is_dir())
    if not packs:  # nothing was judged, so nothing went well
        raise BadInput("cli-demo-empty", place=str(worlds))
    if args.pack and args.pack not in packs:
        raise BadInput("cli-no-pack", name=args.pack, known=", ".join(packs))
    as_expected = True
    for pack in [args.pack] if args.pack else packs:
        with open_store() as store:
            rows = list(Suite(store, contract=pack).rows([str(worlds / pack / "cases")]))
            print(text.table(pack, rows, args.lang))
            shown = next((r.judged for r in rows if r.judged and r.outcome != "PASS"), None)
            if shown and not args.quiet:
                print(text.why(store, shown.iri, args.lang))
        print(text.summary(Summary(rows), args.lang))
        as_expected &= bool(rows) and all(row.as_expected and row.judged for row in rows)
    if not args.quiet:
        print(render("cli-demo-next", args.lang, program=_program()))
    if not as_expected:
        print(render("cli-demo-differs", args.lang), file=sys.stderr)
    return Exit.PASS if as_expected else Exit.FAIL


def _program() -> str:
    """Return how this program is called from here: by its name where the shell finds it, else by its path."""
    if shutil.which("judgeloop"):
        return "judgeloop"
    path = Path(sys.argv[0])
    return os.path.relpath(path) if path.name == "judgeloop" else f"{sys.executable} -m judgeloop"
