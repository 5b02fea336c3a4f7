"""All documents in pages, with a filter and a sort order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import getters, on
from textual.containers import Container
from textual.widgets import Input

from ark_tui import operations
from ark_tui.domain.library import ORDERS, Listing
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.widgets.document_lists import Documents
from ark_tui.interfaces.tui.widgets.paged_list import SIZE, Read
from ark_tui.interfaces.tui.widgets.query_line import Entry
from ark_tui.interfaces.tui.widgets.requesting import anew

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.timer import Timer

    from ark_tui.domain.documents import Document
    from ark_tui.interfaces.tui.state.context import PaneContext


PAUSE = 0.08
"""Seconds without a key press after which the filter is applied."""


class Browser(Container):
    """The list of documents with its filter."""

    filter_line = getters.query_one(Entry)

    def __init__(self, context: PaneContext) -> None:
        super().__init__(id="browser")
        self.context = context
        self.documents = Documents(context, self._reading)  # kept before and after it is mounted
        self._pause: Timer | None = None

    @property
    def listing(self) -> Listing:
        return self.documents.listing

    def compose(self) -> ComposeResult:
        line = Entry(placeholder=strings.FILTER_HINT, select_on_focus=False, id="filter")
        line.cursor_blink = self.context.settings.blink
        yield line
        yield self.documents

    def _reading(self) -> Read[Document]:
        documents, listing = operations.workbench.documents, self.listing
        return lambda client, offset, around: client.call(documents, listing, SIZE, offset, around)

    def look_again(self) -> None:
        """Reload the same listing and keep the position."""
        self.documents.renew()

    def list_collection(self, name: str) -> None:
        """List the documents of a collection; all without a name."""
        self.documents.unmark()
        self._put_filter("")
        self.documents.show(Listing(name, "", self.listing.order), top=True)

    def turn_order(self) -> None:
        """Switch to the next sort order; the cursor stays on its document."""
        order = ORDERS[(ORDERS.index(self.listing.order) + 1) % len(ORDERS)]
        self.documents.show(replace(self.listing, order=order), top=False)

    def open_filter(self) -> None:
        """Focus the filter."""
        self.add_class("-filtered")
        self.filter_line.focus()

    def step_back(self) -> bool:
        """Clear the marks, the filter or the collection, one per call. Return whether there was one."""
        if self.documents.unmark():
            return True
        if self.listing.words or self.has_class("-filtered"):
            self._put_filter("")
            self.documents.show(replace(self.listing, words=""), top=False)
            self.documents.focus()
            return True
        if self.listing.collection:
            here = self.listing.collection
            self.documents.show(replace(self.listing, collection=""), top=False)
            self.context.say(strings.COLLECTION_LEFT.format(collection=here))
            return True
        return False

    def _put_filter(self, words: str) -> None:
        with self.prevent(Input.Changed):
            self.filter_line.value = words
        self.set_class(bool(words), "-filtered")

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._pause = anew(self, self._pause, PAUSE, self._filter)

    def _filter(self) -> None:
        words = self.filter_line.value.strip()
        if words != self.listing.words:
            self.documents.show(replace(self.listing, words=words), top=True)

    def on_key(self, event: events.Key) -> None:
        if event.key == "down" and self.filter_line.has_focus:
            event.stop()
            self._go_to_list()

    @on(Input.Submitted, "#filter")
    def _filtered(self, event: Input.Submitted) -> None:
        event.stop()
        self._go_to_list()

    def _go_to_list(self) -> None:
        self._filter()
        self.set_class(bool(self.listing.words), "-filtered")
        self.documents.focus()
