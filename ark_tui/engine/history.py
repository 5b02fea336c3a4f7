"""History by pages: conversations and their messages, the log of searches, outcome events."""

from __future__ import annotations

from ark_tui.domain.history import Talk
from ark_tui.domain.memory import EVERY, Conversation, Message, Scope
from ark_tui.domain.outcomes import Event, EventFilter
from ark_tui.domain.paging import Page
from ark_tui.domain.searches import Retrieval
from ark_tui.engine.journal import Journal
from ark_tui.engine.services import Services
from ark_tui.store import conversations, events, history, searches

PAGE = 100  # rows
EVERYBODY = Scope(EVERY, EVERY)


class History:
    """What has happened in one home, the newest first. Methods block; they read a page and count the rest."""

    def __init__(self, parts: Services, journal: Journal) -> None:
        self._parts = parts
        self._journal = journal

    def conversations(
        self, offset: int = 0, *, scope: Scope = EVERYBODY, limit: int = PAGE, around: str = ""
    ) -> Page[Talk]:
        """Conversations, the one that was added to last first; the page of the number `around`, if any."""
        with self._parts.store.read() as lease:
            row = history.row_of_talk(lease, scope, int(around)) if around.isdecimal() else None
            offset = offset if row is None else row // limit * limit
            rows = tuple(history.talks(lease, scope, limit, offset))
            return Page(rows, history.talks_in_all(lease, scope), offset, row)

    def messages(self, conversation: int, offset: int = 0, *, limit: int = PAGE) -> Page[Message]:
        """Messages of the conversation of that number, in the order they were said."""
        with self._parts.store.read() as lease:
            rows = tuple(conversations.page(lease, [conversation], limit=limit, offset=offset))
            return Page(rows, conversations.count(lease, [conversation]), offset)

    def around(self, message: str, *, limit: int = PAGE) -> tuple[Conversation, Page[Message]]:
        """The messages around one of them, by its id, with the conversation that they are of."""
        with self._parts.store.read() as lease:
            found, before = history.place(lease, message)
            offset = max(0, before - limit // 2)
            rows = tuple(conversations.page(lease, [found.number], limit=limit, offset=offset))
            return found, Page(rows, conversations.count(lease, [found.number]), offset)

    def searches(
        self, offset: int = 0, *, words: str = "", limit: int = PAGE, around: str = ""
    ) -> Page[Retrieval]:
        """Searches of the log without what they answered; `words` are part of the query, or begin its id.

        The page from a row on or, where it is listed, the one with the search of the id `around`.
        """
        self._journal.settle()
        with self._parts.store.read() as lease:
            row = searches.row_of(lease, words, around) if around else None
            offset = offset if row is None else row // limit * limit
            rows = tuple(searches.page(lease, words, limit, offset))
            return Page(rows, searches.count(lease, words), offset, row)

    def search(self, retrieval_id: str) -> Retrieval:
        """A search of the log with what it answered; the start of its id will do."""
        self._journal.settle()
        with self._parts.store.read() as lease:
            return searches.get(lease, retrieval_id)

    def events(self, wanted: EventFilter, offset: int = 0, *, limit: int = PAGE) -> Page[Event]:
        """Outcome events that match."""
        with self._parts.store.read() as lease:
            rows = tuple(events.matching(lease, wanted, limit, offset))
            return Page(rows, events.count(lease, wanted), offset)
