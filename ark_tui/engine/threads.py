"""Jobs in threads of this process: what is called, and the orders of a home that nobody types into."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ark_tui.domain.errors import BUG, BUG_HINT, ArkError
from ark_tui.engine import orders

if TYPE_CHECKING:
    from ark_tui.domain.jobs import JobEntry, JobResult
    from ark_tui.engine.engine import Engine
    from ark_tui.engine.jobs import Told

log = logging.getLogger("ark_tui.jobs")


class Threads:
    """Does the jobs of a lane, each in a thread."""

    def __init__(self, engine: Callable[[], Engine]) -> None:
        self._engine = engine
        self._at: tuple[JobEntry, threading.Thread] | None = None

    def begin(self, entry: JobEntry, told: Told) -> None:
        """Do a job."""
        thread = threading.Thread(target=self._run, args=(entry, told), name=f"job {entry.kind}")
        self._at = entry, thread
        thread.start()

    def thread_of(self, entry: JobEntry) -> int | None:
        """The thread that is at a job."""
        return self._at[1].ident if self._at is not None and self._at[0] is entry else None

    def stop(self, entry: JobEntry) -> None:
        """Let it end after the batch at hand."""
        entry.stop.set()

    def kill(self) -> None:
        """A thread ends at its next step only."""

    def close(self) -> None:
        """Nothing is held."""

    def wait(self) -> None:
        """Until the job under way has ended."""
        if self._at is not None:
            self._at[1].join()

    def _run(self, entry: JobEntry, told: Told) -> None:
        try:
            result = self._result(entry, told)
        except ArkError as error:
            told.over(None, error)
        except Exception:
            log.exception("job %s", entry.kind)
            told.over(None, ArkError(BUG, BUG_HINT))
        else:
            told.over(result, None)

    def _result(self, entry: JobEntry, told: Told) -> JobResult | None:
        if entry.work is not None:
            return entry.work(entry.stop, told.moved)
        return orders.carry_out(self._engine(), entry.order(), entry.stop, told.moved)
