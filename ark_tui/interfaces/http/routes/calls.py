"""The seam of `--connect`: an operation carried out here for a person elsewhere.

`POST /calls` is asked by ark-tui of the same version, with a token. That of the home speaks for the person,
and so does one that may do all for all; any other reaches the operations that it is for, and no workbench.
Request and answer are those of `operations.wire`. The answer is lines of JSON: `progress`, `so_far`, `say`,
`job` and `item` as they come, `alive` where nothing has come for a second, and `result` or `error` at the
end. A change bears a key: asked again with it, what has been done is answered and not done again.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from ark_tui.domain.errors import BUG, BUG_HINT, ArkError, Busy, Cancelled, Forbidden, UsageError
from ark_tui.interfaces.http.failures import Refused
from ark_tui.interfaces.http.server_state import PRINCIPAL, ServerState
from ark_tui.operations import elsewhere, wire, workbench
from ark_tui.operations.call import Call
from ark_tui.operations.catalog import shipped
from ark_tui.operations.encoding import Json
from ark_tui.operations.operation import Operation
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from ark_tui.domain.principal import Principal
    from ark_tui.domain.protocols import OnProgress, Stop
    from ark_tui.domain.work import Progress

log = logging.getLogger(__name__)

LINES = "application/x-ndjson"
ALIVE = 1.0  # seconds without a word after which a sign of life is sent

Tell: TypeAlias = Callable[[str, Any], None]
"""Sends a line: its kind, and its value."""

HEAVY = frozenset(f"workbench.{name}" for name in ("search", "reasons", "rerun", "why_not"))
"""What searches though it is no operation: a server does a few at once."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be carried out, and for whom."""

    what: str
    given: tuple[Any, ...]
    named: dict[str, Any]
    agent: str = ""
    session: str = ""
    key: str = ""
    principal: Principal | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def person(self) -> bool:
        """Whether a person asks, or whoever may do what a person may."""
        return self.principal is None or (self.principal.may("admin") and not self.principal.confined)


async def calls(request: Request) -> Response:
    """Carry out an operation for a person at another machine."""
    server: ServerState = request.app.state.server
    principal: Principal | None = request.scope.get(PRINCIPAL)
    ark_version = request.headers.get(wire.VERSION_HEADER, "")
    if principal is None and not server.guarded:
        raise Refused(403, "This server asks for no token, so that it serves no person elsewhere.",
                      "Serve with one: ark-tui serve --require-token")  # fmt: skip
    if ark_version != VERSION:
        theirs = ark_version[:200] or "something else"
        raise Refused(409, f"This is the server of ark-tui {VERSION}, and {theirs} asks.",
                      "Install the same version on both sides.")  # fmt: skip
    body = await request.body()
    try:
        what, given, named, agent, session, key = wire.loads(body)
        asked = Asked(str(what), tuple(given), dict(named), str(agent), str(session), str(key), principal)
    except (wire.Garbled, TypeError, ValueError) as error:
        raise Refused(422, "The request cannot be read.", "Ask with ark-tui --connect.") from error
    owner = principal.name if principal else ""
    once = hashlib.sha256(f"{owner}\n".encode() + body).hexdigest() if key else ""
    return Carried(lambda tell: _answered(server, asked, tell, once), asked.stop, lasting=bool(key))


route = Route("/calls", calls, methods=["POST"])
"""Before all others, and none of FastAPI's, whose reading of parameters costs a key a millisecond."""


class Carried(Response):
    """The lines of a piece of work, which runs in a thread.

    Where nobody listens any more it is stopped, unless it is `lasting`: its answer may be asked for again.
    """

    media_type = LINES

    def __init__(self, work: Callable[[Tell], None], stop: threading.Event, *, lasting: bool) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._work, self._stop, self._lasting = work, stop, lasting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes | None]()

        def tell(kind: str, value: Any) -> None:
            line = value.encode() if kind in DONE else encoded(value)
            told = b'{"%b":%b}\n' % (kind.encode(), line)
            loop.call_soon_threadsafe(lines.put_nowait, told)

        def work() -> None:
            try:
                self._work(tell)
            finally:
                loop.call_soon_threadsafe(lines.put_nowait, None)

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            if not self._lasting:
                self._stop.set()

        working = asyncio.create_task(run_in_threadpool(work))
        leaving = asyncio.create_task(leave())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            while (line := await _next(lines)) is not None:
                await send({"type": "http.response.body", "body": line, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            if not self._lasting:
                self._stop.set()
            await working


DONE = ("result", "error")
"""Kinds of the last line, whose value is JSON already."""


def encoded(value: Any) -> bytes:
    """As `wire.dumps`, in less than half of its time: whoever types waits for it."""
    plain = wire.plain(value)
    try:
        return to_json(plain, inf_nan_mode="constants")
    except ValueError:  # a name of a file that is no Unicode
        return json.dumps(plain).encode()


async def _next(lines: asyncio.Queue[bytes | None]) -> bytes | None:
    try:
        async with asyncio.timeout(ALIVE):
            return await lines.get()
    except TimeoutError:
        return b'{"alive":1}\n'


def _answered(server: ServerState, asked: Asked, tell: Tell, once: str) -> None:
    def work() -> tuple[str, str]:
        try:
            with server.engine.asked(asked.key, asked.agent):
                return "result", wire.dumps(_carried_out(server, asked, tell))
        except ArkError as error:
            return "error", wire.dumps(error)
        except Refused as refused:
            return "error", wire.dumps(Busy(refused.what, refused.hint))
        except Exception:  # as the fault of a route: kept, and said without its words
            log.exception("call %s", asked.what)
            return "error", wire.dumps(ArkError(BUG, BUG_HINT))

    tell(*(server.answers.once(once, work) if once else work()))


def _carried_out(server: ServerState, asked: Asked, tell: Tell) -> Any:
    """The result of a call; what comes before is told."""
    function = _function(asked)
    operation = function if isinstance(function, Operation) else None

    def call(stop: Stop = asked.stop, progress: OnProgress | None = None) -> Call:
        return Call(
            server.engine, asked.person, asked.agent, asked.session, stop,
            progress or partial(tell, "progress"), partial(tell, "say"), partial(tell, "so_far"),
            local=True, principal=asked.principal,
        )  # fmt: skip

    try:
        signature = inspect.signature(operation.function if operation else function)
        bound = signature.bind(None, *asked.given, **asked.named).arguments
    except TypeError as error:
        raise UsageError(f"{asked.what} is not asked like that: {error}.") from error
    given = {name: value for name, value in bound.items() if name != "call"}
    if operation and operation.long:
        return _long(server, operation, given, call, tell)
    if asked.what not in HEAVY and not (operation and operation.heavy):
        return function(call(), **given)
    with server.searches.one():
        found = function(call(), **given)
        if not inspect.isgenerator(found):
            return found
        for one in found:
            tell("item", one)
            if asked.stop.is_set():
                raise Cancelled
        return None


def _long(
    server: ServerState, operation: Operation, given: Json, call: Callable[..., Call], tell: Tell
) -> Any:
    """Long work is a job, which others see and steer; whoever asked is told its id."""

    def work(stop: Stop, progress: OnProgress) -> Any:
        def told(at: Progress) -> None:
            progress(at)
            tell("progress", at)

        return operation(call(stop, told), **given)

    if operation.check:
        with call().admitted(operation):
            operation.check(call(), **given)
    return server.jobs.call(operation.name, work, partial(tell, "job"))


OWN: Mapping[str, ModuleType] = {"workbench": workbench, "elsewhere": elsewhere}
"""What is asked for besides operations, by modules: `workbench.marks`."""

RENDERED = frozenset(("workbench.signals", "elsewhere.scope"))
"""What the command line asks besides operations, to print what they answer."""


def _function(asked: Asked) -> Any:
    """What is asked for by its name. Raises `UsageError`, and `Forbidden` for what is a person's."""
    catalog, what = shipped(), asked.what
    if what in catalog.names:
        return catalog.get(what)
    module, _, name = what.partition(".")
    found = getattr(OWN.get(module), name, None)
    if not (inspect.isfunction(found) and found.__module__ == OWN[module].__name__) or name.startswith("_"):
        raise UsageError(f"There is nothing to ask for as {what}.")
    if not (asked.person or what in RENDERED):
        raise Forbidden("This token opens no workbench.", "Ask for one that may do all: admin, for no agent.")
    return found
