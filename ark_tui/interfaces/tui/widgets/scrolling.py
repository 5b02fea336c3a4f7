"""Scrollable views: movement with j, k, g, G and similar keys, and drawing of visible lines."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partialmethod
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual.containers import Vertical, VerticalScroll
from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.widget import Widget

from ark_tui.domain.display import visible
from ark_tui.interfaces.tui.reading.text import TAB, fold
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.colours import Name
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets import ink as theme

if TYPE_CHECKING:
    from textual.strip import Strip


class Movement:
    """The actions of the scope `move`, for a view of rows with a current one."""

    @property
    @abstractmethod
    def row(self) -> int:
        """The current row, from 0."""

    @property
    @abstractmethod
    def last_row(self) -> int:
        """The last valid row; -1 if there is none."""

    @property
    @abstractmethod
    def page(self) -> int:
        """The number of visible rows."""

    @abstractmethod
    def move_to(self, row: int) -> None:
        """Go to a row, clamped to the valid range."""

    def _move_by(self, rows: int) -> None:
        self.move_to(self.row + rows)

    action_row_down = partialmethod(_move_by, +1)
    action_row_up = partialmethod(_move_by, -1)

    def action_first(self) -> None:
        self.move_to(0)

    def action_last(self) -> None:
        self.move_to(self.last_row)

    def action_half_down(self) -> None:
        self.move_to(self.row + max(1, self.page // 2))

    def action_half_up(self) -> None:
        self.move_to(self.row - max(1, self.page // 2))

    def action_page_down(self) -> None:
        self.move_to(self.row + max(1, self.page - 1))

    def action_page_up(self) -> None:
        self.move_to(self.row - max(1, self.page - 1))


class Aiming(Widget if TYPE_CHECKING else object):  # type: ignore[misc]
    """A view that never scrolls beyond its end.

    When the content shrinks, Textual corrects the position but not the scroll target: the first turns of the
    wheel upwards would have no effect.
    """

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The scroll position has changed."""
        super().watch_scroll_y(old_value, new_value)
        if self.scroll_target_y > self.max_scroll_y:
            self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)


class Column(Aiming, Vertical):
    """Stacked parts that scroll together."""


class Drawn(Movement, Aiming, ScrollView, can_focus=True):
    """A scroll view that draws its lines itself.

    Its content may change with every key, so changes cause no layout, and styles are cached.
    """

    virtual_size = Reactive(Size(0, 0), layout=False)

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self._styles_known: dict[str, Style] = {}

    def notify_style_update(self) -> None:
        """The theme or the focus has changed."""
        super().notify_style_update()
        self._styles_known.clear()

    def hold(self, lines: int) -> None:
        """Set the number of lines. Updates the scroll bar, which is always visible."""
        size = Size(self.scrollable_content_region.width, lines)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)
        self.refresh()

    @property
    def base(self) -> Style:
        """The base style of every line."""
        known = self._styles_known
        return known.get("") or known.setdefault("", self.rich_style)

    def ink(self, name: Name) -> Style:
        """A style of the theme without its background, to be combined with that of the line."""
        known = self._styles_known
        return known.get(name) or known.setdefault(name, theme.ink(self, name))

    def ground(self, name: Name) -> Style:
        """A style of the theme with its background."""
        known, key = self._styles_known, f"on {name}"
        return known.get(key) or known.setdefault(key, theme.ground(self, name))

    def family(self, name: str) -> Style:
        """The color of a signal family."""
        known, key = self._styles_known, f"family {name}"
        return known.get(key) or known.setdefault(key, theme.family(self, name))


Line = list[ink.Piece]


class Scrolled(Movement, Widget if TYPE_CHECKING else object):  # type: ignore[misc]
    """A view whose current row is the first visible one."""

    @property
    def row(self) -> int:
        return round(float(self.scroll_target_y))

    @property
    def last_row(self) -> int:
        return int(self.max_scroll_y)

    @property
    def page(self) -> int:
        return max(1, int(self.scrollable_content_region.height))

    def move_to(self, row: int) -> None:
        self.scroll_to(y=max(0, min(row, self.last_row)), animate=False, immediate=True)


class ScrolledText(Scrolled, Aiming, VerticalScroll, can_focus=True):
    """Scrollable text with the movement keys of lists."""

    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("move")


class Scroller(Scrolled, Drawn):
    """Lines to read. Subclasses set their number with `hold` and draw them."""

    SCOPES: ClassVar[actions.Scopes] = ("move",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)


class Written(Scroller):
    """A view of a few lines, all recreated when the width or theme changes."""

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id)
        self._lines: list[Line] = []

    @abstractmethod
    def made(self, width: int) -> Iterator[Line]:
        """The lines for a width in cells."""

    def lay_out(self) -> None:
        """Recreate the lines; none before the size is known."""
        width = self.scrollable_content_region.width
        self._lines = list(self.made(width)) if self.is_attached and width > 0 else []
        self.hold(len(self._lines))

    def on_resize(self) -> None:
        self.lay_out()

    def notify_style_update(self) -> None:
        """Recreate the lines, whose colors depend on the theme."""
        super().notify_style_update()
        self.lay_out()

    def render_line(self, y: int) -> Strip:
        row, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        return ink.strip(self._lines[row] if row < len(self._lines) else [], width, self.base)


MARK = "mark"
"""Metadata key for the marked text at a position of the screen."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text of one or more lines in one style; None means plain. `indent` in cells.

    `marks`: clickable ranges of the text, as start and end offsets.
    """

    text: str
    style: Name | None = None
    indent: int = 0
    marks: tuple[tuple[int, int], ...] = ()


class Sheet(Written):
    """Stacked paragraphs."""

    def __init__(self, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id)
        self.paragraphs: Sequence[Paragraph] = ()
        self._firsts: list[int] = []  # the first row of each paragraph
        self._goal = 0  # paragraph to scroll to once the size is known

    def show(self, paragraphs: Sequence[Paragraph], *, at: int = 0) -> None:
        """Show paragraphs and scroll to the index `at`; a negative one counts from the end."""
        self.paragraphs, self._goal = paragraphs, at
        self.lay_out()
        self.call_after_refresh(self._to_goal)

    @property
    def paragraph(self) -> int:
        """The index of the first visible paragraph."""
        return max(0, bisect_right(self._firsts, self.row) - 1)

    def on_resize(self) -> None:
        if self._firsts:
            self._goal = self.paragraph
        super().on_resize()
        self.call_after_refresh(self._to_goal)

    def made(self, width: int) -> Iterator[Line]:
        self._firsts, row = [], 0
        for one in self.paragraphs:
            self._firsts.append(row)
            text = visible(one.text)
            for start, end in fold(text, max(1, width - 2 - one.indent)):
                yield [(" " * (1 + one.indent), Style.null()), *self._pieces(one, text, start, end)]
                row += 1

    def _to_goal(self) -> None:
        if self._goal < 0:
            self.move_to(self.last_row)
        elif self._goal < len(self._firsts):
            self.move_to(self._firsts[self._goal])

    def _pieces(self, one: Paragraph, text: str, start: int, end: int) -> list[ink.Piece]:
        """A row of a paragraph, with the style of marks."""
        plain = self.ink(one.style) if one.style else Style.null()
        pieces: list[ink.Piece] = []
        for first, last in one.marks:
            if start <= first < end:
                marked = self.ink("accent") + Style(meta={MARK: text[first:last]})
                pieces += [(text[start:first], plain), (text[first : min(last, end)], marked)]
                start = min(last, end)
        pieces.append((text[start:end], plain))
        return [(piece.replace("\t", TAB).rstrip("\r"), style) for piece, style in pieces]
