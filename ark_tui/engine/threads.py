"""The thread that does one job."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeAlias

from ark_tui.domain import failures
from ark_tui.domain.errors import ArkError
from ark_tui.domain.jobs import JobEntry, JobResult
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.domain.work import Progress

CarryOut: TypeAlias = Callable[[Mapping[str, Any], Stop, OnProgress], JobResult | None]
"""Executes the order of a job (`JobEntry.order`)."""

log = logging.getLogger("ark_tui.jobs")


class Jobs(Protocol):
    """The callbacks of a job's thread."""

    carry_out: CarryOut

    def heard(self, entry: JobEntry, at: Progress) -> None: ...
    def finished(self, entry: JobEntry, result: JobResult | None, error: ArkError | None) -> None: ...


def begin(jobs: Jobs, entry: JobEntry) -> threading.Thread:
    """Start the thread of a job."""
    thread = threading.Thread(target=_run, args=(jobs, entry), name=f"job {entry.kind}")
    thread.start()
    return thread


def _run(jobs: Jobs, entry: JobEntry) -> None:
    progress = partial(jobs.heard, entry)
    try:
        if entry.work is not None:
            result = entry.work(entry.stop, progress)
        else:
            result = jobs.carry_out(entry.order(), entry.stop, progress)
    except ArkError as error:
        jobs.finished(entry, None, error)
    except Exception as error:
        log.exception("job %s", entry.kind)
        jobs.finished(entry, None, failures.in_words(error))
    else:
        jobs.finished(entry, result, None)
