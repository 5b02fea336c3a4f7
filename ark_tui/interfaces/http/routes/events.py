"""The events of a home as server-sent events: changes of jobs, and new items.

Each `job` and each `item` has the JSON of its own route. A token of an agent gets no jobs, since those
concern the whole home, and only items that are its own or shared.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Header, Query
from starlette.responses import Response

from ark_tui.domain.errors import ArkError, StoreLocked
from ark_tui.interfaces.calls.state import ServerState
from ark_tui.interfaces.http.failures import worded
from ark_tui.interfaces.http.server_state import AtPrincipal, AtServer, Router
from ark_tui.interfaces.http.streaming import ALIVE, EVENTS, SIGN, Events, line
from ark_tui.interfaces.reports.text import hidden
from ark_tui.operations import jobs
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import Json, encoded

if TYPE_CHECKING:
    from ark_tui.domain.jobs import Job, JobEntry, JobResult
    from ark_tui.domain.principal import Grant

LONGEST = 300.0  # seconds of a stream, after which a client reconnects
AT_ONCE = 100  # items that are read at once
GAP = 0.1  # seconds between two checks of running jobs

SCHEMA: dict[str, Any] = {
    "content": {
        EVENTS: {
            "schema": {
                "type": "string",
                "description": "`job`: a job as GET /jobs/{job_id} has it, those that there are first, and "
                "again whenever it has moved. `item`: a document, memory or message that is new, with the "
                "number to go on behind as its id. `error`: `{error, hint}`, and that was the last. A line "
                "with `:` alone is a sign of life.",
            }
        }
    }
}

router = Router(tags=["events"])


@dataclass(frozen=True)
class _Listening:
    """What a token must grant to listen."""

    grant: Grant = "read"
    confinable: bool = True


class _Woken:
    """A job listener that wakes a waiting stream."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def moved(self) -> None:
        self.event.set()

    def ended(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None:  # noqa: ARG002
        self.event.set()

    def noticed(self, notice: str) -> None:
        """Ignore notices: they concern no job."""


@router.get("/events", operation_id="events", response_class=Response, responses={200: SCHEMA})
def events(
    server: AtServer,
    principal: AtPrincipal,
    collection: Annotated[str, Query(max_length=200)] = "",
    seconds: Annotated[float, Query(ge=0, le=LONGEST)] = LONGEST,
    last_event_id: Annotated[int | None, Header(ge=0, le=2**63 - 1)] = None,
) -> Response:
    """Hear of jobs as they move, and of new items: all, or those of a collection (`memory`, `history`).

    Server-sent events. A stream ends after five minutes, or sooner; with the id of the last event the next
    one goes on from there. Where its token is revoked, it ends within a second or two.
    """
    call = Call(server.engine, principal=principal)
    with call.admitted(_Listening()), ExitStack() as held:
        held.enter_context(server.listeners.one())
        after = server.engine.news(0, 0)[1] if last_event_id is None else last_event_id
        stream = told(server, call, after, collection, seconds, held.pop_all())
        next(stream)  # started, so that its `finally` runs however the connection ends
        return Events(stream)


def told(
    server: ServerState, call: Call, after: int, collection: str, seconds: float, held: ExitStack
) -> Generator[str, None, None]:
    """The events from now on, with items after the number `after`; `held` is closed at the end."""
    woken, ends, pulse = _Woken(), time.monotonic() + seconds, -1
    known: dict[str, Job] = {}
    with held, server.jobs.heard_by(woken):
        yield SIGN
        try:
            while True:
                woken.event.clear()
                if call.principal:
                    server.engine.memory.tokens.check(call.principal)
                moved = server.engine.pulse()
                with suppress(StoreLocked):  # the store is locked for a while: new items follow later
                    yield from _jobs(call, known)
                    while pulse != moved:
                        with call.admitted():
                            found, last = server.engine.news(after, AT_ONCE, collection)
                        for number, document in found.items():
                            yield line("item", _shown(document), number)
                        if last == after:
                            pulse = moved
                        after = last
                if time.monotonic() >= ends:
                    return
                yield SIGN
                woken.event.wait(ALIVE)
                time.sleep(GAP)
        except ArkError as error:
            yield line("error", hidden(worded({"error": error.what, "hint": error.hint})))


def _jobs(call: Call, known: dict[str, Job]) -> Generator[str, None, None]:
    """The jobs that changed since `known`; none for a confined token."""
    if call.confined:
        return
    for job in reversed(call.engine.jobs.all()):
        if known.get(job.id) != job:
            yield line("job", _shown(jobs.told(call, job)))
            known[job.id] = job


def _shown(value: object) -> Json:
    found: Json = hidden(worded(encoded(value)))
    return found
