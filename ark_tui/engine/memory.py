"""The memory of a home, grouped by area, in one store."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.engine.knowledge import Knowledge

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ark_tui.domain.documents import Draft
    from ark_tui.domain.memory import ImportedChats, Scope, ScopeInfo
    from ark_tui.memory.accesses import Accesses
    from ark_tui.memory.conversations import Conversations
    from ark_tui.memory.forgetting import Forgetting, Retention
    from ark_tui.memory.scratch import Scratch
    from ark_tui.memory.tasks import Tasks
    from ark_tui.memory.tiers import Tiers


class Memory(Knowledge):
    """Scratch notes, tasks and conversations; memories and learned rules are in `Knowledge`."""

    def scopes(self) -> tuple[ScopeInfo, ...]:
        """Every scope with contents, with counts."""
        from ark_tui.store import owners

        with self._parts.store.read() as lease:
            return tuple(owners.scopes(lease))

    @cached_property
    def scratch(self) -> Scratch:
        """Scratch notes: values by key."""
        from ark_tui.memory.scratch import Scratch

        return Scratch(self._parts.store, self._parts.settings.max_bytes)

    @cached_property
    def tasks(self) -> Tasks:
        """Tasks."""
        from ark_tui.memory.tasks import Tasks

        return Tasks(self._parts.store, self._parts.clock)

    @cached_property
    def conversations(self) -> Conversations:
        """Conversations and their history as a list."""
        from ark_tui.memory.conversations import Conversations

        parts = self._parts
        return Conversations(parts.store, parts.clock, parts.messages, parts.settings.max_bytes, self._erase)

    def length(self, text: str) -> int:
        """The number of tokens of a text, counted as for a context."""
        from ark_tui.memory import wording

        return wording.length(text)

    def import_chats(
        self,
        path: Path,
        scope: Scope,
        *,
        dry_run: bool = False,
        say: Callable[[str], object] = ignore,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
    ) -> ImportedChats:
        """Import conversations from another program's export; see `memory.importing`."""
        from ark_tui.memory import importing

        return importing.import_chats(
            self.conversations, path, scope, dry_run=dry_run, say=say, stop=stop, progress=progress
        )

    @cached_property
    def tiers(self) -> Tiers:
        """Manual promotion and demotion."""
        from ark_tui.memory.tiers import Tiers

        return Tiers(self._parts.store, self.items, self._cut)

    @cached_property
    def retention(self) -> Retention:
        """Expired memories and their permanent deletion."""
        from ark_tui.memory.forgetting import Retention

        parts = self._parts
        return Retention(parts.store, parts.clock, parts.retention, self._erase)

    @cached_property
    def forgetting(self) -> Forgetting:
        """Permanent deletion of single memories and messages."""
        from ark_tui.engine import erasing
        from ark_tui.memory.forgetting import Forgetting

        settings = self._parts.settings
        return Forgetting(self._parts.store, self._erase, lambda: erasing.remains(settings))

    @cached_property
    def accesses(self) -> Accesses:
        """Documents opened, copied or cited, by agent."""
        from ark_tui.memory.accesses import Accesses

        return Accesses(self._parts.store)

    def _erase(self) -> int:
        """Erase deleted texts from every file; return the number of vectors deleted."""
        from ark_tui.engine import erasing

        return erasing.finish(self._parts).vectors

    def _cut(self, title: str, body: str, path: str) -> Draft:
        from ark_tui.engine.indexing import reading

        return reading(self._parts).text(body, path=path, title=title)
