"""The long work of the workbench: what asks for it, the rows that show it, and what is said of its end."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from textual import getters, on
from textual.screen import Screen

from ark_tui import operations
from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.interfaces.tui.panes.search import SearchPane
from ark_tui.interfaces.tui.state import configured
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import (
    FoldersChanged,
    IndexAsked,
    WatchFailed,
    WorkAsked,
    WorkEnded,
    WorkMoved,
)
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from ark_tui.domain.work import IndexReport, Status
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.widgets.work_rows import WorkRows
    from ark_tui.interfaces.tui.work.background import BackgroundTasks
    from ark_tui.interfaces.tui.work.jobs import Job


class LongWork(Requesting, Screen[None]):
    """A screen on which folders are indexed, models changed and the corpus analysed."""

    search_pane = getters.query_one(SearchPane)

    def __init__(self, context: PaneContext, classes: str) -> None:
        super().__init__(classes=classes)
        self.context = context
        self.status: Status | None = None
        self._work_rows: WorkRows | None = None
        self._background: BackgroundTasks | None = None

    @property
    def work_rows(self) -> WorkRows:
        """Where long work is shown; there soon after the first frame."""
        assert self._work_rows is not None
        return self._work_rows

    @property
    def background(self) -> BackgroundTasks:
        """What is done without being asked for; likewise."""
        assert self._background is not None
        return self._background

    @abstractmethod
    def corpus_changed(self) -> None:
        """Show what is there now."""

    def on_unmount(self) -> None:
        if self._background is not None:
            self._background.close()

    # -- what is asked for ---------------------------------------------------------------------------

    @on(IndexAsked)
    def _index_asked(self, event: IndexAsked) -> None:
        self.index(Path(event.folder), event.collection)

    def index(self, folder: Path, collection: str = "") -> None:
        """Index a folder now, or after the one under way."""
        from ark_tui.interfaces.tui.work.jobs import Job

        self._take(Job("index", folder.expanduser().resolve(), collection))

    @on(WorkAsked)
    def _work_asked(self, event: WorkAsked) -> None:
        from ark_tui.interfaces.tui.work.jobs import Job

        self._take(Job(event.kind, model=event.model))

    def _take(self, job: Job) -> None:
        if said := self.work_rows.jobs.take(job):
            self.context.say(said)

    def action_index(self) -> None:
        from ark_tui.interfaces.tui.screens.folder import FolderScreen

        suggested = configured.next_root(self.context.settings, self.status)
        self.context.dialogs.consult(FolderScreen(self.context, suggested), self.index)

    def action_sample(self) -> None:
        folder = configured.sample()
        if folder is None:
            self.context.say("The sample notes are not part of this installation.", "warning")
        else:
            self.index(folder)

    def action_stop(self) -> None:
        if not self.work_rows.stop():
            self.context.say("There is no long work under way.")

    def action_pause(self) -> None:
        if not self.work_rows.turn():
            self.context.say("There is no long work under way.")

    # -- what becomes of it --------------------------------------------------------------------------

    @on(WorkMoved)
    def _work_moved(self, event: WorkMoved) -> None:
        self.search_pane.show_indexing(event.described)

    @on(FoldersChanged)
    def _folders_changed(self, event: FoldersChanged) -> None:
        self.background.changed(event.folders)

    def look_later(self, seconds: float) -> None:
        """Look after a while whether texts wait for their vectors."""
        look = act(operations.workbench.waiting)
        self.set_timer(seconds, lambda: self.request(look, self._seen, self._not_seen, group="embedding"))

    def _seen(self, found: tuple[bool, str]) -> None:
        """It is known whether texts wait for their vectors, and why those cannot be made."""
        wanted, problem = found
        self.background.seen(wanted=wanted, problem=problem)
        if not wanted:
            self.corpus_changed()

    def _not_seen(self, error: ArkError) -> None:
        self.background.seen(wanted=True, problem=self.context.worded(error.told))

    @on(WatchFailed)
    def _watch_failed(self, event: WatchFailed) -> None:
        key = self.context.keys["everywhere.reload"]
        self.context.say(
            f"{event.error.what}\n" + event.error.hint + f" {key} looks at the folders.", "warning"
        )

    @on(WorkEnded)
    def _work_ended(self, event: WorkEnded) -> None:
        self.background.ended(event.job, event.error)
        self.corpus_changed()
        if isinstance(event.error, Cancelled):
            self.context.say(event.error.told)
        elif event.error is not None:
            self.context.say_error(event.error)
        else:
            self._tell(event.job, event.report)

    def _tell(self, job: Job, report: IndexReport | None) -> None:
        """What came of a job; of one that nobody asked for, only what went wrong."""
        from ark_tui.interfaces.tui.work.jobs import summary

        if report is None:
            if job.kind != "embed":
                self.context.say(f"{job.title}: done.")
            return
        said = f"{job.name}: {summary(report)}."
        if report.problems:
            said += f" The library ({self.context.keys['everywhere.library']}) says why."
        worth_a_look = report.failed or report.notices
        if job.kind == "index" or report.failed:
            self.context.say("\n".join([said, *report.notices]), "warning" if worth_a_look else "information")
