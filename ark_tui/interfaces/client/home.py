"""The client of a home that another process serves: operations are called as if they were local.

A change has an idempotency key, so that it can be repeated safely after a broken connection. A home of this
machine is served by its home process, which is started if none is running.
"""

from __future__ import annotations

import json
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, Cancelled, StoreError, UsageError
from ark_tui.domain.protocols import NEVER, Stop, ignore
from ark_tui.interfaces.client import local
from ark_tui.interfaces.client.link import (
    CONNECTING,
    Address,
    Broken,
    Link,
    Rejected,
    ServerAddress,
    Untrusted,
)
from ark_tui.operations import wire
from ark_tui.operations.operation import Effect, Operation, operation_of
from ark_tui.settings.caller import moment
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from ark_tui.domain.hits import SignalInfo
    from ark_tui.domain.memory import Scope
    from ark_tui.operations.call import Call
    from ark_tui.settings.caller import Caller

AGAIN = (0.2, 1.0, 3.0)
"""Seconds before each retry of a request whose connection broke."""

UNAUTHORIZED, NOT_FOUND, CONFLICT, GONE = 401, 404, 409, 410
STARTS = 3  # processes that are started for one call; earlier ones may be killed

TOKEN_HINT = (
    "Give it as ARK_TOKEN in the environment; `ark-tui serve --require-token` on that machine shows it."  # noqa: S105
)

CALLS, MESSAGES = "/calls", "/mcp"

STAGED = frozenset(("workbench.search", "workbench.subscribe"))
"""Calls whose results are streamed item by item."""

CHANGES = frozenset((
    "erase", "catch_up", "save_search", "used", "regrade", "retag", "opened", "decide", "purge", "look",
    "order", "save_tuning",
))  # fmt: skip
"""Functions of `operations.workbench` that change the home."""


class Disconnected(ArkError):
    """The home cannot be reached, or the connection broke."""


class SessionGone(ArkError):
    """The home does not know this MCP session, for example because its process was restarted."""


@dataclass(slots=True)
class Attempts:
    """The remaining retries of a call: seconds before each. `starts`: processes started so far."""

    pauses: Iterator[float]
    starts: int = 0


class Home:
    """A home that another process serves. `caller`: the identity and settings of this client."""

    local = False
    unreachable = "Try again."  # the hint where it cannot be reached

    def __init__(self, address: Address, caller: Caller, token: str = "") -> None:
        self.address = address
        self.caller = caller
        self.warned: Callable[[str], object] = ignore
        self._link = Link(address, token)

    @property
    def place(self) -> str:
        """The address for display; empty for a home of this machine."""
        return self.address.name

    def ask(
        self,
        what: Any,
        call: Call,
        given: Sequence[Any] = (),
        named: Mapping[str, Any] | None = None,
        key: str = "",
        *,
        again: Sequence[float] = AGAIN,
    ) -> Any:
        """The result of an operation, of a function of `operations.workbench`, or of a named call.

        Streamed results are returned as an iterator. `key`: an idempotency key given by the user. `again`:
        seconds before each retry after a broken connection. Raises the errors of the call, and
        `Disconnected`.
        """
        operation = what if isinstance(what, Operation) else operation_of(what)
        name = what if isinstance(what, str) else _name(what, operation)
        if operation:
            reads = operation.effect is Effect.READS and not operation.long
        else:
            reads = name.partition(".")[2] not in CHANGES
        if reads:
            key = ""
        else:
            key = key or uuid.uuid4().hex
        agent, session = call.agent or self.caller.agent, call.session or self.caller.session
        caller = replace(self.caller, agent=agent, session=session)
        given, named = self._places(tuple(given)), self._places(dict(named or {}))
        body = wire.dumps((name, given, named, caller, agent, session, key)).encode()
        lines = self._heard(body, call, again)
        if name in STAGED:
            return (value for kind, value in lines if kind == "item")
        return dict(lines)["result"]  # read to the end, so that the connection can be reused

    def _places(self, value: Any) -> Any:
        """Arguments with their paths made absolute for the machine of the home."""
        if isinstance(value, PurePath):
            return self._file(value)
        if isinstance(value, dict):
            return {name: self._places(one) for name, one in value.items()}
        return type(value)(map(self._places, value)) if type(value) in (tuple, list) else value

    def _file(self, file: PurePath) -> PurePath:
        return file

    def _heard(self, body: bytes, call: Call, again: Sequence[float]) -> Iterator[tuple[str, Any]]:
        """The lines of an answer; the request is retried when the connection breaks."""
        attempts = Attempts(iter(again))
        while True:
            told, began = False, time.monotonic()
            try:
                for kind, value in self._said(body, call):
                    told = told or kind == "item"
                    yield kind, value
                return
            except Broken as broken:
                silent = not (broken.asked or self.local) and time.monotonic() - began > CONNECTING / 2
                final = told or silent or isinstance(broken, Untrusted)
                pause = None if final else self._pause(broken, attempts)
                if pause is None:
                    raise self.lost(broken) from broken
                if _waited(call.stop, pause):
                    raise Cancelled from broken

    def _pause(self, broken: Broken, attempts: Attempts) -> float | None:
        """Seconds to wait before a retry; None for no retry."""
        del broken
        return next(attempts.pauses, None)

    def _said(self, body: bytes, call: Call) -> Iterator[tuple[str, Any]]:
        job = ""
        told: dict[str, Callable[[Any], object]] = {
            "alive": ignore,
            "progress": call.progress,
            "so_far": call.so_far,
            "say": call.say,
            "warning": self.warned,
        }
        try:
            for line in self._link.post(CALLS, body, call.stop, ((wire.VERSION_HEADER, VERSION),)):
                ((kind, value),) = _read(line, self)
                if kind == "error":
                    raise value
                if kind == "job":
                    job = value
                elif kind in told:
                    told[kind](value)
                else:
                    yield kind, value
        except Rejected as rejected:
            raise self.refused(rejected) from rejected
        except Cancelled:
            if job:
                self._cancel(job)
            raise

    def _cancel(self, job: str) -> None:
        """Cancel the job of a long call: it would continue without a client."""
        from ark_tui.operations import jobs
        from ark_tui.operations.call import Call

        self.ask(jobs.cancel, Call(self.engine), (job,))

    def forward(
        self,
        message: bytes,
        headers: Mapping[str, str],
        stop: Stop = NEVER,
        told: Callable[[Mapping[str, str]], object] = ignore,
    ) -> Iterator[bytes]:
        """The lines that answer an MCP message; `told` gets the response headers.

        Raises `Disconnected`, the error of a refused request, and `Cancelled` when stopped.
        """
        try:
            yield from self._link.post(MESSAGES, message, stop, headers.items(), told)
        except Rejected as rejected:
            if rejected.status == NOT_FOUND:
                raise SessionGone("The session is over.", "Begin a new one.") from rejected
            refusal = self.refused(rejected)
            raise self.lost(refusal) if isinstance(refusal, Broken) else refusal from rejected
        except Broken as broken:
            raise self.lost(broken) from broken

    def lost(self, broken: Broken) -> ArkError:
        """The error for a broken connection."""
        home = self.place or "the home"
        if not broken.asked:
            return Disconnected(f"Cannot reach {home}: {broken}.", self.unreachable)
        return Disconnected(
            f"The connection to {home} broke: {broken}.",
            "The last change may have been made. Check before you repeat it.",
        )

    def refused(self, rejected: Rejected) -> Exception:
        """The error of a response that is not the answer of a call."""
        try:
            told = json.loads(rejected.body)
            return UsageError(str(told["error"]), str(told["hint"]))
        except (ValueError, TypeError, KeyError):
            return self.foreign()

    def foreign(self) -> ArkError:
        """The error for a server that is not ark-tui."""
        return Disconnected("The server there is not ark-tui.", "Check the address.")

    @cached_property
    def engine(self) -> Any:
        """The part of the engine's interface that renderers use."""
        return Away(self)

    def close(self) -> None:
        """Close the connections."""
        self._link.close()


class LocalHome(Home):
    """The home of a folder of this machine, served by its home process."""

    local = True

    def __init__(self, folder: Path, caller: Caller) -> None:
        """Raises `OSError` if the folder does not exist."""
        super().__init__(local.address(folder), caller)
        self.folder = folder
        self._presence: socket.socket | None = None
        self._reaching = threading.Lock()

    @property
    def place(self) -> str:
        return ""

    def reach(self) -> None:
        """Start the home process if needed and stay connected: the process runs while it has clients.

        Raises `NotStarted` and `StoreError`.
        """
        with self._reaching:
            if self._present():
                return
            try:
                self._presence = self.address.connect()
            except Broken:
                local.start(self.folder)
                with suppress(Broken):
                    self._presence = self.address.connect()
            except PermissionError as error:
                told = f"The home {self.folder} belongs to another user."
                raise StoreError(told, "Use one of your own: --home DIR.") from error

    def _present(self) -> bool:
        """Whether the idle connection that shows the home process this client is still open."""
        if self._presence is None:
            return False
        self._presence.setblocking(False)
        try:
            self._presence.recv(1)
        except BlockingIOError:
            return True
        except OSError:
            pass
        self._presence.close()
        return False

    def close(self) -> None:
        super().close()
        if self._presence is not None:
            self._presence.close()

    def _pause(self, broken: Broken, attempts: Attempts) -> float | None:
        if broken.asked and next(attempts.pauses, None) is None:
            return None
        if not local.reachable(self.folder):
            if attempts.starts >= STARTS:
                return None
            attempts.starts += 1
            local.start(self.folder)
        return 0.0

    def refused(self, rejected: Rejected) -> Exception:
        """Stop an older process, or wait for one that is ending, and return an error that allows a retry."""
        if rejected.status == GONE:
            local.wait_for_end(self.folder)
            return Broken("its process has ended", asked=False)
        theirs = _version(rejected.body) if rejected.status == CONFLICT else ()
        if theirs and theirs < _numbers(VERSION):
            local.stop(self.folder)
            return Broken("it was another version", asked=False)
        return super().refused(rejected)

    def _file(self, file: PurePath) -> PurePath:
        return self.caller.folder / Path(file).expanduser()


class ServedHome(Home):
    """A home at a URL. Raises `UsageError` if there is no token, and the errors of `ServerAddress.of`."""

    unreachable = "Check that `ark-tui serve` runs there and that the network leads to it."

    def __init__(self, url: str, token: str, caller: Caller, ca: str = "") -> None:
        address = ServerAddress.of(url, ca)
        if not token:
            raise UsageError(f"The home at {address.url} needs a token.", TOKEN_HINT)
        super().__init__(address, replace(caller, environ={}, overrides={}), token)
        self.url = address.url

    def _file(self, file: PurePath) -> PurePath:
        if not file.is_absolute():
            raise UsageError(
                f"{file} is a file of this machine, and the home is at {self.place}.",
                f"Name a file of {self.place} by its whole path.",
            )
        return file

    def lost(self, broken: Broken) -> ArkError:
        if isinstance(broken, Untrusted):
            return Disconnected(
                f"Cannot reach {self.place}: {broken}.",
                "Where it is the server's own, name its file: ARK_CA=cert.pem, or --ca before the command.",
            )
        return super().lost(broken)

    def refused(self, rejected: Rejected) -> Exception:
        if rejected.status == UNAUTHORIZED:
            return UsageError(f"The home at {self.place} has another token.", TOKEN_HINT)
        return super().refused(rejected)

    def foreign(self) -> ArkError:
        return Disconnected(
            f"What answers at {self.url} is not a server of ark-tui.",
            "Check the address, and the proxy before it.",
        )


class Away:
    """Replaces the engine in a `Call` that another process runs."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def _ask(self, what: Any) -> Any:
        from ark_tui.operations.call import Call

        return self._home.ask(what, Call(self))  # type: ignore[arg-type]

    def signals(self) -> tuple[SignalInfo, ...]:
        """As `Engine.signals`."""
        found: tuple[SignalInfo, ...] = self._ask("workbench.signals")
        return found

    def scope(self, agent: str = "", session: str = "") -> Scope:
        """As `Engine.scope`."""
        del agent, session
        found: Scope = self._ask("workbench.scope")
        return found

    def process(self) -> Mapping[str, Any] | None:
        """The home process: id, age, memory and clients; None for a remote home."""
        found: Mapping[str, Any] = self._ask("process.status")
        return found if self._home.local else None

    def now(self) -> datetime:
        """The time of the caller's clock, in UTC."""
        return moment(self._home.caller.now) if self._home.caller.now else datetime.now(UTC)

    def unkept(self) -> None:
        """Do nothing: the home process reports failed writes itself."""


def _name(what: Any, operation: Operation | None) -> str:
    return operation.name if operation else f"{what.__module__.rpartition('.')[2]}.{what.__name__}"


def _read(line: bytes, home: Home) -> Iterable[tuple[str, Any]]:
    """Parse a line of an answer into its kind and value."""
    try:
        return [*wire.loads(b'{"is":"dict","of":' + line + b"}").items()]
    except wire.Garbled as error:
        raise home.foreign() from error


def _version(body: bytes) -> tuple[int, ...]:
    try:
        return _numbers(str(json.loads(body)["version"]))
    except (ValueError, TypeError, KeyError):
        return ()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _waited(stop: Stop, seconds: float) -> bool:
    """Wait for a time; return whether `stop` was set meanwhile."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if stop.is_set():
            return True
        time.sleep(0.02)
    return stop.is_set()
