"""The self-test of a staged search: how many texts to look at exactly, so that none of the best is lost.

Queries are made of the corpus: some words of one of its texts, pooled as a query is; where no query is pooled
from words, a text's vector moved towards another's. Their ten closest texts are found by looking at all. The
depth is then the least at which `WANTED` of these are among those that the signs let through, over all kinds
of vectors; it is measured when the corpus has doubled since the last time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.protocols import Stop, check
from ark_tui.embedding import static
from ark_tui.index.vectors.exact import Exact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ark_tui.index.protocols import Numbers, Vector
    from ark_tui.index.vectors.exact import Pool
    from ark_tui.index.vectors.serving import Current
    from ark_tui.index.vectors.view import View

QUERIES = 20
FIRST = 10  # of which none may be lost
WANTED = 0.998
WORDS = 8  # tokens of a query
LEAST = 2048  # texts that are looked at anyway, by two bits: it costs less than a millisecond


def tested(view: View, stop: Stop) -> Current:
    """What is in force, with the depth that was measured, and the recall at that depth."""
    ranks = np.sort(np.concatenate([*_ranks(view, stop), np.zeros(1, np.int64)]))
    needed = int(ranks[min(int(np.ceil(WANTED * len(ranks))), len(ranks)) - 1]) + 1
    depth = max(LEAST, 1 << (needed - 1).bit_length())
    recall = float(np.mean(ranks < depth))
    return replace(view.current, depth=depth, recall=recall, tested_rows=view.current.rows)


def _ranks(view: View, stop: Stop) -> Iterator[Numbers]:
    """For each kind of vector and each query, where its closest texts stand by their signs."""
    random = np.random.default_rng(0)
    there = view.chunks.chunk[view.chunks.row >= 0]
    for pair in there[random.integers(len(there), size=(QUERIES, 2))]:
        check(stop)
        index = Exact(view)
        ids = index.tokens(pair[:1])[0]
        start = int(random.integers(max(1, len(ids) - WORDS)))
        said = [ids[start : start + WORDS]]
        yield index.ranks(static.pool(said)[0] if len(ids) else _moved(index, pair), FIRST)
        if index.by_rarity:
            yield index.by_rarity.ranks(static.pool(said, view.idf)[0], FIRST)
        for pool in (index.centred, index.latent):
            if pool:
                yield pool.ranks(_moved(pool, pair), FIRST)


def _moved(pool: Pool, pair: Numbers) -> Vector:
    """The vector of the first of two texts, moved towards that of the other."""
    _, rows = pool.vectors(pair)
    moved: Vector = static.unit(rows[:1] + rows[1:] * np.float32(0.5))[0]
    return moved
