"""Vectors are searched in three stages: by one bit, by two, then exactly; and take few bytes."""

from __future__ import annotations

import dataclasses
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from ark_tui.domain.protocols import NEVER
from ark_tui.domain.query import Filters
from ark_tui.embedding import static
from ark_tui.index import standing
from ark_tui.index.protocols import NOWHERE
from ark_tui.index.standing import recall_due
from ark_tui.index.vectors import exact, recall, rows, serving, signs
from ark_tui.index.vectors.exact import Exact, Pool
from ark_tui.store.changes import EPOCH_DAY
from tests.corpora import Bench, arrival, filled

WORDS = (
    *("otter", "river", "bank", "bread", "flour", "oven", "rank", "fusion", "graph", "chain", "gap", "tide"),
    *("quince", "ledger", "walnut", "harbour", "office", "winter", "train", "letter", "garden", "copper"),
)
COUNT = 600
MANY = standing.UNTESTED


def text(n: int) -> str:
    random = np.random.default_rng(n)
    return " ".join(random.choice(WORDS, 14)) + f" {n}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = Bench(tmp_path_factory.mktemp("home"))
    dates = (date(2025, 1, 1 + n % 28) if n % 5 else None for n in range(COUNT))
    home.put(*(arrival(f"{n}.md", text(n), date=day) for n, day in enumerate(dates)))
    home.sync()
    return home


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "EVERY", 0)


def opened(home: Bench, depth: int = COUNT) -> Exact:
    """The index, of which so many texts are looked at exactly."""
    view = home.vectors.refresh()
    assert view is not None
    return Exact(dataclasses.replace(view, current=dataclasses.replace(view.current, depth=depth)))


def pools(index: Exact) -> list[tuple[Pool, np.ndarray]]:
    """Each kind of vector with a query for it."""
    ids = static.tokens(["otters on the river bank"])
    assert index.by_rarity and index.centred and index.latent  # noqa: PT018
    rare = static.pool(ids, index.weights)[0]
    contexts = index.in_contexts(["otter", "river", "bank"])
    assert contexts is not None
    return [(index, static.pool(ids)[0]), (index.by_rarity, rare), (index.centred, rare),
            (index.latent, static.unit(contexts[None])[0])]  # fmt: skip


def test_a_product_is_estimated_without_bias_and_closely() -> None:
    random = np.random.default_rng(1)
    for dims in (200, 256, 384):
        rows = static.unit(random.standard_normal((3000, dims)).astype(np.float32) + 0.5)
        vector = static.unit(random.standard_normal((1, dims)).astype(np.float32) + 0.2)[0]
        middle = rows.mean(axis=0)
        codes = signs.Codes(*signs.coded(rows, middle), middle)
        query, wanted = signs.Query.of(vector), rows @ vector
        about = np.empty(len(rows), np.float32)
        codes.estimates(query, about)
        closer = middle @ vector + codes.gain[1] * query.closer(codes.signs)
        for off, most in ((about - wanted, 1.0), (closer - wanted, 0.5)):
            assert abs(off.mean()) < 0.003
            assert off.std() < most / dims**0.5


def test_turning_keeps_lengths_and_angles() -> None:
    rows = np.random.default_rng(2).standard_normal((5, 200)).astype(np.float32)
    turned = signs.turned(rows)
    assert turned.shape == (5, 256)
    np.testing.assert_allclose(turned @ turned.T, rows @ rows.T, rtol=1e-4, atol=1e-4)


def test_a_row_that_is_the_middle_is_estimated_exactly() -> None:
    row = static.pool(static.tokens(["only this"]))
    codes = signs.Codes(*signs.coded(row, row[0]), row[0])
    found = np.empty(1, np.float32)
    codes.estimates(signs.Query.of(row[0]), found)
    assert found[0] == pytest.approx(1.0, abs=1e-6)


def test_the_first_ten_of_each_kind_are_those_of_looking_at_all(home: Bench) -> None:
    for (few, vector), (every, _) in zip(pools(opened(home, 200)), pools(opened(home)), strict=True):
        for share in (0.0, 0.4):
            found = few.in_context(share).search(vector, 10, Filters())
            wanted = every.in_context(share).search(vector, 10, Filters())
            assert found.chunks.tolist() == wanted.chunks.tolist()
            assert found.scores.tolist() == wanted.scores.tolist()


def test_the_first_ten_by_cosine_and_day_are_those_of_looking_at_all(home: Bench) -> None:
    def weigh(days: np.ndarray) -> np.ndarray:
        return (1 - days % 7 / 10).astype(np.float32)

    for (few, vector), (every, _) in zip(pools(opened(home, 200)), pools(opened(home)), strict=True):
        found = few.search(vector, 10, Filters(), weigh)
        assert found.chunks.tolist() == every.search(vector, 10, Filters(), weigh).chunks.tolist()
        nearest = every.search(vector, COUNT, Filters())
        dates = opened(home).days(nearest.documents.tolist())
        days = np.array([(dates[n] or EPOCH_DAY).toordinal() for n in nearest.documents.tolist()])
        weights = np.where(days == EPOCH_DAY.toordinal(), 1, weigh(days - EPOCH_DAY.toordinal()))
        weighed = nearest.scores * weights
        assert found.scores.tolist() == nearest.scores[np.argsort(-weighed, kind="stable")[:10]].tolist()


def test_what_filters_let_answer_is_what_is_looked_at(home: Bench) -> None:
    where = Filters(paths=("1*",))
    index = opened(home, 20)
    vector = pools(index)[0][1]
    found = index.search(vector, 5, where)
    allowed, _ = index.let_through(index._view.chunks.chunk, where)
    scores = index.score(vector, allowed)
    best = allowed[np.lexsort((allowed, -scores))][:5]
    assert found.chunks.tolist() == best.tolist()


def test_fewer_texts_are_looked_at_than_there_are(home: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    products = Pool._products

    def counted(self: Pool, vector: np.ndarray, rows: np.ndarray) -> np.ndarray:
        looked.append(len(rows))
        return products(self, vector, rows)

    monkeypatch.setattr(Pool, "_products", counted)
    index = opened(home, 50)
    vector = pools(index)[0][1]
    found = index.search(vector, 10, Filters())
    index.in_context(0.4).score(vector, found.chunks)
    first, *before = looked
    assert first == exact.FEWEST * 10  # more than one in FINER of what one bit lets through
    assert sum(before) <= 10  # a row is worked out once, whatever the share


def test_the_closest_documents_are_found_however_many_are_wanted(home: Bench) -> None:
    index = opened(home, 32)
    vector = pools(index)[0][1]
    found = index.search_documents(vector, 300, Filters())
    assert len(set(found.documents.tolist())) == 300
    assert (np.diff(found.scores) <= 0).all()
    floor = float(found.scores[40])
    above = index.search_documents(vector, 300, Filters(), floor=floor)
    assert above.scores.min() >= floor
    some = np.unique(found.documents)[:7]
    assert set(index.search_documents(vector, 300, Filters(), some).documents.tolist()) == set(some.tolist())


def test_levels_by_samples_are_near_those_of_all(home: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "SAMPLED", 100)
    monkeypatch.setattr(exact, "FOLLOWING", 2)
    for (few, vector), (every, _) in zip(pools(opened(home, 60)), pools(opened(home)), strict=True):
        found, wanted = few.levels(vector, Filters()), every.levels(vector, Filters())
        assert found is not None
        assert wanted is not None
        cosines = every.score(vector, every._view.chunks.chunk)
        assert wanted.mean == pytest.approx(cosines.mean(), abs=1e-5)
        assert found.mean == pytest.approx(wanted.mean, abs=0.02)
        assert found.hundredth == pytest.approx(wanted.hundredth, abs=0.02)
        assert found.thousandth == wanted.thousandth == pytest.approx(cosines.max())


def test_a_rank_is_the_worse_of_both_bits_and_the_same_by_looking_at_all(
    home: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened(home)
    monkeypatch.setattr(exact, "EVERY", 16)
    for pool, vector in pools(index):
        places = np.flatnonzero(pool._view.chunks.row >= 0)
        best = np.argsort(-pool._cosines(vector, places), kind="stable")[:10]
        one, both = pool._about(vector)[places], pool._closer(vector, places)
        wanted = [max((one > one[at]).sum(), exact.FINER * (both > both[at]).sum()) for at in best]
        assert pool.ranks(vector, 10).tolist() == wanted


def test_exact_cosines_are_those_of_the_pooled_vectors(home: Bench) -> None:
    index = opened(home)
    chunks = index._view.chunks.chunk
    for pool, vector in pools(index):
        there, rows = pool.vectors(chunks)
        assert len(there) == len(chunks)
        np.testing.assert_allclose(pool.score(vector, chunks), rows @ vector, atol=1e-4)
    assert index.score(pools(index)[0][1], [10**9]).tolist() == [NOWHERE]


def test_the_self_test_says_how_many_to_look_at(home: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.vectors_follower.state().recall_at_10 is None  # all are looked at
    monkeypatch.setattr(recall, "LEAST", 32)
    monkeypatch.setattr(serving, "DEPTH", 32)
    view = home.vectors.refresh()
    assert view is not None
    now = recall.tested(view, NEVER)
    assert now.recall is not None
    assert now.recall >= recall.WANTED
    assert 32 <= now.depth < exact.FINER * COUNT
    assert recall_due(2 * MANY, MANY)
    assert not recall_due(2 * MANY - 1, MANY)
    assert not recall_due(MANY, 0)
    found = [rank for index in (opened(home, now.depth),) for pool, vector in pools(index)
             for rank in pool.ranks(vector, 10).tolist()]  # fmt: skip
    assert np.mean(np.array(found) < now.depth) > 0.9


def test_a_chunk_takes_few_bytes_beside_its_tokens(home: Bench) -> None:
    view = home.vectors.refresh()
    assert view is not None
    tokens = sum(one.flat.nbytes for one in view.tokens)
    sizes = {path.name: path.stat().st_size for path in view.folder.glob("segment-*/*")}
    codes = sum(size for name, size in sizes.items() if not name.startswith("tokens"))
    assert codes < COUNT * (8 + 8 + 2 * 76 + 72 + 400) + 40_000  # and the headers and middles
    assert sizes["tokens.npy"] == pytest.approx(tokens, abs=200)


def test_many_small_publications_write_no_more_than_some_times_what_is_kept(tmp_path: Path) -> None:
    written = 0
    save = serving.save

    def counted(path: Path, array: np.ndarray) -> None:
        nonlocal written
        written += array.nbytes if path.parent.name.startswith("segment") else 0
        save(path, array)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "save", counted)
        home = filled(tmp_path, {"0.md": text(0)})
        for n in range(1, 40):
            home.put(arrival(f"{n}.md", text(n)))
            home.sync()
    view = home.vectors.refresh()
    assert view is not None
    assert len(view.current.segments) <= 8
    kept = sum(path.stat().st_size for name in view.current.segments
               for path in (view.folder / name).iterdir())  # fmt: skip
    assert written < 24 * kept  # each time that there are 5 % more, all are weighed anew


def _vectors(home: Bench) -> np.ndarray:
    view = home.vectors.refresh()
    assert view is not None
    return view.own.vectors(view.chunks.row.astype(np.int64))


def test_what_was_made_and_never_published_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = filled(tmp_path, {"a.md": text(1)})
    home.put(arrival("b.md", text(2)))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(serving, "write_segment", killed)
        with pytest.raises(KeyboardInterrupt):
            home.sync()
    fresh = Bench(tmp_path)
    fresh.sync()
    assert fresh.vectors_follower.embedded == 1
    assert len(_vectors(fresh)) == 2


def test_vectors_of_a_served_model_are_kept_by_halves_and_ranked_alike(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    vectors = static.unit(random.standard_normal((2000, 384)).astype(np.float32))
    serving.write_segment(tmp_path / "one", np.arange(2000, dtype=np.uint64))
    serving.write_kept(tmp_path / "one", serving.OWN, vectors.astype(np.float16))
    kept = rows.own([tmp_path / "one"])
    found = kept.products(np.arange(2000), vectors[3])
    np.testing.assert_allclose(found, vectors @ vectors[3], atol=1e-4)
    assert (tmp_path / "one" / "vectors.npy").stat().st_size < 2000 * 384 * 2 + 200
