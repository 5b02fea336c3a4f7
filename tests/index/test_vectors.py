"""The vector table: exact in memory, by LanceDB's index above, and nothing is embedded twice."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from ark_tui.domain.query import Dated, Either, Filters, Has, Not
from ark_tui.embedding import static
from ark_tui.index import sql
from ark_tui.index.follower import Mark
from ark_tui.index.protocols import NOWHERE
from ark_tui.index.vectors import table
from ark_tui.index.vectors.snapshot import Snapshot
from ark_tui.index.vectors.table import VectorTable
from tests.corpora import Bench, arrival

WORDS = ("spectral", "gap", "chain", "mixing", "time", "bread", "flour", "rank", "fusion", "office", "river")
COUNT = 400
FILTERS = (
    Filters(),
    Filters(tags=("red",)),
    Filters(tags=("red/dark",)),
    Filters(paths=("1*",), superseded=True),
    Filters(types=("note",), dated=Dated(date(2025, 3, 1), date(2025, 6, 30))),
    Filters(where=Not(Either((Has("tag", "blue"), Has("path", "3*"))))),
    Filters(collections=("other",)),
)


def text(n: int) -> str:
    return " ".join(WORDS[(n * 7 + j * (3 + n % 5)) % len(WORDS)] for j in range(6)) + f" {n}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    made = Bench(tmp_path_factory.mktemp("vectors"))
    made.put(
        *(
            arrival(
                f"{n}.md", text(n), tags=("red/dark" if n % 4 == 1 else "red",) if n % 2 else ("blue",),
                date=date(2025, 1 + n % 12, 1 + n % 28), date_source="front matter",
            )
            for n in range(COUNT)
        )
    )  # fmt: skip
    made.sync()
    return made


@pytest.fixture
def indexed(home: Bench, monkeypatch: pytest.MonkeyPatch) -> Snapshot:
    """The same table, as where there are too many vectors for memory."""
    monkeypatch.setattr(table, "EXACT_ROWS", COUNT // 2)
    home.vectors_follower.table.index()
    found = Snapshot(home.vectors_follower.table, Mark(number=1), home.edges)
    assert not found.exact
    return found


def asked(words: str) -> np.ndarray:
    return static.StaticEmbedder().embed_query(words)


def exact(home: Bench) -> Snapshot:
    found = home.vectors.open()
    assert found is not None
    return found


@pytest.mark.parametrize("where", FILTERS, ids=str)
def test_the_first_ten_are_those_of_comparing_all_that_filters_let_answer(
    home: Bench, indexed: Snapshot, where: Filters
) -> None:
    view, query = exact(home), asked("mixing time of a chain")
    chunks = view.let_through(view.chunk, where)[0]
    _, rows = view.vectors(chunks)
    best = np.sort(-(rows @ query).round(6))[:10]
    for one in (view, indexed):
        found = one.search(query, 10, where)
        np.testing.assert_allclose(-found.scores, best, atol=1e-5)
        assert set(found.chunks.tolist()) <= set(chunks.tolist())
        np.testing.assert_allclose(one.score(query, found.chunks), found.scores, atol=1e-6)


@pytest.mark.parametrize("where", FILTERS, ids=str)
def test_lancedb_and_the_mask_in_memory_let_the_same_chunks_answer(home: Bench, where: Filters) -> None:
    view = exact(home)
    rows = home.vectors_follower.table.columns(["chunk"], sql.where(where))["chunk"].to_pylist()
    assert sorted(rows) == view.let_through(view.chunk, where)[0].tolist()


def test_the_recall_of_the_index_is_measured_after_a_build_and_is_in_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Bench(tmp_path)
    made.put(*(arrival(f"{n}.md", text(n)) for n in range(COUNT)))
    made.sync()
    assert made.vectors_follower.state().recall_at_10 is None
    monkeypatch.setattr(table, "EXACT_ROWS", COUNT // 2)
    made.put(arrival("one more.md", text(COUNT)))
    made.sync()
    assert (made.vectors_follower.state().recall_at_10 or 0) >= 0.98


def test_chunks_documents_and_levels_are_the_same_with_and_without_the_index(
    home: Bench, indexed: Snapshot
) -> None:
    view, query = exact(home), asked("bread and flour")

    for one in (view, indexed):
        best = one.search(query, 5, Filters())
        assert best.chunks.tolist() == view.search(query, 5, Filters()).chunks.tolist()
        near = one.search_documents(query, 7, Filters(tags=("red",)))
        assert len(set(near.documents.tolist())) == 7
        assert near.scores.tolist() == sorted(near.scores.tolist(), reverse=True)
    levels, same = view.levels(query, Filters()), indexed.levels(query, Filters())
    assert levels
    assert same
    assert same.chance == pytest.approx(levels.chance, abs=1e-4)


def test_a_change_is_seen_and_only_new_vectors_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Bench(tmp_path)
    home.put(*(arrival(f"{n}.md", text(n)) for n in range(20)))
    home.sync()
    assert len(exact(home).matrix) == 20
    read: list[int] = []
    read_into = VectorTable.read_into

    def counted(self: VectorTable, matrix: np.ndarray, chunks: np.ndarray, places: np.ndarray) -> None:
        read.append(len(chunks))
        read_into(self, matrix, chunks, places)

    home.put(arrival("5.md", "otters float in the river"), arrival("6.md", text(6), tags=("red",)))
    home.remove("7.md")
    home.sync()
    monkeypatch.setattr(VectorTable, "read_into", counted)
    view = exact(home)
    assert view.search(asked("otters"), 1, Filters()).scores[0] > 0.4
    assert (view.size, read) == (19, [1])


def test_a_snapshot_keeps_its_vectors_while_later_ones_add_theirs_to_the_same_memory(tmp_path: Path) -> None:
    home = Bench(tmp_path)
    home.put(*(arrival(f"{n}.md", text(n)) for n in range(40)))
    home.sync()
    first = exact(home)
    before = first.matrix.copy()
    later = []
    for n in (40, 41):
        home.put(arrival(f"{n}.md", text(n)))
        home.sync()
        later.append(exact(home))
    for view in reversed(later):
        anew = Snapshot(home.vectors_follower.table, view.mark, home.edges)
        assert np.array_equal(view.matrix, anew.matrix[: view.size])
    assert np.shares_memory(first.matrix, later[1].matrix)
    assert np.array_equal(first.matrix, before)
    assert [view.size for view in (first, *later)] == [40, 41, 42]


def test_a_snapshot_after_any_changes_is_the_same_as_one_that_reads_everything(tmp_path: Path) -> None:
    home = Bench(tmp_path)
    home.put(*(arrival(f"{n}.md", text(n)) for n in range(20)))
    home.sync()
    exact(home)
    home.put(arrival("5.md", "otters float in the river"), arrival("6.md", text(6), tags=("red",)))
    home.remove("7.md")
    home.put(arrival("20.md", text(20)))
    home.sync()
    view = exact(home)
    anew = Snapshot(home.vectors_follower.table, view.mark, home.edges)
    assert view.columns.equals(anew.columns)
    assert np.array_equal(view.matrix, anew.matrix)


def test_an_embedded_text_is_found_by_its_hash_after_removal_renaming_and_rebuilding(tmp_path: Path) -> None:
    home = Bench(tmp_path)
    home.put(*(arrival(f"{n}.md", text(n)) for n in range(10)))
    home.sync()
    home.remove(*(f"{n}.md" for n in range(10)))
    home.sync()
    home.put(*(arrival(f"again-{n}.md", text(n)) for n in range(10)))
    home.sync()
    home.vectors_follower.rebuild()
    assert home.vectors_follower.embedded == 10
    assert exact(home).size == 10


def test_erasing_keeps_vectors_of_living_texts_only_and_counts_the_others(tmp_path: Path) -> None:
    home = Bench(tmp_path)
    home.put(arrival("a.md", "kept"), arrival("b.md", "gone"))
    home.sync()
    home.remove("b.md")
    home.sync()
    with home.store.read() as lease:
        living = {str(row[0]) for row in lease.rows("SELECT text_hash FROM ark.chunks")}
    assert home.vectors_follower.erase(living, 1.0) == 1
    assert VectorTable(home.vectors_follower.folder, static.DIMS).count() == 1
    assert exact(home).size == 1


def test_a_chunk_that_is_not_there_has_no_similarity(home: Bench) -> None:
    assert exact(home).score(asked("river"), [999_999]).tolist() == [NOWHERE]
