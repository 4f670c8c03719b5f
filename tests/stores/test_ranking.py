"""The same labels in every store are found in the same order, whichever engine searches them."""

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from judgeloop import assets
from judgeloop.rdf.rq import bind, parse
from judgeloop.store import Rows, Store, open_store
from judgeloop.vocab import RDFS_LABEL, SKOS

if TYPE_CHECKING:
    from tests.conftest import Fuseki

E: Final = "http://example.org/"
G, H = E + "g", E + "h"
CASES: Final = {
    "홍길동이": "홍길동",
    "홍길동은": "홍길동",
    "에이크미가": "에이크미",
    "9호기가": "9호기",
    "A1 생산라인의": "A1 생산라인",
    "A2라인에": "A2라인",
    "서울에": "서울",
    "길동": "홍길동",
}
"""What is said of a label, and the label that comes first."""
NAMES: Final = (*dict.fromkeys(CASES.values()), "에이크미 주식회사", "정지한 9호기")
PARTICLES: Final = ("이", "가", "은", "는", "을", "에", "에서", "의")
KOREAN: Final = ("생산", "품질", "설비", "공정", "조립", "검사", "포장", "도장", "용접", "가공", "물류", "창고", "압연")
ENGLISH: Final = ("alpha", "steel", "pump", "valve", "motor", "line", "plant", "sensor", "frame", "press")
NUMBER: Final = 240

pytestmark = pytest.mark.needs("fuseki")


def labels(seed: int) -> list[str]:
    """Return names of people, lines, machines and parts: few syllables, so that many share pairs of characters."""
    one = random.Random(seed).choice  # noqa: S311 - the same names every time
    kinds = (
        lambda: f"{one('김이박최정강조윤')}{one('길민서수영은')}{one('동아우진희')} {one(KOREAN)}팀",
        lambda: f"{one('ABCDEFG')}{one(range(99))} {one(KOREAN)}{one(['라인', '호기', '공장'])}",
        lambda: f"{one(range(1, 40))}호기 {one(KOREAN)} {one(ENGLISH)}",
        lambda: f"{one(ENGLISH).title()} {one(ENGLISH)} {one(range(999))}",
    )
    made = dict.fromkeys(NAMES)
    while len(made) < NUMBER:
        made[kinds[len(made) % 4]()] = None
    return list(made)


def questions(names: list[str]) -> list[str]:
    one = random.Random(7).choice  # noqa: S311 - as above
    made = dict.fromkeys([*CASES, "A1라인", "PUMP", "steel valve", "호기", "호기호기", "(주) 9호기", "9호기: 정지?"])
    while len(made) < 60:
        ending = one(["", *PARTICLES, " 불량 원인을 확인해줘", " and its motor"])
        made[one(names) + ending] = None
    return list(made)


def triples(names: list[str], prop: str = RDFS_LABEL) -> list[Triple]:
    """Return the labels in another order than that of their things, which engines would keep among equal ones."""
    tags = ("ko", None, "en", "ko-kr")
    made = [
        Triple(NamedNode(f"{E}{at:03d}"), NamedNode(prop), Literal(name, language=tags[at % 4]))
        for at, name in enumerate(names)
    ]
    random.Random(3).shuffle(made)  # noqa: S311 - as above
    return made


@pytest.fixture(scope="module")
def both(
    run_fuseki: "Callable[[Path], AbstractContextManager[Fuseki]]", tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Store, Store]]:
    """Give an embedded store and one on Fuseki that hold the same: labels of two graphs, and of two properties.

    The server is a new one: what was in an index before goes on counting in its scores.
    """
    held = {G: triples(labels(11)) + triples(labels(5), SKOS + "altLabel"), H: triples(labels(12)[:100])}
    with (
        pytest.MonkeyPatch.context() as patch,
        run_fuseki(tmp_path_factory.mktemp("ranking")) as fuseki,
        open_store() as embedded,
    ):
        fuseki.be_writer(patch)
        with open_store(fuseki.write) as server:
            for store in (embedded, server):
                store.put_once(held)
            yield embedded, server


def ask(store: Store, name: str, **values: str) -> Rows:
    file = assets.find(f"sparql/retrieve/{name}.rq", [assets.root()])
    return store.select(bind(parse(assets.read(file).decode(), file.name), values))


def ordered(rows: Rows) -> list[tuple[str, str]]:
    return [(row["thing"], row["label"]) for row in rows.texts()]


@pytest.mark.parametrize("graph", [G, H])
def test_what_is_found_and_in_which_order_is_the_same(both: tuple[Store, Store], graph: str) -> None:
    asked = questions(labels(11))
    assert len(asked) == 60
    differ, found = {}, 0
    for words in asked:
        here, there = (ordered(ask(store, "label_search", graph=graph, words=words)) for store in both)
        found += len(here)
        if here != there:
            differ[words] = (here[:3], there[:3])
    assert differ == {}
    assert found > 500, "hardly anything was compared"


def test_scores_differ_by_no_more_than_rounding(both: tuple[Store, Store]) -> None:
    """Lucene adds floats of 24 bits, of which those of the graph are taken off again."""
    for words in CASES:
        here, there = ([float(r["score"]) for r in ask(s, "label_search", graph=G, words=words).texts()] for s in both)
        assert here == pytest.approx(there, rel=1e-4), words


@pytest.mark.parametrize(("words", "best"), CASES.items())
def test_a_name_with_its_particle_finds_the_label_first(both: tuple[Store, Store], words: str, best: str) -> None:
    for store in both:
        assert ordered(ask(store, "label_search", graph=G, words=words))[0][1] == best
