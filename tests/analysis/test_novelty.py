"""The spectrum against noise, and what stands apart from it."""

from __future__ import annotations

import numpy as np
import pytest

from ark_tui.analysis.blocks import Blocks
from ark_tui.analysis.blocks import blocks as in_blocks
from ark_tui.analysis.novelty import Apart, Eigen, apart, sharing, spectrum
from tests.analysis.graphs import clustered, unit


def blocks(rows: np.ndarray, size: int = 200) -> Blocks:
    return in_blocks(rows.__getitem__, np.arange(len(rows)), size)


def measured(rows: np.ndarray) -> tuple[Eigen, Apart]:
    eigen = spectrum(blocks(rows))
    assert eigen is not None
    return eigen, apart(eigen, blocks(rows))


def planted(count: int, seed: int = 0, dims: int = 64) -> tuple[np.ndarray, set[int]]:
    """A corpus of six themes, and rows that have nothing to do with any of them."""
    random = np.random.default_rng(seed)
    rows, _ = clustered([150, 130, 120, 110, 100, 90], dims=dims, spread=0.6, seed=seed)
    strange = np.sort(random.choice(len(rows), count, replace=False))
    rows[strange] = unit(random.standard_normal((count, dims)))
    return rows, {*strange.tolist()}


def test_the_eigenvalues_are_those_of_the_correlation_matrix() -> None:
    rows, _ = clustered([60, 50], dims=12, seed=4)
    eigen, _ = measured(rows)
    assert eigen.values == pytest.approx(np.linalg.eigvalsh(np.corrcoef(rows.T))[::-1], abs=1e-5)
    assert eigen.values.sum() == pytest.approx(12, abs=1e-6)


@pytest.mark.parametrize("count", [60, 400, 3000])
@pytest.mark.parametrize("seed", range(4))
def test_pure_noise_has_nothing_outside_and_nothing_novel(count: int, seed: int) -> None:
    eigen, found = measured(unit(np.random.default_rng(seed).standard_normal((count, 64))))
    assert eigen.outside == 0
    assert not len(found.order())
    assert not len(found.novel())


@pytest.mark.parametrize("count", [1, 5, 20])
def test_planted_outliers_are_found_and_little_else(count: int) -> None:
    precision, recall = [], []
    for seed in range(5):
        rows, strange = planted(count, seed)
        _, found = measured(rows)
        precision.append(len({*found.order()[:count].tolist()} & strange) / count)
        recall.append(len({*found.novel().tolist()} & strange) / count)
        assert len({*found.novel().tolist()} - strange) <= 0.02 * len(rows)
    assert np.mean(precision) >= 0.9
    assert np.mean(recall) >= 0.7


@pytest.mark.parametrize("dims", [64, 256])
@pytest.mark.parametrize("seed", range(3))
def test_rows_along_a_direction_of_their_own_are_novel_and_noise_is_not(dims: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    direction = unit(random.standard_normal((1, dims))) * dims**0.5
    together = direction + 0.5 * random.standard_normal((25, dims))
    rows = unit(np.vstack([random.standard_normal((1475, dims)), together]))
    eigen, found = measured(rows)
    novel = {*found.novel().tolist()}
    assert len(novel & {*range(1475, 1500)}) >= 23
    assert not novel & {*range(1475)}
    assert {*found.order()[: len(novel)].tolist()} == novel
    assert all(found.along_direction(row) for row in novel)
    assert 23 <= sharing(found, eigen, np.array([1480]), blocks(rows))[0] <= 26


def test_a_direction_of_many_is_a_theme_and_not_novel() -> None:
    random = np.random.default_rng(0)
    direction = unit(random.standard_normal((1, 64))) * 8.0
    theme = direction + 0.5 * random.standard_normal((250, 64))
    eigen, found = measured(unit(np.vstack([random.standard_normal((1250, 64)), theme])))
    assert eigen.outside
    assert not found.alone.any()


def test_too_few_rows_and_rows_that_are_all_the_same_have_no_spectrum() -> None:
    assert spectrum(blocks(unit(np.random.default_rng(0).standard_normal((5, 8))))) is None
    assert spectrum(blocks(unit(np.ones((50, 8))))) is None
    assert spectrum(blocks(np.empty((0, 8)))) is None
