"""How documents come to a reader: read and laid out in threads, one at a time, the latest wish next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message
from textual.worker import get_current_worker

from ark_tui.domain.errors import ArkError
from ark_tui.faces.tui.reading.page import AT_ONCE, LATER, Page

if TYPE_CHECKING:
    from ark_tui.domain.documents import Passage
    from ark_tui.faces.tui.parts.reader import Reader
    from ark_tui.faces.tui.reading.page import Form
    from ark_tui.faces.tui.reading.trail import Visit

FIRST = 0.05
"""Seconds that the glimpse of a long document has to itself, to be painted."""


class PageArrived(Message):
    """A document has been read and laid out, in a form and at a width."""

    def __init__(self, visit: Visit, page: Page, form: Form, width: int) -> None:
        super().__init__()
        self.visit = visit
        self.page = page
        self.form: Form = form
        self.width = width
        self.sheet = page.sheet(form, width)


class ReadingFailed(Message):
    """A document could not be read."""

    def __init__(self, visit: Visit, error: ArkError) -> None:
        super().__init__()
        self.visit = visit
        self.error = error


class Marked(Message):
    """Code has its colours now, or links to no document have their look."""


class Fetching:
    """Fetches documents for a reader. On the thread that paints."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._reading: Visit | None = None
        self._next: Visit | None = None  # what is to be read after that

    def ask(self, visit: Visit) -> None:
        """Read a document; while one is being read, only the latest of those asked for comes next."""
        if self._reading is not None:
            self._next = visit
        else:
            self.begin(visit)

    def begin(self, visit: Visit, passage: Passage | None = None) -> None:
        """Read a document now, whatever else is being read; `passage` is it, where it is there already."""
        self._reading = visit
        prepare = partial(self._prepare, visit, self._reader.form, self._reader.room, passage)
        self._reader.run_worker(prepare, thread=True, group="reading", exit_on_error=False)

    def stay(self) -> None:
        """What is shown is what is wanted: nothing comes next."""
        self._next = None

    def forget(self) -> None:
        """Nothing is wanted any more."""
        self._reading = self._next = None

    def is_to_be_shown(self, event: PageArrived) -> bool:
        """Whether a page is what is wanted; a mere glimpse is not while something else is."""
        whole = event.page.whole
        return (whole or self._next is None) and self._is_wanted(event.visit, over=whole)

    def is_to_be_said(self, event: ReadingFailed) -> bool:
        """Whether what could not be read is what is wanted."""
        return self._is_wanted(event.visit, over=True)

    def _is_wanted(self, visit: Visit, *, over: bool) -> bool:
        """Whether what has been read is still wanted; if not, what is comes next when this is `over`."""
        following, here = self._next, self._reader.trail.here
        if over:
            self.forget()
        if following is not None and following.wanted != visit.wanted:
            if over:
                self.ask(following)
            return False
        return here is not None and visit.wanted == here.wanted

    def _prepare(self, visit: Visit, form: Form, width: int, passage: Passage | None) -> None:
        reader, opening = self._reader, self._reader.ark.opening
        try:
            passage = passage or opening.wait().show(visit.wanted.document, visit.wanted.query)
        except ArkError as error:
            reader.post_message(ReadingFailed(visit, error))
            return
        page = Page(passage, max(1, visit.wanted.lines[0]))
        if not page.whole:
            reader.post_message(PageArrived(visit, page, form, width))
            get_current_worker().cancelled_event.wait(FIRST)
            page = page.completed()
        coloured = page.colour(AT_ONCE)
        reader.post_message(PageArrived(visit, page, form, width))
        if reader.LEADS_ON:
            self._look_for_astray(page)
        if not coloured and page.colour(LATER):
            reader.post_message(Marked())

    def _look_for_astray(self, page: Page) -> None:
        """Find out which links of a page lead nowhere."""
        from ark_tui.faces.tui.reading import addresses

        links = [(one.target, one.wiki) for one in page.built.links if not addresses.is_elsewhere(one.target)]
        if not links:
            return
        ark = self._reader.ark
        try:
            page.astray = ark.opening.wait().reading.astray(page.passage.document.id, links)
        except ArkError as error:
            ark.call_from_thread(ark.say_error, error)
        self._reader.post_message(Marked())
