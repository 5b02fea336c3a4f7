"""The engine, opened in a thread once the first frame is painted; whoever needs it waits for it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.errors import Cancelled
from ark_tui.domain.protocols import NEVER

if TYPE_CHECKING:
    from ark_tui.domain.protocols import Stop
    from ark_tui.engine import Engine
    from ark_tui.settings import Settings

PATIENCE = 30.0
"""Seconds that what is asked for here waits for another process: nobody but its own thread waits with it."""

LOOK_EVERY = 0.02  # seconds between two looks at the stop token while waiting


class Opening:
    """Makes the engine once and hands it to the threads that ask for it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made = threading.Event()
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._before: list[Engine] = []  # made from settings that have changed; what still runs may use them

    @property
    def opened(self) -> Engine | None:
        """The engine, if it is there."""
        return self._engine

    def open(self) -> None:
        """Import and make the engine. Takes a while the first time: never on the thread that paints."""
        with self._lock:
            if self._engine is None:
                from ark_tui.engine import Engine, rooms

                rooms.open_all()
                self._engine = Engine(_patient(self._settings))
                self._made.set()

    def wait(self, stop: Stop = NEVER) -> Engine:
        """The engine as soon as it is there; raises `Cancelled` when stopped before."""
        while not self._made.wait(LOOK_EVERY):
            if stop.is_set():
                raise Cancelled
        assert self._engine is not None
        return self._engine

    def held_up(self) -> str:
        """The process that has the store while this one has long been waiting for it; empty for none."""
        return self._engine.held_up() if self._engine is not None else ""

    def notices(self) -> tuple[str, ...]:
        """What failed and has stopped nobody, or was damaged and is rebuilt; each once."""
        return tuple(notice for engine in self._engines() for notice in engine.notices())

    def renew(self, settings: Settings) -> None:
        """From now on an engine of these settings; what is under way goes on with the one before."""
        with self._lock:
            self._settings = settings
            if self._engine is not None:
                self._before.append(self._engine)
                self._engine = type(self._engine)(_patient(settings))

    def hurry(self) -> None:
        """The person leaves: nobody waits for what is only read."""
        for engine in self._engines():
            engine.hurry()

    def close(self) -> None:
        """Let go of the home."""
        for engine in self._engines():
            engine.close()

    def _engines(self) -> list[Engine]:
        """Every one that may still be in use."""
        return [*self._before, *([self._engine] if self._engine is not None else [])]


def _patient(settings: Settings) -> Settings:
    return replace(settings, lease_timeout=max(PATIENCE, settings.lease_timeout))
