"""Messages by words and meaning: one score of BM25 and a cosine, with both parts kept.

The score is a sum of weight × value as for documents: BM25 as a share of the best, the cosine above chance
level. Messages have weights of their own, since profiles spread weight over signals that messages lack.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.memory import Share
from ark_tui.domain.query import Field, Filters, Listed
from ark_tui.index.filters import both
from ark_tui.index.protocols import NOWHERE, Bm25, Ranked
from ark_tui.retrieval import fusion
from ark_tui.retrieval.signals import bm25, model, static

if TYPE_CHECKING:
    from ark_tui.domain.profile import Profile
    from ark_tui.index.protocols import Numbers, Scores
    from ark_tui.index.words.reader import Words
    from ark_tui.retrieval.state import Column

MEANING = {"static": 0.3, "cosine": 0.5}  # weight of the cosine by signal; BM25 has the rest
NEAREST = 100  # chunks that are found by meaning
CLEAR = 0.5  # share of the closest one's height above chance, needed by a message with none of the words
COSINES = {"static": static.SIGNAL, "cosine": model.SIGNAL}
NEAR = Field("near")


@dataclass(frozen=True)
class Near:
    """Chunks of messages with their cosines. `chance`: the cosine of an unrelated text.

    `left`: a notice about messages without a vector.
    """

    signal: str
    profile: Profile
    chunks: Numbers
    documents: Numbers
    close: Scores
    chance: float
    left: str = ""


def fused(
    words: Words, asked: Bm25, found: Ranked, near: Near, filters: Filters
) -> tuple[Ranked, dict[int, tuple[float, tuple[Share, ...]]]]:
    """Merge the results of BM25 and of vectors into one score; each document with its score and parts.

    `filters` apply to both.
    """
    best = np.argsort(-near.close, kind="stable")[:NEAREST]
    best = best[near.close[best] > near.chance] if len(near.close) > 1 else best
    owners = array("q", np.unique(near.documents[best]).tolist())
    able = words.listed(both(filters, Filters(where=Listed(NEAR, owners))), len(near.chunks)).chunks
    best = best[np.isin(near.chunks[best], np.array(able, np.int64))]
    chunks, first = np.unique(
        np.concatenate([np.array(found.chunks, np.int64), near.chunks[best]]), return_index=True
    )
    documents = np.concatenate([np.array(found.documents, np.int64), near.documents[best]])[first]
    weights = {"bm25": 1 - MEANING[near.signal], near.signal: MEANING[near.signal]}
    profile = replace(near.profile, fusion="convex", weights=weights)
    columns = [
        fusion.column(bm25.SIGNAL, words.score(asked, chunks), profile),
        fusion.column(COSINES[near.signal], _cosines(near, chunks), profile, near.chance),
    ]
    score = fusion.total(columns, len(chunks))
    told = (columns[0].raw > 0) | (columns[1].normalised >= CLEAR)
    order = np.flatnonzero(told)[np.lexsort((chunks[told], -score[told]))]
    parts: dict[int, tuple[float, tuple[Share, ...]]] = {}
    for at in order.tolist():
        if (document := int(documents[at])) not in parts:
            parts[document] = float(score[at]), tuple(_share(column, at) for column in columns)
    count = found.count + int(np.count_nonzero(told & (columns[0].raw <= 0)))
    ranked = Ranked(tuple(chunks[order].tolist()), tuple(documents[order].tolist()),
                    tuple(score[order].tolist()), count)  # fmt: skip
    return ranked, parts


def _share(column: Column, at: int) -> Share:
    part = column.part(at)
    return Share(part.name, part.raw, part.normalised, part.weight, part.contribution)


def _cosines(near: Near, chunks: Numbers) -> Scores:
    """The cosine of each of these chunks; NOWHERE for one without a vector."""
    order = np.argsort(near.chunks)
    at = near.chunks.searchsorted(chunks, sorter=order).clip(max=len(order) - 1)
    place = order[at]
    found: Scores = np.where(near.chunks[place] == chunks, near.close[place], NOWHERE)
    return found
