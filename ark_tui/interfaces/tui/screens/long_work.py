"""The workbench's long jobs: requests, progress rows, and messages about results."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from textual import getters, on
from textual.screen import Screen

from ark_tui import operations
from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.search import SearchPane
from ark_tui.interfaces.tui.state import configured, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import IndexAsked, WorkAsked
from ark_tui.interfaces.tui.widgets.painting import Changes
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from ark_tui.domain.jobs import JobEntry, JobResult
    from ark_tui.domain.work import IndexReport, Status
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.widgets.work_rows import WorkRows


class LongWork(Requesting, Screen[None]):
    """A screen that indexes folders, switches models and analyzes the corpus."""

    search_pane = getters.query_one(SearchPane)
    work_rows: WorkRows  # available soon after the first frame

    def __init__(self, context: PaneContext, classes: str) -> None:
        super().__init__(classes=classes)
        self._compositor = Changes()
        self.context = context
        self.status: Status | None = None

    @abstractmethod
    def corpus_changed(self) -> None:
        """Reload after a change of the corpus."""

    @on(IndexAsked)
    def _index_asked(self, event: IndexAsked) -> None:
        self.index(Path(event.folder), event.collection)

    def index(self, folder: Path, collection: str = "") -> None:
        """Index a folder now, or after the running job."""
        there = folder if self.context.opening.place else folder.expanduser().resolve()
        self._take("index", there, collection)

    @on(WorkAsked)
    def _work_asked(self, event: WorkAsked) -> None:
        self._take(event.kind, model=event.model)

    def _take(self, kind: str, folder: Path | None = None, collection: str = "", model: str = "") -> None:
        order = act(operations.workbench.order, kind, folder, collection, model)

        def told(said: str) -> None:
            if said:
                self.context.say(said)

        self.request(order, told, group="jobs", exclusive=False)

    def action_index(self) -> None:
        if self.context.is_elsewhere(strings.WHAT_INDEX):
            return
        from ark_tui.interfaces.tui.state.names import Folders

        suggested = configured.next_root(self.context.settings, self.status)
        value = configured.tilde(suggested) if suggested else ""
        self.context.dialogs.name("Index a folder", Folders(), lambda one: self.index(Path(one)), value)

    def action_sample(self) -> None:
        if self.context.is_elsewhere(strings.WHAT_INDEX):
            return
        folder = configured.sample()
        if folder is None:
            self.context.say(strings.NO_SAMPLE, "warning")
        else:
            self.index(folder)

    def action_stop(self) -> None:
        self.show_jobs()  # the key is for the jobs of this moment
        if not self.work_rows.stop():
            self.context.say(strings.NO_JOB)

    def action_pause(self) -> None:
        self.show_jobs()
        if not self.work_rows.turn():
            self.context.say(strings.NO_JOB)

    def show_jobs(self) -> None:
        """Show what has changed since the last call: progress of jobs, and their ends."""
        for ended in self.context.opening.ended():
            self._work_ended(*ended)
        if self.work_rows.changed():
            done = self.work_rows.show()
            self.search_pane.show_indexing(done, self.work_rows.half)

    def _work_ended(self, job: JobEntry, result: JobResult | None, error: ArkError | None) -> None:
        if job.kind == "watch":
            if error is not None and not isinstance(error, Cancelled):
                check = strings.CHECK_FOLDERS.format(key=self.context.keys["everywhere.reload"])
                self.context.say(f"{error.what}\n" + error.hint + check, "warning")
            return
        self.corpus_changed()
        if isinstance(error, Cancelled):
            self.context.say(error.told)
        elif error is not None:
            self.context.say_error(error)
        else:
            self._tell(job, result)

    def _tell(self, job: JobEntry, result: JobResult | None) -> None:
        """Report the result of a job. For jobs that the user did not start, report only errors."""
        from ark_tui.domain.work import IndexReport  # there are no results before the first frame

        if not isinstance(result, IndexReport):
            if not job.own:
                self.context.say(f"{job.title}: done.")
            return
        said = f"{job.name}: {summary(result)}."
        if result.problems:
            said += strings.SEE_LIBRARY.format(key=self.context.keys["everywhere.library"])
        worth_a_look = result.failed or result.notices
        if job.kind == "index" or result.failed:
            self.context.say("\n".join([said, *result.notices]), "warning" if worth_a_look else "information")


def summary(report: IndexReport) -> str:
    """`3 files added, 1 changed, 2 skipped`, or that nothing is new. One file may contain many documents."""
    names = ("added", "changed", "renamed", "removed", "skipped", "failed")
    counts = [(count, name) for name in names if (count := getattr(report, name))]
    said = [
        f"{count:,} {name}" if n else f"{counted(count, 'file')} {name}"
        for n, (count, name) in enumerate(counts)
    ]
    return ", ".join(said) or strings.NO_CHANGES
