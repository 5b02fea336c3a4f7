"""The review queue: a person accepts, changes or rejects the proposals of a model (M17)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ark_tui.domain.documents import LinkDraft, Tier
from ark_tui.domain.errors import ArkError, Hint, NotFound, UsageError
from ark_tui.domain.layers import EPISODIC
from ark_tui.domain.memory import Scope
from ark_tui.domain.review import (
    EPISODE,
    OPEN,
    REPLACES,
    RETIRES,
    TOLD,
    Accuracy,
    Candidate,
    CandidateState,
)
from ark_tui.memory.kinds import EVERYBODY, KINDS
from ark_tui.store import Lease, Store, candidates, documents, items, knowledge

if TYPE_CHECKING:
    from ark_tui.memory.corrections import Corrections
    from ark_tui.memory.items import Items
    from ark_tui.memory.kinds import Known

DERIVED = "derives_from"
ACCEPTED: Tier = "doc"  # of an accepted candidate
REASON = "a newer text says otherwise"


class Review:
    """The candidates of one home, and decisions on them.

    `known`: the items of a kind, by its name. `taken_up` tells the indexes of a change.
    """

    def __init__(
        self, store: Store, kept: Items, known: Callable[[str], Known[Any]], corrections: Corrections,
        taken_up: Callable[[], object],
    ) -> None:  # fmt: skip
        self._store = store
        self._items = kept
        self._known = known
        self._corrections = corrections
        self._taken_up = taken_up

    def list(
        self, scope: Scope = EVERYBODY, *, states: Sequence[str] = OPEN, kinds: Sequence[str] = ()
    ) -> tuple[Candidate, ...]:
        """The candidates of a scope that wait for a decision; postponed ones last."""
        with self._store.read() as lease:
            return tuple(candidates.get(lease, candidates.numbers(lease, scope, states=states, kinds=kinds)))

    def get(self, ref: str) -> Candidate:
        """A candidate by its id or a unique prefix. Raises `NotFound` and `UsageError`."""
        with self._store.read() as lease:
            return self._one(lease, ref)

    def accept(self, ref: str, changes: Mapping[str, Any] | None = None, *, agent: str = "") -> Candidate:
        """Make an item of a candidate, with the values in `changes` replaced. Raises `UsageError`.

        The items that it contradicts, supersedes or retires are retired in the same transaction.
        """
        with self._store.read() as lease:
            one = self._one(lease, ref, OPEN)
        changed = {name: value for name, value in (changes or {}).items() if value is not None}
        if strange := changed.keys() - one.value.keys():
            listed = ", ".join(one.value)
            raise UsageError(f"A {one.kind} has no {min(strange)}.", f"It has {listed}.")
        agent = agent or one.scope.agent
        with self._store.write() as lease:
            if one.relation == RETIRES:
                id_, fresh = one.target, False
                self._items.retired(lease, documents.resolve(lease, id_), one.reason, agent)
            else:
                id_, fresh = self._made(lease, one, one.value | changed)
            if one.target and one.relation in REPLACES:
                self._replaced(lease, one, id_, agent)
            state = "edited" if changed else "accepted"
            proposed = one.value if changed else {}  # everything else is in its item
            candidates.decide(lease, one.number, state, value=_reasoned(proposed, one), made=id_, fresh=fresh)
        self._taken_up()
        return self.get(one.id)

    def merge(self, ref: str, item: str) -> Candidate:
        """Count a candidate as support of an existing item; no new item is made."""
        return self._decided(ref, "merged", item)

    def reject(self, ref: str) -> Candidate:
        """Reject a candidate; the same claim is not proposed again."""
        return self._decided(ref, "rejected")

    def later(self, ref: str) -> Candidate:
        """Move a candidate to the end of the queue."""
        return self._decided(ref, "later")

    def undo(self, scope: Scope = EVERYBODY) -> Candidate:
        """Undo the last decision: reopen the candidate, retire its item, and revive what that replaced.

        Raises `NotFound` if there is no decision.
        """
        with self._store.write() as lease:
            number = candidates.latest_decided(lease, scope)
            if number is None:
                raise NotFound(
                    "There is no decision to undo.", Hint.run("review list", say="List what is waiting: {}")
                )
            (one,) = candidates.get(lease, [number])
            value = one.value or self._values(lease, one)
            if one.made and one.fresh:
                self._items.retired(lease, documents.resolve(lease, one.made), "taken back", one.scope.agent)
            candidates.decide(lease, number, "pending", value=_reasoned(value, one))
            if one.target and one.relation in (*REPLACES, RETIRES) and one.state in ("accepted", "edited"):
                self._back(lease, one)
        self._taken_up()
        return self.get(one.id)

    def accuracy(self, scope: Scope = EVERYBODY) -> tuple[Accuracy, ...]:
        """How many proposals of each model were accepted."""
        with self._store.read() as lease:
            return tuple(candidates.accuracy(lease, scope))

    # -- inside ------------------------------------------------------------------------------------

    def _one(self, lease: Lease, ref: str, states: Sequence[str] = ()) -> Candidate:
        begins = ref.strip().removeprefix("#").lower()
        every = (*OPEN, "accepted", "edited", "merged", "rejected")
        numbers = candidates.numbers(lease, EVERYBODY, states=states or every, ref=begins) if begins else []
        if not numbers:
            raise NotFound(f"No candidate {ref} waits." if states else f"There is no candidate {ref}.",
                           Hint.run("review list", say="List them: {}"))  # fmt: skip
        if len(numbers) > 1:
            raise UsageError(f"{ref} names {len(numbers)} candidates.", "Give more of its id.")
        return candidates.get(lease, numbers)[0]

    def _decided(self, ref: str, state: CandidateState, item: str = "") -> Candidate:
        with self._store.write() as lease:
            one = self._one(lease, ref, OPEN)
            made = documents.documents(lease, [self._items.number(lease, item)]) if item else {}
            id_ = next((document.id for document in made.values()), "")
            candidates.decide(lease, one.number, state, value=_reasoned(one.value, one), made=id_)
        return self.get(one.id)

    def _made(self, lease: Lease, one: Candidate, value: Mapping[str, Any]) -> tuple[str, bool]:
        """The id of the item that has the claim, and whether it is new."""
        source = f"{one.spans[0].conversation_id}/{one.spans[0].sequence}" if one.spans else one.model
        before, whose = documents.latest(lease), (one.owner, one.project)
        links = tuple(dict.fromkeys(
            LinkDraft(DERIVED, span.message, origin="front matter") for span in one.spans
        ))  # fmt: skip
        if one.kind == EPISODE:
            told = "\n".join((value["summary"], *(f"- {text}" for text in value.get("learnings") or ())))
            id_ = self._items.added(
                lease, told, one.scope, layer=EPISODIC, tier=ACCEPTED, type=EPISODE,
                title=str(value["title"])[:200], links=links, source=source, whose=whose,
            ).document.id  # fmt: skip
        else:
            named = {"source": source} if one.kind == "fact" else {}
            id_ = self._known(f"{one.kind}s").added(
                lease, {**value, **named}, one.scope, (), ACCEPTED, whose, links
            ).document.id  # fmt: skip
        return id_, knowledge.by_id(lease, [id_])[0] > before

    def _replaced(self, lease: Lease, one: Candidate, by: str, agent: str) -> None:
        """Retire the item that a candidate replaces, or reject it if it is a candidate; it may be gone."""
        rival = next(iter(candidates.get(lease, candidates.named(lease, one.target))), None)
        if rival and rival.state in OPEN:
            candidates.decide(lease, rival.number, "rejected", value=_reasoned(rival.value, rival))
        old = rival.made if rival else one.target
        if old and old != by:
            with suppress(NotFound):
                new = knowledge.by_id(lease, [by])[0]
                self._corrections.superseded(lease, documents.resolve(lease, old), new, REASON, agent)

    def _back(self, lease: Lease, one: Candidate) -> None:
        """Revive the items that a candidate had replaced or retired."""
        rival = next(iter(candidates.get(lease, candidates.named(lease, one.target))), None)
        if rival and rival.state == "rejected":
            candidates.decide(lease, rival.number, "pending", value=_reasoned(rival.value, rival))
        old = rival.made if rival else one.target
        if old:
            with suppress(NotFound):
                self._corrections.revived(lease, old, "taken back", one.scope.agent)

    def _values(self, lease: Lease, one: Candidate) -> dict[str, Any]:
        """The values of an accepted candidate, from its item."""
        with suppress(ArkError):
            number = documents.resolve(lease, one.made)
            if one.kind != EPISODE:
                found = KINDS[f"{one.kind}s"].read(lease, [number])[number]
                return {name: getattr(found, name) for name in TOLD[one.kind]}
            (item,) = items.get(lease, [number], {})
            summary, *learnings = item.text.split("\n- ")
            return {"title": item.document.title, "summary": summary, "learnings": learnings}
        return {}


def _reasoned(value: Mapping[str, Any], one: Candidate) -> str:
    """The stored values of a candidate, with its reason."""
    reason = {"reason": one.reason} if one.reason else {}
    return json.dumps({**value, **reason}, ensure_ascii=False)
