"""Defaults from ``judgeloop.toml`` or ``[tool.judgeloop]`` of ``pyproject.toml``; the command line wins."""

import argparse
import locale
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from judgeloop.errors import BadInput
from judgeloop.messages import Lang

KEYS: Final[Mapping[str, type]] = {
    "lang": str,
    "format": str,
    "store": str,
    "contract": str,
    "kg": list,
    "base": str,
    "fail_on": str,
    "locked": bool,
    "quiet": bool,
    "envelope": bool,
}


@dataclass(frozen=True)
class Settings:
    """What a configuration file says, and which file it was."""

    values: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


def read(folder: Path | None = None) -> Settings:
    """Return the settings of the folder (the working folder unless given).

    Raises:
        BadInput: the file is no TOML, or holds a key or a value that no verb knows.
    """
    here = folder or Path.cwd()
    for path, table in ((here / "judgeloop.toml", ()), (here / "pyproject.toml", ("tool", "judgeloop"))):
        if not path.is_file():
            continue
        try:
            found: Any = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput("config-syntax", place=str(path), why=str(error)) from None
        for name in table:
            found = found.get(name, {})
        if found:
            return Settings({_key(k): _checked(k, v, path) for k, v in found.items()}, str(path))
    return Settings()


def _key(name: str) -> str:
    return name.replace("-", "_")


def _checked(name: str, value: object, path: Path) -> object:
    wanted = KEYS.get(_key(name))
    if wanted is None:
        raise BadInput("config-key", place=str(path), name=name, known=", ".join(KEYS).replace("_", "-"))
    if not isinstance(value, wanted):
        raise BadInput("config-value", place=str(path), name=name, type=wanted.__name__)
    return value


def show(verb: argparse.ArgumentParser, argv: Sequence[str], settings: Settings) -> None:
    """Print what holds for a verb and where each value came from."""
    given = {a.dest for a in verb._actions if set(a.option_strings) & {w.partition("=")[0] for w in argv}}  # noqa: SLF001
    options = [a for a in verb._actions if a.option_strings and a.dest not in {"help", "show_config"}]  # noqa: SLF001
    known, _ = _lenient(verb).parse_known_args([w for w in argv if w.startswith("-") or given])
    for action in sorted(options, key=lambda a: a.dest):
        if action.dest in given:
            source = "command line"
        else:
            source = settings.source if action.dest in settings.values else "default"
        value = getattr(known, action.dest, verb.get_default(action.dest))
        print(f"{action.dest.replace('_', '-')} = {value!r}  ({source})")


def _lenient(verb: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return a parser of the same options that asks for no operand."""
    plain = argparse.ArgumentParser(add_help=False)
    for action in verb._actions:  # noqa: SLF001
        if action.option_strings and action.dest != "help":
            plain._add_action(action)  # noqa: SLF001
    plain.set_defaults(**{a.dest: verb.get_default(a.dest) for a in plain._actions})  # noqa: SLF001
    return plain


def language(argv: Sequence[str]) -> Lang:
    """Return the language to speak: ``--lang``, then the configuration file, then the locale."""
    for i, word in enumerate(argv):
        given = word.partition("=")[2] if word.startswith("--lang=") else (argv[i + 1 : i + 2] or [""])[0]
        if (word == "--lang" or word.startswith("--lang=")) and given in {"ko", "en"}:
            return cast("Lang", given)
    try:
        configured = read().values.get("lang")
    except BadInput:  # told again, in some language, where the verb starts
        configured = None
    if configured in {"ko", "en"}:
        return cast("Lang", configured)
    spoken = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    if not spoken and sys.platform != "linux":
        spoken = locale.getlocale()[0] or ""
    return "ko" if spoken.lower().startswith("ko") else "en"
