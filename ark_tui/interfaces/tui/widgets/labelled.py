"""Lines with labels and hanging indent: wrapped text is aligned with its beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.widgets import Static

from ark_tui.domain.display import visible_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.geometry import Size

Row = tuple[Text, Text]
"""A label and its text. A line without a label has an empty one."""

NAME = 9  # minimum width of labels in cells
LEAST = 24  # space between labels and their text in cells


class Labelled(Static):
    """Rows wrapped to the width."""

    def __init__(self, rows: Iterable[Row] = (), **named: Any) -> None:
        """`named`: the usual arguments of a widget."""
        self._rows = list(rows)
        super().__init__(_joined(self._rows), **named)

    def put(self, rows: Iterable[Row]) -> None:
        """Replace the rows."""
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
    """Names and values as rows."""
    return [(Text(f" {name:<{NAME}}", "bold"), Text(visible_line(value))) for name, value in rows]


def _joined(rows: Iterable[Row]) -> Text:
    """The rows as plain text, for searching."""
    return Text("\n").join(Text.assemble(label, said) for label, said in rows)
