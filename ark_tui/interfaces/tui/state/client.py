"""Runs operations on the home, local or remote. The workbench has no other access to it."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from ark_tui.domain.errors import ArkError, Cancelled, StoreLocked
from ark_tui.interfaces.tui.state import strings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from ark_tui.domain.jobs import Job, JobEntry, JobResult
    from ark_tui.domain.protocols import OnProgress, Stop
    from ark_tui.interfaces.client.opening import AnyHome
    from ark_tui.operations.call import Call
    from ark_tui.operations.workbench import Going, News
    from ark_tui.settings import Settings

P = ParamSpec("P")
Answer = TypeVar("Answer")

Ended: TypeAlias = "tuple[JobEntry, JobResult | None, ArkError | None]"
"""An ended job with its result or error. A job that had nothing to do has neither."""

Act: TypeAlias = "Callable[[Client], Answer]"
"""An edit or query of one or more operations."""

PROGRAM = "workbench"

LOOK_EVERY = 0.02  # seconds between checks of the stop token while waiting

EVERY = 0.25
"""Seconds between attempts to reconnect to a home."""


class Opening:
    """Opens the home once, in a thread after the first frame. Other threads wait for it.

    `make` opens it. `url`: its server; empty for a local home. A thread follows the events of the home; the
    screen shows the latest ones. `trouble`: the current connection error, or empty.
    """

    def __init__(self, settings: Settings, make: Callable[[], AnyHome] | None = None, url: str = "") -> None:
        self._settings = settings
        self._make = make or self._by_settings
        self._url = url
        self._home: AnyHome | None = None
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="news", daemon=True)
        self._news: News | None = None
        self._failed: ArkError | None = None
        self._warnings: deque[str] = deque()
        self._entries: dict[str, JobEntry] = {}
        self._over_already: set[str] = set()  # ended jobs whose end was not reported yet
        self._ended: deque[Ended] = deque()
        self.heard: Callable[[], object] = lambda: None  # called in the thread after news of jobs
        self.trouble = ""

    def _by_settings(self) -> AnyHome:
        from ark_tui.interfaces.client import opening

        settings = self._settings
        if opening.direct(os.environ):
            return opening.opened_here(settings, self._warnings.append)
        caller = opening.caller(PROGRAM, os.environ)
        return opening.reached(
            settings.home.path, caller, lambda: settings, self._warnings.append, begins=True
        )

    @property
    def place(self) -> str:
        """The server of the home, for display; empty for a local home."""
        return self._url.partition("://")[2].partition("/")[0] or self._url

    @property
    def kept(self) -> Path:
        """The folder for the workbench's own state; each remote home has its own."""
        home = self._settings.home.path
        return home / "connected" / hashlib.sha256(self._url.encode()).hexdigest()[:16] if self._url else home

    @property
    def opened(self) -> Any:
        """The engine or its proxy once the home has answered; else None."""
        return self._home.engine if self._home is not None and self._ready.is_set() else None

    @property
    def news(self) -> News:
        """The latest news of the home."""
        from ark_tui.operations.workbench import News

        return self._news or News()

    def open(self) -> None:
        """Open the home and follow its events. Slow: never call it on the UI thread.

        Raises the error of the home.
        """
        from ark_tui.interfaces.client.direct import Direct

        with self._lock:
            if self._home is None:
                logging.getLogger("ark_tui").addHandler(logging.NullHandler())  # no output to the screen
                home = self._make()
                home.warned = self._warnings.append
                self._home = home
                if isinstance(home, Direct) and not self._url:
                    home.look_after()  # no other process does
            if not self._thread.is_alive():
                self._thread.start()
        while not self._ready.wait(LOOK_EVERY):
            if self._failed is not None:
                raise self._failed
            if self._over.is_set():
                raise Cancelled

    def home(self, stop: Stop | None = None) -> AnyHome:
        """Wait for the home. Raises `Cancelled` if stopped before."""
        while not self._ready.wait(LOOK_EVERY):
            if stop is not None and stop.is_set():
                raise Cancelled
        assert self._home is not None
        return self._home

    def carry_out(self, asks: Client, what: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The result of an operation. Blocks. Raises the errors of the operation."""
        home = self.home(asks.stop)
        return home.ask(what, asks.call_with(home.engine), given, named)

    def notices(self) -> tuple[str, ...]:
        """Notices of errors that stopped nothing and of damage that is being repaired, each once."""
        return _taken(self._warnings)

    def ended(self) -> tuple[Ended, ...]:
        """The jobs that have ended, each once."""
        return _taken(self._ended)

    def renew(self, settings: Settings) -> None:
        """Use new settings. A home process notices the change by itself."""
        from ark_tui.interfaces.client.direct import Direct

        self._settings = settings
        if isinstance(self._home, Direct):
            self._home.renew(settings)

    def close(self) -> None:
        """Close the home."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(EVERY)
        if self._home is not None:
            self._home.close()

    def _call(self) -> Call:
        from ark_tui.operations.call import Call

        assert self._home is not None
        return Call(self._home.engine, person=True, stop=self._over)

    def _follow(self) -> None:
        while not self._over.is_set():
            try:
                self._listen()
            except Cancelled:
                self._stopped()
            except ArkError as error:
                if not self._ready.is_set():
                    self._failed = error
                self.trouble = error.what
            self._over.wait(EVERY)

    def _listen(self) -> None:
        assert self._home is not None
        from ark_tui.operations import workbench

        for news in self._home.ask(workbench.subscribe, self._call(), again=()):
            self._learn(news)
            self.trouble, self._failed = "", None
            self._ready.set()
            if self._over.is_set():
                return

    def _stopped(self) -> None:
        """The home process was stopped. Wait for a new one, which the next request starts."""
        from ark_tui.interfaces.client import local
        from ark_tui.interfaces.client.home import LocalHome

        while isinstance(self._home, LocalHome) and not (
            self._over.wait(EVERY) or local.reachable(self._home.folder)
        ):
            pass

    def _learn(self, found: News) -> None:
        """Apply news, and keep the jobs that have ended."""
        self._news = found
        live = {one.id for one in found.jobs}
        heard = {one.id for one in found.ended}
        gone = {id_: one for id_, one in self._entries.items() if id_ not in live}
        brief = {  # jobs too short to be seen running; the same work always has the same id
            one.id: _entry(one, None)
            for one in found.ended
            if (one.state == "failed" or not one.own) and one.id not in live | self._over_already
        }
        over = brief | gone
        retried: list[Ended] = [
            (_entry(one, None), None, ArkError(one.problem, one.hint))
            for one in found.ended
            if one.problem and one.id in live - self._over_already
        ]
        self._over_already = (self._over_already | gone.keys()) - heard
        self._warnings.extend(found.notices)
        self._entries = {one.id: _entry(one, self._entries.get(one.id)) for one in found.jobs}
        self._ended.extend((*map(self._end, over.values()), *retried))
        self.heard()

    def _end(self, entry: JobEntry) -> Ended:
        """An ended job with its result, which the home still knows."""
        from ark_tui.domain.jobs import cancelled
        from ark_tui.operations import jobs

        assert self._home is not None
        try:
            job: Job = self._home.ask(jobs.show, self._call(), (entry.id,), again=())
        except ArkError:
            return entry, None, None
        error = ArkError(job.error.error, job.error.hint) if job.error else None
        return entry, job.result, cancelled(entry) if job.state == "cancelled" else error

    @property
    def jobs(self) -> list[JobEntry]:
        """The unfinished jobs of the home."""
        return [*self._entries.values()]

    def look(self) -> None:
        """Start a check of all folders and retry failed work. Returns at once."""

        def ask() -> None:
            from ark_tui.operations import workbench

            with suppress(ArkError):  # the title line shows that the home is unreachable
                self.home(self._over).ask(workbench.look, self._call())

        threading.Thread(target=ask, name="look", daemon=True).start()


@dataclass(frozen=True)
class Client:
    """Runs operations on the home for the user of the workbench. Other fields as in `Call`."""

    opening: Opening
    stop: Stop | None = None
    progress: OnProgress | None = None
    so_far: Callable[[Any], None] | None = None
    agent: str = ""
    session: str = ""

    def call(
        self, operation: Callable[Concatenate[Call, P], Answer], *given: P.args, **named: P.kwargs
    ) -> Answer:
        """Run an operation once the home is open. Blocks, so use a thread. Raises its errors."""
        found: Answer = self.opening.carry_out(self, operation, given, named)
        return found

    def call_with(self, engine: Any) -> Call:
        """The `Call` of a request by the user."""
        from ark_tui.domain.protocols import NEVER, ignore
        from ark_tui.operations.call import Call

        return Call(
            engine, person=True, local=True, agent=self.agent, session=self.session,
            stop=self.stop or NEVER, progress=self.progress or ignore, so_far=self.so_far or ignore,
        )  # fmt: skip


def act(operation: Callable[Concatenate[Call, P], Answer], *given: P.args, **named: P.kwargs) -> Act[Answer]:
    """An act that runs an operation."""
    return lambda client: client.call(operation, *given, **named)


@dataclass
class CommandQueue:
    """Runs acts one at a time in the order of the keys, so an undo never runs before the edit it reverts."""

    client: Client
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, act: Act[Answer]) -> Answer:
        """Run an act in a thread after the previous ones. Raises its errors.

        A `StoreLocked` error arrives long after the key, so its message adds that nothing has changed.
        """
        try:
            async with self._turn:
                return await asyncio.to_thread(act, self.client)
        except StoreLocked as error:
            raise StoreLocked(
                strings.NOTHING_CHANGED.format(error=error.what.removesuffix(".")), error.hint
            ) from error


def _taken(waiting: deque[Answer]) -> tuple[Answer, ...]:
    """Take all items, one at a time, so that those another thread adds are not lost."""
    found = []
    while waiting:
        found.append(waiting.popleft())
    return tuple(found)


def _entry(going: Going, known: JobEntry | None) -> JobEntry:
    """The entry of a job in the workbench, updated in place if it is known."""
    from ark_tui.domain.jobs import JobEntry

    entry = known or JobEntry(
        going.kind, Path(going.folder) if going.folder else None, going.collection, going.model,
        work=None if going.told else lambda *_: None, own=going.own, id=going.id, started=going.started,
    )  # fmt: skip
    entry.state, entry.wish, entry.progress = going.state, going.wish, going.progress
    entry.since(going.age, going.seconds, going.before)
    return entry
