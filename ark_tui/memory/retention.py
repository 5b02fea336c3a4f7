"""What is past its retention: first out of retrieval, then, when a person says so, deleted for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from ark_tui.domain.layers import WORKING
from ark_tui.domain.memory import Purge, Scope
from ark_tui.domain.protocols import Clock
from ark_tui.store import Lease, Store, conversations, erasure, items, scratch, tasks


class Retention:
    """The end of memories. `erase` takes deleted texts out of the files; it returns how many vectors went."""

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
        """What `purge` would delete."""
        with self._store.read() as lease:
            return self._found(lease, scope, retired=retired)[0]

    def purge(self, scope: Scope, *, retired: bool = False) -> Purge:
        """Delete what is past its retention, and with `retired` what was retired, for good.

        Tasks and keys of the scratchpad that were deleted go with it: until now they could be brought back.
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
