"""The state of the corpus as vectors see it, from memory-mapped serving files. Never imports lancedb."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np

from ark_tui.domain.errors import IndexDamaged
from ark_tui.embedding import static
from ark_tui.index import seal
from ark_tui.index.vectors import adjacency, latent, rows, serving
from ark_tui.index.vectors.conditions import Masks
from ark_tui.index.vectors.exact import Exact
from ark_tui.index.vectors.readers import Reading
from ark_tui.index.vectors.rows import Kept, Pooled
from ark_tui.index.vectors.view import View


class Vectors:
    """The serving files of one model, for reading. Thread-safe.

    `mend` has files built anew that turn out to be damaged, unless another process is writing them.
    """

    def __init__(self, folder: Path, mend: Callable[[], object] | None = None) -> None:
        self._folder = folder / "serving"
        self._mend = mend
        self._seen: tuple[int, int] | None = None
        self._view: View | None = None
        self._opening = threading.Lock()

    def refresh(self) -> View | None:
        """The corpus as it stands; None where nothing was published yet.

        Raises `StoreError` where the files cannot be read.
        """
        try:
            stat = (self._folder / serving.CURRENT).stat()
        except OSError:
            self._view = self._seen = None
            return None
        with self._opening:
            if (stat.st_mtime_ns, stat.st_ino) != self._seen:
                self._view = self._opened()
                self._seen = (stat.st_mtime_ns, stat.st_ino)
            return self._view

    def open(self) -> Exact | None:
        """The index for one search; None where nothing was published yet.

        Raises `StoreError` where the files cannot be read.
        """
        view = self.refresh()
        return Exact(view) if view is not None else None

    def close(self) -> None:
        """Let go of the files; whoever asks again opens them anew."""
        with self._opening:
            self._view = self._seen = None

    def _opened(self) -> View:
        for repair in (None, self._mend):  # the files of a moment ago may be swept between two reads
            try:
                return self._open()
            except IndexDamaged:
                if repair is not None:
                    repair()
        return self._open()

    def _open(self) -> View:
        reading = Reading(self._folder.parent)
        current = serving.read_current(self._folder)
        if current is None or seal.fault(self._folder, current.seals):
            raise seal.damaged("vector")
        with seal.guarded("vector"):
            return self._map(current, reading)

    def _map(self, current: serving.Current, reading: Reading) -> View:
        def pools(name: str) -> list[serving.Pool]:
            return [serving.Pool(folder, name) for folder in folders]

        def contexts(name: str) -> Kept:
            arrays = [serving.read_array(folder / f"{name}.npy") for folder in folders]
            return Kept(pools(name), arrays, latent.SCALE, latent.DIGITS)

        folders = [self._folder / name for name in current.segments]
        chunks = serving.read_chunks(self._folder / current.chunks)
        documents = serving.read_documents(self._folder / current.documents, paths=False)
        tokens = [serving.Tokens.read(folder) for folder in folders if (folder / "tokens.npy").exists()]
        idf = serving.read_array(self._folder / f"{current.idf}.npy") if current.idf else None
        vocabulary = static.Vocabulary(serving.occurring(self._folder, current))
        own = rows.own(folders, vocabulary)
        if len(own) != current.rows or (len(chunks.row) and int(chunks.row.max()) >= current.rows):
            raise ValueError("rows and segments disagree")  # of another program
        place = np.searchsorted(documents.number, chunks.document)
        paths = cache(partial(serving.read_paths, self._folder / current.documents))
        return View(
            current, self._folder, chunks, documents, own,
            Pooled(pools(current.idf), tokens, idf, vocabulary) if current.idf else None,
            contexts(current.latent) if current.latent else None,
            tokens, place, idf,
            Masks(documents, chunks.chunk, place, paths),
            adjacency.read(self._folder / current.documents, documents.number),
            serving.read_groups(self._folder, current),
            latent.Table.read(self._folder / current.latent) if current.latent else None,
            serving.read_array(self._folder / current.chunks / "beside.npy"),
            reading,
        )  # fmt: skip
