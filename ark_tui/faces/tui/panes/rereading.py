"""Reading again, editing and copying the path of what is under the cursor in the library."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from textual import getters, work

from ark_tui import operations
from ark_tui.domain.errors import ArkError
from ark_tui.faces.tui.panes.curating import Curating
from ark_tui.faces.tui.state.messages import Curated, EditAsked, IndexAsked
from ark_tui.faces.tui.widgets.attention import Stale
from ark_tui.faces.tui.widgets.sources import Collections, LeftOut

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.documents import Document
    from ark_tui.domain.work import CoverageRow


CURATED = {"browser", "duplicates", "stale"}
"""Views of documents that can be curated, and read beside the list."""


class Rereading(Curating):
    """What holds lists of folders, files and documents."""

    collections = getters.query_one(Collections)
    left_out = getters.query_one(LeftOut)
    stale = getters.query_one(Stale)

    @property
    @abstractmethod
    def view(self) -> str:
        """The view in front."""

    def action_again(self) -> None:
        if self.view == "sources":
            one = self.collections.here
            if one is not None and one.root:
                self.post_message(IndexAsked(one.root, one.name))
            else:
                self.context.say("There is no folder to read again here.")
        elif self.view == "left-out":
            self._try_again()
        elif self.view in CURATED and (targets := self._targets()):
            self._read_again(targets)

    def _try_again(self) -> None:
        file = self.left_out.here
        path = self._path_of(file) if file else None
        if file is None:
            self.context.say("There is no file under the cursor.")
        elif file.state == "waiting":
            self.context.say("It has been read; its vectors follow by themselves.")
            self._catch_up()
        elif path is None or not path.is_file():
            self.context.say("There is no such file any more; reading its collection again forgets it.")
        else:
            self._take_in(path)

    def action_all_again(self) -> None:
        """Read collections again: those with files that failed or are stale, or all."""
        known = {one.name: one.root for one in self.collections.rows if one.root}
        if self.view == "left-out":
            wanted = {one.collection for one in self.left_out.rows if one.state == "failed"}
        elif self.view == "stale":
            wanted = {one.collection for one in self.stale.rows}
        else:
            wanted = set(known)
        folders = {name: root for name, root in known.items() if name in wanted}
        for name, root in folders.items():
            self.post_message(IndexAsked(root, name))
        if not folders:
            self.context.say("There is nothing to read again.")

    @work(thread=True, group="edited", exit_on_error=False)
    def _read_again(self, targets: tuple[Document, ...]) -> None:
        """Take the files of documents up as they are now."""
        for one in targets:
            try:
                file = self._file_of(one)
                said = self._read_file(Path(file)) if file else f"{one.title} has no file."
            except ArkError as error:
                self.app.call_from_thread(self.context.say_error, error)
            else:
                self.app.call_from_thread(self.context.say, said)

    @work(thread=True, group="edited", exit_on_error=False)
    def _take_in(self, path: Path) -> None:
        self.app.call_from_thread(self.context.say, self._read_file(path))

    @work(thread=True, exclusive=True, group="catching-up", exit_on_error=False)
    def _catch_up(self) -> None:
        try:
            self.context.client.call(operations.workbench.catch_up)
        except ArkError as error:
            self.app.call_from_thread(self.context.say_error, error)
        self.post_message(Curated())

    def action_edit(self) -> None:
        self._with_path(self._edit)

    def _edit(self, path: str) -> None:
        if Path(path).is_file():
            self.post_message(EditAsked(path, 1))
        else:
            self.context.say("There is no file under the cursor.")

    def action_copy_path(self) -> None:
        self._with_path(lambda path: self.context.copy(path, "the path"))

    def _with_path(self, then: Callable[[str], None]) -> None:
        """Do something with the path of what is under the cursor."""
        here = self.rows.here if self.rows is not None else None
        if here is not None:
            self._find_file(here, then)
            return
        file, one = self.left_out.here, self.collections.here
        root = Path(one.root) if one and one.root else None
        path = (self._path_of(file) if file else None) if self.view == "left-out" else root
        if path is not None and self.rows is None:
            then(str(path))
        else:
            self.context.say("There is no path under the cursor.")

    @work(thread=True, exclusive=True, group="file", exit_on_error=False)
    def _find_file(self, document: Document, then: Callable[[str], None]) -> None:
        self.app.call_from_thread(then, self._file_of(document) or document.path)

    def _file_of(self, document: Document) -> str:
        return self.context.client.call(operations.workbench.text, document.id).file

    def _read_file(self, path: Path) -> str:
        """Take one file up, in a thread; what came of it."""
        report = self.context.client.call(operations.corpus.ingest_file, path)
        if report.left_out:
            return f"{path.name} could not be read: {report.left_out[0].reason}."
        return f"Read {path.name} again: {'nothing has changed' if report.unchanged else 'it is searchable'}."

    def _path_of(self, file: CoverageRow) -> Path | None:
        roots = {one.name: one.root for one in self.collections.rows}
        root = roots.get(file.collection)
        return Path(root) / file.path if root else None
