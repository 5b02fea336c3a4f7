"""A second vector index, of dictionaries and loops, ranks as the exact one, and is never asked for all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from ark_tui.domain.documents import LinkDraft
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.profile import Feedback, Graph, Profile
from ark_tui.domain.query import Filters, Request
from ark_tui.embedding import static
from ark_tui.embedding.queries import QueryVectors
from ark_tui.embedding.waiting import Asked, Call
from ark_tui.index import standing
from ark_tui.index.protocols import FEW, NOWHERE, CorpusIndex, Levels, Linked, Nearest, VectorIndex, Weigh
from ark_tui.index.vectors import latent
from ark_tui.index.vectors.exact import DIGITS, KIN
from ark_tui.index.vectors.latent import Table
from ark_tui.index.vectors.serving import Tokens
from ark_tui.retrieval import Corpus, run
from ark_tui.retrieval.served import Served
from ark_tui.retrieval.signals import SIGNALS
from ark_tui.retrieval.similar import nearest, similar
from ark_tui.store import documents, links
from tests.corpora import Bench, arrival

Vector = NDArray[np.float32]
Numbers = NDArray[np.int64]

WORDS = (
    *("spectral", "gap", "chain", "mixing", "time", "graph", "bread", "flour", "rank", "fusion", "office"),
    *("river", "December", "2025", "1994", "harbour", "quince", "ledger", "walnut", "tide"),
)
DOCUMENTS, DEPTH = 60, 8
PROFILE = Profile(
    "any",
    depth=DEPTH,
    weights={signal.info.name: 1.0 for signal in SIGNALS},
    mmr=0.7,
    feedback=Feedback(floor=0.1),
    graph=Graph(floor=0.1),
)
QUERIES = ("spectral gap of a graph", "bread and flour", "office in December 2025", "tide not about bread",
           "rank fusion 1994", "quince ledger tag:red")  # fmt: skip


@dataclass
class Known:
    """What the second index has of a chunk."""

    document: int
    ordinal: int
    tokens: NDArray[np.uint16]
    tags: tuple[str, ...]


@dataclass
class Brute:
    """One vector of each chunk, compared one by one. It answers for those only that somebody has proposed."""

    known: dict[int, Known]
    rows: dict[int, Vector]
    proposed: set[int]
    share: float = field(default=0.0, kw_only=True)  # of what stands before a chunk
    digits: int = field(default=DIGITS, kw_only=True)  # of a cosine

    @property
    def size(self) -> int:
        return len(self.known)

    @property
    def waiting(self) -> int:
        return self.size - len(self.rows)

    @property
    def change(self) -> int:
        return 0

    def lacking(self, where: Filters) -> Numbers:
        found = [chunk for chunk in self.known if chunk not in self.rows and self._passes(chunk, where)]
        return np.array(found, np.int64)

    def levels(self, vector: Vector, where: Filters) -> Levels | None:
        scores = [score for score, _ in self._best(vector, where)]
        last = len(scores) - 1
        places = (last // 100, last // 1000, max(last // 100, min(FEW, last)))
        return Levels(float(np.mean(scores)), *(scores[place] for place in places)) if scores else None

    def in_context(self, share: float) -> Brute:
        return replace(self, share=share)

    def search(self, vector: Vector, k: int, where: Filters, weigh: Weigh | None = None) -> Nearest:
        assert weigh is None, "no search weighs"
        return self._nearest(self._best(vector, where)[:k])

    def search_documents(
        self, vector: Vector, k: int, where: Filters, documents: Numbers | None = None, floor: float = -1.0
    ) -> Nearest:
        first: dict[int, tuple[float, int]] = {}
        for score, chunk in self._best(vector, where):
            owner = self.known[chunk].document
            if score >= floor and (documents is None or owner in documents):
                first.setdefault(owner, (score, chunk))
        return self._nearest(list(first.values())[:k])

    def score(self, vector: Vector, chunks: Iterable[int]) -> NDArray[np.float64]:
        return np.array([self._close(one, vector) if one in self.rows else NOWHERE
                         for one in self._asked(chunks)])  # fmt: skip

    def vectors(self, chunks: Iterable[int]) -> tuple[Numbers, Vector]:
        there = [(at, self.rows[one]) for at, one in enumerate(self._asked(chunks)) if one in self.rows]
        return np.array([at for at, _ in there], np.int64), np.array([row for _, row in there], np.float32)

    def chunks_of(self, document: int) -> Numbers:
        found = [chunk for chunk, one in self.known.items() if one.document == document]
        return np.array(self._propose(sorted(found)), np.int64)

    def _best(self, vector: Vector, where: Filters) -> list[tuple[float, int]]:
        allowed = [chunk for chunk in self.rows if self._passes(chunk, where)]
        return sorted(((self._close(one, vector), one) for one in allowed), key=lambda p: (-p[0], p[1]))

    def _close(self, chunk: int, vector: Vector) -> float:
        own, me = self._cosine(chunk, vector), self.known[chunk]
        before = [one for one, it in self.known.items()
                  if (it.document, it.ordinal) == (me.document, me.ordinal - 1)]  # fmt: skip
        if not (self.share and before):
            return own
        mixed = own + self.share * self._cosine(before[0], vector)
        return float(min(1.0, mixed / (1 + self.share**2 + 2 * self.share * KIN) ** 0.5))

    def _cosine(self, chunk: int, vector: Vector) -> float:
        return round(float(self.rows[chunk] @ vector), self.digits)

    def _passes(self, chunk: int, where: Filters) -> bool:
        assert replace(where, tags=(), superseded=False) == Filters(), "this one knows tags only"
        return set(where.tags) <= set(self.known[chunk].tags)

    def _nearest(self, found: Sequence[tuple[float, int]]) -> Nearest:
        chunks = self._propose([chunk for _, chunk in found])
        owners = [self.known[chunk].document for chunk in chunks]
        return Nearest(
            np.array(chunks, np.int64), np.array(owners, np.int64), np.array([s for s, _ in found])
        )

    def _propose(self, chunks: list[int]) -> list[int]:
        self.proposed.update(chunks)
        return chunks

    def _asked(self, chunks: Iterable[int]) -> list[int]:
        numbers = [int(one) for one in chunks]
        assert self.proposed.issuperset(numbers), "asked for chunks that nobody has proposed"
        return numbers


@dataclass
class BruteCorpus(Brute):
    """The same with what lies around the chunks."""

    weights: Vector | None = None
    edges: list[tuple[int, int, int]] = field(default_factory=list)
    dates: dict[int, date | None] = field(default_factory=dict)
    by_rarity: Brute | None = None
    centred: Brute | None = None
    middle: Vector | None = None
    latent: Brute | None = None
    contexts: Table | None = None

    def in_contexts(self, stems: Collection[str]) -> Vector | None:
        return self.contexts.query(stems) if self.contexts else None

    @property
    def links(self) -> int:
        return len(self.edges)

    def tokens(self, chunks: Iterable[int]) -> list[NDArray[np.uint16]]:
        return [self.known[one].tokens for one in self._asked(chunks)]

    def beside(self, chunks: Iterable[int]) -> Numbers:
        at = {(one.document, one.ordinal): chunk for chunk, one in self.known.items()}
        pairs = [[at.get((self.known[one].document, self.known[one].ordinal + step), -1) for step in (-1, 1)]
                 for one in self._asked(chunks)]  # fmt: skip
        self._propose([one for pair in pairs for one in pair if one >= 0])
        return np.array(pairs, np.int64).reshape(-1, 2)

    def let_through(self, chunks: Iterable[int], where: Filters) -> tuple[Numbers, Numbers]:
        fit = [one for one in self._asked(chunks) if self._passes(one, where)]
        return np.array(fit, np.int64), np.array([self.known[one].document for one in fit], np.int64)

    def linked(self, documents: Iterable[int]) -> Linked:
        wanted = [int(one) for one in documents]
        found = [edge for one in wanted for edge in self.edges if edge[0] == one]
        columns = np.array(found, np.int64).reshape(-1, 3).T
        return Linked(columns[0], columns[1], columns[2].astype(np.int32))

    def days(self, documents: Sequence[int]) -> dict[int, date | None]:
        return {one: self.dates[one] for one in documents}

    def firsts(self, chunks: Numbers) -> Numbers:
        self._asked(chunks)
        return chunks


def unit(rows: Vector) -> Vector:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def brute(home: Bench, proposed: set[int]) -> BruteCorpus:
    """All from the store; no file of the exact index is read."""
    with home.store.read() as lease:
        rows = lease.rows(
            "SELECT c.number, c.document, c.ordinal, substring(d.body, c.start_char + 1, "
            "c.end_char - c.start_char), d.path "
            "FROM ark.chunks c JOIN ark.documents d ON d.number = c.document ORDER BY c.number"
        )
        edges = links.all_edges(lease)
        days = documents.days(lease, sorted({int(row[1]) for row in rows}))
    texts = static.tokens([str(row[3]) for row in rows])
    known = {
        int(number): Known(int(owner), int(ordinal), ids, tags_of(str(path)))
        for (number, owner, ordinal, _, path), ids in zip(rows, texts, strict=True)
    }
    counts = np.bincount(np.concatenate([np.unique(ids) for ids in texts]), minlength=static.VOCABULARY)
    weights = np.log1p(len(texts) / (1.0 + counts)).astype(np.float32)
    rare = static.pool(texts, weights)
    middle = rare.mean(axis=0)
    all_tokens, spelled = Tokens(np.concatenate(texts), np.cumsum([0, *map(len, texts)])), latent.Words()
    contexts = latent.learnt(all_tokens, spelled)
    by_contexts = latent.wide(contexts.pooled(all_tokens, spelled))

    def made(vectors: Vector) -> dict[int, Vector]:
        return dict(zip(known, vectors, strict=True))

    both = [*zip(edges.source.tolist(), edges.target.tolist(), edges.relation.tolist(), strict=True)]
    return BruteCorpus(
        known, made(static.pool(texts)), proposed, weights,
        [*both, *((target, source, -code) for source, target, code in both)], days,
        Brute(known, made(rare), proposed), Brute(known, made(unit(rare - middle)), proposed), middle,
        Brute(known, made(by_contexts), proposed, digits=latent.DIGITS), contexts,
    )  # fmt: skip


def tags_of(path: str) -> tuple[str, ...]:
    return ("red",) if int(Path(path).stem) % 2 else ("blue",)


class Recorded:
    """The word index, of which is noted which chunks it brings."""

    def __init__(self, words: Any, proposed: set[int]) -> None:
        self._words = words
        self._proposed = proposed

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._words, name)
        return (lambda *given, **more: self._noted(found(*given, **more))) if callable(found) else found

    def _noted(self, result: Any) -> Any:
        self._proposed.update(getattr(result, "chunks", ()))
        return result


class Queries:
    """In place of a server that embeds queries."""

    def ask(self, text: str) -> Asked[Vector]:
        return Asked("tiny", Call(static.pool(static.tokens([f"about {text}"]))[0]))


def served(index: VectorIndex | None) -> Served:
    return Served("tiny", lambda: index, cast(QueryVectors, Queries()), 5.0)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    def line(n: int, part: int) -> str:
        words = [WORDS[(n * 3 + part * 7 + j * (5 + n % 4)) % len(WORDS)] for j in range(5)]
        defined = " Rank fusion (RF)." if (n, part) == (40, 2) else ""
        return f"{' '.join(words)} {n}-{part}.{defined}"

    home = Bench(tmp_path_factory.mktemp("home"))
    home.put(
        *(
            arrival(
                f"{n}.md", "\n\n".join(line(n, part) for part in range(3)),
                date=date(2025, 1 + n % 12, 1 + n % 28), date_source="front matter",
                tags=tags_of(f"{n}.md"), links=(LinkDraft("links_to", f"{(n * 7 + 1) % DOCUMENTS}.md"),),
            )
            for n in range(DOCUMENTS)
        )
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standing, "LEAST", DOCUMENTS)
        home.sync()
    return home


def exactly(home: Bench, profile: Profile) -> Corpus:
    return home.corpus(profiles={"any": profile}, served=lambda: served(home.vectors.open()))


def by_hand(home: Bench, profile: Profile) -> Corpus:
    proposed: set[int] = set()
    index: CorpusIndex = brute(home, proposed)
    return home.corpus(
        profiles={"any": profile}, words=Recorded(home.words, proposed), vectors=lambda: index,
        served=lambda: served(index),
    )  # fmt: skip


def shown(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.document.path, hit.score) for hit in result.hits]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    "profile",
    [
        PROFILE,
        replace(PROFILE, fusion="rrf", stand_in=True, sigma=20.0),
        replace(PROFILE, weights={**PROFILE.weights, "cosine": 0.0}, feedback=Feedback(source="cosine")),
        replace(PROFILE, boosts={"before": 0.4}),
    ],
    ids=["convex", "rrf", "embedded model alone", "with what stands before"],
)
def test_a_whole_search_ranks_the_same_and_asks_for_proposed_chunks_only(
    bench: Bench, profile: Profile, query: str
) -> None:
    request = Request(query, profile="any", limit=40, hops=2, below=True)
    expected, found = run(exactly(bench, profile), request), run(by_hand(bench, profile), request)
    assert [lamp.state for lamp in found.lamps] == [lamp.state for lamp in expected.lamps]
    assert dict(shown(found)) == pytest.approx(dict(shown(expected)), abs=1e-3)
    assert [path for path, _ in shown(found)][:10] == [path for path, _ in shown(expected)][:10]
    assert {signal for hit in found.hits for signal in [part.name for part in hit.parts if part.rank]} == {
        signal for hit in expected.hits for signal in [part.name for part in hit.parts if part.rank]
    }
    assert (found.verdict is None) == (expected.verdict is None)
    if found.verdict and expected.verdict:
        assert found.verdict.standing == pytest.approx(expected.verdict.standing, abs=1e-2)


def test_every_signal_has_been_asked(bench: Bench) -> None:
    corpora = {query: by_hand(bench, PROFILE) for query in QUERIES}
    results = [run(corpus, Request(query, profile="any", limit=60)) for query, corpus in corpora.items()]
    ran = {lamp.signal for result in results for lamp in result.lamps if lamp.state == "on"}
    assert ran == set(PROFILE.weights) - {"rerank"}  # which asks a model, and no index
    indexes = [cast(BruteCorpus, corpus.vectors()) for corpus in corpora.values()]
    assert all(0 < len(index.proposed) < index.size for index in indexes)


def test_an_index_that_nobody_has_proposed_anything_to_refuses(bench: Bench) -> None:
    index = brute(bench, set())
    with pytest.raises(AssertionError, match="nobody has proposed"):
        index.score(next(iter(index.rows.values())), index.known)


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_similar_is_the_same(bench: Bench, *, whole: bool) -> None:
    with bench.store.read() as lease:
        document = documents.resolve(lease, "7.md")
        chunk = documents.chunk_number(lease, document, 1)
    assert chunk is not None
    corpora = exactly(bench, PROFILE), by_hand(bench, PROFILE)
    corpora[1].vectors().chunks_of(document)  # type: ignore[union-attr]  # whoever asks has seen it
    expected, found = (
        shown(similar(corpus, document, None if whole else chunk, "7.md", 5, Filters())) for corpus in corpora
    )
    assert [path for path, _ in found] == [path for path, _ in expected]
    assert dict(found) == pytest.approx(dict(expected), abs=1e-3)
    first, second = (nearest(corpus, document, chunk, "7.md", 5, Filters()) for corpus in corpora)
    assert [one for one, _ in second] == [one for one, _ in first]
