"""Runs a call: an operation, or a function of the workbench or the command line, by name.

A call holds its name, arguments, caller, and an idempotency key if it changes something. A repeated key
returns the first answer without running the call again. While it runs, it sends `progress`, `so_far`, `say`,
`warning`, `job` and `item`; the last line is `result` or `error`.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import threading
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from ark_tui.domain.errors import BUG, BUG_HINT, ArkError, Busy, Cancelled, Forbidden, UsageError
from ark_tui.interfaces.calls.state import Refused, ServerState
from ark_tui.operations import wire
from ark_tui.operations.call import Call
from ark_tui.operations.catalog import shipped
from ark_tui.operations.operation import Operation
from ark_tui.settings.caller import CALLER, COMMAND_LINE, Caller

if TYPE_CHECKING:
    from ark_tui.domain.principal import Principal
    from ark_tui.domain.protocols import OnProgress, Stop
    from ark_tui.domain.work import Progress
    from ark_tui.engine import Engine

log = logging.getLogger(__name__)

Tell: TypeAlias = Callable[[str, Any], None]
"""Sends a line: kind and value."""

HEAVY = frozenset(f"workbench.{name}" for name in ("search", "reasons", "rerun", "why_not", "tuned"))
"""Calls that search without being operations; their concurrency is limited."""

SUBSCRIPTION = "workbench.subscribe"
"""The call that runs until its caller disconnects."""

GOING_ON = frozenset(f"workbench.{name}" for name in ("erase", "catch_up", "look", "order"))
"""Functions of `operations.workbench` that can be repeated: they continue where they stopped."""

RENDERED = frozenset(("workbench.signals", "workbench.scope"))
"""Calls of the command line's renderers, besides operations."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call. `caller`: None for a call from another machine, whose environment does not apply."""

    what: str
    given: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)
    caller: Caller | None = None
    agent: str = ""
    session: str = ""
    key: str = ""
    principal: Principal | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    once: str = ""  # the key of its stored answer

    @property
    def person(self) -> bool:
        """Whether the caller has the rights of a person."""
        return self.principal is None or (self.principal.may("admin") and not self.principal.confined)

    @property
    def lasting(self) -> bool:
        """Whether the call continues when its client disconnects: the answer can be fetched by its key."""
        return bool(self.key)


def read(body: bytes, principal: Principal | None, *, local: bool) -> Asked:
    """Parse the call of a request. Raises `Refused`."""
    try:
        what, given, named, caller, agent, session, key = wire.loads(body)
        owner = principal.name if principal else ""
        once = hashlib.sha256(f"{owner}\n".encode() + body).hexdigest() if key else ""
        asked = Asked(
            str(what), tuple(given), dict(named), _caller(caller) if local else None,
            str(agent), str(session), str(key), principal, once=once,
        )  # fmt: skip
    except (wire.Garbled, TypeError, ValueError) as error:
        raise Refused(422, "The request cannot be read.", "Ask with ark-tui of the same version.") from error
    if not local and any(map(_is_relative, (*given, *named.values()))):
        raise Refused(400, "A file on the server needs an absolute path.", "Begin with /.")
    return asked


def _caller(value: Any) -> Caller:
    if not isinstance(value, Caller):
        raise TypeError
    return value


def _is_relative(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_is_relative, value))
    return isinstance(value, PurePath) and not value.is_absolute()


def answer(server: ServerState, asked: Asked, tell: Tell) -> None:
    """Run a call and send its result or error."""

    def work() -> tuple[str, str]:
        token = CALLER.set(asked.caller)
        try:
            return "result", _result(server, asked, tell)
        except ArkError as error:
            return "error", wire.dumps(error)
        except Refused as refused:
            return "error", wire.dumps(Busy(refused.what, refused.hint))
        except Exception:  # as in routes: logged, and reported without details
            log.exception("call %s", asked.what)
            return "error", wire.dumps(ArkError(BUG, BUG_HINT))
        finally:
            CALLER.reset(token)

    tell(*(server.answers.once(asked.once, work) if asked.once else work()))


def _result(server: ServerState, asked: Asked, tell: Tell) -> str:
    engine = server.engine_of(asked.caller)
    if asked.caller and asked.caller.program == COMMAND_LINE:
        for warning in engine.settings.warnings:
            tell("warning", warning)
    with engine.asked(asked.key, asked.agent, whole=not _goes_on(asked.what)):
        result = wire.dumps(carry_out(server, engine, asked, tell))
    for notice in engine.notices():
        tell("warning", notice)
    return result


def _goes_on(what: str) -> bool:
    """Whether an interrupted call may be repeated, because repeating it does nothing twice."""
    catalog = shipped()
    return what in GOING_ON or (what in catalog.names and catalog.get(what).long)


def carry_out(server: ServerState, engine: Engine, asked: Asked, tell: Tell) -> Any:
    """Run a call and return its result; intermediate lines go to `tell`. Raises the errors of the call."""
    function = _function(server, asked)
    operation = function if isinstance(function, Operation) else None

    def call(stop: Stop = asked.stop, progress: OnProgress | None = None) -> Call:
        return Call(
            engine, asked.person, asked.agent, asked.session, stop,
            progress or partial(tell, "progress"), partial(tell, "say"), partial(tell, "so_far"),
            local=True, principal=asked.principal,
        )  # fmt: skip

    given = _arguments(function, operation, asked)
    if operation and operation.long:
        return _long(server, operation, given, call, tell)
    if asked.what == SUBSCRIPTION:
        with server.listeners.one():
            return _items(function(call(), **given), asked.stop, tell)
    if asked.what not in HEAVY and not (operation and operation.heavy):
        return function(call(), **given)
    with server.searches.one():
        found = function(call(), **given)
        return _items(found, asked.stop, tell) if inspect.isgenerator(found) else found


def _arguments(function: Any, operation: Operation | None, asked: Asked) -> dict[str, Any]:
    try:
        signature = inspect.signature(operation.function if operation else function)
        bound = signature.bind(None, *asked.given, **asked.named).arguments
    except TypeError as error:
        raise UsageError(f"{asked.what} is not asked like that: {error}.") from error
    return {name: value for name, value in bound.items() if name != "call"}


def _items(found: Any, stop: Stop, tell: Tell) -> None:
    for one in found:
        tell("item", one)
        if stop.is_set():
            raise Cancelled


def _long(
    server: ServerState, operation: Operation, given: Mapping[str, Any], call: Callable[..., Call], tell: Tell
) -> Any:
    """Run long work as a job, which other clients can see and control; the caller gets its id."""
    context = copy_context()  # with the caller, for the thread of the job

    def work(stop: Stop, progress: OnProgress) -> Any:
        def told(at: Progress) -> None:
            progress(at)
            tell("progress", at)

        return context.run(operation, call(stop, told), **given)

    if operation.check:
        with call().admitted(operation):
            operation.check(call(), **given)
    return server.jobs.call(operation.name, work, partial(tell, "job"))


def _function(server: ServerState, asked: Asked) -> Any:
    """The function of a name. Raises `UsageError`, and `Forbidden` for functions of persons only."""
    catalog, what = shipped(), asked.what
    if what in catalog.names:
        return catalog.get(what)
    module, _, name = what.partition(".")
    found = server.own.get(what)
    if module == "workbench" and not name.startswith("_"):
        from ark_tui.operations import workbench  # imports most of `domain`, which commands do not need

        found = getattr(workbench, name, None)
        found = found if getattr(found, "__module__", "") == workbench.__name__ else None
    if not inspect.isroutine(found):
        raise UsageError(f"There is nothing to ask for as {what}.")
    if not (asked.person or what in RENDERED):
        raise Forbidden(
            "This token does not open the workbench.",
            "Use a token with the scope admin and without an agent.",
        )
    return found
