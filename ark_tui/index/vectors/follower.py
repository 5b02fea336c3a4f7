"""The follower of a model's vector table: embeds new texts, updates rows and deletes old ones."""

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
from ark_tui.embedding.served import ServedEmbedder, keep_pace
from ark_tui.index.follower import Follower, Mark
from ark_tui.index.seal import MARK
from ark_tui.index.sql import among
from ark_tui.index.vectors.duplicates import Alike, Rule
from ark_tui.index.vectors.rows import BLANK, Written, key, row
from ark_tui.index.vectors.snapshot import recall
from ark_tui.index.vectors.table import KEYS, SEALS, Embeddings, VectorTable, arrow, hash_keys
from ark_tui.settings.home import read_checked, remove, write_checked
from ark_tui.store import Store, changes

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.domain.protocols import Embedder, Matrix

COLUMNS = 1  # version of the columns of vector tables
SERVED_AT_ONCE = 512  # changes per batch if a server embeds
WRITE_EVERY = 5.0  # seconds between writes of a server's vectors
RECALL = "recall.json"  # of LanceDB's index, measured when it was built
TRIED = (4, 16)  # texts in the two requests that measure the speed of a model


class VectorsFollower(Follower):
    """Keeps the vector table of one model up to date.

    If the model cannot be reached, new texts get a row without a vector, all other changes are applied, and
    the mark is not advanced, so that the next round continues there.
    """

    name = "vectors"

    def __init__(self, store: Store, folder: Path, embedder: Embedder, dedup: Rule = "strict") -> None:
        self._is_static = embedder.provider == "static"
        self.rule: Rule = dedup if self._is_static else "off"
        super().__init__(store, folder, f"vectors-{COLUMNS}-{embedder.fingerprint}-{self.rule}")
        self.embedder = embedder
        self.table = VectorTable(folder, embedder.dims)
        self.embedded = 0  # embedded texts, for the report
        self.duplicates = 0  # chunks that duplicate another document's, for the report
        self._rows: Written | None = None  # while catching up
        self._kept: tuple[object, Written] | None = None  # of the last round, with the state of the table
        self._complete = False  # whether everything applied is committed
        self._missed: ModelUnavailable | None = None  # the error that stopped embedding in this round
        self._reached = 0  # the last change before that error
        if not self._is_static:
            self.name = f"{embedder.provider} {embedder.model}"
            self.batch = SERVED_AT_ONCE

    @property
    def lock(self) -> str:
        return self.name if self._is_static else f"vectors-{self.embedder.fingerprint}"

    def reset(self) -> None:
        """Start over. Vectors are kept by text hash, unless the table is damaged."""
        self._rows = None
        readable = self.table.readable()
        for name in (MARK, SEALS):
            remove(self.folder / name)
        if readable:
            self.table.forget_chunks()
        else:
            self.table.drop()

    def sound(self, *, thorough: bool = False) -> bool:
        return self.table.sound(thorough=thorough)

    def state(self) -> FollowerState:
        found = read_checked(self.folder / RECALL)
        return replace(super().state(), recall_at_10=found and float(found["recall"]))

    def begun(self) -> bool:
        return self.table.sealed

    def cached(self) -> bool:
        """Whether vectors of this model exist."""
        return self.table.exists()

    def apply(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        check(stop)
        rows, self._complete = self._opened(), False
        alive = [chunk for chunk in batch if not chunk.gone]
        vectors, alike = self._known(alive, rows)
        missing = {
            chunk.text_hash: embedded_text(chunk.context, chunk.text)
            for chunk in alive
            if key(chunk.text_hash) not in vectors
        }
        if missing and self._missed is None:
            self._tell(len(batch) - len(missing))
            try:
                for made in self._embedded(missing, len(batch) - len(missing), stop):
                    self.embedded += len(made.hashes)
                    vectors.update(zip(hash_keys(made.hashes).tolist(), made.vectors, strict=True))
                    written = [chunk for chunk in alive if key(chunk.text_hash) in vectors]
                    alive = [chunk for chunk in alive if key(chunk.text_hash) not in vectors]
                    self._write(written, vectors, alike, rows)
            except ModelUnavailable as error:
                self._missed = error
        self._write(alive, vectors, alike, rows)
        gone = rows.among(np.array([chunk.number for chunk in batch if chunk.gone], np.int64)).tolist()
        self.table.remove(gone, rows.forget(gone))
        if self._missed is None:
            self._reached = batch[-1].change

    def commit(self, mark: Mark, *, last: bool) -> bool:  # noqa: ARG002  (each batch is written immediately)
        self._opened()
        self.table.seal()
        self._write_mark(mark if self._missed is None else replace(mark, number=self._reached))
        self._complete = True
        return True

    def finish(self) -> None:
        try:
            if self._rows is not None and self.table.exists():
                self.table.tidy()
                if self.mark().version:
                    self.table.seal()
                self._kept = (self._state(), self._rows) if self._complete else None
        finally:
            if isinstance(self.embedder, ServedEmbedder) and self.embedder.each:
                keep_pace(self.folder, self.embedder.each)
            self._rows = None
            self.table.close()

    def erase(self, living: Collection[str], wait: float) -> int:
        """Keep only the vectors of the given texts, permanently delete the others, and return their count."""
        with explained(self.folder), self._must_be_alone(wait):
            with suppress(ModelUnavailable):  # texts that wait for a server keep waiting
                self._catch_up(NEVER, ignore)
            if not self.table.exists():
                return 0
            gone = self.table.retain("hash", hash_keys(living))
            self.table.seal()
            self.table.close()
            return gone

    def try_out(self, stop: Stop = NEVER) -> float:
        """Embed and store a few texts without a vector; return the seconds per text, 0 if none is missing.

        Raises `ModelUnavailable`, and `StoreError` if another process is writing the vectors.
        """
        with explained(self.folder), self._must_be_alone(0.0):
            try:
                return self._tried_out(stop)
            finally:
                self.finish()

    def _tried_out(self, stop: Stop) -> float:
        rows, best = self._opened(), 0.0
        with self.store.read() as lease:
            some = [one for one in changes.since(lease, self.mark().number, sum(TRIED)) if not one.gone]
        known, _ = self._known(some, rows)
        texts = {one.text_hash: embedded_text(one.context, one.text) for one in some
                 if key(one.text_hash) not in known}  # fmt: skip
        for size in TRIED:
            now, texts = dict([*texts.items()][:size]), dict([*texts.items()][size:])
            if now:
                started = time.monotonic()
                made = self.embedder.embed_documents([*now.values()], stop)
                took = (time.monotonic() - started) / len(now)
                best = min(best or took, took)
                self._keep(Embeddings(tuple(now), made))
        return best

    def take_over(self, made: Embeddings, wait: float) -> None:
        """Import vectors of this model for texts that will be added to the store."""
        with explained(self.folder), self._must_be_alone(wait):
            try:
                rows = self._opened()
                keys = hash_keys(made.hashes)
                new = np.flatnonzero(~np.isin(keys, rows.hash[rows.embedded]))
                if len(new):
                    self._keep(Embeddings(tuple(made.hashes[at] for at in new), made.vectors[new]))
            finally:
                self.finish()

    def _keep(self, made: Embeddings) -> None:
        """Write vectors that belong to no chunk yet."""
        rows = [{**BLANK, "hash": key, "embedded": True} for key in hash_keys(made.hashes).tolist()]
        keys = np.zeros((len(rows), KEYS), np.uint64)
        self.table.write(arrow(rows, made.vectors, keys, self.embedder.dims), new=True)
        self._rows = None

    def drop(self, wait: float) -> None:
        """Delete all files of the index, including vectors. Raises `StoreError` if it is being written."""
        with explained(self.folder), self._must_be_alone(wait):
            self.table.close()
            remove(self.folder)

    # -- inside ------------------------------------------------------------------------------------

    def _opened(self) -> Written:
        """The existing rows; those of the last round if no other follower has written the table since."""
        if self._rows is None:
            self.table.refresh()
            state, rows = self._kept or (None, None)
            self._rows = rows if rows and state == self._state() else Written(self.table)
            self._kept = None
        return self._rows

    def _state(self) -> object:
        """Changes with every write of the table, and with every commit of a follower."""
        mark = self.folder / MARK
        stat = mark.stat() if mark.exists() else None
        return self.table.version, stat and (stat.st_mtime_ns, stat.st_ino)

    def _catch_up(self, stop: Stop, progress: OnProgress) -> int:
        self._missed = None
        self._reached = self.mark().number
        try:
            done = super()._catch_up(stop, progress)
        except IndexDamaged:
            self.table.drop()
            self.reset()
            done = super()._catch_up(stop, progress)
        if self._missed is not None:
            raise self._missed
        if done and not self.midway and self.table.index():
            write_checked(self.folder / RECALL, {"recall": recall(self.table, stop)})
            self.table.seal()
            self.table.close()
        return done

    def _known(
        self, chunks: Sequence[LiveChunk], rows: Written
    ) -> tuple[dict[int, Matrix], dict[int, set[int]]]:
        """The stored vectors of the chunks' texts, and their near-duplicates, by hash key."""
        keys = np.unique(hash_keys(chunk.text_hash for chunk in chunks))
        there = np.unique(rows.hash[rows.embedded & np.isin(rows.hash, keys)])
        if not len(there):
            return {}, {}
        where = f"embedded AND {among('hash', there.tolist())}"
        found = self.table.columns(["hash", "alike", "vector"], where)
        hashes, alike = found["hash"].to_pylist(), dict[int, set[int]]()
        for one, others in zip(hashes, found["alike"].to_pylist(), strict=True):
            alike.setdefault(one, set()).update(others)
        return dict(zip(hashes, self.table.matrix(found["vector"].combine_chunks()), strict=True)), alike

    def _embedded(self, texts: dict[str, str], done: int, stop: Stop) -> Iterator[Embeddings]:
        """Embed texts and yield them in parts; vectors made before a failure are yielded before it is raised.

        `done`: changes of the batch that need no vector, for progress reports.
        """
        hashes, wanted = tuple(texts), list(texts.values())
        if not isinstance(self.embedder, ServedEmbedder):
            yield Embeddings(hashes, self.embedder.embed_documents(wanted, stop))
            return
        made: list[Matrix] = []
        start, since = 0, time.monotonic()
        failure: BaseException | None = None
        requests = self.embedder.embedded(wanted, stop)
        while failure is None:
            check(stop)
            try:
                made.append(next(requests))
                done += len(made[-1])
                self._tell(done)
            except StopIteration:
                break
            except (ArkError, KeyboardInterrupt) as error:
                failure = error
            if made and (failure or time.monotonic() - since >= WRITE_EVERY):
                rows = np.concatenate(made)
                yield Embeddings(hashes[start : start + len(rows)], rows)
                start, made, since = start + len(rows), [], time.monotonic()
        if made:
            rows = np.concatenate(made)
            yield Embeddings(hashes[start : start + len(rows)], rows)
        if failure is not None:
            raise failure

    def _write(
        self,
        chunks: Sequence[LiveChunk],
        vectors: dict[int, Matrix],
        alike: dict[int, set[int]],
        rows: Written,
    ) -> None:
        """Write the rows of chunks, with their vectors if available; new texts get their near-duplicates."""
        if not chunks:
            return
        chunks = [*{chunk.number: chunk for chunk in chunks}.values()]
        own = hash_keys(chunk.text_hash for chunk in chunks)
        none = np.zeros(self.embedder.dims, np.float32)
        matrix = np.stack([vectors.get(key, none) for key in own.tolist()])
        places = rows.places([chunk.number for chunk in chunks])
        new, same = places < 0, places >= 0
        same[same] = rows.hash[places[same]] == own[same]
        fresh = np.flatnonzero(~same)
        found = Alike(self.store, self.table, self.rule).found(
            [chunks[at] for at in fresh], matrix[fresh], rows
        )
        self.duplicates += int((found.repeats & new[fresh]).sum())
        keys = np.zeros((len(chunks), KEYS), np.uint64)
        keys[same], keys[fresh] = rows.keys[places[same]], found.keys
        near = [sorted(alike.get(key, ())) for key in own.tolist()]
        for at, others in zip(fresh, found.alike, strict=True):
            near[at] = others
        listed = [
            row(chunk, embedded=key in vectors, alike=others)
            for chunk, key, others in zip(chunks, own.tolist(), near, strict=True)
        ]
        self.table.write(arrow(listed, matrix, keys, self.embedder.dims), new=bool(new.all()))
        if kept := rows.add(listed, keys):
            self.table.reuse(kept)
