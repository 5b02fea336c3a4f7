"""Publishes the indexes of a home in a table elsewhere.

It follows both of them: a chunk is published when they have it, with the vectors and terms that they have.
Rows go to versions of the table that nobody reads yet; that they are in force is said last, in one row
(`place`). Whoever is killed before has published nothing, and applies the same again.
"""

from __future__ import annotations

import io
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.documents import LiveChunk
from ark_tui.domain.errors import ArkError, Hint, StoreError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.index.follower import Follower, Mark
from ark_tui.index.standing import words_version
from ark_tui.index.table import rows, sql
from ark_tui.index.table.place import CURRENT, KEPT, PARTS, Damaged, Place, Published
from ark_tui.index.table.snapshot import EXACT
from ark_tui.index.table.turn import holder, taken
from ark_tui.settings.home import remove
from ark_tui.store import changes

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ark_tui.embedding.served import ServedModel
    from ark_tui.index.table.turn import Turn
    from ark_tui.index.vectors.reader import Vectors
    from ark_tui.index.vectors.rows import Rows
    from ark_tui.index.vectors.view import View
    from ark_tui.index.words.reader import Words
    from ark_tui.store import Store

VERSION = "3"  # of the columns
PUBLISH_EVERY = 30.0  # seconds between two publications while catching up
SEARCHED = ("body", "title", "heading", "before", "names", "spaceless", "times")
LOOKED_UP = ("chunk", "document", "id", "path")
BITS = 2  # of each dimension of a vector that its index holds
UNINDEXED = 16  # one in so many rows may be new before the indexes are renewed
ALL = 1 << 24  # rows
KEYS = 4096  # terms looked up at once


class TableFollower(Follower):
    """Writes the table at a place. One process at a time does: that which holds the lock in the home.

    `served`: the served model in force, and its vectors.
    """

    name = "table"

    def __init__(
        self,
        store: Store,
        folder: Path,
        place: Place,
        words: Words,
        vectors: Vectors,
        served: tuple[ServedModel, Vectors] | None = None,
    ) -> None:
        named = f"-{served[0].fingerprint}" if served else ""
        super().__init__(store, folder, f"table-{VERSION}-{words_version()}{named}")
        self.place = place
        self._served = served
        self._who = holder(store.home.path)
        self._turn: Turn | None = None
        self._words = words
        self._vectors = vectors
        self._view: View | None = None
        self._made: View | None = None  # the same of the served model
        self._lacking: set[int] = set()  # chunks without a vector of it
        self._old: Published | None = None  # what is in force
        self._new = Published()
        self._chunks: Any = None
        self._terms: Any = None
        self._more: Counter[tuple[str, str]] = Counter()  # chunks with a term, that have come or gone
        self._longer: Counter[str] = Counter()  # terms of a field, likewise
        self._published = 0.0  # when, by the monotonic clock
        self._anew = False  # whether all is to be written, whatever is there
        self._ready = 0  # the last change that both indexes have

    def reset(self) -> None:
        """Begin new tables beside those in force, which serve until these are whole."""
        remove(self.folder)
        serial = (self._old.serial if self._old else 0) + 1
        chunks, terms = f"chunks-{serial}", f"terms-{serial}"
        there = set(self.place.names())
        with self.place.explained():
            database, mode = self.place.database(), {"mode": "overwrite"}
            self._chunks = database.create_table(
                chunks, schema=self._schema, **(mode if chunks in there else {})
            )
            self._terms = database.create_table(
                terms, schema=_terms_schema(), **(mode if terms in there else {})
            )
        self._more.clear()
        self._longer.clear()
        self._lacking.clear()
        self._new = Published(chunks=chunks, terms=terms, pools=self._pools())
        self._anew = False

    def begun(self) -> bool:
        return False

    def sound(self, *, thorough: bool = False) -> bool:
        """Whether the tables that are in force are there; `thorough`: the words of every row can be read.

        Raises `StoreError` where the place does not answer: that is no damage.
        """
        try:
            self._open()
            old = self._old
            if old is None:
                return False
            chunks, terms = (self.place.table(name, old.versions[name]) for name in (old.chunks, old.terms))
            with self.place.explained():
                if not thorough:
                    return True
                listed = chunks.search().select(["chunk", "card", *rows.SCORED]).to_batches()
                known = self.place.table(PARTS).search().limit(ALL).to_list() if old.parts else ()
                shared = {row["hash"] for row in known if _hash(row["data"]) == row["hash"]}
                terms.search().limit(ALL).to_arrow()
                return sum(map(len, listed)) == old.size and shared.issuperset(old.parts.values())
        except Damaged:
            return False

    def held(self) -> int:
        """How many chunks are published."""
        self._open()
        return self._old.size if self._old else 0

    def apply(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        """Write the rows of chunks as they are now, and remove those of the ones that are gone."""
        view = self._looked()
        alive = [chunk for chunk in batch if not chunk.gone]
        self._write(alive, view, stop)
        if gone := [chunk.number for chunk in batch if chunk.gone]:
            self._tally(self._rows_of(gone), -1)
            self._lacking.difference_update(gone)
            with self.place.explained():
                self._chunks.delete(sql.among("chunk", gone))

    def commit(self, mark: Mark, *, last: bool) -> bool:
        """Publish: counts of terms, what all chunks share, the indexes, and then that they are in force."""
        if not last and time.monotonic() - self._published < PUBLISH_EVERY:
            return False
        view = self._looked()
        self._settle(view)
        self._count()
        self._index(whole=not self.midway)
        parts = {name: self._part(data) for name, data in self._shared(view).items()}
        with self.place.explained():
            versions = {table.name: int(table.version) for table in (self._chunks, self._terms)}
            size = int(self._chunks.count_rows())
        self._words.refresh()
        new = replace(
            self._new, mark=mark, versions=versions, parts=parts, size=size, waiting=view.waiting,
            lengths=self._lengths(), languages=tuple(self._words.languages),
        )  # fmt: skip
        assert self._turn is not None
        self._turn.renew()  # where it was lost, another has written to these versions, too
        self._old = self._new = self.place.publish(new, self._old)
        self._published = time.monotonic()
        self._write_mark(mark)
        return True

    def finish(self) -> None:
        """Remove tables and versions that nobody reads any more."""
        if self._old is not None and self._chunks is not None:
            with suppress(ArkError):  # the next time
                self._sweep(self._old)

    def rebuild(self, stop: Stop = NEVER, progress: OnProgress = ignore) -> int:
        with self._must_be_alone(wait=60.0):
            self._anew = True
            return self._catch_up(stop, progress)

    def erase(self) -> None:
        """Publish anew what is there now, and leave no byte of anything else at the place."""
        if self.place.published() is None:
            return
        self.rebuild()
        with taken(self.place.uri, self._who, NEVER):
            current = self.place.published()
            if current is None:
                return
            for name in self._superseded(current):
                self.place.drop(name)
            if PARTS in self.place.names():
                kept = ", ".join(map(sql.quoted, sorted(current.parts.values())))
                with self.place.explained():
                    self.place.table(PARTS).delete(f"hash NOT IN ({kept})" if kept else "true")
                self.place.squeeze(PARTS)
            self.place.squeeze(CURRENT)

    # -- inside ------------------------------------------------------------------------------------

    def _catch_up(self, stop: Stop, progress: OnProgress) -> int:
        self._words.refresh()
        self._view = view = self._vectors.refresh()
        if view is None or not self._words.ready:
            return 0  # it follows them
        self._made = self._served[1].refresh() if self._served else None
        self._ready = min(one.current.change for one in (view, self._made) if one is not None)
        if not self._is_due():
            return 0
        try:
            with taken(self.place.uri, self._who, stop, self.store.lock.on_wait) as self._turn:
                return self._written(stop, progress)
        finally:
            self._view = self._made = self._chunks = self._terms = None

    def _is_due(self) -> bool:
        """Whether there is anything to write; for only to look, no turn is needed."""
        try:
            self._open()
        except Damaged:
            return True
        if self._anew or self._old is None:
            return True
        self._refuse_another()
        self._write_mark(self._old.mark)
        with self.store.read() as lease:
            identity, latest = changes.identity(lease), changes.latest(lease, self.stream)
        fits = self._fits(self._old.mark, identity, latest)
        if not fits or self._old.mark.number < self._ready or not self.sound():
            return True
        self._lacking = self._left_out(self._old)
        return len(self._come()) > 0

    def _written(self, stop: Stop, progress: OnProgress) -> int:
        try:
            self._open()  # nobody else writes from here on
        except Damaged:
            if not self._anew:
                raise
            self.place.drop(CURRENT)  # it can tell nothing any more
            self._old = None
        if self._old is None:
            remove(self.folder)
        else:
            self._refuse_another()
            self._write_mark(self._old.mark)
            if not self._anew:
                self._resume(self._old)
        self._published = time.monotonic()
        done = super()._catch_up(stop, progress)
        if not done and (come := self._come()):
            done = len(come)
            self.commit(self._new.mark, last=True)
        return done

    def _open(self) -> None:
        self._old = self.place.published()
        if self._old is None:
            return
        self._new = self._old

    def _resume(self, old: Published) -> None:
        """Go on from what is in force, without what somebody has written after it and not published."""
        self._more.clear()
        self._longer.clear()
        self._lacking = self._left_out(old)
        self._chunks, self._terms = (self.place.table(name) for name in (old.chunks, old.terms))
        for table in (self._chunks, self._terms):
            with self.place.explained():
                if table.version != old.versions[table.name]:
                    table.checkout(old.versions[table.name])
                    table.restore()

    def _left_out(self, old: Published) -> set[int]:
        """The chunks of a version that have no vector of its served model."""
        key = old.parts.get(rows.LACKING)
        return set(self.place.part(key).tolist()) if key else set()

    def _come(self) -> list[int]:
        """Those that lack a vector of the served model, and of which there is one now."""
        if not self._lacking or self._made is None:
            return []
        numbers = np.array(sorted(self._lacking), np.int64)
        found: list[int] = numbers[_row_of(self._made, numbers) >= 0].tolist()
        return found

    @property
    def _model(self) -> ServedModel | None:
        """The served model whose vectors are published: that in force, where there are any."""
        return self._served[0] if self._served and self._made is not None else None

    @property
    def _schema(self) -> Any:
        return rows.schema(self._model.dims if self._model else 0)

    def _refuse_another(self) -> None:
        with self.store.read() as lease:
            mine = changes.identity(lease)
        if self._old and self._old.mark.store != mine.store:
            raise StoreError(
                f"The table at {self.place.uri} is another home's, and this home has texts of its own.",
                Hint.give(
                    home=True, say="Search it from a home without any ({}), or name another place in `index`."
                ),
            )

    def _fits(self, mark: Mark, identity: changes.Identity, latest: int) -> bool:
        fits = super()._fits(mark, identity, latest)
        return (
            fits
            and not self._anew
            and (self._view is None or self._old is None or self._pools() == self._old.pools)
        )

    def _next(self, mark: Mark) -> list[LiveChunk]:
        """The next changes that both indexes have."""
        return [chunk for chunk in super()._next(mark) if chunk.change <= self._ready]

    def _looked(self) -> View:
        if self._view is None:
            raise StoreError("The vectors of this home cannot be read.", Hint.run("doctor", repair=True))
        return self._view

    def _rows_of(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        with self.place.explained():
            found = self._chunks.search().where(sql.among("chunk", numbers)).limit(len(numbers))
            listed: list[dict[str, Any]] = found.select([*rows.KNOWN]).to_list()
            return listed

    def _write(self, alive: Sequence[LiveChunk], view: View, stop: Stop) -> None:
        if not alive:
            return
        written = []
        for chunk in alive:
            check(stop)
            written.append(rows.row(chunk))
        self._tally(self._rows_of([chunk.number for chunk in alive]), -1)
        self._tally(written, 1)
        table = _arrow(written, view, self._made, self._schema)
        if self._made is not None:
            numbers = table["chunk"].to_numpy()
            there = _row_of(self._made, numbers) >= 0
            self._lacking.difference_update(numbers[there].tolist())
            self._lacking.update(numbers[~there].tolist())
        with self.place.explained():
            merge = self._chunks.merge_insert("chunk").when_matched_update_all()
            merge.when_not_matched_insert_all().execute(table, on_bad_vectors="null")

    def _settle(self, view: View) -> None:
        """Write those rows anew that stand beside others now, say the same, or have a vector at last."""
        with self.place.explained():
            there = self._chunks.search().select(["chunk", "earlier", "later", "first"]).limit(ALL).to_arrow()
        numbers = there["chunk"].to_numpy()
        held = np.stack([there[name].to_numpy() for name in ("earlier", "later", "first")], axis=1)
        wanted = np.stack(_beside(view, numbers), axis=1)
        stale = sorted({*numbers[(held != wanted).any(axis=1)].tolist(), *self._come()})
        for start in range(0, len(stale), self.batch):
            with self.store.read() as lease:
                alive = changes.live(lease, dict.fromkeys(stale[start : start + self.batch], 0))
            self._write([*alive.values()], view, NEVER)

    def _tally(self, some: Iterable[dict[str, Any]], sign: int) -> None:
        """Note the terms of rows that have come, or gone."""
        count = self._more.update if sign > 0 else self._more.subtract
        for row in some:
            count(rows.terms(row))
            for name, length in rows.lengths(row):
                self._longer[name] += sign * length

    def _count(self) -> None:
        """Bring the counts of terms up to date."""
        import pyarrow as pa

        keys = {f"{field} {term}": more for (field, term), more in self._more.items() if more}
        self._more.clear()
        with self.place.explained():
            known = self._counts_of([*keys]) if self._terms.count_rows() else {}
            counts = [known.get(key, 0) + more for key, more in keys.items()]
            if keys:
                table = pa.table([[*keys], counts], schema=_terms_schema())
                merge = self._terms.merge_insert("key").when_matched_update_all()
                merge.when_not_matched_insert_all().execute(table)
                self._terms.delete("count = 0")

    def _counts_of(self, keys: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for start in range(0, len(keys), KEYS):
            some = ", ".join(map(sql.quoted, keys[start : start + KEYS]))
            read = self._terms.search().where(f"key IN ({some})").limit(KEYS).to_arrow()
            found |= zip(read["key"].to_pylist(), read["count"].to_pylist(), strict=True)
        return found

    def _lengths(self) -> dict[str, float]:
        """How many terms all chunks have in each field."""
        before = self._new.lengths
        lengths = {name: before.get(name, 0.0) + self._longer[name] for name in rows.SCORED}
        self._longer.clear()
        return lengths

    def _index(self, *, whole: bool) -> None:
        """Build what searches look things up by, or let it take up what is new where that is much."""
        from lancedb.index import BTree

        with self.place.explained():
            there = {column for index in self._chunks.list_indices() for column in index.columns}
            size = int(self._chunks.count_rows())
            if not size:
                return
            made = self._made is not None and len(self._lacking) < size
            for column, config in indexes(vectors=whole and size > EXACT, served=made).items():
                if column not in there:
                    self._chunks.create_index(column, config=config)
            if "key" not in {column for index in self._terms.list_indices() for column in index.columns}:
                self._terms.create_index("key", config=BTree())
            if whole and there and self._unindexed() * UNINDEXED > size:
                for table in (self._chunks, self._terms):
                    table.optimize(cleanup_older_than=KEPT)

    def _unindexed(self) -> int:
        stats = self._chunks.index_stats("body_idx")
        return int(stats.num_unindexed_rows) if stats else 0

    def _pools(self) -> tuple[str, ...]:
        """What the vectors are of, see `Published.pools`: where that is another, all rows are."""
        view = self._looked()
        shared = (view.idf, view.contexts.table if view.contexts else None)
        pools = ("" if one is None else _hash(np.ascontiguousarray(one).tobytes()) for one in shared)
        return (*pools, self._model.dumped()) if self._model else (*pools,)

    def _shared(self, view: View) -> dict[str, NDArray[Any]]:
        around = view.centre()
        found: dict[str, NDArray[Any] | None] = {
            "weights": view.idf, "middle": around.middle if around else None, "links": _links(view),
        }  # fmt: skip
        if view.contexts:
            found |= {"stems": view.contexts.stems, "rarities": view.contexts.rarity,
                      "latent": view.contexts.table, "length": np.array([view.contexts.length])}  # fmt: skip
        if self._lacking:
            found[rows.LACKING] = np.array(sorted(self._lacking), np.int64)
        return {name: data for name, data in found.items() if data is not None}

    def _part(self, data: NDArray[Any]) -> str:
        """The hash of what all chunks share; it is written where it is not there yet."""
        import pyarrow as pa

        file = io.BytesIO()
        np.save(file, np.ascontiguousarray(data), allow_pickle=False)
        key = _hash(file.getvalue())
        if key in self._new.parts.values():
            return key
        row = pa.table({"hash": [key], "data": pa.array([file.getvalue()], pa.large_binary())})
        if PARTS in self.place.names():
            with suppress(Damaged), self.place.explained():
                merge = self.place.table(PARTS).merge_insert("hash").when_matched_update_all()
                merge.when_not_matched_insert_all().execute(row)
                return key
            self.place.drop(PARTS)
        with self.place.explained():
            self.place.database().create_table(PARTS, row)
        return key

    def _sweep(self, current: Published) -> None:
        """Tables of earlier generations, once an hour has passed since they were superseded."""
        noted = self.folder / "superseded.json"
        since: dict[str, float] = json.loads(noted.read_text()) if noted.exists() else {}
        since = {name: since.get(name, time.time()) for name in self._superseded(current)}
        for name in [name for name, at in since.items() if time.time() - at > KEPT.total_seconds()]:
            self.place.drop(name)
            del since[name]
        if since or noted.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            noted.write_text(json.dumps(since))

    def _superseded(self, current: Published) -> set[str]:
        """Tables of chunks and terms that are not in force."""
        there = {name for name in self.place.names() if name.startswith(("chunks-", "terms-"))}
        return there - {current.chunks, current.terms}


def indexes(*, vectors: bool, served: bool = False) -> dict[str, Any]:
    """What is built for the chunks, by column; `vectors`: for these, too, and for those of a served model."""
    from lancedb.index import FTS, Bitmap, BTree, IvfRq, LabelList

    text = FTS(base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False,
               ascii_folding=False, max_token_length=None, with_position=False)  # fmt: skip
    found: dict[str, Any] = dict.fromkeys(SEARCHED, text) | dict.fromkeys(LOOKED_UP, BTree())
    found |= {"collection": Bitmap(), "within": LabelList()}
    if vectors:
        kinds = (*rows.VECTORS, rows.SERVED) if served else rows.VECTORS
        found |= dict.fromkeys(kinds, IvfRq(distance_type="dot", num_bits=BITS))
    return found


def _terms_schema() -> Any:
    import pyarrow as pa

    return pa.schema([pa.field("key", pa.string()), pa.field("count", pa.int64())])


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _beside(view: View, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """The chunks before and after each, and the first that says the same; −1 where there is none."""
    at, nobody = view.places(numbers), np.int64(rows.NONE)
    places = np.where(at[:, None] >= 0, view.beside[at], -1) if len(view) else np.full((len(at), 2), -1)
    sides = np.where(places >= 0, view.chunks.chunk[places] if len(view) else -1, nobody)
    first, repeats = numbers, view.repeats
    if len(repeats):
        found = np.searchsorted(repeats[:, 0], numbers).clip(max=len(repeats) - 1)
        first = np.where(repeats[found, 0] == numbers, repeats[found, 1], numbers)
    return sides[:, 0], sides[:, 1], first


def _row_of(view: View, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of each chunk's vector; −1 where there is none."""
    at = view.places(numbers)
    return np.where(at >= 0, view.chunks.row[at], -1) if len(view) else np.full(len(at), -1)


def _arrow(written: Sequence[dict[str, Any]], view: View, made: View | None, schema: Any) -> Any:
    """Rows with the vectors that the views have of them, and their neighbours."""
    import pyarrow as pa

    numbers = np.array([row["chunk"] for row in written], np.int64)
    earlier, later, first = _beside(view, numbers)
    row_of = _row_of(view, numbers)
    columns: dict[str, Any] = {"earlier": earlier, "later": later, "first": first}
    for name, pool in {"own": view.own, "rarity": view.by_rarity, "latent": view.latent}.items():
        columns[name] = _vectors(schema.field(name).type, pool, row_of)
    if made is not None:
        columns[rows.SERVED] = _vectors(schema.field(rows.SERVED).type, made.own, _row_of(made, numbers))
    ids = [view.tokens_of(row) if row >= 0 else None for row in row_of.tolist()]
    columns["tokens"] = pa.array(
        [None if one is None else one.tolist() for one in ids], pa.list_(pa.uint16())
    )
    for field in schema:
        values = columns.get(field.name)
        if not isinstance(values, pa.Array):
            values = [row[field.name] for row in written] if values is None else values
            columns[field.name] = pa.array(values, field.type)
    return pa.Table.from_arrays([columns[field.name] for field in schema], schema=schema)


def _vectors(kind: Any, pool: Rows | None, row_of: NDArray[np.int64]) -> Any:
    """A column of the vectors of rows, with nothing for −1."""
    import pyarrow as pa

    there = (row_of >= 0) & (pool is not None)
    flat = np.zeros((len(row_of), kind.list_size), kind.value_type.to_pandas_dtype())
    if pool is not None and there.any():
        found = pool.vectors(row_of[there].astype(np.int64))
        flat[there, : found.shape[1]] = found  # a column may be wider
    return pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), type=kind, mask=pa.array(~there))


def _links(view: View) -> NDArray[np.int64]:
    """Links as rows: from one document, to another, the relation's code."""
    links = view.links
    count = np.diff(links.offsets)
    return np.stack([
        np.repeat(links.number, count), links.number[links.links[:, 0]], links.links[:, 1],
    ], axis=1).astype(np.int64)  # fmt: skip
