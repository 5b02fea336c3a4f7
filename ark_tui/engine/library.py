"""Documents and history by pages, and removal of whole collections."""

from __future__ import annotations

from ark_tui.curation import edits
from ark_tui.domain.documents import Document
from ark_tui.domain.errors import UsageError
from ark_tui.domain.library import FieldCount, Findable, Listing, Page, Talk
from ark_tui.domain.memory import EVERY, Conversation, Message, Scope
from ark_tui.domain.outcomes import Event, EventFilter
from ark_tui.domain.searches import Retrieval
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
        """A page of documents: from row `start`, or the page that contains the id `around`."""
        with self._parts.store.read() as lease:
            return store.page(lease, listing, start, count, around)

    def findable(self) -> tuple[Findable, ...]:
        """All names: documents, documents in the trash, and files without documents."""
        with self._parts.store.read() as lease:
            return tuple(store.findable(lease))

    def fields(self, key: str = "") -> tuple[FieldCount, ...]:
        """Front matter keys, or the values of one key, with counts, most frequent first."""
        with self._parts.store.read() as lease:
            found = fields.values(lease, key) if key else fields.keys(lease)
        return tuple(
            FieldCount(name, count)
            for name, count in sorted(found.items(), key=lambda one: (-one[1], one[0]))
        )

    def roots(self) -> dict[str, str]:
        """The indexed folders, by collection name."""
        with self._parts.store.read() as lease:
            return files.roots(lease)

    def remove(self, collection: str, *, dry_run: bool = False) -> int:
        """Remove the documents of a collection and stop indexing its folder; its files are unchanged.

        Edits are restored if the folder is indexed again under the same name. Return the number of documents
        removed; `dry_run` only counts them. Raises `UsageError` if the collection has texts without files,
        which could not be restored, or documents in the trash.
        """
        from ark_tui.engine import indexing

        with self._parts.store.write() as lease:
            edits.check_collection(lease, collection)
            if collection not in files.roots(lease):
                raise UsageError(
                    f"The collection {collection} has texts without a file.",
                    "Move the texts to the trash instead.",
                )
            if held := files.trashed_in(lease, collection):
                raise UsageError(
                    f"{held} of its documents {'is' if held == 1 else 'are'} in the trash.",
                    "Restore them or purge the trash first.",
                )
            if dry_run:
                return files.living_in(lease, collection)
            gone = documents.remove_collection(lease, collection)
        indexing.catch_up(self._parts)
        return gone


ROWS = 100  # rows
EVERYBODY = Scope(EVERY, EVERY)


class History:
    """Conversations, searches and events of one home, newest first, by pages. Methods block."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def conversations(
        self, offset: int = 0, *, scope: Scope = EVERYBODY, limit: int = ROWS, around: str = ""
    ) -> Page[Talk]:
        """Conversations by last message, newest first; the page with number `around`, if given."""
        with self._parts.store.read() as lease:
            row = listing.row_of_talk(lease, scope, int(around)) if around.isdecimal() else None
            offset = offset if row is None else row // limit * limit
            rows = tuple(listing.talks(lease, scope, limit, offset))
            return Page(rows, listing.talks_in_all(lease, scope), offset, row)

    def messages(self, conversation: int, offset: int = 0, *, limit: int = ROWS) -> Page[Message]:
        """Messages of a conversation, by its number, in order."""
        with self._parts.store.read() as lease:
            rows = tuple(conversations.page(lease, [conversation], limit=limit, offset=offset))
            return Page(rows, conversations.count(lease, [conversation]), offset)

    def around(self, message: str, *, limit: int = ROWS) -> tuple[Conversation, Page[Message]]:
        """The conversation of a message, by its id, and the messages around it."""
        with self._parts.store.read() as lease:
            found, before = listing.place(lease, message)
            offset = max(0, before - limit // 2)
            rows = tuple(conversations.page(lease, [found.number], limit=limit, offset=offset))
            return found, Page(rows, conversations.count(lease, [found.number]), offset)

    def searches(
        self, offset: int = 0, *, words: str = "", limit: int = ROWS, around: str = ""
    ) -> Page[Retrieval]:
        """Logged searches without results. `words`: part of the query, or a prefix of the id.

        The page from row `offset`, or the one that contains the id `around`.
        """
        self._parts.journal.settle()
        with self._parts.store.read() as lease:
            row = searches.row_of(lease, words, around) if around else None
            offset = offset if row is None else row // limit * limit
            rows = tuple(searches.page(lease, words, limit, offset))
            return Page(rows, searches.count(lease, words), offset, row)

    def search(self, retrieval_id: str) -> Retrieval:
        """A logged search with its results, by its id or a prefix of it."""
        self._parts.journal.settle()
        with self._parts.store.read() as lease:
            return searches.get(lease, retrieval_id)

    def events(self, wanted: EventFilter, offset: int = 0, *, limit: int = ROWS) -> Page[Event]:
        """Outcome events that match."""
        with self._parts.store.read() as lease:
            rows = tuple(events.matching(lease, wanted, limit, offset))
            return Page(rows, events.count(lease, wanted), offset)
