"""Curation as a face asks for it: by references, one call one edit, and the indexes follow at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ark_tui.domain.curation import Done, Edit
from ark_tui.domain.errors import ModelUnavailable
from ark_tui.domain.protocols import NEVER

if TYPE_CHECKING:
    from ark_tui.curation.edits import Plan
    from ark_tui.domain.documents import Document, Draft
    from ark_tui.engine.journal import Journal
    from ark_tui.engine.parts import Parts
    from ark_tui.store import Lease

WAIT = 5.0  # seconds for another process that is writing the same index; it takes the edit up, too
SERVED_AT_ONCE = 64  # changes that a served model takes up along with an edit

Refs = Sequence[str]
"""Ids (`#3fa9c1`), paths, file names, or `@1` for the first hit of the last search."""


class Curation:
    """The curation room of one home. Every edit can be undone, also later and by another process."""

    def __init__(self, parts: Parts, journal: Journal) -> None:
        self._parts = parts
        self._journal = journal

    # -- edits -------------------------------------------------------------------------------------

    def tag(self, refs: Refs, tags: Sequence[str]) -> Done:
        """Tag documents; the tags stay when their files change."""
        from ark_tui.curation import edits

        return self._edit(refs, lambda lease, numbers: edits.tag(lease, numbers, tags))

    def untag(self, refs: Refs, tags: Sequence[str]) -> Done:
        """Take tags off, also those that files state."""
        from ark_tui.curation import edits

        return self._edit(refs, lambda lease, numbers: edits.untag(lease, numbers, tags))

    def tier(self, refs: Refs, tier: str) -> Done:
        """Say which tier documents are of."""
        from ark_tui.curation import edits

        return self._edit(refs, lambda lease, numbers: edits.tier(lease, numbers, tier))

    def pin(self, refs: Refs, *, on: bool = True) -> Done:
        """Pin documents: they come first in lists and are marked in hits. Scores do not change."""
        from ark_tui.curation import edits

        return self._edit(refs, lambda lease, numbers: edits.pin(lease, numbers, on=on))

    def link(self, ref: str, target: str, relation: str = "links_to") -> Done:
        """Link a document to another; `relation` is one of `domain.curation.RELATIONS`."""
        from ark_tui.curation import edits

        return self._edit_two(ref, target, lambda lease, a, b: edits.link(lease, a, b, relation))

    def unlink(self, ref: str, target: str, relation: str = "") -> Done:
        """Take the links from a document to another away, of one relation or of all."""
        from ark_tui.curation import edits

        return self._edit_two(ref, target, lambda lease, a, b: edits.unlink(lease, a, b, relation))

    def supersede(self, refs: Refs, successor: str) -> Done:
        """Say that documents have been superseded by another one; searches hide them from now on."""
        from ark_tui.curation import edits
        from ark_tui.curation import refs as names

        def make(lease: Lease, numbers: list[int]) -> Plan:
            return edits.supersede(lease, numbers, names.named(lease, [successor])[0])

        return self._edit(refs, make)

    def contradict(self, ref: str, other: str) -> Done:
        """Say that two documents contradict each other."""
        return self.link(ref, other, "contradicts")

    def trash(self, refs: Refs) -> Done:
        """Put documents into the trash: hidden, kept with their text, their files untouched."""
        from ark_tui.curation import edits

        return self._edit(refs, edits.trash)

    def untrash(self, refs: Refs) -> Done:
        """Bring documents back from the trash."""
        from ark_tui.curation import edits

        return self._edit(refs, edits.untrash, trashed=True)

    # -- the log -----------------------------------------------------------------------------------

    def undo(self) -> Done:
        """Take the last edit back, whoever made it. `what` says what was done: "untagged 3 documents"."""
        from ark_tui.curation import log

        with self._parts.store.write() as lease:
            done = log.undo(lease, self._cut)
        return self._followed(done)

    def redo(self) -> Done:
        """Do again what was undone last; nothing, once there has been another edit."""
        from ark_tui.curation import log

        with self._parts.store.write() as lease:
            done = log.redo(lease, self._cut)
        return self._followed(done)

    def log(self, limit: int = 20) -> tuple[Edit, ...]:
        """The last edits, the newest first."""
        from ark_tui.store import edits

        with self._parts.store.read() as lease:
            return tuple(edits.latest(lease, limit))

    # -- lists -------------------------------------------------------------------------------------

    def pinned(self) -> tuple[Document, ...]:
        """The pinned documents, by title."""
        return self._said("pin")

    def trashed(self) -> tuple[Document, ...]:
        """What lies in the trash, by title."""
        return self._said("trash")

    # -- inside ------------------------------------------------------------------------------------

    def _edit(self, refs: Refs, make: Callable[[Lease, list[int]], Plan], *, trashed: bool = False) -> Done:
        """Work out an edit of the documents that are named, and carry it out, in one transaction."""
        from ark_tui.curation import refs as names

        return self._carry_out(lambda lease: make(lease, names.named(lease, refs, trashed=trashed)))

    def _edit_two(self, a: str, b: str, make: Callable[[Lease, int, int], Plan]) -> Done:
        from ark_tui.curation import refs as names

        def of_two(lease: Lease) -> Plan:
            return make(lease, names.named(lease, [a])[0], names.named(lease, [b])[0])

        return self._carry_out(of_two)

    def _carry_out(self, make: Callable[[Lease], Plan]) -> Done:
        from ark_tui.curation import log
        from ark_tui.store import documents

        self._journal.settle()  # `@1` is the first hit of the last search
        with self._parts.store.write() as lease:
            plan = make(lease)
            edit = (
                log.carry_out(lease, plan.what, plan.inverse, plan.strokes, self._cut)
                if plan.strokes
                else None
            )
            found = tuple(documents.documents(lease, plan.documents).values())
        what = plan.what if edit else "nothing to do: it is so already"
        return self._followed(Done(what, found, edit.number if edit else None, plan.notices))

    def _followed(self, done: Done) -> Done:
        """Let the indexes take an edit up; one that has no server takes it up later."""
        if done.changed:
            for follower in self._parts.local_followers():
                follower.sync(wait=WAIT)
            for follower in self._parts.models.followers():
                if follower.state().behind <= SERVED_AT_ONCE:
                    with suppress(ModelUnavailable):
                        follower.sync(NEVER)
        return done

    def _cut(self, title: str, body: str, path: str) -> Draft:
        from ark_tui.engine.indexing import reading

        return reading(self._parts).text(body, path=path, title=title)

    def _said(self, aspect: str) -> tuple[Document, ...]:
        from ark_tui.store import documents, said

        with self._parts.store.read() as lease:
            numbers = [word.document for word in said.all_of(lease, aspect)]
            found = documents.documents(lease, numbers).values() if numbers else ()
            return tuple(sorted(found, key=lambda one: (one.title.casefold(), one.id)))
