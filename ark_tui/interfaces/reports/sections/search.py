"""A search with its score breakdown; without a query, the recent searches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from operator import attrgetter
from typing import TYPE_CHECKING

from ark_tui.domain.query import Request
from ark_tui.engine import searches
from ark_tui.interfaces.reports.charts import Bar, Bars
from ark_tui.interfaces.reports.report import (
    COLLECTION,
    ID,
    PATH,
    TITLE,
    Block,
    Column,
    Excerpt,
    Figure,
    Section,
    Table,
    Value,
    facts,
    listed,
    paragraph,
    table,
)
from ark_tui.interfaces.reports.sections import Asked
from ark_tui.interfaces.reports.text import clean, shortened

if TYPE_CHECKING:
    from ark_tui.domain.hits import Hit, SearchResult, SignalInfo
    from ark_tui.domain.searches import Retrieval, SavedDiff
    from ark_tui.engine import Engine

LIMIT = 10  # hits
LOG = 1000  # searches of the log that are read
LABEL = 40  # letters of a title in a figure
LONGEST = 200  # letters of any title
EXCERPT = 600  # characters


def build(engine: Engine, asked: Asked) -> Section:
    if not asked.query.strip():
        blocks = (
            *_logged(searches.latest(engine, LOG)), *_saved(searches.saved_diffs(engine, stop=asked.stop)),
        )  # fmt: skip
        return Section("search", "Searches", blocks)
    result = engine.search(
        Request(asked.query, limit=LIMIT, profile=asked.profile, unlogged=True), asked.stop
    )
    signals = {signal.name: signal for signal in engine.signals()}
    return Section("search", "Search", tuple(_found(result, signals)))


def _found(result: SearchResult, signals: dict[str, SignalInfo]) -> Iterator[Block]:
    yield facts(
        ("Query", result.query.raw),
        ("Profile", result.profile),
        ("Found", _summary(result)),
        ("Expanded by", ", ".join(result.expansion.terms)),
        *((f"{lamp.signal} off", lamp.reason) for lamp in result.lamps if lamp.state == "off"),
    )
    for suggestion in result.suggestions:
        meant = f"; did you mean {' or '.join(suggestion.instead)}?" if suggestion.instead else "."
        yield paragraph(f"“{suggestion.word}” is in no document{meant}")
    yield listed("hits", "Hits", HITS, result.hits, none="No results.")
    if result.hits:
        yield _figure(result, signals)
        yield from (_excerpt(hit) for hit in result.hits)
        yield _parts(result)


def _summary(result: SearchResult) -> str:
    if not result.hits:
        below = f"; {result.below_floor:,} below the floor" if result.below_floor else ""
        return f"nothing{below}"
    return f"{len(result.hits):,} of {max(result.found, len(result.hits)):,} documents are listed"


def _lines(hit: Hit) -> str:
    first, last = hit.snippet.start_line, hit.snippet.end_line
    return f"{first}" if first == last else f"{first}–{last}"


HITS = (
    Column("rank", "Rank", "count"),
    TITLE,
    PATH,
    Column("lines", "Lines", of=_lines),
    replace(COLLECTION, shown=True),
    Column("date", "Date", "date", of=attrgetter("document.date")),
    Column("score", "Score", "number"),
    Column("band", "Band"),
    Column("tier", "Tier", shown=False, of=attrgetter("document.tier")),
    Column("type", "Type", shown=False, of=attrgetter("document.type")),
    Column("tags", "Tags", shown=False, of=lambda hit: " ".join(hit.document.tags)),
    Column("snippet", "Snippet", shown=False, of=attrgetter("snippet.text")),
    ID,
)


def _figure(result: SearchResult, signals: dict[str, SignalInfo]) -> Figure:
    present = [
        name
        for name in signals
        if any(part.name == name and part.contribution > 0 for hit in result.hits for part in hit.parts)
    ]
    bars = tuple(
        Bar(f"{hit.rank:>2} {_title(hit, LABEL)}", tuple(_shares(hit, signals))) for hit in result.hits
    )
    key = tuple((signals[name].letter, signals[name].family, name) for name in present)
    return Figure(
        "why",
        "What each score is made of",
        "How much of each score comes from which signal. Factors are listed with its parts.",
        Bars(bars, 3, key),
    )


def _shares(hit: Hit, signals: dict[str, SignalInfo]) -> Iterator[tuple[str, str, float]]:
    factor = prod(multiplier.value for multiplier in hit.multipliers)
    for part in hit.parts:
        signal = signals.get(part.name)
        if signal and part.contribution > 0:
            yield signal.letter, signal.family, round(part.contribution * factor, 6)


def _title(hit: Hit, most: int) -> str:
    return shortened(clean(hit.document.called), most)


def _excerpt(hit: Hit) -> Excerpt:
    one = hit.document
    lines = f"{one.path}:{_lines(hit)}"
    more = [f"also at {other.path}" for other in hit.duplicates]
    if one.superseded_by:
        more.append(f"superseded by {one.superseded_by}")
    if one.stale and not one.away:
        more.append("the file is newer than the index")
    if one.away:
        more.append("its folder is missing")
    about = " · ".join([lines, one.collection, *([one.date.isoformat()] if one.date else []), *more])
    text = clean(hit.snippet.text)
    cut = text[:EXCERPT] + ("…" if len(text) > EXCERPT else "")
    marks = tuple(span for span in hit.snippet.highlights if span[1] <= min(len(text), EXCERPT))
    if len(text) != len(hit.snippet.text):
        marks = ()  # masking a secret has moved the ranges
    return Excerpt(f"{hit.rank}. {_title(hit, LONGEST)}", clean(about), cut, marks)


def _worth(hit: Hit) -> Iterator[tuple[Value, ...]]:
    for part in hit.parts:
        yield hit.rank, part.name, part.raw, part.normalised, part.rank, part.weight, part.contribution
    for factor in hit.multipliers:
        yield hit.rank, f"× {factor.name}", factor.value, None, None, None, None


def _parts(result: SearchResult) -> Table:
    return table(
        "parts",
        "Every part of every score",
        [
            Column("hit", "Hit", "count"),
            Column("signal", "Signal"),
            Column("raw", "Raw", "number"),
            Column("normalised", "Norm", "number"),
            Column("rank", "Rank", "count"),
            Column("weight", "Weight", "number", 2),
            Column("contribution", "Share", "number", 4),
        ],
        [row for hit in result.hits for row in _worth(hit)],
        note="A score is the sum of its shares, times the factors marked ×.",
        limit=200,
    )


# -- without a query -----------------------------------------------------------------------------------


def _logged(log: tuple[Retrieval, ...]) -> Iterator[Block]:
    """The logged searches, the latest first."""
    if not log:
        yield paragraph("No searches are logged yet. Add --query to report a search.")
    else:
        yield paragraph(f"The last {len(log):,} searches. Add --query to report a search.")
    columns = [
        Column("at", "When", of=lambda one: f"{one.at:%Y-%m-%d %H:%M}"),
        Column("query", "Query"),
        Column("profile", "Profile", of=lambda one: one.request.profile),
        Column("hits", "Hits", "count", of=lambda one: len(one.answers)),
        Column("best", "Best hit", of=lambda one: one.answers[0].title if one.answers else ""),
    ]
    yield listed("log", "Searches", columns, log)


def _saved(diffs: tuple[SavedDiff, ...]) -> Iterator[Block]:
    """The saved searches, with the changes of their results since the last look."""
    if not diffs:
        return
    columns = [
        Column("name", "Saved search", of=lambda one: f"@{one.name}"),
        Column("query", "Query"),
        Column("hits", "Hits", "count"),
        Column("looked", "Last look", of=lambda one: f"{one.looked:%Y-%m-%d %H:%M}" if one.looked else "–"),
        *(Column(kind, kind.capitalize(), "count") for kind in ("came", "went", "moved")),
        Column("problem", "Problem"),
    ]
    yield listed("saved", "Saved searches", columns, diffs)
    moves = [
        [f"@{one.name}", move.kind, move.before, move.after, move.title, move.path]
        for one in diffs
        for move in one.moves
    ]
    if moves:
        yield table(
            "saved-moves", "Changes in the saved searches",
            [
                Column("name", "Saved search"), Column("kind", "Change"), Column("before", "Was", "count"),
                Column("after", "Is", "count"), Column("title", "Title"), Column("path", "Path"),
            ],
            moves,
        )  # fmt: skip
