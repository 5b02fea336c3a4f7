"""A list of any length whose pages are read from the home, with what else belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.containers import Container

from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.faces.tui.widgets.paged_list import PagedList

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.paging import Page
    from ark_tui.faces.tui.state.context import PaneContext


class PagedView(Container):
    """Has pages read in threads, when its list asks for them."""

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context

    @property
    def listed(self) -> PagedList[Any]:
        """The list."""
        raise NotImplementedError

    def reading(self) -> Callable[[int, str], Page[Any]]:
        """What reads a page of what is listed now, in a thread: from an offset on, or around a row."""
        raise NotImplementedError

    def missed(self) -> None:
        """A page could not be read; that has been said."""

    @on(PagedList.PageWanted)
    def _page_wanted(self, event: PagedList.PageWanted) -> None:
        self._read_page(self.reading(), event.offset, event.state, str(event.around or ""))

    @work(thread=True, group="pages", exit_on_error=False)
    def _read_page(self, read: Callable[[int, str], Page[Any]], offset: int, state: int, around: str) -> None:
        def act() -> None:
            self.listed.post_message(PagedList.PageArrived(read(offset, around), state))

        self.guarded(act, lambda: self._missed(state))

    def _missed(self, state: int) -> None:
        self.listed.miss(state, self.context.keys["everywhere.reload"])
        self.missed()

    def guarded(self, act: Callable[[], None], failed: Callable[[], None] = lambda: None) -> None:
        """Do something in the present thread; failing is said in words, and `failed` is called by the app."""
        try:
            act()
        except Cancelled:
            return
        except ArkError as error:
            self.app.call_from_thread(self.context.say_error, error)
            self.app.call_from_thread(failed)
