"""Jobs in threads of this process: what is called, and the orders of a home that nobody types into."""

from __future__ import annotations

import logging
import threading
from functools import partial
from typing import TYPE_CHECKING

from ark_tui.domain.errors import BUG, BUG_HINT, ArkError
from ark_tui.engine import orders

if TYPE_CHECKING:
    from ark_tui.domain.jobs import JobEntry, JobResult
    from ark_tui.domain.protocols import OnProgress
    from ark_tui.engine.jobs import Jobs

log = logging.getLogger("ark_tui.jobs")


class Threads:
    """Does the jobs of a lane, each in a thread."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._at: tuple[JobEntry, threading.Thread] | None = None

    def begin(self, entry: JobEntry) -> None:
        """Do a job."""
        thread = threading.Thread(target=self._run, args=(entry,), name=f"job {entry.kind}")
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

    def _run(self, entry: JobEntry) -> None:
        try:
            result = self._result(entry, partial(self._jobs.heard, entry))
        except ArkError as error:
            self._jobs.finished(entry, None, error)
        except Exception:
            log.exception("job %s", entry.kind)
            self._jobs.finished(entry, None, ArkError(BUG, BUG_HINT))
        else:
            self._jobs.finished(entry, result, None)

    def _result(self, entry: JobEntry, progress: OnProgress) -> JobResult | None:
        if entry.work is not None:
            return entry.work(entry.stop, progress)
        return orders.carry_out(self._jobs.engine, entry.order(), entry.stop, progress)
