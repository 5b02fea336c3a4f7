"""Long work, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from ark_tui.domain.jobs import Job, JobResult
from ark_tui.faces.cli.layout import column
from ark_tui.faces.cli.output import Ink
from ark_tui.faces.cli.rendering import Renderer, View

INKS = {"running": "strong", "done": "good", "failed": "bad"}


def listed(view: View, found: Sequence[Sequence[Job]]) -> None:
    """The jobs of a list."""
    shown(view, found[0])
    if not found[0]:
        view.say.notice("No long work is under way.")


def shown(view: View, jobs: Sequence[Job]) -> None:
    """Jobs, with how far they are, or why they have failed."""
    for job in jobs:
        view.out.line(
            Ink(f"{job.id}  ", "faint"),
            Ink(column(job.state, 10), INKS.get(job.state, "faint")),
            column(job.kind, 9),
            job.what,
        )
        if job.progress:
            total = "" if job.progress.total is None else f" of {job.progress.total:,}"
            view.out.line(f"{'':14}{job.progress.stage}: {job.progress.done:,}{total}")
        if job.error:
            view.out.line(f"{'':14}{job.error.error} {job.error.hint}")
        if counts := _counts(job.result):
            view.out.line(f"{'':14}{counts}")


def _counts(result: JobResult | None) -> str:
    """What a result counts, but for what it has none of: `7 added, 2 skipped`."""
    found = {one.name: getattr(result, one.name) for one in fields(result)} if result else {}
    return ", ".join(f"{count:,} {name}" for name, count in found.items() if count and type(count) is int)


RENDERERS = {
    "jobs list": Renderer(listed),
    **{f"jobs {verb}": Renderer(shown) for verb in ("show", "cancel", "pause", "resume")},
}
