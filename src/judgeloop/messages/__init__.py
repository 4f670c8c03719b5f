"""Every sentence that people read, in Korean and English, by key."""

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Final, Literal

from judgeloop.messages import en, ko

Lang = Literal["ko", "en"]
LANGS: Final[tuple[Lang, ...]] = ("en", "ko")
LONGEST: Final = 500
"""Characters of one value that a sentence shows."""
_TABLES: Final = {"en": en.MESSAGES, "ko": ko.MESSAGES}


class _Given(Formatter):
    """Fills the names that are given; a value is text and never a format of its own."""

    def get_field(self, field_name: str, args: object, kwargs: object) -> tuple[object, str]:  # noqa: ARG002 - Formatter's signature
        """Return the named value only: no attribute or index access from a template."""
        assert isinstance(kwargs, dict)  # noqa: S101 - Formatter always hands a dict here
        return kwargs[field_name], field_name


def render(key: str, lang: Lang = "en", **params: object) -> str:
    """Return the sentence ``key`` in ``lang``.

    A value that is a sentence in every language (`both`) is given in ``lang`` too. Other texts come from files: what
    can't be seen in them is escaped, and `LONGEST` cuts them.

    Raises:
        KeyError: no such message, or a value that the sentence needs is missing.
    """
    return _Given().vformat(_TABLES[lang][key], (), {name: _visible(value, lang) for name, value in params.items()})


def each(say: Callable[[Lang], str]) -> dict[str, str]:
    """Return what ``say`` gives in every language."""
    return {lang: say(lang) for lang in LANGS}


def both(key: str, **params: object) -> dict[str, str]:
    """Return the sentence in every language, for graphs that carry no language of their own."""
    return each(lambda lang: render(key, lang, **params))


def visible(text: str) -> str:
    """Return ``text`` with escapes for what can't be seen in it and might steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _visible(value: object, lang: Lang) -> object:
    if isinstance(value, Mapping):
        return value.get(lang, value)
    if not isinstance(value, str) or (value.isprintable() and len(value) <= LONGEST):
        return value
    shown = visible(value[:LONGEST])
    return shown if len(value) <= LONGEST else shown + "…"
