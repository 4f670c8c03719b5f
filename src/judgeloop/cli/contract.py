"""Freezes, shows, compares and checks judge contracts."""

import argparse
import json
from pathlib import Path

from judgeloop.cli.exits import Exit
from judgeloop.cli.output import write
from judgeloop.errors import ContractError
from judgeloop.messages import Lang, render


def configure(parser: argparse.ArgumentParser, lang: Lang) -> None:
    """Add what to do and to which contract."""
    parser.add_argument("action", choices=("freeze", "show", "diff", "lint"), help=render("cli-contract-action", lang))
    parser.add_argument("contract", metavar="NAME|FILE", help=render("cli-contract-option", lang))
    parser.add_argument("--format", choices=("text", "json"), default="text", help=render("cli-format", lang))
    parser.add_argument("--out", metavar="FILE", help=render("cli-lock-out", lang))


def run(args: argparse.Namespace) -> int:
    """Do one thing with one contract; ``diff`` and ``lint`` return FAIL where they find something."""
    from judgeloop.contract import locate  # noqa: PLC0415 - heavy rooms are loaded by the verb that needs them

    path = locate(args.contract)
    return int({"freeze": _freeze, "show": _show, "diff": _diff, "lint": _lint}[args.action](path, args))


def _freeze(path: Path, args: argparse.Namespace) -> Exit:
    from judgeloop.contract import freeze  # noqa: PLC0415
    from judgeloop.contract.lock import lock_of, lock_path  # noqa: PLC0415

    contract = freeze(path)
    target = args.out or str(lock_path(path))
    write(json.dumps(lock_of(contract), indent=2, ensure_ascii=False), target)
    print(
        render("cli-frozen", args.lang, name=f"{contract.name}@{contract.version}", n=len(contract.assets), lock=target)
    )
    return Exit.PASS


def _show(path: Path, args: argparse.Namespace) -> Exit:
    from judgeloop.contract import freeze  # noqa: PLC0415
    from judgeloop.report import contract  # noqa: PLC0415

    print(contract.show(freeze(path), args.format, args.lang))
    return Exit.PASS


def _diff(path: Path, args: argparse.Namespace) -> Exit:
    from judgeloop.contract import freeze  # noqa: PLC0415
    from judgeloop.contract.lock import differences, lock_path  # noqa: PLC0415

    changed = differences(freeze(path), lock_path(path))
    for asset in changed:
        print(asset)
    if not changed:
        print(render("cli-lock-same", args.lang, lock=lock_path(path)))
    return Exit.FAIL if changed else Exit.PASS


def _lint(path: Path, args: argparse.Namespace) -> Exit:
    from judgeloop.contract import freeze  # noqa: PLC0415

    try:
        contract = freeze(path)
    except ContractError as error:  # a finding here, not a refusal
        print(error.text(args.lang))
        return Exit.FAIL
    print(render("cli-contract-fine", args.lang, name=f"{contract.name}@{contract.version}"))
    return Exit.PASS
