"""The memory of a home: one family of methods each, all over the same store."""

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
    from ark_tui.engine.meaning import Meaning
    from ark_tui.memory.accesses import Accesses
    from ark_tui.memory.conversations import Conversations
    from ark_tui.memory.forgetting import Forgetting, Retention
    from ark_tui.memory.scratch import Scratch
    from ark_tui.memory.tasks import Tasks
    from ark_tui.memory.tiers import Tiers


class Memory(Knowledge):
    """What was noted, planned and said; what is known and was learned is in `Knowledge`."""

    def scopes(self) -> tuple[ScopeInfo, ...]:
        """Every scope that something is in, with how much."""
        from ark_tui.store import owners

        with self._parts.store.read() as lease:
            return tuple(owners.scopes(lease))

    @cached_property
    def scratch(self) -> Scratch:
        """Values by key."""
        from ark_tui.memory.scratch import Scratch

        return Scratch(self._parts.store, self._parts.settings.max_bytes)

    @cached_property
    def tasks(self) -> Tasks:
        """What is to be done."""
        from ark_tui.memory.tasks import Tasks

        return Tasks(self._parts.store, self._parts.clock)

    @cached_property
    def conversations(self) -> Conversations:
        """What was said; and history, which is the same as a list."""
        from ark_tui.memory.conversations import Conversations

        parts = self._parts
        return Conversations(
            parts.store, parts.clock, parts.messages, parts.meant, parts.settings.max_bytes, self._erase
        )

    @property
    def meaning(self) -> Meaning:
        """Vectors of messages."""
        return self._parts.meaning

    def length(self, text: str) -> int:
        """How many tokens of a context window a text takes, as a context counts them."""
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
        """Take the conversations of another program's export in, as `memory.importing` does it."""
        from ark_tui.memory import importing

        return importing.import_chats(
            self.conversations, path, scope, dry_run=dry_run, say=say, stop=stop, progress=progress
        )

    @cached_property
    def tiers(self) -> Tiers:
        """Promotion and demotion by hand."""
        from ark_tui.memory.tiers import Tiers

        return Tiers(self._parts.store, self.items, self._cut)

    @cached_property
    def retention(self) -> Retention:
        """What is past its time, and deleting it for good."""
        from ark_tui.memory.forgetting import Retention

        parts = self._parts
        return Retention(parts.store, parts.clock, parts.retention, self._erase)

    @cached_property
    def forgetting(self) -> Forgetting:
        """Deleting memories and messages for good, one by one."""
        from ark_tui.engine import erasing
        from ark_tui.memory.forgetting import Forgetting

        settings = self._parts.settings
        return Forgetting(self._parts.store, self._erase, lambda: erasing.remains(settings))

    @cached_property
    def accesses(self) -> Accesses:
        """What was opened, copied or cited, by whom."""
        from ark_tui.memory.accesses import Accesses

        return Accesses(self._parts.store)

    def _erase(self) -> int:
        """Take deleted texts out of every file; returns how many vectors went."""
        from ark_tui.engine import erasing

        return erasing.finish(self._parts).vectors

    def _cut(self, title: str, body: str, path: str) -> Draft:
        from ark_tui.engine.indexing import reading

        return reading(self._parts).text(body, path=path, title=title)
