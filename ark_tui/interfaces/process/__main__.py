"""The home process, from start to end: `python -m ark_tui.interfaces.process HOME`. Clients start it.

It holds the lock of the home and listens on its socket. It ends when there was no client for `keep_open`
minutes and no job is running, when it is stopped, or when its home is moved or removed.
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
from ark_tui.interfaces.http.connection import config
from ark_tui.interfaces.process.app import App, Clients, accepting
from ark_tui.interfaces.process.engines import Engines
from ark_tui.interfaces.reports import faults
from ark_tui.settings.caller import IDENTITY, withdraw
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from ark_tui.operations.call import Call

LOOK = 0.1  # seconds between two checks for shutdown
FIRST = 1.0  # seconds before background work starts, left to the first call
CHECK = 1.0  # seconds between two checks of the program's files
WAITING = 128  # pending connections (backlog)


def run(home: Path) -> int:
    """Serve a home until it is not needed any more. Returns the exit code."""
    os.umask(0o077)
    for variable in IDENTITY.values():  # variables of the client that started this process
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
    """Try to get the lock of the home; wait for another process that is about to end."""
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
    """Serves one home. The creator holds the lock."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._identity = _identity(home)
        self._program: dict[Path, int] = {}  # the program's source files and their modification times
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
        """Listen until shutdown, then close the home."""
        from ark_tui.engine import services

        services.open_all()
        faults.keep_in(self._engines.base.settings.home.logs)
        place = local.address(self._home).file
        place.unlink(missing_ok=True)  # left by a killed process
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(os.fspath(place))
            place.chmod(0o600)
            listener.listen(WAITING)
            gc.freeze()  # exclude all objects so far from garbage collection
            try:
                asyncio.run(self._listen(listener))
            finally:
                place.unlink(missing_ok=True)
        self._engines.close()

    async def _listen(self, listener: socket.socket) -> None:
        server = uvicorn.Server(config(self._app, accepting(self._clients), lifespan="off"))
        watching = asyncio.create_task(self._watch(server))
        await server.serve(sockets=[listener])
        self._over.set()
        await watching
        await self._app.close()

    async def _watch(self, server: uvicorn.Server) -> None:
        """Start background work and watch for a reason to shut down."""
        background = threading.Thread(target=self._look_after, daemon=True)
        background.start()
        while not (self._over.is_set() or server.should_exit):
            await asyncio.sleep(LOOK)
            if self._gone():
                os._exit(0)  # nothing may be written at the old path any more
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
        """Whether a job that was requested by a client is running."""
        return any(one.state == "running" and not one.own for one in self._engines.base.jobs.live)

    def _outdated(self) -> bool:
        """Whether the program was updated since the start, checked once a second and not during jobs."""
        if time.monotonic() - self._checked < CHECK or self._busy():
            return False
        self._checked = time.monotonic()
        return any(_changed(file) != before for file, before in self._program.items())

    def _gone(self) -> bool:
        """Whether the home was moved or removed."""
        return _identity(self._home) != self._identity

    # -- what can be asked of it ---------------------------------------------------------------------

    def status(self, call: Call) -> Mapping[str, Any]:
        """The status of the process: id, version, age in seconds, memory in bytes, clients, running calls."""
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
        """Serve over HTTP at an address until the caller disconnects; `so_far` gets the URL."""
        from ark_tui.interfaces.http.serving import serve

        serve(
            self._state, host, port, allowed=allowed, token=token, certificate=certificate,
            ready=call.so_far, stop=call.stop,
        )  # fmt: skip


def _changed(file: Path) -> int:
    """The modification time of a file in nanoseconds; 0 if it does not exist."""
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
    """The memory of this process in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1])))
