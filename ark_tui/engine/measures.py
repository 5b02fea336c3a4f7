"""Measures for display: the numbers of a survey with their documents, labels and notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.analysis.terms import counted, salient
from ark_tui.domain import analysis as domain
from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import check
from ark_tui.domain.work import Progress
from ark_tui.store import documents, overview

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.gaps import Pair
    from ark_tui.analysis.novelty import Apart, Eigen
    from ark_tui.domain.documents import Document
    from ark_tui.engine.survey import Survey

POINTS = 200  # most points of a curve
PLACES = 2_000  # most documents on the map
PER_SIDE = 60  # documents at either end of the boundary used for its terms
TERMS = 5
TEXTS = 100  # with fewer texts, the noise threshold is uncertain
DOCUMENTS = 30  # with fewer documents, ranks and positions are random
DIVIDED = 0.3  # modularity of noise (docs/workbench.md)
NO_VECTORS = Hint.run("index", say="No document has a vector yet: `{}` makes them.")


class Measures:
    """Each method is one measure; lists have at most `limit` documents."""

    def __init__(self, survey: Survey, limit: int) -> None:
        self._survey = survey
        self._limit = limit

    # -- measures ----------------------------------------------------------------------------------

    def graph(self) -> domain.Graph:
        """The size of the graph."""
        from ark_tui.analysis.network import symmetric

        survey, network = self._survey, self._survey.network
        return domain.Graph(
            documents=survey.size,
            similar=network.similar().nnz // 2,
            links=symmetric(network.links).nnz // 2,
            k=survey.neighbours.k,
            exact=survey.neighbours.exact,
            recall=survey.neighbours.recall,
            without_vector=survey.size - len(survey.with_vector),
        )

    def novelty(self) -> domain.Novelty:
        """Novel documents, compared with the spectrum of the corpus."""
        survey, eigen, apart = self._survey, self._survey.eigen, self._survey.apart
        if eigen is None or apart is None or survey.view is None:
            return domain.Novelty(domain.Spectrum(texts=len(survey.texts)), notice=self._too_few())
        spectrum = domain.Spectrum(
            tuple(eigen.values.tolist()), eigen.rows, len(eigen.values), eigen.edge, eigen.lower_edge,
            eigen.threshold, eigen.outside,
        )  # fmt: skip
        order = apart.order()
        owner = survey.view.document_at[survey.texts[order]]
        _, first = np.unique(owner, return_index=True)
        rows = order[np.sort(first)]  # the most novel chunk of each document
        count = int((apart.excess()[rows] > 1).sum())
        notice = "" if eigen.outside else "No eigenvalue is outside the noise: nothing to be novel against."
        if not notice and eigen.rows < TEXTS:
            notice = f"Do not trust it: {eigen.rows} texts are few, a hundred are better."
        return domain.Novelty(
            spectrum, apart.limit if eigen.outside else None, count,
            tuple(self._novel(apart, eigen, rows[: min(self._limit, count or len(rows))])), notice,
        )  # fmt: skip

    def foundations(self) -> domain.Foundations:
        """Documents by PageRank."""
        from ark_tui.analysis.network import DAMPING, pattern

        survey = self._survey
        score, network = survey.pagerank, survey.network
        links = network.links.sum(axis=0)
        near = np.asarray(pattern(network.similar()).sum(axis=1)).ravel()
        joined = near + np.asarray(links).ravel() + np.asarray(network.links.sum(axis=1)).ravel() > 0
        order = np.argsort(-score, kind="stable")
        top = order[joined[order]][: self._limit]
        return domain.Foundations(
            tuple(
                domain.Foundation(document, float(score[at]), int(links[at]), int(near[at]))
                for at, document in self._documents(top)
            ),
            _curve(score), DAMPING, self._unlinked() if len(top) else self._nothing_joined(),
        )  # fmt: skip

    def bridges(self) -> domain.Bridges:
        """Documents by betweenness."""
        survey = self._survey
        score, pivots = survey.betweenness
        order = np.argsort(-score, kind="stable")
        top = order[score[order] > 0][: self._limit]
        notice = self._few() if len(top) else self._nothing_joined() or "No document connects others."
        return domain.Bridges(
            tuple(
                domain.Bridge(document, float(score[at]), self._touched(at))
                for at, document in self._documents(top)
            ),
            _curve(score), pivots, pivots >= survey.size, notice,
        )  # fmt: skip

    def boundary(self) -> domain.Boundary:
        """The weakest division of the corpus, by the Fiedler vector."""
        survey = self._survey
        part, found, sizes = survey.fiedler
        if found is None:
            return domain.Boundary(parts=tuple(sizes), notice=self._nothing_joined() or "Nothing to divide.")
        joined = survey.network.joined()[part][:, part]
        right = found.vector > 0
        order = np.argsort(found.vector, kind="stable")
        left_ends, right_ends = order[: int((~right).sum())], order[::-1][: int(right.sum())]
        words = terms(survey, [part[left_ends[:PER_SIDE]], part[right_ends[:PER_SIDE]]], TERMS)
        row = np.repeat(np.arange(len(part)), np.diff(joined.indptr))
        over = right[row] != right[joined.indices]
        crossing = np.bincount(row[over], weights=joined.data[over], minlength=len(part))
        degree = np.asarray(joined.sum(axis=1)).ravel()
        torn = np.minimum(crossing, degree - crossing) / np.maximum(degree, 1e-12)
        astride = np.lexsort((np.abs(found.vector), -torn))
        notice = (
            f"{len(sizes)} parts are not connected; this is of the largest."
            if len(sizes) > 1
            else self._few()
        )
        if len(sizes) == 1:
            notice = self._few()
        return domain.Boundary(
            value=found.value,
            residual=found.residual,
            exact=found.exact,
            parts=tuple(sizes),
            sides=tuple(
                domain.Side(len(ends), own, tuple(d for _, d in self._documents(part[ends[: self._limit]])))
                for ends, own in zip((left_ends, right_ends), words, strict=True)
            ),
            at_boundary=tuple(d for _, d in self._documents(part[astride[torn[astride] > 0][: self._limit]])),
            crossing=int(over.sum()) // 2,
            edges=joined.nnz // 2,
            order=_spread(found.vector[order]),
            notice=notice,
        )

    def communities(self) -> domain.Communities:
        """Communities of documents with their labels."""
        survey = self._survey
        sizes = np.bincount(survey.division.of, minlength=1)
        left = int((sizes > 1).sum()) - len(self._labels)
        notice = f"{left} small ones are not listed." if left > 0 else ""
        if survey.division.modularity < DIVIDED:
            notice = f"Do not trust it: a modularity of {survey.division.modularity:.2f} is that of noise."
        if not self._labels:
            notice = self._nothing_joined() or "No documents belong together."
        return domain.Communities(
            tuple(self._community(number) for number in range(len(self._labels))),
            survey.division.modularity, survey.resolution, int((sizes == 1).sum()), notice,
        )  # fmt: skip

    def map(self) -> domain.Map:
        """The corpus as a two-dimensional map."""
        survey = self._survey
        places, at = survey.layout, survey.with_vector
        if not len(places):
            return domain.Map(notice=NO_VECTORS)
        of = survey.division.of[at]
        regions = []
        for number, label in enumerate(self._labels):
            inside = places[of == number]
            if len(inside):
                x, y = np.median(inside, axis=0).tolist()
                regions.append(domain.Region(number + 1, label.name, len(inside), x, y))
        order = np.lexsort((at, of))
        drawn = np.sort(order[_evenly(len(order), PLACES)])
        named = dict(self._documents(at[drawn]))
        kept = len(self._labels)
        return domain.Map(
            tuple(
                domain.Place(
                    named[int(at[p])], float(places[p, 0]), float(places[p, 1]),
                    int(of[p]) + 1 if of[p] < kept else 0,
                )
                for p in drawn.tolist()
                if int(at[p]) in named
            ),
            tuple(regions), len(at), self._few(),
        )  # fmt: skip

    def gaps(self) -> domain.Gaps:
        """Pairs of communities that are similar in meaning but have few links."""
        survey = self._survey
        if not survey.network.links.nnz:
            return domain.Gaps(notice="No document links to another: every two neighbours would be a gap.")
        found, considered = self._pairs()
        listed = [pair for pair in found if max(pair.a, pair.b) < len(self._labels)][: self._limit]
        links = survey.network.links.nnz
        notice = f"Do not trust it: of {links:,} links among {survey.size:,} documents, everything is a gap."
        if not considered:
            notice = "There are no two communities to compare."
        elif links >= survey.size / 2:
            notice = ""
        return domain.Gaps(tuple(filter(None, map(self._gap, listed))), considered, notice)

    # -- inside ------------------------------------------------------------------------------------

    @cached_property
    def _labels(self) -> list[Label]:
        return labels(self._survey)

    def _novel(self, apart: Apart, eigen: Eigen, rows: NDArray[np.int64]) -> Iterable[domain.Novel]:
        from ark_tui.analysis.novelty import sharing

        survey = self._survey
        assert survey.view is not None
        chunks = survey.texts[rows]
        numbers = survey.view.chunk[chunks]
        with survey.parts.store.read() as lease:
            found = documents.found(lease, numbers.tolist())
        idf = self._idf()
        shared = sharing(apart, eigen, rows, survey.rows).tolist()
        for row, chunk, number, by in zip(
            rows.tolist(), chunks.tolist(), numbers.tolist(), shared, strict=True
        ):
            if number not in found:  # deleted meanwhile
                continue
            direction = int(apart.direction[row])
            yield domain.Novel(
                found[number].document,
                "direction" if apart.along_direction(row) else "beyond",
                float(apart.score[row]), direction + 1, float(eigen.values[direction]),
                float(apart.part[row]), by,
                self._nearest(int(survey.view.document_at[chunk])), found[number].chunk.id,
                salient(counted(f"{found[number].document.title}\n{found[number].text}"), idf, TERMS),
                bool(apart.excess()[row] > 1),
            )  # fmt: skip

    def _idf(self) -> Callable[[str], float]:
        words = self._survey.parts.words
        words.refresh()
        return words.idf if words.ready else lambda _: 1.0

    def _nearest(self, place: int) -> float | None:
        neighbours = self._survey.neighbours
        at = int(np.searchsorted(self._survey.with_vector, place))
        if not neighbours.k or neighbours.row[at, 0] < 0:
            return None
        return float(neighbours.cosine[at, 0])

    def _touched(self, place: int) -> tuple[str, ...]:
        """Labels of the three communities most connected to a document, its own first."""
        survey = self._survey
        joined = survey.network.joined()
        ends = slice(joined.indptr[place], joined.indptr[place + 1])
        weights = np.bincount(survey.division.of[joined.indices[ends]], weights=joined.data[ends])
        own = int(survey.division.of[place])
        order = [
            own,
            *(c for c in np.argsort(-weights, kind="stable").tolist() if c != own and weights[c] > 0),
        ]
        return tuple(self._labels[c].name for c in order[:3] if c < len(self._labels))

    def _community(self, number: int) -> domain.Community:
        survey, label = self._survey, self._labels[number]
        group = np.flatnonzero(survey.division.of == number)
        top = group[np.argsort(-survey.pagerank[group], kind="stable")[: self._limit]]
        return domain.Community(
            number + 1, label.name, len(group), label.terms, label.tags,
            tuple(document for _, document in self._documents(top)),
        )  # fmt: skip

    def _pairs(self) -> tuple[list[Pair], int]:
        from ark_tui.analysis.gaps import gaps
        from ark_tui.analysis.network import symmetric

        survey = self._survey
        return survey.measured(
            f"gaps-{survey.resolution:g}",
            lambda: gaps(survey.vectors, survey.division.of, symmetric(survey.network.links)),
        )

    def _gap(self, pair: Pair) -> domain.Gap | None:
        ends = [document for _, document in self._documents(pair.nearest)]
        if len(ends) < 2:  # one was deleted meanwhile
            return None
        return domain.Gap(
            self._community(pair.a), self._community(pair.b), pair.closeness, pair.links, pair.expected,
            (ends[0], ends[1]),
        )  # fmt: skip

    def _documents(self, places: NDArray[np.int64] | Sequence[int]) -> list[tuple[int, Document]]:
        """Documents at row indices, in that order, without those deleted meanwhile."""
        wanted = np.asarray(places, np.int64)
        numbers = self._survey.numbers[wanted].tolist()
        with self._survey.parts.store.read() as lease:
            found = documents.documents(lease, numbers)
        return [
            (at, found[number])
            for at, number in zip(wanted.tolist(), numbers, strict=True)
            if number in found
        ]

    def _too_few(self) -> str:
        if not len(self._survey.texts):
            return NO_VECTORS
        return f"{len(self._survey.texts)} different texts are too few to tell structure from noise."

    def _few(self) -> str:
        size = self._survey.size
        return f"Do not trust small differences: {size} documents are few." if size < DOCUMENTS else ""

    def _unlinked(self) -> str:
        if self._survey.network.links.nnz:
            return self._few()
        return "There are no links, so this shows generic texts, not cited ones."

    def _nothing_joined(self) -> str:
        if not self._survey.size:
            return Hint.run("index", say="There are no documents yet: `{}` indexes a folder.")
        return "" if self._survey.network.joined().nnz else "No document is near another, and none is linked."


def _curve(score: NDArray[np.float64]) -> tuple[float, ...]:
    """All scores in descending order, sampled to at most `POINTS`."""
    return _spread(-np.sort(-score))


def _spread(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(values[_evenly(len(values), POINTS)].tolist())


def _evenly(count: int, most: int) -> NDArray[np.int64]:
    """At most `most` of `count` indices, evenly spaced, including first and last."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).astype(np.int64))


NAMED = 60  # largest communities that get a label
SAMPLE = 40  # documents nearest to the center of a community, used for its terms
CHARACTERS = 3000  # of each document
LABEL_TERMS = 5
IN_LABEL = 3
TAGS = 5
MOST = 0.5  # share of the community's documents that must have a tag for it to be the label …
OWN = 2.0  # … and how much more frequent it must be than in the whole corpus
STAGE = "labels"


@dataclass(frozen=True, slots=True)
class Label:
    """A community's name, its terms and its most frequent tags."""

    name: str
    terms: tuple[str, ...]
    tags: tuple[tuple[str, int], ...]


def labels(survey: Survey) -> list[Label]:
    """Labels of the largest communities with at least two documents, largest first."""
    sizes = np.bincount(survey.division.of, minlength=1)[:NAMED]
    count = int((sizes > 1).sum())
    groups = [np.flatnonzero(survey.division.of == number) for number in range(count)]

    def make() -> list[tuple[str, ...]]:
        survey.progress(Progress(STAGE, 0, None))
        return terms(survey, [central(survey, group, SAMPLE) for group in groups], LABEL_TERMS)

    found = survey.measured(f"terms-{survey.resolution:g}", make)
    tags = [_tags(survey, group) for group in groups]
    everywhere = dict(_tags(survey, np.arange(survey.size), most=None))
    return [
        Label(_name(survey.size, len(group), own, tagged, everywhere), own, tagged)
        for group, own, tagged in zip(groups, found, tags, strict=True)
    ]


def central(survey: Survey, group: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The documents of a group nearest to its mean vector."""
    if len(group) <= count:
        return group
    own = survey.vectors[group]
    order = np.argsort(-(own @ own.mean(axis=0)), kind="stable")
    return group[order[:count]]


def terms(survey: Survey, groups: Sequence[NDArray[np.int64]], count: int) -> list[tuple[str, ...]]:
    """The terms that distinguish each group of documents (row indices) from the others."""
    from ark_tui.analysis.terms import counted, distinguishing

    counts: list[list[Counter[str]]] = []
    for group in groups:
        check(survey.stop)
        numbers = survey.numbers[group].tolist()
        with survey.parts.store.read() as lease:
            texts = overview.beginnings(lease, numbers, CHARACTERS)
        counts.append([counted(texts.get(number, "")) for number in numbers])
    return distinguishing(counts, count)


def _tags(survey: Survey, group: NDArray[np.int64], most: int | None = TAGS) -> tuple[tuple[str, int], ...]:
    """The most frequent tags of a group, with document counts."""
    if survey.view is None:
        return ()
    facts = survey.view.documents
    counted = Counter(tag for place in group.tolist() for tag in facts.tags_of(place))
    return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:most])


def _name(
    documents: int,
    size: int,
    own: tuple[str, ...],
    tagged: tuple[tuple[str, int], ...],
    everywhere: dict[str, int],
) -> str:
    for tag, count in tagged:
        usual = everywhere[tag] / documents
        if count >= MOST * size and (size == documents or count / size >= OWN * usual):
            return tag
    return ", ".join(own[:IN_LABEL]) or (tagged[0][0] if tagged else "unknown")
