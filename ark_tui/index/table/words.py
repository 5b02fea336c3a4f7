"""The words of the table: a `WordIndex` that puts queries as that of a home does.

Lance's full-text index names the rows that may be best, with the filters applied before it looks; each of
these is scored here by its own words, so that scores are those of a home.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.index.protocols import Ranked
from ark_tui.index.table import rows, sql
from ark_tui.index.table.scoring import Make, Node, Numbers, Row, Weighed
from ark_tui.index.table.snapshot import READ
from ark_tui.index.words import reader
from ark_tui.index.words.counts import Counts

if TYPE_CHECKING:
    from ark_tui.domain.query import Filters
    from ark_tui.index.table.snapshot import Snapshot, Source
    from ark_tui.store.found import Found as Shown

MORE = 8  # times as many rows are scored here as are asked for
TOLD = ("names", "exact")  # fields with words as they are written
TIED = 40  # the same where many have equal scores, by which Lance does not choose
ALL = 1_000_000  # rows that a text which must be there may be in


@dataclass(frozen=True, slots=True)
class Result:
    """What a search has found, as tantivy says it: scores with addresses, which are numbers of chunks."""

    hits: Sequence[tuple[float, int]]
    count: int


class Searcher:
    """One version of the table, with the methods of tantivy's searcher that `Words` asks."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.met: dict[int, int] = {}
        self.parts: dict[Hashable, list[Node]] = {}  # what queries were made into

    @property
    def num_docs(self) -> int:
        return self.snapshot.published.size

    def mean(self, field: str) -> float:
        """How many terms a chunk has in a field."""
        return self.snapshot.published.lengths.get(field, 0.0) / max(self.num_docs, 1)

    def doc_freq(self, field: str, term: str) -> int:
        if not self.snapshot.knows(field, term):  # that of other fields is asked for next
            name, mark, language = field.partition("@")
            others = rows.FOREIGN if mark else (*rows.STEMMED, *TOLD)
            self.snapshot.look_up((f"{one}{mark}{language}", term) for one in {*others, name})
        return self.snapshot.counts(field, [term])[term]

    def terms_with_prefix(self, field: str, prefix: str, limit: int) -> list[tuple[str, int]]:
        return self.snapshot.beginning(field, prefix, limit)

    def search(self, query: Node, limit: int, *, count: bool = True) -> Result:  # noqa: ARG002  (as tantivy's)
        return self.best(query, limit, "")

    def best(self, query: Node, limit: int, where: str, *, all_of: bool = False, more: int = MORE) -> Result:
        """The best rows by their own words, of equal scores those with the lower number."""
        columns, numbers = _restricted(query)
        leaves = self._leaves(query, telling=all_of)
        if columns == "chunk":
            found = [*self.snapshot.rows(numbers, READ).values()]
        else:
            among = sql.every(where, sql.among(columns, numbers) if columns else "")
            most = ALL if all_of else limit * more
            found = self.snapshot.matching(leaves, among, most)
        scored = [
            (score, row["chunk"]) for row in found if (score := query.score(Row(row), self)) is not None
        ]
        hits = sorted(((float(np.float32(score)), chunk) for score, chunk in scored), key=_by_score)
        return Result(hits[:limit], len(hits))

    def _leaves(self, query: Node, *, telling: bool) -> dict[tuple[str, str], float]:
        """The terms of a query by field, each with the most that it is weighed with.

        They are counted all at once. `telling`: of terms in a row the rarest alone.
        """
        runs = [(field, terms, weight) for field, terms, weight in query.leaves() if field in rows.SCORED]
        self.snapshot.look_up((field, term) for field, terms, _ in runs for term in terms)
        found: dict[tuple[str, str], float] = {}
        for field, terms, weight in runs:
            counts = self.snapshot.counts(field, terms)
            for term in [min(terms, key=lambda one: counts[one])] if telling else terms:
                found[field, term] = max(found.get((field, term), 0.0), weight or 1.0)
        return found

    def fast_field_values(self, name: str, chunks: Sequence[int]) -> list[Any]:
        if name == "chunk":
            return [*chunks]
        found = self.snapshot.rows(chunks, READ)
        return [found[chunk][name] for chunk in chunks]

    def doc(self, chunk: int) -> Mapping[str, Sequence[bytes]]:
        return {"card": [self.snapshot.rows([chunk], READ)[chunk]["card"]]}

    def meet(self, chunks: Sequence[int], addresses: Sequence[int]) -> None:
        """Nothing to remember: the address of a chunk is its number."""


class TableCounts(Counts):
    """The counts of one version of the table."""

    def in_language(self, field: str, term: str, language: str) -> int:
        return self.of(rows.written_in(field, language), term)


class TableWords(reader.Words):
    """The words of all chunks as of the version in force."""

    make = Make  # type: ignore[assignment]

    def __init__(self, source: Source) -> None:
        super().__init__(folder=None)  # type: ignore[arg-type]  # nothing of it lies here
        self._source = source

    def refresh(self) -> bool:
        snapshot = self._source.refresh()
        if snapshot is None:
            self._newest = self._seen = self._counts = None
            return False
        seen = (snapshot.published.serial, 0)
        if seen == self._seen:
            return False
        self.languages = snapshot.published.languages
        self._newest = searcher = Searcher(snapshot)  # type: ignore[assignment]
        self._counts, self._seen = TableCounts(searcher), seen
        return True

    def has(self, change: int) -> bool:  # noqa: ARG002  (whole versions only)
        """Always: what is shown of a hit is in the table, and this home knows nothing of it."""
        return self.ready or self.refresh()

    def shown(self, chunks: Sequence[int]) -> dict[int, Shown]:
        """As at home, but for the files, which lie elsewhere."""
        return {chunk: replace(found, root=None) for chunk, found in super().shown(chunks).items()}

    def idfs(self, words: Mapping[str, str]) -> dict[str, float]:
        self._version().snapshot.look_up((field, stem) for stem in words for field in ("body", "title"))
        return super().idfs(words)

    def suggest(self, word: str) -> tuple[str, ...]:
        starts = dict.fromkeys((word[:3], word[:2], word[:1]))
        return next(
            (best for start in starts if (best := reader.alike(word, self._words(start, 20_000)))), ()
        )

    def _search(  # type: ignore[override]
        self,
        query: Node,
        filters: Filters,
        limit: int,
        *,
        count: bool = False,  # noqa: ARG002
        tied: bool = False,
    ) -> Ranked:
        more = TIED if tied else MORE
        return self._ranked(self._version().best(query, limit, sql.where(self.resolved(filters)), more=more))

    def listed(self, where: Filters, k: int) -> Ranked:
        if not where:
            return Ranked()
        snapshot, wanted = self._version().snapshot, sql.where(self.resolved(where))
        found = snapshot.read(wanted, ("chunk", "document"), k)
        chunks, owners = [row["chunk"] for row in found], [row["document"] for row in found]
        return Ranked(tuple(chunks), tuple(owners), (0.0,) * len(found), snapshot.count(wanted))

    def _among(self, chunks: Sequence[int]) -> Any:
        return Weighed(Numbers("chunk", frozenset(chunks)), 0.0, constant=True)

    def _collect(  # type: ignore[override]
        self,
        query: Node,
        limit: int,
        *,
        count: bool = False,  # noqa: ARG002
    ) -> Ranked:
        whole = False  # whether everything that matches is wanted, in no order
        if isinstance(query, Weighed) and query.constant and not query.weight:
            whole = not isinstance(query.inner, Numbers)
        return self._ranked(self._version().best(query, ALL if whole else limit, "", all_of=whole))

    def _ranked(self, found: Result) -> Ranked:
        chunks = [chunk for _, chunk in found.hits]
        owners = self._version().fast_field_values("document", chunks)
        return Ranked(tuple(chunks), tuple(owners), tuple(score for score, _ in found.hits), found.count)

    def _addresses(self, searcher: Any, chunks: Sequence[int]) -> dict[int, Any]:  # noqa: ARG002
        return {chunk: chunk for chunk in self._version().snapshot.rows(chunks, READ)}

    def _version(self) -> Searcher:
        found: Any = self._searcher()
        return found  # type: ignore[no-any-return]


def _restricted(query: Node) -> tuple[str, frozenset[int]]:
    """The column and numbers that a query is restricted to; no column for one that is not."""
    for part in _needed(query):
        if isinstance(part, Numbers):
            return part.column, part.numbers
    return "", frozenset()


def _needed(query: Node) -> Iterator[Node]:
    yield query
    if isinstance(query, Weighed):
        yield from _needed(query.inner)
    for part in getattr(query, "must", ()):
        yield from _needed(part)


def _by_score(row: tuple[float, int]) -> tuple[float, int]:
    return -row[0], row[1]
