"""A search with its score breakdown; without a query, the recent searches."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from ark_tui.domain.query import Request
from ark_tui.engine import searches
from ark_tui.interfaces.reports.charts import Bar, Bars
from ark_tui.interfaces.reports.report import Block, Excerpt, Figure, Value, facts, paragraph, table
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

HITS = {
    "rank": int, "title": str, "path": str, "lines": str, "collection": str, "date": date, "score": float,
    "band": str, "tier": str, "type": str, "tags": str, "snippet": str, "id": str,
}  # fmt: skip
PARTS = {
    "hit": int, "signal": str, "raw": float, "normalised": float, "rank": int, "weight": float,
    "contribution": float,
}  # fmt: skip
SEARCHES = {"at": str, "query": str, "profile": str, "hits": int, "best_hit": str}
SAVED = {"name": str, "query": str, "hits": int, "last_look": str, "changes": str, "problem": str}


def blocks(engine: Engine, asked: Asked) -> Iterator[Block]:
    if asked.query.strip():
        request = Request(asked.query, limit=LIMIT, profile=asked.profile, unlogged=True)
        signals = {signal.name: signal for signal in engine.signals()}
        yield from _found(engine.search(request, asked.stop), signals)
    else:
        yield from _logged(searches.latest(engine, LOG))
        yield from _saved(searches.saved_diffs(engine, stop=asked.stop))


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
    hidden = ("tier", "type", "tags", "snippet", "id")
    yield table("hits", "Hits", HITS, map(_row, result.hits), hidden=hidden, none="No results.")
    if result.hits:
        yield _figure(result, signals)
        yield from (_excerpt(hit) for hit in result.hits)
        note = "A score is the sum of its contributions, times the factors marked ×."
        rows = [row for hit in result.hits for row in _parts(hit)]
        yield table("parts", "Every part of every score", PARTS, rows, note)


def _summary(result: SearchResult) -> str:
    if not result.hits:
        below = f"; {result.below_floor:,} low-confidence results" if result.below_floor else ""
        return f"nothing{below}"
    return f"{len(result.hits):,} of {max(result.found, len(result.hits)):,} documents are listed"


def _lines(hit: Hit) -> str:
    first, last = hit.snippet.start_line, hit.snippet.end_line
    return f"{first}" if first == last else f"{first}–{last}"


def _row(hit: Hit) -> tuple[Value, ...]:
    one = hit.document
    return (
        hit.rank, one.called, one.path, _lines(hit), one.collection, one.date, hit.score, hit.band, one.tier,
        one.type, " ".join(one.tags), hit.snippet.text, one.id,
    )  # fmt: skip


def _figure(result: SearchResult, signals: dict[str, SignalInfo]) -> Figure:
    """The score of each hit as a bar of its signals."""
    bars = tuple(
        Bar(
            f"{hit.rank:>2} {_title(hit, LABEL)}",
            tuple(
                (
                    signals[part.name].letter,
                    signals[part.name].family,
                    round(part.contribution * hit.factor, 6),
                )
                for part in hit.parts
                if part.name in signals and part.contribution > 0
            ),
        )
        for hit in result.hits
    )
    letters = {letter for bar in bars for letter, _, _ in bar.parts}
    key = tuple((one.letter, one.family, name) for name, one in signals.items() if one.letter in letters)
    return Figure("why", "What each score is made of", Bars(bars, 3, key))


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


def _parts(hit: Hit) -> Iterator[tuple[Value, ...]]:
    for part in hit.parts:
        yield hit.rank, part.name, part.raw, part.normalised, part.rank, part.weight, part.contribution
    for factor in hit.multipliers:
        yield hit.rank, f"× {factor.name}", factor.value, None, None, None, None


# -- without a query -----------------------------------------------------------------------------------


def _logged(log: tuple[Retrieval, ...]) -> Iterator[Block]:
    """The logged searches, the latest first."""
    said = f"The last {len(log):,} searches." if log else "No searches are logged yet."
    yield paragraph(f"{said} Add --query to report a search.")
    rows = [
        (
            f"{one.at:%Y-%m-%d %H:%M}", one.query, one.request.profile, len(one.answers),
            one.answers[0].title if one.answers else "",
        )
        for one in log
    ]  # fmt: skip
    yield table("log", "Searches", SEARCHES, rows)


def _saved(diffs: tuple[SavedDiff, ...]) -> Iterator[Block]:
    """The saved searches, with the changes of their results since the last look."""
    rows = [
        (
            f"@{one.name}", one.query, one.hits, f"{one.looked:%Y-%m-%d %H:%M}" if one.looked else "–",
            "; ".join(f"{move.title} {move.kind}" for move in one.moves), one.problem,
        )
        for one in diffs
    ]  # fmt: skip
    yield table("saved", "Saved searches", SAVED, rows)
