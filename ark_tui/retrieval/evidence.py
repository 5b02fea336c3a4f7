"""After a search that asks for reasons: what in the texts earned each part, and a sentence for each hit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import check
from ark_tui.domain.reasons import Reason
from ark_tui.retrieval import sentence
from ark_tui.retrieval.state import Candidates

if TYPE_CHECKING:
    from ark_tui.domain.hits import Hit, Part, SearchResult
    from ark_tui.retrieval.state import Column, Scored, Search
    from ark_tui.store.found import Found

EQUAL = 1e-9  # of contributions: what differs less is the same
SAME = "the same for all hits"
ABSENT = "nothing of it here"
CHANCE = "no more than texts have by chance"
LEAST = "the least of all that were compared"


def explained(search: Search, scored: Scored, result: SearchResult) -> SearchResult:
    """The same with reasons: for each part of each hit, and in a sentence."""
    hits, listed = (*result.hits, *result.below), len(result.hits)
    places = _places(search, scored.candidates, hits)
    said = {column.name: _reasons(search, scored.candidates, column, places) for column in scored.columns}
    columns = {column.name: column for column in scored.columns}
    level = _level(result.hits)
    told = [
        replace(hit, parts=tuple(_part(part, columns, said, level, hit.chunk.id) for part in hit.parts))
        for hit in hits
    ]
    families = {column.name: column.signal.info.family for column in scored.columns}
    whys = [*sentence.of(told[:listed], families), *sentence.of(told[listed:], families)]
    told = [replace(hit, why=why) for hit, why in zip(told, whys, strict=True)]
    return replace(result, hits=tuple(told[:listed]), below=tuple(told[listed:]))


def _places(search: Search, candidates: Candidates, hits: Sequence[Hit]) -> dict[int, Found]:
    """By their place among the candidates, ascending, what is shown of the hits."""
    wanted = {hit.chunk.id for hit in hits}
    found = {number: one for number, one in search.found.items() if one.chunk.id in wanted}
    numbers = candidates.chunks.tolist()
    return {place: found[number] for place, number in enumerate(numbers) if number in found}


def _reasons(
    search: Search, candidates: Candidates, column: Column, places: Mapping[int, Found]
) -> dict[str, tuple[Reason, ...]]:
    """What a signal says of the hits that it has found, by their chunk."""
    check(search.stop)
    signal = column.signal
    there = [place for place in places if column.rank(place)]
    if signal.reasons is None or not there:
        return {}
    asked = Candidates(candidates.chunks[there], candidates.documents[there])
    found = [places[place] for place in there]
    reasons = signal.reasons(search.as_of(signal.stage), asked, found)
    return {one.chunk.id: some for one, some in zip(found, reasons, strict=True)}


def _level(hits: Sequence[Hit]) -> set[str]:
    """The signals that give all hits the same."""
    given: dict[str, list[float]] = {}
    for hit in hits:
        for part in hit.parts:
            given.setdefault(part.name, []).append(part.contribution)
    return {name for name, some in given.items() if len(some) > 1 and max(some) - min(some) < EQUAL}


def _part(
    part: Part,
    columns: Mapping[str, Column],
    said: Mapping[str, Mapping[str, tuple[Reason, ...]]],
    level: set[str],
    chunk: str,
) -> Part:
    note = ""
    if part.name in level:
        note = SAME
    elif part.rank is None:
        note = ABSENT
    elif abs(part.contribution) < EQUAL:
        note = LEAST if columns[part.name].floor is None else CHANCE
    return replace(part, reasons=said[part.name].get(chunk, ()), note=note)
