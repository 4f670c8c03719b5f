"""From names in a text to things: what a search finds is only looked at, and whole names decide.

A search by pairs of characters finds much that is only similar ("9호기가" finds 설비호기, too). So a thing counts as
named only where its whole label, folded as `judgeloop.text.key` does, begins the word or words of the text, and nothing
or one particle of a closed list follows. No score and no rank decides anything.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from judgeloop.rdf.lucene import LONGEST, SHORTEST
from judgeloop.rdf.rq import bind
from judgeloop.store import Store
from judgeloop.store.labels import FIELDS, NOTATION
from judgeloop.store.world import shipped
from judgeloop.text import Mention, key, mentions, nfc, stems, tokens

_WINDOW: Final = 6
"""Words of a text that are searched for together, for names of several words."""
_SINGLE: Final = 1


def things(store: Store, name: str, graph: str) -> frozenset[str]:
    """Return the things in ``graph`` that ``name`` names as a whole, as written or else without one particle.

    None: nothing there has that name. Several: the name does not say which.

    Raises:
        BadInput: a character that no text can be searched for.
        StoreUnavailable: the store can't search now, so nothing is known.
    """
    name = nfc(name).strip()
    found = _lexicon(store, name, graph)
    return next((found[k] for k in map(key, stems(name)) if k in found), frozenset())


def mentioned(store: Store, text: str, graph: str) -> list[Mention]:
    """Return where ``text`` names things of ``graph``: leftmost, longest, never overlapping; errors as for `things`.

    Does not establish: that a name of many words was found in a graph where more than 20 labels share most of it.
    """
    text = nfc(text)
    return mentions(text, _lexicon(store, text, graph))


def _lexicon(store: Store, text: str, graph: str) -> dict[str, frozenset[str]]:
    """Return search key → things, for the labels of a graph that have something in common with the text."""
    words = list(dict.fromkeys(span.text for span in tokens(text)))
    endings = list(dict.fromkeys(stem for word in words for stem in stems(word)))
    asked = [
        ("label_search_by.rq", prop, piece) for prop in FIELDS if prop != NOTATION for piece in _pieces(text, words)
    ]
    asked += [("label_search_by.rq", NOTATION, stem) for stem in endings if SHORTEST <= len(stem) <= LONGEST]
    asked += [("label_exact.rq", "", stem) for stem in endings if len(stem) == _SINGLE]
    found: dict[str, set[str]] = defaultdict(set)
    for query, prop, words_of in asked:
        values = {"graph": graph, "property": prop, "words": words_of} if prop else {"graph": graph, "name": words_of}
        for row in store.select(bind(shipped(f"retrieve/{query}"), values)).texts():
            found[key(row["label"])].add(row["thing"])
    found.pop("", None)
    return {k: frozenset(v) for k, v in found.items()}


def _pieces(text: str, words: Iterable[str]) -> Iterator[str]:
    """Give what to search for: each word, and the words of each stretch of the text."""
    spans = tokens(text)
    stretches = [
        text[spans[at].start : spans[min(at + _WINDOW, len(spans)) - 1].end]
        for at in range(0, max(len(spans) - _WINDOW // 2, 1), _WINDOW // 2)
        if spans
    ]
    yield from dict.fromkeys(piece[:LONGEST] for piece in (*stretches, *words) if len(piece) >= SHORTEST)
