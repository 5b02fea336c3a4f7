"""A context for a model (M7): rules by scope, patterns by problem, facts by meaning, passages of documents.

`score = similarity × recency × confidence`; recency is the decay of S8. Rules are always near and never fade.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TypeAlias

from ark_tui.domain.dataclass import dataclass
from ark_tui.domain.documents import Document
from ark_tui.domain.errors import UsageError
from ark_tui.domain.hits import Hit, SearchResult, SignalStatus
from ark_tui.domain.knowledge import (
    Context,
    ContextItem,
    Directive,
    ItemKind,
)
from ark_tui.domain.layers import MEMORY, PATTERN, SEMANTIC
from ark_tui.domain.profile import Decay
from ark_tui.domain.query import Filters
from ark_tui.memory import citations, likeness, wording
from ark_tui.memory.directives import holding, precedence
from ark_tui.memory.patterns import PROBLEM
from ark_tui.retrieval import Corpus, decay
from ark_tui.store import Lease, changes, documents, knowledge
from ark_tui.store.knowledge import ChunkPlace

BUDGET = 2000  # tokens
LEAST_BUDGET = 150  # tokens: the head, and something under it
NEAR = 0.2  # similarity below which a memory is about something else
FACTS, PATTERNS, PASSAGES = 20, 10, 3  # how many of each may be offered to the budget
SPARE = 7  # hits that are looked at besides, since memories are among them
LONGEST_PASSAGE = 1500  # characters
CLOSEST, WIDER = 64, 8  # chunks that are looked at first, and how many times more where that is too few
RULES = Decay()

_Place: TypeAlias = tuple[ChunkPlace, float]
"""A chunk, and how close it is."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a context is asked for. `scopes`: those whose rules hold, beside those that hold everywhere."""

    query: str
    budget: int = BUDGET
    scopes: tuple[str, ...] = ()
    passages: int = PASSAGES

    def check(self) -> None:
        if not self.query.strip():
            raise UsageError("There is nothing to find a context for.", "Say what about, in some words.")
        if self.budget < LEAST_BUDGET:
            raise UsageError(
                f"A budget of {self.budget} tokens is too small.", f"Give at least {LEAST_BUDGET}."
            )
        if self.passages < 0:
            raise UsageError(f"{self.passages} passages make no sense.", "Give 0 for none.")


@dataclass(frozen=True, slots=True)
class _Leg:
    """What one kind of memory offers, best first, and the lamp of its comparison."""

    items: tuple[ContextItem, ...] = ()
    lamp: SignalStatus | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Near:
    """What is near of one layer, best first; how it was compared."""

    ranked: list[_Place]
    lamp: SignalStatus
    notices: tuple[str, ...]


def context(corpus: Corpus, wanted: Wanted, search: Callable[[str, int], SearchResult]) -> Context:
    """The context of a query. `search`: a plain search for passages, with at most so many hits."""
    wanted.check()
    with ThreadPoolExecutor(4, thread_name_prefix="context") as threads:
        legs = [
            threads.submit(copy_context().run, leg)  # who looks goes along
            for leg in (
                partial(_directives, corpus, wanted),
                partial(_patterns, corpus, wanted),
                partial(_facts, corpus, wanted),
                partial(_passages, corpus, wanted, search),
            )
        ]
        found = [leg.result() for leg in legs]
    offered = [item for leg in found for item in leg.items]
    names = citations.labels([item.document.id for item in offered])
    labelled = [replace(item, label=names[item.document.id]) for item in offered]
    retrieval_id = uuid.uuid4().hex[:12]
    text = wording.written(wanted.query, retrieval_id, labelled, wanted.budget)
    lamps = [leg.lamp for leg in found if leg.lamp]
    return Context(
        query=wanted.query,
        retrieval_id=retrieval_id,
        text=text.text,
        tokens=text.tokens,
        budget=wanted.budget,
        items=text.items,
        left_out=len(offered) - len(text.items),
        masked=text.masked,
        lamp=min(lamps, key=lambda lamp: ("off", "on", "idle").index(lamp.state)),
        at=corpus.clock.now(),
        notices=tuple(dict.fromkeys(notice for leg in found for notice in leg.notices)),
    )


def _directives(corpus: Corpus, wanted: Wanted) -> _Leg:
    with corpus.store.read() as lease:
        held = holding(knowledge.rules(lease), wanted.query, wanted.scopes)
        known = knowledge.directives(lease, held) if held else {}
    return _Leg(tuple(_rule(one) for one in sorted(known.values(), key=precedence)))


def _rule(one: Directive) -> ContextItem:
    return ContextItem("directive", "", one.document, one.text, 1.0, day=one.document.date, directive=one)


def _patterns(corpus: Corpus, wanted: Wanted) -> _Leg:
    near = _near(corpus, wanted, PATTERN, PATTERNS)
    with corpus.store.read() as lease:
        known = knowledge.patterns(lease, [chunk.document for chunk, _ in near.ranked])
    items = [
        replace(
            _item(corpus, "pattern", one.document, one.problem, similarity),
            pattern=one,
            confidence=one.confidence,
        )
        for chunk, similarity in near.ranked
        if (one := known.get(chunk.document))  # it may have gone a moment ago
    ]
    return _Leg(tuple(items), near.lamp, near.notices)


def _facts(corpus: Corpus, wanted: Wanted) -> _Leg:
    near = _near(corpus, wanted, SEMANTIC, FACTS)
    with corpus.store.read() as lease:
        known = documents.documents(lease, [chunk.document for chunk, _ in near.ranked])
        texts = _texts(lease, [chunk.number for chunk, _ in near.ranked])
    items = [
        _item(corpus, "fact", known[chunk.document], texts[chunk.number], similarity)
        for chunk, similarity in near.ranked
        if chunk.document in known and chunk.number in texts  # likewise
    ]
    return _Leg(tuple(items), near.lamp, near.notices)


def _near(corpus: Corpus, wanted: Wanted, layer: int, limit: int) -> _Near:
    """The nearest chunk of each item of a layer, by score, with its similarity; only of items that are near.

    Of a pattern, the problem alone counts; one that has lost all confidence is left out. No score is above
    its similarity: once the last of the closest is below the scores of so many, no other can be among them.
    """
    asked = likeness.compared(corpus, wanted.query)
    where = corpus.seen(Filters(collections=(MEMORY,), layers=(str(layer),)))
    with corpus.store.read() as lease:
        missed = _chunks(lease, layer, asked.missed(lease, where))
        values, waiting = asked.values([one.number for one in missed], partial(_texts, lease))
        places, count = {one.number: one for one in missed}, CLOSEST
        while True:
            closest = asked.closest(count, where)
            fresh = [number for number in closest if number not in values]
            places |= {one.number: one for one in _chunks(lease, layer, fresh)}
            values |= {number: closest[number] for number in fresh}
            ranked = _ranked(corpus, places.values(), values)[:limit]
            last = min(closest.values(), default=0.0)
            least = _score(corpus, ranked[-1]) if len(ranked) == limit else 0.0
            if len(closest) < count or last < max(NEAR, least):
                return _Near(ranked, asked.lamp, tuple(_notices(asked.lamp, waiting)))
            count *= WIDER


def _chunks(lease: Lease, layer: int, wanted: Sequence[int] | None) -> list[ChunkPlace]:
    return [
        one
        for one in knowledge.chunks(lease, layer, wanted)
        if one.confidence > 0 and (layer != PATTERN or one.kind == PROBLEM)
    ]


def _ranked(corpus: Corpus, places: Iterable[ChunkPlace], values: Mapping[int, float]) -> list[_Place]:
    best: dict[int, _Place] = {}
    for one in places:
        value = values[one.number]
        if value >= NEAR and (one.document not in best or value > best[one.document][1]):
            best[one.document] = one, value
    return sorted(best.values(), key=lambda place: (-_score(corpus, place), place[0].document))


def _score(corpus: Corpus, place: _Place) -> float:
    chunk, similarity = place
    return similarity * _recency(corpus, chunk.day) * chunk.confidence


def _texts(lease: Lease, chunks: Sequence[int]) -> dict[int, str]:
    return {number: text for number, (_, text) in changes.texts(lease, chunks).items()}


def _recency(corpus: Corpus, day: date | None) -> float:
    return decay.factor(day, corpus.clock.now().date(), RULES) if corpus.decay else 1.0


def _passages(corpus: Corpus, wanted: Wanted, search: Callable[[str, int], SearchResult]) -> _Leg:
    """The best of a plain search in its own order; memories are offered by the other legs already."""
    if not wanted.passages:
        return _Leg()
    looked = search(wanted.query, wanted.passages + SPARE)
    hits = [hit for hit in looked.hits if hit.document.collection != MEMORY][: wanted.passages]
    with corpus.store.read() as lease:
        texts = knowledge.passages(lease, [(hit.document.id, hit.chunk.ordinal) for hit in hits])
    found = []
    for hit in hits:
        text = texts.get((hit.document.id, hit.chunk.ordinal), hit.snippet.text).rstrip()[:LONGEST_PASSAGE]
        first = hit.chunk.start_line
        item = _item(corpus, "passage", hit.document, text, _cosine(hit))
        found.append(replace(item, lines=(first, first + text.count("\n"))))
    return _Leg(tuple(found), notices=tuple(f"passages without {off}" for off in looked.off))


def _item(corpus: Corpus, kind: ItemKind, document: Document, text: str, similarity: float) -> ContextItem:
    day = document.date
    return ContextItem(kind, "", document, text, similarity, recency=_recency(corpus, day), day=day)


def _cosine(hit: Hit) -> float:
    """The hit's cosine with the query, by the model of the best kind that has one; 0 for none."""
    raw = {part.name: part.raw for part in hit.parts}
    return max(0.0, raw.get("cosine", -1.0), raw.get("static", -1.0) if "cosine" not in raw else -1.0)


def _notices(lamp: SignalStatus, waiting: int) -> Iterator[str]:
    if lamp.state == "off":
        yield f"memories without {lamp.signal}: {lamp.reason}"
    elif waiting:
        wait = "1 memory waits for its" if waiting == 1 else f"{waiting:,} memories wait for their"
        yield f"{wait} vectors; words were compared instead"
