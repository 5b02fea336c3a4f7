"""A list of any length whose pages are read from the home, with what else belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from textual import on
from textual.containers import Container

from ark_tui.interfaces.tui.widgets.paged_list import PagedList
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.paging import Page
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext

Row = TypeVar("Row")
Read: TypeAlias = "Callable[[Client, int, str], Page[Row]]"
"""Reads a page in a thread: from a row on, or around the one with an id."""


class PagedView(Requesting, Container):
    """Has pages read in threads, when its list asks for them."""

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context

    @property
    def listed(self) -> PagedList[Any]:
        """The list."""
        raise NotImplementedError

    def reading(self) -> Read[Any]:
        """What reads a page of what is listed now, in a thread: from an offset on, or around a row."""
        raise NotImplementedError

    def missed(self) -> None:
        """A page could not be read; that has been said."""

    @on(PagedList.PageWanted)
    def _page_wanted(self, event: PagedList.PageWanted) -> None:
        read, listed, state = self.reading(), self.listed, event.state
        self.request(
            lambda client: read(client, event.offset, str(event.around or "")),
            lambda page: listed.post_message(PagedList.PageArrived(page, state)),
            lambda error: self._missed(state, error),
            group="pages",
            exclusive=False,
        )

    def _missed(self, state: int, error: ArkError) -> None:
        self.context.say_error(error)
        self.listed.miss(state, self.context.keys["everywhere.reload"])
        self.missed()
