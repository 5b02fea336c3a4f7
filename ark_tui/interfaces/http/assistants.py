"""The Model Context Protocol over streamable HTTP, at `/mcp`: the tables of stdio, one message a request.

A connection that begins with a handshake is a session, named by a header that its further requests carry;
one of the later manner says with each request what it is, and has none. Answers are JSON; of a call that is
to tell how far it is, events. Nothing is sent unasked, so that there is no other stream.
See https://modelcontextprotocol.io/specification, Transports.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import ExitStack
from contextvars import copy_context
from functools import lru_cache, partial
from queue import Empty, SimpleQueue
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated, Any
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Body, Header
from starlette.responses import JSONResponse, Response

from ark_tui.interfaces.calls.state import Refused
from ark_tui.interfaces.http import streaming
from ark_tui.interfaces.http.server_state import AtPrincipal, AtServer
from ark_tui.interfaces.mcp import server as assistants
from ark_tui.interfaces.mcp.protocol import HANDSHAKES, MODERN, Connection, Tell, token
from ark_tui.operations.call import asking

if TYPE_CHECKING:
    from ark_tui.engine import Engine
    from ark_tui.operations.encoding import Json

SESSION = "mcp-session-id"
FAMILIES = "ark-tools"  # with commas, or `all`: said as a session begins, or where there is none
CHOICES = 32  # of families, for which the tools are kept at hand
AT_ONCE = 1000  # sessions; beyond that the one that was asked longest ago is forgotten
SEARCHES = ("tools/call", "prompts/get")  # methods that search, of which there are a few at once
BEGIN = "Begin with initialize, and send the header Mcp-Session-Id that its answer has."

router = APIRouter(include_in_schema=False)


class Sessions:
    """The connections that began with a handshake, by their ids; each is its principal's alone."""

    def __init__(self, engine: Engine) -> None:
        self._servers = lru_cache(CHOICES)(lambda names: assistants.make(engine, names))
        self._hold = threading.Lock()
        self._known: OrderedDict[str, tuple[Connection, str]] = OrderedDict()

    def begin(self, whose: str, families: str = "") -> tuple[str, Connection]:
        """A new session and its id, which nobody can guess."""
        with self._hold:
            id_, made = token_urlsafe(24), self.connection(families)
            self._known[id_] = made, whose
            if len(self._known) > AT_ONCE:
                self._known.popitem(last=False)
        return id_, made

    def connection(self, families: str) -> Connection:
        """A connection that offers these families of tools, else the usual ones. Raises `UsageError`."""
        names = tuple(filter(None, map(str.strip, families.split(","))))
        return Connection(self._servers(names or assistants.DEFAULT))

    def at(self, id_: str, whose: str) -> Connection:
        """The session of that id. Raises `Refused` where there is none, or it is somebody else's."""
        with self._hold:
            found = self._known.get(id_)
            if found is None or found[1] != whose:
                raise Refused(404, "There is no such session.", BEGIN)
            self._known.move_to_end(id_)
        return found[0]

    def end(self, id_: str, whose: str) -> None:
        """Forget a session. Raises as `at`."""
        self.at(id_, whose)
        with self._hold:
            self._known.pop(id_, None)


_sessions: WeakKeyDictionary[Engine, Sessions] = WeakKeyDictionary()
_making = threading.Lock()


def _of(engine: Engine) -> Sessions:
    with _making:
        if engine not in _sessions:
            _sessions[engine] = Sessions(engine)
        return _sessions[engine]


Id = Annotated[str, Header(alias=SESSION, max_length=200)]
Spoken = Annotated[str, Header(alias="mcp-protocol-version", max_length=40)]


@router.post("/mcp")
def hear(
    server: AtServer,
    principal: AtPrincipal,
    message: Annotated[dict[str, Any], Body()],
    session: Id = "",
    spoken: Spoken = "",
    families: Annotated[str, Header(alias=FAMILIES, max_length=200)] = "",
    accept: Annotated[str, Header(max_length=1000)] = "",
) -> Response:
    """The answer to a message of an assistant; 202 for one that has none."""
    if spoken and spoken not in (*HANDSHAKES, MODERN):
        raise Refused(
            400, "This version of the protocol is not known.", f"Known: {', '.join(HANDSHAKES)}, {MODERN}."
        )
    sessions, whose, told = _of(server.engine), principal.name if principal else "", {}
    if message.get("method") == "initialize":
        told[SESSION], connection = sessions.begin(whose, families)
    elif session:
        connection = sessions.at(session, whose)
    elif spoken == MODERN:
        connection = sessions.connection(families)
    else:
        raise Refused(400, "This request is of no session.", BEGIN)
    with asking(principal):
        answer = connection.hear(message)
        if callable(answer):
            with ExitStack() as held:
                if message.get("method") in SEARCHES:
                    held.enter_context(server.searches.one())
                if token(message) is not None and streaming.wanted(accept):
                    make = partial(copy_context().run, answer)
                    events = _events(make, held.pop_all(), partial(connection.cancel, message.get("id")))
                    return streaming.Events(events, told)
                answer = answer()
    return Response(status_code=202) if answer is None else JSONResponse(answer, headers=told)


def _events(
    make: Callable[[Tell], Json], held: ExitStack, cancel: Callable[[], object]
) -> Generator[str, None, None]:
    """How far a call is, then its answer, as events. It is stopped when nobody listens any more."""
    told: SimpleQueue[Json | None] = SimpleQueue()

    def run() -> None:
        with held:
            try:
                told.put(make(told.put))
            finally:
                told.put(None)

    threading.Thread(target=run, name="streaming", daemon=True).start()
    try:
        while True:
            try:
                if (message := told.get(timeout=streaming.ALIVE)) is None:
                    return
            except Empty:
                yield ":\n\n"
            else:
                yield f"event: message\ndata: {json.dumps(message)}\n\n"
    finally:
        cancel()


@router.delete("/mcp")
def leave(server: AtServer, principal: AtPrincipal, session: Id = "") -> Response:
    """End a session."""
    _of(server.engine).end(session, principal.name if principal else "")
    return Response(status_code=204)
