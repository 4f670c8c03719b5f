"""Defaults from ``judgeloop.toml`` or ``[tool.judgeloop]`` of ``pyproject.toml``; the command line wins."""

import argparse
import json
import locale
import os
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

from judgeloop.cli.parsing import Parser
from judgeloop.errors import BadInput
from judgeloop.messages import LANGS, Lang, render

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
_AT: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True)
class Settings:
    """What a configuration file says, and which file it was."""

    values: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


def read(folder: Path | None = None) -> Settings:
    """Return the settings of the folder (the working folder unless given).

    Raises:
        BadInput: the file can't be read, is no TOML, or holds a key or a value that no verb knows.
    """
    here = folder or Path.cwd()
    for path, tables in ((here / "judgeloop.toml", ()), (here / "pyproject.toml", ("tool", "judgeloop"))):
        if not path.is_file():
            continue
        found: Any = _toml(path)
        for name in tables:
            found = found.get(name, {})
            if not isinstance(found, dict):
                raise BadInput("config-value", place=str(path), name=name, type="table")
        if found:
            return Settings({_key(k): _checked(k, v, path) for k, v in found.items()}, str(path))
    return Settings()


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput("not-utf8", place=str(path), offset=error.start) from None
    except OSError as error:
        raise BadInput("file-unreadable", place=str(path), why=error.strerror) from None
    except tomllib.TOMLDecodeError as error:
        why = str(error)
        at = _AT.search(why)
        place = f"{path}:{at[1]}:{at[2]}" if at else str(path)
        raise BadInput("config-syntax", place=place, why=_AT.sub("", why)) from None


def _key(name: str) -> str:
    return name.replace("-", "_")


def _checked(name: str, value: object, path: Path) -> object:
    wanted = KEYS.get(_key(name))
    if wanted is None:
        raise BadInput("config-key", place=str(path), name=name, known=", ".join(KEYS).replace("_", "-"))
    texts = not isinstance(value, list) or all(isinstance(item, str) for item in value)
    if not isinstance(value, wanted) or not texts:
        kind = {str: "string", list: "list of strings", bool: "true | false"}[wanted]
        raise BadInput("config-value", place=str(path), name=name, type=kind)
    return value


def apply(verbs: Mapping[str, Parser], settings: Settings) -> None:
    """Make the settings the defaults of every verb that has such an option and knows such a value.

    Raises:
        BadInput: a value that none of the verbs knows.
    """
    for key, value in settings.values.items():
        options = [a for verb in verbs.values() for a in verb._actions if a.dest == key and a.option_strings]  # noqa: SLF001 - argparse has no public way
        knowing = [a for a in options if a.choices is None or value in a.choices]
        if not knowing:
            known = ", ".join(dict.fromkeys(choice for a in options for choice in a.choices or ()))
            raise BadInput("cli-choice", place=settings.source, name=key, value=repr(value), known=known)
        for action in knowing:
            action.default = value


def show(verb: Parser, argv: Sequence[str], settings: Settings, lang: Lang) -> None:
    """Print each option of a verb with the value that holds and where it came from."""
    plain = Parser(prog=verb.prog, lang=lang)
    options = [a for a in verb._actions if a.option_strings and a.dest not in {"help", "show_config"}]  # noqa: SLF001
    for action in options:
        plain._add_action(action)  # noqa: SLF001
    unset = object()
    given, _ = plain.parse_known_args(argv, argparse.Namespace(**{a.dest: unset for a in options}))
    for action in sorted(options, key=lambda a: a.dest):
        value, source = getattr(given, action.dest), "command line"
        if value is unset:
            value = action.default
            set_there = action.dest in settings.values and value == settings.values[action.dest]
            source = settings.source if set_there else ("locale" if action.dest == "lang" else "default")
        told = source if source == settings.source else render(f"cli-from-{source.replace(' ', '-')}", lang)
        print(f"{action.dest.replace('_', '-')} = {json.dumps(value, ensure_ascii=False)}  ({told})")


def language(argv: Sequence[str]) -> Lang:
    """Return the language to speak: ``--lang`` (the last one), then the configuration file, then the locale."""
    for word, after in reversed([*pairwise([*argv, ""])]):
        given = word.partition("=")[2] if word.startswith("--lang=") else after
        if (word == "--lang" or word.startswith("--lang=")) and given in LANGS:
            return given
    try:
        configured = read().values.get("lang")
    except BadInput:  # told again, in some language, where the verb starts
        configured = None
    if configured in LANGS:
        return cast("Lang", configured)
    spoken = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    if not spoken and sys.platform != "linux":
        spoken = locale.getlocale()[0] or ""
    return "ko" if spoken.lower().startswith("ko") else "en"
