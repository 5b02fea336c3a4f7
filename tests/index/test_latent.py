"""Words that share contexts: what is learnt, when it is learnt anew, and that nothing deleted is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ark_tui.domain.query import Request
from ark_tui.embedding import static
from ark_tui.index import standing
from ark_tui.index.vectors import latent, serving
from ark_tui.index.vectors.rows import Kept
from ark_tui.index.vectors.serving import Current, Tokens
from ark_tui.retrieval import run
from tests.corpora import Bench, arrival, filled

HEALING = ("ward", "dose", "fever", "clinic", "patient", "nurse")
BAKING = ("flour", "oven", "dough", "crust", "yeast", "loaf")
FEW = 12


def lines(name: str, context: tuple[str, ...], count: int) -> dict[str, str]:
    """Texts that have a word, each with another three of its context."""
    three = [[context[(n + step) % 6] for step in (0, 1 + n // 6, 5)] for n in range(count)]
    return {f"{name}{n}.md": f"The {name} {' '.join(three[n])}" for n in range(count)}


TEXTS = {
    **lines("physician", HEALING, FEW),
    **lines("doctor", HEALING, FEW),
    **lines("baker", BAKING, 2 * FEW),
}


def tokens(texts: list[str]) -> Tokens:
    ids = static.tokens(texts)
    return Tokens(np.concatenate([*ids, np.empty(0, np.uint16)]), np.cumsum([0, *map(len, ids)]))


def current(home: Bench) -> Current:
    found = serving.read_current(home.vectors_follower.serving)
    assert found is not None
    return found


@pytest.fixture
def _from_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "LEAST", FEW)


@pytest.mark.parametrize(
    "text",
    [
        "The spectral gap bounds the mixing time.",
        "Call HttpClient.getJson() or rrf_merge\nwith C++ v2.0, see https://example.org/a-b?c=d",
        "Café naïve Straße, ΑΒΓ and кошка\n\n\tindented   words",
        "量子計算 is 東京で学ぶ",
        "",
        " \n ",
    ],
)
def test_the_words_of_a_text_are_spelled_from_its_tokens(text: str) -> None:
    among = tokens(["before", text, "after"])
    words = latent.Words()
    numbers, offsets = words.of(among.flat, among.offsets)
    keys = words.keys[numbers]
    assert offsets[0] == 0
    expected = sorted(latent.key(stem) for stem in latent.stems(text))
    assert sorted(keys[offsets[1] : offsets[2]].tolist()) == expected
    assert keys[offsets[2] :].tolist() == []  # `after` is a function word


def test_words_that_share_a_place_in_the_table_of_words_are_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    among = tokens([*TEXTS.values()])
    plain, crowded = latent.Words(), latent.Words()
    numbers, offsets = plain.of(among.flat, among.offsets)
    monkeypatch.setattr(latent, "PLACES", 2)
    crowded.forget()
    for _ in range(2):  # when they are new, and when they are known
        others, ends = crowded.of(among.flat, among.offsets)
        assert crowded.keys[others].tolist() == plain.keys[numbers].tolist()
        assert ends.tolist() == offsets.tolist()


def test_what_a_table_and_vectors_are_made_of_does_not_depend_on_what_was_spelled_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts, used = tokens(list(TEXTS.values())), latent.Words()
    some = tokens(["quince marmalade walnut", "a physician"])
    used.of(some.flat, some.offsets)
    alone, after = latent.learnt(texts, latent.Words()), latent.learnt(texts, used)
    assert alone.stems.tolist() == after.stems.tolist()
    assert alone.table.tolist() == after.table.tolist()
    pooled = alone.pooled(texts, used).tolist()
    monkeypatch.setattr(latent, "REMEMBERED", 1)  # and forgotten after every block
    monkeypatch.setattr(latent, "AT_ONCE", 2)
    assert alone.pooled(texts, used).tolist() == pooled


def test_words_that_share_contexts_are_akin_though_no_text_has_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latent, "DIMS", 4)
    texts, words = tokens(list(TEXTS.values())), latent.Words()
    table = latent.learnt(texts, words)
    close = latent.wide(table.pooled(texts, words)) @ table.query(["physician"])
    of = {name: close[[path.startswith(name) for path in TEXTS]] for name in ("doctor", "baker")}
    assert of["doctor"].min() > 0.4
    assert abs(of["baker"]).max() < 0.1


def test_leading_directions_are_those_of_a_full_decomposition() -> None:
    from scipy.sparse import csr_array

    rows = np.random.default_rng(3).standard_normal((60, 20)) @ np.diag(0.7 ** np.arange(20))
    found = latent.leading(csr_array(rows.astype(np.float32)), 5)
    expected = np.linalg.svd(rows, full_matrices=False)[2][:5].T
    assert np.abs(np.einsum("ij,ij->j", found, expected)) == pytest.approx(np.ones(5), abs=1e-3)


def test_rounding_moves_no_product_by_more_than_a_ten_thousandth(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    vectors = static.unit(rng.standard_normal((2053, 200)).astype(np.float32))
    for name, some in (("a", vectors[:9]), ("b", vectors[9:])):
        (tmp_path / name).mkdir()
        serving.write_kept(tmp_path / name, "kept", latent.rounded(some), latent.SCALE)
    pools = [serving.Pool(tmp_path / name, "kept") for name in "ab"]
    arrays = [serving.read_array(tmp_path / name / "kept.npy") for name in "ab"]
    found = Kept(pools, arrays, latent.SCALE, latent.DIGITS).products(np.arange(len(vectors)), vectors[7])
    np.testing.assert_allclose(found, vectors @ vectors[7], atol=1e-4)


@pytest.mark.usefixtures("_from_few")
def test_it_is_learnt_anew_when_the_corpus_has_doubled(tmp_path: Path) -> None:
    texts = list(TEXTS.items())
    home = filled(tmp_path, dict(texts[: FEW - 1]))
    assert not current(home).latent
    seen = []
    for low, high in ((FEW - 1, FEW), (FEW, FEW + 3), (FEW + 3, 2 * FEW)):
        home.put(*(arrival(*text) for text in texts[low:high]))
        home.sync()
        seen.append(current(home).latent)
        view = home.vectors.refresh()
        assert view is not None
        assert view.latent is not None
        assert len(view.latent) == len(view.own)
        assert current(home).latent_rows == (FEW if high < 2 * FEW else 2 * FEW)
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.usefixtures("_from_few")
def test_new_texts_are_pooled_as_if_they_had_been_there(tmp_path: Path) -> None:
    home = filled(tmp_path, dict(list(TEXTS.items())[:40]))
    home.put(arrival("late.md", TEXTS["doctor3.md"] + " again"))
    home.sync()
    view = home.vectors.refresh()
    assert view is not None
    assert view.contexts is not None
    alone = view.contexts.pooled(tokens([TEXTS["doctor3.md"] + " again"]), latent.Words())
    assert view.latent is not None
    np.testing.assert_array_equal(view.latent[-1:], latent.wide(alone))


def test_a_home_of_before_learns_at_the_next_look_and_embeds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = filled(tmp_path, TEXTS)
    embedded = home.vectors_follower.embedded
    assert not current(home).latent
    monkeypatch.setattr(standing, "LEAST", FEW)
    home.sync()
    assert current(home).latent
    assert home.vectors_follower.embedded == embedded
    assert home.vectors_follower.sound(thorough=True)


@pytest.mark.usefixtures("_from_few")
def test_an_erasure_leaves_no_stem_of_deleted_texts(tmp_path: Path) -> None:
    gone = {f"gone{n}.md": f"quince {word} marmalade" for n, word in enumerate(HEALING)}
    home = filled(tmp_path, {**TEXTS, **gone})
    quince = latent.key(latent.stems("quince")[0])
    view = home.vectors.refresh()
    assert view is not None
    assert view.contexts is not None
    assert quince in view.contexts.stems.tolist()
    home.remove(*gone)
    home.sync()
    with home.store.read() as lease:
        living = {str(row[0]) for row in lease.rows("SELECT text_hash FROM ark.chunks")}
    assert home.vectors_follower.erase(living, 1.0) == len(gone)
    view = home.vectors.refresh()
    assert view is not None
    assert view.contexts is not None
    assert quince not in view.contexts.stems.tolist()


@pytest.mark.usefixtures("_from_few")
@pytest.mark.parametrize("file", ["latent-*/table.npy", "segment-*/latent-*.npy"])
def test_a_damaged_file_is_learnt_anew(tmp_path: Path, file: str) -> None:
    home = filled(tmp_path, TEXTS)
    path = next(home.vectors_follower.serving.glob(file))
    path.write_bytes(path.read_bytes()[:-8])
    fresh = Bench(tmp_path)
    fresh.sync()
    assert any("rebuilt from the store" in said for said in fresh.store.mended)
    assert current(fresh).latent


@pytest.mark.usefixtures("_from_few")
def test_a_search_finds_by_shared_contexts_and_its_parts_add_up(tmp_path: Path) -> None:
    home = filled(tmp_path, TEXTS)
    result = run(home.corpus(), Request("physician", profile="default", limit=len(TEXTS)))
    assert {lamp.state for lamp in result.lamps if lamp.signal == "latent"} == {"on"}
    parts = {hit.document.path: {part.name: part for part in hit.parts} for hit in result.hits}
    assert parts["doctor3.md"]["latent"].raw > parts["baker3.md"]["latent"].raw + 0.1
    for hit in result.hits:
        total = sum(part.contribution for part in hit.parts)
        for factor in hit.multipliers:
            total *= factor.value
        assert hit.score == pytest.approx(total)


def test_below_so_many_texts_the_signal_rests_and_says_so(tmp_path: Path) -> None:
    home = filled(tmp_path, TEXTS)
    result = run(home.corpus(), Request("physician", profile="default"))
    (lamp,) = (lamp for lamp in result.lamps if lamp.signal == "latent")
    assert (lamp.state, lamp.reason) == ("idle", "the corpus has too few texts to learn from")


def test_texts_that_share_no_word_have_nothing_in_common() -> None:
    texts, words = tokens(["quince", "marmalade", "walnut"]), latent.Words()
    table = latent.learnt(texts, words)
    assert len(table.stems) == 0
    assert not table.query(["quince"]).any()
    assert not latent.wide(table.pooled(texts, words)).any()
