"""Jobs: list, show, cancel, pause and resume long work."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from ark_tui.domain.jobs import Job
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Name

Id = Annotated[
    Name, Param("The id of a job.", example="3fa9c1d2e4b5", metavar="ID", argument=True, wire="job_id")
]


@operation("jobs list", Effect.READS, example="ark-tui jobs", route="GET /jobs", listed="jobs")
def list_(call: Call) -> tuple[Job, ...]:
    """List the jobs of the home: indexing, embedding, watching, analyzing.

    Jobs of this process come first, the newest on top; then those of other processes, paused ones and
    interrupted ones.
    """
    return tuple(told(call, job) for job in call.engine.jobs.all())


@operation("jobs show", Effect.READS, example="ark-tui jobs show 3fa9c1d2e4b5", route="GET /jobs/{job_id}")
def show(call: Call, id: Id) -> Job:
    """Show a job: its state, how far it is, and in the end its result or why it has failed."""
    return told(call, call.engine.jobs.show(id))


@operation(
    "jobs cancel", Effect.DESTROYS, example="ark-tui jobs cancel 3fa9c1d2e4b5",
    route="DELETE /jobs/{job_id}", status=202,
)  # fmt: skip
def cancel(call: Call, id: Id) -> Job:
    """Cancel a job between two steps. What it has done is kept."""
    return told(call, call.engine.jobs.cancel(id))


@operation(
    "jobs pause", Effect.SETS, example="ark-tui jobs pause 3fa9c1d2e4b5",
    route="POST /jobs/{job_id}/pause", status=202,
)  # fmt: skip
def pause(call: Call, id: Id) -> Job:
    """Pause a job between two steps until it is resumed, also after a restart."""
    return told(call, call.engine.jobs.pause(id))


@operation(
    "jobs resume", Effect.SETS, example="ark-tui jobs resume 3fa9c1d2e4b5",
    route="POST /jobs/{job_id}/resume", status=202,
)  # fmt: skip
def resume(call: Call, id: Id) -> Job:
    """Resume a paused job. Indexing again resumes it, too."""
    return told(call, call.engine.jobs.resume(id))


def told(call: Call, job: Job) -> Job:
    """The job, without paths if a program asks."""
    return replace(job, what=call.unplaced(job.what)) if job.what else job
