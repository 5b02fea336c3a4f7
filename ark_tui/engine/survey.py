"""Measures of one state of the corpus, computed on first use and cached.

Documents are addressed by their row index in the vector index, so exactly the indexed documents are measured.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.work import Progress
from ark_tui.settings import Home

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.analysis.blocks import Blocks
    from ark_tui.analysis.fiedler import Fiedler
    from ark_tui.analysis.neighbours import Neighbours
    from ark_tui.analysis.network import Division, Network
    from ark_tui.analysis.novelty import Apart
    from ark_tui.analysis.spectrum import Eigen
    from ark_tui.domain.protocols import Matrix
    from ark_tui.engine.services import Services
    from ark_tui.index.vectors.snapshot import Snapshot

VERSION = "2"  # of the measures; a new version invalidates the cache
AT_ONCE = 8192  # chunks per block
MEANT = 4096  # chunks per block when computing means


class Survey:
    """Numeric measures of the corpus. Raises `Cancelled` when stopped; finished measures stay cached."""

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
        self.model, self.fingerprint, self.view = _opened(parts)

    # -- the corpus --------------------------------------------------------------------------------

    @cached_property
    def kept(self) -> Kept:
        """The cache for this state of the corpus and this model."""
        state = self.view.state if self.view else "0"
        return Kept(place(self.parts.settings.home) / f"{self.fingerprint or 'none'}-{VERSION}", state)

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
        from ark_tui.analysis.documents import means

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
        from ark_tui.analysis.neighbours import Neighbours, nearest, neighbours_wanted

        def make() -> Arrays:
            found = nearest(
                self.vectors[self.with_vector], neighbours_wanted(len(self.with_vector)),
                self.stop, self.progress,
            )  # fmt: skip
            recall = np.nan if found.recall is None else found.recall
            return {
                "row": found.row, "cosine": found.cosine,
                "exact": np.array(found.exact), "recall": np.array(recall),
            }  # fmt: skip

        kept = self.kept.get("neighbours", make)
        exact = bool(kept["exact"])
        return Neighbours(kept["row"], kept["cosine"], exact, None if exact else float(kept["recall"]))

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

        def make() -> Arrays:
            self._say("foundations")
            return {"score": pagerank(self.network.walk(), stop=self.stop)}

        return self.kept.get("pagerank", make)["score"]

    @cached_property
    def betweenness(self) -> tuple[NDArray[np.float64], int]:
        """The scores, and the number of pivots."""
        from ark_tui.analysis.betweenness import betweenness, pivots_for

        def make() -> Arrays:
            joined = self.network.joined()
            pivots = pivots_for(self.size, joined.nnz)
            score = betweenness(joined, pivots, self.stop, self.progress)
            return {"score": score, "pivots": np.array(pivots)}

        kept = self.kept.get("betweenness", make)
        return kept["score"], int(kept["pivots"])

    @cached_property
    def fiedler(self) -> tuple[NDArray[np.int64], Fiedler | None, list[int]]:
        """The largest connected component, its Fiedler vector (None below two nodes), and all sizes."""
        from ark_tui.analysis.fiedler import Fiedler, fiedler
        from ark_tui.analysis.network import parts

        def make() -> Arrays:
            joined = self.network.joined()
            found = parts(joined)
            part = found[0] if found else np.empty(0, np.int64)
            sizes = np.array([len(one) for one in found], np.int64)
            if len(part) < 2:
                return {"part": part, "sizes": sizes}
            done = fiedler(joined[part][:, part], stop=self.stop, progress=self.progress)
            figures = np.array([done.value, done.residual, float(done.exact)])
            return {"part": part, "sizes": sizes, "vector": done.vector, "figures": figures}

        kept = self.kept.get("fiedler", make)
        sizes = kept["sizes"].tolist()
        if "vector" not in kept:
            return kept["part"], None, sizes
        value, residual, exact = kept["figures"].tolist()
        return kept["part"], Fiedler(value, kept["vector"], residual, bool(exact)), sizes

    @cached_property
    def division(self) -> Division:
        """The communities."""
        from ark_tui.analysis.network import Division, communities

        def make() -> Arrays:
            found = communities(self.network.joined(), self.resolution, self.stop, self.progress)
            return {"of": found.of, "modularity": np.array(found.modularity)}

        kept = self.kept.get(f"communities-{self.resolution:g}", make)
        return Division(kept["of"], float(kept["modularity"]))

    @cached_property
    def layout(self) -> NDArray[np.float64]:
        """Map coordinates of the documents in `with_vector`, in the same order."""
        from ark_tui.analysis.layout import layout

        def make() -> Arrays:
            at = self.with_vector
            near = self.network.near[at][:, at]
            return {"places": layout(self.vectors[at], near, self.stop, self.progress)}

        return self.kept.get("map", make)["places"]

    @cached_property
    def eigen(self) -> Eigen | None:
        """The spectrum of the texts' vectors."""
        from ark_tui.analysis.spectrum import Eigen, spectrum

        def make() -> Arrays:
            self._say("novelty")
            found = spectrum(self.rows)
            if found is None:
                return {}
            figures = np.array([found.rows, found.edge, found.lower_edge, found.threshold])
            return {
                "values": found.values, "vectors": found.vectors, "mean": found.mean,
                "deviation": found.deviation, "varies": found.varies, "figures": figures,
            }  # fmt: skip

        kept = self.kept.get("spectrum", make)
        if not kept:
            return None
        rows, edge, lower, threshold = kept["figures"].tolist()
        return Eigen(
            kept["values"], kept["vectors"], kept["mean"], kept["deviation"], kept["varies"],
            int(rows), edge, lower, threshold,
        )  # fmt: skip

    @cached_property
    def apart(self) -> Apart | None:
        """Novelty of each of the `texts`; None without a spectrum."""
        from ark_tui.analysis.novelty import Apart, apart

        eigen = self.eigen
        if eigen is None:
            return None

        def make() -> Arrays:
            found = apart(eigen, self.rows)
            return {
                "score": found.score, "inside": found.inside, "direction": found.direction,
                "part": found.part, "coordinate": found.coordinate, "alone": found.alone,
                "limit": np.array(found.limit),
            }  # fmt: skip

        kept = self.kept.get("novelty", make)
        return Apart(
            kept["score"], kept["inside"], kept["direction"], kept["part"], kept["coordinate"], kept["alone"],
            float(kept["limit"]),
        )  # fmt: skip

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


Arrays = Mapping[str, "NDArray[Any]"]

STATES = 2  # cached states of the corpus


def place(home: Home) -> Path:
    """The folder of the cached measures."""
    return home.cache / "analysis"


def forget(home: Home) -> None:
    """Delete all cached measures, as they contain terms of purged texts."""
    if place(home).is_dir():
        shutil.rmtree(place(home))


class Kept:
    """Cache with one folder per state of the corpus and one file per measure; damaged files are replaced."""

    def __init__(self, folder: Path, state: str) -> None:
        self._folder = folder / state
        self.read: list[str] = []  # measures read from the cache

    def get(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of a name, computed and stored if missing."""
        found = self._stored(name)
        if found is not None:
            self.read.append(name)
            return found
        made = dict(make())
        self._put(name, made)
        return made

    def _stored(self, name: str) -> Arrays | None:
        return _loaded(self._folder / f"{name}.npz")

    def _put(self, name: str, arrays: Arrays) -> None:
        """Write a file atomically. Without write permission, nothing is cached."""
        path = self._folder / f"{name}.npz"
        beside = path.with_name(f"{name}.new.npz")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            np.savez(beside, **dict(arrays))  # type: ignore[arg-type]
            beside.replace(path)
            for old in self._others()[STATES - 1 :]:
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            beside.unlink(missing_ok=True)

    def _others(self) -> list[Path]:
        """The folders of other states, newest first."""
        if not self._folder.parent.is_dir():
            return []
        others = [path for path in self._folder.parent.iterdir() if path.is_dir() and path != self._folder]
        return sorted(others, key=lambda path: -path.stat().st_mtime_ns)


def _loaded(path: Path) -> Arrays | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile):
        return None
