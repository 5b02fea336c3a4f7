"""The Model Context Protocol over streamable HTTP, at `/mcp`: the tables of stdio, one message a request.

A connection that begins with a handshake is a session, named by a header that its further requests carry;
one of the later manner says with each request what it is, and has none. Answers are JSON: nothing is sent
unasked, so that there is no stream to open. See https://modelcontextprotocol.io/specification, Transports.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import nullcontext
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated, Any
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Body, Header
from starlette.responses import JSONResponse, Response

from ark_tui.interfaces.http.failures import Refused
from ark_tui.interfaces.http.server_state import AtPrincipal, AtServer
from ark_tui.interfaces.mcp import server as assistants
from ark_tui.interfaces.mcp.protocol import HANDSHAKES, MODERN, Connection
from ark_tui.operations.call import asking

if TYPE_CHECKING:
    from ark_tui.engine import Engine

SESSION = "mcp-session-id"
FAMILIES = "ark-tools"  # `all`: of every family, where there is no session
AT_ONCE = 1000  # sessions; beyond that the one that was asked longest ago is forgotten
BEGIN = "Begin with initialize, and send the header Mcp-Session-Id that its answer has."

router = APIRouter(include_in_schema=False)


class Sessions:
    """The connections that began with a handshake, by their ids; each is its principal's alone."""

    def __init__(self, engine: Engine) -> None:
        self.server = assistants.make(engine)
        self.whole = assistants.make(engine, [assistants.ALL])  # for `ark-tui mcp --connect`, which chooses
        self._hold = threading.Lock()
        self._known: OrderedDict[str, tuple[Connection, str]] = OrderedDict()

    def begin(self, whose: str) -> tuple[str, Connection]:
        """A new session and its id, which nobody can guess."""
        with self._hold:
            id_, made = token_urlsafe(24), Connection(self.server)
            self._known[id_] = made, whose
            if len(self._known) > AT_ONCE:
                self._known.popitem(last=False)
        return id_, made

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
    families: Annotated[str, Header(alias=FAMILIES, max_length=40)] = "",
) -> Response:
    """The answer to a message of an assistant; 202 for one that has none."""
    if spoken and spoken not in (*HANDSHAKES, MODERN):
        raise Refused(
            400, "This version of the protocol is not known.", f"Known: {', '.join(HANDSHAKES)}, {MODERN}."
        )
    sessions, whose, told = _of(server.engine), principal.name if principal else "", {}
    if message.get("method") == "initialize":
        told[SESSION], connection = sessions.begin(whose)
    elif session:
        connection = sessions.at(session, whose)
    elif spoken == MODERN:
        connection = Connection(sessions.whole if families == assistants.ALL else sessions.server)
    else:
        raise Refused(400, "This request is of no session.", BEGIN)
    with asking(principal):
        answer = connection.hear(message)
        if callable(answer):
            with server.searches.one() if message.get("method") == "tools/call" else nullcontext():
                answer = answer()
    return Response(status_code=202) if answer is None else JSONResponse(answer, headers=told)


@router.delete("/mcp")
def leave(server: AtServer, principal: AtPrincipal, session: Id = "") -> Response:
    """End a session."""
    _of(server.engine).end(session, principal.name if principal else "")
    return Response(status_code=204)
