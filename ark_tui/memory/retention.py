"""Retention: expired items leave retrieval first, and are deleted when a person purges them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from ark_tui.domain.layers import WORKING
from ark_tui.domain.memory import Purge, Scope
from ark_tui.domain.protocols import Clock
from ark_tui.store import Lease, Store, conversations, erasure, items, scratch, tasks


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
