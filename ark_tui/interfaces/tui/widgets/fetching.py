"""Loads documents for a reader: read and laid out in threads, one at a time, latest request next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message

from ark_tui import operations
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.reading.page import Form, Page
from ark_tui.interfaces.tui.state import addresses
from ark_tui.interfaces.tui.state.trail import Trail, Visit
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from ark_tui.domain.documents import Passage
    from ark_tui.interfaces.tui.reading.sheet import Sheet
    from ark_tui.interfaces.tui.state.context import PaneContext


@dataclass
class PageArrived(Message):
    """A document was read and laid out, in a form and for a width."""

    visit: Visit
    page: Page
    form: Form
    width: int
    sheet: Sheet = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.sheet = self.page.sheet(self.form, self.width)


@dataclass
class ReadingFailed(Message):
    """A document could not be read."""

    visit: Visit
    error: ArkError


class Marked(Message):
    """The broken links of the document are known."""


class FetchingView(Requesting, TextView):
    """A view that loads documents. Methods run on the UI thread unless they say otherwise."""

    LEADS_ON = True  # its links lead to other documents

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(context, id)
        self.trail = Trail()
        self._reading: Visit | None = None
        self._next: Visit | None = None  # the next document to load

    def fetch(self, visit: Visit) -> None:
        """Load a document. While another one is loading, only the latest request is kept."""
        if self._reading is not None:
            self._next = visit
        else:
            self.begin(visit)

    def begin(self, visit: Visit, passage: Passage | None = None) -> None:
        """Load a document now, even while another one is loading. `passage`: its text, if known."""
        self._reading = visit
        self._prepare(visit, self.form, self.room, passage)

    def stay(self) -> None:
        """Keep the current document: drop the next request."""
        self._next = None

    def forget(self) -> None:
        """Drop all requests."""
        self._reading = self._next = None

    def is_wanted(self, visit: Visit) -> bool:
        """Whether the loaded document is still requested. If not, load the requested one next."""
        following, here = self._next, self.trail.here
        self.forget()
        if following is not None and following.wanted != visit.wanted:
            self.fetch(following)
            return False
        return here is not None and visit.wanted == here.wanted

    @work(thread=True, group="reading", exit_on_error=False)
    def _prepare(self, visit: Visit, form: Form, width: int, passage: Passage | None) -> None:
        try:
            passage = passage or self.context.client.call(
                operations.workbench.text, visit.wanted.document, visit.wanted.query
            )
        except ArkError as error:
            self.post_message(ReadingFailed(visit, error))
            return
        page = Page(passage)
        self.post_message(PageArrived(visit, page, form, width))
        if self.LEADS_ON:
            self._look_for_astray(page)

    def _look_for_astray(self, page: Page) -> None:
        """Find the broken links of a page. Runs in the thread."""
        links = [
            (link.target, link.wiki)
            for link in page.built.links
            if not (addresses.is_elsewhere(link.target) or addresses.is_picture(link.target))
        ]
        if not links:
            return
        try:
            document = page.passage.document.id
            page.astray = self.context.client.call(operations.workbench.astray, document, links)
        except ArkError as error:
            self.app.call_from_thread(self.context.say_error, error)
        self.post_message(Marked())
