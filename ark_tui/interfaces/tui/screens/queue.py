"""The curation queue, one item at a time, and a side-by-side view of documents to merge."""

from __future__ import annotations

from functools import partial, partialmethod
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import events, getters, on
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widgets import Static

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.names import Tags
from ark_tui.interfaces.tui.state.trail import Wanted
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.reader import Reader
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ark_tui.domain.curation import Choice, Done, Item, Queue
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.reading import Stake
    from ark_tui.interfaces.tui.state.client import Act, Client
    from ark_tui.interfaces.tui.state.context import PaneContext


BATCH = 200
"""Items loaded at once."""

ADJECTIVES = {"stale", "untagged"}
"""Kinds of items whose name has no plural."""

BAR = 20
"""Width of the progress bar in cells."""


class Side(Container):
    """One of the texts of an item."""

    reader = getters.query_one(Reader)

    def __init__(self, context: PaneContext, *, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self._handed = context

    def compose(self) -> ComposeResult:
        reader = Reader(self._handed)
        reader.can_focus = False  # all keys are decisions; both texts scroll together
        yield reader


class QueueScreen(Dialog[None]):
    """Items of the queue with the texts they refer to."""

    SCOPES: ClassVar[actions.Scopes] = ("queue", "dialog")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("queue")
    HELP = strings.HELP_QUEUE

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context)
        self.items: list[Item] = []
        self._counts: dict[str, int] = {}
        self._later = 0
        self._at = 0
        self._decided = 0
        self._pending: set[str] = set()  # ids of items whose decision is running
        self._back: set[str] = set()  # documents of an undone edit, whose item is shown
        self._looked = False
        self._beside = False  # the second text is from a file, not from the store

    @property
    def item(self) -> Item | None:
        """The current item."""
        return self.items[self._at] if self._at < len(self.items) else None

    def compose(self) -> ComposeResult:
        with Container(id="queue"):
            yield Static(id="asked")
            with Horizontal(id="texts"):
                yield Side(self.context, id="first")
                yield Side(self.context, id="second")
            yield Static(id="choices")

    def on_mount(self) -> None:
        box = self.query_one("#queue")
        box.border_title = strings.QUEUE
        self.query_one("#asked", Static).update(Text(strings.QUEUE_LOADING))
        self.look()

    def home_changed(self) -> None:
        self.look()

    def look(self) -> None:
        """Load the queue."""
        self.request(act(operations.queue.list_, BATCH), self._take, group="queue")

    def _take(self, queue: Queue) -> None:
        """Show the loaded queue. The current item stays if it is still in the queue."""
        here = self.item
        known = [one for one in queue.items if one.id not in self._pending]
        self._counts = {str(kind): count for kind, count in queue.counts.items()}
        self._later, self._looked = queue.later, True
        self.items = known
        ids = [one.id for one in known]
        back = next(
            (row for row, one in enumerate(known) if self._back & {d.id for d in one.documents}), None
        )
        if back is not None:
            self._at, self._back = back, set()
        elif here is not None and here.id in ids:
            self._at = ids.index(here.id)
        else:
            self._at = max(0, min(self._at, len(known) - 1))
        self._show()

    def _show(self) -> None:
        item = self.item
        self.query_one("#queue").set_class(item is None, "-empty")
        self._say_counts()
        if item is None:
            self._say_nothing()
            return
        self.query_one("#texts").set_class(len(item.documents) > 1, "-two")
        self._ask_about(item)
        self.query_one("#choices", Static).update(self._choices(item))
        self.call_after_refresh(self._read, item)

    def _ask_about(self, item: Item, more: str = "") -> None:
        """Show the item. `more`: additional facts."""
        asked = Text(f"{item.kind}", "bold")
        asked.append(f"  {visible_line(item.reason)}", "not bold")
        for number, one in enumerate(item.documents, 1):
            mark = f"{number}  " if len(item.documents) > 1 else ""
            tags = "".join(f"  #{tag}" for tag in one.tags)
            asked.append(f"\n{mark}{visible_line(f'{one.collection}/{one.path}{tags}')}", "not bold")
        if more:
            asked.append(f"\n{visible_line(more)}", "not bold")
        self.query_one("#asked", Static).update(asked)

    def _read(self, item: Item) -> None:
        sides = (self.query_one("#first", Side), self.query_one("#second", Side))
        if self._beside:
            sides[1].reader.clear()
            self._beside = False
        for side, one in zip(sides, item.documents, strict=False):
            side.reader.want(Wanted(one.id, refresh=self._decided))
        if item.kind == "stale":
            self.request(
                act(operations.workbench.present, item.documents[0].id),
                partial(self._show_present, item),
                lambda error: self._ask_about(item, error.what) if item == self.item else None,
                group="present",
            )

    def _show_present(self, item: Item, passage: Passage) -> None:
        """Show the current file beside the indexed text."""
        if item != self.item:
            return
        self._ask_about(item, strings.QUEUE_STALE)
        self.query_one("#texts").add_class("-two")
        self.query_one("#second", Side).reader.read(passage)
        self._beside = True

    def _say_counts(self) -> None:
        left = sum(self._counts.values()) - len(self._pending)
        done = self._decided + len(self._pending)
        full = round(BAR * done / (done + left)) if done + left else BAR
        kinds = " · ".join(_of_kind(kind, count) for kind, count in self._counts.items() if count)
        later = f" · {self._later:,} postponed" if self._later else ""
        bar = f"{'█' * full}{'░' * (BAR - full)}"
        box = self.query_one("#queue")
        box.border_subtitle = Content(f"{bar} {done:,} decided · {max(0, left):,} left")
        box.border_title = Content(f"Curation queue · {kinds}{later}" if kinds or later else strings.QUEUE)

    def _choices(self, item: Item) -> Text:
        """The decision keys, without breaking a choice across lines."""
        width = self.query_one("#choices").content_size.width or self.app.size.width
        choices = [_key(choice.key, choice.label) for choice in item.choices]
        if item.suggestions:
            choices.append(Text(f" (perhaps {visible_line(', '.join(item.suggestions))})"))
        return Text("\n").join(ink.packed(choices, width))

    def on_resize(self) -> None:
        if self.item is not None:
            self.call_after_refresh(self._choose_again)

    def _choose_again(self) -> None:
        if self.item is not None:
            self.query_one("#choices", Static).update(self._choices(self.item))

    def _say_nothing(self) -> None:
        said = strings.QUEUE_EMPTY if self._looked else strings.QUEUE_LOADING
        if self._later:
            said += strings.QUEUE_TOMORROW.format(items=counted(self._later, "item"))
        text = Text(said, "bold")
        text.append(strings.QUEUE_ABOUT, "not bold")
        self.query_one("#asked", Static).update(text)
        self.query_one("#choices", Static).update("")

    def on_key(self, event: events.Key) -> None:
        item = self.item
        choice = next((one for one in item.choices if one.key == event.character), None) if item else None
        if item is None or choice is None:
            return
        event.stop()
        event.prevent_default()
        if choice.asks:
            self._ask_tags(item, choice)
        else:
            self.decide(item, choice)

    def _ask_tags(self, item: Item, choice: Choice) -> None:
        title = f"Tags for “{item.documents[0].title}”"
        then = partial(self.decide, item, choice)
        self.context.dialogs.name(title, Tags(), then, ", ".join(item.suggestions))

    def decide(self, item: Item, choice: Choice, text: str = "") -> None:
        """Run a decision. The next item is shown at once."""
        self._pending.add(item.id)
        self.items = [one for one in self.items if one.id != item.id]
        self._at = min(self._at, max(0, len(self.items) - 1))
        self._show()
        self._carry_out(act(operations.workbench.decide, item, choice.key, text), item)

    def action_undo(self) -> None:
        self._carry_out(act(operations.curation.undo))

    def action_redo(self) -> None:
        self._carry_out(act(operations.curation.redo))

    def _carry_out(self, edit: Act[Done], item: Item | None = None) -> None:
        def say(done: Done) -> None:
            self._decided += 1 if item is not None else -1 if self._decided else 0
            self._back = set() if item is not None else {document.id for document in done.documents}
            self.context.say_done(done)

        def after() -> None:
            if item is not None:
                self._pending.discard(item.id)
            self.look()

        self.edit(edit, say, after=after)

    def _go(self, step: int) -> None:
        if self.items:
            self._at = (self._at + step) % len(self.items)
            self._show()

    action_next = partialmethod(_go, +1)
    action_previous = partialmethod(_go, -1)

    def _scroll(self, rows: int) -> None:
        """Scroll both texts together, so that equal parts stay side by side."""
        for side in self.query(Side):
            side.reader.move_to(side.reader.row + rows)

    action_down = partialmethod(_scroll, +1)
    action_up = partialmethod(_scroll, -1)
    action_page_down = partialmethod(_scroll, +10)
    action_page_up = partialmethod(_scroll, -10)


def _of_kind(kind: str, count: int) -> str:
    """`2 duplicates`, `3 stale`."""
    return f"{count:,} {kind}" if kind in ADJECTIVES else counted(count, kind)


def _key(key: str, does: str) -> Text:
    return Text.assemble((f" {key}", "bold"), f" {does}  ")


class Merged(Rows["Document"]):
    """The documents to merge. The one under the cursor is kept."""

    def __init__(self) -> None:
        super().__init__("merged")
        self.stakes: list[Stake] = []

    def pieces(self, row: Document, _part: int, width: int) -> list[ink.Piece]:
        at, stays = self.rows.index(row), row is self.here
        fate = ("stays ", self.ink("strong")) if stays else ("goes  ", self.ink("warning"))
        stake = self.stakes[at] if at < len(self.stakes) else None
        about = f"{counted(stake.chunks, 'passage')} · {counted(stake.links, 'link')} to it" if stake else ""
        about = f"  {row.tier} · {about}" if about else f"  {row.tier}"
        title = ink.shorten(visible_line(row.called), width - len(about) - len(fate[0]))
        return ink.justified([fate, (title, Style.null())], [(about, self.ink("muted"))], width)


class MergeScreen(Dialog[tuple[str, ...]]):
    """Returns the ids of the documents, the one that is kept first."""

    SCOPES: ClassVar[actions.Scopes] = ("merge", "dialog")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("merge")
    AUTO_FOCUS = "Merged"

    merged = getters.query_one(Merged)

    def __init__(self, context: PaneContext, documents: Sequence[Document]) -> None:
        """`documents`: at least two; the first is proposed as the one to keep."""
        super().__init__(context)
        self._documents = documents
        self._other = 0  # index of the removed document whose text is shown

    def compose(self) -> ComposeResult:
        with Container(id="queue"):
            yield Merged()
            with Horizontal(id="texts", classes="-two"):
                yield Side(self.context, id="first")
                yield Side(self.context, id="second")

    def on_mount(self) -> None:
        box = self.query_one("#queue")
        box.border_title = strings.MERGE_TITLE.format(documents=counted(len(self._documents), "document"))
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
        """The documents that move to the trash, superseded by the one that is kept."""
        return [one for one in self._documents if one is not self.merged.here]

    @on(RowList.Moved)
    def _moved(self) -> None:
        self._other = 0
        self._show()

    def _show(self) -> None:
        """Show the text that is kept on the left, one that is removed on the right."""
        if (here := self.merged.here) is not None:
            for side, one in (("#first", here), ("#second", self.going[self._other])):
                self.query_one(side, Side).reader.want(Wanted(one.id))

    def action_other(self) -> None:
        self._other = (self._other + 1) % len(self.going)
        self._show()

    def action_open(self) -> None:
        if (here := self.merged.here) is not None:
            self.dismiss((here.id, *(one.id for one in self.going)))
