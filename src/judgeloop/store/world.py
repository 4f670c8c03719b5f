"""A world: the knowledge that decisions are judged against, loaded once, with what follows from it beside it."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import Final
from weakref import WeakSet

from judgeloop import assets
from judgeloop.errors import BadInput
from judgeloop.messages import both
from judgeloop.model import Contract, Text
from judgeloop.rdf import literal
from judgeloop.rdf.canonical import digest, ntriples, rename
from judgeloop.rdf.graph import Graph
from judgeloop.rdf.jsonld import to_rdf
from judgeloop.rdf.mint import Minting, mint
from judgeloop.rdf.parse import read_triples, triples_of
from judgeloop.rdf.rq import BoundQuery, Query, bind
from judgeloop.rdf.rq import read_once as parse_query
from judgeloop.rdf.skolem import skolemise
from judgeloop.rdf.terms import Literal, NamedNode, Triple, quads
from judgeloop.schema import compiled, json_type
from judgeloop.sources import parse_json, resolve
from judgeloop.store import Store, open_store
from judgeloop.store.seats import Seats
from judgeloop.text import key, label_of, mentions, nfc, unmatched
from judgeloop.vocab import JL, RDF_TYPE, SELF, SKOS, XSD_BOOLEAN, XSD_DATETIME, XSD_INTEGER

File = tuple[str, bytes]
_MENTIONS = NamedNode(JL + "mentions")
_TIME, _FLAG = (XSD_DATETIME, literal.instant), (XSD_BOOLEAN, literal.boolean)
_FORMS: Final[Mapping[str, tuple[str, Callable[[str], str | None]]]] = {
    JL + "validFrom": _TIME,
    JL + "validUntil": _TIME,
    JL + "askedAtTime": _TIME,
    JL + "grounded": _FLAG,
}
"""Property of a world → datatype of its values, and the reader of their forms."""


@dataclass(frozen=True)
class World:
    """What checks and agents see: the asserted graph, its inferred graph, and the names by which one may ask."""

    graph: str
    sha256: str
    triples: int
    inferred: str
    store: Store
    """A working store in memory; cases come and go in graphs of their own."""
    lexicon: Mapping[str, frozenset[str]]
    longest: int
    """The length of the longest search key."""
    words: Mapping[str, frozenset[str]]
    """Search key of a word → chunks whose text holds it."""
    limits: Mapping[str, int]
    warnings: tuple[Text, ...] = ()
    answers: dict[str, list[dict[str, str]]] = field(default_factory=dict, compare=False, repr=False)
    """Rows of the queries that ask about the world alone: the same for every case, so asked once."""
    seats: Seats = field(default_factory=Seats, compare=False, repr=False)
    """Who is being examined in the working store right now."""
    kept: "WeakSet[Store]" = field(default_factory=WeakSet, compare=False, repr=False)
    """Open stores that were seen to hold this world whole."""

    def question(self, iri: str) -> tuple[str, str | None] | None:
        """Return text and time of a question of this world, or None."""
        rows = self.store.select(bind(shipped("retrieve/question.rq"), {"world": self.graph, "question": iri}))
        return next(((row["text"], row.get("asked")) for row in rows.texts()), None)

    def ask(self, query: BoundQuery) -> list[dict[str, str]]:
        """Return the rows of a query as text; one that speaks of no case is run once per world."""
        if not query.query.params.keys() <= {"world", "inferred"}:
            return list(self.store.select(query).texts())
        if query.text not in self.answers:
            self.answers[query.text] = list(self.store.select(query).texts())
        return self.answers[query.text]

    def read(self, task: str, text: str, asked: str | None) -> list[Triple]:
        """Return how this world understands a question: what each span of ``text`` names, and when it was asked."""
        subject = NamedNode(task)
        out = [Triple(subject, NamedNode(RDF_TYPE), NamedNode(JL + "Task"))]
        if asked:
            moment = Literal(asked, datatype=NamedNode(XSD_DATETIME))
            out.append(Triple(subject, NamedNode(JL + "askedAtTime"), moment))
        found = mentions(text, self.lexicon, self.longest)
        for mention in found:
            span = self._span(out, subject, mention.start, mention.end, mention.surface)
            out += [Triple(span, _MENTIONS, NamedNode(thing)) for thing in sorted(mention.things)]
        for word, stems in unmatched(text, found):
            chunks = {chunk for stem in stems for chunk in self.words.get(stem, ())}
            span = self._span(out, subject, word.start, word.end, word.text)
            out += [Triple(span, NamedNode(JL + "occursIn"), NamedNode(chunk)) for chunk in sorted(chunks)]
        return out

    @staticmethod
    def _span(out: list[Triple], task: NamedNode, start: int, end: int, surface: str) -> NamedNode:
        span = NamedNode(f"{task.value};char={start},{end}")
        out += [
            Triple(span, NamedNode(RDF_TYPE), NamedNode(JL + "Span")),
            Triple(span, NamedNode(JL + "spanOf"), task),
            Triple(span, NamedNode(JL + "surface"), Literal(surface)),
            Triple(span, NamedNode(JL + "index"), Literal(str(start), datatype=NamedNode(XSD_INTEGER))),
        ]
        return span


def load(files: Sequence[File], contract: Contract, closed: str, base: str | None = None) -> World:
    """Return the world of ``files``; ``closed`` is the inferred graph of the contract's ontology (N-Triples).

    Raises:
        BadInput: a file can't be read, or a table holds a value of the wrong type.
    """
    store = open_store("memory:")
    triples: list[Triple] = []
    warnings: list[Text] = []
    for name, content in files:
        if PurePath(name).suffix.lower() == ".json":
            triples += _tables(name, content, contract, warnings)
        else:
            triples += _typed(name, read_triples(content, name, base))
    store.put_once({SELF: skolemise(triples)})
    queries = [parse_query(contract.text(name), name) for name in contract.derive]
    for query in _into(queries, "world"):
        store.put_once({}, quads(SELF, store.construct(bind(query, {"world": SELF}))))
    asserted = list(store.graph(SELF))
    sha = digest(asserted, SELF)
    graph = f"{contract.id_base}kg/sha256-{sha}"
    store.drop(SELF)
    store.put_once({graph: rename(asserted, SELF, graph)})
    inferred = f"{contract.id_base}inferred/sha256-{hashlib.sha256((sha + contract.digest).encode()).hexdigest()}"
    lexicon = _lexicon(store, graph, contract)
    longest = max((len(k) for k in lexicon), default=1)
    words, said = _chunks(store, graph, lexicon, longest)
    store.put_once({inferred: [*triples_of(closed), *said]})
    for query in _into(queries, "inferred"):
        given = {"world": graph, "inferred": inferred}
        derived = store.construct(bind(query, {name: given[name] for name in query.params}))
        store.put_once({}, quads(inferred, derived))
    limits = {limit.name: _limit(store, graph, limit.property, limit.value) for limit in contract.limits}
    return World(graph, sha, len(asserted), inferred, store, lexicon, longest, words, limits, tuple(warnings))


@cache
def shipped(name: str) -> Query:
    """Return one of the shipped query files."""
    return parse_query(assets.read(assets.root() / "sparql" / name).decode(), f"sparql/{name}")


def _into(queries: Iterable[Query], target: str) -> list[Query]:
    return [q for q in queries if q.meta.get("into") == target]


def _tables(name: str, content: bytes, contract: Contract, warnings: list[Text]) -> list[Triple]:
    """Return the triples of JSON tables by the contract's world context."""
    if contract.world_context is None:
        raise BadInput("world-no-tables", place=name)
    document = parse_json(content, name)
    if not isinstance(document, dict):
        raise BadInput("world-not-object", place=name, found=json_type(document))
    if contract.world_schema:
        for fault in compiled(contract.assets[contract.world_schema].content, contract.world_schema).violations(
            document
        ):
            raise BadInput("world-row", place=name, pointer=fault.pointer or "/", why=fault.message)
    context = json.loads(contract.text(contract.world_context))["@context"]
    pack = json.loads(contract.text(contract.context))["@context"]
    gold = {k: v for k, v in pack.items() if not k.endswith(".type") and k != "*type"}
    questions = context.get("questions", {})
    inner = questions.get("@context", {})
    if "gold" in inner:
        context |= {"questions": questions | {"@context": inner | {"gold": inner["gold"] | {"@context": gold}}}}
    own = f"{contract.id_base}table/sha256-{assets.digest(content)}"
    mapped = to_rdf(document, context, own=own, minting=Minting(contract.id_base, contract.prefixes), place=name)
    for pointer in mapped.hostile:
        raise BadInput("world-key", place=name, pointer=pointer)
    for pointer in mapped.unfit:
        found = json.dumps(resolve(document, pointer), ensure_ascii=False)
        raise BadInput("world-value", place=name, pointer=pointer, value=found)
    warnings += [both("world-field-unknown", pointer=f"{name}#{pointer}") for pointer in mapped.opaque]
    return mapped.triples


def _typed(name: str, triples: list[Triple]) -> list[Triple]:
    """Return the triples; a time or a flag of another form than a table takes could not be compared with anything."""
    for t in triples:
        form = _FORMS.get(t.predicate.value)
        if form is None:
            continue
        fit = isinstance(t.object, Literal) and t.object.datatype.value == form[0] and form[1](t.object.value)
        if not fit:
            raise BadInput("world-value", place=name, pointer=ntriples([t]).rpartition(" ")[0], value=str(t.object))
    return triples


def _lexicon(store: Store, graph: str, contract: Contract) -> dict[str, frozenset[str]]:
    """Return search key → things of that name: labels and aliases of the world, asking words of the ontology."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in store.select(bind(shipped("retrieve/labels.rq"), {"world": graph})).texts():
        found[key(row.get("label") or label_of(row["thing"]))].add(row["thing"])
    for name in contract.ontology:
        graph_of_words = Graph(read_triples(contract.assets[name].content, name))
        for thing in graph_of_words.subjects(SKOS + "altLabel"):
            for word in graph_of_words.values(thing, SKOS + "altLabel"):
                found[key(word)].add(thing)
    found.pop("", None)
    return {k: frozenset(v) for k, v in found.items()}


def _chunks(
    store: Store, graph: str, lexicon: Mapping[str, frozenset[str]], longest: int
) -> tuple[dict[str, frozenset[str]], list[Triple]]:
    """Return which chunks hold which word, and which chunk mentions which node."""
    words: dict[str, set[str]] = defaultdict(set)
    said: list[Triple] = []
    read: set[str] = set()
    for row in store.select(bind(shipped("retrieve/chunks.rq"), {"world": graph})).texts():
        chunk, text = row["chunk"], nfc(row["text"])
        if chunk in read:
            raise BadInput("world-chunk-texts", place=f"<{chunk}>")
        read.add(chunk)
        found = mentions(text, lexicon, longest)
        said += [
            Triple(NamedNode(chunk), _MENTIONS, NamedNode(t)) for t in sorted({t for m in found for t in m.things})
        ]
        for _, stems in unmatched(text, ()):
            for stem in stems:
                words[stem].add(chunk)
    return {k: frozenset(v) for k, v in words.items()}, said


def _limit(store: Store, graph: str, prop: str, value: int) -> int:
    """Return the contract's limit, or the world's where that is tighter."""
    rows = store.select(bind(shipped("retrieve/limit.rq"), {"world": graph, "property": prop}))
    stated = [row["least"] for row in rows.texts() if "least" in row]
    for text in stated:
        if not (text.isascii() and text.isdigit()):
            raise BadInput("world-limit", place=f"<{prop}>", value=text)
    return min([value, *map(int, stated)])


def question_iri(identifier: str, contract: Contract) -> str:
    """Return the IRI of the question that a decision names by its id."""
    return mint(identifier, contract.id_base, contract.prefixes)
