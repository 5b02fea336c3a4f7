"""Items: memories that are no messages, each a document with a tier and a layer; adding one (M12)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from ark_tui.domain import memory
from ark_tui.domain.documents import LinkDraft, Tier, content_hash, text_hash
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.layers import MEMORY, RETIRED, SEMANTIC, WORKING
from ark_tui.domain.memory import EVERY, LAYERS, Item, Move, Scope, choice
from ark_tui.memory import texts
from ark_tui.store import Lease, Store, documents, items, knowledge, requests
from ark_tui.store.knowledge import SHARED

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document, Draft, Tier
    from ark_tui.ingest.reading import Reading


class Items:
    """The items of one home. Nothing here embeds or indexes: the indexes follow later."""

    def __init__(
        self,
        store: Store,
        reading: Reading,
        retention: Mapping[int, timedelta],
        whose: Callable[[Scope], tuple[str, str]] = lambda _: SHARED,
    ) -> None:
        """`whose`: the default owner and project of items that are added in a scope."""
        self._store = store
        self._reading = reading
        self._retention = retention
        self.whose = whose

    def added(
        self,
        lease: Lease,
        text: str,
        scope: Scope,
        *,
        layer: int,
        tier: Tier = "raw",
        type: str = "memory",  # noqa: A002
        title: str = "",
        tags: Sequence[str] = (),
        links: Sequence[LinkDraft] = (),
        source: str = "",
        status: str = "",
        path: str = "",
        whose: tuple[str, str] | None = None,
    ) -> Item:
        """Add an item. The same text in the same scope and layer is the same item, unless it was edited.

        `path`: its path within `memory`, replacing any item there. `whose`: its owner and its project, not
        the defaults of the scope.
        """
        _check(layer)
        scope = texts.one(scope)
        kept = texts.text(text, "a memory", self._reading.max_bytes)
        owner, project = whose or self.whose(scope)
        said = (*scope.name.split("/"), str(layer), title, kept, *filter(None, (owner, project)))
        digest = content_hash("\0".join(said).encode())
        place = path or _free(lease, f"{LAYERS.get(layer, 'note')}/{digest[:12]}", digest)
        draft = self._reading.text(kept, path=place, title=title)
        draft = replace(
            draft, layer=layer, tier=tier, type=type, agent=scope.agent, session=scope.session,
            links=(*draft.links, *links), source_id=source, status=status, date=lease.now().date(),
            date_source="given", owner=owner, project=project,
        )  # fmt: skip
        number = items.put(lease, draft, digest, tags)
        return items.get(lease, [number], self._retention)[0]

    def get(self, ref: str) -> Item:
        """An item by its id or path. Raises `NotFound`."""
        with self._store.read() as lease:
            number = self.number(lease, ref)
            return items.get(lease, [number], self._retention)[0]

    def number(self, lease: Lease, ref: str) -> int:
        """The number of an item's document. Raises `NotFound`."""
        number = documents.resolve(lease, ref)
        if documents.folder(lease, number) != MEMORY:
            raise NotFound(f"{ref} is a document, not a memory.", "The list of memories has those there are.")
        return number

    def list(
        self,
        scope: Scope,
        *,
        layers: Collection[int] = (),
        tiers: Collection[str] = (),
        retired: bool = False,
    ) -> tuple[Item, ...]:
        """The items of a scope, oldest first, including expired ones; retired ones on request."""
        with self._store.read() as lease:
            found = items.numbers(lease, scope, layers=layers, tiers=tiers, retired=retired)
            return tuple(items.get(lease, found, self._retention))

    def retired(self, lease: Lease, number: int, reason: str, agent: str) -> Item:
        """Remove an item from retrieval; it can be revived."""
        (old,) = items.get(lease, [number], self._retention)
        if not old.retired:
            items.unindex(lease, number, RETIRED)
            items.moved(lease, number, "status", old.document.status, RETIRED, reason, agent)
        return items.get(lease, [number], self._retention)[0]

    def revived(self, lease: Lease, number: int, draft: Draft, reason: str, agent: str) -> Item:
        """Bring a retired item back into retrieval, with the chunks of `draft` and its former status."""
        keys = [
            text_hash(draft.context(chunk), draft.body[chunk.start_char : chunk.end_char])
            for chunk in draft.chunks
        ]
        moves = items.moves(lease, number)
        status = next((move.was for move in reversed(moves) if move.became == RETIRED), "")
        items.reindex(lease, number, status, draft.chunks, keys)
        items.moved(lease, number, "status", RETIRED, status, reason, agent)
        return items.get(lease, [number], self._retention)[0]

    def moves(self, ref: str) -> tuple[Move, ...]:
        """The changes of tier, layer and status of an item or document, oldest first."""
        with self._store.read() as lease:
            return tuple(items.moves(lease, documents.resolve(lease, ref)))


def reachable(ref: str, by: Scope, tier: Tier, scope: Scope | None) -> None:
    """Raises `NotFound` if a scope may not change the item: it is another agent's, or `wiki`.

    None may change all items; the scope of all agents may change all except `wiki`.
    """
    if scope is not None and not reaches(by, tier, scope):
        whose = (
            "is wiki, which a person writes" if scope.agent == EVERY else f"is not a memory of {scope.agent}"
        )
        raise NotFound(f"{ref} {whose}.", "Ask the user to do it.")


def reaches(by: Scope, tier: Tier, scope: Scope | None) -> bool:
    """Whether a scope may change an item that an agent added in a tier."""
    return scope is None or (scope.agent in (EVERY, by.agent) and tier != "wiki")


def _check(layer: int) -> None:
    if layer == WORKING:
        raise UsageError("Layer 1 contains only messages.", Hint.run("history add", say="Add one with `{}`."))
    if layer:
        memory.layer(layer)


def _free(lease: Lease, path: str, digest: str) -> str:
    """The path, or the next free one if another text has it."""
    tried, place = 1, path
    while items.hash_at(lease, place) not in (None, digest):
        tried += 1
        place = f"{path}-{tried}"
    return place


WRITABLE: tuple[Tier, ...] = ("raw", "doc")
TYPE = "memory"


def remember(
    store: Store,
    items: Items,
    longest: int,
    text: str,
    source: str,
    scope: Scope,
    *,
    tier: str = "raw",
    tags: Sequence[str] = (),
    github_issue: int | None = None,
    whose: tuple[str, str] | None = None,
) -> Document:
    """Store a text. The same text from the same source is the same item, for any agent.

    `longest`: bytes of a text. Raises `UsageError` for a tier that agents may not write.
    """
    kept, origin = texts.text(text, "a memory", longest), _source(source)
    rank = choice(
        tier,
        WRITABLE,
        f"Memories cannot have the tier {tier or '(empty)'}.",
        f"Tiers: {', '.join(WRITABLE)}. Promote a memory to get another; only a person can set wiki.",
    )
    if github_issue is not None and github_issue < 1:
        raise UsageError(f"There is no issue {github_issue}.", "Issues count from 1.")
    labels = (*tags, *((f"issue-{github_issue}",) if github_issue else ()))
    owned = whose or items.whose(texts.one(scope))
    with store.write() as lease:

        def make() -> Document:
            number = knowledge.same(lease, TYPE, kept, origin, whose=owned)
            if number is not None:
                return documents.documents(lease, [number])[number]
            return items.added(
                lease, kept, scope, layer=SEMANTIC, tier=rank, type=TYPE, tags=labels, source=origin,
                path=f"remembered/{uuid.uuid4().hex[:12]}", whose=owned,
            ).document  # fmt: skip

        return requests.once(
            lease, "remember", [text, source, tier, labels], make, lambda made: made.id,
            lambda id_: documents.by_id(lease, id_),
        )  # fmt: skip


def _source(source: str) -> str:
    if not source.strip():
        raise UsageError(
            "A memory needs a source.",
            Hint.give(source="standup of 3 May", say="Say where it comes from: {}."),
        )
    return texts.name(source, "a source")
