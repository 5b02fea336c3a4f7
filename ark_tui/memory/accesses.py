"""Accesses: documents that an agent opened, copied or cited; a listed result does not count (S8)."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.errors import UsageError
from ark_tui.domain.memory import ACCESS_KINDS
from ark_tui.memory import texts
from ark_tui.store import Store, documents, searches


class Accesses:
    """Records and counts accesses."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def note(self, agent: str, refs: Sequence[str], kind: str = "opened", retrieval: str = "") -> None:
        """Record that an agent opened, copied or cited documents. Raises `NotFound` and `UsageError`."""
        if kind not in ACCESS_KINDS:
            raise UsageError(f"There is no use {kind}.", f"There are {', '.join(ACCESS_KINDS)}.")
        with self._store.write() as lease:
            numbers = [documents.resolve(lease, ref) for ref in refs]
            searches.put_accesses(lease, texts.name(agent, "an agent"), numbers, kind, retrieval)

    def count(self, agent: str, ref: str) -> int:
        """The number of times that an agent accessed a document."""
        with self._store.read() as lease:
            number = documents.resolve(lease, ref)
            return searches.access_counts(lease, agent, [number]).get(number, 0)
