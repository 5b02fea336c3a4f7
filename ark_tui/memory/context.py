"""Contexts for a model (M7): rules by scope, patterns by problem, facts by meaning, passages of documents.

`score = similarity × recency × confidence`; recency is the decay of S8. Rules have similarity and recency 1.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.documents import SHORT, Document
from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.hits import Hit, SearchResult, SignalStatus
from ark_tui.domain.knowledge import Context, ContextItem, ItemKind
from ark_tui.domain.layers import MEMORY, PATTERN, SEMANTIC
from ark_tui.domain.profile import Decay
from ark_tui.domain.query import Filters
from ark_tui.embedding import static
from ark_tui.index.protocols import NOWHERE
from ark_tui.index.words import terms
from ark_tui.memory import wording
from ark_tui.memory.kinds import holding, precedence
from ark_tui.retrieval import Corpus, decay
from ark_tui.retrieval.shown import at_hand, texts
from ark_tui.store import Lease, changes, documents, knowledge
from ark_tui.store.knowledge import ChunkPlace
from ark_tui.store.lease import LazyLease

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.index.vectors.snapshot import Snapshot

BUDGET = 2000  # tokens
LEAST_BUDGET = 150  # tokens: the heading and one short item
NEAR = 0.2  # similarity below which a memory is not relevant
FACTS, PATTERNS, PASSAGES = 20, 10, 3  # items of each kind that compete for the budget
LONGEST_PASSAGE = 1500  # characters
CLOSEST = 512  # chunks of a layer that are compared; more than wanted, since age and confidence reorder them
RULES = Decay()

_Look: TypeAlias = tuple[Filters, dict[int, float]]
"""The filters of a layer, and its closest chunks. Filters by owner may need a lease."""

_Place: TypeAlias = tuple[ChunkPlace, float]
"""A chunk and its similarity."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request for a context. `scopes`: whose rules apply, in addition to global rules."""

    query: str
    budget: int = BUDGET
    scopes: tuple[str, ...] = ()
    passages: int = PASSAGES

    def check(self) -> None:
        if not self.query.strip():
            raise UsageError("There is no query for a context.", "Give a query in words.")
        if self.budget < LEAST_BUDGET:
            raise UsageError(
                f"A budget of {self.budget} tokens is too small.", f"Give at least {LEAST_BUDGET}."
            )
        if self.passages < 0:
            raise UsageError(f"{self.passages} passages is not valid.", "Give 0 for none.")


def context(corpus: Corpus, wanted: Wanted, search: Callable[[str, int], SearchResult]) -> Context:
    """The context of a query. `search` finds up to so many passages of documents."""
    wanted.check()
    with ThreadPoolExecutor(1, thread_name_prefix="context") as threads:
        look = partial(_passages, corpus, wanted, search)
        looked = threads.submit(copy_context().run, look)  # with the caller's identity
        with _Memories(corpus) as memories:
            offered, lamp, known = _known(memories, wanted)
        passages, cited = looked.result()
    offered += passages
    names = labels([item.document.id for item in offered])
    labelled = [replace(item, label=names[item.document.id]) for item in offered]
    retrieval_id = uuid.uuid4().hex[:12]
    text = wording.written(wanted.query, retrieval_id, labelled, wanted.budget)
    return Context(
        query=wanted.query,
        retrieval_id=retrieval_id,
        text=text.text,
        tokens=text.tokens,
        budget=wanted.budget,
        items=text.items,
        left_out=len(offered) - len(text.items),
        masked=text.masked,
        lamp=lamp,
        at=corpus.clock.now(),
        notices=tuple(dict.fromkeys((*known, *cited))),
    )


class _Memories:
    """The rules, patterns and facts as of one change of the store: from the indexes where they are current.

    Everything else is read from the store under one lease, which is opened when it is first needed.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.now = corpus.store.change()
        self._cards = at_hand(corpus)
        self._documents: dict[int, Document] = {}
        self.store = LazyLease(corpus.store.read)

    def places(self, layer: int, chunks: Sequence[int] | None) -> list[ChunkPlace]:
        """Chunks of a layer that may be in a context (None: all); of a pattern, only its problem."""
        if chunks is not None and not chunks:
            return []
        return knowledge.chunks(self.store(), layer, chunks)

    def texts(self, chunks: Sequence[int]) -> dict[int, str]:
        """The texts of chunks; remembers their documents."""
        shown = self._cards(chunks)
        self._documents |= {one.number: one.document for one in shown.values()}
        found = {number: one.text for number, one in shown.items()}
        missing = [number for number in chunks if number not in found]
        if missing:
            found |= {number: text for number, (_, text) in changes.texts(self.store(), missing).items()}
        return found

    def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """Documents by number."""
        if missing := [number for number in numbers if number not in self._documents]:
            self._documents |= documents.documents(self.store(), missing)
        return self._documents

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.store.close(kind, error, trace)


def _known(memories: _Memories, wanted: Wanted) -> tuple[list[ContextItem], SignalStatus, tuple[str, ...]]:
    """Rules, patterns and facts, each best first; the signal that compared them, and notices."""
    corpus, store = memories.corpus, memories.store
    asked = compared(corpus, wanted.query)
    near: dict[int, _Look] = {}
    for layer in (PATTERN, SEMANTIC):
        where = corpus.seen(Filters(collections=(MEMORY,), layers=(str(layer),)))
        near[layer] = where, asked.closest(CLOSEST, where)
    held = holding(knowledge.rules(store()), wanted.query, wanted.scopes)
    solved, waiting = _near(memories, asked, PATTERN, near[PATTERN], PATTERNS)
    said, more = _near(memories, asked, SEMANTIC, near[SEMANTIC], FACTS)
    texts = memories.texts([chunk.number for chunk, _ in (*solved, *said)])
    problems = [chunk.document for chunk, _ in solved]
    rules = knowledge.directives(store(), held, memories.documents(held))
    patterns = knowledge.patterns(store(), problems, memories.documents(problems))
    items = [
        ContextItem("directive", "", one.document, one.text, 1.0, day=one.document.date, directive=one)
        for one in sorted(rules.values(), key=precedence)
    ]
    for chunk, similarity in solved:
        if one := patterns.get(chunk.document):
            item = _item(corpus, "pattern", one.document, one.problem, similarity)
            items.append(replace(item, pattern=one, confidence=one.confidence))
    about = memories.documents([chunk.document for chunk, _ in said])
    items += [
        _item(corpus, "fact", about[chunk.document], texts[chunk.number], similarity)
        for chunk, similarity in said
        if chunk.document in about and chunk.number in texts
    ]
    return items, asked.lamp, tuple(_notices(asked.lamp, waiting + more))


def _near(
    memories: _Memories, asked: Comparison, layer: int, look: _Look, limit: int
) -> tuple[list[_Place], int]:
    """The nearest chunk of each relevant item of a layer, by score; and how many have no vector.

    Patterns are compared by their problem; those with confidence 0 are left out.
    """
    corpus, (where, closest) = memories.corpus, look
    missed = memories.places(layer, asked.missed(memories.store, memories.now, where))
    values, waiting = asked.values([one.number for one in missed], memories.texts)
    found = memories.places(layer, [number for number in closest if number not in values])
    return _ranked(corpus, [*missed, *found], closest | values)[:limit], waiting


def _ranked(corpus: Corpus, places: Iterable[ChunkPlace], values: Mapping[int, float]) -> list[_Place]:
    best: dict[int, _Place] = {}
    for one in places:
        value = values[one.number]
        if value >= NEAR and (one.document not in best or value > best[one.document][1]):
            best[one.document] = one, value

    def order(place: _Place) -> tuple[float, int]:
        chunk, similarity = place
        return -similarity * _recency(corpus, chunk.day) * chunk.confidence, chunk.document

    return sorted(best.values(), key=order)


def _recency(corpus: Corpus, day: date | None) -> float:
    return decay.factor(day, corpus.clock.now().date(), RULES) if corpus.decay else 1.0


def _passages(
    corpus: Corpus, wanted: Wanted, search: Callable[[str, int], SearchResult]
) -> tuple[list[ContextItem], list[str]]:
    """The results of a search in their order, and notices; empty if no result is an answer."""
    if not wanted.passages:
        return [], []
    looked = search(wanted.query, wanted.passages)
    if looked.abstained:
        return [], ["no passage is about the query", *(f"passages without {off}" for off in looked.off)]
    whole, found = texts(corpus, [hit.number for hit in looked.hits]), []
    for hit in looked.hits:
        text = whole.get(hit.number, hit.snippet.text).rstrip()[:LONGEST_PASSAGE]
        first = hit.chunk.start_line
        item = _item(corpus, "passage", hit.document, text, _cosine(hit))
        found.append(replace(item, lines=(first, first + text.count("\n"))))
    return found, [f"passages without {off}" for off in looked.off]


def _item(corpus: Corpus, kind: ItemKind, document: Document, text: str, similarity: float) -> ContextItem:
    day = document.date
    return ContextItem(kind, "", document, text, similarity, recency=_recency(corpus, day), day=day)


def _cosine(hit: Hit) -> float:
    """The hit's cosine with the query, by the best model that has a vector for it; 0 for none."""
    raw = {part.name: part.raw for part in hit.parts}
    return max(0.0, raw.get("cosine", -1.0), raw.get("static", -1.0) if "cosine" not in raw else -1.0)


def _notices(lamp: SignalStatus, waiting: int) -> Iterator[str]:
    if lamp.state == "off":
        yield f"memories without {lamp.signal}: {lamp.reason}"
    elif waiting:
        wait = "1 memory waits for its" if waiting == 1 else f"{waiting:,} memories wait for their"
        yield f"{wait} vectors; words were compared instead"


_BRACKETS = re.compile(r"(?P<gap>(?<![ \t])[ \t]+|(?<![\w\])]))\[(?P<inside>[^\[\]]{1,200})\]")
_BETWEEN = re.compile(r"[,;\s]+")
_LIKE_AN_ID = re.compile(r"#[0-9A-Za-z]{1,16}|[0-9a-f]{4,16}")
_NUMBER = re.compile(r"\d{1,3}")


def labels(ids: Sequence[str]) -> dict[str, str]:
    """The shortest unique prefix of each id, at least six digits."""
    length = SHORT
    while len({id_[:length] for id_ in ids}) < len(set(ids)):
        length += 1
    return {id_: id_[:length] for id_ in ids}


def checked(answer: str, known: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """The answer without citations of unknown labels, and those unknown labels, each once.

    `[3fa9c1]`, `[#3fa9c1]` and `[3fa9c1, 77ab01]` cite, and so does a lone number; brackets around anything
    else are text.
    """
    dropped: dict[str, None] = {}

    def kept(match: re.Match[str]) -> str:
        names = _names(match["inside"])
        dropped.update(dict.fromkeys(name for name in names if name not in known))
        good = "".join(f"[{name}]" for name in names if name in known)
        return match["gap"] + good if good else "" if names else match[0]

    return _BRACKETS.sub(kept, answer).strip(), tuple(dropped)


def cited(answer: str, known: Collection[str]) -> tuple[str, ...]:
    """The labels that an answer cites, in its order, each once."""
    names = (name for match in _BRACKETS.finditer(answer) for name in _names(match["inside"]))
    return tuple(dict.fromkeys(name for name in names if name in known))


def _names(inside: str) -> list[str]:
    """The labels in a pair of brackets; empty if it is not a citation."""
    tokens = [token for token in _BETWEEN.split(inside.strip()) if token]
    number = len(tokens) == 1 and _NUMBER.fullmatch(tokens[0])
    if not number and not all(_LIKE_AN_ID.fullmatch(token) for token in tokens):
        return []
    return [token.removeprefix("#") for token in tokens]


SIGNAL = "cosine"
WORDS = "the shares of the query's words count instead"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A text to compare with memories: by its vector, or by its words; `lamp` says why."""

    text: str
    lamp: SignalStatus
    index: Snapshot | None = None
    vector: NDArray[np.float32] | None = None

    def closest(self, count: int, where: Filters) -> dict[int, float]:
        """The chunks with the highest cosines, at least 0, best first; empty without a vector."""
        if self.index is None or self.vector is None:
            return {}
        found = self.index.search(self.vector, count, where)
        return {
            chunk: max(0.0, score)
            for chunk, score in zip(found.chunks.tolist(), found.scores.tolist(), strict=True)
        }

    def missed(self, store: Callable[[], Lease], now: int, where: Filters) -> list[int] | None:
        """The chunks for which the index may be out of date, of any layer; None: all chunks.

        `now`: the store's latest change.
        """
        if self.index is None:
            return None
        lacking, reached = self.index.lacking(where).tolist(), self.index.change
        return lacking if reached == now else [*lacking, *changes.chunks_since(store(), reached)]

    def values(
        self, chunks: Sequence[int], texts: Callable[[Sequence[int]], dict[int, str]]
    ) -> tuple[dict[int, float], int]:
        """The similarity of each chunk, and how many of them have no vector.

        Those are compared by words: the share of the text's words that they contain; `texts` looks them up.
        """
        found: dict[int, float] = {}
        if self.index is not None and self.vector is not None and chunks:
            scores = self.index.score(self.vector, chunks).tolist()
            pairs = zip(chunks, scores, strict=True)
            found = {chunk: max(0.0, score) for chunk, score in pairs if score > NOWHERE}
        missing = [chunk for chunk in chunks if chunk not in found]
        if missing:
            asked = frozenset(terms.read(self.text).stems)
            for chunk, words in texts(missing).items():
                found[chunk] = len(asked & frozenset(terms.read(words).stems)) / len(asked) if asked else 0.0
        return found, len(missing)


def compared(corpus: Corpus, text: str) -> Comparison:
    """A comparison by the served model if there is one, else by the embedded model, else by words."""
    try:
        return _compared(corpus, text)
    except ArkError as error:
        return Comparison(text, SignalStatus(SIGNAL, "off", f"{error.what.rstrip('.')}; {WORDS}"))


def _compared(corpus: Corpus, text: str) -> Comparison:
    reason = ""
    try:
        served = corpus.served()
        index = served.vectors() if served else None
        if served and index and index.size:
            query = served.queries.ask(text.strip()).within(served.budget)
            return Comparison(text, SignalStatus(SIGNAL, "on", served.name), index, query)
    except ArkError as error:
        reason = f"{error.what.rstrip('.')}; the embedded model compares"
    lamp = SignalStatus(SIGNAL, "on", reason or "the embedded model")
    embedded = corpus.vectors()
    row = static.pool(static.tokens([text.strip()]))[0]
    if embedded is None or not row.any():
        why = "nothing has a vector yet" if embedded is None else "the model knows no word of this query"
        return Comparison(text, replace(lamp, state="off", reason=f"{why}; {WORDS}"))
    return Comparison(text, lamp, embedded, row)
