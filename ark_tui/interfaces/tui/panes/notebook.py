"""The notebook: scratchpad and tasks of the agent and session of this workbench."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import getters, on
from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.pane import Pane
from ark_tui.interfaces.tui.state import actions, noting, strings
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ark_tui.domain.memory import ScratchValue, Task
    from ark_tui.interfaces.tui.state.client import Act
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.state.noting import Noted


class Pad(Rows["ScratchValue"]):
    """The scratchpad, two lines per entry: the key and the first line of its value."""

    KEY = "key"
    BORDER_TITLE = "Scratchpad"
    EMPTY = strings.NO_SCRATCH
    ROW_HEIGHT = 2

    def show(self, values: tuple[ScratchValue, ...]) -> None:
        """Show the entries."""
        self.put(values, keep=True)
        self.border_subtitle = Content(counted(len(values), "key"))

    def pieces(self, row: ScratchValue, part: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        if part == 0:
            right: list[ink.Piece] = [(f"  {row.moment.astimezone():%Y-%m-%d}", muted)]
            if row.version > 1:
                right.insert(0, (f"  version {row.version}", muted))
            return ink.ended(row.key, self.ink("strong"), right, width)
        first, *rest = row.value.splitlines() or [""]
        more: list[ink.Piece] = [(f"  {counted(len(rest), 'more line')}", muted)] if rest else []
        return ink.ended(first, Style.null(), more, width)


class Tasks(Rows["Task"]):
    """Tasks, one line each."""

    KEY = "id"
    BORDER_TITLE = "Tasks"
    EMPTY = strings.NO_TASKS

    def show(self, tasks: tuple[Task, ...]) -> None:
        """Show tasks in the given order."""
        self.put(tasks, keep=True)
        open_ = sum(task.state == "open" for task in tasks)
        self.border_subtitle = Content(
            f"{open_} open" + (f" · {len(tasks) - open_} done" if len(tasks) > open_ else "")
        )

    def pieces(self, row: Task, _part: int, width: int) -> list[ink.Piece]:
        muted, done = self.ink("muted"), row.state == "done"
        right: list[ink.Piece] = [(f"  #{visible_line(tag)}", muted) for tag in row.tags]
        if row.due is not None:
            right.append((f"  due {noting.due(row.due)}", muted if done else self.ink("warning")))
        left: list[ink.Piece] = [("✓ " if done else "○ ", self.ink("accent"))]
        room = width - ink.cells(left) - ink.cells(right)
        text = ink.shorten(visible_line(row.text), max(8, room))
        left.append((text, muted + Style(strike=True) if done else Style.null()))
        return ink.justified(left, right, width)


class NotebookPane(Pane):
    """Scratchpad and tasks. Changes can be undone until the workbench ends."""

    SCOPES: ClassVar[actions.Scopes] = ("notebook",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Notebook"
    HELP = strings.HELP_NOTEBOOK

    pad = getters.query_one(Pad)
    tasks = getters.query_one(Tasks)

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context, id="notebook")
        self._read_before = False
        self._all = True  # include completed tasks
        self._back: list[Act[Noted]] = []  # undo stack, latest last

    @property
    def first(self) -> RowList:
        return self.tasks

    def compose(self) -> ComposeResult:
        yield Pad("pad")
        yield Tasks("tasks")

    def shown(self) -> None:
        for leaves in (self.pad, self.tasks):
            leaves.empty = leaves.EMPTY.format(add=self.context.keys["notebook.add"])
        self._read()

    def home_changed(self) -> None:
        """Reload: another workbench, a command or an assistant may have changed it."""
        self._read()

    def _read(self) -> None:
        self.request(partial(noting.read, every=self._all), self._show, group="notebook")

    def _show(self, found: tuple[tuple[ScratchValue, ...], tuple[Task, ...]]) -> None:
        if self._read_before and found == (self.pad.rows, self.tasks.rows):
            return
        self._read_before = True
        self.pad.show(found[0])
        self.tasks.show(found[1])

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Enable row actions only with a row under the cursor, and completion only for tasks."""
        if action in {"edit", "delete"}:
            return (self.pad if self.pad.has_focus else self.tasks).here is not None
        return self.tasks.has_focus and self.tasks.here is not None if action == "done" else True

    def action_add(self) -> None:
        if self.pad.has_focus:
            self._ask(strings.ASK_SCRATCH, strings.SCRATCH_HINT, noting.put)
        else:
            self._ask("New task", strings.TASK_HINT, noting.add)

    @on(RowList.Chosen)
    def action_edit(self) -> None:
        value, task = self.pad.here, self.tasks.here
        if self.pad.has_focus and value is not None:
            if "\n" in value.value:
                self._edit_outside(value)
            else:
                self._ask(
                    f"Scratchpad: {value.key}", strings.SCRATCH_HINT, noting.put, f"{value.key} {value.value}"
                )
        elif self.tasks.has_focus and task is not None:
            self._ask(f"Task {task.id}", strings.TASK_HINT, partial(noting.edit, task), noting.as_typed(task))

    def _edit_outside(self, value: ScratchValue) -> None:
        """Edit a value of several lines in the user's editor."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "value.txt"
                file.write_text(value.value, "utf-8")
                if not self.context.edit(file, 1, ""):
                    return
                text = file.read_text("utf-8").removesuffix("\n")
        except UnicodeDecodeError:
            what = strings.EDIT_NOT_UTF8.format(key=value.key)
            self.context.say_error(ArkError(what, strings.EDIT_NOT_UTF8_HINT))
        except OSError as error:
            what = strings.EDIT_NO_FILE.format(key=value.key, reason=error.strerror or error)
            self.context.say_error(ArkError(what, strings.EDIT_NO_FILE_HINT))
        else:
            self._do(noting.keep(value.key, text))

    def action_done(self) -> None:
        if (task := self.tasks.here) is not None:
            self._do(noting.turn(task))

    def action_delete(self) -> None:
        value, task = self.pad.here, self.tasks.here
        if self.pad.has_focus and value is not None:
            self._do(noting.drop(value))
        elif self.tasks.has_focus and task is not None:
            self._do(noting.delete(task))

    def action_undo(self) -> None:
        if self._back:
            self._do(self._back.pop(), back=False)
        else:
            self.context.say(strings.NOTHING_TO_UNDO)

    def action_done_ones(self) -> None:
        self._all = not self._all
        self._read()

    def _ask(self, title: str, hint: str, act: Callable[[str], Act[Noted]], value: str = "") -> None:
        """Ask for a line and run it; ask again if it is invalid."""

        def answered(line: str) -> None:
            self._do(act(line), refused=lambda: self._ask(title, hint, act, line))

        self.context.dialogs.ask(title, hint, answered, value)

    def _do(self, act: Act[Noted], *, back: bool = True, refused: Callable[[], object] | None = None) -> None:
        def say(noted: Noted) -> None:
            if back:
                self._back.append(noted.back)
                self.context.say(f"{noted.what} · {self.context.keys['notebook.undo']} undo")
            else:
                self.context.say(strings.UNDONE.format(what=noted.what))

        def failed(error: ArkError) -> None:
            self.context.say_error(error)
            if refused is not None and isinstance(error, UsageError):
                refused()

        self.edit(act, say, failed, after=self._read)
