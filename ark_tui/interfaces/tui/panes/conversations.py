"""Conversations: the list, the messages of the selected one, and a search over all messages."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from rich.style import Style
from textual import getters, on
from textual.content import Content
from textual.message import Message as Event

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.domain.library import Page, Talk
from ark_tui.domain.memory import EVERY, Conversation, Message, Scope
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.history_view import HistoryView
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.wording import moment
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.paged_list import SIZE, PagedList, Read
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows
from ark_tui.interfaces.tui.widgets.scrolling import Paragraph, Sheet
from ark_tui.operations.operation import Page as Found

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext

FOUND = 200
"""Maximum messages of a search."""

LONGEST = 20_000
"""Maximum characters shown of a message; longer ones are pasted files."""


class Talks(PagedList[Talk]):
    """Conversations, two lines each: id, size and date; the beginning, and the agent if it is another one."""

    KEY = "conversation.number"
    BORDER_TITLE = "Conversations"
    ROW_HEIGHT = 2
    NEWEST_FIRST = True

    empty = "Reading …"

    def __init__(self, context: PaneContext, reading: Callable[[], Read[Talk]]) -> None:
        super().__init__("talks", context, reading)
        self.own = Scope()

    def pieces(self, row: Talk, part: int, width: int) -> list[ink.Piece]:
        muted, one = self.ink("muted"), row.conversation
        if part == 0:
            size = counted(one.messages, "message") if one.messages else "empty"
            right: list[ink.Piece] = [(f"  {size}  {moment(row.latest)}", muted)]
            return ink.ended(one.id, self.ink("strong"), right, width)
        whose = "" if one.scope == self.own else f"  {visible_line(one.scope.name)}"
        right = [(ink.shorten(whose, width // 2), muted)]
        return ink.ended(row.beginning, Style.null(), right, width)


class Finds(Rows[Message]):
    """Messages found, two lines each: the text; role, conversation and time."""

    KEY = "id"
    BORDER_TITLE = "Found"
    ROW_HEIGHT = 2

    def show(self, words: str, found: Found[Message] | None) -> None:
        """Show the messages found; None while searching."""
        self.empty = strings.NO_MESSAGE_MATCHES.format(words=words) if found else "Searching …"
        self.put(found.items if found else ())
        self.border_title = Content(f"{self.BORDER_TITLE}: {visible_line(words)}")
        cut = found is not None and found.total > len(self.rows)
        self.border_subtitle = Content(f"{'the best ' if cut else ''}{len(self.rows)}" if found else "")

    def pieces(self, row: Message, part: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        if part == 0:
            return [(ink.shorten(visible_line(row.content[: 4 * width]), width), Style.null())]
        right: list[ink.Piece] = [(f"  {moment(row.timestamp)}", muted)]
        return ink.ended(f"{_who(row)} · {row.conversation_id} {row.sequence}", muted, right, width)


class Transcript(Sheet):
    """A page of messages. Scrolling past either end loads another page."""

    BORDER_TITLE = "Messages"

    @dataclass
    class Turned(Event):
        """Requests `limit` other messages from `offset`. `end`: show the last ones."""

        offset: int
        limit: int
        end: bool = field(kw_only=True)

    def __init__(self) -> None:
        super().__init__("transcript")
        self.held: Page[Message] = Page((), 0)
        self.conversation: Conversation | None = None

    @property
    def message(self) -> Message | None:
        """The message at the top."""
        number = self.paragraph // 2
        return self.held.rows[number] if number < len(self.held.rows) else None

    def read(self, of: Conversation, page: Page[Message], *, end: bool = False, found: str = "") -> None:
        """Show a page from its start or `end`, or with the message `found` (an id) at the top."""
        self.conversation, self.held = of, page
        paragraphs = [made for row in page.rows for made in _written(row, found=row.id == found)]
        ids = [row.id for row in page.rows]
        self.show(paragraphs, at=2 * ids.index(found) if found in ids else -1 if end else 0)
        self.border_title = Content(visible_line(of.id))
        first, last = page.offset + 1, page.offset + len(page.rows)
        said = f"{first:,}–{last:,} of {page.total:,}" if page.rows else "no messages"
        self.border_subtitle = Content(said)

    def clear(self) -> None:
        """Show nothing."""
        self.conversation, self.held = None, Page((), 0)
        self.show(())
        self.border_title, self.border_subtitle = Content(self.BORDER_TITLE or ""), Content("")

    @property
    def _after(self) -> int:
        return self.held.offset + len(self.held.rows)

    def move_to(self, row: int) -> None:
        if row > self.last_row and self.row == self.last_row and self._after < self.held.total:
            self.post_message(self.Turned(self._after, SIZE, end=False))
        elif row < 0 and self.row == 0 and self.held.offset:
            limit = min(SIZE, self.held.offset)
            self.post_message(self.Turned(self.held.offset - limit, limit, end=True))
        else:
            super().move_to(row)

    def action_first(self) -> None:
        if self.held.offset:
            self.post_message(self.Turned(0, SIZE, end=False))
        else:
            self.move_to(0)

    def action_last(self) -> None:
        if self._after < self.held.total:
            self.post_message(self.Turned(max(0, self.held.total - SIZE), SIZE, end=True))
        else:
            self.move_to(self.last_row)


def _who(one: Message) -> str:
    return visible_line(f"{one.role} {one.name}".strip())


def _written(one: Message, *, found: bool) -> tuple[Paragraph, Paragraph]:
    head = f"{one.sequence} {_who(one)} · {moment(one.timestamp)}"
    text, left = one.content[:LONGEST].rstrip(), len(one.content) - LONGEST
    more = strings.MESSAGE_CUT.format(more=counted(left, "more character")) if left > 0 else ""
    return Paragraph(head, "match" if found else "heading"), Paragraph(f"{text}{more}\n", indent=2)


class ConversationsView(HistoryView):
    """Conversations or found messages, with the messages around the cursor."""

    NAME = "Conversations"
    NOTHING = strings.NO_CONVERSATIONS
    ON_ROW = frozenset({"open", "copy", "delete"})
    FIND_HINT = strings.FIND_MESSAGES_HINT

    talks = getters.query_one(Talks)
    finds = getters.query_one(Finds)
    transcript = getters.query_one(Transcript)

    @property
    def listed(self) -> RowList:
        return self.finds if self.words else self.talks

    def compose(self) -> ComposeResult:
        yield Talks(self.context, lambda: self._page)
        yield Finds("finds")
        yield Transcript()

    def _page(self, client: Client, offset: int, around: str) -> Page[Talk]:
        self.talks.own, page = client.call(operations.workbench.conversations, offset, around)
        return page

    def list_words(self, words: str) -> None:
        self.words = words
        self.talks.nothing = self.NOTHING  # all are listed; found messages have their own list

    def narrow(self, words: str) -> None:
        before = self.words
        if words:
            self._search(words)
        elif before:
            self.words = ""
            self.remove_class("-found")
            self.show_here()
        self.listed.focus()

    def _search(self, words: str) -> None:
        self.words = words
        self.add_class("-found")
        self.finds.show(words, None)
        self.request(
            lambda client: replace(client, agent=EVERY, session=EVERY).call(
                operations.history.search, words, limit=FOUND
            ),
            partial(self._show_found, words),
            self._not_found,
            group="finds",
        )

    def _show_found(self, words: str, found: Found[Message]) -> None:
        if words == self.words:
            self.finds.show(words, found)
            if found.notice:
                self.context.say(found.notice)
            self.show_here()

    def _not_found(self, error: ArkError) -> None:
        self.context.say_error(error)
        self.narrow("")

    def show_here(self) -> None:
        """Load the messages around the cursor of the list."""
        if self.words:
            if (message := self.finds.here) is not None:
                self._fetch_around(message.id)
            else:
                self.transcript.clear()
        elif (talk := self.talks.here) is not None:
            offset = max(0, talk.conversation.messages - SIZE)
            shown, page = self.transcript.conversation, self.transcript.held
            if shown != talk.conversation or not page.rows:
                self._fetch_messages(talk.conversation, offset, SIZE, end=True)
        elif not self.talks.count:
            self.transcript.clear()

    @on(Transcript.Turned)
    def _turned(self, event: Transcript.Turned) -> None:
        if (of := self.transcript.conversation) is not None:
            self._fetch_messages(of, event.offset, event.limit, end=event.end)

    def _fetch_messages(self, of: Conversation, offset: int, limit: int, *, end: bool) -> None:
        def show(page: Page[Message]) -> None:
            if not self._is_late(of):
                self.transcript.read(of, page, end=end)

        self.request(act(operations.workbench.messages, of.number, offset, limit), show, group="messages")

    def _fetch_around(self, message: str) -> None:
        def show(found: tuple[Conversation, Page[Message]]) -> None:
            if not self._is_late(found[0], message):
                self.transcript.read(*found, found=message)

        self.request(act(operations.workbench.around, message), show, group="messages")

    def _is_late(self, of: Conversation, message: str = "") -> bool:
        """Whether the cursor has moved to another conversation or message in the meantime."""
        if self.words:
            return self.finds.here is None or message not in {"", self.finds.here.id}
        return self.talks.here is None or self.talks.here.conversation.number != of.number

    def action_open(self) -> None:
        self.transcript.focus()

    def copied(self) -> tuple[str, str] | None:
        message, talk = self.finds.here if self.words else None, self.talks.here
        if self.transcript.has_focus:
            message = self.transcript.message
        if message is not None:
            return message.content, f"message {message.sequence} of {message.conversation_id}"
        return (talk.conversation.id, strings.COPY_CONVERSATION_ID) if talk and not self.words else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return super().check_action(action, parameters) and not (action == "delete" and self.words)

    def action_delete(self) -> None:
        talk = self.talks.here
        if self.words or talk is None:
            self.context.say(strings.NO_CONVERSATION_SELECTED)
            return
        one = talk.conversation
        messages = counted(one.messages, "message")
        self.context.dialogs.confirm(
            strings.DELETE_CONVERSATION.format(name=ink.shorten(one.id, 14)),
            [strings.DELETE_MESSAGES.format(messages=messages)],
            strings.DOES_PURGE,
            lambda: self._delete(one),
        )

    def _delete(self, one: Conversation) -> None:
        self.edit(
            lambda client: replace(client, agent=one.scope.agent, session=one.scope.session).call(
                operations.conversations.delete, one.id, yes=True
            ),
            lambda deleted: self.context.say(
                strings.CONVERSATION_DELETED.format(
                    name=one.id, messages=counted(deleted.messages, "message")
                )
            ),
            after=self.talks.renew,
        )
