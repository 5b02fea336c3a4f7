"""Long work as one row: what, how far, how fast, how long still, and the key that stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual import work
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.faces.tui.messages import IndexingEnded, IndexingMoved
from ark_tui.faces.tui.parts import ink, signal_bar

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.domain.work import Progress
    from ark_tui.faces.tui.indexing import Indexing, Task

BAR = 16
LEAST_SECONDS = 1.0
"""Before this a rate would be a guess."""

STAGES = {"scan": "looking", "read": "reading", "words": "words", "vectors": "vectors"}


class IndexingRow(Static):
    """Indexes one folder after the other, and shows how far it is."""

    ALLOW_SELECT = False

    def __init__(self, home: Path, key: str) -> None:
        super().__init__(id="indexing")
        self._home = home
        self._key = key
        self._waiting: list[Task] = []
        self._now: Indexing | None = None

    @property
    def busy(self) -> bool:
        """Whether a folder is being indexed."""
        return self._now is not None

    def take(self, folder: Path, name: str = "") -> str:
        """Index a folder now, or after those before it; returns what there is to say about it, if anything.

        `name` is what its collection is called, where it has one.
        """
        from ark_tui.faces.tui.indexing import Task

        task = Task(folder.expanduser(), name)
        if any(
            one.folder == task.folder for one in (*self._waiting, *([self._now.task] if self._now else []))
        ):
            return f"{task.title} is being indexed already."
        if self._now is not None:
            self._waiting.append(task)
            return f"{task.title} comes next."
        self._begin(task)
        return ""

    def stop(self) -> None:
        """Stop what is under way, and drop what waits."""
        self._waiting.clear()
        if self._now is not None:
            self._now.stop()

    def on_unmount(self) -> None:
        self.stop()

    def on_resize(self) -> None:
        self._show()

    def _begin(self, task: Task) -> None:
        from ark_tui.faces.tui.indexing import Indexing

        self._now = Indexing(self._home, task)
        self.display = True
        self._moved()
        self._run(self._now)

    @work(group="indexing", exit_on_error=False)
    async def _run(self, indexing: Indexing) -> None:
        report, failure = None, None
        try:
            report = await indexing.run(self._moved)
        except ArkError as error:
            failure = error
        finally:
            self._now = None
            self.display = False
            self.post_message(IndexingEnded(indexing.task.title, report, failure))
            if self._waiting:
                self._begin(self._waiting.pop(0))

    def _moved(self) -> None:
        if self._now is not None:
            self._show()
            self.post_message(IndexingMoved(described(self._now.progress, self._now.seconds)))

    def _show(self) -> None:
        if self._now is not None:
            title = f"Indexing {self._now.task.title}"
            self.update(
                line(title, self._now.progress, self._now.seconds, self._key, self.app.size.width - 2)
            )


def line(title: str, at: Progress | None, seconds: float, key: str, width: int) -> Text:
    """The row as text, `width` cells at most."""
    end = f"  {key} stop"
    left = f"{visible_line(title)}  {described(at, seconds)}"
    row = Text(no_wrap=True)
    row.append(ink.shorten(left, width - len(end)))
    room = width - len(end) - row.cell_len
    if at and at.total and room > BAR + 2:
        row.append(f"  {signal_bar.solid(at.done / at.total, BAR)}", "bold")
        room -= BAR + 2
    if at and at.note and room > 12:
        row.append("  " + ink.shorten_start(visible_line(at.note), room - 3), "dim")
    row.append(" " * max(0, width - len(end) - row.cell_len))
    row.append(end, "bold")
    return row


def described(at: Progress | None, seconds: float) -> str:
    """`reading 120 of 500 · 34/s · 11 s left`."""
    if at is None:
        return "starting"
    stage = STAGES.get(at.stage, visible_line(at.stage))
    said = [f"{stage} {at.done} of {at.total}" if at.total else f"{stage} {at.done}"]
    if seconds >= LEAST_SECONDS and at.done:
        rate = at.done / seconds
        said.append(f"{rate:.0f}/s" if rate >= 1 else f"{rate:.1f}/s")
        if at.total and at.total > at.done:
            said.append(f"{duration((at.total - at.done) / rate)} left")
    return " · ".join(said)


def duration(seconds: float) -> str:
    """`11 s`, `4 min`, `2 h 05`."""
    whole = max(1, round(seconds))
    if whole < 100:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02}"
