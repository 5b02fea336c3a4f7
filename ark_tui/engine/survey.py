"""Measures of one state of the corpus, computed on first use and kept in memory while it lasts.

Documents are addressed by their row index in the vector index, so exactly the indexed documents are measured.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.work import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.blocks import Blocks
    from ark_tui.analysis.fiedler import Fiedler
    from ark_tui.analysis.neighbours import Neighbours
    from ark_tui.analysis.network import Division, Network
    from ark_tui.analysis.novelty import Apart, Eigen
    from ark_tui.domain.protocols import Matrix
    from ark_tui.engine.services import Services
    from ark_tui.index.vectors.snapshot import Snapshot

Measure = TypeVar("Measure")

AT_ONCE = 8192  # chunks per block
MEANT = 4096  # chunks per block when computing means


class Survey:
    """Numeric measures of the corpus. Raises `Cancelled` when stopped; finished measures are kept."""

    def __init__(
        self,
        parts: Services,
        *,
        resolution: float = 1.0,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
    ) -> None:
        self.parts = parts
        self.resolution = resolution
        self.stop = stop
        self.progress = progress
        self.model, fingerprint, self.view = _opened(parts)
        state = fingerprint, self.view.state if self.view else "0"
        if state not in parts.measures:
            parts.measures.clear()
        self._known = parts.measures.setdefault(state, {})

    def measured(self, name: str, make: Callable[[], Measure]) -> Measure:
        """The measure of this name, computed unless an earlier survey of this state has computed it."""
        if name not in self._known:
            self._known[name] = make()
        found: Measure = self._known[name]
        return found

    # -- the corpus --------------------------------------------------------------------------------

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The document numbers, ascending."""
        return np.asarray(self.view.documents.number) if self.view else np.empty(0, np.int64)

    @property
    def size(self) -> int:
        return len(self.numbers)

    @cached_property
    def chunks(self) -> NDArray[np.int64]:
        """Row indices of chunks that have a vector."""
        return np.flatnonzero(self.view.embedded) if self.view else np.empty(0, np.int64)

    @cached_property
    def texts(self) -> NDArray[np.int64]:
        """Row indices of chunks with distinct vectors, the first of equal ones."""
        if self.view is None:
            return self.chunks
        _, first = np.unique(self.view.key[self.chunks], return_index=True)
        return self.chunks[np.sort(first)]

    @cached_property
    def rows(self) -> Blocks:
        """The vectors of `texts`."""
        return self._blocks(self.texts, AT_ONCE)

    def _blocks(self, chunks: NDArray[np.int64], size: int) -> Blocks:
        from ark_tui.analysis.blocks import blocks

        if self.view is None:
            return blocks(lambda _: np.zeros((0, 1), np.float32), chunks, size)
        return blocks(self.view.rows, chunks, size, self.stop)

    @cached_property
    def vectors(self) -> Matrix:
        """One unit vector per document, of shape (documents, dims); zeros for documents without one."""
        from ark_tui.analysis.blocks import means

        if self.view is None:
            return np.zeros((0, 1), np.float32)
        self._say("vectors")
        document = self.view.document_at[self.chunks]
        order = np.argsort(document, kind="stable")
        return means(self._blocks(self.chunks[order], MEANT), document[order], self.size)

    @cached_property
    def with_vector(self) -> NDArray[np.int64]:
        """Row indices of documents that have a vector."""
        found = np.zeros(self.size, bool)
        if self.view is not None:
            found[self.view.document_at[self.chunks]] = True
        return np.flatnonzero(found)

    # -- measures ----------------------------------------------------------------------------------

    @cached_property
    def neighbours(self) -> Neighbours:
        """Nearest neighbors of the documents in `with_vector`, in the same order."""
        from ark_tui.analysis.neighbours import nearest, neighbours_wanted

        def make() -> Neighbours:
            wanted = neighbours_wanted(len(self.with_vector))
            return nearest(self.vectors[self.with_vector], wanted, self.stop, self.progress)

        return self.measured("neighbours", make)

    @cached_property
    def network(self) -> Network:
        """The graph of neighbors and links of all documents."""
        from ark_tui.analysis.network import network

        source = target = np.empty(0, np.int64)
        if self.view is not None and self.size:
            links = self.view.graph
            away = links.relation > 0
            source = np.repeat(np.arange(self.size), np.diff(links.start))[away]
            target = links.place[away]
        return network(self.size, self.neighbours, self.with_vector, source, target)

    @cached_property
    def pagerank(self) -> NDArray[np.float64]:
        from ark_tui.analysis.network import pagerank

        def make() -> NDArray[np.float64]:
            self._say("foundations")
            return pagerank(self.network.walk(), stop=self.stop)

        return self.measured("pagerank", make)

    @cached_property
    def betweenness(self) -> tuple[NDArray[np.float64], int]:
        """The scores, and the number of pivots."""
        from ark_tui.analysis.betweenness import betweenness, pivots_for

        def make() -> tuple[NDArray[np.float64], int]:
            joined = self.network.joined()
            pivots = pivots_for(self.size, joined.nnz)
            return betweenness(joined, pivots, self.stop, self.progress), pivots

        return self.measured("betweenness", make)

    @cached_property
    def fiedler(self) -> tuple[NDArray[np.int64], Fiedler | None, list[int]]:
        """The largest connected component, its Fiedler vector (None below two nodes), and all sizes."""
        from ark_tui.analysis.fiedler import fiedler
        from ark_tui.analysis.network import parts

        def make() -> tuple[NDArray[np.int64], Fiedler | None, list[int]]:
            joined = self.network.joined()
            found = parts(joined)
            part, sizes = found[0] if found else np.empty(0, np.int64), list(map(len, found))
            if len(part) < 2:
                return part, None, sizes
            return part, fiedler(joined[part][:, part], stop=self.stop, progress=self.progress), sizes

        return self.measured("fiedler", make)

    @cached_property
    def division(self) -> Division:
        """The communities."""
        from ark_tui.analysis.network import communities

        return self.measured(
            f"communities-{self.resolution:g}",
            lambda: communities(self.network.joined(), self.resolution, self.stop, self.progress),
        )

    @cached_property
    def layout(self) -> NDArray[np.float64]:
        """Map coordinates of the documents in `with_vector`, in the same order."""
        from ark_tui.analysis.layout import layout

        def make() -> NDArray[np.float64]:
            at = self.with_vector
            return layout(self.vectors[at], self.network.near[at][:, at], self.stop, self.progress)

        return self.measured("map", make)

    @cached_property
    def eigen(self) -> Eigen | None:
        """The spectrum of the texts' vectors."""
        from ark_tui.analysis.novelty import spectrum

        def make() -> Eigen | None:
            self._say("novelty")
            return spectrum(self.rows)

        return self.measured("spectrum", make)

    @cached_property
    def apart(self) -> Apart | None:
        """Novelty of each of the `texts`; None without a spectrum."""
        from ark_tui.analysis.novelty import apart

        eigen = self.eigen
        return None if eigen is None else self.measured("novelty", lambda: apart(eigen, self.rows))

    def _say(self, stage: str) -> None:
        """Report a stage without measurable progress."""
        self.progress(Progress(stage, 0, None))


def _opened(parts: Services) -> tuple[str, str, Snapshot | None]:
    """Model name, fingerprint and vectors of the served model in use, else of the static model."""
    model = parts.models.in_force()
    if model is not None and (view := parts.models.reader(model).refresh()) is not None:
        return model.name, model.fingerprint, view
    static = parts.embedder
    return (static.model, static.fingerprint, parts.vectors.refresh()) if static else ("", "", None)
