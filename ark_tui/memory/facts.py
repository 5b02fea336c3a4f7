"""Facts: what is so, by anybody's word, until it is edited or retired (layer 3)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.knowledge import FACT, Fact
from ark_tui.domain.memory import SEMANTIC, Scope
from ark_tui.memory import texts
from ark_tui.store import knowledge, requests

if TYPE_CHECKING:
    from ark_tui.domain.documents import Tier
    from ark_tui.memory.items import Items
    from ark_tui.store import Store


class Facts:
    """The facts of a home. They are everybody's; the scope says who added one."""

    def __init__(self, store: Store, items: Items, longest: int) -> None:
        self._store = store
        self._items = items
        self._longest = longest  # bytes of a text

    def add(
        self, text: str, scope: Scope, *, source: str = "", tags: Sequence[str] = (), tier: Tier = "doc"
    ) -> Fact:
        """Keep a fact. The same text from the same source is the same fact."""
        kept = texts.text(text, "a fact", self._longest)
        with self._store.write() as lease:

            def make() -> Fact:
                number = knowledge.same(lease, FACT, kept, source)
                if number is None:
                    made = self._items.added(
                        lease, kept, scope, layer=SEMANTIC, tier=tier, type=FACT, tags=tags, source=source,
                        path=f"facts/{uuid.uuid4().hex[:12]}",
                    )  # fmt: skip
                    (number,) = knowledge.by_id(lease, [made.document.id])
                return knowledge.facts(lease, [number])[number]

            return requests.once(
                lease, "add a fact", [text, source, tags, tier], make, lambda made: made.document.id,
                lambda id_: knowledge.again(lease, knowledge.facts, id_),
            )  # fmt: skip

    def edit(self, ref: str, text: str) -> Fact:
        """Give a fact another text; it stays the same fact."""
        self._number(ref)
        return self._of(self._items.edit(ref, text, title="").document.id)

    def retire(self, ref: str, reason: str, agent: str) -> Fact:
        """Take a fact out of searches and contexts; its text is kept."""
        self._number(ref)
        return self._of(self._items.retire(ref, reason, agent).document.id)

    def list(self, scope: Scope, *, retired: bool = False) -> tuple[Fact, ...]:
        """The facts that a scope has added, the oldest first; `retired` ones on request."""
        with self._store.read() as lease:
            wanted = knowledge.numbers(lease, [FACT], scope, retired=retired)
            found = knowledge.facts(lease, wanted)
            return tuple(found[number] for number in wanted)

    def _number(self, ref: str) -> int:
        with self._store.read() as lease:
            return knowledge.resolve(lease, ref, FACT)

    def _of(self, id_: str) -> Fact:
        with self._store.read() as lease:
            (number,) = knowledge.by_id(lease, [id_])
            return knowledge.facts(lease, [number])[number]
