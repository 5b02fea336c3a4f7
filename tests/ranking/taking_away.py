"""Takes away what a sentence names (a word, the text beside, a date), and looks whether its part gets less.

A slice of a corpus stands in a home of its own, a chunk for each paragraph. What a sentence names is removed
from the text, both indexes take that up, and the search is run again.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from pathlib import Path

from ark_tui.domain.hits import Hit
from ark_tui.domain.query import Request
from ark_tui.domain.reasons import Difference, Reason
from ark_tui.engine import Engine
from ark_tui.index.words import terms
from ark_tui.retrieval.pipeline import ranking
from ark_tui.settings import load
from ark_tui.store.documents import Arrival
from tests.corpora import Bench, arrival

ROOT = Path(__file__).parents[2]
SENTENCES = 3  # in a paragraph of a set whose texts have none
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Text:
    """A document: a chunk for each paragraph."""

    title: str
    parts: tuple[str, ...]
    day: date | None = None


@dataclass(frozen=True)
class Case:
    """What a sentence named, and the raw value of its part before and after that was taken away."""

    query: str
    path: str
    named: Difference
    before: float
    after: float

    @property
    def lowered(self) -> bool:
        """Whether the part is less without it."""
        return self.after < self.before


@dataclass
class Tally:
    """Cases, and those sentences that name nothing which could be taken away."""

    cases: list[Case] = field(default_factory=list)
    unnamed: int = 0

    @property
    def lowered(self) -> int:
        return sum(case.lowered for case in self.cases)

    @property
    def share(self) -> float:
        """The share of the cases in which the part got less."""
        return self.lowered / len(self.cases)


def sample(home: Path) -> dict[str, Text]:
    """The sample notes, as the program itself reads them."""
    found: dict[str, Text] = {}
    with Engine(load(home, environ={})) as engine:
        engine.index([ROOT / "assets" / "sample"])
        for hit in engine.search(Request("tier:doc tier:raw tier:reflection tier:wiki", limit=1000)).hits:
            body = engine.show(hit.document.id).text
            body = re.sub(r"\A---\n.*?\n---\n", "", body, flags=re.DOTALL)
            day = hit.document.date if hit.document.dated else None
            found[hit.document.path] = Text(hit.document.title, _paragraphs(body), day)
    return found


def sample_queries() -> list[str]:
    lines = (ROOT / "assets" / "judged" / "queries.jsonl").read_text("utf-8").splitlines()
    times = [
        "what happened in March 2026",
        "notes of 2025",
        "reindex in February 2026",
        "journal October 2026",
    ]
    return [json.loads(line)["text"] for line in lines] + times


def public(folder: Path, size: int) -> dict[str, Text]:
    """The first texts of a set, cut into paragraphs."""
    found: dict[str, Text] = {}
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in islice(lines, size):
            told = json.loads(line)
            sentences = re.split(r"(?<=[.!?]) +", " ".join(told["text"].split()))
            parts = [" ".join(sentences[i : i + SENTENCES]) for i in range(0, len(sentences), SENTENCES)]
            if any(parts):
                found[re.sub(r"\W+", "-", told["_id"]) + ".txt"] = Text(
                    told["title"], tuple(filter(None, parts))
                )
    return found


def public_queries(folder: Path) -> list[str]:
    lines = (folder / "queries.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines]


class Slice:
    """A corpus from which something can be taken for a while."""

    def __init__(self, home: Path, texts: Mapping[str, Text]) -> None:
        self.texts = dict(texts)
        self.bench = Bench(home)
        self.bench.put(*(_arrival(path, text) for path, text in self.texts.items()))
        self.bench.sync()

    def hits(self, query: str) -> Sequence[Hit]:
        """What a search lists, with its sentences."""
        request = Request(query, profile="default", literal=True, explain=True)
        return ranking(self.bench.corpus(), request).answer().hits

    def raw(self, query: str, signal: str, text: str, path: str) -> float:
        """What a signal says of the paragraph with this text; nothing where it is no candidate."""
        found = ranking(self.bench.corpus(), Request(query, profile="default", literal=True))
        column = next((one for one in found.scored.columns if one.name == signal), None)
        chunks = found.scored.candidates.chunks.tolist()
        shown = self.bench.words.shown(chunks)
        for place, chunk in enumerate(chunks):
            one = shown.get(chunk)
            if column and one and one.document.path == path and one.text == text:
                return float(column.raw[place])
        return float("-inf")

    @contextmanager
    def changed(self, path: str, text: Text) -> Iterator[None]:
        """While it lasts a document is another one."""
        self.bench.put(_arrival(path, text))
        self.bench.sync()
        yield
        self.bench.put(_arrival(path, self.texts[path]))
        self.bench.sync()

    def case(self, query: str, hit: Hit, named: Difference) -> Case | None:
        """One thing taken away; None where it is none that can be."""
        path = hit.document.path
        reason, own = named.reason, self.texts[path]
        assert reason
        left = _left(own, hit.chunk.ordinal, reason)
        if left is None:
            return None
        before = next(part.raw for part in hit.parts if part.name == named.signal)
        changed, kept = left
        with self.changed(path, changed):
            after = self.raw(query, named.signal, kept, path)
        return Case(query, path, named, before, after)


def tried(corpus: Slice, queries: Sequence[str], count: int, each: int = 4) -> Tally:
    """So many things that sentences name, taken away one by one, of drawn queries `each` so many at most."""
    drawn, tally = random.Random(0), Tally()
    for query in drawn.sample(list(queries), len(queries)):
        hits = corpus.hits(query)
        named = [(hit, one) for hit in hits if hit.why for one in hit.why.because]
        for hit, one in drawn.sample(named, min(len(named), each)):
            case = corpus.case(query, hit, one) if one.reason else None
            if case is None:
                tally.unnamed += 1
            else:
                tally.cases.append(case)
            if len(tally.cases) >= count:
                return tally
    return tally


Left = tuple[Text, str] | None
"""A document without what a reason names, and its paragraph then; None where that cannot be taken away."""


def _left(text: Text, at: int, reason: Reason) -> Left:
    if reason.kind == "passage":
        return _without_beside(text, at, {"previous": at - 1, "next": at + 1}.get(reason.where, -1))
    if reason.where == "date":
        return replace(text, day=None), text.parts[at]
    if reason.where == "before":
        return _rewritten(text, at, at - 1, reason.asked)
    if reason.where == "title":
        title = _unsaid(text.title, reason.asked if reason.kind == "word" else reason.found)
        return replace(text, title=title), text.parts[at]
    return _without_spans(text, at, reason)


def _without_beside(text: Text, at: int, beside: int) -> Left:
    parts = text.parts
    if not 0 <= beside < len(parts):
        return None
    return replace(text, parts=parts[:beside] + parts[beside + 1 :]), parts[at]


def _rewritten(text: Text, at: int, place: int, word: str) -> Left:
    if not 0 <= place < len(text.parts):
        return None
    parts = [_unsaid(part, word) if n == place else part for n, part in enumerate(text.parts)]
    return replace(text, parts=tuple(filter(str.strip, parts))), text.parts[at]


def _without_spans(text: Text, at: int, reason: Reason) -> Left:
    part = text.parts[at]
    for start, end in sorted(reason.spans, reverse=True):
        part = f"{part[:start]} {part[end:]}"
    if not reason.spans or not part.strip():
        return None
    title = _unsaid(text.title, reason.found) if reason.kind == "pair" else text.title
    return replace(text, title=title, parts=(*text.parts[:at], part, *text.parts[at + 1 :])), part


def _unsaid(text: str, word: str) -> str:
    """A text without the words of a stem."""
    stems = {terms.stem(one) for one in terms.words(word)}
    return WORD.sub(lambda one: "" if terms.stem(one[0].lower()) in stems else one[0], text)


def _paragraphs(body: str) -> tuple[str, ...]:
    return tuple(part.strip("\n") for part in re.split(r"\n\n+", body) if part.strip())


def _arrival(path: str, text: Text) -> Arrival:
    source = "front matter" if text.day else "none"
    body = "\n\n".join(text.parts)
    return arrival(path, body, title=text.title, titled=bool(text.title), date=text.day, date_source=source)
