"""Analyses of the corpus. Measures are kept in memory until the corpus changes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import get_args

import numpy as np

from ark_tui.analysis.terms import counted, salient
from ark_tui.domain.analysis import (
    WHATS,
    Active,
    Activity,
    Analysis,
    Audit,
    Bucket,
    Dated,
    Graph,
    Unfound,
    What,
)
from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.engine import whynot
from ark_tui.engine.measures import Measures
from ark_tui.engine.services import Services
from ark_tui.engine.survey import Survey
from ark_tui.store import Store, documents, overview

LEAST, MOST = 0.1, 5.0  # resolution of communities


class Analysing:
    """Analyses of a home (`engine.analysis`)."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def run(
        self,
        what: Sequence[What] = WHATS,
        *,
        limit: int = 10,
        resolution: float = 1.0,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
    ) -> Analysis:
        """Compute measures, or return those that were computed of the current corpus before.

        `limit`: documents per list. `resolution`: of communities, 0.1–5; higher values give smaller ones.
        Raises `UsageError` for an unknown measure and `Cancelled` when stopped; finished measures are kept.
        """
        begun = time.monotonic()
        _checked(what, limit, resolution)
        check(stop)
        self._parts.look(stop)
        survey = Survey(self._parts, resolution=resolution, stop=stop, progress=progress)
        measures = Measures(survey, limit)
        made: dict[str, object] = {}
        for name in what:
            check(stop)
            if name == "activity":
                self._parts.journal.settle()
                made[name] = activity(self._parts.store)
            elif name == "audit":
                made[name] = audit(survey)
            else:
                made[name] = getattr(measures, name)()
        graph = measures.graph() if {*what} - {"activity", "audit", "novelty"} else Graph()
        return Analysis(
            survey.view.change if survey.view else self._parts.store.change(),
            survey.model, graph, took_s=time.monotonic() - begun,
            **made,  # type: ignore[arg-type]
        )  # fmt: skip


def _checked(what: Sequence[What], limit: int, resolution: float) -> None:
    if unknown := [name for name in what if name not in WHATS]:
        raise UsageError(f"There is no measure {unknown[0]}.", f"Measures: {', '.join(WHATS)}.")
    if limit < 1:
        raise UsageError(f"The limit {limit} is too small.", "Ask for at least one document: -n 10")
    check_resolution(resolution)


def check_resolution(resolution: float) -> None:
    """Check the resolution of communities. Raises `UsageError`."""
    if not LEAST <= resolution <= MOST:
        raise UsageError(
            f"The resolution {resolution:g} is out of range.", f"It must be between {LEAST:g} and {MOST:g}."
        )


DAYS = 62  # longest span shown by days
MONTHS = 62  # longest span shown by months


def activity(store: Store) -> Activity:
    """Activity by days, months or years, depending on the span."""
    with store.read() as lease:
        counts = [overview.per_day(lease, what) for what in get_args(overview.Happening)]
        own, undated = overview.per_own_date(lease)
    days = sorted({day for count in counts for day in count})
    if not days:
        return Activity(notice="Nothing has happened yet.")
    bucket = _bucket(days[0], days[-1])
    per_period = [_gathered(count, bucket) for count in counts]
    periods = [
        Active(start, *(count.get(start, 0) for count in per_period))
        for start in _starts(days[0], days[-1], bucket)
    ]
    if not own:
        return Activity(bucket, tuple(periods), undated=undated)
    first, last = min(own), max(own)
    own_bucket = _bucket(first, last)
    by_period = _gathered(own, own_bucket)
    dated = [Dated(start, by_period.get(start, 0)) for start in _starts(first, last, own_bucket)]
    return Activity(bucket, tuple(periods), tuple(dated), own_bucket, undated)


def _starts(first: date, last: date, bucket: Bucket) -> Iterator[date]:
    """The first days of all periods between two days."""
    start = _start(first, bucket)
    while start <= last:
        yield start
        if start.year == date.max.year:
            return
        start = _start(start + timedelta(days={"day": 1, "month": 31, "year": 366}[bucket]), bucket)


def _bucket(first: date, last: date) -> Bucket:
    if (last - first).days < DAYS:
        return "day"
    months = (last.year - first.year) * 12 + last.month - first.month
    return "month" if months < MONTHS else "year"


def _start(day: date, bucket: Bucket) -> date:
    """The first day of the period of a day."""
    if bucket == "day":
        return day
    return day.replace(day=1) if bucket == "month" else day.replace(month=1, day=1)


def _gathered(count: dict[date, int], bucket: Bucket) -> dict[date, int]:
    found: dict[date, int] = {}
    for day, number in count.items():
        start = _start(day, bucket)
        found[start] = found.get(start, 0) + number
    return found


ALL = 100  # most documents to test
DEEP = 10  # hits that should contain the document
PER_PROBE = 4  # terms
PROBES = 2
CHARACTERS = 20_000  # of a document, from which its terms are taken
STAGE = "audit"


def audit(survey: Survey) -> Audit:
    """Search for each document by its own salient terms, unless this was done with this corpus and ranking.

    A document counts as not found if two such queries do not return it among the first ten hits; its cause is
    the one that `why_not` gives for the first query. Of more than 100 documents, an even sample is tested.
    """
    if not survey.size:
        return Audit(notice=Hint.run("index", say="There are no documents yet. Index a folder: `{}`."))
    return survey.measured(f"audit-{_key(survey)}", lambda: _audited(survey))


def _audited(survey: Survey) -> Audit:
    survey.parts.words.refresh()
    asked = min(survey.size, ALL)
    profile, unfound = "", list[Unfound]()
    for done, place in enumerate(np.linspace(0, survey.size - 1, asked).astype(int).tolist()):
        check(survey.stop)
        survey.progress(Progress(STAGE, done, asked))
        number = int(survey.numbers[place])
        with survey.parts.store.read() as lease:
            text = overview.beginnings(lease, [number], CHARACTERS).get(number)
            document = documents.documents(lease, [number]).get(number)
        if text is None or document is None:  # deleted meanwhile
            continue
        words = salient(counted(text), survey.parts.words.idf, PROBES * PER_PROBE)
        probes = tuple(" ".join(words[at : at + PER_PROBE]) for at in range(0, len(words), PER_PROBE))
        if not probes:
            unfound.append(Unfound(document, "no words", "It has no word to search for."))
            continue
        for probe in probes:
            result = survey.parts.search(_request(probe), survey.stop)
            profile = result.profile
            if any(hit.document.id == document.id for hit in result.hits):
                break
        else:
            found = whynot.cause(survey.parts, _request(probes[0], profile), number, survey.stop)
            unfound.append(Unfound(document, found.cause, found.sentence, probes, found.document))
    survey.progress(Progress(STAGE, asked, asked))
    counts = Counter(one.cause for one in unfound)
    sampled = f"{asked:,} of {survey.size:,} documents were probed, evenly drawn."
    notice = sampled if asked < survey.size else ""
    return Audit(
        survey.size, asked, asked - len(unfound), tuple(unfound), dict(counts.most_common()), profile, notice
    )


def _request(probe: str, profile: str = "") -> Request:
    return Request(probe, limit=DEEP, literal=True, below=True, unlogged=True, profile=profile)


def _key(survey: Survey) -> str:
    """A hash of the ranking settings that an audit depends on."""
    settings = survey.parts.settings
    chosen = (settings.profile, sorted(map(repr, settings.profiles.values())), settings.decay)
    return content_hash(repr(chosen).encode())[:12]
