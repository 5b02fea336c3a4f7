"""Conversations, and history: the same messages seen as a list.

A message is acknowledged after one write to the store; the index is updated by the next search.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from datetime import UTC
from itertools import islice
from secrets import token_hex
from typing import TYPE_CHECKING, Protocol

from ark_tui.domain.documents import ChunkDraft
from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import DEFAULT, EVERY, Conversation, Message, Messages, Saying, Scope, role
from ark_tui.domain.protocols import Clock
from ark_tui.domain.query import Either, Filters, Has
from ark_tui.index.filters import both
from ark_tui.index.protocols import Bm25, Ranked
from ark_tui.index.words import terms
from ark_tui.ingest.chunk.cutting import chunk
from ark_tui.ingest.chunk.pack import measured
from ark_tui.ingest.decode import storable
from ark_tui.memory import texts
from ark_tui.retrieval import query
from ark_tui.store import Lease, Store, conversations, knowledge, requests
from ark_tui.store.conversations import Incoming

if TYPE_CHECKING:
    from ark_tui.index.words.messages import MessageWords

WHOLE = 2_000  # characters up to which a message is one chunk
QUERY_ID = 6  # bytes of a random id
AT_ONCE = 10_000  # messages of one transaction
MANY = 1_000  # messages after which the log is checkpointed
LIMIT = 100  # messages of a page
DEEPEST = 1_000_000  # chunks that a search looks at, for any page
MOST = 1 << 62  # what the store counts with
SILENT = ("assistant", "tool")  # roles whose messages may be empty: a tool call, a command without output
HIT_CHUNKS = 3  # chunks that are looked at for each message wanted
_written = json.JSONEncoder(ensure_ascii=False).encode
"""One for all messages: to make one costs more than to write a few names."""


class MessageIndex(Protocol):
    """The word index of messages."""

    def added(self, count: int) -> None:
        """Called after so many messages were stored."""

    def behind(self, lease: Lease) -> int:
        """How many chunks it lacks."""

    def caught_up(self, behind: int) -> MessageWords:
        """The index, caught up as far as possible without waiting."""


class Conversations:
    """The conversations of one home.

    `index`: the word index of messages. `erase` removes deleted text from the files.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        index: MessageIndex,
        longest: int,
        erase: Callable[[], object],
    ) -> None:
        self._store = store
        self._clock = clock
        self._index = index
        self._longest = longest
        self._erase = erase

    # -- conversations -----------------------------------------------------------------------------

    def create(self, scope: Scope, id: str = "", title: str = "") -> Conversation:  # noqa: A002  (its name)
        """Create a conversation, with a new id unless one is given."""
        scope = texts.one(scope)
        name = texts.name(id, "the id of a conversation") if id else uuid.uuid4().hex
        with self._store.write() as lease:

            def make() -> Conversation:
                conversations.create(lease, scope, name, " ".join(storable(title).split()))
                return again(name)

            def again(name: str) -> Conversation:
                return conversations.conversations(lease, scope, name)[0]

            return requests.once(
                lease, "create a conversation", [scope.name, id], make, lambda made: made.id, again
            )

    def list(self, scope: Scope) -> tuple[Conversation, ...]:
        """The conversations of a scope, the oldest first."""
        with self._store.read() as lease:
            return tuple(conversations.conversations(lease, scope))

    def get(self, scope: Scope, id: str) -> tuple[Conversation, tuple[Message, ...]]:  # noqa: A002
        """A conversation with all its messages. Raises `NotFound`."""
        with self._store.read() as lease:
            found = conversations.conversations(lease, scope, id)
            return found[0], tuple(conversations.page(lease, [found[0].number]))

    def close(self, scope: Scope, id: str) -> Conversation:  # noqa: A002
        """Close a conversation; another message opens it again. Raises `NotFound`."""
        with self._store.write() as lease:
            (number,) = conversations.numbers(lease, texts.one(scope), id)
            conversations.close(lease, number)
            return conversations.conversations(lease, scope, id)[0]

    def delete(self, scope: Scope, id: str) -> int:  # noqa: A002
        """Delete a conversation permanently; returns the number of its messages. Raises `NotFound`.

        Afterwards no file of the home has a byte of it, except backups.
        """
        scope = texts.one(scope)
        with self._store.write() as lease:
            (number,) = conversations.numbers(lease, scope, id)
            count = conversations.delete(lease, number)
        self._erase()
        return count

    # -- messages ----------------------------------------------------------------------------------

    def add(
        self, scope: Scope, role: str, content: str, *, conversation: str = DEFAULT, query_id: str = ""
    ) -> Message:
        """Add a message. Raises `NotFound` for an unknown conversation; `default` always exists."""
        said = Saying(role, texts.text(content, "a message", self._longest), query_id)
        (message,) = self.extend(scope, [said], conversation=conversation)
        return message

    def extend(
        self, scope: Scope, said: Iterable[Saying], *, conversation: str = DEFAULT
    ) -> tuple[Message, ...]:
        """Add several messages, all or none. Messages whose key exists are skipped."""
        scope = texts.one(scope)
        sayings = list(said)
        return tuple(self._append(scope, conversation, sayings)) if sayings else ()

    def load(self, scope: Scope, said: Iterable[Saying], *, conversation: str = DEFAULT) -> int:
        """Add any number of messages in transactions of ten thousand; returns how many were new."""
        scope = texts.one(scope)
        waiting, count = iter(said), 0
        while batch := list(islice(waiting, AT_ONCE)):
            count += len(self._append(scope, conversation, batch))
        return count

    def keys(self, scope: Scope) -> dict[str, set[str]]:
        """The client ids of the messages of a scope, by conversation."""
        with self._store.read() as lease:
            return conversations.keys(lease, texts.one(scope))

    def take(self, scope: Scope, talks: Sequence[tuple[str, str, Sequence[Saying]]]) -> int:
        """Add messages to several conversations, given by id and title; create missing ones. All or nothing.

        Returns how many messages were new.
        """
        scope = texts.one(scope)
        ready = [
            (texts.name(id_, "the id of a conversation"), title, self._incoming(said))
            for id_, title, said in talks
        ]
        with self._store.write() as lease:
            numbers = conversations.found_or_begun(lease, scope, [
                (id_, storable(title), min((one.moment for one in incoming if one.moment), default=None))
                for id_, title, incoming in ready
            ])  # fmt: skip
            additions = [(numbers[id_], id_, incoming) for id_, _, incoming in ready]
            count = len(conversations.append_all(lease, scope, additions))
        self._index.added(count)
        return count

    def index(self) -> None:
        """Index new messages, so that the next search need not wait."""
        with self._store.read() as lease:
            behind = self._index.behind(lease)
        self._index.caught_up(behind)

    def messages(
        self,
        scope: Scope,
        *,
        conversation: str = "",
        query_id: str = "",
        limit: int = LIMIT,
        offset: int = 0,
        newest: bool = False,
    ) -> Messages:
        """A page of the messages of a scope, or of one of its conversations, in the order they were said.

        `newest`: count pages from the end. Raises `NotFound`, and `UsageError` for a negative number.
        """
        _check(limit, offset)
        with self._store.read() as lease:
            wanted = conversations.numbers(lease, scope, conversation)
            found = conversations.page(
                lease, wanted, query=query_id, limit=limit, offset=offset, newest=newest
            )
            return Messages(tuple(found), conversations.count(lease, wanted, query_id), limit, offset)

    def search(
        self, scope: Scope, line: str, *, conversation: str = "", limit: int = LIMIT, offset: int = 0
    ) -> Messages:
        """Messages of a scope by their words, best first.

        Searches the whole archive, regardless of retention. The query may have phrases, exclusions and
        filters. `total`: matching chunks; `waiting`: messages that are not indexed yet.
        """
        _check(limit, offset)
        parsed = query.parse(line, self._clock.now())
        with self._store.read() as lease:
            wanted = conversations.numbers(lease, scope, conversation)
            every, behind = conversations.total(lease), self._index.behind(lease)
        if not wanted:
            return Messages((), 0, limit, offset)
        filters = parsed.filters
        if len(wanted) < every:
            sources = tuple(Has("source", conversations.source(number)) for number in wanted)
            filters = both(filters, Filters(where=Either(sources)))
        words = self._index.caught_up(behind)
        asked = terms.read(parsed.text, phrases=parsed.phrases)
        ranked = _ranked(words, asked, filters, min((limit + offset) * HIT_CHUNKS, DEEPEST))
        page = [*dict.fromkeys(ranked.documents)][offset : offset + limit]
        # messages of other scopes may be new since the lookup
        shown = tuple(
            one
            for one in self._shown(words, ranked, page)
            if scope.agent in (EVERY, one.scope.agent) and scope.session in (EVERY, one.scope.session)
        )
        return Messages(shown, ranked.count, limit, offset, words.waiting)

    # -- inside ------------------------------------------------------------------------------------

    def _append(self, scope: Scope, conversation: str, said: Sequence[Saying]) -> Sequence[Message]:
        incoming = self._incoming(said)
        with self._store.write() as lease:

            def make() -> Sequence[Message]:
                number = conversations.find(lease, scope, conversation)
                if number is None:
                    if conversation != DEFAULT:
                        conversations.numbers(lease, scope, conversation)  # raises with the known ones
                    number = conversations.create(lease, scope, conversation)
                return conversations.append_all(lease, scope, [(number, conversation, incoming)])

            def again(ids: Sequence[str]) -> Sequence[Message] | None:
                return conversations.messages(lease, knowledge.by_id(lease, ids)) or (None if ids else ())

            given = [tuple(value for value in astuple(one) if value) for one in said]
            added = requests.once(
                lease, "add messages", [scope.name, conversation, given], make,
                lambda made: [message.id for message in made], again,
            )  # fmt: skip
        self._index.added(len(added))
        return added

    def _incoming(self, said: Sequence[Saying]) -> Sequence[Incoming]:
        # in one call: asking the system once per id takes as long as a message
        drawn = token_hex(QUERY_ID * len(said))
        width = 2 * QUERY_ID
        ids = (drawn[start : start + width] for start in range(0, len(drawn), width))
        return [self._ready(saying, asks) for saying, asks in zip(said, ids, strict=True)]

    def _ready(self, saying: Saying, asks: str) -> Incoming:
        who = role(saying.role)
        silent = not saying.content.strip() and (who in SILENT or saying.given)
        content = "" if silent else texts.text(saying.content, "a message", self._longest)
        named = texts.name(saying.query_id, "a query id") if saying.query_id else ""
        query = named or (asks if who == "user" else "")
        given = _written(saying.given) if saying.given else ""
        if given:
            texts.text(given, "what came with a message", self._longest)
        moment = saying.timestamp and saying.timestamp.astimezone(UTC).replace(tzinfo=None)
        name, call, key = map(storable, (saying.name, saying.tool_call_id, saying.key))
        chunks = tuple(_chunks(content)) if content else ()
        return Incoming(who, content, query, chunks, name, call, key, moment, storable(given))

    def _shown(self, words: MessageWords, ranked: Ranked, page: Sequence[int]) -> tuple[Message, ...]:
        """Messages by the numbers of their documents: from the index if it has them whole.

        An index that lags behind the store may have deleted messages.
        """
        wanted = {*page} if not words.waiting else ()
        chunks = zip(ranked.chunks, ranked.documents, strict=True)
        found = words.messages([chunk for chunk, document in chunks if document in wanted])
        if missing := [number for number in page if number not in found]:
            with self._store.read() as lease:
                found |= conversations.by_number(lease, missing)
        return tuple(found[number] for number in page if number in found)


def _ranked(words: MessageWords, wanted: terms.Terms, filters: Filters, depth: int) -> Ranked:
    """The best chunks; for a query without words, some that match its filters."""
    if not words.ready or not depth:
        return Ranked()
    return words.search(Bm25(wanted), depth, filters, count=True) if wanted else words.listed(filters, depth)


def _chunks(content: str) -> Iterator[ChunkDraft]:
    """A short message is one chunk; a long one is split like any text."""
    if len(content) <= WHOLE:
        lines = content.count("\n") + (not content.endswith("\n"))
        yield ChunkDraft(0, len(content), 1, max(lines, 1), 0)
    else:
        yield from chunk(content, "text", measure=measured)


def _check(limit: int, offset: int) -> None:
    for name, value in (("limit", limit), ("offset", offset)):
        if not 0 <= value <= MOST:
            raise UsageError(f"This {name} is not valid.", f"Give a number from 0 to {MOST:,}.")
