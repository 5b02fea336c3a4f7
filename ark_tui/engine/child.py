"""The process that does long work: orders come in, progress and results go out, a line of JSON each.

`{"number": 1, "do": "index", "folder": …, "collection": …}`, as `JobEntry.order` has them.
`{"number": 1, "do": "stop"}` ends that one at the next safe point, where it holds neither the store nor an
index. The end of the input is the end of whoever gave the orders, however it came: what is under way stops
there, too.
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
from typing import Any, TypeAlias

from ark_tui.domain import failing
from ark_tui.domain.errors import ArkError, Cancelled, ModelUnavailable, Paused, Step, parts_of
from ark_tui.domain.work import IndexReport, Progress
from ark_tui.engine import modules
from ark_tui.engine.engine import Engine
from ark_tui.settings import load

Order: TypeAlias = Mapping[str, Any]

EVENTS_EVERY_S = 0.1
"""Seconds between two signs of progress of one stage."""

CALLED = ["ark-tui", "at long work"]
"""What those who wait for the store are told has it."""

NICE = 10
"""So much does this process stand back where somebody types who wants the processor, too."""


class Orders:
    """What is wanted, read in a thread of its own."""

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
        self.tell("progress", **asdict(at))

    def tell(self, event: str, **more: object) -> None:
        """Write an event. Nobody listens any more where it was ordered from."""
        with suppress(BrokenPipeError):
            sys.stdout.write(json.dumps({"number": self._number, "event": event, **more}) + "\n")
            sys.stdout.flush()


def reason(error: ArkError) -> str:
    """The kind of failure that is treated in its own way; empty for any other."""
    if isinstance(error, Cancelled):
        return "paused" if isinstance(error, Paused) else "cancelled"
    return "unavailable" if isinstance(error, ModelUnavailable) else ""


def failure(error: ArkError, kind: str) -> dict[str, Any]:
    """What there is to tell of an order that came to nothing."""
    hint = [asdict(one) if isinstance(one, Step) else one for one in parts_of(error.hint)]
    return {"error": error.what, "hint": hint, "reason": kind}


def main() -> None:
    """Work for the home that the first argument names until the input ends."""
    wanted = Orders()
    signal.signal(signal.SIGTERM, wanted.end)
    with suppress(OSError):
        os.nice(NICE)
    settings = load(Path(sys.argv[1]))
    sys.argv = CALLED
    with Engine(settings) as engine:
        while (order := wanted.waiting.get()) is not None:
            telling = Telling(order["number"])
            try:
                stop = Stop(wanted, order["number"])
                result = engine.carry_out(order, stop, telling.progress)
                end, about = "done", {"report": asdict(result)} if isinstance(result, IndexReport) else {}
            except ArkError as error:
                end, about = "failed", failure(error, reason(error))
            except Exception as error:  # noqa: BLE001 - it is said what it was, and the next order is taken
                end, about = "failed", failure(failing.in_words(error), "")
            for notice in engine.notices():
                telling.tell("notice", text=notice)
            telling.tell(end, **about)
            if order["do"] == "look" and wanted.waiting.empty():
                modules.warm()  # this home is watched: files will be saved


if __name__ == "__main__":
    main()
