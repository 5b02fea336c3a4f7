"""Remembering: a text with its source, in the tiers that an agent may write (M12)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.layers import SEMANTIC
from ark_tui.domain.memory import Scope, choice
from ark_tui.memory import texts
from ark_tui.store import Store, documents, knowledge, requests

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document, Tier
    from ark_tui.memory.items import Items

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
