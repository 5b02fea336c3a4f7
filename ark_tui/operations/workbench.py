"""What the workbench asks beside the operations: pages around a row, stages of a search, what has changed.

They are called as operations are, with a `Call` first. No command, route or tool is made of them: each is a
step of what an operation does as a whole.
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
from ark_tui.domain.hits import SearchResult, SignalInfo
from ark_tui.domain.jobs import WATCH, JobEntry, JobState, Wish
from ark_tui.domain.library import Findable, Listing
from ark_tui.domain.memory import AccessKind, Conversation, Message, Scope
from ark_tui.domain.paging import Page, Talk
from ark_tui.domain.query import SAVED, Kind, Request
from ark_tui.domain.reading import About, Stake, Symbol
from ark_tui.domain.searches import Rerun, Retrieval
from ark_tui.domain.whynot import WhyNot
from ark_tui.domain.work import Progress
from ark_tui.operations.call import Call

# -- the home ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Going:
    """A job that is not over; times are in seconds until now.

    `told`: kind, folder and model say what is done; else it is what `kind` is called.
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
    problem: str = ""  # why it failed, where it did
    hint: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """How far a home is, and what is going on there.

    `change` grows with each change of the corpus, `pulse` with anything that is written.
    """

    change: int = 0
    pulse: int = 0
    jobs: tuple[Going, ...] = ()
    ended: tuple[Going, ...] = ()  # jobs that are over since the last news, however briefly they ran
    notices: tuple[str, ...] = ()  # what has failed on the way and stopped nothing, each once


class _Notices:
    """Hears what the home has to say of its jobs."""

    def __init__(self) -> None:
        self._heard: list[str] = []
        self._ended: list[Going] = []

    def moved(self) -> None:
        """That is seen by looking."""

    def ended(self, entry: JobEntry, result: object = None, error: ArkError | None = None) -> None:
        del result
        problem, hint = (error.what, error.hint) if error else ("", "")
        self._ended.append(replace(_going(entry), problem=problem, hint=hint))

    def noticed(self, notice: str) -> None:
        self._heard.append(notice)

    def added(self, news: News) -> News:
        """The news with what was heard since the last."""
        heard, self._heard = self._heard, []
        ended, self._ended = self._ended, []
        return replace(news, notices=tuple(heard), ended=tuple(ended))


GAP = 0.1
"""Seconds between two looks at jobs that move."""


def subscribe(call: Call) -> Iterator[News]:
    """What is new, as it comes, until the caller leaves."""
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
    """How far the home is, and its jobs."""
    engine = call.engine
    return News(engine.change(), engine.pulse(), tuple(map(_going, engine.jobs.live)))


def _going(one: JobEntry) -> Going:
    return Going(
        one.id, one.kind, str(one.folder or ""), one.collection, one.model, one.state, one.own,
        one.work is None, one.wish, one.started, one.progress, time.monotonic() - one.begun, one.seconds,
        one.before,
    )  # fmt: skip


def scope(call: Call) -> Scope:
    """Whose memory is meant."""
    return call.scope


def pins(call: Call) -> frozenset[str]:
    """The ids of the pinned documents, by a look at a small file."""
    return call.engine.pins()


def signals(call: Call) -> tuple[SignalInfo, ...]:
    """What every signal is called and means."""
    return call.engine.signals()


def values(call: Call, kind: Kind) -> dict[str, int]:
    """What documents say of this kind, the most frequent first, each with how many do."""
    return dict(call.engine.values(kind))


def warm(call: Call) -> None:
    """Import and open what searching needs."""
    call.engine.warm()


def erase(call: Call) -> int:
    """Finish an erasure that was cut off; of how many texts."""
    return call.engine.curation.erase()


def catch_up(call: Call) -> int:
    """Let the indexes take up what the store has; how many changes they took."""
    return call.engine.sync(call.stop, call.progress)


def profile(call: Call) -> str:
    """The ranking profile of a search that names none."""
    return call.engine.profile_in_use()


# -- searching -----------------------------------------------------------------------------------------


def search(call: Call, request: Request) -> Iterator[tuple[Request, SearchResult]]:
    """A search in stages: what words alone find is `partial`, while the rest is on its way.

    With each, what was meant: the saved search that a query such as `@week tag:draft` begins with.
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
    """A search that has been run, once more, with the reasons of each part of its hits."""
    return call.engine.search(replace(request, explain=True, unlogged=True), call.stop)


def save_search(call: Call, name: str, request: Request) -> Done:
    """Save a search under a name, with all that was chosen for it."""
    return call.engine.curation.save_search(name.removeprefix(SAVED), request)


def findable(call: Call) -> tuple[Findable, ...]:
    """Everything that has a name: documents, those in the trash, files that brought none."""
    return call.engine.library.findable()


def why_not(call: Call, request: Request, ref: str) -> WhyNot:
    """Why a search does not list what a reference names."""
    return call.engine.why_not(request, ref, call.stop)


def used(call: Call, request: Request, result: SearchResult, document: str, kind: AccessKind | None) -> None:
    """Keep a search of which a hit was of use, and the use. Raises `ArkError` where that cannot be noted.

    The search may have been typed, run anew, or not be whole. `kind`: None where the hit was judged.
    """
    call.engine.remember(request, result)
    if kind and (problem := call.engine.opened(document, kind, result.retrieval_id)):
        raise problem


def regrade(call: Call, query: str, refs: tuple[str, ...], step: Mapping[int | None, int]) -> Done:
    """Judge documents by a step from the grade that each has: `BETTER` or `WORSE`."""
    return call.engine.curation.regrade(query, refs, step)


def retag(call: Call, refs: tuple[str, ...], on: tuple[str, ...], off: tuple[str, ...]) -> Done:
    """Put tags on documents and take others off."""
    return call.engine.curation.retag(refs, on, off)


# -- reading -------------------------------------------------------------------------------------------


def text(call: Call, ref: str, query: str = "") -> Passage:
    """The text that a reference names; it does not count as opened."""
    return call.engine.show(ref, query)


def opened(call: Call, document: str, kind: AccessKind = "opened") -> None:
    """Note that a document was opened, copied or cited. Raises `ArkError` where that cannot be."""
    if problem := call.engine.opened(document, kind):
        raise problem


def about(call: Call, ref: str) -> About:
    """All that is known of a document."""
    return call.engine.reading.about(ref)


def stake(call: Call, refs: Sequence[str]) -> Stake:
    """What goes with some documents where they go: counts, to be said before."""
    return call.engine.reading.stake(refs)


def follow(call: Call, ref: str, written: str, *, wiki: bool) -> Link:
    """Where a link leads that stands in a document as `[[written]]` (`wiki`) or as `[…](written)`."""
    return call.engine.reading.follow(ref, written, wiki=wiki)


def astray(call: Call, ref: str, links: Iterable[tuple[str, bool]]) -> frozenset[tuple[str, bool]]:
    """Those of a document's links, each as written and whether it is `wiki`, that lead to no document."""
    return call.engine.reading.astray(ref, links)


def symbols(call: Call, ref: str) -> tuple[Symbol, ...]:
    """The functions and classes of source code, the pages and headings of other files, in order."""
    return call.engine.reading.symbols(ref)


def present(call: Call, ref: str) -> Passage:
    """A document as its file has it now. Raises `NotFound` where that is gone."""
    return call.engine.reading.present(ref)


# -- pages, from a row on or around the one with an id -------------------------------------------------


def documents(call: Call, listing: Listing, limit: int, offset: int, around: str = "") -> Page[Document]:
    """Documents of a listing."""
    return call.engine.library.documents(listing, offset, limit, around)


def conversations(call: Call, offset: int, around: str = "") -> tuple[Scope, Page[Talk]]:
    """Conversations of everybody, the one that was added to last first; and whose are one's own."""
    return call.scope, call.engine.history.conversations(offset, around=around)


def messages(call: Call, conversation: int, offset: int, limit: int) -> Page[Message]:
    """Messages of the conversation of that number, in the order they were said."""
    return call.engine.history.messages(conversation, offset, limit=limit)


def around(call: Call, message: str) -> tuple[Conversation, Page[Message]]:
    """The messages around one of them, by its id, with the conversation that they are of."""
    return call.engine.history.around(message)


def searches(call: Call, words: str, offset: int, around: str = "") -> Page[Retrieval]:
    """Searches of the log; `words` are a part of the query or begin the id."""
    return call.engine.history.searches(offset, words=words, around=around)


def rerun(call: Call, retrieval_id: str) -> Rerun:
    """Run a search of the log again by today's corpus, model and profile, and compare what they list."""
    return call.engine.rerun(retrieval_id, call.stop)


def logged(call: Call, retrieval_id: str) -> Retrieval:
    """A search of the log with what it listed."""
    return call.engine.history.search(retrieval_id)


# -- looking after -------------------------------------------------------------------------------------


def decide(call: Call, item: Item, key: str, text: str = "") -> Done:
    """Decide an item that is shown; whether it is still in the queue, nobody looks."""
    return call.engine.curation.decide(item, key, text)


def trashed(call: Call, ref: str) -> Passage:
    """The text of a document that lies in the trash."""
    return call.engine.curation.trashed_text(ref)


def purge(call: Call, *, dry_run: bool = False) -> Purged:
    """Delete what lies in the trash for good."""
    return call.engine.curation.purge(dry_run=dry_run)


def measure(call: Call, what: Sequence[What], limit: int) -> Analysis:
    """Take measures of the corpus, which list so many documents each."""
    return call.engine.analysis.run(tuple(what), limit=limit, stop=call.stop, progress=call.progress)


# -- long work -----------------------------------------------------------------------------------------


def order(call: Call, kind: str, folder: Path | None, collection: str, model: str) -> str:
    """Do a job now or in its turn; returns what there is to say about it, if anything."""
    return call.engine.jobs.take(JobEntry(kind, folder, collection, model))


def look(call: Call) -> None:
    """Look at all folders again, and try again what has failed."""
    call.engine.background.look()
