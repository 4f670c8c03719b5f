"""The command line: one file per verb, each with ``configure`` and ``run``; nothing heavy is imported here."""

import argparse
import errno
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

from judgeloop.cli import ask, config, contract, demo, judge, query, store, why
from judgeloop.cli.exits import Exit
from judgeloop.cli.parsing import Parser, switch
from judgeloop.errors import BadInput, JudgeloopError
from judgeloop.messages import Lang, render

VERBS: dict[str, ModuleType] = {
    "demo": demo,
    "ask": ask,
    "judge": judge,
    "contract": contract,
    "why": why,
    "query": query,
    "store": store,
}
SIGINT, SIGPIPE = 128 + 2, 128 + 13
"""What a shell reports for a program that a signal stopped."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Why standard output can take no more."""


def run(argv: Sequence[str]) -> int:
    """Parse ``argv``, run one verb, and return its exit code; an error of the input is told on stderr."""
    _speak_utf8()
    try:
        code = _run(argv, config.language(argv))
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        _hush()
        return SIGPIPE
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            raise
        _hush()
        print(f"judgeloop: {render('cli-stdout', config.language(argv), why=error.strerror)}", file=sys.stderr)
        return Exit.USAGE
    except KeyboardInterrupt:
        return SIGINT
    return code


def _run(argv: Sequence[str], lang: Lang) -> int:
    try:
        args = _parsed(argv, lang)
        return int(args.run(args))
    except JudgeloopError as error:
        print(f"judgeloop: {error.text(lang)}", file=sys.stderr)
        return error.exit_code
    except SystemExit as stop:  # --help and the like have printed what was asked for
        return int(stop.code or Exit.PASS)


def parser(lang: Lang = "en") -> tuple[Parser, dict[str, Parser]]:
    """Return the parser of the program and those of its verbs; what a verb has below it stands as ``verb action``."""
    main = Parser(prog="judgeloop", description=render("cli-about", lang), lang=lang)
    main.add_argument("--version", action=_Version, nargs=0, help=render("cli-version", lang))
    main.add_argument("--lang", choices=("ko", "en"), default=lang, help=render("cli-lang", lang))
    verbs = main.add_subparsers(dest="verb", metavar="VERB", required=True)
    made: dict[str, Parser] = {}
    for name, module in VERBS.items():
        about = render(f"cli-{name}", lang)
        made[name] = verb = verbs.add_parser(name, help=about, description=about, lang=lang)
        below: Mapping[str, Parser] = module.configure(verb, lang) or {}
        for each in below.values() if below else [verb]:
            each.add_argument("--lang", choices=("ko", "en"), default=lang, help=render("cli-lang", lang))
            switch(each, "quiet", render("cli-quiet", lang))
            each.add_argument("--show-config", action="store_true", help=render("cli-show-config", lang))
            each.set_defaults(run=module.run)
        made |= {f"{name} {action}": each for action, each in below.items()}
    return main, made


def _parsed(argv: Sequence[str], lang: Lang) -> argparse.Namespace:
    """Return the arguments with the defaults of the configuration file below them.

    Raises:
        SystemExit: help, the version or the configuration was asked for, and was printed.
        BadInput: the command or the configuration file can't be understood.
    """
    main, verbs = parser(lang)
    broken = None
    try:
        settings = config.read()
        config.apply(verbs, settings)
    except BadInput as error:  # help is given all the same
        settings, broken = config.Settings(), error
    verb = next((word for word in argv if word in verbs), None)
    verb = next((f"{verb} {word}" for word in argv if f"{verb} {word}" in verbs), verb)
    whole = not any(name.startswith(f"{verb} ") for name in verbs)  # else an action is missing, which is told below
    if verb and whole and "--show-config" in argv and not broken:
        config.show(verbs[verb], argv, settings, lang)
        raise SystemExit(Exit.PASS)
    args, unknown = main.parse_known_args(argv)
    if unknown:  # told with the usage of the verb, not of the program
        name = f"{args.verb} {args.action}" if hasattr(args, "does") else args.verb
        verbs[name].error(f"unrecognized arguments: {' '.join(unknown)}")
    if broken:
        raise broken
    args.lang = lang
    return args


class _Version(argparse.Action):
    """Reads the version only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - costs time that no other verb needs

        print(f"judgeloop {version('judgeloop')}")
        parser.exit()


def _hush() -> None:
    """Let what is left in the buffer of standard output go nowhere, so that Python's own last flush can't fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
