"""Explains one verdict in the nine lines of the loop, read back from the graph."""

import argparse
from pathlib import Path

from judgeloop.cli.exits import Exit
from judgeloop.errors import BadInput
from judgeloop.messages import Lang, render


def configure(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add the verdict to explain."""
    parser.add_argument("verdict", metavar="CASE|IRI|RECORD.json", help=render("cli-why-verdict", lang))
    parser.add_argument("--store", metavar="URL", help=render("cli-read-store", lang))


def run(args: argparse.Namespace) -> int:
    """Return PASS when the verdict was found and told."""
    from judgeloop import explaining  # noqa: PLC0415 - heavy rooms are loaded by the verb that needs them
    from judgeloop.report import text  # noqa: PLC0415
    from judgeloop.store import MEMORY  # noqa: PLC0415

    path, store = Path(args.verdict), None if args.store == MEMORY else args.store
    if path.suffix in {".json", ".jsonl"} and (path.is_file() or not store):
        found = explaining.from_record(path)
    elif store:
        found = explaining.from_store(args.verdict, store)
    else:
        raise BadInput("cli-needs-store", value=args.verdict)
    with found as (store_of_it, verdicts):
        for iri in verdicts:
            print(text.why(store_of_it, iri, args.lang))
    return Exit.PASS
