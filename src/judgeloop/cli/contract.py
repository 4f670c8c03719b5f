"""Freezes, shows, compares and checks judge contracts."""

import argparse
import json
from pathlib import Path

from judgeloop import assets
from judgeloop.cli.exits import Exit
from judgeloop.cli.output import STDOUT, refuse_unwritable, write
from judgeloop.errors import BadInput, ContractError
from judgeloop.messages import Lang, render


def configure(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add what to do and to which contract."""
    parser.add_argument("action", choices=("freeze", "show", "diff", "lint"), help=render("cli-contract-action", lang))
    parser.add_argument("contract", metavar="NAME|FILE", help=render("cli-contract-name", lang))
    parser.add_argument("--format", choices=("text", "json"), default="text", help=render("cli-format", lang))
    parser.add_argument("--out", metavar="FILE", help=render("cli-contract-out", lang))


def run(args: argparse.Namespace) -> int:
    """Do one thing with one contract; ``diff`` and ``lint`` return FAIL where they find something."""
    from judgeloop.contract import locate  # noqa: PLC0415 - heavy rooms are loaded by the verb that needs them

    refuse_unwritable(args.out)
    path = locate(args.contract)
    return int({"freeze": _freeze, "show": _show, "diff": _diff, "lint": _lint}[args.action](path, args))


def _freeze(path: Path, args: argparse.Namespace) -> Exit:
    from judgeloop.contract.lock import lock_of, lock_path  # noqa: PLC0415
    from judgeloop.opening import freeze  # noqa: PLC0415

    target = args.out or str(lock_path(path))
    if not args.out and assets.installed(path):
        raise BadInput("contract-installed", place=target)
    contract = freeze(args.contract)
    write(json.dumps(lock_of(contract), indent=2, ensure_ascii=False), target)
    name = f"{contract.name}@{contract.version}"
    if not args.quiet and target != STDOUT:
        print(render("cli-frozen", args.lang, name=name, n=len(contract.assets), lock=target))
    return Exit.PASS


def _show(_: Path, args: argparse.Namespace) -> Exit:
    from judgeloop.opening import freeze  # noqa: PLC0415
    from judgeloop.report import contract  # noqa: PLC0415

    write(contract.show(freeze(args.contract), args.format, args.lang), args.out)
    return Exit.PASS


def _diff(path: Path, args: argparse.Namespace) -> Exit:
    from judgeloop.contract.lock import differences, lock_path  # noqa: PLC0415
    from judgeloop.opening import freeze  # noqa: PLC0415

    changed = differences(freeze(args.contract), lock_path(path))
    same = "" if args.quiet else render("cli-lock-same", args.lang, lock=str(lock_path(path)))
    _tell({"changed": changed}, "\n".join(changed) or same, args)
    return Exit.FAIL if changed else Exit.PASS


def _lint(_: Path, args: argparse.Namespace) -> Exit:
    from judgeloop.opening import freeze  # noqa: PLC0415

    try:
        contract = freeze(args.contract)
    except ContractError as error:
        if error.key in {"contract-unknown", "contract-suffix"}:  # there is nothing to check
            raise
        finding = error.text(args.lang)
        _tell({"findings": [{"key": error.key, "message": finding}]}, finding, args)
        return Exit.FAIL
    name = f"{contract.name}@{contract.version}"
    _tell({"findings": []}, "" if args.quiet else render("cli-contract-fine", args.lang, name=name), args)
    return Exit.PASS


def _tell(found: dict[str, object], text: str, args: argparse.Namespace) -> None:
    write(json.dumps(found, ensure_ascii=False, indent=2) if args.format == "json" else text, args.out)
