"""Conditions as boolean masks over documents and chunks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

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
from ark_tui.index.filters import EARLIEST, LATEST, path_pattern
from ark_tui.index.vectors.table import NO_DAY
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    from array import array

    import pyarrow as pa
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

KINDS = ("collection", "path", "tier", "type", "layer", "source")
ABSENT = (("day", NO_DAY), ("since", NO_DAY), ("place", -1))
K = TypeVar("K")
KEPT = 64  # cached masks of one state of the corpus


@dataclass(slots=True)
class Documents:
    """The filter columns of documents, by ascending number; missing `day` and `since` are NO_DAY.

    `codes` are indexes into `names`, by kind. The tags of document i begin at `tag_start[i]` and include the
    parent tags.
    """

    number: NDArray[np.int64]
    day: NDArray[np.int64]
    since: NDArray[np.int64]
    place: NDArray[np.int64]  # position in its source; −1 if there is none
    superseded: Mask
    codes: dict[str, NDArray[np.int64]]
    names: dict[str, list[str]]
    tags: NDArray[np.int64]
    tag_start: NDArray[np.int64]

    @classmethod
    def of(cls, rows: pa.Table, document: NDArray[np.int64]) -> Documents:
        """The documents of a table of chunks, from the first row of each."""
        number, first = np.unique(document, return_index=True)
        rows = rows.take(first).combine_chunks()
        codes, names = {}, {}
        for kind in KINDS:
            coded = rows[kind].combine_chunks().dictionary_encode()
            codes[kind] = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
            names[kind] = coded.dictionary.to_pylist()
        tags = rows["tags"].combine_chunks()
        coded = tags.flatten().dictionary_encode()
        day, since, place = (rows[name].fill_null(empty).to_numpy() for name, empty in ABSENT)
        return cls(
            number, day, since, place, rows["superseded"].to_numpy(), codes,
            names | {"tag": coded.dictionary.to_pylist()},
            coded.indices.to_numpy(zero_copy_only=False).astype(np.int64),
            np.cumsum([0, *tags.value_lengths().fill_null(0).to_pylist()]),
        )  # fmt: skip

    def tags_of(self, place: int) -> list[str]:
        """The tags of the document at a position, without parent tags."""
        codes = self.tags[self.tag_start[place] : self.tag_start[place + 1]]
        tags = [self.names["tag"][code] for code in codes.tolist()]
        return [tag for tag in tags if not any(other.startswith(f"{tag}/") for other in tags)]


class Masks:
    """Cached masks of the documents and chunks that match conditions, for one state of the corpus."""

    def __init__(
        self, documents: Documents, chunk: NDArray[np.int64], document_at: NDArray[np.int64]
    ) -> None:
        self._documents = documents
        self._chunk = chunk
        self._document_at = document_at
        self._remembers = bool((documents.since != NO_DAY).any())
        # whether documents are or may be hidden without a filter
        self._hides = self._remembers or bool(documents.superseded.any())
        self._chunks: dict[Filters, Mask] = {}
        self._parts: dict[Condition, Mask] = {}

    def of(self, wanted: Filters) -> Mask | None:
        """The mask of chunks that match the filters; None: all. Every `Holds` must be resolved to `Found`."""
        if not wanted and (wanted.superseded or not self._hides):
            return None
        if not self._remembers:
            wanted = replace(wanted, expired=())
        mask = self._chunks.get(wanted)
        if mask is None:
            mask = self._of_chunks(trees.condition(wanted))
            if not wanted.superseded:
                mask &= ~self._documents.superseded[self._document_at]
            for expired in wanted.expired:
                over = self._of_documents(Has("layer", expired.layer)) & (
                    self._documents.since <= expired.before
                )
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
        day = self._documents.day
        first = (part.first - EPOCH_DAY).days if part.first else EARLIEST
        last = (part.last - EPOCH_DAY).days if part.last else LATEST
        mask: Mask = (day != NO_DAY) & (day >= first) & (day <= last)
        return mask

    def _has(self, part: Has) -> Mask:
        documents = self._documents
        count = len(documents.number)
        names = documents.names[part.kind]
        if part.kind == "path":
            import pyarrow as pa
            import pyarrow.compute as pc

            whole = f"^(?s:{path_pattern(part.value)})$"
            fits = pc.match_substring_regex(pa.array(names, pa.string()), whole)  # in linear time
            passing: Mask = fits.to_numpy(zero_copy_only=False)[documents.codes["path"]]
            return passing
        code = names.index(part.value) if part.value in names else -1
        if part.kind != "tag":
            mask: Mask = documents.codes[part.kind] == code
            return mask
        tagged = np.zeros(count, bool)
        owners = np.repeat(np.arange(count), np.diff(documents.tag_start))
        tagged[owners[documents.tags == code]] = True
        return tagged


def _keep(kept: dict[K, Mask], key: K, mask: Mask) -> Mask:
    if len(kept) >= KEPT:
        kept.clear()
    kept[key] = mask
    return mask


def _numbers(numbers: array[int]) -> NDArray[np.int64]:
    return np.frombuffer(numbers, np.int64) if numbers else np.empty(0, np.int64)
