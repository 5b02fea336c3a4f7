"""The library pane: collections, documents, files that were left out, and the trash."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.containers import Container
from textual.widgets import ContentSwitcher, Static

from ark_tui import operations
from ark_tui.domain.curation import Done
from ark_tui.domain.documents import Passage, Purged
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.browsing import Browser
from ark_tui.interfaces.tui.panes.curating import Curating, ids
from ark_tui.interfaces.tui.panes.pane import ViewsPane
from ark_tui.interfaces.tui.state import actions, strings, wording
from ark_tui.interfaces.tui.state.client import Act, Client, act
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.interfaces.tui.state.messages import (
    CollectionChosen,
    Curated,
    EditAsked,
    IndexAsked,
    LibraryAsked,
)
from ark_tui.interfaces.tui.state.trail import Wanted
from ark_tui.interfaces.tui.widgets import empty, ink
from ark_tui.interfaces.tui.widgets.document_lists import (
    Collections,
    DocumentRows,
    LeftOut,
    Trash,
    covered,
)
from ark_tui.interfaces.tui.widgets.empty import Empty
from ark_tui.interfaces.tui.widgets.paged_list import ListDetail
from ark_tui.interfaces.tui.widgets.reader import Reader
from ark_tui.interfaces.tui.widgets.row_list import RowList
from ark_tui.interfaces.tui.widgets.scrolling import ScrolledText
from ark_tui.interfaces.tui.widgets.title_line import ViewsLine
from ark_tui.operations.operation import WHOLE, Page

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table
    from textual.app import ComposeResult

    from ark_tui.domain.documents import Document
    from ark_tui.domain.work import CoverageRow, Status
    from ark_tui.interfaces.tui.state.context import PaneContext


READ = 20_000
"""Maximum characters shown of a document in the trash."""

MEGABYTE = 1 << 20

VIEWS = {
    "sources": "Collections",
    "browser": "Documents",
    "left-out": strings.VIEW_SKIPPED,
    "trash": "Trash",
}
"""Id and name of each view, from left to right."""

ON_ROWS = {"again", "edit", "copy_path"}
ON_DOCUMENTS = {"tag", "tier", "pin", "trash", "link", "supersede", "merge", "correct", "forget"}


class LibraryPane(ListDetail, ViewsPane, Curating):
    """Collections, documents, files that were left out, and the trash; one view at a time."""

    SCOPES: ClassVar[actions.Scopes] = ("library", "views", "curation")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("library")
    BORDER_TITLE = "Library"
    HELP = strings.HELP_LIBRARY

    VIEWS: ClassVar = VIEWS
    collections = getters.query_one(Collections)
    browser = getters.query_one(Browser)
    left_out = getters.query_one(LeftOut)
    trash = getters.query_one(Trash)
    reader = getters.query_one(Reader)

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context, id="library")
        self._changes = 0  # number of changes; documents are read again after each
        self._old: set[str] = set()  # views not loaded since the last change

    @property
    def view(self) -> str:
        """The current view."""
        return self.in_front

    @property
    def listed(self) -> RowList:
        return self._lists[self.view]

    @property
    def rows(self) -> DocumentRows | None:
        shown = self.listed
        return shown if isinstance(shown, DocumentRows) else None

    @property
    def _lists(self) -> dict[str, RowList]:
        return {
            "sources": self.collections,
            "browser": self.browser.documents,
            "left-out": self.left_out,
            "trash": self.trash,
        }

    def compose(self) -> ComposeResult:
        yield ViewsLine(VIEWS)
        with Container(id="library-body"):
            with ContentSwitcher(initial="sources", id="views"):
                with Container(id="sources"):
                    yield Collections("collections")
                    with ScrolledText(id="facts", classes="panel") as facts:
                        facts.border_title = "Home"
                        yield Static()
                yield Browser(self.context)
                yield LeftOut("left-out")
                yield Trash("trash")
            yield Reader(self.context)
        yield Empty()

    def on_mount(self) -> None:
        self.trash.empty = strings.TRASH_EMPTY_HINT.format(key=self.context.keys["curation.trash"])

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Enable curation only on documents outside the trash, and row actions only with a row."""
        if action == "mark":
            return self.rows is not None and self.rows.count > 0
        if action in ON_ROWS:
            return self.listed.count > 0 and not (action == "again" and self.view == "trash")
        return self.view == "browser" and self.listed.count > 0 if action in ON_DOCUMENTS else True

    def shown(self) -> None:
        self._old = set(VIEWS)
        self._look_up()
        self._read_trash()

    def home_changed(self) -> None:
        """Reload the trash, which may have been purged without a change of the search results."""
        self._read_trash()

    def show_status(self, status: Status) -> None:
        """Show the state of the home and load the current view."""
        known = tuple(
            collection for collection in status.collections if collection.root or collection.documents
        )
        nothing = not known and not status.rows
        self.set_class(nothing, "-empty")
        if nothing:
            empty.no_collection(self.query_one(Empty), self.context.keys.__getitem__)
        self.collections.show(known)
        self.left_out.show(status.rows, status.coverage)
        self.query_one("#facts Static", Static).update(facts(status))
        self.views_line.count("sources", len(known))
        self.views_line.count("browser", status.documents)
        self.views_line.count("left-out", sum(row.state != "indexed" for row in status.rows))
        self._old = set(VIEWS)
        self._changes += 1
        if self.display and self.screen.focused is None and not nothing:
            self.listed.focus()  # nothing could have the focus before
        if self.display:
            self._look_up()
            self._read_trash()

    def go_to(self, view: str) -> None:
        """Switch to a view."""
        self.turn_to(view)
        self.listed.focus()
        self.refresh_bindings()
        self._look_up()
        self.show_soon()

    def turn_to(self, view: str) -> None:
        self.set_class(view == "browser", "-documents")
        super().turn_to(view)

    def _look_up(self) -> None:
        """Load the current view, unless it was loaded since the last change."""
        if self.view not in self._old:
            return
        self._old.discard(self.view)
        match self.view:
            case "browser":
                self.browser.look_again()
            case "left-out":
                self.request(_ignored, self.left_out.show_ignored, group="ignored")
            case _:
                pass

    def _read_trash(self) -> None:
        trashed = act(operations.library.documents, trashed=True, limit=WHOLE)
        self.request(trashed, self._show_trash, group="trash")

    def _show_trash(self, found: Page[Document]) -> None:
        self.trash.show(found.items)
        self.views_line.count("trash", len(found.items))
        if self.view == "trash":
            self.show_soon()

    def show_here(self) -> None:
        here = self.rows.here if self.rows is not None else None
        if here is None or here.trashed:
            self.reader.clear()
        elif self.reader.display:
            self.reader.want(Wanted(here.id, refresh=self._changes))

    def step_back(self) -> bool:
        """Undo one step: marks, a filter, a collection, then the view; finally leave the pane."""
        if self.view == "browser" and self.browser.step_back():
            return True
        if self.rows is not None and self.rows.unmark():
            return True
        if super().step_back():
            return True
        if self.view != "sources":
            self.go_to("sources")
            return True
        return False

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        here = self.rows.here if self.rows is not None else None
        if event.rows is self.collections and self.collections.here:
            self.go_to("browser")
            self.browser.list_collection(self.collections.here.name)
        elif event.rows is self.left_out:
            self.action_again()
        elif event.rows is self.trash and here is not None:
            self.read_trashed(here.id)
        elif self.view == "browser" and here is not None:
            self.context.dialogs.read(here.id)

    @on(LibraryAsked)
    def _asked(self, event: LibraryAsked) -> None:
        match event.what:
            case "filter":
                self.go_to("browser")
                self.browser.open_filter()
            case "order":
                self.browser.turn_order()
            case "narrow" if self.collections.here:
                self.post_message(CollectionChosen(self.collections.here.name))
            case "rename":
                self.rename()
            case "remove":
                self.remove_collection()
            case "restore":
                self.go_to("trash")
                self.restore()
            case "purge":
                self.purge()
            case _:
                pass

    def action_again(self) -> None:
        if self.view == "sources":
            one = self.collections.here
            if one is not None and one.root:
                self.post_message(IndexAsked(one.root, one.name))
            else:
                self.context.say(strings.NO_FOLDER_SELECTED)
        elif self.view == "left-out":
            self._try_again()
        elif self.view == "browser" and (targets := self._targets()):
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
            "remove collection",
            lambda: self.carry_out(remove),
        )

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


def _ignored(client: Client) -> tuple[CoverageRow, ...]:
    """The files of followed folders that are excluded by rules. Scans the folders."""
    return client.call(
        operations.corpus.coverage, states=("ignored",), limit=operations.corpus.MOST_FILES
    ).rows


def facts(status: Status) -> Table:
    """The state of the home in a few lines."""
    model = status.embedding
    rows = [
        ("store", f"{status.store_path} · {status.bytes / MEGABYTE:.1f} MB · schema {status.schema}"),
        ("model", model.problem or f"{model.provider} {model.model} · {model.dims} dimensions"),
    ]
    for follower in status.followers:
        state = follower.problem or (
            f"{counted(follower.behind, 'change')} behind" if follower.behind else strings.UP_TO_DATE
        )
        rows.append((follower.name, state))
    rows.append(("files", covered(status.coverage) or "none"))
    return ink.facts((name, tilde(value)) for name, value in rows)
