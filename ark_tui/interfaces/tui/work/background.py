"""What the workbench does on its own account: goes on with what was cut off, watches, embeds what waits."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError, ModelUnavailable
from ark_tui.engine.background import PAUSES, Presence, waits
from ark_tui.engine.watching import bursts
from ark_tui.interfaces.tui.state.messages import FoldersChanged, WatchFailed
from ark_tui.interfaces.tui.work.jobs import Job, Jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ark_tui.domain.work import Status
    from ark_tui.interfaces.tui.state.context import PaneContext


class BackgroundTasks:
    """Looks after the home in the background. On the thread that paints, except where it says otherwise."""

    def __init__(self, context: PaneContext, jobs: Jobs, look_later: Callable[[float], object]) -> None:
        """`look_later`: after so many seconds it is looked whether texts wait, and `seen` is called."""
        self._context = context
        self._jobs = jobs
        self._look_later = look_later
        self._names: dict[Path, str] = {}  # collections by their folders
        self._sizes: dict[str, int] = {}  # documents by collection
        self._presence = Presence(self._missing)
        self._over = threading.Event()  # of the watch under way
        self._failed: set[str] = set()  # what this workbench could not do: it does not try by itself again
        self._attempts = 0
        self.looked = False  # at the folders, at least once
        self._waiting = False  # for the next attempt to embed
        self._given_up = False  # by the person
        self._done = False  # an attempt has come to its end since the state of the home was read
        self._settled = -1  # the change after which an attempt had nothing more to do
        self.problem = ""  # why nothing is embedded, as it was said last

    # -- occasions -----------------------------------------------------------------------------------

    def begin(self) -> None:
        """The home is open: take up what was cut off."""
        for job in self._jobs.unfinished():
            self._jobs.take(job)

    def tick(self) -> None:
        """Every few seconds: somebody else may have been cut off, or say what is to rest or to go on."""
        self._jobs.agree()
        for job in self._jobs.unfinished():
            if job.state == "paused" or job.subject not in self._failed:
                self._jobs.take(job)

    def learn(self, status: Status) -> None:
        """The state of the home has been read."""
        self._sizes = {info.name: info.documents for info in status.collections}
        names = {Path(info.root): info.name for info in status.collections if info.root is not None}
        if names != self._names:
            before, self._names = self._names, names
            for folder, name in before.items():
                if folder not in names:
                    self._jobs.let_go(folder)
                elif name != names[folder]:
                    self._jobs.renamed(folder, names[folder])
            self._watch()
        if self._done:
            self._done, self._settled = False, status.change
        if not waits(status):
            self._attempts, self._given_up, self.problem = 0, False, ""
        elif status.change != self._settled:
            self._embed_soon()

    def look(self) -> None:
        """Somebody wants everything to be looked at again."""
        self._given_up, self._attempts = False, 0
        self._failed.clear()
        self._settled = -1
        self.changed(tuple(self._names))

    def changed(self, folders: Sequence[Path]) -> None:
        """Bring folders up to date, those that are really there."""
        self.looked = True
        for folder in folders:
            name = self._names.get(folder, "")
            if self._presence.there(folder, self._sizes.get(name, 0)):
                self._jobs.take(Job("look", folder, name))

    def ended(self, job: Job, error: ArkError | None) -> None:
        """A job is over."""
        if error is None:
            self._failed.discard(job.subject)
            self._done |= job.lane == "vectors"
            return
        self._failed.add(job.subject)
        if job.lane == "vectors":
            self._given_up = not isinstance(error, ModelUnavailable)
            if not self._given_up:
                self._embed_soon()

    def close(self) -> None:
        """The workbench ends."""
        self._over.set()

    # -- watching ------------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Watch the folders there are now, in a thread of its own."""
        self._over.set()
        if not self._names or not self._context.settings.watch:
            return
        self._over = threading.Event()
        thread = threading.Thread(
            target=self._follow, args=(tuple(self._names), self._over), name="watch", daemon=True
        )
        thread.start()

    def _follow(self, folders: tuple[Path, ...], over: threading.Event) -> None:
        """In the thread of the watch."""
        try:
            for changed in bursts(folders, over):
                self._context.tell(FoldersChanged(changed))
        except ArkError as error:
            self._context.tell(WatchFailed(error))

    def _missing(self, folder: Path) -> None:
        key = self._context.keys["library.again"]
        self._context.say(
            f"{folder} is empty or not there; what was read of it stays.\n"
            f"{key} in the library reads it all the same.",
            "warning",
        )

    # -- embedding -----------------------------------------------------------------------------------

    def _embed_soon(self) -> None:
        """Texts wait for their vectors, or an index is behind: see to it after a while."""
        if self._waiting or self._given_up or self._jobs.find("embed") or self._jobs.find("model"):
            return
        self._waiting = True
        pause = PAUSES[min(self._attempts, len(PAUSES) - 1)]
        self._attempts += 1
        self._look_later(pause)

    def seen(self, *, wanted: bool, problem: str) -> None:
        """It is known whether texts still wait for their vectors, and whether those can be made."""
        self._waiting, self.problem = False, problem
        if wanted and problem:
            self._embed_soon()
        elif wanted and not self._jobs.busy("files"):
            self._jobs.take(Job("embed"))
