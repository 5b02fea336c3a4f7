"""Automatic work of a home while a server or a workbench has it open.

It resumes interrupted runs, watches folders, and embeds pending texts. All of these are visible jobs that can
be cancelled.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, cast

from ark_tui.domain import failures
from ark_tui.domain.errors import ArkError, ModelUnavailable
from ark_tui.domain.jobs import CONSOLIDATE, LIVE, WATCH, JobEntry, JobResult, Work
from ark_tui.domain.protocols import OnProgress, Stop, ignore
from ark_tui.domain.work import Progress, Status

if TYPE_CHECKING:
    from ark_tui.engine.jobs import Jobs
    from ark_tui.engine.runs import Runs

TICK = 2.0
"""Seconds between two checks of the home."""

PAUSES = (2.0, 5.0, 15.0, 30.0)
"""Seconds before each attempt to embed pending texts; the last value repeats."""

CONSOLIDATING = 300.0
"""Seconds between two consolidations of finished conversations."""

LAST = 5.0
"""Seconds that `close` waits for the thread."""

log = logging.getLogger("ark_tui.background")


def waits(status: Status) -> bool:
    """Whether vectors are pending or an index is behind. The message index is updated on demand."""
    return bool(status.coverage.get("waiting", 0)) or any(
        follower.behind for follower in status.followers if follower.name != "messages"
    )


class LookedAfter(NamedTuple):
    """Functions of a home: its status, its change counter, and why texts cannot be embedded now.

    `missing` returns the collections whose folder is missing, for instance on an unmounted disk.
    `consolidate` extracts knowledge from conversations; None if disabled.
    """

    status: Callable[[], Status]
    pulse: Callable[[], int]
    problem: Callable[[], str]
    missing: Callable[[], Collection[str]]
    consolidate: Work | None = None


class Background:
    """Automatic work of a home (`engine.background`), in a thread from `start` to `close`.

    Calls from other threads are queued for this thread, so they never block.
    """

    def __init__(self, jobs: Jobs, runs: Runs, home: LookedAfter) -> None:
        self.home = home
        self._jobs = jobs
        self._runs = runs
        self.looked = False  # whether the folders were checked at least once
        self.problem = ""  # why nothing can be embedded, at the last check
        self._say: Callable[[str], object] = ignore
        self._watch = False
        self._told: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._missing: set[Path] = set()  # folders that the user was told about
        self._over = threading.Event()
        self._pulse = -1
        self._folders: dict[Path, str] = {}  # indexed folders with the names of their collections
        self._watching: JobEntry | None = None
        self._embedding: JobEntry | None = None  # starts once texts can be embedded
        self._failed: set[str] = set()  # subjects of failed jobs, not retried automatically
        self._next_tick = 0.0  # by the monotonic clock
        self._next_consolidation = 0.0  # likewise
        self._attempts = 0
        self._given_up = False  # whether embedding was cancelled or failed for good
        self._done = False  # whether an attempt finished since the status was read
        self._settled = -1  # the store's change when the last finished attempt was noticed
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self, say: Callable[[str], object] = ignore, *, watch: bool = True) -> None:
        """Start the thread. It calls `say` with messages for the user.

        `watch`: also index files changed in the indexed folders.
        """
        self._say, self._watch = say, watch
        self._jobs.listeners.append(self)
        self._thread.start()

    def end(self) -> None:
        """Start no more work."""
        self._over.set()
        self._told.put(lambda: None)

    def close(self) -> None:
        """End the thread and wait for it; running jobs are stopped by `Engine.close`."""
        self.end()
        if self._thread.is_alive():
            self._thread.join(LAST)
        if self._watching is not None:
            self._watching.stop.set()

    # -- called from other threads ---------------------------------------------------------------------

    def look(self) -> None:
        """Request a new check of everything."""
        self._told.put(self._look_again)

    def moved(self) -> None:
        """Ignore the progress of a job."""

    def noticed(self, notice: str) -> None:
        """Ignore a notice."""

    def ended(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None:
        """Queue the handling of a finished job."""
        del result
        self._told.put(lambda: self._ended(entry, error))

    # -- in the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._over.is_set():
            if time.monotonic() >= self._next_tick:
                self._next_tick = time.monotonic() + TICK
                self._carefully(self._tick)
            if self._embedding is not None and time.monotonic() >= self._embedding.due:
                self._carefully(partial(self._attempt, self._embedding))
            with suppress(Empty):
                self._carefully(self._told.get(timeout=self._pause()))

    def _carefully(self, task: Callable[[], object]) -> None:
        try:
            task()
        except ArkError as error:
            log.warning("%s %s", error.what, error.hint)
        except Exception as error:
            if not self._over.is_set():
                log.exception("background")
                self._jobs.notice(failures.in_words(error).told)

    def _pause(self) -> float:
        """Seconds until the next scheduled work."""
        due = self._embedding.due if self._embedding is not None else self._next_tick
        return max(0.0, min(self._next_tick, due) - time.monotonic())

    def _tick(self) -> None:
        """Check for changes of the home and for runs to resume."""
        if (pulse := self.home.pulse()) != self._pulse:
            self._pulse = pulse
            self._learn(self.home.status())
        self._consolidate()
        with self._jobs.hold:  # a run that is resumed meanwhile is not taken as paused
            for entry in self._jobs.unfinished():
                if entry.kind == "embed" and entry.run and entry.state == "waiting":
                    self._runs.drop(entry.run)  # its remaining texts are pending anyway
                    self._embed_soon()
                elif entry.state == "paused" or entry.subject not in self._failed:
                    self._jobs.take(entry)

    def _consolidate(self) -> None:
        """Consolidate finished conversations every five minutes, unless that is running already."""
        now, work = time.monotonic(), self.home.consolidate
        if work is not None and now >= self._next_consolidation:
            self._next_consolidation = now + CONSOLIDATING
            if not self._jobs.busy(CONSOLIDATE):
                self._jobs.start(CONSOLIDATE, work, own=True)

    def _learn(self, status: Status) -> None:
        """Update the state from the status; restart watching if the indexed folders changed."""
        before = self._folders
        self._folders = {Path(info.root): info.name for info in status.collections if info.root}
        for folder, name in before.items():
            if folder not in self._folders:
                self._jobs.removed(folder)
            elif name != self._folders[folder]:
                self._jobs.renamed(folder, self._folders[folder])
        if self._watch and self._folders.keys() != before.keys():
            self._watch_anew([*self._folders])
        if self._done:
            self._done, self._settled = False, status.change
        if not waits(status):
            self._attempts, self._given_up, self.problem = 0, False, ""
        elif status.change != self._settled:
            self._embed_soon()

    def _look_again(self) -> None:
        self._given_up, self._attempts, self._settled = False, 0, -1
        self._failed.clear()
        self._changed(self._folders)

    def _changed(self, folders: Iterable[Path]) -> None:
        """Start jobs for changed folders that are indexed; documents of a missing folder stay."""
        missing = self.home.missing()
        for folder in [one for one in folders if one in self._folders]:
            if self._folders[folder] not in missing:
                self._missing.discard(folder)
                self._jobs.take(JobEntry("look", folder, self._folders[folder]))
            elif folder not in self._missing:
                self._missing.add(folder)
                self._say(f"{folder} is empty or missing. Its documents stay searchable.")
        self.looked = True

    def _ended(self, entry: JobEntry, error: ArkError | None) -> None:
        if error is None:
            self._failed.discard(entry.subject)
            self._done |= entry.lane == "vectors"
            return
        self._failed.add(entry.subject)
        if entry.lane == "vectors" and entry.work is None:
            self._given_up = not isinstance(error, ModelUnavailable)
            if not self._given_up:
                self._embed_soon()

    # -- watching ------------------------------------------------------------------------------------

    def _watch_anew(self, folders: Sequence[Path]) -> None:
        jobs = self._jobs
        if self._watching is not None and self._watching.state in LIVE:
            jobs.cancel(self._watching.id)
        self._watching = jobs.start(WATCH, self._bursts(folders), own=True) if folders else None

    def _bursts(self, folders: Sequence[Path]) -> Work:
        """Work that watches folders until stopped. It raises `ArkError` at the system's watch limit."""
        from ark_tui.engine.watching import bursts

        def work(stop: Stop, progress: OnProgress) -> None:
            progress(Progress(WATCH, len(folders), len(folders)))
            for changed in bursts(folders, cast("threading.Event", stop)):
                self._told.put(lambda changed=changed: self._changed(changed))  # type: ignore[misc]

        return work

    # -- embedding -----------------------------------------------------------------------------------

    def _embed_soon(self) -> None:
        """Schedule embedding, unless it was given up or is already queued."""
        jobs = self._jobs
        if not (self._given_up or jobs.find("embed") or jobs.find("model")):
            self._embedding = JobEntry("embed", due=self._next_attempt())
            jobs.take(self._embedding)

    def _next_attempt(self) -> float:
        pause = PAUSES[min(self._attempts, len(PAUSES) - 1)]
        self._attempts += 1
        return time.monotonic() + pause

    def _attempt(self, entry: JobEntry) -> None:
        """Start embedding, or postpone it while other runs are active or the model is unavailable."""
        jobs = self._jobs
        if jobs.find("embed") is not entry or entry.state != "waiting":
            self._embedding = None
            return
        if self._runs.busy() or jobs.busy("files"):
            jobs.postpone(entry, time.monotonic() + PAUSES[0])
            return
        jobs.postpone(entry, self._next_attempt())
        wanted = waits(self.home.status())
        self.problem = self.home.problem() if wanted else ""
        if self.problem:
            jobs.postpone(entry, entry.due, Progress("wait", self._attempts, None, self.problem))
            return
        self._embedding = None
        if wanted:
            jobs.postpone(entry, 0.0)
        else:
            jobs.leave(entry)
