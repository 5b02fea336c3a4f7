"""Queries by words over rows of the table: what tantivy is asked for at home, worked out here for a row.

`Make` has tantivy's constructors of queries, so that one way of putting a query serves both. A score is
tantivy's: BM25 (k1 1.2, b 0.75) with a field's length rounded down as its index keeps it in a byte, summed
over what must or may be there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Protocol, TypeAlias

from tantivy import Occur

K1, B = 1.2, 0.75
LENGTHS = [
    *range(24),
    *(24 + (step if step < 8 else (8 + step % 8) << (step // 8 - 1)) for step in range(232)),
]
"""The lengths that a byte can say: up to 40 all, then ever fewer."""


Leaf: TypeAlias = tuple[str, Sequence[str], float]


class Statistics(Protocol):
    """What scores depend on besides the row."""

    def doc_freq(self, field: str, term: str) -> int:
        """In how many chunks a term is."""

    def mean(self, field: str) -> float:
        """How many terms a chunk has in a field."""

    @property
    def num_docs(self) -> int:
        """Chunks."""


class Row:
    """The words of a chunk, by field."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self._terms: dict[str, list[str]] = {}
        self._counts: dict[str, Counter[str]] = {}

    def terms(self, field: str) -> list[str]:
        """In their order; those of a name are one."""
        if field not in self._terms:
            value = self.values.get(field) or ""
            self._terms[field] = [value] if field in ("language", "layer") else value.split()
        return self._terms[field]

    def count(self, field: str, term: str) -> int:
        """How often a term is in a field."""
        if field not in self._counts:
            self._counts[field] = Counter(self.terms(field))
        return self._counts[field][term]


class Node(Protocol):
    """A query."""

    def score(self, row: Row, of: Statistics) -> float | None:
        """What it gives a row; None where that does not match."""

    def leaves(self, weight: float = 1.0) -> Iterator[Leaf]:
        """The terms, or terms in a row, by which a row may match, each with its field and weight."""


def rarity(frequency: int, total: int) -> float:
    """Of a term: ln(1 + (N − n + ½) / (n + ½))."""
    return log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def saturated(times: float, length: int, mean: float) -> float:
    """What a term's being there so often counts for in a field of this length."""
    kept = LENGTHS[bisect_right(LENGTHS, length) - 1]
    share: float = (K1 + 1) * times / (times + K1 * (1 - B + B * kept / (mean or 1.0)))
    return share


@dataclass(frozen=True, slots=True)
class Words:
    """Terms one after the other in a field; mostly one."""

    field: str
    terms: Sequence[str]

    def score(self, row: Row, of: Statistics) -> float | None:
        times = row.count(self.field, self.terms[0])
        if times and len(self.terms) > 1:
            there, wanted = row.terms(self.field), [*self.terms]
            times = sum(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1))
        if not times:
            return None
        weight = sum(rarity(of.doc_freq(self.field, term), of.num_docs) for term in self.terms)
        return weight * saturated(times, len(row.terms(self.field)), of.mean(self.field))

    def leaves(self, weight: float = 1.0) -> Iterator[Leaf]:
        yield self.field, self.terms, weight


@dataclass(frozen=True, slots=True)
class Numbers:
    """The chunk, or its document, is one of these."""

    column: str
    numbers: frozenset[int]

    def score(self, row: Row, of: Statistics) -> float | None:  # noqa: ARG002
        return 1.0 if row.values[self.column] in self.numbers else None

    def leaves(self, weight: float = 1.0) -> Iterator[Leaf]:  # noqa: ARG002
        yield from ()


@dataclass(frozen=True, slots=True)
class Weighed:
    """Another query, whose score is multiplied, or always the same."""

    inner: Node
    weight: float = 1.0
    constant: bool = False

    def score(self, row: Row, of: Statistics) -> float | None:
        inner = self.inner.score(row, of)
        return inner if inner is None else self.weight * (1.0 if self.constant else inner)

    def leaves(self, weight: float = 1.0) -> Iterator[Leaf]:
        return self.inner.leaves(weight * self.weight)


@dataclass(frozen=True, slots=True)
class Any_:  # noqa: N801
    """One of some queries, or more: the best of their scores, or their sum."""

    parts: Sequence[Node]
    combine: Callable[[Sequence[float]], float]

    def score(self, row: Row, of: Statistics) -> float | None:
        found = [one for part in self.parts if (one := part.score(row, of)) is not None]
        return self.combine(found) if found else None

    def leaves(self, weight: float = 1.0) -> Iterator[Leaf]:
        for part in self.parts:
            yield from part.leaves(weight)


@dataclass(frozen=True, slots=True)
class Both:
    """All of what must be there, nothing of what must not, and the sum with what may."""

    must: Sequence[Node]
    may: Sequence[Node] = ()
    never: Sequence[Node] = ()

    def score(self, row: Row, of: Statistics) -> float | None:
        needed = [part.score(row, of) for part in self.must]
        if None in needed or any(part.score(row, of) is not None for part in self.never):
            return None
        return sum(one for one in (*needed, *(part.score(row, of) for part in self.may)) if one is not None)

    def leaves(self, weight: float = 1.0) -> Iterator[Leaf]:
        for part in (*self.must, *self.may):
            yield from part.leaves(weight)


class Make:
    """Tantivy's constructors of queries, as far as words are asked for."""

    @staticmethod
    def term_query(_: object, field: str, term: str) -> Node:
        """A term in a field."""
        return Words(field, (term,))

    @staticmethod
    def phrase_query(_: object, field: str, terms: Sequence[str]) -> Node:
        """Terms one after the other."""
        return Words(field, tuple(terms))

    @staticmethod
    def term_set_query(_: object, field: str, terms: Sequence[str]) -> Node:
        """One of some terms; of ids, one of the chunks, or of the documents."""
        if field in ("id", "owner"):
            column = "chunk" if field == "id" else "document"
            return Numbers(column, frozenset(map(int, terms)))
        return Weighed(Any_([Words(field, (term,)) for term in terms], sum), constant=True)

    @staticmethod
    def const_score_query(inner: Node, score: float) -> Node:
        """The same score wherever a query matches."""
        return Weighed(inner, score, constant=True)

    @staticmethod
    def boost_query(inner: Node, weight: float) -> Node:
        """A query whose scores are multiplied."""
        return Weighed(inner, weight)

    @staticmethod
    def disjunction_max_query(parts: Sequence[Node]) -> Node:
        """One of some queries or more, with the best of their scores."""
        return Any_(parts, max)

    @staticmethod
    def boolean_query(parts: Sequence[tuple[Occur, Node]]) -> Node:
        """What must, may and must not be there."""
        must, may, never = (
            [part for occur, part in parts if occur == wanted]
            for wanted in (Occur.Must, Occur.Should, Occur.MustNot)
        )
        return Both(must, may, never) if must or never else Any_(may, sum)

    @staticmethod
    def empty_query() -> Node:
        """What matches nothing."""
        return Any_((), sum)
