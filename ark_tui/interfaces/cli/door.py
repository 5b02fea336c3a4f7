"""The warm door: a process that has a home open answers commands that would only read there.

One process of a home has it at a time; another that would open it waits, and takes over when that one ends.
Each request has a thread, streams, settings and a folder of its own, and nothing of the process it runs in
is changed for it. What would write, ask, take long or read a file is declined, and runs where it was typed.
`knock` is the other side, and says what is sent.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ark_tui.domain.readable import readable
from ark_tui.interfaces.cli import knock
from ark_tui.interfaces.cli.console import CONSOLE, Console, coloured
from ark_tui.interfaces.cli.diagnostics import Diagnostics
from ark_tui.interfaces.cli.session import Session
from ark_tui.interfaces.cli.words import STDIN
from ark_tui.operations.operation import Effect
from ark_tui.settings.caller import CALLER, Caller
from ark_tui.settings.config import READ

if TYPE_CHECKING:
    from typing import BinaryIO

    from ark_tui.engine import Engine
    from ark_tui.operations.operation import Operation
    from ark_tui.settings import Settings
    from ark_tui.settings.home import Home

Run: TypeAlias = Callable[[Sequence[str], Session], int]

LARGEST = 1 << 20  # bytes of a request
IN_TIME = 2.0  # seconds for all of a request to come, and for each piece of an answer to be taken
AT_ONCE = 8  # requests under way; a further one is declined
ENGINES = 4  # of different settings that are kept open

VARIABLES = frozenset(("NO_COLOR", "TERM", "ARK_WARM", *READ))
"""Those that each request has its own of; in all others it has to agree with this process."""

_asking: ContextVar[Diagnostics | None] = ContextVar("asking", default=None)


class Declined(SystemExit):
    """The command is to be run where it was typed. Nothing has been done for it yet."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a process that was just started asks."""

    kind: str
    home: Path
    folder: Path
    terminals: str
    arguments: tuple[str, ...]
    environ: Mapping[str, str]

    @classmethod
    def read(cls, body: bytes) -> Request | None:
        """None for one that is malformed, or of another version of the program."""
        fields = os.fsdecode(body).split("\0")
        try:
            program, kind, home, folder, terminals, number = fields[:6]
            split = 6 + int(number)
        except ValueError:
            return None
        if program != knock.PROGRAM or not 6 <= split <= len(fields) or len(terminals) != 3:
            return None
        environ = dict(one.partition("=")[::2] for one in fields[split:])
        return cls(kind, Path(home), Path(folder), terminals, tuple(fields[6:split]), environ)


class _Gone:
    """A stop token: whoever asked has gone."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def is_set(self) -> bool:
        return bool(readable([self._connection], 0))  # nothing more is sent but an end


class _Stream:
    """One of two streams, whose pieces are kept in the order in which both were written."""

    def __init__(self, kind: bytes, pieces: list[tuple[bytes, bytes]]) -> None:
        self._kind = kind
        self._pieces = pieces

    def write(self, data: bytes) -> int:
        self._pieces.append((self._kind, data))
        return len(data)

    def flush(self) -> None:
        """All is handed on in the end."""


class Engines:
    """Engines of the settings that are asked with, kept open from one request to the next."""

    def __init__(self) -> None:
        self._kept: list[Engine] = []  # the last used last
        self._used: list[Engine] = []  # once for each request
        self._hold = threading.Lock()

    @contextmanager
    def of(self, settings: Settings) -> Iterator[Engine]:
        """One of these settings, as new: its next search takes up what others have left behind."""
        with self._hold:
            engine = next((one for one in self._kept if one.settings == settings), None) or _opened(settings)
            self._kept = [*(one for one in self._kept if one is not engine), engine]
            self._used.append(engine)
        engine.look_again()
        try:
            yield engine
        finally:
            with self._hold:
                self._used.remove(engine)
                idle = [one for one in self._kept if one not in self._used]
                over = idle[: max(0, len(self._kept) - ENGINES)]
                self._kept = [one for one in self._kept if one not in over]
            for one in over:
                one.close()

    def close(self) -> None:
        """Let go of all of them."""
        with self._hold:
            kept, self._kept = self._kept, []
        for one in kept:
            one.close()


def _opened(settings: Settings) -> Engine:
    from ark_tui.engine import Engine

    def wait(text: str) -> None:
        if say := _asking.get():
            say.notice(text)

    return Engine(settings, on_wait=wait, begins=False, brief=True)


class Served(Session):
    """A run of the command line for another process."""

    def __init__(self, request: Request, engines: Engines, gone: _Gone) -> None:
        super().__init__(Diagnostics.of(request.arguments), stop=gone)
        self._request = request
        self._engines = engines
        self._admitted = False

    def admit(self, operation: Operation | None = None, given: Mapping[str, Any] | None = None) -> None:
        """Decline what does more than read and print; called before anything is done."""
        if operation is None or operation.effect is not Effect.READS or operation.long or operation.streams:
            raise Declined
        given = given or {}
        files = [one.name for one in operation.parameters if one.type is Path or one.said.metavar == "FILE"]
        if any(given.get(name) for name in files) or STDIN in given.values():
            raise Declined
        self._admitted = True

    def settings(self, overrides: Mapping[str, object] | None = None) -> Settings:
        """The settings, read anew. Declined to commands that are no operation."""
        found = super().settings(overrides) if self._admitted else None
        if found is None or not os.path.samestat(found.home.path.stat(), self._request.home.stat()):
            raise Declined
        return found

    @contextmanager
    def engine(self, overrides: Mapping[str, object] | None = None) -> Iterator[Engine]:
        """The engine of the home, which stays open."""
        with self._engines.of(self.settings(overrides)) as engine:
            try:
                yield engine
            finally:
                for notice in engine.notices():
                    self.say.warning(notice)


class Door:
    """The door of a home, kept by a thread of its own from `open` to `close`.

    `idle`: seconds without a request after which it closes by itself; None: never. `who` is what has the
    home open, for a person; `run` runs a command line and returns its exit code.
    """

    def __init__(self, home: Home, who: str, run: Run, *, idle: float | None = None) -> None:
        self._home = home
        self._who = who
        self._command = run
        self._idle = idle
        self._last = time.monotonic()  # when somebody asked
        self._engines = Engines()
        self._under_way = threading.Semaphore(AT_ONCE)
        self._wake, self._waker = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="door", daemon=True)
        self.has_it = False  # whether this process has the door

    def open(self) -> None:
        """Begin to listen; where another process has the door, when that one is done. Returns at once."""
        self._thread.start()

    def warm(self, settings: Settings) -> None:
        """Import and open what most commands need, before they are asked."""
        from ark_tui.interfaces.cli.rendering import find  # noqa: F401

        with self._engines.of(settings) as engine:
            engine.warm()

    def wait(self) -> None:
        """Stay until it closes by itself."""
        self._thread.join()

    def close(self) -> None:
        """Listen no longer. Who asks just now has to answer for itself."""
        self._waker.close()
        if self.has_it:
            self._thread.join()
        self._engines.close()

    def _run(self) -> None:
        with self._wake, suppress(OSError):  # where nothing may be written there is no door
            if self._home.begun():
                with self._turn() as listener:
                    self.has_it = True
                    self._listen(listener)

    def _listen(self, listener: socket.socket) -> None:
        while True:
            ready = readable([listener, self._wake], self._left())
            if self._wake in ready or (not ready and not self._left()):
                return
            if ready:
                threading.Thread(target=self._meet, args=listener.accept()[:1], daemon=True).start()

    def _left(self) -> float | None:
        """Seconds until it closes by itself."""
        return None if self._idle is None else max(0.0, self._last + self._idle - time.monotonic())

    @contextmanager
    def _turn(self) -> Iterator[socket.socket]:
        """The socket, once no other process has the door. What a killed one has left is replaced."""
        path = self._home.path.joinpath(*knock.PLACE)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            path.unlink(missing_ok=True)
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
                knock.reach(listener.bind, str(self._home.path))
                path.chmod(0o600)
                listener.listen(AT_ONCE)
                try:
                    yield listener
                finally:
                    path.unlink(missing_ok=True)
        finally:
            os.close(lock)

    def _meet(self, connection: socket.socket) -> None:
        """Hear one request and answer it."""
        with connection, suppress(OSError):  # gone meanwhile
            connection.settimeout(IN_TIME)
            request = _heard(connection)
            if request is None or not self._same(request) or not self._under_way.acquire(blocking=False):
                connection.sendall(b"-")
                return
            try:
                connection.sendall(b"+")
                self._last = time.monotonic()
                answer = self._answer(request, connection) if request.kind == "run" else self._told(request)
                connection.sendall(answer)
            finally:
                self._last = time.monotonic()
                self._under_way.release()
                if self._ends(request):
                    self._waker.close()  # not before it is told: the process may be gone at once

    def _ends(self, request: Request) -> bool:
        """Whether it closes: for `stop`, where it is there for nothing else."""
        return request.kind == "stop" and self._idle is not None

    def _told(self, request: Request) -> bytes:
        """Who has the door."""
        return f"{os.getpid()} {'ends' if self._ends(request) else 'stays'} {self._who}".encode()

    def _same(self, request: Request) -> bool:
        """Whether this is the home that is meant, and what this process answers is what that one would."""
        with suppress(OSError):
            return os.path.samestat(request.home.stat(), self._home.path.stat()) and all(
                request.environ.get(name) == os.environ.get(name)
                for name in {*filter(knock.is_told, os.environ), *request.environ} - VARIABLES
            )
        return False

    def _answer(self, request: Request, connection: socket.socket) -> bytes:
        if {"--help", "--version"} & set(request.arguments):  # click prints them by itself
            return DECLINED
        pieces: list[tuple[bytes, bytes]] = []
        out, err = (cast("BinaryIO", _Stream(kind, pieces)) for kind in (b"o", b"e"))
        _, out_is_terminal, err_is_terminal = (one == "1" for one in request.terminals)
        CONSOLE.set(Console(out, err, coloured(out_is_terminal, request.environ), err_is_terminal))
        CALLER.set(Caller(request.folder, request.environ))
        session = Served(request, self._engines, _Gone(connection))
        _asking.set(session.say)
        try:
            code = self._command(request.arguments, session)
        except SystemExit:
            return DECLINED
        return b"".join(_framed(kind, data) for kind, data in [*pieces, (b"x", bytes([code]))])


def _framed(kind: bytes, data: bytes) -> bytes:
    return kind + len(data).to_bytes(4, "big") + data


DECLINED = _framed(b"-", b"")


def _heard(connection: socket.socket) -> Request | None:
    """The request of a process of the same user; None for anything else."""
    if hasattr(socket, "SO_PEERCRED"):
        _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if user != os.getuid():
            return None
    head = _exactly(connection, 4)
    size = int.from_bytes(head, "big")
    return Request.read(_exactly(connection, size)) if 0 < size <= LARGEST else None


def _exactly(connection: socket.socket, size: int) -> bytes:
    """So many bytes; fewer where the other side ends before."""
    got = bytearray()
    until = time.monotonic() + IN_TIME
    while len(got) < size and time.monotonic() < until and (piece := connection.recv(size - len(got))):
        got += piece
    return bytes(got)


@contextmanager
def opened(home: Home, who: str, run: Run) -> Iterator[None]:
    """The door of a home, for as long as whatever has it open; not where ARK_WARM says no."""
    if knock.refused(os.environ):
        yield
        return
    door = Door(home, who, run)
    door.open()
    try:
        yield
    finally:
        door.close()
