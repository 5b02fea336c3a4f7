"""Conditions as masks over documents and chunks."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ark_tui.domain.globs import linear
from ark_tui.domain.query import (
    Condition,
    Dated,
    Either,
    Every,
    Field,
    Filters,
    Found,
    Has,
    Holds,
    Listed,
    Not,
)
from ark_tui.index import filters as trees
from ark_tui.index.filters import EARLIEST, LATEST, path_pattern, within
from ark_tui.index.vectors import serving
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable

    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

K = TypeVar("K")
KEPT = 64  # masks of a corpus that stands still


class Masks:
    """Which documents and chunks of one state of the corpus conditions are true of, each worked out once.

    `paths` is asked for the documents' paths when the first filter by path is.
    """

    def __init__(
        self,
        documents: serving.DocumentFacts,
        chunk: NDArray[np.int64],
        document_at: NDArray[np.int64],
        paths: Callable[[], list[str]],
    ) -> None:
        self._documents = documents
        self._chunk = chunk
        self._document_at = document_at
        self._paths = paths
        self._superseded: Mask = documents.facts[:, serving.FACTS.index("superseded")] > 0
        self._since = documents.facts[:, serving.FACTS.index("since")]
        self._remembers = bool((self._since != serving.NO_DAY).any())
        # whether documents are or may be hidden that nobody filters out
        self._hides = self._remembers or bool(self._superseded.any())
        self._chunks: dict[Filters, Mask] = {}
        self._parts: dict[Condition, Mask] = {}

    def of(self, wanted: Filters) -> Mask | None:
        """Which chunks the filters let answer; None for all. Every `Holds` must have become `Found`."""
        if not wanted and (wanted.superseded or not self._hides):
            return None
        if not self._remembers:
            wanted = replace(wanted, expired=())
        mask = self._chunks.get(wanted)
        if mask is None:
            mask = self._of_chunks(trees.condition(wanted))
            if not wanted.superseded:
                mask &= ~self._superseded[self._document_at]
            for expired in wanted.expired:
                over = self._of_documents(Has("layer", expired.layer)) & (self._since <= expired.before)
                mask &= ~over[self._document_at]
            _keep(self._chunks, wanted, mask)
        return mask

    def _of_chunks(self, tree: Condition) -> Mask:
        mask: Mask = self._of_documents(tree)[self._document_at]
        if shown := trees.shown(tree):
            texts = (text for part in shown for text in trees.texts(part))
            held = [_numbers(text.chunks) for text in texts if isinstance(text, Found)]
            mask &= np.isin(self._chunk, np.concatenate(held))
        return mask

    def _of_documents(self, part: Condition) -> Mask:
        mask = self._parts.get(part)
        if mask is None:
            mask = _keep(self._parts, part, self._worked_out(part))
        return mask

    def _worked_out(self, part: Condition) -> Mask:
        count = len(self._documents.number)
        match part:
            case Not():
                return ~self._of_documents(part.part)
            case Every():
                return self._reduced(np.logical_and, np.ones(count, bool), part)
            case Either():
                return self._reduced(np.logical_or, np.zeros(count, bool), part)
            case Found() | Listed():
                return np.isin(self._documents.number, _numbers(part.documents))
            case Dated():
                return self._dated(part)
            case Has():
                return self._has(part)
            case Holds() | Field():
                raise TypeError(f"nobody has looked for {part}")

    def _reduced(self, combine: np.ufunc, start: Mask, whole: Every | Either) -> Mask:
        for part in whole.parts:
            combine(start, self._of_documents(part), out=start)
        return start

    def _dated(self, part: Dated) -> Mask:
        day = self._documents.facts[:, serving.FACTS.index("day")]
        first = (part.first - EPOCH_DAY).days if part.first else EARLIEST
        last = (part.last - EPOCH_DAY).days if part.last else LATEST
        mask: Mask = (day != serving.NO_DAY) & (day >= first) & (day <= last)
        return mask

    def _has(self, part: Has) -> Mask:
        documents = self._documents
        count = len(documents.number)
        if part.kind == "path":
            match = re.compile(linear(path_pattern(part.value)), re.DOTALL).fullmatch
            return np.fromiter((match(path) is not None for path in self._paths()), bool, count)
        names = documents.names[part.kind]
        code = names.index(part.value) if part.value in names else -2  # −1 is "has none"
        if part.kind != "tag":
            mask: Mask = documents.facts[:, serving.FACTS.index(part.kind)] == code
            return mask
        tagged = np.zeros(count, bool)
        owners = np.repeat(np.arange(count), np.diff(documents.tag_offsets))
        codes = [code for code, tag in enumerate(names) if within(tag, part.value)]
        tagged[owners[np.isin(documents.tags, codes)]] = True
        return tagged


def _keep(kept: dict[K, Mask], key: K, mask: Mask) -> Mask:
    if len(kept) >= KEPT:
        kept.clear()
    kept[key] = mask
    return mask


def _numbers(numbers: array[int]) -> NDArray[np.int64]:
    return np.frombuffer(numbers, np.int64) if numbers else np.empty(0, np.int64)
