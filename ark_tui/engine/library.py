"""The library as an interface asks for it: documents by the page, and what becomes of whole collections."""

from __future__ import annotations

from ark_tui.curation import edits
from ark_tui.domain.documents import Document
from ark_tui.domain.errors import UsageError
from ark_tui.domain.library import FieldCount, Findable, Listing
from ark_tui.domain.memory import EVERY, Conversation, Message, Scope
from ark_tui.domain.outcomes import Event, EventFilter
from ark_tui.domain.paging import Page, Talk
from ark_tui.domain.searches import Retrieval
from ark_tui.engine.journal import Journal
from ark_tui.engine.services import Services
from ark_tui.store import conversations, documents, events, fields, files, listing, searches
from ark_tui.store import listing as store

PAGE = 200  # documents


class Library:
    """The documents of a home. Methods block and raise `ArkError`."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def documents(
        self, listing: Listing, start: int = 0, count: int = PAGE, around: str = ""
    ) -> Page[Document]:
        """A page of documents: from a row on, or, where it is listed, the one with the id `around` on it."""
        with self._parts.store.read() as lease:
            return store.page(lease, listing, start, count, around)

    def findable(self) -> tuple[Findable, ...]:
        """Everything that has a name: documents, those in the trash, files that brought none."""
        with self._parts.store.read() as lease:
            return tuple(store.findable(lease))

    def fields(self, key: str = "") -> tuple[FieldCount, ...]:
        """The keys that documents state themselves, or the values of one; what most have comes first."""
        with self._parts.store.read() as lease:
            found = fields.values(lease, key) if key else fields.keys(lease)
        return tuple(
            FieldCount(name, count)
            for name, count in sorted(found.items(), key=lambda one: (-one[1], one[0]))
        )

    def roots(self) -> dict[str, str]:
        """The folders that are followed, by the names of their collections."""
        with self._parts.store.read() as lease:
            return files.roots(lease)

    def let_go(self, collection: str, *, dry_run: bool = False) -> int:
        """Follow the folder of a collection no more: its documents leave, its files are not touched.

        What was said of them comes back when the folder is indexed again by that name. Returns how many have
        left, or would leave: a `dry_run` only counts. Raises `UsageError` for texts without a file, which
        nothing could bring back, and while the trash holds some.
        """
        from ark_tui.engine import indexing

        with self._parts.store.write() as lease:
            edits.check_collection(lease, collection)
            if collection not in files.roots(lease):
                raise UsageError(
                    f"The collection {collection} holds texts without a file.",
                    "Put into the trash what is to go.",
                )
            if held := files.trashed_in(lease, collection):
                raise UsageError(
                    f"{held} of its documents {'lies' if held == 1 else 'lie'} in the trash.",
                    "Bring them back or purge the trash first.",
                )
            if dry_run:
                return files.living_in(lease, collection)
            gone = documents.let_go(lease, collection)
        indexing.catch_up(self._parts)
        return gone


ROWS = 100  # rows
EVERYBODY = Scope(EVERY, EVERY)


class History:
    """What has happened in one home, the newest first. Methods block; they read a page and count the rest."""

    def __init__(self, parts: Services, journal: Journal) -> None:
        self._parts = parts
        self._journal = journal

    def conversations(
        self, offset: int = 0, *, scope: Scope = EVERYBODY, limit: int = ROWS, around: str = ""
    ) -> Page[Talk]:
        """Conversations, the one that was added to last first; the page of the number `around`, if any."""
        with self._parts.store.read() as lease:
            row = listing.row_of_talk(lease, scope, int(around)) if around.isdecimal() else None
            offset = offset if row is None else row // limit * limit
            rows = tuple(listing.talks(lease, scope, limit, offset))
            return Page(rows, listing.talks_in_all(lease, scope), offset, row)

    def messages(self, conversation: int, offset: int = 0, *, limit: int = ROWS) -> Page[Message]:
        """Messages of the conversation of that number, in the order they were said."""
        with self._parts.store.read() as lease:
            rows = tuple(conversations.page(lease, [conversation], limit=limit, offset=offset))
            return Page(rows, conversations.count(lease, [conversation]), offset)

    def around(self, message: str, *, limit: int = ROWS) -> tuple[Conversation, Page[Message]]:
        """The messages around one of them, by its id, with the conversation that they are of."""
        with self._parts.store.read() as lease:
            found, before = listing.place(lease, message)
            offset = max(0, before - limit // 2)
            rows = tuple(conversations.page(lease, [found.number], limit=limit, offset=offset))
            return found, Page(rows, conversations.count(lease, [found.number]), offset)

    def searches(
        self, offset: int = 0, *, words: str = "", limit: int = ROWS, around: str = ""
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

    def events(self, wanted: EventFilter, offset: int = 0, *, limit: int = ROWS) -> Page[Event]:
        """Outcome events that match."""
        with self._parts.store.read() as lease:
            rows = tuple(events.matching(lease, wanted, limit, offset))
            return Page(rows, events.count(lease, wanted), offset)
