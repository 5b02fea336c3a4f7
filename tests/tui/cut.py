"""What is cut on the screen without a mark, found by walking over its widgets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.footing import Footer
from ark_tui.interfaces.tui.widgets.row_list import RowList
from ark_tui.interfaces.tui.widgets.scrolling import ScrolledText, Scroller


class Cuts:
    """Looks at a screen; lines that are drawn by hand it has seen being drawn since the last look."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._drawn: set[str] = set()
        before = ink.strip

        def strip(pieces: Iterable[ink.Piece], width: int, base: Style) -> Strip:
            pieces = list(pieces)
            text = "".join(text for text, _ in pieces).rstrip()
            if cell_len(text) > width > 0:
                self._drawn.add(f"drawn on {width} cells: {text!r}")
            return before(pieces, width, base)

        monkeypatch.setattr(ink, "strip", strip)

    def found(self, screen: Screen[Any]) -> Iterator[str]:
        """What is cut on a screen and bears no mark of it, a sentence each."""
        yield from self._drawn
        self._drawn.clear()
        top = screen.maximized or screen
        for widget in (top, *_shown(top)):
            name = f"{type(widget).__name__}{f'#{widget.id}' if widget.id else ''}"
            yield from (
                f"{name} {fault}" for fault in (*_outside(widget), *_inside(widget), *_roomless(widget))
            )


def unheard(screen: Screen[Any]) -> Iterator[str]:
    """Keys that the footer of a screen may name and that nobody carries out."""
    for footer in screen.query(Footer):
        for active in footer._live():
            target, name, _ = screen.app._parse_action(active.binding.action, active.node)
            if not any(hasattr(target, f"{start}{name}") for start in ("action_", "_action_")):
                yield f"{type(active.node).__name__} leaves out {active.binding.description!r}"


def _shown(widget: Widget) -> Iterator[Widget]:
    """What is displayed in a widget, at any depth."""
    for child in widget.displayed_children:
        if child.visible:
            yield child
            yield from _shown(child)


def _outside(widget: Widget) -> Iterator[str]:
    """Where a widget is not seen whole, and nothing scrolls to the rest of it."""
    around = [one for one in widget.ancestors if isinstance(one, Widget)]
    scrolls = any(one.show_vertical_scrollbar for one in around)
    place = widget.screen._compositor.full_map.get(widget)
    if place is None or not place.region.area:
        if _said(widget):
            yield f"has no room for {_said(widget)!r}"
        return
    seen = place.region.intersection(place.clip)
    if seen.width < place.region.width and not isinstance(widget.parent, Input):
        yield f"is {place.region.width - seen.width} columns too wide for its place"
    if seen.height < place.region.height and not scrolls:
        yield f"is {place.region.height - seen.height} rows too high for its place"


def _inside(widget: Widget) -> Iterator[str]:
    """Where what a widget says does not fit into it."""
    size, said = widget.content_size, _said(widget)
    keys = widget._border_subtitle if isinstance(widget.screen, ModalScreen) else None
    if keys is not None and "close" in keys.plain and keys.cell_length > widget.outer_size.width - 6:
        yield f"names its keys on an edge that is cut: {keys.plain!r}"
    if isinstance(widget, Footer) and widget.render().cell_len > size.width:
        yield f"cuts keys off: {widget.render().plain!r}"
    if isinstance(widget, Input) and not widget.value and cell_len(str(widget.placeholder)) > size.width:
        yield f"cuts its placeholder: {widget.placeholder!r}"
    if said and size.area:
        height = widget.get_content_height(size, widget.app.size, size.width)
        longest = max(map(cell_len, said.splitlines()))
        if height > size.height and not widget.show_vertical_scrollbar:
            yield f"has {size.height} rows for {height}: {said!r}"
        if height == 1 and longest > size.width and widget.styles.text_overflow != "ellipsis":
            yield f"has {size.width} cells for {longest}: {said!r}"


def _roomless(widget: Widget) -> Iterator[str]:
    """Where what scrolls has no room for any of what it shows."""
    height = widget.content_size.height
    if isinstance(widget, RowList) and widget.count and height < widget.ROW_HEIGHT:
        yield f"has {height} rows for {widget.count} of {widget.ROW_HEIGHT}"
    if isinstance(widget, Scroller | ScrolledText) and height < 1:
        yield "has no row for what it says"


def _said(widget: Widget) -> str:
    if isinstance(widget, Static) and isinstance(widget.content, str | Text | Content):
        return str(widget.content).rstrip()
    return ""
