"""Operations of a home that is served elsewhere: called as if they were here, with the same answers.

A change bears a key, so that it may be asked for again where the connection broke: it is done once.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, Cancelled, UsageError
from ark_tui.domain.protocols import Stop, ignore
from ark_tui.interfaces.remote.link import CONNECTING, Address, Broken, Link, Rejected, Untrusted
from ark_tui.operations import elsewhere, wire, workbench
from ark_tui.operations.operation import Effect, Operation, operation_of
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ark_tui.domain.hits import SignalInfo
    from ark_tui.domain.memory import Scope
    from ark_tui.operations.call import Call

AGAIN = (0.2, 1.0, 3.0)
"""Seconds after which what a broken connection has lost is asked for again."""

UNAUTHORIZED = 401

TOKEN_HINT = (
    "Give it as ARK_TOKEN in the environment; `ark-tui serve --require-token` on that machine shows it."  # noqa: S105
)

CALLS = "/calls"


class Disconnected(ArkError):
    """The server cannot be reached, or the connection broke."""


class Home:
    """A home at a URL. Raises `UsageError` where there is no token, and as `Address.of` does.

    `agent`, `session`: whose memory is meant, where a call names none.
    """

    def __init__(self, url: str, token: str, ca: str = "", agent: str = "", session: str = "") -> None:
        address = Address.of(url, ca)
        if not token:
            raise UsageError(
                f"The home at {address.url} is asked with a token.",
                TOKEN_HINT,
            )
        self.address, self.token = address, token
        self._link = Link(address, token)
        self._agent, self._session = agent, session

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
        """The result of an operation, or of what `operations.workbench` has, for whoever calls.

        An iterator where it comes in stages. `key`: of a change, where the person gave one. `again`: seconds
        after which what a broken connection has lost is asked for once more. Raises what it raises there,
        `UsageError` for what only that machine can do, and `Disconnected`.
        """
        operation = what if isinstance(what, Operation) else operation_of(what)
        name = operation.name if operation else f"{what.__module__.rpartition('.')[2]}.{what.__name__}"
        named = dict(named or {})
        if name in OF_FILES or (operation and of_files(operation, named)) or any(map(_is_path, given)):
            raise UsageError(
                f"Files and folders of this machine are not at {self.address.name}, which has the home.",
                "Ask for it on that machine.",
            )
        if (
            operation.effect is Effect.READS and not operation.long
            if operation
            else what.__name__ not in CHANGES
        ):
            key = ""
        else:
            key = key or uuid.uuid4().hex
        agent, session = call.agent or self._agent, call.session or self._session
        lines = self._heard(
            wire.dumps((name, tuple(given), named, agent, session, key)).encode(), call, again
        )
        if name in STAGED:
            return (value for kind, value in lines if kind == "item")
        return dict(lines)["result"]  # all of it is heard, so that the connection can be used again

    def _heard(self, body: bytes, call: Call, again: Sequence[float]) -> Iterator[tuple[str, Any]]:
        """What the server says until the end; asked again where the connection breaks."""
        pauses = iter(again)
        while True:
            told, began = False, time.monotonic()
            try:
                for kind, value in self._said(body, call):
                    told = told or kind == "item"
                    yield kind, value
                return
            except Broken as broken:
                tried = not broken.asked and time.monotonic() - began > CONNECTING / 2  # for long already
                final = told or tried or isinstance(broken, Untrusted)
                pause = None if final else next(pauses, None)
                if pause is None:
                    raise self._lost(broken) from broken
                if _waited(call.stop, pause):
                    raise Cancelled from broken

    def _said(self, body: bytes, call: Call) -> Iterator[tuple[str, Any]]:
        job = ""
        told: dict[str, Callable[[Any], object]] = {
            "alive": ignore,
            "progress": call.progress,
            "so_far": call.so_far,
            "say": call.say,
        }
        try:
            for line in self._link.post(CALLS, body, call.stop, ((wire.VERSION_HEADER, VERSION),)):
                ((kind, value),) = _read(line, self.address)
                if kind == "error":
                    raise value
                if kind == "job":
                    job = value
                elif kind in told:
                    told[kind](value)
                else:
                    yield kind, value
        except Rejected as refused:
            raise _refused(refused, self.address) from refused
        except Cancelled:
            if job:
                self._cancel(job)
            raise

    def _lost(self, broken: Broken) -> Disconnected:
        if isinstance(broken, Untrusted):
            return Disconnected(
                f"{self.address.name} cannot be reached: {broken}.",
                "Where it is the server's own, name its file: ARK_CA=cert.pem, or --ca before the command.",
            )
        if not broken.asked:
            return Disconnected(
                f"{self.address.name} cannot be reached: {broken}.",
                "Look whether `ark-tui serve` runs there, and whether the network leads to it.",
            )
        return Disconnected(
            f"The connection to {self.address.name} broke: {broken}.",
            "Whether what was asked last has been done is not known: look, and ask again.",
        )

    def _cancel(self, job: str) -> None:
        """Long work is a job there, and goes on without a listener until somebody stops it."""
        from ark_tui.operations import jobs
        from ark_tui.operations.call import Call

        self.ask(jobs.cancel, Call(self.engine), (job,))

    @cached_property
    def engine(self) -> Any:
        """What a renderer asks beside operations, in place of the engine."""
        return Away(self)

    def close(self) -> None:
        """Let go of the connections."""
        self._link.close()


class Away:
    """What stands at the place of the engine in a `Call` whose home is elsewhere."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def _ask(self, what: Any, agent: str = "", session: str = "") -> Any:
        from ark_tui.operations.call import Call

        return self._home.ask(what, Call(self, agent=agent, session=session))  # type: ignore[arg-type]

    def signals(self) -> tuple[SignalInfo, ...]:
        """As `Engine.signals`."""
        found: tuple[SignalInfo, ...] = self._ask(workbench.signals)
        return found

    def scope(self, agent: str = "", session: str = "") -> Scope:
        found: Scope = self._ask(elsewhere.scope, agent, session)
        return found

    def now(self) -> datetime:
        """The moment by this machine's clock, in UTC."""
        return datetime.now(UTC)

    def unkept(self) -> None:
        """What could not be kept is said where the home is."""

    def at_rest(self) -> AbstractContextManager[None]:
        """Nothing is held here."""
        return nullcontext()


STAGED = frozenset(("workbench.search",))

OF_FILES = frozenset(("where", "backup", "restore"))
"""What is about files by what it is, whatever it is given."""

CHANGES = frozenset(
    (
        *(
            "erase",
            "catch_up",
            "save_search",
            "used",
            "regrade",
            "retag",
            "opened",
            "decide",
            "purge",
            "look",
        ),
        *("order", "answer_leaving"),
    )
)
"""What of `operations.workbench` changes the home."""


def of_files(operation: Operation, given: Mapping[str, Any]) -> bool:
    """Whether an operation, asked like that, reads or writes files where it runs."""
    return operation.name in OF_FILES or any(
        one.type is Path or (one.said.metavar == "FILE" and not one.said.file)
        for one in operation.parameters
        if given.get(one.name) not in (None, one.default)
    )


def _is_path(value: Any) -> bool:
    return isinstance(value, PurePath) or (isinstance(value, tuple) and any(map(_is_path, value)))


def _read(line: bytes, address: Address) -> Iterable[tuple[str, Any]]:
    """A line of an answer: its kind and value."""
    try:
        return [*wire.loads(b'{"is":"dict","of":' + line + b"}").items()]
    except wire.Garbled as error:
        raise _nobody(address) from error


def _nobody(address: Address) -> ArkError:
    return Disconnected(
        f"What answers at {address.url} is no server of ark-tui.",
        "Look at the address, and at the proxy before it.",
    )


def _refused(refused: Rejected, address: Address) -> ArkError:
    """What an answer says that is no answer of a call."""
    try:
        told = json.loads(refused.body)
        what, hint = str(told["error"]), str(told["hint"])
    except (ValueError, TypeError, KeyError):
        return _nobody(address)
    if refused.status == UNAUTHORIZED:
        return UsageError(f"The home at {address.name} has another token.", TOKEN_HINT)
    return UsageError(what, hint)


def _waited(stop: Stop, seconds: float) -> bool:
    """Wait so long; whether it was stopped meanwhile."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if stop.is_set():
            return True
        time.sleep(0.02)
    return stop.is_set()
