"""The API of one home. Methods block, are thread-safe, and raise `ArkError`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui import settings as configured
from ark_tui.domain.errors import ArkError, StoreError
from ark_tui.domain.protocols import NEVER, Clock, OnProgress, OnWait, Stop, ignore
from ark_tui.domain.query import Filters, Kind, Request
from ark_tui.engine.services import Services
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from datetime import datetime
    from types import TracebackType
    from typing import Self

    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.hits import SearchResult, SignalInfo
    from ark_tui.domain.jobs import JobEntry, JobResult
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.principal import Viewer
    from ark_tui.domain.work import Check, IndexReport, Status
    from ark_tui.engine.analysing import Analysing
    from ark_tui.engine.background import Background, LookedAfter
    from ark_tui.engine.collections import Collections
    from ark_tui.engine.curation import Curation
    from ark_tui.engine.jobs import Jobs
    from ark_tui.engine.lab import Lab
    from ark_tui.engine.library import History, Library
    from ark_tui.engine.linkgraph import LinkGraph
    from ark_tui.engine.memory import Memory
    from ark_tui.engine.reading import Reading
    from ark_tui.settings import Settings


class Engine(Services):
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
        settings = settings or configured.load()
        super().__init__(settings, clock or settings.clock, on_wait, begins=begins)

    def with_settings(self, settings: Settings) -> Engine:
        """An engine for the same home, store and jobs with other settings."""
        other = Engine(settings, self.clock)
        other.share(self)
        other.__dict__["jobs"], other.__dict__["background"] = self.jobs, self.background
        return other

    def renewed(self, settings: Settings) -> Engine:
        """As `with_settings`; jobs and background work continue with the new engine."""
        fresh = self.with_settings(settings)
        fresh.jobs.carry_out, fresh.background.home = fresh.carry_out, fresh._looked_after  # noqa: SLF001
        return fresh

    def wait_for_change(self, seen: int, seconds: float) -> int:
        """Wait at most `seconds` until the pulse of the store differs from `seen`, and return it."""
        moved = threading.Event()
        end = self.store.subscribe(moved.set)
        try:
            if self.store.pulse() == seen:
                moved.wait(seconds)
        finally:
            end()
        return self.store.pulse()

    # -- indexing ----------------------------------------------------------------------------------

    def index(
        self, roots: Sequence[Path] = (), *, collection: str = "", tags: Sequence[str] = (),
        dry_run: bool = False, on: str = "", stop: Stop = NEVER, progress: OnProgress = ignore,
    ) -> IndexReport:  # fmt: skip
        """Index folders, by default those of the settings; see `indexing.index`."""
        from ark_tui.engine import indexing

        return indexing.index(
            self, roots, collection=collection, tags=tags, dry_run=dry_run, on=on, stop=stop,
            progress=progress,
        )  # fmt: skip

    def ingest_text(
        self, text: str, *, title: str = "", tags: Sequence[str] = (), source: str = "",
        collection: str = "default",
    ) -> Document:  # fmt: skip
        """Store a text without a file. The same text and title give the same document."""
        from ark_tui.engine import indexing

        return indexing.ingest_text(self, text, title=title, tags=tags, source=source, collection=collection)

    def sync(self, stop: Stop = NEVER, progress: OnProgress = ignore, wait: float = 0.0) -> int:
        """Update the indexes from the store; return the number of changes applied.

        Texts that a model server cannot embed now stay pending, as `status` shows.
        """
        from ark_tui.engine import indexing

        return indexing.sync(self, stop, progress, wait)

    # -- searching ---------------------------------------------------------------------------------

    def search_stages(self, request: Request, stop: Stop = NEVER) -> Iterator[SearchResult]:
        """Run a search in stages: yield the BM25 results first (`partial`), then the full ones."""
        from ark_tui import retrieval

        self.wait_for_indexes(stop)
        request = self.complete(request)
        for result in retrieval.stages(self.corpus, request, stop):
            if not (result.partial or request.typing or request.unlogged):
                self.journal.keep(request, result)
            yield result

    def show(self, ref: str, query: str = "", *, hidden: bool = False) -> Passage:
        """The text of a reference: an id, a chunk (`id:ordinal`), a path, or `path:from:count`.

        `query`: mark its matches. `hidden`: mask secrets before the text is cut.
        """
        from ark_tui.engine import showing

        return showing.passage(self, ref, query, hidden=hidden)

    def opened(self, ref: str, kind: AccessKind = "opened", retrieval_id: str = "") -> ArkError | None:
        """Record that a document was opened, copied or cited, which raises its score for this agent (S8).

        Return, instead of raising, the error if it cannot be recorded. Listing a document, or `show`, does
        not count as use.
        """
        try:
            self.memory.accesses.note(self.scope().agent, [ref], kind, retrieval_id)
        except StoreError as error:
            return error
        return None

    def document(self, ref: str) -> Document:
        """The document that a reference names, without its text."""
        from ark_tui.engine import showing

        return showing.document(self, ref)

    def remember(self, request: Request, result: SearchResult) -> None:
        """Log a search that was still being typed, once one of its hits is opened, copied or judged."""
        self.journal.keep(self.complete(request), result)

    def unkept(self) -> ArkError | None:
        """Wait until all searches are logged; return the error if that fails."""
        return self.journal.settle()

    def similar(self, ref: str, limit: int = 10, filters: Filters | None = None) -> SearchResult:
        """Documents similar to a document or chunk (`id:ordinal`), by stored vectors.

        Raises `NotFound` if it is unknown and `NoVector` if it has no vector.
        """
        from ark_tui.engine import showing
        from ark_tui.retrieval.similar import similar

        self.look(NEVER)
        document, chunk, name = showing.stored(self, ref)
        return similar(self.corpus, document, chunk, name, limit, self.corpus.seen(filters or Filters()))

    # -- areas, each with its own facade -----------------------------------------------------------

    @cached_property
    def curation(self) -> Curation:
        """Edits and undo, trash, judgments, saved searches, the curation queue."""
        from ark_tui.engine.curation import Curation

        return Curation(self)

    @cached_property
    def analysis(self) -> Analysing:
        """Analyses of the corpus."""
        from ark_tui.engine.analysing import Analysing

        return Analysing(self)

    @cached_property
    def lab(self) -> Lab:
        """Trial rankings of searches and judged queries by modified profiles."""
        from ark_tui.engine.lab import Lab

        return Lab(self)

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

        def pulse() -> int:
            return self.store.pulse()

        def problem() -> str:
            return self.models.problem()

        def consolidate(stop: Stop, progress: OnProgress) -> JobResult | None:
            done = self.memory.consolidate(stop=stop, progress=progress)
            return done if done.stretches else None

        def missing() -> set[str]:
            with self.store.read() as lease:
                return {name for name, folders in Away(lease).folders.items() if "" in folders}

        wanted = self.settings.consolidate and bool(self.settings.chat_model)
        return LookedAfter(self.status, pulse, problem, missing, consolidate if wanted else None)

    def carry_out(self, job: JobEntry, stop: Stop, progress: OnProgress) -> JobResult | None:
        """Do a job that has no `work` of its own. Return None if there is no result."""
        from ark_tui.domain.jobs import Embedded
        from ark_tui.domain.work import Run
        from ark_tui.engine import indexing

        match job.kind:
            case "index" | "look":
                return indexing.go_on(self, job, stop, progress)
            case "model":
                self.models.use(job.model, stop, progress)
                return None
            case "embed":
                done = indexing.embed(self, stop, progress)
                return Embedded(done) if done else None
            case _:
                with self.runs.under_way(Run("analyse"), stop) as wanted:
                    return self.analysis.run(stop=wanted, progress=progress)

    @cached_property
    def history(self) -> History:
        """Messages, searches and reports, by pages."""
        from ark_tui.engine.library import History

        return History(self)

    @cached_property
    def reading(self) -> Reading:
        """Link targets, backlinks, and details of a document."""
        from ark_tui.engine.reading import Reading

        return Reading(self)

    @cached_property
    def graph(self) -> LinkGraph:
        """The link graph: traversal, paths, communities, central documents."""
        from ark_tui.engine.linkgraph import LinkGraph

        return LinkGraph(self.store)

    @cached_property
    def memory(self) -> Memory:
        """Notes, plans, messages and learned knowledge."""
        from ark_tui.engine.memory import Memory

        return Memory(self)

    @cached_property
    def collections(self) -> Collections:
        """Collections that programs fill and query chunk by chunk."""
        from ark_tui.engine.collections import Collections

        return Collections(self)

    @cached_property
    def library(self) -> Library:
        """Documents by pages, and operations on whole collections."""
        from ark_tui.engine.library import Library

        return Library(self)

    # -- the home ----------------------------------------------------------------------------------

    def profile_in_use(self) -> str:
        """The name of the default search profile."""
        return self.settings.ranked_by(served=self.model_in_use() is not None)

    def values(self, kind: Kind) -> Mapping[str, int]:
        """Values of this kind, such as tags, with their document counts, most frequent first."""
        from ark_tui.store import overview

        with self.store.read() as lease:
            return overview.values(lease, kind)

    def signals(self) -> tuple[SignalInfo, ...]:
        """All signals with their descriptions."""
        from ark_tui.retrieval.signals import LISTED

        return tuple(one.info for one in LISTED)

    def status(self, rows: bool = False) -> Status:
        """The state of the home; `rows` adds every file not indexed normally, with the reason."""
        from ark_tui.engine import health

        return health.status(self, rows=rows)

    def doctor(self, repair: bool = False) -> tuple[Check, ...]:
        """Run the health checks; `repair` fixes what it can."""
        from ark_tui.engine import health

        return tuple(health.doctor(self, repair=repair))

    def notices(self) -> tuple[str, ...]:
        """Return and clear the notices: failures that aborted nothing, and repairs."""
        told = [self.failures, *([self.store.repairs] if "store" in self.__dict__ else [])]
        said = []
        for notices in told:
            while notices:  # one by one, so notices added by other threads are not lost
                said.append(notices.pop(0))
        return tuple(said)

    def backup(self, to: Path | None = None) -> Path:
        """Write the store and the configuration to a zip file and return its path."""
        from ark_tui.engine import copies

        return copies.backup(self.store, to, self._moment(), VERSION)

    def restore(self, backup: Path) -> Path | None:
        """Replace the store with a backup, update the indexes, and return the path of the old store.

        An index that cannot be updated is reported as a notice and updated later.
        """
        from ark_tui.engine import copies

        kept = copies.restore(self.store, backup, self._moment())
        with self.afterwards():
            self.sync(wait=60.0)
        return kept

    def _moment(self) -> str:
        return self.clock.now().strftime("%Y%m%dT%H%M%S")

    def now(self) -> datetime:
        """The current time in UTC, by the clock of this home."""
        return self.clock.now()

    def warm(self) -> None:
        """Import and open everything that a search needs."""
        from ark_tui.embedding import static

        self.store.change()
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

        with requests.asked(agent or self.scope().agent, texts.name(key, "an idempotency key"), whole=whole):
            yield

    def seen_by(self, viewer: Viewer | None) -> AbstractContextManager[None]:
        """Limit everything read in this block to what a viewer may see; None: no limit."""
        from ark_tui.store import owners

        return owners.seen_by(viewer)

    def close(self) -> None:
        """Stop long work, write pending log entries, and close the store."""
        for name in ("background", "jobs"):
            if name in self.__dict__:
                getattr(self, name).close()
        super().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
