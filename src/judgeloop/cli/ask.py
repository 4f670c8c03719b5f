"""Asks a pack's agent one question and prints its decision."""

import argparse
import json
from pathlib import Path

from judgeloop.cli.exits import Exit
from judgeloop.cli.parsing import Listed
from judgeloop.errors import BadInput
from judgeloop.messages import Lang, render


def configure(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the options of ``ask``."""
    parser.add_argument("pack", metavar="PACK", help=render("cli-ask-pack", lang))
    parser.add_argument("text", metavar="TEXT", help=render("cli-ask-text", lang))
    parser.add_argument("--kg", action=Listed, default=[], metavar="FILE", help=render("cli-ask-kg", lang))
    parser.add_argument("--base", metavar="IRI", help=render("cli-base", lang))
    parser.add_argument("--asked-at", metavar="TIME", help=render("cli-asked-at", lang))
    parser.add_argument("--case", action="store_true", help=render("cli-ask-case", lang))


def run(args: argparse.Namespace) -> int:
    """Return PASS for any decision that fits the pack's schema."""
    from judgeloop.agents import agents  # noqa: PLC0415 - heavy rooms are loaded by the verb that needs them
    from judgeloop.asking import ask  # noqa: PLC0415

    if args.pack not in agents():
        raise BadInput("cli-no-pack", name=args.pack, known=", ".join(agents()))
    case = ask(args.pack, args.text, [Path(k) for k in args.kg], args.base, args.asked_at)
    print(json.dumps(case if args.case else case["decision"], ensure_ascii=False, indent=2))
    return Exit.PASS
