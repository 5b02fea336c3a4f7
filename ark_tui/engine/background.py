"""What a home does on its own account while a server has it open.

It goes on with what was cut off, watches its folders, and embeds the texts that wait for it. All of that are
jobs, which anybody can look at and cancel.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import cast

from ark_tui.domain.errors import ArkError, ModelUnavailable
from ark_tui.domain.jobs import Embedded, JobResult
from ark_tui.domain.protocols import OnProgress, Stop, check
from ark_tui.domain.work import IndexReport, Progress, Run, Status
from ark_tui.engine.engine import Engine
from ark_tui.engine.jobs import Begun, Work

TICK = 2.0
"""Seconds between two looks at the home."""

PAUSES = (2.0, 5.0, 15.0, 30.0)
"""Seconds before each attempt to embed what waits; the last one for all that follow."""

log = logging.getLogger("ark_tui.background")


def waits(status: Status) -> bool:
    """Whether texts wait for their vectors, or an index is behind; that of messages follows when asked."""
    return bool(status.coverage.get("waiting", 0)) or any(
        follower.behind for follower in status.followers if follower.name != "messages"
    )


class Presence:
    """Which folders can be looked at. `missed` is told once of each that should have something in it.

    A disk that is not mounted leaves an empty folder, or none: that is no reason to take out what was read of
    it. A folder that becomes empty while it is watched has been emptied.
    """

    def __init__(self, missed: Callable[[Path], object]) -> None:
        self._missed = missed
        self._met: dict[Path, tuple[int, int]] = {}  # folders that had something in them
        self._away: set[Path] = set()

    def there(self, folder: Path, documents: int) -> bool:
        """Whether a folder can be looked at, of which the home has so many documents."""
        try:
            stat = folder.stat()
            empty = next(folder.iterdir(), None) is None
        except OSError:
            stat, empty = None, True
        identity = (stat.st_dev, stat.st_ino) if stat else None
        if identity is not None and not empty:
            self._met[folder] = identity
        if not empty or (identity is not None and self._met.get(folder) == identity):
            self._away.discard(folder)
            return True
        if documents and folder not in self._away:
            self._away.add(folder)
            self._missed(folder)
        return False


class Background:
    """Looks after a home in a thread of its own, from `start` to `close`.

    `watch`: what is saved in followed folders is taken up, too. `say` is told what a person should know.
    """

    def __init__(self, engine: Engine, say: Callable[[str], object], *, watch: bool = True) -> None:
        self._engine = engine
        self._say = say
        self._watch = watch
        self._presence = Presence(self._missing)
        self._over = threading.Event()
        self._news = threading.Event()
        self._hold = threading.Lock()
        self._changed: set[Path] = set()  # folders to look at
        self._folders: dict[Path, int] = {}  # those that are followed, with their documents
        self._status: Status | None = None
        self._pulse = -1
        self._settled = -1  # the change after which an attempt to embed had nothing more to do
        self._watching: Begun | None = None
        self._looking: Begun | None = None
        self._embedding: Begun | None = None
        self._resumed: dict[Run, Begun] = {}
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def end(self) -> None:
        """Begin nothing more."""
        self._over.set()
        self._news.set()

    def close(self) -> None:
        """End, and wait for it; jobs that were begun are for whoever closes the engine."""
        self.end()
        self._thread.join()
        if self._watching is not None:
            self._watching.stop.set()

    # -- in the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                self._tick()
            except ArkError as error:
                log.warning("%s %s", error.what, error.hint)
            except Exception:
                log.exception("background")
            self._news.wait(TICK)
            self._news.clear()

    def _tick(self) -> None:
        pulse = self._engine.pulse()
        if pulse != self._pulse or self._status is None:
            self._pulse, self._status = pulse, self._engine.status()
            self._learn(self._status)
        for run in self._engine.runs.unfinished():
            before = self._resumed.get(run)
            if not (run.paused or before or self._over.is_set()):
                self._resumed[run] = self._begin(run.kind, self._work(run), run.what)
        self._resumed = {run: one for run, one in self._resumed.items() if one.state in ("running", "failed")}
        self._look()
        self._embed(self._status)

    def _learn(self, status: Status) -> None:
        """The folders that are followed now; others than before are watched anew."""
        before = self._folders.keys()
        self._folders = {
            Path(collection.root): collection.documents
            for collection in status.collections
            if collection.root
        }
        if not self._watch or self._folders.keys() == before:
            return
        if self._watching is not None:
            self._watching.stop.set()
        folders = [*self._folders]
        self._watching = self._begin("watch", self._bursts(folders)) if folders else None

    def _look(self) -> None:
        """Bring folders up to date in which something has changed, one job at a time."""
        if _running(self._looking):
            return
        with self._hold:
            changed, self._changed = self._changed, set()
        followed = [folder for folder in self._folders if folder in changed]
        there = [one for one in followed if self._presence.there(one, self._folders[one])]
        if there:
            what = str(there[0]) if len(there) == 1 else f"{len(there)} folders"
            self._looking = self._begin("index", lambda *at: self._index(there, *at), what)

    def _embed(self, status: Status) -> None:
        """Embed what waits, unless that was given up or in vain since the last change."""
        if not waits(status) or status.change == self._settled or _running(self._embedding):
            return
        if not (_running(self._looking) or self._engine.runs.busy()):
            self._settled = status.change
            self._embedding = self._begin("embed", self._vectors)

    def _begin(self, kind: str, work: Work, what: str = "") -> Begun:
        return self._engine.jobs.start(kind, work, what, own=True)

    def _missing(self, folder: Path) -> None:
        self._say(f"{folder} is empty or not there; what was read of it stays.")

    # -- in the threads of jobs ----------------------------------------------------------------------

    def _index(self, folders: Sequence[Path], stop: Stop, progress: OnProgress) -> IndexReport | None:
        report = self._engine.index(folders, stop=stop, progress=progress)
        return report if report.touched else None

    def _bursts(self, folders: Sequence[Path]) -> Callable[[Stop, OnProgress], None]:
        """Watch folders until somebody asks to stop. Raises `ArkError` where the system watches no more."""
        from ark_tui.engine.watching import bursts

        def work(stop: Stop, progress: OnProgress) -> None:
            progress(Progress("watch", len(folders), len(folders)))
            for changed in bursts(folders, cast("threading.Event", stop)):
                with self._hold:
                    self._changed.update(changed)
                self._news.set()

        return work

    def _vectors(self, stop: Stop, progress: OnProgress) -> Embedded | None:
        """Embed what waits; while the model cannot be asked, try again after ever longer pauses."""
        for attempt in count():
            cast("threading.Event", stop).wait(PAUSES[min(attempt, len(PAUSES) - 1)])
            check(stop)
            problem = self._engine.models.problem()
            if not problem:
                try:
                    done = self._engine.embed(stop, progress)
                except ModelUnavailable as error:
                    problem = error.what
                else:
                    return Embedded(done) if done else None
            progress(Progress("wait", attempt + 1, None, problem))
        return None

    def _work(self, run: Run) -> Work:
        """What a run that was cut off is to do once more."""
        engine = self._engine

        def work(stop: Stop, progress: OnProgress) -> JobResult:
            if run.kind == "index":
                return engine.index(
                    [Path(run.what)], collection=run.collection, tags=run.tags, stop=stop, progress=progress
                )
            with engine.runs.under_way(run, stop, progress) as wanted:
                if run.kind == "analyse":
                    return engine.analysis.run(stop=wanted, progress=progress)
                return Embedded(engine.embed(wanted, progress))

        return work


def _running(job: Begun | None) -> bool:
    return job is not None and job.state == "running"
