"""Long work: which there is, how far it is, and stopping it."""

from __future__ import annotations

from ark_tui.faces.http.desk import AtDesk, Router
from ark_tui.faces.reports.wire import Json

router = Router(tags=["jobs"])


@router.get("/jobs")
def list_jobs(desk: AtDesk) -> Json:
    """The long work of this server, the newest first."""
    return {"jobs": [job.as_json() for job in desk.jobs.all()]}


@router.get("/jobs/{job_id}")
def get_job(desk: AtDesk, job_id: str) -> Json:
    """One job: `state` is running, done, failed or cancelled; `result` and `error` come in the end."""
    return desk.jobs.get(job_id).as_json()


@router.delete("/jobs/{job_id}", status_code=202)
def cancel_job(desk: AtDesk, job_id: str) -> Json:
    """Ask a job to stop between two steps; what it has done is kept."""
    return desk.jobs.cancel(job_id).as_json()
