"""Forgetting by hand: delete a memory or message permanently, after a preview of what goes with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain

from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.layers import HISTORY, MEMORY, WORKING
from ark_tui.domain.memory import EVERY, Forgotten, Purge, Scope
from ark_tui.domain.protocols import Clock
from ark_tui.memory.items import reachable, reaches
from ark_tui.store import (
    Lease,
    Store,
    candidates,
    conversations,
    documents,
    erasure,
    items,
    links,
    scratch,
    tasks,
)


class Forgetting:
    """Deletes items of one home. `erase` removes deleted texts from its files and counts removed vectors.

    `backups`: the names of existing backups.
    """

    def __init__(
        self, store: Store, erase: Callable[[], int], backups: Callable[[], tuple[str, ...]]
    ) -> None:
        self._store = store
        self._erase = erase
        self._backups = backups

    def forget(
        self, refs: Sequence[str], *, sources: bool = False, yes: bool = False, reach: Scope | None = None
    ) -> Forgotten:
        """Permanently delete memories with the items that they replaced, and messages.

        `sources`: also the messages that they quote. Without `yes` it is a preview. Raises `NotFound` for
        items that a scope may not change.
        """
        with self._store.write() if yes else self._store.read() as lease:
            known, said = self._meant(lease, refs, reach)
            rest = [one for one in candidates.messages_of(lease, known) if one not in said]
            if sources:
                _spoken(lease, rest, reach)
                said, rest = [*said, *rest], []
            found = Forgotten(
                tuple(items.get(lease, known, {})),
                tuple(conversations.messages(lease, said)),
                tuple(f"{one.conversation_id}/{one.sequence}" for one in conversations.messages(lease, rest)),
                conversations.size(lease, [*known, *said]),
                candidates.concerned(lease, known, said),
                self._backups(),
            )
            if yes:
                conversations.forget(lease, said)
                if known:
                    items.forget(lease, known)
        return replace(found, vectors=self._erase(), done=True) if yes else found

    def _meant(self, lease: Lease, refs: Sequence[str], reach: Scope | None) -> tuple[list[int], list[int]]:
        """The numbers of the memories, with the items that they replaced, and of the messages."""
        known: dict[int, None] = {}
        said: list[int] = []
        for ref in refs:
            number = documents.resolve(lease, ref)
            match documents.folder(lease, number):
                case str(folder) if folder == HISTORY:
                    said.append(number)
                case str(folder) if folder == MEMORY:
                    (item,) = items.get(lease, [number], {})
                    reachable(ref, item.scope, item.document.tier, reach)
                    known[number] = None
                case _:
                    raise UsageError(f"{ref} is a document, not a memory.", Hint.run(
                        "doc trash", ref, say="Move it to the trash: {}"))  # fmt: skip
        _spoken(lease, said, reach)
        older = list(chain.from_iterable(links.predecessors(lease, number) for number in known))
        for item in items.get(lease, older, {}):
            if reaches(item.scope, item.document.tier, reach):
                known[documents.resolve(lease, item.document.id)] = None
        return list(known), list(dict.fromkeys(said))


def _spoken(lease: Lease, said: Sequence[int], reach: Scope | None) -> None:
    """Raises `NotFound` if one of the messages was not addressed to the agent of a scope."""
    for one in conversations.messages(lease, said):
        if reach is not None and reach.agent not in (EVERY, one.scope.agent):
            raise NotFound(
                f"{one.conversation_id}/{one.sequence} is not a message of {reach.agent}.",
                "Ask the user to do it.",
            )


class Retention:
    """Purges items of one home. `erase` removes deleted texts from the files and counts removed vectors."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        periods: Mapping[int, timedelta],
        erase: Callable[[], int],
    ) -> None:
        self._store = store
        self._clock = clock
        self._periods = periods
        self._erase = erase

    def due(self, scope: Scope, *, retired: bool = False) -> Purge:
        """The items that `purge` would delete."""
        with self._store.read() as lease:
            return self._found(lease, scope, retired=retired)[0]

    def purge(self, scope: Scope, *, retired: bool = False) -> Purge:
        """Permanently delete items past their retention, and with `retired` the retired ones.

        Also removes deleted tasks and deleted scratch notes, which could be restored until now.
        """
        with self._store.write() as lease:
            found, said, remembered = self._found(lease, scope, retired=retired)
            conversations.forget(lease, said)
            if remembered:
                items.forget(lease, remembered)
            erasure.note(lease, "notes", tasks.purge(lease, scope) + scratch.purge(lease, scope))
        return replace(found, vectors=self._erase(), done=True)

    def _found(self, lease: Lease, scope: Scope, *, retired: bool) -> tuple[Purge, list[int], list[int]]:
        now = self._clock.now()
        said = conversations.expired(lease, scope, now.replace(tzinfo=None) - self._periods[WORKING])
        numbers = items.numbers(lease, scope, retired=True)
        kept = items.get(lease, numbers, self._periods)
        over = [
            (number, item)
            for number, item in zip(numbers, kept, strict=True)
            if (item.until is not None and item.until <= now) or (retired and item.retired)
        ]
        remembered = [number for number, _ in over]
        size = conversations.size(lease, [*said, *remembered])
        notes = tasks.deleted(lease, scope) + scratch.deleted(lease, scope)
        return Purge(len(said), tuple(item for _, item in over), size, notes), said, remembered
