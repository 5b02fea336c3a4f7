"""Long work: started by one request, watched and stopped by others."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from ark_tui.domain.errors import ArkError, Cancelled, NotFound
from ark_tui.domain.work import Progress
from ark_tui.faces.http.failures import Refused, log
from ark_tui.faces.reports import wire
from ark_tui.faces.reports.faults import BUG, BUG_HINT
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.protocols import OnProgress, Stop

State = Literal["running", "done", "failed", "cancelled"]
Work = Callable[["Stop", "OnProgress"], wire.Json]

KEPT = 100  # jobs that are over and can still be asked for
AT_ONCE = 2


@dataclass(slots=True)
class Job:
    """One piece of long work."""

    id: str
    kind: str
    started: datetime
    state: State = "running"
    progress: Progress | None = None
    result: wire.Json | None = None
    error: wire.Json | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def as_json(self) -> wire.Json:
        return {
            "job_id": self.id,
            "kind": self.kind,
            "state": self.state,
            "started": self.started.isoformat().replace("+00:00", "Z"),
            "progress": encoded(self.progress),
            "result": self.result,
            "error": self.error,
        }


class Jobs:
    """The long work of one server."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._jobs: dict[str, Job] = {}
        self._hold = threading.Lock()

    def start(self, kind: str, work: Work) -> Job:
        """Begin, in a thread; raises `Refused` (429) while too much is under way."""
        with self._hold:
            running = [job for job in self._jobs.values() if job.state == "running"]
            if len(running) >= AT_ONCE:
                raise Refused(
                    429, f"{AT_ONCE} jobs are running already.", "Wait for one, or cancel one: /jobs."
                )
            job = Job(uuid.uuid4().hex[:12], kind, self._now())
            self._jobs[job.id] = job
            self._forget()
        job.thread = threading.Thread(target=self._run, args=(job, work), name=f"job {kind}")
        job.thread.start()
        return job

    def get(self, job_id: str) -> Job:
        """A job by its id; raises `NotFound`."""
        with self._hold:
            job = self._jobs.get(job_id)
        if job is None:
            raise NotFound(f"There is no job {job_id}.", "Which there are: GET /jobs.")
        return job

    def all(self) -> list[Job]:
        """Every job that is known, the newest first."""
        with self._hold:
            return [*self._jobs.values()][::-1]

    def cancel(self, job_id: str) -> Job:
        """Ask a job to stop; what it has done is kept."""
        job = self.get(job_id)
        job.stop.set()
        return job

    def close(self) -> None:
        """Stop all of them between two steps, and wait."""
        for job in self.all():
            job.stop.set()
        for job in self.all():
            if job.thread is not None:
                job.thread.join()

    def _run(self, job: Job, work: Work) -> None:
        def watch(at: Progress) -> None:
            job.progress = at

        try:
            job.result = work(job.stop, watch)
            job.state = "done"
        except Cancelled:
            job.state = "cancelled"
        except ArkError as error:
            job.error, job.state = wire.error(error), "failed"
        except Exception:  # noqa: BLE001 - a job that fails is a message, not the end of the server
            log.exception("job %s", job.kind)
            job.error, job.state = {"error": BUG, "hint": BUG_HINT}, "failed"

    def _forget(self) -> None:
        over = [job_id for job_id, job in self._jobs.items() if job.state != "running"]
        for job_id in over[: max(0, len(over) - KEPT)]:
            del self._jobs[job_id]
