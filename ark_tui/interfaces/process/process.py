"""The home process, from its start to its end.

It has the lock of the home and listens on its socket until no client has been there for `keep_open` minutes
and no job is under way, until it is told to stop, or until its home is moved or removed.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

import ark_tui
from ark_tui.interfaces.calls.own import OWN
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.client import local
from ark_tui.interfaces.process.app import App
from ark_tui.interfaces.process.clients import Clients, accepting
from ark_tui.interfaces.process.engines import Engines
from ark_tui.interfaces.reports import faults
from ark_tui.settings.caller import IDENTITY, withdraw
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from ark_tui.operations.call import Call

LOOK = 0.1  # seconds between two looks whether to end
FIRST = 1.0  # seconds that belong to the call for which the process was started
CHECK = 1.0  # seconds between two looks at the files of the program
LAST_WORDS = 10  # seconds that calls under way are given at the end
WAITING = 128  # connections that wait to be accepted


def run(home: Path) -> int:
    """Serve a home until nobody needs it. Returns the exit code."""
    os.umask(0o077)
    for variable in IDENTITY.values():  # those of the client that started this
        os.environ.pop(variable, None)
    withdraw({name: value for name, value in os.environ.items() if name.startswith(local.OURS)})
    os.environ["ARK_HOME"] = str(home)
    local.more_files()
    lock = os.open(home / local.LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if not _mine(lock, home):
        return 0
    try:
        HomeProcess(home).serve()
    finally:
        os.close(lock)
    return 0


def _mine(lock: int, home: Path) -> bool:
    """Whether this process has the home; one that ends just now is waited for."""
    until = time.monotonic() + local.ENDING
    while time.monotonic() < until:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.truncate(lock, 0)
            os.pwrite(lock, str(os.getpid()).encode(), 0)  # for people
            return True
        if local.reachable(home):
            return False
        time.sleep(local.STEP)
    return False


class HomeProcess:
    """One home, served. The lock is held by whoever makes it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._identity = _identity(home)
        self._program: dict[Path, int] = {}  # its source files, and when each was changed
        self._checked = time.monotonic()
        self._began = time.monotonic()
        self._clients = Clients()
        self._engines = Engines(home)
        self._over = threading.Event()
        own: dict[str, Callable[..., Any]] = {
            **OWN,
            "process.status": self.status,
            "process.listen": self.listen,
        }
        base = self._engines.base
        self._state = replace(state_for(base), own=own, engines=self._engines.of)
        self._app = App(self._state, self._clients, self._over.set, self._gone, self._outdated)

    def serve(self) -> None:
        """Listen until the end, and close the home."""
        from ark_tui.engine import modules

        modules.open_all()
        faults.keep_in(self._engines.base.settings.home.logs)
        place = local.address(self._home).file
        place.unlink(missing_ok=True)  # what a killed one has left
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(os.fspath(place))
            place.chmod(0o600)
            listener.listen(WAITING)
            gc.freeze()  # what is there now stays: it is not looked at again
            try:
                asyncio.run(self._listen(listener))
            finally:
                place.unlink(missing_ok=True)
        self._engines.close()

    async def _listen(self, listener: socket.socket) -> None:
        config = uvicorn.Config(
            self._app,
            http=accepting(self._clients),
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            ws="none",
            proxy_headers=False,
            log_level="critical",
            lifespan="off",
            timeout_graceful_shutdown=LAST_WORDS,
        )
        server = uvicorn.Server(config)
        watching = asyncio.create_task(self._watch(server))
        await server.serve(sockets=[listener])
        self._over.set()
        await watching
        await self._app.close()

    async def _watch(self, server: uvicorn.Server) -> None:
        """Look after the home from when the socket is there; end when it is to end."""
        background = threading.Thread(target=self._look_after, daemon=True)
        background.start()
        while not (self._over.is_set() or server.should_exit):
            await asyncio.sleep(LOOK)
            if self._gone():
                os._exit(0)  # nothing more is to be written at the old place
            if self._idle():
                break
        self._over.set()
        self._app.stop()
        server.should_exit = True

    def _look_after(self) -> None:
        files = Path(ark_tui.__file__).parent.rglob("*.py")
        self._program = {file: _changed(file) for file in files}
        if self._over.wait(FIRST):
            return
        engine = self._engines.base
        if engine.settings.home.begun():
            faults.kept(lambda: engine.background.start(engine.jobs.notice, watch=engine.settings.watch))

    def _idle(self) -> bool:
        if self._clients.idle() <= self._engines.base.settings.keep_open * 60:
            return False
        return not self._busy()

    def _busy(self) -> bool:
        """Whether a job is under way that somebody has asked for."""
        return any(one.state == "running" and not one.own for one in self._engines.base.jobs.live)

    def _outdated(self) -> bool:
        """Whether the program was updated since this process began, and nothing prevents another start."""
        if time.monotonic() - self._checked < CHECK or self._busy():
            return False
        self._checked = time.monotonic()
        return any(_changed(file) != before for file, before in self._program.items())

    def _gone(self) -> bool:
        """Whether the home is not any more where it was."""
        return _identity(self._home) != self._identity

    # -- what can be asked of it ---------------------------------------------------------------------

    def status(self, call: Call) -> Mapping[str, Any]:
        """The process: number, version, age in seconds, memory in bytes, clients, and calls under way."""
        del call
        return {
            "process": os.getpid(),
            "version": VERSION,
            "seconds": time.monotonic() - self._began,
            "memory": _memory(),
            "clients": self._clients.named(),
            "calls": sum(self._clients.calls.values()),
        }

    def listen(
        self,
        call: Call,
        host: str,
        port: int,
        *,
        allowed: Sequence[str] = (),
        token: str = "",
        certificate: tuple[str, str] | None = None,
    ) -> None:
        """Serve over HTTP at an address until the caller leaves, who is told the URL as `so_far`."""
        from ark_tui.interfaces.http.serving import serve

        serve(
            self._state, host, port, allowed=allowed, token=token, certificate=certificate,
            ready=call.so_far, stop=call.stop,
        )  # fmt: skip


def _changed(file: Path) -> int:
    """When a file was changed, in nanoseconds; 0 where it is gone."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _identity(home: Path) -> tuple[int, int] | None:
    try:
        status = home.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _memory() -> int:
    """Bytes that this process has in memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")
