"""How many searches may run at once: the next one is asked to come again, and none waits in line unseen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ark_tui.faces.http.failures import Refused


class Crowd:
    """Room for a number of searches."""

    def __init__(self, most: int) -> None:
        self._room = threading.Semaphore(most)
        self._most = most

    @contextmanager
    def one(self) -> Iterator[None]:
        """A place for one search; raises `Refused` (429) when there is none."""
        if not self._room.acquire(blocking=False):
            raise Refused(429, f"{self._most} searches are running already.", "Ask again in a second.")
        try:
            yield
        finally:
            self._room.release()
