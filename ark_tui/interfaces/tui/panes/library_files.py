"""Library actions: index again, edit, rename and remove collections, restore and empty the trash."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import getters

from ark_tui import operations
from ark_tui.domain.curation import Done
from ark_tui.domain.documents import Passage, Purged
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.curating import Curating, ids
from ark_tui.interfaces.tui.state import strings, wording
from ark_tui.interfaces.tui.state.client import Act, Client, act
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.interfaces.tui.state.messages import Curated, EditAsked, IndexAsked
from ark_tui.interfaces.tui.widgets.document_lists import Stale, Trash
from ark_tui.interfaces.tui.widgets.sources import Collections, LeftOut

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.documents import Document
    from ark_tui.domain.work import CoverageRow
    from ark_tui.interfaces.tui.state.client import Act, Client


READ = 20_000
"""Maximum characters shown of a document in the trash."""

CURATED = {"browser", "duplicates", "stale"}
"""Views of documents that can be curated and read beside the list."""


class LibraryActions(Curating):
    """A part with lists of folders, files and documents."""

    collections = getters.query_one(Collections)
    left_out = getters.query_one(LeftOut)
    stale = getters.query_one(Stale)
    trash = getters.query_one(Trash)

    @property
    @abstractmethod
    def view(self) -> str:
        """The current view."""

    def action_again(self) -> None:
        if self.view == "sources":
            one = self.collections.here
            if one is not None and one.root:
                self.post_message(IndexAsked(one.root, one.name))
            else:
                self.context.say(strings.NO_FOLDER_SELECTED)
        elif self.view == "left-out":
            self._try_again()
        elif self.view in CURATED and (targets := self._targets()):
            for document in targets:
                self._say_read(partial(_again, document))

    def _try_again(self) -> None:
        file = self.left_out.here
        path = self._path_of(file) if file else None
        if file is None:
            self.context.say(strings.NO_FILE_SELECTED)
        elif file.state == "ignored":
            self.context.say(strings.FILE_IS_SKIPPED.format(path=file.path, reason=file.reason))
        elif file.state == "waiting":
            self.context.say(strings.VECTORS_FOLLOW)
            caught_up = act(operations.workbench.catch_up)
            self.request(caught_up, lambda _: self.post_message(Curated()), group="catching-up")
        elif self.context.is_elsewhere(strings.WHAT_INDEX_AGAIN):
            return
        elif path is None or not path.is_file():
            self.context.say(strings.FILE_IS_GONE)
        else:
            self._say_read(partial(_read_file, path))

    def action_all_again(self) -> None:
        """Index collections again: those with failed or stale files, or all."""
        known = {row.name: row.root for row in self.collections.rows if row.root}
        if self.view == "left-out":
            wanted = {row.collection for row in self.left_out.rows if row.state == "failed"}
        elif self.view == "stale":
            wanted = {row.collection for row in self.stale.rows}
        else:
            wanted = set(known)
        folders = {name: root for name, root in known.items() if name in wanted}
        for name, root in folders.items():
            self.post_message(IndexAsked(root, name))
        if not folders:
            self.context.say(strings.NOTHING_TO_INDEX_AGAIN)

    def _say_read(self, read: Act[str]) -> None:
        """Index a file again and report the result."""
        self.request(read, self.context.say, group="edited", exclusive=False)

    def action_edit(self) -> None:
        self._with_path(self._edit)

    def _edit(self, path: str) -> None:
        if self.context.is_elsewhere(strings.WHAT_EDIT):
            return
        if Path(path).is_file():
            self.post_message(EditAsked(path, 1))
        else:
            self.context.say(strings.NO_FILE_SELECTED)

    def action_copy_path(self) -> None:
        self._with_path(lambda path: self.context.copy(path, strings.COPY_PATH))

    def _with_path(self, then: Callable[[str], None]) -> None:
        """Run an action with the path of the row under the cursor."""
        here = self.rows.here if self.rows is not None else None
        if here is not None:
            self.request(
                act(operations.workbench.text, here.id),
                lambda passage: then(passage.file or here.path),
                group="file",
            )
            return
        file, one = self.left_out.here, self.collections.here
        root = Path(one.root) if one and one.root else None
        path = (self._path_of(file) if file else None) if self.view == "left-out" else root
        if path is not None and self.rows is None:
            then(str(path))
        else:
            self.context.say(strings.NO_PATH_SELECTED)

    def _path_of(self, file: CoverageRow) -> Path | None:
        roots = {row.name: row.root for row in self.collections.rows}
        root = roots.get(file.collection)
        return Path(root) / file.path if root else None

    # -- collections ---------------------------------------------------------------------------------

    def rename(self) -> None:
        one = self.collections.here
        if one is None:
            return

        def rename(name: str) -> Act[Done]:
            def rename(client: Client) -> Done:
                renamed = client.call(operations.library.rename, one.name, name)
                what = strings.DONE_RENAMED.format(before=one.name, after=renamed.collection)
                return Done(what, edit=renamed.edit)

            return rename

        title = strings.ASK_COLLECTION_NAME.format(collection=one.name)
        self.context.dialogs.ask(
            title, strings.COLLECTION_NAME_HINT, lambda to: self.carry_out(rename(to)), one.name
        )

    def remove_collection(self) -> None:
        one = self.collections.here
        if one is None:
            return
        if not one.root:
            key = self.context.keys["curation.trash"]
            self.context.say(strings.COLLECTION_OF_TEXTS.format(collection=one.name, key=key))
            return

        def remove(client: Client) -> Done:
            gone = client.call(operations.library.remove, one.name, yes=True).documents
            documents = counted(gone, "document")
            return Done(strings.DONE_REMOVED.format(collection=one.name, documents=documents))

        said = [
            strings.REMOVE_DOCUMENTS.format(documents=counted(one.documents, "document")),
            "",
            strings.REMOVE_KEEPS_FILES.format(folder=tilde(one.root)),
            strings.REMOVE_KEEPS_EDITS,
            strings.REMOVE_IN_CONFIG,
        ]
        self.context.dialogs.confirm(
            strings.ASK_REMOVE.format(collection=one.name),
            said,
            strings.DOES_REMOVE,
            lambda: self.carry_out(remove),
        )

    # -- the trash -----------------------------------------------------------------------------------

    def read_trashed(self, document: str) -> None:
        """Show the text of a document in the trash, with a key to restore it."""
        self.request(act(operations.workbench.trashed, document), self._show_trashed, group="trashed")

    def _show_trashed(self, passage: Passage) -> None:
        document = passage.document
        self.context.dialogs.confirm(
            strings.IN_TRASH_TITLE.format(title=document.title),
            [document.path, "", *passage.text[:READ].splitlines()],
            "restore",
            lambda: self._bring_back((document.id,)),
        )

    def restore(self) -> None:
        if targets := self._targets():
            self.trash.unmark()
            self._bring_back(ids(targets))

    def _bring_back(self, refs: tuple[str, ...]) -> None:
        self.carry_out(act(operations.curation.untrash, refs))

    def purge(self) -> None:
        """Preview what is purged and what stays; purge after confirmation."""
        self.edit(act(operations.workbench.purge, dry_run=True), self._confirm_purge)

    def _confirm_purge(self, due: Purged) -> None:
        if not due.documents:
            self.context.say(strings.TRASH_IS_EMPTY)
            return

        def purge(client: Client) -> Done:
            return wording.purge_done(client.call(operations.workbench.purge))

        self.context.dialogs.confirm(
            strings.ASK_PURGE, wording.purge_due(due), strings.DOES_PURGE, lambda: self.carry_out(purge)
        )


def _again(document: Document, client: Client) -> str:
    file = client.call(operations.workbench.text, document.id).file
    return (
        _read_file(Path(file), client) if file else strings.DOCUMENT_HAS_NO_FILE.format(title=document.title)
    )


def _read_file(path: Path, client: Client) -> str:
    report = client.call(operations.corpus.ingest_file, path)
    if report.left_out:
        return strings.FILE_NOT_READ.format(name=path.name, reason=report.left_out[0].reason)
    done = strings.INDEXED_UNCHANGED if report.unchanged else strings.INDEXED_AGAIN
    return done.format(name=path.name)
