"""The process that does long work: orders come in, progress and results go out, a line of JSON each.

`{"number": 1, "do": "index", "folder": …, "collection": …}`; likewise `look`, `embed`, `analyse`, `model`.
`{"number": 1, "do": "stop"}` ends that one at the next safe point, where it holds neither the store nor an
index. The end of the input is the end of the workbench, however it came: what is under way stops there, too.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from ark_tui import operations
from ark_tui.domain.errors import ArkError, Cancelled, ModelUnavailable, Paused, Step, parts_of
from ark_tui.domain.work import Progress
from ark_tui.interfaces.tui.state import failing
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from typing import TypeAlias

    Order: TypeAlias = Mapping[str, Any]

MODULE = "ark_tui.interfaces.tui.work.child"

EVENTS_EVERY_S = 0.1
"""Seconds between two signs of progress of one stage."""

CALLED = ["ark-tui", "at long work"]
"""What those who wait for the store are told has it."""

NICE = 5
"""So much does this process stand back where the workbench wants the processor, too."""


class Orders:
    """What the workbench wants, read in a thread of its own."""

    def __init__(self) -> None:
        self.waiting: SimpleQueue[Order | None] = SimpleQueue()
        self.over = threading.Event()
        self._stopped: set[int] = set()
        threading.Thread(target=self._read, name="orders", daemon=True).start()

    def stopped(self, number: int) -> bool:
        """Whether somebody wants an order to end."""
        return self.over.is_set() or number in self._stopped

    def _read(self) -> None:
        for line in sys.stdin:
            order = json.loads(line)
            if order["do"] == "stop":
                self._stopped.add(order["number"])
            else:
                self.waiting.put(order)
        self.end()

    def end(self, *_: object) -> None:
        """Stop what is under way, and take no more."""
        self.over.set()
        self.waiting.put(None)


class Stop:
    """The stop token of one order."""

    def __init__(self, orders: Orders, number: int) -> None:
        self._orders = orders
        self._number = number

    def is_set(self) -> bool:
        return self._orders.stopped(self._number)


class Telling:
    """Progress as events: one per stage and tenth of a second, and the last one of each stage."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._told: dict[str, float] = {}

    def progress(self, at: Progress) -> None:
        """Tell how far the work is, unless that was just told."""
        now = time.monotonic()
        if at.done != at.total and now - self._told.get(at.stage, 0.0) < EVENTS_EVERY_S:
            return
        self._told[at.stage] = now
        self.tell("progress", **encoded(at))

    def tell(self, event: str, **more: object) -> None:
        """Write an event. Nobody listens any more where the workbench has gone."""
        with suppress(BrokenPipeError):
            sys.stdout.write(json.dumps({"number": self._number, "event": event, **more}) + "\n")
            sys.stdout.flush()


def carry_out(call: Call, order: Order) -> dict[str, Any]:
    """Do what an order says; what there is to tell of its end. Raises `ArkError`."""
    match order["do"]:
        case "index" | "look":
            folder, collection = Path(order["folder"]), str(order["collection"])
            return {"report": encoded(operations.corpus.index(call, (folder,), collection))}
        case "embed":
            return {"changes": operations.workbench.embed(call)}
        case "model":
            operations.workbench.go_over(call, str(order["model"]))
        case _:
            operations.workbench.analyse(call)
    return {}


def reason(error: ArkError) -> str:
    """The kind of failure that the workbench treats in its own way; empty for any other."""
    if isinstance(error, Cancelled):
        return "paused" if isinstance(error, Paused) else "cancelled"
    return "unavailable" if isinstance(error, ModelUnavailable) else ""


def failure(error: ArkError, kind: str) -> dict[str, Any]:
    """What there is to tell of an order that came to nothing."""
    hint = [asdict(one) if isinstance(one, Step) else one for one in parts_of(error.hint)]
    return {"error": error.what, "hint": hint, "reason": kind}


def main() -> None:
    """Work for the home that the first argument names until the input ends."""
    from ark_tui.engine import Engine, modules
    from ark_tui.settings import load

    orders = Orders()
    signal.signal(signal.SIGTERM, orders.end)
    with suppress(OSError):
        os.nice(NICE)
    settings = load(Path(sys.argv[1]))
    sys.argv = CALLED
    with Engine(settings) as engine:
        while (order := orders.waiting.get()) is not None:
            telling = Telling(order["number"])
            try:
                stop = Stop(orders, order["number"])
                call = Call(engine, person=True, stop=stop, progress=telling.progress)
                end, about = "done", carry_out(call, order)
            except ArkError as error:
                end, about = "failed", failure(error, reason(error))
            except Exception as error:  # noqa: BLE001 - the workbench says what it was, and goes on
                end, about = "failed", failure(failing.in_words(error), "")
            for notice in engine.notices():
                telling.tell("notice", text=notice)
            telling.tell(end, **about)
            if order["do"] == "look" and orders.waiting.empty():
                modules.warm()  # this home is watched: files will be saved


if __name__ == "__main__":
    main()
