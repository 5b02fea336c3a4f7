"""The followers agree with the store after whatever happened, and nothing is embedded twice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ark_tui.domain.errors import Cancelled, IndexDamaged
from ark_tui.domain.query import Filters
from ark_tui.embedding import static
from ark_tui.index.protocols import Bm25
from ark_tui.index.words import files, terms
from ark_tui.index.words import follower as taking_words
from ark_tui.settings.home import read_checked, write_checked
from ark_tui.store import changes
from tests.corpora import Bench, arrival, filled

TEXTS = {
    "chain.md": "A reversible chain forgets its start.\n\nThe spectral gap bounds the mixing time.",
    "bm25.md": "BM25 saturates term frequency.\n\nIt divides by document length.",
    "code.md": "Call rrf_merge or HttpClient.getJson with C++ v2.0.",
}


def live_chunks(home: Bench) -> set[int]:
    with home.store.read() as lease:
        return {row[0] for row in lease.rows("SELECT number FROM ark.chunks")}


def assert_agreement(home: Bench) -> None:
    """Both indexes hold exactly the store's chunks, and each vector is that of the chunk's own text."""
    chunks = live_chunks(home)
    home.words.refresh()
    assert home.words.size() == len(chunks)
    view = home.vectors.refresh()
    assert view is not None
    assert set(view.chunk.tolist()) == chunks
    with home.store.read() as lease:
        now = changes.live(lease, dict.fromkeys(chunks, 0))
    cards = home.words.shown(sorted(chunks))
    assert {number: one.before for number, one in cards.items()} == {n: now[n].before for n in cards}
    for number, row in zip(view.chunk.tolist(), view.matrix, strict=True):
        chunk = now[number]
        text = f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text
        np.testing.assert_allclose(row, static.pool(static.tokens([text]))[0], atol=1e-3)  # halves
        wanted = terms.read(chunk.text)
        assert not wanted or home.words.score(Bm25(wanted), [number])[0] > 0


@pytest.mark.parametrize("kind", ["gone", "emptied", "mark from elsewhere", "mark beyond the log"])
def test_a_broken_index_folder_is_rebuilt_by_itself(tmp_path: Path, kind: str) -> None:
    home = filled(tmp_path, TEXTS)
    for follower in home.followers:
        mark = follower.folder / "mark.json"
        if kind == "gone":
            shutil.rmtree(follower.folder)
        elif kind == "emptied":
            for path in follower.folder.rglob("*"):
                if path.is_file() and path != mark:
                    path.write_bytes(b"")
        else:
            content = read_checked(mark)
            content |= {"store": "another"} if "elsewhere" in kind else {"number": 10**9}
            write_checked(mark, content)
    fresh = Bench(tmp_path)
    fresh.sync()
    assert_agreement(fresh)


def test_a_mark_that_was_never_written_means_the_batch_is_applied_again_with_the_same_result(
    tmp_path: Path,
) -> None:
    home = filled(tmp_path, TEXTS)
    marks = {follower: (follower.folder / "mark.json").read_bytes() for follower in home.followers}
    home.put(arrival("new.md", "Lanczos iterates a Krylov subspace."), arrival("bm25.md", "BM25, rewritten."))
    home.sync()
    for follower, mark in marks.items():
        (follower.folder / "mark.json").write_bytes(mark)  # as after a kill between commit and mark
    fresh = Bench(tmp_path)
    fresh.sync()
    assert fresh.vectors_follower.embedded == 0
    assert_agreement(fresh)


def test_a_tag_embeds_nothing(tmp_path: Path) -> None:
    home = filled(tmp_path, TEXTS)
    home.put(arrival("chain.md", TEXTS["chain.md"], tags=("theory",)))
    home.sync()
    view = home.vectors.refresh()
    assert view is not None
    assert len(view.let_through(view.chunk, Filters(tags=("theory",)))[0]) == 2
    assert home.vectors_follower.embedded == 5


def test_catching_up_can_be_stopped_and_goes_on_later(tmp_path: Path) -> None:
    home = filled(tmp_path, {})

    class Stopped:
        """As soon as the first batch has been read."""

        def __init__(self) -> None:
            self.asked = 0

        def is_set(self) -> bool:
            self.asked += 1
            return self.asked > 1

    home.put(*(arrival(name, body) for name, body in TEXTS.items()))
    for follower in home.followers:
        with pytest.raises(Cancelled):
            follower.sync(Stopped())
    home.sync()
    assert_agreement(home)
    for follower in home.followers:
        follower.clear(0)  # as it is before it has ever caught up
        with pytest.raises(Cancelled):
            follower.sync(Stopped())
    home.sync()
    assert home.store.repairs == [], "who was stopped has damaged nothing"
    assert_agreement(home)


PATHS = st.sampled_from([f"{c}.md" for c in "abcde"])
BODIES = st.lists(
    st.sampled_from(["spectral gap", "mixing time", "rank fusion", "日本語の検索", "BM25", "rrf_merge()"]),
    min_size=1, max_size=4,
).map("\n\n".join)  # fmt: skip
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), PATHS, BODIES),
        st.tuples(st.just("tag"), PATHS, BODIES),
        st.tuples(st.just("remove"), PATHS, st.just("")),
        st.tuples(st.just("sync"), PATHS, st.just("")),
        st.tuples(st.just("forget mark"), PATHS, st.just("")),
    ),
    max_size=14,
)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=EDITS)
def test_whatever_the_edits_the_indexes_converge_on_the_store(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, str]]
) -> None:
    home = Bench(tmp_path_factory.mktemp("home"))
    for what, path, body in edits:
        if what == "put":
            home.put(arrival(path, body))
        elif what == "tag":
            home.put(arrival(path, body, tags=("x",)))
        elif what == "remove":
            home.remove(path)
        elif what == "sync":
            home.words_follower.sync()
        else:
            (home.home.words / "mark.json").unlink(missing_ok=True)
    home.sync()
    assert_agreement(home)


def test_a_writer_that_has_died_is_said_in_words_and_the_next_round_takes_everything_up(
    tmp_path: Path,
) -> None:
    home = Bench(tmp_path)
    home.put(arrival("first.md", "The first."))
    home.words_follower.texts.begin(large=False)
    home.words_follower.texts.writer().wait_merging_threads()  # it takes nothing after that
    with pytest.raises(IndexDamaged, match="words index"):
        home.words_follower.sync()
    home.sync()
    assert_agreement(home)


def test_only_changed_texts_are_written_and_stale_ones_are_dropped_together(tmp_path: Path) -> None:
    home = filled(tmp_path, {f"{n}.md": f"Number {n}." for n in range(60)})
    texts = home.home.words / "texts" / "meta.json"
    written = texts.read_bytes()
    home.put(arrival("7.md", "Number 7.", tags=("new",), tier="wiki"))
    home.remove("8.md")
    home.sync()
    assert home.words.refresh()
    assert (home.words.size(), home.words.knows("8")) == (59, False)
    home.put(arrival("8.md", "Number 8."))
    home.sync()
    assert texts.read_bytes() == written
    assert_agreement(home)
    home.put(arrival("1.md", "Another one."))
    home.sync()
    assert files.deleted(home.home.words) == 1  # one in sixty is not worth the work
    home.put(arrival("2.md", "Another two."))
    home.sync()
    assert files.deleted(home.home.words) == 0
    assert_agreement(home)


def test_texts_that_are_rewritten_batch_by_batch_are_all_there(tmp_path: Path) -> None:
    home = filled(tmp_path, {f"{n}.md": f"Number {n}." for n in range(20)})
    home.put(arrival("3.md", "Number 3.", tags=("new",)))  # its change is one of the last, its number is not
    home.put(arrival("5.md", "Another five."), arrival("6.md", "Another six."))
    home.words_follower.batch = 5
    home.sync()
    assert files.deleted(home.home.words) == 0
    assert_agreement(home)


def test_catching_up_ends_although_others_go_on_writing(tmp_path: Path) -> None:
    home = Bench(tmp_path)
    home.put(arrival("first.md", "The first."))
    written = 0

    def write(_: object) -> None:
        nonlocal written
        written += 1
        assert written < 20, "it takes up what others write, for as long as they write"
        home.put(arrival(f"{written}.md", f"Number {written}."))

    assert home.words_follower.sync(progress=write) == 1
    home.sync()
    assert_agreement(home)


@pytest.mark.parametrize(("seconds", "segments"), [(60.0, 1), (0.0, 4)])
def test_the_words_of_many_batches_are_committed_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, segments: int
) -> None:
    monkeypatch.setattr(taking_words, "COMMIT_EVERY", seconds)
    home = Bench(tmp_path)
    home.put(*(arrival(f"{n}.md", f"Number {n}.") for n in range(40)))
    home.words_follower.batch = 10
    home.sync()
    assert_agreement(home)
    (meta,) = tmp_path.rglob("texts/meta.json")
    assert len(json.loads(meta.read_text())["segments"]) == segments


ALIKE, ASKED = 6, 3


def test_of_equal_scores_those_with_the_lower_numbers_are_the_best(tmp_path: Path) -> None:
    home = Bench(tmp_path / "home")
    home.put(*(arrival(f"{place}.md", "Walnuts keep.") for place in range(ALIKE)))
    home.words_follower.sync()
    for text in ("Almonds keep.", "Walnuts keep."):  # written anew, so that tantivy meets it last
        home.put(arrival("0.md", text))
        home.words_follower.sync()
    home.words.refresh()
    walnuts = Bm25(terms.read("walnuts"), {"title": 1.0})
    every = home.words.search(walnuts, ALIKE + 1, Filters())
    assert len(set(every.scores)) == 1
    best = home.words.search(walnuts, ASKED, Filters(), count=True)
    assert best.chunks == tuple(sorted(every.chunks)[:ASKED])
    assert best.count == ALIKE
