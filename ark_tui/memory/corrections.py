"""Correct, retire and revive items: of an item and its replacement, exactly one is in force.

A program may change items that its agent added, except `wiki` texts. For other visible items it proposes a
correction or a retirement, which waits in the review queue for a person.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ark_tui.domain.documents import SUPERSEDED_BY, content_hash
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.layers import EPISODIC, MEMORY, PATTERN
from ark_tui.domain.memory import Item, Scope
from ark_tui.domain.review import AGENT, EPISODE, OPEN, RETIRES, TOLD, Amended, CandidateKind
from ark_tui.memory import texts
from ark_tui.memory.items import reachable, reaches
from ark_tui.memory.kinds import KINDS
from ark_tui.store import candidates, documents, items, links

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.ingest.reading import Reading
    from ark_tui.memory.items import Items
    from ark_tui.memory.kinds import Known
    from ark_tui.store import Lease, Store

WORDED: Mapping[str, str] = {"pattern": "solution"}
"""The field that `text` changes, for kinds that do not call it `text`."""

CORRECTED = "it was corrected"
REPLACED = "another says it now"


class Corrections:
    """Changes of items in one home. `known`: the items of a kind, by its name.

    `taken_up` tells the indexes of a change. `reach`: the scope whose items may be changed, except `wiki`
    texts; None: all items.
    """

    def __init__(
        self, store: Store, kept: Items, known: Callable[[str], Known[Any]], reading: Reading,
        taken_up: Callable[[], object],
    ) -> None:  # fmt: skip
        self._store = store
        self._items = kept
        self._known = known
        self._reading = reading
        self._taken_up = taken_up

    def correct(
        self, ref: str, changes: Mapping[str, str], by: Scope, *, reason: str = "", reach: Scope | None = None
    ) -> Amended:
        """Replace an item by one with other words, and retire the old one.

        `changes`: a `text`, and the `problem` of a pattern or the `title` of an episode.
        """
        scope = texts.one(by)
        with self._store.write() as lease:
            old = self._in_force(lease, ref)
            values = self._values(lease, old)
            changed = values | _named(old, changes, values)
            if changed == values:
                raise UsageError("There is nothing to change.", "Give it another text.")
            if reaches(old.scope, old.document.tier, reach):
                number = self._added(lease, old, changed, scope)
                found = self._replaced(lease, old, number, reason or CORRECTED, scope.agent)
            else:
                found = self._propose(lease, old, changed, "supersedes", reason, scope)
        self._taken_up()
        return found

    def supersede(
        self, ref: str, successor: str, by: Scope, *, reason: str = "", reach: Scope | None = None
    ) -> Amended:
        """Replace an item by an existing one, and retire it."""
        scope = texts.one(by)
        with self._store.write() as lease:
            old, new = self._in_force(lease, ref), self._in_force(lease, successor)
            if old.document.id == new.document.id:
                raise UsageError("An item cannot replace itself.", "Name another one.")
            if not reaches(old.scope, old.document.tier, reach):
                raise NotFound(f"{ref} is not a memory of {scope.agent}.", Hint.run(
                    "memory correct", ref, say="Propose another text: {}, or ask the user."))  # fmt: skip
            number = self._items.number(lease, new.document.id)
            found = self._replaced(lease, old, number, reason or REPLACED, scope.agent)
        self._taken_up()
        return found

    def retire(self, ref: str, by: Scope, *, reason: str = "", reach: Scope | None = None) -> Amended:
        """Remove an item from searches and contexts; it can be revived."""
        scope = texts.one(by)
        with self._store.write() as lease:
            old = self._item(lease, ref)
            if reaches(old.scope, old.document.tier, reach):
                self._items.retired(lease, self._items.number(lease, ref), reason, scope.agent)
                found = Amended("done", old.document.id)
            else:
                found = self._propose(lease, old, self._values(lease, old), RETIRES, reason, scope)
        self._taken_up()
        return found

    def revive(self, ref: str, reason: str, agent: str, reach: Scope | None = None) -> Item:
        """Bring a retired item back, with its former status.

        Raises `UsageError` while its replacement, or the item that it replaced, is in force.
        """
        with self._store.write() as lease:
            found = self.revived(lease, ref, reason, agent, reach)
        self._taken_up()
        return found

    def own(self, refs: Sequence[str], reach: Scope | None) -> None:
        """Raises `NotFound` if one of the documents is a memory that a scope may not change."""
        if reach is None:
            return
        with self._store.read() as lease:
            for ref in refs:
                number = documents.resolve(lease, ref)
                if documents.folder(lease, number) == MEMORY:
                    item = self._item(lease, ref)
                    reachable(ref, item.scope, item.document.tier, reach)

    # -- in a lease that the caller holds ------------------------------------------------------------

    def revived(self, lease: Lease, ref: str, reason: str, agent: str, reach: Scope | None = None) -> Item:
        """As `revive`."""
        old = self._item(lease, ref)
        if not reaches(old.scope, old.document.tier, reach):
            raise NotFound(
                f"{ref} is not a memory of {(reach or old.scope).agent}.", "Ask the user to do it."
            )
        if not old.retired:
            return old
        number = self._items.number(lease, ref)
        after, before = links.successors(lease, number), links.predecessors(lease, number)
        for other in items.get(lease, [*after, *before], {}):
            if not other.retired:
                told = other.document
                how = "was replaced by" if self._items.number(lease, told.id) in after else "has replaced"
                raise UsageError(f"{ref} {how} {told.short_id}, which is in force.", Hint.run(
                    "memory retire", told.short_id, say="Retire that first: {}"))  # fmt: skip
        if after:  # its last replacement was undone
            links.drop(lease, number, SUPERSEDED_BY)
            links.add(lease, after[-1], SUPERSEDED_BY, number)
        return self._items.revived(lease, number, self._draft(lease, old), reason, agent)

    def superseded(self, lease: Lease, old: int, new: int, reason: str, agent: str) -> None:
        """Retire an item that another one replaces."""
        links.drop(lease, old, SUPERSEDED_BY)
        links.add(lease, old, SUPERSEDED_BY, new)
        self._items.retired(lease, old, reason, agent)

    # -- inside ------------------------------------------------------------------------------------

    def _item(self, lease: Lease, ref: str) -> Item:
        return items.get(lease, [self._items.number(lease, ref)], {})[0]

    def _in_force(self, lease: Lease, ref: str) -> Item:
        old = self._item(lease, ref)
        if old.retired:
            raise UsageError(
                f"{ref} is retired.", Hint.run("memory revive", ref, say="Bring it back first: {}")
            )
        return old

    def _values(self, lease: Lease, old: Item) -> dict[str, Any]:
        """The values of an item, by name."""
        number = self._items.number(lease, old.document.id)
        if row := KINDS.get(f"{old.document.type}s"):
            known = row.read(lease, [number])[number]
            return {name: getattr(known, name) for name in row.values}
        if old.document.type == EPISODE:
            summary, *learnings = old.text.split("\n- ")
            return {"title": old.document.title, "text": summary, "learnings": learnings}
        return {"text": old.text}

    def _added(self, lease: Lease, old: Item, values: Mapping[str, Any], scope: Scope) -> int:
        """The replacement, with owner, tier and tags of the old item."""
        about, whose = old.document, (old.owner, old.project)
        number = self._items.number(lease, about.id)
        own = [link for link in items.own_links(lease, number) if link.relation != SUPERSEDED_BY]
        if f"{about.type}s" in KINDS:
            made = self._known(f"{about.type}s").added(
                lease, values, scope, about.tags, about.tier, whose, own
            ).document  # fmt: skip
        else:
            made = self._items.added(
                lease, told(values), scope, layer=about.layer, tier=about.tier, type=about.type,
                title=str(values.get("title", "")), tags=about.tags, links=own,
                source=items.source(lease, number), path=f"corrected/{uuid.uuid4().hex[:12]}", whose=whose,
            ).document  # fmt: skip
        return self._items.number(lease, made.id)

    def _replaced(self, lease: Lease, old: Item, new: int, reason: str, agent: str) -> Amended:
        number = self._items.number(lease, old.document.id)
        if number == new:
            raise UsageError("It already has this text.", "Give it another text.")
        self.superseded(lease, number, new, reason, agent)
        (made,) = documents.documents(lease, [new]).values()
        return Amended("done", old.document.id, made.id)

    def _propose(
        self, lease: Lease, old: Item, values: Mapping[str, Any], relation: str, reason: str, by: Scope
    ) -> Amended:
        """Add a proposal to the review queue, once. Raises `UsageError` if it was rejected before."""
        kind, value = _candidate(old, values)
        claimed = f"{relation} {old.document.id} {json.dumps(value, sort_keys=True)}"
        digest = content_hash(claimed.encode())
        known = candidates.of_digest(lease, digest)
        if known and known[1] == "rejected":
            raise UsageError("The user has refused this before.", "Ask the user.")
        if known is None or known[1] not in OPEN:
            id_ = uuid.uuid4().hex
            row = (id_, kind, json.dumps(value | {"reason": reason} if reason else value), digest, relation,
                   old.document.id, "[]", 1, f"{AGENT} {by.agent}", by.agent, by.session)  # fmt: skip
            candidates.add(lease, [row], [()], (old.owner, old.project))
            known = id_, "pending"
        return Amended("proposed", old.document.id, candidate=known[0])

    def _draft(self, lease: Lease, old: Item) -> Any:
        """A new draft of an item's document, chunked as its kind requires."""
        about = old.document
        if row := KINDS.get(f"{about.type}s"):
            return row.draft(self._reading, self._values(lease, old), about.path)
        return self._reading.text(old.text, path=about.path, title=about.title)


def told(values: Mapping[str, Any]) -> str:
    """The text of an episode: its summary and its learnings."""
    return "\n".join((str(values["text"]), *(f"- {one}" for one in values.get("learnings") or ())))


def _named(old: Item, changes: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, str]:
    """The changes, by the names of the item's values. Raises `UsageError` for an unknown name."""
    text = WORDED.get(old.document.type, "text")
    found = {text if name == "text" else name: value for name, value in changes.items() if value}
    if strange := found.keys() - values.keys():
        raise UsageError(f"A {old.document.type} has no {min(strange)}.", f"It has {', '.join(values)}.")
    return found


def _candidate(old: Item, values: Mapping[str, Any]) -> tuple[CandidateKind, dict[str, Any]]:
    """The kind of candidate for an item, and its values."""
    if old.document.type == EPISODE or old.layer == EPISODIC:
        title = values.get("title") or old.document.title
        return "episode", {
            "title": title,
            "summary": values["text"],
            "learnings": values.get("learnings", []),
        }
    kind: CandidateKind = (
        "pattern" if old.layer == PATTERN and "problem" in values
        else "directive" if "kind" in values else "fact"
    )  # fmt: skip
    return kind, {name: values[name] for name in (*TOLD[kind], "scope", "priority") if name in values}
