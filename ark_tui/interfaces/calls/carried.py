"""Carries out a call: an operation, or what the workbench and the command line ask besides, by its name.

A call names what it asks, its arguments, who calls, and a key where it changes something: called again with
that key, what has been done is answered and not done again. While it runs it tells `progress`, `so_far`,
`say`, `warning`, `job` and `item`; `result` or `error` is the end.
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
"""Sends a line: its kind, and its value."""

HEAVY = frozenset(f"workbench.{name}" for name in ("search", "reasons", "rerun", "why_not"))
"""What searches though it is no operation: a home does a few at once."""

SUBSCRIPTION = "workbench.subscribe"
"""What goes on until its caller leaves."""

GOING_ON = frozenset(f"workbench.{name}" for name in ("erase", "catch_up", "look", "order"))
"""What of `operations.workbench` goes on when it is asked for again."""

RENDERED = frozenset(("workbench.signals", "workbench.scope"))
"""What the command line asks besides operations, to print what they answer."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call. `caller`: None for one from another machine, whose environment is not this machine's."""

    what: str
    given: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)
    caller: Caller | None = None
    agent: str = ""
    session: str = ""
    key: str = ""
    principal: Principal | None = None
    stop: Stop = field(default_factory=threading.Event)
    once: str = ""  # by which its answer can be given again

    @property
    def person(self) -> bool:
        """Whether a person asks, or whoever may do what a person may."""
        return self.principal is None or (self.principal.may("admin") and not self.principal.confined)

    @property
    def lasting(self) -> bool:
        """Whether it goes on when nobody listens any more: its answer may be asked for again."""
        return bool(self.key)


def read(body: bytes, principal: Principal | None, *, local: bool) -> Asked:
    """The call that a request holds. Raises `Refused`."""
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
        raise Refused(400, "A file of the server needs its whole path.", "Name it from / on.")
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
    """Carry out a call and tell its end."""

    def work() -> tuple[str, str]:
        token = CALLER.set(asked.caller)
        try:
            return "result", _result(server, asked, tell)
        except ArkError as error:
            return "error", wire.dumps(error)
        except Refused as refused:
            return "error", wire.dumps(Busy(refused.what, refused.hint))
        except Exception:  # as the fault of a route: kept, and said without its words
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
    """Whether what was cut off goes on where it is asked for again: nothing of it is done twice anyway."""
    catalog = shipped()
    return what in GOING_ON or (what in catalog.names and catalog.get(what).long)


def carry_out(server: ServerState, engine: Engine, asked: Asked, tell: Tell) -> Any:
    """The result of a call; what comes before is told. Raises what it raises."""
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
    """Long work is a job, which others see and steer; whoever asked is told its id."""
    context = copy_context()  # who calls: the job has a thread of its own

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
    """What is asked for by its name. Raises `UsageError`, and `Forbidden` for what is a person's."""
    catalog, what = shipped(), asked.what
    if what in catalog.names:
        return catalog.get(what)
    module, _, name = what.partition(".")
    found = server.own.get(what)
    if module == "workbench" and not name.startswith("_"):
        from ark_tui.operations import workbench  # and with it most of `domain`, which a command needs not

        found = getattr(workbench, name, None)
        found = found if getattr(found, "__module__", "") == workbench.__name__ else None
    if not inspect.isroutine(found):
        raise UsageError(f"There is nothing to ask for as {what}.")
    if not (asked.person or what in RENDERED):
        raise Forbidden("This token opens no workbench.", "Ask for one that may do all: admin, for no agent.")
    return found
