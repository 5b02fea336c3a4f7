"""Jobs in threads of this process: what is called, and the orders of a home that nobody types into."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeAlias

from ark_tui.domain.errors import BUG, BUG_HINT, ArkError
from ark_tui.domain.jobs import JobEntry, JobResult
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.domain.work import Progress

CarryOut: TypeAlias = Callable[[Mapping[str, Any], Stop, OnProgress], JobResult | None]
"""Does what an order says: `JobEntry.order`."""

log = logging.getLogger("ark_tui.jobs")


class Hearing(Protocol):
    """What is told of jobs by those who do them, under its lock where they hold something of their own."""

    hold: threading.RLock
    carry_out: CarryOut

    def heard(self, entry: JobEntry, at: Progress) -> None: ...
    def finished(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None: ...
    def notice(self, notice: str) -> None: ...


class Threads:
    """Does the jobs of a lane, each in a thread."""

    def __init__(self, jobs: Hearing) -> None:
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
        return self._jobs.carry_out(entry.order(), entry.stop, progress)
