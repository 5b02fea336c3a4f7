"""Lines with a label each: what is folded stands below its beginning, and not below the label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.widgets import Static

from ark_tui.domain.display import visible_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.geometry import Size

Row = tuple[Text, Text]
"""A label, and what is said under it; a line by itself has an empty label."""

NAME = 9  # cells of a label, at least
LEAST = 24  # cells to the right of labels, below which they stand before their text


class Labelled(Static):
    """Rows that are folded to the width."""

    def __init__(self, rows: Iterable[Row] = (), **named: Any) -> None:
        """`named`: as every widget has it."""
        self._rows = list(rows)
        super().__init__(_joined(self._rows), **named)

    def put(self, rows: Iterable[Row]) -> None:
        """Show other rows."""
        self._rows = list(rows)
        self.update(_joined(self._rows))

    def render(self) -> Text:
        return Text("\n").join(self._folded(self.content_size.width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        del container, viewport
        return len(self._folded(width))

    def _folded(self, width: int) -> list[Text]:
        console, lines = self.app.console, list[Text]()
        for label, said in self._rows:
            indent = label.cell_len if width - label.cell_len >= LEAST else 0
            text = said if indent else Text.assemble(label, said)
            folded = text.wrap(console, max(1, width - indent)) or [Text()]
            for number, line in enumerate(folded):
                before = label if not number and indent else Text(" " * indent)
                lines.append(Text.assemble(before, line))
        return lines


def facts(rows: Iterable[tuple[str, str]]) -> list[Row]:
    """What is known of something: the name of each, and its value."""
    return [(Text(f" {name:<{NAME}}", "bold"), Text(visible_line(value))) for name, value in rows]


def _joined(rows: Iterable[Row]) -> Text:
    """The rows as they are found by who looks for a text."""
    return Text("\n").join(Text.assemble(label, said) for label, said in rows)
