"""The functions that the workbench calls besides operations: pages around a row, staged searches, changes.

They are called like operations, with a `Call` first. No command, route or tool is generated from them: each
is a step of an operation.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from ark_tui.domain.analysis import Analysis, What
from ark_tui.domain.curation import Done, Item
from ark_tui.domain.documents import Document, Link, Passage, Purged
from ark_tui.domain.errors import ArkError
from ark_tui.domain.evaluation import Compared, Slider, Tuned, Tuning
from ark_tui.domain.hits import SearchResult, SignalInfo
from ark_tui.domain.jobs import WATCH, JobEntry, JobState, Wish
from ark_tui.domain.library import Findable, Listing, Page, Talk
from ark_tui.domain.memory import AccessKind, Conversation, Message, Scope
from ark_tui.domain.query import SAVED, Kind, Request
from ark_tui.domain.reading import About, Stake, Symbol
from ark_tui.domain.searches import Rerun, Retrieval
from ark_tui.domain.whynot import WhyNot
from ark_tui.domain.work import Progress
from ark_tui.operations.call import Call

# -- the home ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Going:
    """A running, waiting or recently ended job; times are in seconds until now.

    `told`: whether kind, folder and model describe the work; otherwise `kind` is its description.
    """

    id: str
    kind: str
    folder: str
    collection: str
    model: str
    state: JobState | Literal["waiting"]
    own: bool
    told: bool
    wish: Wish
    started: datetime | None
    progress: Progress | None
    age: float = field(compare=False)
    seconds: float = field(compare=False)
    before: int
    problem: str = ""  # why it failed, if it did
    hint: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """The state of a home and its jobs.

    `change` increases with each change of the corpus, `pulse` with each write.
    """

    change: int = 0
    pulse: int = 0
    jobs: tuple[Going, ...] = ()
    ended: tuple[Going, ...] = ()  # jobs that ended since the last news
    notices: tuple[str, ...] = ()  # non-fatal failures, each once


class _Notices:
    """A job listener that collects notices and ended jobs."""

    def __init__(self) -> None:
        self._heard: list[str] = []
        self._ended: list[Going] = []

    def moved(self) -> None:
        """Do nothing: progress is polled."""

    def ended(self, entry: JobEntry, result: object = None, error: ArkError | None = None) -> None:
        del result
        problem, hint = (error.what, error.hint) if error else ("", "")
        self._ended.append(replace(_going(entry), problem=problem, hint=hint))

    def noticed(self, notice: str) -> None:
        self._heard.append(notice)

    def added(self, news: News) -> News:
        """The news with the notices and ended jobs collected since the last."""
        heard, self._heard = self._heard, []
        ended, self._ended = self._ended, []
        return replace(news, notices=tuple(heard), ended=tuple(ended))


GAP = 0.1
"""Seconds between two checks of running jobs."""


def subscribe(call: Call) -> Iterator[News]:
    """Yield news as they occur, until the caller disconnects."""
    seen, notices = None, _Notices()
    listeners = call.engine.jobs.listeners
    listeners.append(notices)
    if (watch := call.engine.jobs.latest(WATCH)) is not None and watch.state == "failed":
        notices.ended(watch)
    try:
        while not call.stop.is_set():
            now = news(call)
            told = notices.added(now)
            if told != now or now != seen:
                yield told
            seen = now
            call.engine.wait_for_change(now.pulse, GAP)
    finally:
        listeners.remove(notices)


def news(call: Call) -> News:
    """The current state of the home and its jobs."""
    engine = call.engine
    return News(engine.store.change(), engine.store.pulse(), tuple(map(_going, engine.jobs.live)))


def _going(one: JobEntry) -> Going:
    return Going(
        one.id, one.kind, str(one.folder or ""), one.collection, one.model, one.state, one.own,
        one.work is None, one.wish, one.started, one.progress, time.monotonic() - one.begun, one.seconds,
        one.before,
    )  # fmt: skip


def scope(call: Call) -> Scope:
    """The memory scope of the call."""
    return call.scope


def pins(call: Call) -> frozenset[str]:
    """The ids of the pinned documents, read from a small file."""
    return call.engine.store.pins()


def signals(call: Call) -> tuple[SignalInfo, ...]:
    """The names and descriptions of all signals."""
    return call.engine.signals()


def values(call: Call, kind: Kind) -> dict[str, int]:
    """The values of a kind of metadata with their document counts, the most frequent first."""
    return dict(call.engine.values(kind))


def warm(call: Call) -> None:
    """Load what searching needs."""
    call.engine.warm()


def erase(call: Call) -> int:
    """Finish an interrupted erasure; returns the number of texts."""
    return call.engine.curation.erase()


def catch_up(call: Call) -> int:
    """Update the indexes from the store; returns the number of changes."""
    return call.engine.sync(call.stop, call.progress)


def profile(call: Call) -> str:
    """The default ranking profile."""
    return call.engine.profile_in_use()


# -- searching -----------------------------------------------------------------------------------------


def search(call: Call, request: Request) -> Iterator[tuple[Request, SearchResult]]:
    """Search in stages: the keyword results are `partial`, while the rest is computed.

    Yields each with its actual request: a query such as `@week tag:draft` runs a saved search.
    """
    by_name = request.query.startswith(SAVED) and not request.literal
    saved = call.engine.curation.asked(request.query) if by_name else None
    if saved is not None:
        request = replace(
            saved,
            limit=request.limit,
            profile=saved.profile or request.profile,
            typing=request.typing,
            superseded=saved.superseded or request.superseded,
            expand=request.expand if saved.expand is None else saved.expand,
            without=(*saved.without, *request.without),
            unlogged=request.unlogged,
        )
    for result in call.engine.search_stages(request, call.stop):
        yield request, result


def reasons(call: Call, request: Request) -> SearchResult:
    """Repeat a search with the reasons of each part of its hits."""
    return call.engine.search(replace(request, explain=True, unlogged=True), call.stop)


def save_search(call: Call, name: str, request: Request) -> Done:
    """Save a search with all its options under a name."""
    from ark_tui.curation import saved

    return call.engine.curation.edit(saved.save, name.removeprefix(SAVED), request)


def findable(call: Call) -> tuple[Findable, ...]:
    """All names: documents, documents in the trash, and files without documents."""
    return call.engine.library.findable()


def why_not(call: Call, request: Request, ref: str) -> WhyNot:
    """Explain why a search does not list a document."""
    from ark_tui.engine import whynot

    return whynot.why_not(call.engine, request, ref, call.stop)


def used(call: Call, request: Request, result: SearchResult, document: str, kind: AccessKind | None) -> None:
    """Log a search with a useful hit, and the access to it. Raises `ArkError` if that fails.

    The search may have been typed, repeated, or be partial. `kind`: None if the hit was judged.
    """
    call.engine.remember(request, result)
    if kind and (problem := call.engine.opened(document, kind, result.retrieval_id)):
        raise problem


def regrade(call: Call, query: str, refs: tuple[str, ...], step: Mapping[int | None, int]) -> Done:
    """Raise or lower the grades of documents by a step: `BETTER` or `WORSE`."""
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.regrade, query, refs, step)


def retag(call: Call, refs: tuple[str, ...], on: tuple[str, ...], off: tuple[str, ...]) -> Done:
    """Add tags to documents and remove others."""
    from ark_tui.curation import edits

    return call.engine.curation.edit(edits.retag, refs, on, off)


# -- reading -------------------------------------------------------------------------------------------


def text(call: Call, ref: str, query: str = "") -> Passage:
    """The text of a reference; it does not count as opened."""
    return call.engine.show(ref, query)


def opened(call: Call, document: str, kind: AccessKind = "opened") -> None:
    """Record that a document was opened, copied or cited. Raises `ArkError` if that fails."""
    if problem := call.engine.opened(document, kind):
        raise problem


def about(call: Call, ref: str) -> About:
    """All metadata of a document."""
    return call.engine.reading.about(ref)


def stake(call: Call, refs: Sequence[str]) -> Stake:
    """The chunks and incoming links that are lost if some documents are deleted."""
    return call.engine.reading.stake(refs)


def follow(call: Call, ref: str, written: str, *, wiki: bool) -> Link:
    """The target of a link, written as `[[written]]` (`wiki`) or as `[…](written)`."""
    return call.engine.reading.follow(ref, written, wiki=wiki)


def astray(call: Call, ref: str, links: Iterable[tuple[str, bool]]) -> frozenset[tuple[str, bool]]:
    """The broken ones of a document's links, given as pairs of text and `wiki`."""
    return call.engine.reading.astray(ref, links)


def symbols(call: Call, ref: str) -> tuple[Symbol, ...]:
    """The functions and classes of source code, the pages and headings of other files, in order."""
    return call.engine.reading.symbols(ref)


def present(call: Call, ref: str) -> Passage:
    """The current text of a document's file. Raises `NotFound` if the file is gone."""
    return call.engine.reading.present(ref)


# -- pages, from a row on or around the one with an id -------------------------------------------------


def documents(call: Call, listing: Listing, limit: int, offset: int, around: str = "") -> Page[Document]:
    """Documents of a listing."""
    return call.engine.library.documents(listing, offset, limit, around)


def conversations(call: Call, offset: int, around: str = "") -> tuple[Scope, Page[Talk]]:
    """The caller's scope, and the conversations of all scopes, the most recently used first."""
    return call.scope, call.engine.history.conversations(offset, around=around)


def messages(call: Call, conversation: int, offset: int, limit: int) -> Page[Message]:
    """Messages of a conversation, by its number, in chronological order."""
    return call.engine.history.messages(conversation, offset, limit=limit)


def around(call: Call, message: str) -> tuple[Conversation, Page[Message]]:
    """The conversation of a message and the messages around it."""
    return call.engine.history.around(message)


def searches(call: Call, words: str, offset: int, around: str = "") -> Page[Retrieval]:
    """Searches of the log; `words`: a part of the query or the start of the id."""
    return call.engine.history.searches(offset, words=words, around=around)


def rerun(call: Call, retrieval_id: str) -> Rerun:
    """Repeat a logged search with the current corpus, model and profile, and compare the results."""
    from ark_tui.engine import searches

    return searches.rerun(call.engine, retrieval_id, call.stop)


def logged(call: Call, retrieval_id: str) -> Retrieval:
    """A logged search with its results."""
    return call.engine.history.search(retrieval_id)


# -- looking after -------------------------------------------------------------------------------------


def decide(call: Call, item: Item, key: str, text: str = "") -> Done:
    """Decide a displayed item, without checking that it is still in the queue."""
    return call.engine.curation.decide(item, key, text)


def trashed(call: Call, ref: str) -> Passage:
    """The text of a document in the trash."""
    return call.engine.curation.trashed_text(ref)


def purge(call: Call, *, dry_run: bool = False) -> Purged:
    """Delete the documents in the trash permanently."""
    return call.engine.curation.purge(dry_run=dry_run)


def measure(call: Call, what: Sequence[What], limit: int) -> Analysis:
    """Compute measures of the corpus; `limit`: documents listed by each."""
    return call.engine.analysis.run(tuple(what), limit=limit, stop=call.stop, progress=call.progress)


# -- long work -----------------------------------------------------------------------------------------


def order(call: Call, kind: str, folder: Path | None, collection: str, model: str) -> str:
    """Run or queue a job; returns a message about it, if any."""
    return call.engine.jobs.take(JobEntry(kind, folder, collection, model))


def look(call: Call) -> None:
    """Scan all folders again, and retry what has failed."""
    call.engine.background.look()


# -- the ranking lab -----------------------------------------------------------------------------------


def sliders(call: Call, tuning: Tuning) -> tuple[Slider, ...]:
    """The weights of the signals in force."""
    return call.engine.lab.sliders(tuning)


def tuned(call: Call, request: Request, by: Tuning, beside: Tuning) -> Tuned:
    """A search ranked by a tuning, with the ranks of its hits by another."""
    return call.engine.lab.tuned(request, by, beside, call.stop)


def compare_tunings(call: Call, by: Tuning, beside: Tuning) -> Compared | None:
    """Two tunings evaluated on the user's judged queries; None without judgments."""
    return call.engine.lab.compared(by, beside, call.stop, call.progress)


def save_tuning(call: Call, name: str, tuning: Tuning) -> str:
    """Save a tuning as a profile; returns its description with the evaluation."""
    from ark_tui.engine import lab

    call.engine.lab.check_name(name)
    measures = compare_tunings(call, tuning, Tuning(tuning.profile))
    about = lab.note(tuning, measures, f"{call.engine.now():%Y-%m-%d}")
    return call.engine.lab.save(name, tuning, about).about
