"""What a publication and a first search do for each chunk of a corpus is done by arrays, not one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ark_tui.index.vectors import alike, serving, view
from ark_tui.index.vectors.follower import RowNumbers


@given(st.lists(st.integers(0, 2**64 - 1), unique=True), st.lists(st.integers(0, 2**64 - 1), unique=True))
def test_rows_are_found_by_the_keys_of_their_texts(known: list[int], more: list[int]) -> None:
    rows = RowNumbers(np.array(known, np.uint64))
    there = dict(zip(known, range(len(known)), strict=True))
    assert [rows[key] for key in known] == list(range(len(known)))
    for row, key in enumerate(more, len(known)):
        assert rows[key] == there.get(key, -1)
        rows[key] = there[key] = row
    assert [rows[key] for key in there] == list(there.values())


def test_keys_that_are_known_become_no_objects() -> None:
    rows = RowNumbers(np.arange(10_000, dtype=np.uint64))
    assert rows[9_999] == 9_999
    assert not rows._new


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), unique=True, max_size=30))
def test_what_stands_beside_a_chunk_is_found_in_whatever_order_chunks_were_stored(
    chunks: list[tuple[int, int]],
) -> None:
    """Documents that were rewritten have later chunks than their neighbours."""
    documents = sorted({document for document, _ in chunks})
    facts = np.full((len(documents), len(serving.FACTS)), -1, np.int32)
    numbered = serving.ChunkMap(
        chunk=np.arange(len(chunks)),
        row=np.arange(len(chunks), dtype=np.int32),
        document=np.array([document for document, _ in chunks], np.int64),
        ordinal=np.array([ordinal for _, ordinal in chunks], np.int32),
    )
    held = replace(serving.empty_documents(), number=np.array(documents, np.int64), facts=facts)
    beside = view.neighbours(numbered, held).tolist()
    in_order = sorted(chunks)
    for at, one in enumerate(in_order):
        sides = [in_order[at - 1] if at else None, in_order[at + 1] if at + 1 < len(in_order) else None]
        wanted = [chunks.index(side) if side and side[0] == one[0] else -1 for side in sides]
        assert beside[chunks.index(one)] == wanted


@pytest.mark.parametrize("size", [1_000, 4_000])
def test_only_chunks_that_repeat_another_are_taken_one_by_one(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    kinds = alike._kinds

    def counting(pairs: alike.Pairs, involved: NDArray[np.int64]) -> object:
        seen.append(len(involved))
        return kinds(pairs, involved)

    monkeypatch.setattr(alike, "_kinds", counting)
    row = np.arange(size, dtype=np.int32)
    row[7] = 3
    groups = alike.groups(np.array([[20, 10]], np.int32), np.arange(size, dtype=np.int64), row)
    assert groups.tolist() == [[7, 3], [20, 10]]
    assert seen == [3]
