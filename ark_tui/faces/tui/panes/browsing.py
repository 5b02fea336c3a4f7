"""All documents, page by page: read as somebody comes by, filtered while typing, in an order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual import events, getters, on, work
from textual.containers import Container
from textual.widgets import Input

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.domain.library import ORDERS, Listing
from ark_tui.faces.tui.messages import PageArrived
from ark_tui.faces.tui.parts.documents import PAGE, Documents

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

    from ark_tui.faces.tui.app import ArkApp

PAUSE = 0.08
"""Seconds without a key after which the words of the filter count."""


class FilterLine(Input):
    """Words that are to be in title, path or tags."""

    HELP = "Documents stay that have all of these words in their title, their path or their tags."

    def __init__(self, *, blink: bool) -> None:
        super().__init__(placeholder="words of title, path or #tags", select_on_focus=False, id="filter")
        self.cursor_blink = blink

    @property
    def _value(self) -> Text:
        """The text as it is drawn: what was pasted may hold anything."""
        return Text(visible_line(self.value), no_wrap=True, overflow="ignore", end="")

    def on_key(self, event: events.Key) -> None:
        if event.key == "down":
            event.stop()
            self.post_message(self.Submitted(self, self.value))


class Browser(Container):
    """The list of documents and the line that filters it."""

    documents = getters.query_one(Documents)
    filter_line = getters.query_one(FilterLine)

    def __init__(self) -> None:
        super().__init__(id="browser")
        self.listing = Listing()
        self._number = 0  # of the latest listing asked for
        self._reading = False
        self._next: int | None = None  # the page to be read after the one being read
        self._pause: Timer | None = None

    @property
    def ark(self) -> ArkApp:
        return cast("ArkApp", self.app)

    def compose(self) -> ComposeResult:
        yield FilterLine(blink=self.ark.settings.blink)
        yield Documents()

    # -- which documents -----------------------------------------------------------------------------

    def look_again(self) -> None:
        """The same listing as it is now, everything at its place."""
        self._renew(top=False)

    def list_collection(self, name: str) -> None:
        """The documents of one collection; without a name those of all."""
        self.listing = Listing(name, "", self.listing.order)
        self.documents.unmark()
        self._put_filter("")
        self._renew(top=True)

    def turn_order(self) -> None:
        """The next order, the cursor on the same document."""
        order = ORDERS[(ORDERS.index(self.listing.order) + 1) % len(ORDERS)]
        self.listing = replace(self.listing, order=order)
        self._renew(top=False)

    def open_filter(self) -> None:
        """Go to the line that filters."""
        self.add_class("-filtered")
        self.filter_line.focus()

    def step_back(self) -> bool:
        """Marks, the filter, the collection: one of them goes, if there is any."""
        if self.documents.unmark():
            return True
        if self.listing.words or self.has_class("-filtered"):
            self._put_filter("")
            self.listing = replace(self.listing, words="")
            self._renew(top=False)
            self.documents.focus()
            return True
        if self.listing.collection:
            here = self.listing.collection
            self.listing = replace(self.listing, collection="")
            self._renew(top=False)
            self.ark.say(f"All documents, no longer only those of {here}.")
            return True
        return False

    def _put_filter(self, words: str) -> None:
        with self.prevent(Input.Changed):
            self.filter_line.value = words
        self.set_class(bool(words), "-filtered")

    @on(Input.Changed, "#filter")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._filter)

    def _filter(self) -> None:
        words = self.filter_line.value.strip()
        if words != self.listing.words:
            self.listing = replace(self.listing, words=words)
            self._renew(top=True)

    @on(Input.Submitted, "#filter")
    def _filtered(self, event: Input.Submitted) -> None:
        event.stop()
        self._filter()
        self.set_class(bool(self.listing.words), "-filtered")
        self.documents.focus()

    # -- reading pages -------------------------------------------------------------------------------

    def _renew(self, *, top: bool) -> None:
        self._number += 1
        here = self.documents.here
        around = here.id if here and not top else ""
        start = 0 if top else self.documents.cursor // PAGE * PAGE
        self._read_anew(self._number, self.listing, start, around, top=top)

    @work(thread=True, exclusive=True, group="listing", exit_on_error=False)
    def _read_anew(self, number: int, listing: Listing, start: int, around: str, *, top: bool) -> None:
        try:
            page = self.ark.opening.wait().library.documents(listing, start, PAGE, around)
        except ArkError as error:
            self.app.call_from_thread(self.ark.say_error, error)
        else:
            self.post_message(PageArrived(number, listing, page, fresh=True, top=top))

    @on(Documents.Missing)
    def _missing(self, event: Documents.Missing) -> None:
        """Read a page; while one is being read, only the latest of those asked for comes next."""
        if self._reading:
            self._next = event.page
        else:
            self._reading = True
            self._read_page(self._number, self.documents.listing, event.page)

    @work(thread=True, group="page", exit_on_error=False)
    def _read_page(self, number: int, listing: Listing, page: int) -> None:
        try:
            found = self.ark.opening.wait().library.documents(listing, page * PAGE, PAGE)
        except ArkError as error:
            self.app.call_from_thread(self._not_read, error)
        else:
            self.post_message(PageArrived(number, listing, found, fresh=False))

    def _not_read(self, error: ArkError) -> None:
        self._reading, self._next = False, None
        self.ark.say_error(error)

    @on(PageArrived)
    def _page_arrived(self, event: PageArrived) -> None:
        if not event.fresh:
            self._reading = False
            page, self._next = self._next, None
            if page is not None:
                self._reading = True
                self._read_page(self._number, self.documents.listing, page)
        if event.number != self._number:
            return
        if event.fresh:
            empty = "There is no document yet." if not self.listing.words else "No document has these words."
            self.documents.empty = empty
            self.documents.renew(event.listing, event.page, top=event.top)
        else:
            self.documents.take(event.page)
