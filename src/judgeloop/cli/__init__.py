"""The command line: one file per verb, each with ``configure`` and ``run``; nothing heavy is imported here."""

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from judgeloop.cli import ask, config, contract, demo, judge, query, why
from judgeloop.cli.exits import Exit
from judgeloop.errors import JudgeloopError
from judgeloop.messages import Lang, render

VERBS: dict[str, ModuleType] = {
    "demo": demo,
    "ask": ask,
    "judge": judge,
    "contract": contract,
    "why": why,
    "query": query,
}


def run(argv: Sequence[str]) -> int:
    """Parse ``argv``, run one verb, and return its exit code; an error of the input is told on stderr."""
    _speak_utf8()
    lang = config.language(argv)
    try:
        args = _parsed(argv, lang)
        return int(args.run(args))
    except JudgeloopError as error:
        print(f"judgeloop: {error.text(lang)}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.PASS
    except KeyboardInterrupt:
        return 128 + 2


def parser(lang: Lang = "en") -> argparse.ArgumentParser:
    """Return the parser of all verbs; a verb's help is its module's first line."""
    main = argparse.ArgumentParser(prog="judgeloop", description=render("cli-about", lang), allow_abbrev=False)
    main.add_argument("--version", action=_Version, nargs=0, help=render("cli-version", lang))
    main.add_argument("--lang", choices=("ko", "en"), default=lang, help=render("cli-lang", lang))
    verbs = main.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, module in VERBS.items():
        about = render(f"cli-{name}", lang)
        verb = verbs.add_parser(name, help=about, description=about, allow_abbrev=False)
        module.configure(verb, lang)
        _common(verb, lang)
        verb.set_defaults(run=module.run)
    return main


def _common(verb: argparse.ArgumentParser, lang: Lang) -> None:
    verb.add_argument("--lang", choices=("ko", "en"), default=lang, help=render("cli-lang", lang))
    verb.add_argument("--quiet", action="store_true", help=render("cli-quiet", lang))
    verb.add_argument("--show-config", action="store_true", help=render("cli-show-config", lang))


def _parsed(argv: Sequence[str], lang: Lang) -> argparse.Namespace:
    """Return the arguments with the defaults of the configuration file below them."""
    main = parser(lang)
    settings = config.read()
    verbs = next(a for a in main._actions if isinstance(a, argparse._SubParsersAction))  # noqa: SLF001 - no public way
    for verb in verbs.choices.values():
        known = {a.dest for a in verb._actions}  # noqa: SLF001
        verb.set_defaults(**{k: v for k, v in settings.values.items() if k in known})
    if "--show-config" in argv and argv[0] in VERBS:
        config.show(verbs.choices[argv[0]], [a for a in argv[1:] if a != "--show-config"], settings)
        raise SystemExit(Exit.PASS)
    return main.parse_args(argv)


class _Version(argparse.Action):
    """Reads the version only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415 - costs time that no other verb needs

        print(f"judgeloop {version('judgeloop')}")
        parser.exit()


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
