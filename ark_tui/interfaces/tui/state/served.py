"""A workbench over a home that another machine serves: what is asked goes there, what goes on is followed.

Imported only where a workbench is opened with `--connect`.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.jobs import JobEntry
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.interfaces.remote.home import Disconnected, Home
from ark_tui.interfaces.tui.state.client import LOOK_EVERY, Client, Opening
from ark_tui.operations import elsewhere, jobs, workbench
from ark_tui.operations.call import Call
from ark_tui.operations.elsewhere import Going, News
from ark_tui.operations.workbench import Marks

if TYPE_CHECKING:
    from ark_tui.domain.jobs import Job, Listener
    from ark_tui.settings import Settings

EVERY = 0.25
"""Seconds between two looks at what is new there, and between two tries to reach it again."""


class Served(Opening):
    """The way to that home, in place of an engine here.

    What the workbench asks on the thread that paints (`marks`, `jobs`) is answered from the latest look.
    """

    def __init__(self, settings: Settings, home: Home) -> None:
        super().__init__(settings)
        self.place = home.address.name
        self._home = home
        self._news = News(Marks(0, 0))
        self._ready = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="connection", daemon=True)
        self.trouble = ""
        self._listener: Listener | None = None
        self._entries: dict[str, JobEntry] = {}
        self._own: Mapping[Any, Callable[..., Any]] = {
            workbench.marks: lambda: self._news.marks,
            workbench.jobs: lambda: [*self._entries.values()],
            workbench.attend: self._attend,
            workbench.learn: lambda _: None,
            workbench.look: self._look,
            workbench.take: self._take,
        }

    @property
    def kept(self) -> Path:
        """Where this workbench keeps how it was left: a folder for each address, for its owner alone."""
        name = hashlib.sha256(self._home.address.url.encode()).hexdigest()[:16]
        return self._settings.home.path / "connected" / name

    @property
    def opened(self) -> Any:
        """What stands for an engine, once the home has answered."""
        return self._home.engine if self._ready.is_set() else None

    def open(self) -> None:
        """Reach the home, and follow what goes on there. Raises what it answers instead."""
        if not self._thread.is_alive():
            self._thread.start()
        if not self._ready.is_set():
            self._look_there()

    def held_up(self) -> str:
        """The process there that has the store while others have long been waiting for it."""
        return self._news.held_up

    def notices(self) -> tuple[str, ...]:
        """What failed there is said by the server."""
        return ()

    def renew(self, settings: Settings) -> None:
        """Only what is seen here depends on settings of this machine."""
        self._settings = settings

    def close(self) -> None:
        """Let go of the connections."""
        self._over.set()
        self._home.close()

    def carry_out(self, asks: Client, what: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Ask there, once the home has answered; what is asked all the time is known here."""
        if (own := self._own.get(what)) is not None:
            return own(*given, **named)
        while not self._ready.wait(LOOK_EVERY):
            if asks.stop is not None and asks.stop.is_set():
                raise Cancelled
        return self._home.ask(what, asks.call_with(self._home.engine), given, named)

    # -- what goes on there ----------------------------------------------------------------------------

    def _call(self, stop: Stop = NEVER) -> Call:
        return Call(self._home.engine, stop=stop)

    def _look_there(self) -> None:
        """See what is new. Raises what the server says instead, or that it is not reached."""
        try:
            found: News = self._home.ask(elsewhere.news, self._call(self._over), again=())
        except Disconnected as error:
            self.trouble = error.what
            raise
        self._learn(found)
        self.trouble = ""
        self._ready.set()

    def _follow(self) -> None:
        while not self._over.wait(EVERY):
            with suppress(ArkError):
                self._look_there()

    def _learn(self, found: News) -> None:
        """Take up what a look has shown, and tell of jobs that have got further or are over."""
        self._news = found
        gone = self._entries.keys() - {one.id for one in found.jobs}
        ended = [self._entries[id_] for id_ in gone]
        self._entries = {one.id: _entry(one, self._entries.get(one.id)) for one in found.jobs}
        if self._listener is None:
            return
        for entry in ended:
            self._tell_end(self._listener, entry)
        if found.jobs or ended:
            self._listener.moved()

    def _tell_end(self, listener: Listener, entry: JobEntry) -> None:
        """What came of a job that is there no more; nothing is known of one that had nothing to do."""
        try:
            job: Job = self._home.ask(jobs.show, self._call(self._over), (entry.id,), again=())
        except ArkError:
            listener.ended(entry, None, None)
            return
        error = ArkError(job.error.error, job.error.hint) if job.error else None
        listener.ended(entry, job.result, Cancelled() if job.state == "cancelled" else error)

    # -- what it does by itself there ------------------------------------------------------------------

    def _attend(self, listener: Listener, _: Callable[[str], object]) -> None:
        """The server looks after its home itself; `listener` is told what becomes of its jobs."""
        self._listener = listener

    def _look(self) -> None:
        def ask() -> None:
            try:
                self._home.ask(workbench.look, self._call(self._over))
            except (Disconnected, Cancelled):
                return  # said in the title line

        threading.Thread(target=ask, name="look", daemon=True).start()

    def _take(self, entry: JobEntry) -> str:
        """Have a job done there."""
        folder = str(entry.folder or "")
        said: str = self._home.ask(
            elsewhere.order, self._call(), (entry.kind, folder, entry.collection, entry.model)
        )
        return said


def _entry(going: Going, known: JobEntry | None) -> JobEntry:
    """A job there, as the workbench shows those of its own; the same object as before."""
    entry = known or JobEntry(
        going.kind, Path(going.folder) if going.folder else None, going.collection, going.model,
        work=None if going.told else lambda *_: None, own=going.own, id=going.id, started=going.started,
    )  # fmt: skip
    entry.state, entry.wish, entry.progress = going.state, going.wish, going.progress
    entry.since(going.age, going.seconds, going.before)
    return entry
