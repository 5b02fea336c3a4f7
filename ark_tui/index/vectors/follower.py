"""Lets the vector index of one model catch up: embeds what is new, renews the serving files."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.documents import LiveChunk, embedded_text
from ark_tui.domain.errors import ArkError, IndexDamaged, ModelUnavailable
from ark_tui.domain.failures import explained
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import FollowerState
from ark_tui.embedding import pace, static
from ark_tui.embedding.measuring import SIZES, SPENT
from ark_tui.embedding.served import ServedEmbedder
from ark_tui.index import seal
from ark_tui.index.follower import Follower, Mark
from ark_tui.index.standing import MARK, recall_due, vectors_version, weights_due
from ark_tui.index.vectors import adjacency, latent, recall, serving, shingles
from ark_tui.index.vectors.duplicates import Duplicates, Rule
from ark_tui.index.vectors.patch import Patch
from ark_tui.index.vectors.reader import Vectors
from ark_tui.index.vectors.serving import Current
from ark_tui.index.vectors.table import Embeddings, EmbeddingTable, hash_keys
from ark_tui.index.vectors.view import neighbours
from ark_tui.settings.home import remove
from ark_tui.store import Store, changes, links

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Embedder, Matrix

PUBLISH_EVERY = 5.0  # seconds between two renewals of the serving files while catching up
SEGMENTS = 8  # of more than this, the small ones are merged
EMBED_AT_ONCE = 512  # texts between two looks at the stop token
SERVED_AT_ONCE = 128  # changes taken up at once where a server embeds, which may take its time
KEPT_EVERY = 5.0  # seconds after which what a server has embedded is kept, whatever comes then


class VectorsFollower(Follower):
    """Embeds texts that were never embedded with this model and keeps its serving files current.

    When the model cannot be reached, the texts that have no vector yet are served without one, everything
    else is followed, and the mark stays where it was: the next time goes on there.

    What a served model has made is kept in a table, since it took long. Of the embedded model nothing is: its
    token ids are made from the text as fast as they would be read.
    """

    name = "vectors"

    def __init__(self, store: Store, folder: Path, embedder: Embedder, dedup: Rule = "strict") -> None:
        near = dedup if embedder.provider == "static" else "off"
        super().__init__(store, folder, vectors_version(embedder.fingerprint, near))
        self.embedder = embedder
        self._duplicates = Duplicates(store, folder / "serving", near)
        self.embedded = 0  # texts embedded by this object, for the report
        self.serving = folder / "serving"
        self._pooled = embedder.provider == "static"  # from token ids, which are made from the text
        self._table = EmbeddingTable(folder, embedder.dims)  # of the embedded model an earlier version's
        self._round: _Round | None = None
        self._missed: ModelUnavailable | None = None  # why this round embeds nothing any more
        self._reached = 0  # the last change before that
        self._there = 0  # changes of the batch at hand that need nothing more
        if embedder.provider != "static":
            self.name = f"{embedder.provider} {embedder.model}"
            self.batch = SERVED_AT_ONCE

    @property
    def lock(self) -> str:
        return self.name if self.embedder.provider == "static" else f"vectors-{self.embedder.fingerprint}"

    @property
    def duplicates(self) -> int:
        """How many chunks this object has found to repeat another document's, for the report."""
        return self._duplicates.found

    def prepare(self) -> None:
        """Load the model, which is half a second's work."""
        if self._pooled:
            static.load()

    def reset(self) -> None:
        """Drop the serving files; the embeddings themselves are kept and used again, unless damaged."""
        if not self.folder.is_dir():
            remove(self.folder)
        remove(self.serving)
        remove(self.folder / MARK)
        if self._pooled or not self._table.sound(thorough=True):
            self._table.drop()
        self._round = None

    def sound(self, *, thorough: bool = False) -> bool:
        current = serving.read_current(self.serving)
        return (
            current is not None
            and not seal.fault(self.serving, current.seals, thorough=thorough)
            and (self._pooled or self._table.sound(thorough=thorough))
        )

    def state(self) -> FollowerState:
        current = serving.read_current(self.serving)
        return replace(super().state(), recall_at_10=current.recall if current else None)

    def cached(self) -> bool:
        """Whether the embeddings are there, so that serving files can be built without the model."""
        return self._table.exists() and self._table.sound()

    def begun(self) -> bool:
        return (self.serving / serving.CURRENT).exists()

    def apply(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        work = self._begin()
        missing = work.missing(batch)
        if missing:
            work.take_up_cached()
            missing = work.missing(batch)
        if missing and self._missed is None:
            self._there = len(batch) - len(missing)
            self._tell(self._there)
            try:
                self._embed_all(missing, work, stop)
            except ModelUnavailable as error:
                self._missed = error
        if self._missed is None:
            self._reached = batch[-1].change
        work.take(batch)
        work.stop = stop

    def commit(self, mark: Mark, *, last: bool) -> bool:
        work = self._begin()
        if not last and time.monotonic() - work.published < PUBLISH_EVERY * work.slower:
            return False
        work.publish(mark.number)
        self._write_mark(mark if self._missed is None else replace(mark, number=self._reached))
        return True

    def erase(self, living: Collection[str], wait: float) -> int:
        """Keep only the vectors of living texts, and no trace of the others; returns how many have gone.

        What is served is built anew from the vectors or texts that are left, whatever was deleted: an erasure
        that was killed may have deleted them already. Raises `StoreError` where another process writes the
        index for longer than `wait` seconds.
        """
        with explained(self.folder), self._must_be_alone(wait):
            gone = self._dead(living) if self._pooled else self._table.keep(living)
            self.reset()
            with suppress(ModelUnavailable):  # what waits for a server goes on waiting
                self._catch_up(NEVER, ignore)
            return gone

    def _dead(self, living: Collection[str]) -> int:
        """How many rows the serving files have of other texts; none where they cannot be read."""
        with suppress(IndexDamaged), seal.guarded("vector"):
            keys = serving.read_keys(self.serving, serving.read_current(self.serving) or Current())
            return int((~np.isin(keys, hash_keys([*living]))).sum())
        return 0

    def try_out(self, stop: Stop = NEVER) -> float:
        """Embed a few texts that have no vector yet, for good: the seconds for one, 0 where none lacks it.

        Raises `ModelUnavailable`, and `StoreError` where another process writes the vectors.
        """
        with explained(self.folder), self._must_be_alone(0.0):
            try:
                return self._tried_out(stop)
            finally:
                self.finish()

    def _tried_out(self, stop: Stop) -> float:
        work, best, began = self._begin(), 0.0, time.monotonic()
        with self.store.read() as lease:
            some = changes.since(lease, self.mark().number, sum(SIZES), self.stream)
        work.take_up_cached()
        missing = [*work.missing(some).items()]
        for size in SIZES:
            if not missing or time.monotonic() - began > SPENT:
                break
            texts, missing = dict(missing[:size]), missing[size:]
            wanted, started = [*texts.values()], time.monotonic()
            rows = self.embedder.embed_documents(wanted, stop)
            took = (time.monotonic() - started) / len(texts)
            best = min(best or took, took)
            self._keep(Embeddings(tuple(texts), vectors=rows), work)
        return best

    def take_over(self, rows: Embeddings, wait: float) -> None:
        """Keep vectors of this model that others have made, of texts that the store is about to have."""
        with explained(self.folder), self._must_be_alone(wait):
            try:
                new = self._table.lacking(rows.hashes)
                if new:
                    self._table.add(rows.picked(new))
                    self._table.tidy()
                    self._table.seal()
            finally:
                self._table.close()

    def drop(self, wait: float) -> None:
        """Delete every file of the index, the vectors too; raises `StoreError` where another writes them."""
        with explained(self.folder), self._must_be_alone(wait):
            remove(self.folder)

    def finish(self) -> None:
        try:
            if self._pooled:
                self._table.drop()
            if self._round is not None:
                self._table.tidy()
                self._table.seal()
                serving.sweep(self.serving, self._round.current)
        finally:
            if isinstance(self.embedder, ServedEmbedder) and self.embedded:
                pace.write(self.folder, self.embedder.pace)
            self._round = None
            self._table.close()
            if not self.midway:
                shingles.forget()

    def _begin(self) -> _Round:
        if self._round is None:
            if isinstance(self.embedder, ServedEmbedder):
                self.embedder.pace = self.embedder.pace.resumed(pace.read(self.folder))
            table = None if self._pooled else self._table
            self._round = _Round(self.store, self.serving, table, self._duplicates)
        return self._round

    def _catch_up(self, stop: Stop, progress: OnProgress) -> int:
        self._missed = None
        self._reached = self.mark().number
        try:
            done = super()._catch_up(stop, progress)
        except IndexDamaged:
            if self._pooled or self._table.sound(thorough=True):
                raise
            self._table.drop()
            self.reset()
            done = super()._catch_up(stop, progress)
        if self._missed is not None:
            raise self._missed
        self._renew_weights(stop)
        self._renew_latent(stop)
        self._test(stop)
        return done

    def _renew_weights(self, stop: Stop) -> None:
        """Weigh tokens by all texts: those that were published first were weighed by what was there."""
        current = None if self.midway else serving.read_current(self.serving)
        if current is None or not weights_due(current.rows, current.idf_rows):
            return
        with self.stages.at("weights"):
            counts = serving.read_array(self.serving / f"{current.frequencies}.npy")
            current = _weighed(self.serving, replace(current, serial=current.serial + 1), counts)
            weights = serving.read_array(self.serving / f"{current.idf}.npy")
            for name in current.segments:
                serving.write_pooled(self.serving / name, current.idf, weights, stop)
            serving.sweep(self.serving, serving.write_current(self.serving, current))

    def _renew_latent(self, stop: Stop) -> None:
        """Learn anew which words share contexts, when it is time; what was published is found meanwhile."""
        if self.midway or self.embedder.provider != "static":
            return
        current = serving.read_current(self.serving)
        if current is None or not latent.due(current):
            return
        with self.stages.at("shared contexts"):
            serving.sweep(self.serving, latent.renew(self.serving, current, stop))

    def _test(self, stop: Stop) -> None:
        """Measure how many texts a search has to look at, when it is time."""
        current = serving.read_current(self.serving)
        if self.midway or current is None or not recall_due(current.rows, current.tested_rows):
            return
        with self.stages.at("recall"):
            view = Vectors(self.folder).refresh()
            if view is not None:
                serving.write_current(self.serving, recall.tested(view, stop))

    def _embed_all(self, missing: dict[str, str], work: _Round, stop: Stop) -> None:
        for start in range(0, len(missing), EMBED_AT_ONCE):
            check(stop)
            self._embed(dict(list(missing.items())[start : start + EMBED_AT_ONCE]), work, stop)

    def _embed(self, texts: dict[str, str], work: _Round, stop: Stop) -> None:
        hashes, wanted = tuple(texts), list(texts.values())
        if not isinstance(self.embedder, ServedEmbedder):
            ids = {key: self.given.get(key) for key in hashes}
            made = iter(static.tokens([texts[key] for key in hashes if ids[key] is None], stop))
            tokens = [next(made) if one is None else one for one in ids.values()]
            self._keep(Embeddings(hashes, tokens=tokens), work)
            return
        start = 0
        for rows in self._gathered(self.embedder.embedded(wanted, stop)):
            end = start + len(rows)
            self._keep(Embeddings(hashes[start:end], vectors=rows), work)
            start = end

    def _gathered(self, requests: Iterator[Matrix]) -> Iterator[Matrix]:
        """What a server has embedded, in parts worth keeping; what had come by then, before it fails."""
        rows: list[Matrix] = []
        since = time.monotonic()
        try:
            for some in requests:
                rows.append(some)
                self._there += len(some)
                self._tell(self._there)
                if time.monotonic() - since >= KEPT_EVERY:
                    yield np.concatenate(rows)
                    rows, since = [], time.monotonic()
        except (ArkError, KeyboardInterrupt):
            if rows:
                yield np.concatenate(rows)
            raise
        if rows:
            yield np.concatenate(rows)

    def _keep(self, rows: Embeddings, work: _Round) -> None:
        work.add(rows)
        self.embedded += len(rows.hashes)


class RowNumbers:
    """The row of each text that has a vector, by its key; −1 for one that has none.

    Those known at the beginning are kept as arrays: as objects a million take a second to make, and 150 MB.
    """

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._new: dict[int, int] = {}

    def __setitem__(self, key: int, row: int) -> None:
        self._new[key] = row

    def of(self, text_hash: str) -> int:
        """The row of a text, by its hash."""
        return self[int(text_hash[:16], 16)]

    def __getitem__(self, key: int) -> int:
        if key in self._new:
            return self._new[key]
        at = int(self._keys.searchsorted(np.uint64(key)))
        return int(self._order[at]) if at < len(self._keys) and self._keys[at] == key else -1


class _Round:
    """One round of catching up: what was read from the serving files and what is to be added to them."""

    def __init__(
        self, store: Store, folder: Path, table: EmbeddingTable | None, duplicates: Duplicates
    ) -> None:
        self._store = store
        self._folder = folder
        self._table = table
        self._duplicates = duplicates
        self.stop: Stop = NEVER
        self.current = serving.read_current(folder) or Current()
        self.published = time.monotonic()
        self.slower = 1.0  # grows with every publication, so that their cost stays a small share
        duplicates.begin(self.current)
        current = self.current
        self._row_of = RowNumbers(serving.read_keys(folder, current))
        self._rows = current.rows  # with those not published yet
        self._fresh: list[Embeddings] = []
        self.patch = Patch(
            serving.read_chunks(folder / current.chunks) if current.chunks else serving.empty_chunks(),
            serving.read_documents(folder / current.documents, paths=True)
            if current.documents
            else serving.empty_documents(),
            self._row_of.of,
        )
        self._looked = False
        self._words = latent.Words()

    def missing(self, batch: Sequence[LiveChunk]) -> dict[str, str]:
        """The texts of a batch that have no vector yet, by hash."""
        return {
            chunk.text_hash: embedded_text(chunk.context, chunk.text)
            for chunk in batch
            if not chunk.gone and self._row_of.of(chunk.text_hash) < 0
        }

    def add(self, rows: Embeddings) -> None:
        """Keep new embeddings in the table, if there is one, then for the next publication."""
        if self._table is not None:
            self._table.add(rows)
        self._remember(rows)

    def take(self, batch: Sequence[LiveChunk]) -> None:
        """Note changes whose texts have been embedded, where they could be."""
        self.patch.take(batch)
        texts = {self._row_of.of(chunk.text_hash): chunk.text for chunk in batch if not chunk.gone}
        texts.pop(-1, None)
        self._duplicates.take(texts)

    def publish(self, change: int) -> None:
        """Write what is new and put it in force."""
        current = self._with_new_segment(self.current)
        chunks, documents = self.patch.merged()
        serial = current.serial + 1
        current = replace(
            current, change=change, serial=serial, chunks=f"chunks-{serial}", documents=f"documents-{serial}"
        )
        serving.write_chunks(self._folder / current.chunks, chunks, neighbours(chunks, documents))
        serving.write_documents(self._folder / current.documents, documents)
        with self._store.read() as lease:
            edges = links.all_edges(lease)
        adjacency.write(self._folder / current.documents, documents.number, edges)
        current = self._duplicates.renew(current, chunks, self.stop)
        self.current = serving.write_current(self._folder, current)
        self.published = time.monotonic()
        self.slower *= 1.5

    def _remember(self, rows: Embeddings) -> None:
        for key in hash_keys(rows.hashes).tolist():
            self._row_of[key] = self._rows
            self._rows += 1
        self._fresh.append(rows)

    def take_up_cached(self) -> None:
        """Take over rows that the table has and the serving files lack: after a crash, or a rebuild."""
        table = self._table
        if self._looked or table is None or not table.exists() or table.count() == self._rows:
            return
        self._looked = True
        table.renew()
        for rows in table.batches():
            new = [i for i, key in enumerate(hash_keys(rows.hashes).tolist()) if self._row_of[key] < 0]
            if new:
                self._remember(rows.picked(new))

    def _with_new_segment(self, current: Current) -> Current:
        """With a segment of what is new, merged with those before it where there are many small ones."""
        if not self._fresh:
            return current
        hashes = hash_keys([value for rows in self._fresh for value in rows.hashes])
        name = f"segment-{current.serial + 1}"
        current = replace(
            current,
            serial=current.serial + 1,
            segments=(*current.segments, name),
            rows=current.rows + len(hashes),
        )
        folder = self._folder / name
        if self._table is None:
            tokens = serving.Tokens.joined([ids for rows in self._fresh for ids in rows.tokens])
            serving.write_segment(folder, hashes, tokens)
            current = self._with_weights(current, tokens)
        else:
            serving.write_segment(folder, hashes)
            vectors = np.concatenate([rows.vectors for rows in self._fresh])
            serving.write_kept(folder, serving.OWN, vectors.astype(np.float16))
        self._fresh = []
        if len(current.segments) > SEGMENTS and (small := self._small(current)) < len(current.segments) - 1:
            current = self._merged(current, small)
        self._write_pools(current)
        return current

    def _with_weights(self, current: Current, new: serving.Tokens) -> Current:
        """With the token ids of new texts counted; with new weights when the corpus has doubled since."""
        counts = (
            np.array(serving.read_array(self._folder / f"{current.frequencies}.npy"))
            if current.frequencies
            else np.zeros(static.VOCABULARY, np.int32)
        )
        counts += static.frequencies(new.flat, new.offsets).astype(counts.dtype)
        serial = current.serial + 1
        current = replace(current, serial=serial, frequencies=f"frequencies-{serial}")
        serving.save(self._folder / f"{current.frequencies}.npy", counts)
        if current.idf and current.rows < 2 * current.idf_rows:
            return current
        return _weighed(self._folder, current, counts)

    def _write_pools(self, current: Current) -> None:
        """Write the vectors that a segment does not have yet: all of a new one, or those by new weights."""
        for name in current.segments:
            folder = self._folder / name
            missing = [pool for pool in current.pools if not (folder / f"{pool}.middle.npy").exists()]
            for pool in missing:
                if pool == current.latent:
                    table = latent.Table.read(self._folder / pool)
                    pooled = table.pooled(serving.Tokens.read(folder), self._words, self.stop)
                    serving.write_kept(folder, pool, pooled, latent.SCALE)
                else:
                    weights = (
                        serving.read_array(self._folder / f"{pool}.npy") if pool == current.idf else None
                    )
                    serving.write_pooled(folder, pool, weights, self.stop)

    def _small(self, current: Current) -> int:
        """From which segment on they are merged: the one before it is larger than they are together."""
        sizes = [len(serving.read_array(self._folder / name / "hashes.npy")) for name in current.segments]
        start = len(sizes) - 1
        while start and sizes[start - 1] <= sum(sizes[start:]):
            start -= 1
        return start

    def _merged(self, current: Current, start: int) -> Current:
        """One segment out of those from `start` on, in the same order, so that rows keep their numbers."""
        folders = [self._folder / name for name in current.segments[start:]]
        serial = current.serial + 1
        name = f"segment-{serial}"
        serving.merge_segments(self._folder / name, folders)
        if self._table is not None:
            kept = [serving.read_array(folder / f"{serving.OWN}.npy") for folder in folders]
            serving.write_kept(self._folder / name, serving.OWN, np.concatenate(kept))
        return replace(current, serial=serial, segments=(*current.segments[:start], name))


def _weighed(folder: Path, current: Current, counts: NDArray[np.int32]) -> Current:
    """With the weights of the token ids of all texts, which have been counted."""
    current = replace(current, idf=f"idf-{current.serial}", idf_rows=current.rows)
    serving.save(folder / f"{current.idf}.npy", idf_weights(counts, current.rows))
    return current


def idf_weights(counts: NDArray[np.int32], total: int) -> NDArray[np.float32]:
    """A weight per token id: ln(1 + N / (1 + n)), N texts, n of which have the token."""
    return np.log1p(total / (1.0 + counts)).astype(np.float32)
