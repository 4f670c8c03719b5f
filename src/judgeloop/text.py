"""Written names: their NFC form, their search key, and where a text speaks of them.

A name is looked up by its whole key, never by a part of a word: "서울대" does not speak of 서울, and "9호기가"
speaks of 9호기 and not of 호기. What follows a name within a Korean word has to be one particle of a closed list.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote

_PLAIN: Final = """
    이 가 은 는 을 를 의 에 에서 에게 에게서 한테 께 께서 로 으로 와 과 랑 이랑 도 만 까지 부터 보다 처럼 마다
    밖에 조차 이나 나 이란 란 이라는 라는 이고 이며 이야 야 이니 이에요 예요 입니다 인가 인가요 이다
"""
_STACKED: Final = """
    에서는 에서도 에서의 에서만 에서부터 에서까지 에는 에도 에만 에의 에게는 에게도 에게만 에게로 에게서는
    한테는 한테도 한테서 께서는 께서도 로는 로도 로의 로만 로서 로써 로부터 로부터의
    으로는 으로도 으로의 으로만 으로서 으로써 으로부터 으로부터의 까지는 까지도 까지의 까지만 부터는 부터도 부터의
    와는 와도 와의 과는 과도 과의 랑은 이랑은 만은 만을 만이 만의 만도 보다는 보다도 조차도
    이라고 라고 이라고는 라고는 이라도 라도
"""
PARTICLES: Final = tuple(sorted({*_PLAIN.split(), *_STACKED.split()}, key=lambda p: (-len(p), p)))
"""Everything that may follow a name within one Korean word, longest first."""
_POSSESSIVES: Final = ("'s", "’s")  # noqa: RUF001 - both are typed
_TAILS: Final[Mapping[str, tuple[str, ...]]] = {
    last: tuple(tail for tail in (*PARTICLES, *_POSSESSIVES) if tail[-1] == last)
    for last in {tail[-1] for tail in (*PARTICLES, *_POSSESSIVES)}
}

# --- the search key
_ARAEA: Final = "\u318d"  # typed as a middle dot in Korean; NFKC would make it a vowel, so it goes first
_INVISIBLE: Final = (
    r"\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef"
)
_MIDDLE_DOTS: Final = "·•‧∙⋅・"
_QUOTES: Final = "\"'`‘’‚‛“”„‟«»‹›〝〞〟"  # noqa: RUF001
_BRACKETS: Final = "()[]{}〈〉《》「」『』【】〔〕〖〗〘〙〚〛"  # noqa: RUF001
_DASHES: Final = "\\-\u058a\u2010-\u2015\u2043\u2212\u30a0"
_STOPS: Final = ",.、。،"
_UNSEEN: Final = re.compile(f"[{_INVISIBLE}]+")
_COMPANY: Final = re.compile(r"\([주유]\)|주식회사|유한회사")
_DROPPED: Final = re.compile(f"[{_MIDDLE_DOTS}{_QUOTES}{re.escape(_BRACKETS)}{_DASHES}{_STOPS}]+")

# --- words
_BREAKS: Final = f"?!;:…？！；：，．（）［］｛｝—―{_ARAEA}{_MIDDLE_DOTS}{_QUOTES}{_BRACKETS}{_STOPS}"  # noqa: RUF001
_MARK: Final = r"[(（]\s?[주유]\s?[)）]"  # noqa: RUF001 - full-width brackets are common in Korean text
_INSIDE: Final = r"(?<=\d)[.·](?=\d)|(?<=\d),(?=\d{3}(?!\d))|(?<=\w)['’](?=[A-Za-zÀ-ɏ])"  # noqa: RUF001
_TOKEN: Final = re.compile(rf"(?:[^\s{re.escape(_BREAKS)}]+|{_MARK}|{_INSIDE})+")
_PAIRS: Final = dict(zip(")]}）］｝〉》」』】〕", "([{（［｛〈《「『【〔", strict=True))  # noqa: RUF001
_CLOSERS: Final = frozenset({*_PAIRS, *"\"'’”»"})  # noqa: RUF001
_FINAL: Final = ("!", "?")
_SHORTEST: Final = 2  # a word of one character says too little to be reported as unknown

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CAPITALISED: Final = re.compile(r"[A-Z][a-z]*")


class Span(NamedTuple):
    """One word of an NFC text."""

    start: int
    end: int
    text: str


class Mention(NamedTuple):
    """A place in an NFC text that speaks of one or several things by a name that they bear."""

    start: int
    end: int
    surface: str
    key: str
    things: frozenset[str]
    """More than one: the name alone does not say which."""


def nfc(text: str) -> str:
    """Return ``text`` with every letter composed, so that decomposed Hangul equals composed."""
    return unicodedata.normalize("NFC", text)


def key(text: str) -> str:
    """Return what two spellings of one name have in common; "" when nothing is left, which never matches.

    Compatibility forms and case are folded (NFKC, casefold). White space, zero-width characters, quotes, brackets,
    hyphens, middle dots, commas, full stops and the Korean company marks are dropped; every other symbol counts.
    ``key(key(x)) == key(x)``.

    Does not establish: that two names of one key are one thing ("U.S." and "us" share theirs).
    """
    while (folded := _fold(text)) != text:  # what was dropped may have parted a letter or a mark
        text = folded
    return text


def stems(token: str) -> Iterator[str]:
    """Yield the word as written, then without one particle (longest first) or possessive, never empty."""
    yield token
    for tail in _TAILS.get(token[-1:], ()):
        if len(token) > len(tail) and token.endswith(tail):
            yield token[: -len(tail)]


def tokens(text: str) -> list[Span]:
    """Return the words of the NFC form of ``text``, with offsets into that form.

    Words end at white space and at sentence punctuation, quotes, brackets and middle dots. Kept inside a word: hyphens,
    the apostrophe before a Latin letter, a point or middle dot between digits, a thousands comma, and "(주)" or "(유)"
    that touches it.
    """
    return [Span(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(nfc(text))]


def mentions(text: str, lexicon: Mapping[str, frozenset[str]], longest: int | None = None) -> list[Mention]:
    """Return the names of ``lexicon`` (key → things) that ``text`` speaks of: leftmost, longest, never overlapping.

    A mention is a run of whole words whose key is in the lexicon, as written or else without one particle of its last
    word. ``longest`` is the length of the lexicon's longest key, for callers that know it; None measures it.

    Does not establish: that the text says anything true of the thing, or which of several ``things`` is meant.
    """
    text = nfc(text)
    words = _read(text)
    limit = max(map(len, lexicon), default=0) if longest is None else longest
    found: list[Mention] = []
    at = 0
    while at < len(words):
        after, mention = _longest_at(at, text, words, lexicon, limit)
        if mention is not None:
            found.append(mention)
        at = after
    return found


def unmatched(text: str, found: Iterable[Mention]) -> list[tuple[Span, tuple[str, ...]]]:
    """Return the words that no mention touches, each with the keys of its stems that have at least two characters.

    A particle that only a closing quote or bracket parts from its name is no word of its own.
    """
    text = nfc(text)
    taken = sorted((m.start, m.end) for m in found)
    at = 0
    left: list[tuple[Span, tuple[str, ...]]] = []
    for word in tokens(text):
        while at < len(taken) and taken[at][1] <= word.start:
            at += 1
        if (at < len(taken) and taken[at][0] < word.end) or _is_loose_particle(text, word):
            continue
        keys = dict.fromkeys(k for _, k in _endings(word.text) if len(k) >= _SHORTEST)
        if keys:
            left.append((word, tuple(keys)))
    return left


def label_of(iri: str) -> str:
    """Return the local name of ``iri`` as words: percent-decoded, camelCase and "_" taken apart."""
    whole = iri.rstrip("/#")
    local = nfc(unquote(re.split(r"[/#]" if "/" in whole else r"[/#:]", whole)[-1]))
    words = [word for part in local.split("_") for word in _camel_words(part)]
    return " ".join(words) or iri


def _fold(text: str) -> str:
    """Return one round of folding and dropping."""
    text = unicodedata.normalize("NFKC", text.replace(_ARAEA, "")).casefold()
    return _DROPPED.sub("", _COMPANY.sub("", _UNSEEN.sub("", unicodedata.normalize("NFKC", text))))


@lru_cache(maxsize=2**15)  # the same words come again in every chunk of a world
def _endings(word: str) -> tuple[tuple[int, str], ...]:
    """Return how a name may end in ``word``, longest first: its length and its key; nothing for a company mark."""
    whole = key(word)
    rest = ((len(stem), key(stem)) for stem in reversed(list(stems(word))[1:]))
    return ((len(word), whole), *(r for r in rest if r[1])) if whole else ()


class _Word(NamedTuple):
    """A word as the search for names needs it."""

    start: int
    gap: str
    """What of the text since the word before counts in a key."""
    key: str
    endings: tuple[tuple[int, str], ...]
    begins: bool
    """False where no name begins: a company mark, a particle that a quote parts from its name."""


def _read(text: str) -> list[_Word]:
    words: list[_Word] = []
    before = 0
    for span in tokens(text):
        start, end, word = span
        gap = text[before:start]
        endings = _endings(word)
        whole = endings[0][1] if endings else ""
        if whole and text[end : end + 1] in _FINAL:  # some names end in one
            endings = ((len(word) + 1, whole + text[end]), *endings)
        begins = bool(whole) and not (gap != " " and _is_loose_particle(text, span))
        words.append(_Word(start, "" if gap == " " else key(gap), whole, endings, begins))
        before = end
    return words


def _longest_at(
    first: int, text: str, words: list[_Word], lexicon: Mapping[str, frozenset[str]], limit: int
) -> tuple[int, Mention | None]:
    """Return where to look on, and the longest mention that begins with the word ``first``."""
    best: Mention | None = None
    after = first + 1
    start, _, joined, _, begins = words[first]
    before = ""
    for last in range(first, len(words)):
        if last > first:
            before = joined + words[last].gap
            joined = before + words[last].key
        if not begins or len(before) >= limit:
            break
        for size, ending in words[last].endings:
            if things := lexicon.get(before + ending):
                end = _with_closer(text, start, words[last].start + size)
                best = Mention(start, end, text[start:end], before + ending, things)
                after = last + 1
                break
    return after, best


def _with_closer(text: str, start: int, end: int) -> int:
    """Return ``end``, behind the closing bracket where the mention holds the opening one."""
    closer = text[end : end + 1]
    opener = _PAIRS.get(closer)
    inside = text[start:end]
    return end + 1 if opener and inside.count(opener) > inside.count(closer) else end


def _is_loose_particle(text: str, word: Span) -> bool:
    at = word.start
    while text[at - 1 : at] in _CLOSERS:
        at -= 1
    named = text[at - 1 : at]
    return at < word.start and bool(named.strip()) and named not in _BREAKS and word.text in PARTICLES


def _camel_words(part: str) -> list[str]:
    first, *rest = _CAMEL.split(part)
    return [w for w in (first, *(r.lower() if _CAPITALISED.fullmatch(r) else r for r in rest)) if w]
