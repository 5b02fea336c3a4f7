"""Before documents become one: both texts side by side, which one stays, and what goes with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import getters, on
from textual.containers import Container, Horizontal

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.screens.queue import Side
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.trail import Wanted
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ark_tui.domain.documents import Document
    from ark_tui.domain.reading import Stake
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext


class Merged(Rows["Document"]):
    """Those that become one: the one under the cursor stays."""

    HELP = "The document under the cursor stays, with the tags, links, pins and judgments of all of them."

    def __init__(self) -> None:
        super().__init__("merged")
        self.stakes: list[Stake] = []

    def pieces(self, row: Document, part: int, width: int) -> list[ink.Piece]:
        del part
        at, stays = self.rows.index(row), row is self.here
        fate = ("stays ", self.ink("strong")) if stays else ("goes  ", self.ink("warning"))
        stake = self.stakes[at] if at < len(self.stakes) else None
        about = f"{counted(stake.chunks, 'passage')} · {counted(stake.links, 'link')} to it" if stake else ""
        about = f"  {row.tier} · {about}" if about else f"  {row.tier}"
        title = ink.shorten(visible_line(row.called), width - len(about) - len(fate[0]))
        return ink.justified([fate, (title, Style.null())], [(about, self.ink("muted"))], width)


class MergeScreen(Dialog[tuple[str, ...]]):
    """Answers with the ids, that of the document which stays first."""

    SCOPES: ClassVar[actions.Scopes] = ("merge", "dialog")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("merge")
    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    FOOTER = False  # it has the whole screen, and its keys on it
    AUTO_FOCUS = "Merged"

    merged = getters.query_one(Merged)

    def __init__(self, context: PaneContext, documents: Sequence[Document]) -> None:
        """`documents`: two at least; the first is proposed to stay."""
        super().__init__(context)
        self._documents = documents
        self._other = 0  # of those that go, the one whose text is shown

    def compose(self) -> ComposeResult:
        with Container(id="queue"):
            yield Merged()
            with Horizontal(id="texts", classes="-two"):
                yield Side(self.context, id="first")
                yield Side(self.context, id="second")

    def on_mount(self) -> None:
        keys, box = self.context.keys, self.query_one("#queue")
        box.border_title = f"Merge {counted(len(self._documents), 'document')}: ↑ ↓ which one stays"
        other = f" · {keys['merge.other']} the next that goes" if len(self._documents) > 2 else ""
        box.border_subtitle = f"{keys['merge.open']} merges{other} · {self.closes}"
        self.merged.styles.height = min(len(self._documents), 6)
        self.merged.put(self._documents)
        self.request(self._weigh, self._weighed, group="stake")
        self._show()

    def _weigh(self, client: Client) -> list[Stake]:
        return [client.call(operations.workbench.stake, [one.id]) for one in self._documents]

    def _weighed(self, stakes: list[Stake]) -> None:
        self.merged.stakes = stakes
        self.merged.refresh()

    @property
    def going(self) -> list[Document]:
        """Those that go into the trash, superseded by the one that stays."""
        return [one for one in self._documents if one is not self.merged.here]

    @on(RowList.Moved)
    def _moved(self) -> None:
        self._other = 0
        self._show()

    def _show(self) -> None:
        """The text that stays at the left, one that goes at the right."""
        if (here := self.merged.here) is not None:
            for side, one in (("#first", here), ("#second", self.going[self._other])):
                self.query_one(side, Side).reader.want(Wanted(one.id))

    def action_other(self) -> None:
        self._other = (self._other + 1) % len(self.going)
        self._show()

    def action_open(self) -> None:
        if (here := self.merged.here) is not None:
            self.dismiss((here.id, *(one.id for one in self.going)))
