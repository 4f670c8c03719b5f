"""Answers a question by walking a knowledge graph: from a named node, over grounded edges, every named relation once.

The order of the words is not the order of the hops (English nests, Korean does not), so every order is tried. What
can't be walked is told and never guessed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import unquote

from judgeloop.errors import BadInput
from judgeloop.messages import Lang, render
from judgeloop.model import Contract
from judgeloop.rdf.rq import Query, bind
from judgeloop.store.world import World, shipped
from judgeloop.text import nfc
from judgeloop.vocab import URN

COUNT: Final = "https://w3id.org/judgeloop/multihop#count"
QUERIES: Final = "retrieve/multihop/"
MANY: Final = 1000
"""Walks that one search may find; past that the question is too broad to be answered."""
FAR, WORDS = 20_000, 32
"""Hops that one question may try, and words in it that ask for one: they can be put in very many orders."""


@dataclass(frozen=True)
class Hop:
    """One edge as it stands in the graph, and where the walk leaves it."""

    src: str
    rel: str
    dst: str
    chunk: str | None
    to: str
    grounded: bool


Walk = tuple[Hop, ...]


def ask(text: str, contract: Contract, world: World, *, query_id: str, asked_at: str | None = None) -> dict[str, Any]:
    """Return the decision about one question: an answer, a refusal, or a stop at the hop limit.

    Does not establish: that the graph is right; only that its grounded edges lead to the answer.

    Raises:
        BadInput: the question names so many relations that not all walks can be tried.
    """
    search = Search(contract, world, text, asked_at)
    try:
        return {"query_id": query_id} | search.decide()
    finally:
        world.store.drop(search.reading)


class Search:
    """One question being walked."""

    def __init__(self, contract: Contract, world: World, text: str, asked_at: str | None) -> None:
        """Read the question and keep what each of its spans names."""
        self.contract, self.world = contract, world
        self.limit = world.limits["max_hops"]
        self.lang: Lang = "ko" if any("\uac00" <= c <= "\ud7a3" for c in nfc(text)) else "en"
        self.tried = 0
        self._steps = cache(self._found)
        self.reading = f"{URN}asked/{id(self)}"
        world.store.put_once({self.reading: world.read(f"{URN}asked", text, asked_at)})

    def decide(self) -> dict[str, Any]:
        """Return the decision without its id."""
        starts, relations = self._spans("starts", "node"), self._spans("relations", "relation")
        if not starts:
            return self._no_start()
        for surface, nodes in starts:
            if len(nodes) > 1:
                return self._ambiguous(surface, nodes)
        if len(relations) > WORDS:
            raise BadInput("ask-too-broad", limit=WORDS)
        nodes = [nodes[0] for _, nodes in starts]
        words = [relations for _, relations in relations]
        if words and (found := self._walks(nodes, words, grounded=True)):
            return self._beyond(found[0]) if len(words) > self.limit else self._answer(found)
        return self._stopped(nodes, words)

    # --- searching

    def _walks(self, nodes: Sequence[str], words: Sequence[Sequence[str]], *, grounded: bool) -> list[Walk]:
        """Return the walks from the first start that use every word once; later starts are tried only without any."""
        for node in nodes:
            found = [w for w, left in self._from(node, words, (), {node}, grounded=grounded) if not left]
            if found:
                return found[:MANY]
        return []

    def _from(
        self, node: str, words: Sequence[Sequence[str]], walk: Walk, been: set[str], *, grounded: bool
    ) -> Iterator[tuple[Walk, Sequence[Sequence[str]]]]:
        """Give every walk from ``node`` with the words that it has not used yet; never twice through one node."""
        yield walk, words
        for i, word in enumerate(words):
            if word in words[:i]:  # the same word again leads to the same walks
                continue
            for relation in word:
                for hop in self._steps(node, relation):
                    self.tried += 1
                    if self.tried > FAR:
                        raise BadInput("ask-too-broad", limit=FAR)
                    if hop.to not in been and (hop.grounded or not grounded):
                        rest = [*words[:i], *words[i + 1 :]]
                        yield from self._from(hop.to, rest, (*walk, hop), been | {hop.to}, grounded=grounded)

    def _found(self, node: str, relation: str) -> list[Hop]:
        rows = self.world.store.select(bind(_query("step"), self._given("step", node=node, relation=relation)))
        return [
            Hop(row["src"], row["rel"], row["dst"], row.get("chunk"), row["to"], row["grounded"] == "1")
            for row in rows.texts()
        ]

    # --- what is said

    def _answer(self, found: Sequence[Walk]) -> dict[str, Any]:
        """Answer with the end of the walk, or with all ends of its last relation where there are several."""
        stem = found[0][:-1]
        ends: dict[str, Hop] = {}
        for walk in found:
            if walk[:-1] == stem and walk[-1].rel == found[0][-1].rel:
                ends.setdefault(walk[-1].to, walk[-1])
        elsewhere = {walk[-1].to for walk in found} - ends.keys()
        if elsewhere:
            return self._ambiguous(self._id(found[0][-1].to), sorted({*ends, *elsewhere}))
        counting = COUNT in self._kinds()
        path = [*stem, *ends.values()]
        answer = str(len(ends)) if counting else ", ".join(sorted(self._id(end) for end in ends))
        evidence = ", ".join(f"{self._id(hop.rel)}:{self._id(hop.chunk)}" for hop in path)
        told = ", ".join(f"{self._id(h.src)} {self._id(h.rel)} {self._id(h.dst)}" for h in path)
        reason = render("ask-answer", self.lang, answer=answer, hops=told)
        return self._decision("answer", answer, path, [], reason, evidence, None)

    def _beyond(self, walk: Walk) -> dict[str, Any]:
        path = walk[: self.limit]
        words = {"limit": self.limit, "hops": len(walk)}
        said = render("ask-limit", self.lang, limit=self.limit)
        return self._stop("max_hops", path, "hop_limit_exceeded", words, said)

    def _ungrounded(self, walk: Walk) -> dict[str, Any]:
        rel = self._id(walk[-1].rel)
        return self._stop("refuse", walk, "ungrounded_hop", {"rel": rel}, f"{rel} grounded=false")

    def _no_start(self) -> dict[str, Any]:
        for row in self.world.store.select(bind(_query("unmapped"), self._given("unmapped"))).texts():
            words = {"name": row["surface"], "about": self._id(row["about"])}
            return self._stop("refuse", (), "node_alias_unmapped", words, f"alias=null: {row['surface']}")
        return self._stop("refuse", (), "missing_start_node", {}, "start_id=null")

    def _stopped(self, nodes: Sequence[str], words: Sequence[Sequence[str]]) -> dict[str, Any]:
        """Stop where the longest walk ends: at an edge that no text supports, else where there is no edge."""
        for walk in self._walks(nodes, words, grounded=False) if words else []:
            stop = next(i for i, hop in enumerate(walk) if not hop.grounded)
            if self._alone(walk[stop]):
                return self._beyond(walk) if stop >= self.limit else self._ungrounded(walk[: stop + 1])
        walks = [(node, *step) for node in nodes for step in self._from(node, words, (), {node}, grounded=True)]
        start, walk, left = max(walks, key=lambda found: len(found[1]))
        if len(walk) > self.limit:
            return self._beyond(walk)
        at, been = (walk[-1].to if walk else start), {start, *(hop.to for hop in walk)}
        for relation in (relation for word in left for relation in word):
            for hop in self._steps(at, relation):
                if hop.to not in been and not hop.grounded and self._alone(hop):
                    return self._beyond((*walk, hop)) if len(walk) == self.limit else self._ungrounded((*walk, hop))
        rel = ", ".join(self._id(relation) for word in left for relation in word) or "?"
        return self._stop(
            "refuse", walk, "missing_edge", {"at": self._id(at), "rel": rel}, f"edge=null: {self._id(at)} {rel}"
        )

    def _alone(self, hop: Hop) -> bool:
        """Say whether no grounded edge of the same relation leads on from where this one does."""
        start = hop.src if hop.to == hop.dst else hop.dst
        return not any(step.grounded for step in self._steps(start, hop.rel))

    def _ambiguous(self, surface: str, nodes: Sequence[str]) -> dict[str, Any]:
        names = ", ".join(self._id(n) for n in nodes)
        reason = render("ask-ambiguous", self.lang, name=surface, nodes=names)
        hedge = render("ask-ambiguous-hedge", self.lang, name=surface)
        return self._decision("refuse", None, (), [], reason, f"start_id={names.replace(', ', '|')}", hedge)

    def _stop(
        self, decision: str, walk: Sequence[Hop], factor: str, words: dict[str, Any], evidence: str
    ) -> dict[str, Any]:
        reason = render(f"ask-{factor}", self.lang, **words)
        hedge = render(f"ask-{factor}-hedge", self.lang)
        return self._decision(decision, None, walk, [factor], reason, evidence, hedge)

    def _decision(  # noqa: PLR0913 - the seven fields of a decision
        self,
        decision: str,
        answer: str | None,
        walk: Sequence[Hop],
        factors: list[str],
        reason: str,
        evidence: str,
        hedge: str | None,
    ) -> dict[str, Any]:
        path = [
            {
                "src": self._id(h.src),
                "rel": self._id(h.rel),
                "dst": self._id(h.dst),
                "chunk_id": h.chunk and self._id(h.chunk),
            }
            for h in walk
        ]
        return {
            "decision": decision,
            "answer": answer,
            "path": path,
            "factors": factors,
            "reason": reason,
            "evidence": evidence,
            "hedge": hedge,
        }

    # --- reading

    def _kinds(self) -> set[str]:
        """Return the kinds of answer that the question asks for."""
        rows = self.world.store.select(bind(_query("kinds"), self._given("kinds")))
        return {row["kind"] for row in rows.texts()}

    def _spans(self, query: str, column: str) -> list[tuple[str, list[str]]]:
        """Return each span's surface with the things that it names, in the order of the text."""
        found: dict[str, tuple[str, list[str]]] = {}
        for row in self.world.store.select(bind(_query(query), self._given(query))).texts():
            found.setdefault(row["at"], (row["surface"], []))[1].append(row[column])
        return list(found.values())

    def _given(self, query: str, **values: str) -> dict[str, str]:
        known = {"world": self.world.graph, "inferred": self.world.inferred, "reading": self.reading, **values}
        return {name: known[name] for name in _query(query).params}

    def _id(self, iri: str | None) -> str:
        """Return the id from which an IRI was minted; an IRI of elsewhere is its own id."""
        text, base = iri or "", self.contract.id_base
        return unquote(text[len(base) :]) if text.startswith(base) else text


def _query(name: str) -> Query:
    return shipped(f"{QUERIES}{name}.rq")
