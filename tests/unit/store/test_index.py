"""The index of labels: Lucene's scores worked out by its formula, what narrows a search, and the order of equals."""

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeloop.errors import StoreUnavailable
from judgeloop.rdf.terms import Literal, NamedNode, Quad
from judgeloop.rdf.textquery import Hit, Search
from judgeloop.store.index import LabelIndex
from judgeloop.vocab import RDFS_LABEL, SKOS, XSD

E = "http://example.org/"
PREF, ALT, NOTATION = SKOS + "prefLabel", SKOS + "altLabel", SKOS + "notation"


def label(thing: str, text: str, tag: str = "", *, prop: str = RDFS_LABEL, graph: str = "g") -> Quad:
    return Quad(NamedNode(E + thing), NamedNode(prop), Literal(text, language=tag or None), NamedNode(E + graph))


def index(labels: Iterable[Quad]) -> LabelIndex:
    made = LabelIndex("here")
    made.add(labels)
    made.commit()
    return made


def search(text: str, *properties: str, limit: int = 100, **kept: str) -> Search:
    return Search(properties, (text,), limit, **kept)


def names(hits: Iterable[Hit]) -> list[str]:
    return [hit.subject.value.removeprefix(E) for hit in hits]


# --- scores


def pairs(text: str) -> Counter[str]:
    return Counter(text[at : at + 2].lower() for at in range(len(text) - 1))


def bm25(texts: list[str], words: str) -> dict[str, float]:
    """Return the scores of Lucene's BM25Similarity (k1 = 1.2, b = 0.75) for texts of less than 40 pairs."""
    held = {text: pairs(text) for text in texts}
    mean = sum(map(Counter.total, held.values())) / len(texts)
    scores: dict[str, float] = {}
    for pair, boost in pairs(words).items():
        holding = sum(pair in found for found in held.values())
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for text, found in held.items():
            if pair in found:
                norm = 1.2 * (1 - 0.75 + 0.75 * found.total() / mean)
                scores[text] = scores.get(text, 0) + boost * idf * found[pair] / (found[pair] + norm)
    return scores


TEXTS = [
    "9호기",
    "19호기 예비",
    "F0 설비호기",
    "A1 생산라인",
    "A2라인",
    "라인라인 라인",
    "서울",
    "Seoul pump",
    "PUMP pump",
]


@pytest.mark.parametrize("words", ["9호기가", "라인라인", "A1라인", "pump pump", "서울 라인 9호기", "기 A", "없다"])
def test_scores_are_those_of_lucene(words: str) -> None:
    """Pairs run across spaces, a pair that the text repeats counts as often, and case counts for nothing."""
    hits = index(label(f"s{at}", text) for at, text in enumerate(TEXTS)).find(search(words))
    expected = bm25(TEXTS, words)
    assert {hit.literal.value: float(hit.score.value) for hit in hits} == pytest.approx(expected, rel=1e-5)
    order = sorted(expected, key=lambda text: (-float(f"{expected[text]:.5g}"), TEXTS.index(text)))
    assert [hit.literal.value for hit in hits] == order
    assert {hit.score.datatype.value for hit in hits} <= {XSD + "float"}


def test_labels_by_another_property_change_no_score() -> None:
    own = [label(f"s{at}", text) for at, text in enumerate(TEXTS)]
    others = [label(f"o{at}", f"라인 {at}", prop=PREF) for at in range(50)]
    assert index(own + others).find(search("라인")) == index(own).find(search("라인"))


def test_labels_of_another_graph_change_scores_and_no_hit() -> None:
    """Statistics are those of all graphs, on Fuseki too."""
    own = [label(f"s{at}", text) for at, text in enumerate(TEXTS)]
    others = [label(f"o{at}", f"라인 {at}", graph="h") for at in range(50)]
    alone, beside = (index(held).find(search("A2라인", graph=E + "g")) for held in (own, own + others))
    assert sorted(names(alone)) == sorted(names(beside))
    assert alone != beside


@pytest.mark.parametrize("gone", [1, 20, 200])
def test_labels_that_are_gone_hardly_change_a_score(gone: int) -> None:
    own = [label(f"s{at}", text) for at, text in enumerate(TEXTS * 9)]
    others = [label(f"o{at}", "라인 펌프 라인 라인") for at in range(gone)]
    made = index(own + others)
    made.remove(others)
    made.commit()
    assert Counter(made.labels()) == Counter(own)
    exact = {h.subject: float(h.score.value) for h in index(own).find(search("9호기 A2라인"))}
    found = {h.subject: float(h.score.value) for h in made.find(search("9호기 A2라인"))}
    assert found == pytest.approx(exact, rel=0.1 if gone == 1 else 1e-5)


def test_a_graph_that_was_alone_is_asked_for_once_it_is_not() -> None:
    made = index([label("a", "9호기")])
    assert names(made.find(search("9호기", graph=E + "g"))) == ["a"]
    assert names(made.find(search("9호기", graph=E + "h"))) == []
    made.add([label("b", "9호기", graph="h")])
    made.commit()
    assert names(made.find(search("9호기", graph=E + "g"))) == ["a"]
    assert names(made.find(search("9호기", graph=E + "h"))) == ["b"]
    made.drop(E + "g")
    made.commit()
    assert names(made.find(search("9호기", graph=E + "g"))) == []
    assert names(made.find(search("9호기"))) == ["b"]


# --- what is searched

NAMED = [
    label("a", "서울", "ko"),
    label("b", "서울"),
    label("c", "서울", "ko-kr"),
    label("d", "서울", "ko", graph="h"),
    label("e", "서울역", "ko", prop=PREF),
    label("f", "서울 별명", "ko", prop=ALT),
    label("g", "서울-01", prop=NOTATION),
]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (search("서울"), "abcd"),
        (search("서울", RDFS_LABEL), "abcd"),
        (search("서울", PREF), "e"),
        (search("서울", ALT, PREF, ALT), "ef"),
        (search("서울", NOTATION), ""),
        (search("서울-01", NOTATION), "g"),
        (search("서울-01", NOTATION, PREF), "eg"),
        (search("서울", "http://example.org/other"), ""),
        (search("서울", "http://example.org/other", PREF), "e"),
        (search("서울", language="ko"), "ad"),
        (search("서울", language="KO"), "ad"),
        (search("서울", language="ko-KR"), "c"),
        (search("서울", language="none"), "b"),
        (search("서울", language="en"), ""),
        (search("서울", graph=E + "h"), "d"),
        (search("서울", graph=E + "none"), ""),
        (search("서울", graph=E + "g", language="ko"), "a"),
        (search("서울", subject=E + "c"), "c"),
        (search("서울", subject=E + "c", limit=1), "c"),
        (search("서울", subject=E + "none"), ""),
        (search("울"), ""),
        (search(""), ""),
        (search("서울", limit=0), ""),
        (Search((), ("울", "부산", "서울"), 9), "abcd"),
    ],
)
def test_a_search_is_narrowed(asked: Search, found: str) -> None:
    assert "".join(sorted(names(index(NAMED).find(asked)))) == found


def test_a_hit_is_the_label_as_written() -> None:
    (hit,) = index([label("a", 'E\u0301 "서울"\n', "ko-KR")]).find(search("서울"))
    assert hit[2:] == (Literal('E\u0301 "서울"\n', language="ko-KR"), NamedNode(E + "g"), NamedNode(RDFS_LABEL))
    assert hit.subject == NamedNode(E + "a")


@pytest.mark.parametrize("text", ["AB-9", "aB-9", "ab-9", " AB-9"])
def test_a_notation_is_compared_as_a_whole(text: str) -> None:
    found = index([label("a", "Ab-9", prop=NOTATION)]).find(search(text, NOTATION))
    assert names(found) == (["a"] if text.strip() == text else [])


# --- order


def test_equals_come_in_the_order_of_subject_and_label_whatever_the_order_of_writing() -> None:
    equals = [label(f"s{at:03}", text, tag) for at in range(60) for text, tag in (("펌프", "ko"), ("펌프", ""))]
    for held in (equals, equals[::-1], equals[30:] + equals[:30]):
        made = LabelIndex("here")
        for at in range(0, len(held), 50):  # several segments
            made.add(held[at : at + 50])
            made.commit()
        for limit in (1, 7, 60, 120, 1000):
            hits = made.find(search("펌프", limit=limit))
            assert [(h.subject, h.literal) for h in hits] == sorted(
                [(q.subject, q.object) for q in equals], key=lambda pair: [str(part) for part in pair]
            )[:limit]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text("가나다 ab", min_size=2, max_size=6), min_size=1, max_size=40), st.text("가나다 ab", max_size=6)
)
def test_a_limit_keeps_the_first(texts: list[str], words: str) -> None:
    made = index(label(f"s{at:02}", text) for at, text in enumerate(texts))
    hits = made.find(search(words))
    assert [-float(h.score.value) for h in hits] == sorted(-float(h.score.value) for h in hits)
    assert {h.subject.value for h in hits} == {
        f"{E}s{at:02}" for at, text in enumerate(texts) if pairs(text).keys() & pairs(words).keys()
    }
    for limit in (1, 3, 10):
        assert made.find(search(words, limit=limit)) == hits[:limit]


# --- writing


def test_labels_go_and_come_one_by_one_and_by_graph() -> None:
    made = index(NAMED)
    made.remove([NAMED[0], label("a", "서울", "en"), label("a", "서울", "ko", graph="h")])
    made.drop(E + "h")
    made.add([label("a", "서울", "en")])
    assert len(list(made.labels())) == len(NAMED)  # before the commit nothing shows
    made.commit()
    assert set(made.labels()) == {*NAMED[1:3], *NAMED[4:], label("a", "서울", "en")}
    assert names(made.find(search("서울"))) == ["a", "b", "c"]


def test_a_label_that_goes_and_comes_in_one_step_is_there_once() -> None:
    made = index(NAMED)
    made.remove(NAMED)
    made.add(NAMED)
    made.commit()
    assert Counter(made.labels()) == Counter(NAMED)


@settings(max_examples=30, deadline=None)
@given(st.text(min_size=2, max_size=30).filter(lambda t: "\x00" not in t))
def test_any_text_is_held_as_it_is_and_found(text: str) -> None:
    made = index([label("a", text, "en"), label("a", text), label("a", text, prop=NOTATION)])
    assert Counter(made.labels()) == Counter(
        [label("a", text, "en"), label("a", text), label("a", text, prop=NOTATION)]
    )
    assert len(made.find(search(text))) == 2
    assert len(made.find(search(text, NOTATION))) == 1


def test_an_index_in_a_folder_is_the_same_when_it_is_opened_again(tmp_path: Path) -> None:
    made = LabelIndex("here", tmp_path / "labels")
    made.add(NAMED)
    made.commit()
    again = LabelIndex("here", tmp_path / "labels")
    assert Counter(again.labels()) == Counter(NAMED)
    assert again.find(search("서울")) == made.find(search("서울")) == index(NAMED).find(search("서울"))


def test_a_broken_index_says_so(tmp_path: Path) -> None:
    made = LabelIndex("here", tmp_path / "labels")
    made.add(NAMED)
    made.commit()
    (tmp_path / "labels" / "label" / "meta.json").write_text("rubbish")
    with pytest.raises(StoreUnavailable) as told:
        LabelIndex("here", tmp_path / "labels")
    assert (told.value.key, told.value.exit_code) == ("text-index-behind", 5)
    assert told.value.text("en").startswith("here: the text index can't be brought up to date (")
    assert told.value.text("ko").startswith("here: 글 찾기 색인을 데이터에 맞출 수 없어 (")
