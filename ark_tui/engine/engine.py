"""The API of one home. Methods block, are thread-safe, and raise `ArkError`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui import settings as configured
from ark_tui.domain.errors import ArkError, StoreError, UsageError
from ark_tui.domain.protocols import NEVER, Clock, OnProgress, OnWait, Stop, ignore
from ark_tui.domain.query import Filters, Kind, Request
from ark_tui.engine.searches import Journal
from ark_tui.engine.services import Services
from ark_tui.ingest.decode import storable
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType
    from typing import Self

    from ark_tui.domain.analysis import Audit
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.hits import SearchResult, SignalInfo
    from ark_tui.domain.jobs import JobEntry, JobResult
    from ark_tui.domain.library import Overview, Upkeep
    from ark_tui.domain.memory import AccessKind, Scope
    from ark_tui.domain.principal import Viewer
    from ark_tui.domain.searches import Rerun, Retrieval, SavedDiff
    from ark_tui.domain.whynot import WhyNot
    from ark_tui.domain.work import Check, Coverage, FileState, IndexReport, Publication, Status
    from ark_tui.engine.analysing import Analysing
    from ark_tui.engine.background import Background, LookedAfter
    from ark_tui.engine.collections import Collections
    from ark_tui.engine.curation import Curation
    from ark_tui.engine.jobs import Jobs
    from ark_tui.engine.lab import Lab
    from ark_tui.engine.library import History, Library
    from ark_tui.engine.linkgraph import LinkGraph
    from ark_tui.engine.memory import Memory
    from ark_tui.engine.models import ModelRegistry
    from ark_tui.engine.reading import Reading
    from ark_tui.engine.runs import Runs
    from ark_tui.settings import Settings

CATCH_UP_AT_ONCE = 500  # most changes that a search applies first; more are left to `index` or `sync`

LONGEST = 20_000  # characters of a query


class Engine:
    """The engine of one home. The constructor opens nothing; resources are opened on first use."""

    def __init__(
        self,
        settings: Settings | None = None,
        clock: Clock | None = None,
        on_wait: OnWait = ignore,
        *,
        begins: bool = True,
    ) -> None:
        """Create an engine.

        `on_wait` is called with a sentence when a model or another process causes a long wait.
        `begins`: whether a missing home is created.
        """
        self.settings = settings or configured.load()
        self._parts = Services(self.settings, clock or self.settings.clock, on_wait, begins=begins)
        self._journal = Journal(self._parts)
        self._looked: set[str] = set()  # kinds of indexes already checked by `_look`

    def with_settings(self, settings: Settings) -> Engine:
        """An engine for the same home, store and jobs with other settings."""
        other = Engine(settings, self._parts.clock)
        other._parts.share(self._parts)
        other.__dict__["jobs"], other.__dict__["background"] = self.jobs, self.background
        return other

    def renewed(self, settings: Settings) -> Engine:
        """As `with_settings`; jobs and background work continue with the new engine."""
        fresh = self.with_settings(settings)
        fresh.jobs.carry_out, fresh.background.home = fresh.carry_out, fresh._looked_after  # noqa: SLF001
        return fresh

    def wait_for_change(self, seen: int, seconds: float) -> int:
        """Wait at most `seconds` until `pulse` differs from `seen`, and return its value."""
        moved = threading.Event()
        end = self._parts.store.subscribe(moved.set)
        try:
            if self.pulse() == seen:
                moved.wait(seconds)
        finally:
            end()
        return self.pulse()

    # -- indexing ----------------------------------------------------------------------------------

    def index(
        self,
        roots: Sequence[Path] = (),
        *,
        collection: str = "",
        tags: Sequence[str] = (),
        dry_run: bool = False,
        on: str = "",
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
    ) -> IndexReport:
        """Index folders, by default those of the settings.

        `on`: the cluster whose workers read the files; see `engine/cluster.py`.
        """
        from ark_tui.engine import indexing

        return indexing.index(
            self._parts,
            roots,
            collection=collection,
            tags=tags,
            dry_run=dry_run,
            on=on,
            stop=stop,
            progress=progress,
        )

    def ingest_text(
        self,
        text: str,
        *,
        title: str = "",
        tags: Sequence[str] = (),
        source: str = "",
        collection: str = "default",
    ) -> Document:
        """Store a text without a file. The same text and title give the same document."""
        from ark_tui.engine import indexing

        return indexing.ingest_text(
            self._parts, text, title=title, tags=tags, source=source, collection=collection
        )

    def ingest_file(self, path: Path, *, tags: Sequence[str] = (), confined: bool = False) -> IndexReport:
        """Store one file and track its changes like those of an indexed folder.

        `confined`: only accept files in indexed folders or in the setting `agent_folders`.
        """
        from ark_tui.engine import indexing

        return indexing.ingest_file(self._parts, path, tags=tags, confined=confined)

    def ingest_url(
        self, url: str, *, tags: Sequence[str], collection: str, private: bool, stop: Stop = NEVER
    ) -> Document:
        """Fetch a URL and store its content as a document. The same URL gives the same document."""
        from ark_tui.engine import fetching

        return fetching.ingest_url(
            self._parts, url, tags=tags, collection=collection, private=private, stop=stop
        )

    def sync(self, stop: Stop = NEVER, progress: OnProgress = ignore, wait: float = 0.0) -> int:
        """Update the indexes from the store; return the number of changes applied.

        Texts that a model server cannot embed now stay pending, as `status` shows.
        """
        from ark_tui.engine import indexing

        return indexing.sync(self._parts, stop, progress, wait)

    def embed(self, stop: Stop = NEVER, progress: OnProgress = ignore) -> int:
        """Like `sync`, but also wait for other threads that write the same index.

        Raises `ModelUnavailable` if a model server fails; finished embeddings are kept.
        """
        from ark_tui.engine import indexing

        return indexing.embed(self._parts, stop, progress)

    # -- searching ---------------------------------------------------------------------------------

    def publish(
        self, uri: str = "", stop: Stop = NEVER, progress: OnProgress = ignore, *, anew: bool = False
    ) -> Publication:
        """Update the published table at a URI, by default that of the settings. Raises `StoreError`."""
        from ark_tui.engine import publishing

        uri = uri or self.settings.index
        if not uri:
            raise UsageError("No place to publish at is given.", "Name one.")
        return publishing.publish(self._parts, uri, stop, progress, anew=anew)

    def search_table(self, uri: str, request: Request, stop: Stop = NEVER) -> SearchResult:
        """Search a published table. Raises `StoreError` or `UsageError`."""
        from ark_tui.engine import publishing

        return publishing.search(self._parts, uri, request, stop)

    def search(self, request: Request, stop: Stop = NEVER) -> SearchResult:
        """Run a search. It is logged unless the request is `typing` or `unlogged`."""
        from ark_tui import retrieval

        self._look(stop, words_only=request.mode == "keyword")
        request = self._complete(request)
        result = retrieval.run(self._parts.corpus, request, stop)
        if not (request.typing or request.unlogged):
            self._journal.keep(request, result)
        return result

    def search_stages(self, request: Request, stop: Stop = NEVER) -> Iterator[SearchResult]:
        """Run a search in stages: yield the BM25 results first (`partial`), then the full ones."""
        from ark_tui import retrieval

        self._parts.wait_for_indexes(stop)
        request = self._complete(request)
        for result in retrieval.stages(self._parts.corpus, request, stop):
            if not (result.partial or request.typing or request.unlogged):
                self._journal.keep(request, result)
            yield result

    def why_not(self, request: Request, ref: str, stop: Stop = NEVER, *, person: bool = True) -> WhyNot:
        """Explain why a search does not list a document, and what would change that.

        `person`: also report files outside the indexed folders. Raises `Ambiguous`.
        """
        from ark_tui.engine.whynot import why_not

        self._look(stop)
        return why_not(self._parts, self._complete(request), ref, stop, person=person)

    def show(self, ref: str, query: str = "", *, hidden: bool = False) -> Passage:
        """The text of a reference: an id, a chunk (`id:ordinal`), a path, or `path:from:count`.

        `query`: mark its matches. `hidden`: mask secrets before the text is cut.
        """
        from ark_tui.engine import showing

        return showing.passage(self._parts, ref, query, hidden=hidden)

    def opened(self, ref: str, kind: AccessKind = "opened", retrieval_id: str = "") -> ArkError | None:
        """Record that a document was opened, copied or cited, which raises its score for this agent (S8).

        Return, instead of raising, the error if it cannot be recorded. Listing a document, or `show`, does
        not count as use.
        """
        try:
            self.memory.accesses.note(self._parts.scope().agent, [ref], kind, retrieval_id)
        except StoreError as error:
            return error
        return None

    def document(self, ref: str) -> Document:
        """The document that a reference names, without its text."""
        from ark_tui.engine import showing

        return showing.document(self._parts, ref)

    def remember(self, request: Request, result: SearchResult) -> None:
        """Log a search that was still being typed, once one of its hits is opened, copied or judged."""
        self._journal.keep(self._complete(request), result)

    def unkept(self) -> ArkError | None:
        """Wait until all searches are logged; return the error if that fails."""
        return self._journal.settle()

    def search_log(self, limit: int = 20) -> tuple[Retrieval, ...]:
        """The latest searches, newest first."""
        from ark_tui.store import searches

        self._journal.settle()
        with self._parts.store.read() as lease:
            return tuple(searches.latest(lease, limit))

    def rerun(self, retrieval_id: str, stop: Stop = NEVER) -> Rerun:
        """Rerun a logged search, given its id or a prefix of it, and compare the results."""
        from ark_tui.engine import searches
        from ark_tui.store import searches as log

        self._journal.settle()
        with self._parts.store.read() as lease:
            before = log.get(lease, retrieval_id)
        after = self.search(searches.again(self._parts, before), stop)
        return searches.compared(before, after)

    def saved_diffs(
        self, name: str = "", *, seen: bool = False, agent: str = "", stop: Stop = NEVER
    ) -> tuple[SavedDiff, ...]:
        """Hits that entered, left or moved in a saved search, or in all, since it was last viewed.

        `seen`: record this as a view. `agent`: whose view, by default the configured agent's. Raises
        `NotFound` for an unknown name.
        """
        from ark_tui.engine.searches import Looks

        saved = self.curation.saved()
        looks = Looks(
            self._parts,
            self._journal,
            lambda request: self.search(request, stop),
            agent or self._parts.scope().agent,
        )
        if not name:
            return tuple(looks.diffs(saved, seen=seen))
        one = self.curation.saved_search(name)
        return (looks.diff(one, saved, seen=seen),)

    def similar(self, ref: str, limit: int = 10, filters: Filters | None = None) -> SearchResult:
        """Documents similar to a document or chunk (`id:ordinal`), by stored vectors.

        Raises `NotFound` if it is unknown and `NoVector` if it has no vector.
        """
        from ark_tui.engine import showing
        from ark_tui.retrieval.similar import similar

        self._look(NEVER)
        document, chunk, name = showing.stored(self._parts, ref)
        return similar(
            self._parts.corpus, document, chunk, name, limit, self._parts.corpus.seen(filters or Filters())
        )

    # -- areas, each with its own facade -----------------------------------------------------------

    @cached_property
    def curation(self) -> Curation:
        """Edits and undo, trash, judgments, saved searches, the curation queue."""
        from ark_tui.engine.curation import Curation

        def audit(stop: Stop) -> Audit:
            found = self.analysis.run(("audit",), stop=stop).audit
            assert found is not None
            return found

        return Curation(self._parts, self._journal, audit)

    @cached_property
    def analysis(self) -> Analysing:
        """Analyses of the corpus."""
        from ark_tui.engine.analysing import Analysing

        return Analysing(self._parts, self._journal, self.search, self._look)

    @cached_property
    def lab(self) -> Lab:
        """Trial rankings of searches and judged queries by modified profiles."""
        from ark_tui.engine.lab import Lab

        def complete(request: Request, stop: Stop) -> Request:
            self._look(stop)
            return self._complete(request)

        return Lab(self._parts, complete)

    @property
    def models(self) -> ModelRegistry:
        """The embedding models: list, current one, and switching."""
        return self._parts.models

    @property
    def runs(self) -> Runs:
        """Unfinished runs of long work."""
        return self._parts.runs

    @cached_property
    def jobs(self) -> Jobs:
        """Long work: running, paused and interrupted jobs."""
        from ark_tui.engine.jobs import Jobs

        return Jobs(self.runs, self.now, self.carry_out)

    @cached_property
    def background(self) -> Background:
        """Automatic background work, once it is started."""
        from ark_tui.engine.background import Background

        return Background(self.jobs, self.runs, self._looked_after)

    @property
    def _looked_after(self) -> LookedAfter:
        from ark_tui.engine.background import LookedAfter
        from ark_tui.engine.showing import Away

        def problem() -> str:
            return self.models.problem()

        def consolidate(stop: Stop, progress: OnProgress) -> JobResult | None:
            done = self.memory.consolidate(stop=stop, progress=progress)
            return done if done.stretches else None

        def missing() -> set[str]:
            with self._parts.store.read() as lease:
                return {name for name, folders in Away(lease).folders.items() if "" in folders}

        wanted = self.settings.consolidate and bool(self.settings.chat_model)
        return LookedAfter(self.status, self.pulse, problem, missing, consolidate if wanted else None)

    def carry_out(self, job: JobEntry, stop: Stop, progress: OnProgress) -> JobResult | None:
        """Do a job that has no `work` of its own. Return None if there is no result."""
        from ark_tui.domain.jobs import Embedded
        from ark_tui.domain.work import Run

        match job.kind:
            case "index" | "look":
                from ark_tui.engine import indexing

                return indexing.go_on(self._parts, job, stop, progress)
            case "model":
                self.models.use(job.model, stop, progress)
                return None
            case "embed":
                done = self.embed(stop, progress)
                return Embedded(done) if done else None
            case _:
                with self.runs.under_way(Run("analyse"), stop) as wanted:
                    return self.analysis.run(stop=wanted, progress=progress)

    @cached_property
    def history(self) -> History:
        """Messages, searches and reports, by pages."""
        from ark_tui.engine.library import History

        return History(self._parts, self._journal)

    @cached_property
    def reading(self) -> Reading:
        """Link targets, backlinks, and details of a document."""
        from ark_tui.engine.reading import Reading

        return Reading(self._parts)

    @cached_property
    def graph(self) -> LinkGraph:
        """The link graph: traversal, paths, communities, central documents."""
        from ark_tui.engine.linkgraph import LinkGraph

        return LinkGraph(self._parts.store)

    # -- rankings ----------------------------------------------------------------------------------

    def profile_in_use(self) -> str:
        """The name of the default search profile."""
        return self.settings.ranked_by(served=self._parts.model_in_use() is not None)

    def pins(self) -> frozenset[str]:
        """The ids of the pinned documents."""
        return self._parts.store.pins()

    def values(self, kind: Kind) -> Mapping[str, int]:
        """Values of this kind, such as tags, with their document counts, most frequent first."""
        from ark_tui.store import overview

        with self._parts.store.read() as lease:
            return overview.values(lease, kind)

    def signals(self) -> tuple[SignalInfo, ...]:
        """All signals with their descriptions."""
        from ark_tui.retrieval.signals import LISTED

        return tuple(one.info for one in LISTED)

    @cached_property
    def memory(self) -> Memory:
        """Notes, plans, messages and learned knowledge."""
        from ark_tui.engine.memory import Memory

        return Memory(self._parts, self.search, self._journal)

    @cached_property
    def collections(self) -> Collections:
        """Collections that programs fill and query chunk by chunk."""
        from ark_tui.engine.collections import Collections

        return Collections(self._parts)

    @cached_property
    def library(self) -> Library:
        """Documents by pages, and operations on whole collections."""
        from ark_tui.engine.library import Library

        return Library(self._parts)

    # -- the home ----------------------------------------------------------------------------------

    def status(self, rows: bool = False) -> Status:
        """The state of the home; `rows` adds every file not indexed normally, with the reason."""
        from ark_tui.engine import health

        return health.status(self._parts, rows=rows)

    def coverage(
        self,
        *,
        collection: str = "",
        states: Sequence[FileState] = (),
        offset: int = 0,
        limit: int = 1_000,
        ignored: bool = True,
        stop: Stop = NEVER,
    ) -> Coverage:
        """Every file of the indexed folders with its state and reason, including ignored files."""
        from ark_tui.engine import health

        return health.coverage(
            self._parts, collection=collection, states=states, offset=offset, limit=limit,
            ignored=ignored, stop=stop,
        )  # fmt: skip

    def notices(self) -> tuple[str, ...]:
        """Return and clear the notices: failures that aborted nothing, and repairs."""
        told = [self._parts.notices, *([self._parts.store.mended] if self._parts.opened() else [])]
        said = []
        for notices in told:
            while notices:  # one by one, so notices added by other threads are not lost
                said.append(notices.pop(0))
        return tuple(said)

    def overview(self) -> Overview:
        """The state of the home, and counts of its documents by kind and time."""
        from ark_tui.engine import health

        return health.overview(self._parts)

    def upkeep(self, stop: Stop = NEVER) -> Upkeep:
        """Maintenance needs: broken links, duplicate texts, changed files."""
        from ark_tui.engine import health

        return health.upkeep(self._parts, stop)

    def doctor(self, repair: bool = False) -> tuple[Check, ...]:
        """Run the health checks; `repair` fixes what it can."""
        from ark_tui.engine import health

        return tuple(health.doctor(self._parts, repair=repair))

    def where(self) -> dict[str, str]:
        """The paths of the home, by name."""
        home = self.settings.home
        names = (
            "store",
            "words",
            "vectors",
            "models",
            "messages",
            "lock",
            "backups",
            "logs",
            "cache",
            "config",
        )
        return {"home": str(home.path), **{name: str(getattr(home, name)) for name in names}}

    def backup(self, to: Path | None = None) -> Path:
        """Write the store and the configuration to a zip file and return its path."""
        from ark_tui.engine import copies

        return copies.backup(self._parts.store, to, self._moment(), VERSION)

    def restore(self, backup: Path) -> Path | None:
        """Replace the store with a backup, update the indexes, and return the path of the old store.

        An index that cannot be updated is reported as a notice and updated later.
        """
        from ark_tui.engine import copies

        kept = copies.restore(self._parts.store, backup, self._moment())
        with self._parts.afterwards():
            self.sync(wait=60.0)
        return kept

    def now(self) -> datetime:
        """The current time in UTC, by the clock of this home."""
        return self._parts.clock.now()

    def change(self) -> int:
        """The number of the latest change to the corpus."""
        return self._parts.store.change()

    def pulse(self) -> int:
        """A counter that grows with every change in the home: memory, edits or corpus."""
        return self._parts.store.pulse()

    def warm(self) -> None:
        """Import and open everything that a search needs."""
        from ark_tui.embedding import static

        self._parts.store.change()
        if static.available():
            static.tokenizer()
            static.table()
        self.search(Request("warm", expand=False, unlogged=True))

    @contextmanager
    def asked(self, key: str, agent: str = "", *, whole: bool = False) -> Iterator[None]:
        """Make additions in this block idempotent: repeated with the same key, they are made only once.

        Keys are separate for each agent and expire after a day. An empty key has no effect. `whole`: apply
        this to all changes; a repetition raises `AlreadyDone`. Do not use it for long work, which resumes
        when repeated.
        """
        if not key:
            yield
            return
        from ark_tui.memory import texts
        from ark_tui.store import requests

        with requests.asked(
            agent or self._parts.scope().agent, texts.name(key, "an idempotency key"), whole=whole
        ):
            yield

    def scope(self, agent: str = "", session: str = "") -> Scope:
        """The agent and session: the given names, else the caller's, else those of the settings."""
        return self._parts.scope(agent, session)

    @property
    def project(self) -> str:
        """The current project; empty for none."""
        return self._parts.project

    def seen_by(self, viewer: Viewer | None) -> AbstractContextManager[None]:
        """Limit everything read in this block to what a viewer may see; None: no limit."""
        from ark_tui.store import owners

        return owners.seen_by(viewer)

    def close(self) -> None:
        """Stop long work, write pending log entries, and close the store."""
        if "background" in self.__dict__:
            self.background.close()
        if "jobs" in self.__dict__:
            self.jobs.close()
        self._journal.settle()
        self._parts.close()
        if self._parts.opened():
            self._parts.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- inside ------------------------------------------------------------------------------------

    def _complete(self, request: Request) -> Request:
        if len(request.query) > LONGEST:
            raise UsageError(f"A query may have {LONGEST:,} characters.", "Search for a part of it.")
        served = request.mode != "keyword" and self._parts.model_in_use() is not None
        suits, alone = (self.settings.ranked_by(served=some) for some in (served, False))
        return replace(
            request,
            query=storable(request.query),
            profile=request.profile or suits,
            instead="" if request.profile or suits == alone else alone,
            agent=request.agent or self._parts.scope().agent,
        )

    def _look(self, stop: Stop, *, words_only: bool = False) -> None:
        """Before the first search, update the indexes if only a few changes are missing.

        Skipped while a run is active, because a run updates the indexes itself. `words_only`: leave the
        vectors to a later search.
        """
        self._parts.wait_for_indexes(stop)
        kinds = {"words"} if words_only else {"words", "vectors"}
        if kinds <= self._looked:
            return
        fresh, self._looked = kinds - self._looked, self._looked | kinds
        latest = self._parts.store.change()
        if self._parts.runs.busy():
            return
        for follower in self._parts.local_followers(fresh):  # searches do not wait for servers
            mark = follower.mark()
            outdated = mark.version not in ("", follower.version)  # written by another version: rebuilt once
            lost = not mark.version and follower.begun()
            if outdated or lost or 0 < latest - mark.number <= CATCH_UP_AT_ONCE:
                with self._parts.afterwards():
                    follower.sync(stop)

    def _moment(self) -> str:
        return self._parts.clock.now().strftime("%Y%m%dT%H%M%S")
