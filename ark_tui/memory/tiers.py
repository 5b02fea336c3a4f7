"""Promotion and demotion by hand: another tier, another layer, and why."""

from __future__ import annotations

from ark_tui.curation import edits, notes
from ark_tui.curation.notes import Cut
from ark_tui.domain import memory
from ark_tui.domain.documents import Document, LinkDraft, Tier
from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.layers import HISTORY, OWN, WORKING
from ark_tui.domain.memory import Scope
from ark_tui.memory.items import Items, reachable
from ark_tui.store import Lease, Store, conversations, documents, items

DERIVED = "derives_from"


class Tiers:
    """Changes the tier and the layer of documents and memories."""

    def __init__(self, store: Store, kept: Items, cut: Cut) -> None:
        self._store = store
        self._items = kept
        self._cut = cut

    def move(
        self,
        ref: str,
        reason: str,
        agent: str,
        *,
        tier: str = "",
        layer: str | int = "",
        reach: Scope | None = None,
    ) -> Document:
        """Change tier, layer or both of an item that a scope may change, in one transaction.

        A change of tier can be undone. A change of layer restarts the retention; of a message it makes a
        memory that derives from it. Raises `UsageError` for an unknown tier or layer, or without a reason.
        """
        wanted = memory.tier(tier) if tier else None
        place, why = memory.layer(layer) if layer != "" else None, _reason(reason)
        if place == WORKING:
            raise UsageError(
                "Layer 1 contains only messages.", Hint.run("history add", say="Add one with `{}`.")
            )
        with self._store.write() as lease:
            number = documents.resolve(lease, ref)
            self._reached(lease, ref, number, reach)
            if place is not None:
                number = self._layer(lease, ref, number, place, why, agent)
            if wanted is not None:
                self._tier(lease, number, wanted, why, agent)
            return documents.documents(lease, [number])[number]

    def _tier(self, lease: Lease, number: int, wanted: Tier, why: str, agent: str) -> None:
        before = documents.documents(lease, [number])[number]
        if documents.folder(lease, number) == HISTORY:
            hint = Hint.run(
                "memory promote", before.short_id, layer="semantic", say="Make a memory of it: {}."
            )
            raise UsageError("Messages are always raw.", hint)
        if before.tier != wanted:
            plan = edits.tier(lease, [before.id], wanted)
            notes.carry_out(lease, plan.what, plan.inverse, plan.changes, self._cut)
            items.moved(lease, number, "tier", before.tier, wanted, why, agent)

    def _layer(self, lease: Lease, ref: str, number: int, wanted: int, why: str, agent: str) -> int:
        """The document with the new layer."""
        if documents.folder(lease, number) == HISTORY:
            number, before = self._made_of(lease, number, wanted), WORKING
        else:
            number = self._items.number(lease, ref)
            before = documents.documents(lease, [number])[number].layer
            if before != wanted:
                items.place(lease, number, wanted)
        if before != wanted:
            items.moved(lease, number, "layer", str(before), str(wanted), why, agent)
        return number

    def _reached(self, lease: Lease, ref: str, number: int, reach: Scope | None) -> None:
        """Raises `NotFound` for a memory of another agent, and for `wiki` texts."""
        (item,) = items.get(lease, [number], {})
        own = item.scope if documents.folder(lease, number) in OWN else reach
        reachable(ref, own or item.scope, item.document.tier, reach)

    def _made_of(self, lease: Lease, number: int, layer: int) -> int:
        said = conversations.of_document(lease, number)
        assert said
        made = self._items.added(
            lease, said.content, said.scope, layer=layer, tier="raw", type="message",
            links=[LinkDraft(DERIVED, said.id, origin="front matter")],
            source=f"{said.conversation_id}/{said.sequence}",
        )  # fmt: skip
        return documents.resolve(lease, made.document.id)


def _reason(given: str) -> str:
    if not given.strip():
        raise UsageError("A reason is required.", Hint.give(reason="checked with Ann", say="Say why: {}"))
    return " ".join(given.split())
