"""From names in Korean and English texts to things; the table is the one that the choice of the index rests on."""

import pytest

from judgeloop.errors import BadInput
from judgeloop.rdf.rq import bind
from judgeloop.rdf.terms import Literal, NamedNode, Triple, quads
from judgeloop.store import Store
from judgeloop.store.lookup import mentioned, things
from judgeloop.store.world import shipped
from judgeloop.vocab import RDFS_LABEL, SKOS

E = "http://example.org/"
KG, OTHER = E + "kg", E + "other"
LABELS = {
    "홍길동": "hong",
    "홍길순": "soon",
    "에이크미": "acme",
    "8호기": "unit8",
    "9호기": "unit9",
    "19호기": "unit19",
    "F0 설비호기": "f0",
    "A1 생산라인": "line1",
    "A2라인": "line2",
    "A186 라인라인": "line186",
    "서울": "seoul",
    "서울대학교": "snu",
    "설": "seol",
    "Cooling Pump": "pump",
}
MORE = [
    ("line1", SKOS + "altLabel", "A1라인", "ko"),
    ("line1", SKOS + "notation", "L-A1", ""),
    ("pump", SKOS + "prefLabel", "냉각 펌프", "ko"),
    ("pump2", SKOS + "prefLabel", "냉각 펌프", ""),
]
TABLE = {
    "홍길동이": "hong",
    "홍길동은": "hong",
    "에이크미가": "acme",
    "9호기가": "unit9",
    "A1 생산라인의": "line1",
    "A2라인에": "line2",
    "서울에": "seoul",
    "9호기": "unit9",
    "Cooling Pump's": "pump",
    "cooling pump": "pump",
}


def triple(thing: str, prop: str, text: str, tag: str) -> Triple:
    return Triple(NamedNode(E + thing), NamedNode(prop), Literal(text, language=tag or None))


@pytest.fixture
def filled(store: Store) -> Store:
    held = [triple(thing, RDFS_LABEL, text, "en" if text.isascii() else "ko") for text, thing in LABELS.items()]
    store.put_once({KG: held, OTHER: [triple("elsewhere", RDFS_LABEL, "부산", "ko")]})
    return store


def best(store: Store, words: str) -> set[str]:
    """Return the things whose labels share most with ``words``."""
    rows = list(store.select(bind(shipped("retrieve/label_search.rq"), {"graph": KG, "words": words})).texts())
    return {row["thing"].removeprefix(E) for row in rows if row["score"] == rows[0]["score"]}


def named(store: Store, name: str) -> set[str]:
    return {thing.removeprefix(E) for thing in things(store, name, KG)}


def test_a_name_with_a_particle_comes_first_and_names_its_thing(filled: Store) -> None:
    assert {words: best(filled, words) for words in TABLE} == {words: {thing} for words, thing in TABLE.items()}
    assert {words: named(filled, words) for words in TABLE} == {words: {thing} for words, thing in TABLE.items()}


def test_what_is_only_similar_is_found_and_names_nothing(filled: Store) -> None:
    """길동 is a part of a name, A1라인 an abbreviation, and 7호기, 29호기 and 호기 are other names."""
    assert best(filled, "길동") == {"hong"}
    assert "unit8" in best(filled, "7호기")
    for name in (
        "길동",
        "A1라인",
        "7호기",
        "29호기",
        "호기",
        "9호",
        "설비호기",
        "서울대",
        "서울대학",
        "A1 생산",
        "Pump",
    ):
        assert named(filled, name) == set(), name


def test_one_name_is_never_another(filled: Store) -> None:
    for number, thing in (("8", "unit8"), ("9", "unit9"), ("19", "unit19")):
        for particle in ("", "가", "를", "에서", "에는"):
            assert named(filled, f"{number}호기{particle}") == {thing}
    assert named(filled, "서울대학교의") == {"snu"}
    assert named(filled, "서울의") == {"seoul"}


def test_a_name_of_one_character_is_found_by_its_whole_label(filled: Store) -> None:
    assert named(filled, "설") == {"seol"}
    assert named(filled, "설에") == {"seol"}
    assert named(filled, "설설") == set()


def test_other_properties_name_things_too(filled: Store) -> None:
    filled.put_once({}, quads(KG, [triple(*row) for row in MORE]))
    assert named(filled, "A1라인에서") == {"line1"}
    assert named(filled, "l-a1") == {"line1"}
    assert named(filled, "냉각펌프가") == {"pump", "pump2"}  # which one, the name does not say


def test_a_text_names_several_things_where_they_stand(filled: Store) -> None:
    text = "설에 9호기가 멈췄고, A1 생산라인의 「F0 설비호기」와 A2라인에 있던 홍길동이 부산에서 서울로 갔다."
    found = [(m.surface, {t.removeprefix(E) for t in m.things}) for m in mentioned(filled, text, KG)]
    assert found == [
        ("설", {"seol"}),
        ("9호기", {"unit9"}),
        ("A1 생산라인", {"line1"}),
        ("F0 설비호기", {"f0"}),
        ("A2라인", {"line2"}),
        ("홍길동", {"hong"}),
        ("서울", {"seoul"}),
    ]


def test_decomposed_text_is_read_as_composed(filled: Store) -> None:
    assert named(filled, "\u1112\u1169\u11bc\u1100\u1175\u11af\u1103\u1169\u11bc\u110b\u1175") == {"hong"}


@pytest.mark.parametrize("name", ["", " ", "?", "!" * 500, "\u2028", '"""', ") OR label:(9호기", "가" * 500])
def test_what_names_nothing_names_nothing(filled: Store, name: str) -> None:
    assert named(filled, name) == set()
    assert {t for m in mentioned(filled, name, KG) for t in m.things} <= {E + "unit9"}


def test_a_character_that_can_not_be_searched_for_is_told(filled: Store) -> None:
    with pytest.raises(BadInput) as told:
        named(filled, "9호\x00기")
    assert told.value.key == "text-query-characters"
