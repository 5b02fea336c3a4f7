"""What is past its retention: first out of retrieval, then, when a person says so, deleted for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from ark_tui.domain.memory import WORKING, Purge, Scope
from ark_tui.store import conversations, items
from ark_tui.store.lease import among

if TYPE_CHECKING:
    from ark_tui.domain.protocols import Clock
    from ark_tui.store import Lease, Store


class Retention:
    """The end of memories. `drop_vectors` deletes those of texts that no chunk has any more."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        periods: Mapping[int, timedelta],
        drop_vectors: Callable[[Sequence[str]], int],
    ) -> None:
        self._store = store
        self._clock = clock
        self._periods = periods
        self._drop_vectors = drop_vectors

    def due(self, scope: Scope, *, retired: bool = False) -> Purge:
        """What `purge` would delete."""
        with self._store.read() as lease:
            return self._found(lease, scope, retired=retired)[0]

    def purge(self, scope: Scope, *, retired: bool = False) -> Purge:
        """Delete what is past its retention, and with `retired` what was retired, from store and indexes."""
        with self._store.write() as lease:
            found, said, remembered = self._found(lease, scope, retired=retired)
            hashes = _hashes(lease, remembered)
            conversations.forget(lease, said)
            if remembered:
                items.forget(lease, remembered)
            unused = sorted(hashes - _living(lease, hashes))
        return replace(found, vectors=self._drop_vectors(unused), done=True)

    def _found(self, lease: Lease, scope: Scope, *, retired: bool) -> tuple[Purge, list[int], list[int]]:
        now = self._clock.now()
        said = conversations.faded(lease, scope, now.replace(tzinfo=None) - self._periods[WORKING])
        numbers = items.numbers(lease, scope, retired=True)
        kept = items.get(lease, numbers, self._periods)
        over = [
            (number, item)
            for number, item in zip(numbers, kept, strict=True)
            if (item.until is not None and item.until <= now) or (retired and item.retired)
        ]
        remembered = [number for number, _ in over]
        size = conversations.size(lease, [*said, *remembered])
        return Purge(len(said), tuple(item for _, item in over), size), said, remembered


def _hashes(lease: Lease, documents: Sequence[int]) -> set[str]:
    return {
        str(row[0])
        for row in lease.rows(f"SELECT text_hash FROM ark.chunks WHERE document {among(documents)}")
    }


def _living(lease: Lease, hashes: set[str]) -> set[str]:
    """Those of the texts that some chunk still has, in the trash too; messages have no vectors."""
    return {
        str(row[0])
        for row in lease.rows(
            """SELECT c.text_hash FROM ark.chunks c JOIN ark.documents d ON d.number = c.document
               WHERE d.layer <> ? AND c.text_hash IN (SELECT unnest(?::VARCHAR[]))
               UNION SELECT text_hash FROM ark.trashed_chunks
               WHERE text_hash IN (SELECT unnest(?::VARCHAR[]))""",
            WORKING,
            list(hashes),
            list(hashes),
        )
    }
