"""What a served model has made is kept and taken over, whatever happened; of the embedded one nothing is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ark_tui.embedding import static
from ark_tui.embedding.ollama import Ollama, OllamaEmbedder
from ark_tui.index import seal, standing
from ark_tui.index.vectors import serving
from ark_tui.index.vectors.table import EmbeddingTable, driver
from tests.corpora import Bench, arrival, filled
from tests.index.test_damage import DAMAGES, flip
from tests.index.test_followers import TEXTS
from tests.ollama_server import OllamaServer


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer("all-minilm") as server:
        yield server


class Served:
    """A home whose vectors a server makes; `again` is what the next process would open."""

    def __init__(self, path: Path, server: OllamaServer) -> None:
        self.path, self.server = path, server
        ollama = Ollama(server.host)
        self.bench = Bench(path, embedder=OllamaEmbedder(ollama.describe("all-minilm"), ollama))
        self.follower = self.bench.vectors_follower
        self.table = self.follower.folder / "embeddings.lance"

    def again(self) -> Served:
        return Served(self.path, self.server)

    def vectors(self) -> np.ndarray:
        view = self.bench.vectors.refresh()
        assert view is not None
        return view.own.vectors(view.chunks.row.astype(np.int64))


@pytest.fixture
def home(tmp_path: Path, server: OllamaServer) -> Served:
    made = Served(tmp_path, server)
    made.bench.put(*(arrival(name, body) for name, body in TEXTS.items()))
    made.bench.sync()
    assert made.follower.embedded == 5
    return made


def test_the_same_text_is_embedded_once_across_edits_removals_and_rebuilds(home: Served) -> None:
    home.bench.put(arrival("copy.md", TEXTS["bm25.md"]))
    home.bench.remove("chain.md")
    home.bench.sync()
    home.bench.put(arrival("chain.md", TEXTS["chain.md"]))
    home.bench.sync()
    home.follower.rebuild()
    shutil.rmtree(home.follower.serving)
    home.bench.sync()
    assert home.follower.embedded == 5


def test_a_table_of_an_earlier_version_is_taken_over_without_embedding_again(home: Served) -> None:
    (made,) = EmbeddingTable(home.follower.folder, static.DIMS).batches()
    schema = pa.schema(
        [
            pa.field("hash", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), static.DIMS), nullable=False),
        ]
    )
    before = pa.Table.from_arrays(
        [pa.array([*made.hashes]), pa.array([*made.vectors], schema.field("vector").type)], schema=schema
    )
    driver().connect(home.follower.folder).create_table("embeddings", before, mode="overwrite")
    (home.follower.folder / "embeddings.json").unlink()
    mark = seal.read(home.follower.folder / "mark.json")
    assert mark is not None
    older = {**mark, "version": mark["version"].replace("vectors-", "vectors-0")}
    seal.write(home.follower.folder / "mark.json", older)
    wanted, fresh = home.vectors(), home.again()
    fresh.bench.sync()
    assert fresh.follower.embedded == 0
    np.testing.assert_array_equal(fresh.vectors(), wanted)
    table = driver().connect(home.follower.folder).open_table("embeddings")
    assert table.schema.field("hash").type == pa.binary(16)
    assert len(table.list_versions()) == 1
    fresh.bench.put(arrival("more.md", "one text more"))
    fresh.bench.sync()
    assert fresh.follower.embedded == 1
    assert fresh.follower.sound(thorough=True)


def test_what_was_embedded_and_never_published_is_taken_over(
    home: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.bench.put(arrival("more.md", "one text more"))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(serving, "write_segment", killed)
        with pytest.raises(KeyboardInterrupt):
            home.bench.sync()
    fresh = home.again()
    fresh.bench.sync()
    assert fresh.follower.embedded == 0
    assert len(fresh.vectors()) == 6


@pytest.mark.parametrize("damage", [*DAMAGES, "every file gone"])
def test_a_damaged_table_of_embeddings_is_made_anew(home: Served, damage: str) -> None:
    for kind in ("data/*.lance", "_versions/*.manifest"):
        for path in sorted(home.table.glob(kind))[: None if "every" in damage else 1]:
            DAMAGES.get(damage, Path.unlink)(path)
        fresh = home.again()
        fresh.follower.rebuild()
        assert fresh.follower.intact(wait=1)
        assert len(fresh.vectors()) == 5


def test_a_table_that_rots_without_a_sign_is_found_by_reading_all(home: Served) -> None:
    path = next(home.table.glob("data/*.lance"))
    stat = path.stat()
    flip(path)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert home.follower.sound()
    assert not home.follower.intact(wait=1)


def test_vectors_that_a_power_cut_has_damaged_are_erased_as_a_whole(home: Served) -> None:
    for manifest in home.table.rglob("_versions/*"):
        manifest.write_bytes(b"")
    home.bench.remove("chain.md")
    with home.bench.store.read() as lease:
        living = {str(row[0]) for row in lease.rows("SELECT text_hash FROM ark.chunks")}
    home.follower.erase(living, 1)
    assert home.follower.intact(wait=1)
    assert len(home.vectors()) == 3
    assert home.follower.embedded == 8


def test_what_an_earlier_version_kept_of_the_embedded_model_goes(tmp_path: Path) -> None:
    home = filled(tmp_path, TEXTS)
    folder, version = home.vectors_follower.folder, home.vectors_follower.version
    table = folder / "embeddings.lance"
    assert not table.exists()
    view = home.vectors.refresh()
    assert view is not None
    rows = [view.tokens[0][row].tolist() for row in range(view.current.rows)]
    schema = pa.schema([pa.field("hash", pa.binary(16)), pa.field("tokens", pa.list_(pa.uint16()))])
    earlier = pa.Table.from_arrays(
        [pa.array([bytes(16)] * len(rows), pa.binary(16)), pa.array(rows, schema.field("tokens").type)],
        schema=schema,
    )
    driver().connect(folder).create_table("embeddings", earlier)
    seal.write(folder / "embeddings.json", {})
    assert not standing.settled(home.store, home.home.words, folder, version)
    fresh = Bench(tmp_path)
    fresh.sync()
    assert (fresh.vectors_follower.embedded, fresh.vectors_follower.state().behind) == (0, 0)
    assert not table.exists()
    assert not (folder / "embeddings.json").exists()
    assert standing.settled(fresh.store, fresh.home.words, folder, version)
    assert fresh.store.mended == []


def test_erasing_counts_the_vectors_that_go_and_keeps_those_of_living_texts(tmp_path: Path) -> None:
    home = filled(tmp_path, TEXTS)
    home.remove("chain.md")
    with home.store.read() as lease:
        living = {str(row[0]) for row in lease.rows("SELECT text_hash FROM ark.chunks")}
    assert home.vectors_follower.erase(living, 1) == 2
    assert home.vectors_follower.erase(living, 1) == 0
    view = home.vectors.refresh()
    assert view is not None
    assert view.current.rows == 3
