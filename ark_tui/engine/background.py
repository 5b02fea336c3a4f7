"""What a home does on its own account while a server or a workbench has it open.

It goes on with what was cut off, watches its folders, and embeds the texts that wait for it. All of that are
jobs, which anybody can look at and cancel.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, cast

from ark_tui.domain import failing
from ark_tui.domain.errors import ArkError, ModelUnavailable
from ark_tui.domain.jobs import CONSOLIDATE, LIVE, WATCH, JobEntry, JobResult, Work
from ark_tui.domain.protocols import OnProgress, Stop, ignore
from ark_tui.domain.work import Progress, Status

if TYPE_CHECKING:
    from ark_tui.engine.jobs import Jobs
    from ark_tui.engine.runs import Runs

TICK = 2.0
"""Seconds between two looks at the home."""

PAUSES = (2.0, 5.0, 15.0, 30.0)
"""Seconds before each attempt to embed what waits; the last one for all that follow."""

CONSOLIDATING = 300.0
"""Seconds between two looks at conversations that are over."""

LAST = 5.0
"""Seconds that the thread has to end, whatever it waits for."""

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


class LookedAfter(NamedTuple):
    """What is asked of a home: its state, a number that moves with it, why texts cannot be embedded now.

    `consolidate` takes up conversations; None where that is not wanted.
    """

    status: Callable[[], Status]
    pulse: Callable[[], int]
    problem: Callable[[], str]
    consolidate: Work | None = None


class Background:
    """`engine.background`: looks after a home in a thread of its own, from `start` to `close`.

    Whatever it is told waits until that thread takes it up, so that nobody waits for it.
    """

    def __init__(self, jobs: Jobs, runs: Runs, home: LookedAfter) -> None:
        self.home = home
        self._jobs = jobs
        self._runs = runs
        self.looked = False  # at the folders, at least once
        self.problem = ""  # why nothing is embedded, as it was found last
        self._say: Callable[[str], object] = ignore
        self._watch = False
        self._told: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._presence = Presence(self._missing)
        self._over = threading.Event()
        self._pulse = -1
        self._folders: dict[Path, tuple[str, int]] = {}  # that are followed: name, documents
        self._watching: JobEntry | None = None
        self._embedding: JobEntry | None = None  # what is to be begun once texts can be embedded
        self._failed: set[str] = set()  # what could not be done: it is not tried by itself again
        self._next_tick = 0.0  # by the monotonic clock
        self._next_consolidation = 0.0  # likewise
        self._attempts = 0
        self._given_up = False  # by a person
        self._done = False  # an attempt has come to its end since the state of the home was read
        self._settled = -1  # the change after which an attempt had nothing more to do
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self, say: Callable[[str], object] = ignore, *, watch: bool = True) -> None:
        """Begin. `say` is told what a person should know, from the thread.

        `watch`: what is saved in followed folders is taken up, too.
        """
        self._say, self._watch = say, watch
        self._jobs.listeners.append(self)
        self._thread.start()

    def end(self) -> None:
        """Begin nothing more."""
        self._over.set()
        self._told.put(lambda: None)

    def close(self) -> None:
        """End, and wait for it; jobs that were begun are for whoever closes the engine."""
        self.end()
        if self._thread.is_alive():
            self._thread.join(LAST)
        if self._watching is not None:
            self._watching.stop.set()

    # -- what it is told, by whomever ------------------------------------------------------------------

    def look(self) -> None:
        """Somebody wants everything to be looked at again."""
        self._told.put(self._look_again)

    def moved(self) -> None:
        """A job has got further: nothing follows from it."""

    def noticed(self, notice: str) -> None:
        """Something has failed and stopped nothing: likewise."""

    def ended(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None:
        """A job is over."""
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
                self._jobs.notice(failing.in_words(error).told)

    def _pause(self) -> float:
        """Seconds until there is something to be done, unless it is told of before."""
        due = self._embedding.due if self._embedding is not None else self._next_tick
        return max(0.0, min(self._next_tick, due) - time.monotonic())

    def _tick(self) -> None:
        """Look whether somebody has been cut off, or says what is to rest or to go on."""
        if (pulse := self.home.pulse()) != self._pulse:
            self._pulse = pulse
            self._learn(self.home.status())
        self._consolidate()
        for entry in self._jobs.unfinished():
            if entry.kind == "embed" and entry.run and entry.state == "waiting":
                self._runs.drop(entry.run)  # what it has left waits for its vectors anyway
                self._embed_soon()
            elif entry.state == "paused" or entry.subject not in self._failed:
                self._jobs.take(entry)

    def _consolidate(self) -> None:
        """Look at conversations that are over, every five minutes, where nobody is at it."""
        now, work = time.monotonic(), self.home.consolidate
        if work is not None and now >= self._next_consolidation:
            self._next_consolidation = now + CONSOLIDATING
            if not self._jobs.busy(CONSOLIDATE):
                self._jobs.start(CONSOLIDATE, work, own=True)

    def _learn(self, status: Status) -> None:
        """The folders that are followed now; others than before are watched anew."""
        before = self._folders
        self._folders = {
            Path(info.root): (info.name, info.documents) for info in status.collections if info.root
        }
        for folder, (name, _) in before.items():
            if folder not in self._folders:
                self._jobs.let_go(folder)
            elif name != self._folders[folder][0]:
                self._jobs.renamed(folder, self._folders[folder][0])
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
        """Bring folders up to date, those that are followed and really there."""
        for folder in [one for one in folders if one in self._folders]:
            name, documents = self._folders[folder]
            if self._presence.there(folder, documents):
                self._jobs.take(JobEntry("look", folder, name))
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

    def _missing(self, folder: Path) -> None:
        self._say(f"{folder} is empty or not there; what was read of it stays.")

    # -- watching ------------------------------------------------------------------------------------

    def _watch_anew(self, folders: Sequence[Path]) -> None:
        jobs = self._jobs
        if self._watching is not None and self._watching.state in LIVE:
            jobs.cancel(self._watching.id)
        self._watching = jobs.start(WATCH, self._bursts(folders), own=True) if folders else None

    def _bursts(self, folders: Sequence[Path]) -> Work:
        """Watch folders until somebody asks to stop. Raises `ArkError` where the system watches no more."""
        from ark_tui.engine.watching import bursts

        def work(stop: Stop, progress: OnProgress) -> None:
            progress(Progress(WATCH, len(folders), len(folders)))
            for changed in bursts(folders, cast("threading.Event", stop)):
                self._told.put(lambda changed=changed: self._changed(changed))  # type: ignore[misc]

        return work

    # -- embedding -----------------------------------------------------------------------------------

    def _embed_soon(self) -> None:
        """Texts wait for their vectors, or an index is behind: see to it after a while."""
        jobs = self._jobs
        if not (self._given_up or jobs.find("embed") or jobs.find("model")):
            self._embedding = JobEntry("embed", due=self._next_attempt())
            jobs.take(self._embedding)

    def _next_attempt(self) -> float:
        pause = PAUSES[min(self._attempts, len(PAUSES) - 1)]
        self._attempts += 1
        return time.monotonic() + pause

    def _attempt(self, entry: JobEntry) -> None:
        """Begin, unless it is not to be any more, is done by somebody else, or cannot be now."""
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
