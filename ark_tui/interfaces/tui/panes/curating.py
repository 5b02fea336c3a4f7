"""Actions on documents: curation of the one under the cursor or the marked ones; copying and editing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.containers import Container
from textual.widget import Widget

from ark_tui import operations
from ark_tui.domain import memory
from ark_tui.domain.curation import RELATIONS, Done
from ark_tui.domain.display import visible, visible_line
from ark_tui.domain.documents import SUPERSEDED_BY, Document, Passage
from ark_tui.domain.layers import MEMORY, OWN
from ark_tui.domain.memory import AccessKind, Forgotten
from ark_tui.domain.reading import Stake
from ark_tui.domain.review import Amended
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import actions, names, strings
from ark_tui.interfaces.tui.state.client import Act, Client, act
from ark_tui.interfaces.tui.state.context import PaneContext
from ark_tui.interfaces.tui.state.messages import Curated, EditAsked
from ark_tui.interfaces.tui.widgets.document_lists import DocumentRows
from ark_tui.interfaces.tui.widgets.reader import Reader, when_shown
from ark_tui.interfaces.tui.widgets.requesting import Requesting

NAMED = 8
"""Maximum documents that a confirmation names; beyond that it gives the number."""


class Curating(Requesting, Container):
    """A part with a list of documents that can be tagged, linked, merged and so on."""

    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("curation")

    @property
    @abstractmethod
    def rows(self) -> DocumentRows | None:
        """The list that the actions apply to; None if no such list is shown."""

    def action_mark(self) -> None:
        if self.rows is not None:
            self.rows.mark()

    def action_tag(self) -> None:
        if targets := self._targets():
            then = partial(self._tag, ids(targets))
            self.context.dialogs.name(f"Tags for {named(targets)}", names.Tags(), then)

    def _tag(self, refs: tuple[str, ...], line: str) -> None:
        words = [word.strip() for word in line.split(",") if word.strip()]
        on = tuple(word for word in words if not word.startswith("-"))
        off = tuple(word.removeprefix("-") for word in words if word.startswith("-"))
        if on or off:
            self.carry_out(act(operations.workbench.retag, refs, on, off))

    def action_rename_tag(self) -> None:
        """Choose a tag, those of the selected document first, and rename it."""
        here = self.rows.here if self.rows is not None else None

        def renamed(tag: str) -> None:
            def rename(to: str) -> None:
                self.carry_out(act(operations.curation.rename_tag, tag, to))

            self.context.dialogs.ask(strings.ASK_TAG_NAME.format(tag=tag), strings.TAG_NAME_HINT, rename, tag)

        known = names.Tag(here.tags if here is not None else (), strings.DOES_CHOOSE)
        self.context.dialogs.name(strings.ASK_WHICH_TAG, known, renamed)

    def action_tier(self) -> None:
        if targets := self._targets():
            refs = ids(targets)
            self.context.dialogs.name(
                f"Tier of {named(targets)}",
                names.Tiers(),
                lambda tier: self.carry_out(act(operations.curation.tier, memory.tier(tier), refs)),
            )

    def action_pin(self) -> None:
        if targets := self._targets():
            pinned = all(target.pinned for target in targets)
            turn = operations.curation.unpin if pinned else operations.curation.pin
            self.carry_out(act(turn, ids(targets)))

    def action_trash(self) -> None:
        if targets := self._targets():
            self.edit(partial(self._weigh_trash, targets), partial(self._weighed_trash, targets))

    def _weigh_trash(self, targets: tuple[Document, ...], client: Client) -> Done | Stake:
        """Trash a single document without links at once, since undo restores it; otherwise ask.

        One act, so that an undo pressed right after it runs later.
        """
        stake = client.call(operations.workbench.stake, ids(targets))
        asks = len(targets) > 1 or stake.links
        return stake if asks else client.call(operations.curation.trash, ids(targets))

    def _weighed_trash(self, targets: tuple[Document, ...], found: Done | Stake) -> None:
        if isinstance(found, Done):
            self._noted(found)
            return
        trash = act(operations.curation.trash, ids(targets))
        said = [f"{found}:", *(f"  {one.called}" for one in targets[:NAMED])]
        if len(targets) > NAMED:
            said.append(f"  and {len(targets) - NAMED:,} more")
        undo = self.context.keys["curation.undo"]
        said += ["", strings.TRASH_IS_SAFE.format(key=undo)]
        title = strings.ASK_TRASH.format(documents=named(targets))
        self.context.dialogs.confirm(title, said, strings.DOES_TRASH, lambda: self.carry_out(trash))

    def action_link(self) -> None:
        if (here := self._here()) is not None:
            self._pick_other(
                f"Link {named((here,))} to", strings.DOES_CHOOSE, (here,), partial(self._link, here.id)
            )

    def _link(self, ref: str, other: str) -> None:
        def related(said: str) -> None:
            relation = next(one for one in RELATIONS if one == said)
            if relation == SUPERSEDED_BY:
                self.carry_out(act(operations.curation.supersede, (ref,), other))
            else:
                self.carry_out(act(operations.curation.link, ref, other, relation))

        self.context.dialogs.name(strings.ASK_RELATION, names.RELATED, related)

    def action_supersede(self) -> None:
        """Ask which document supersedes the marked ones. The one under the cursor is proposed."""
        here = self._here()
        if here is None:
            return
        old = tuple(one for one in self._marked() if one.id != here.id)
        first = (here.id,) if old else ()
        old = old or (here,)
        self._pick_other(
            strings.ASK_SUPERSEDES.format(documents=named(old)),
            "supersede",
            old,
            lambda other: self.carry_out(act(operations.curation.supersede, ids(old), other)),
            first,
        )

    def _pick_other(
        self,
        title: str,
        does: str,
        these: tuple[Document, ...],
        then: Callable[[str], object],
        first: tuple[str, ...] = (),
    ) -> None:
        """Choose a document that is not in `these`. Proposes `first`, else the marked documents."""
        called = "selected" if first else "marked"
        known = names.Documents(
            does, first or ids(self._marked()), ids(these), called=called, near=these[0].id
        )
        self.context.dialogs.name(title, known, then)

    def action_merge(self) -> None:
        here = self._here()
        if here is None or self.rows is None:
            return
        marked = self._marked()
        if len(marked) < 2:  # else the one under the cursor counts only if it is marked, too
            marked = (here, *(one for one in marked or self.rows.alike if one.id != here.id))
        if len(marked) > 1:
            first = sorted(marked, key=lambda one: one.id != here.id)
            self._merging(tuple(first))
        else:
            self._pick_other(
                f"Merge {named((here,))} with",
                "compare both",
                (here,),
                lambda other: self.request(
                    act(operations.workbench.text, other), lambda it: self._merging((here, it.document)),
                    group="merge",
                ),
            )  # fmt: skip

    def _merging(self, documents: tuple[Document, ...]) -> None:
        self.context.dialogs.open("queue.MergeScreen", documents, then=self._merge)

    def _merge(self, chosen: tuple[str, ...]) -> None:
        self.carry_out(act(operations.curation.merge, chosen[0], chosen[1:]))

    def action_note(self) -> None:
        """Write a note. It can be found shortly after it is saved."""
        self.context.dialogs.open("note.NoteScreen", then=self._noted)

    def action_queue(self) -> None:
        """Open the queue of items that need attention."""
        self.context.dialogs.open("queue.QueueScreen")

    def _noted(self, done: Done) -> None:
        self.tell(done)
        self.post_message(Curated())

    def action_undo(self) -> None:
        self.carry_out(act(operations.curation.undo), back="redo")

    def action_redo(self) -> None:
        self.carry_out(act(operations.curation.redo))

    def action_correct(self) -> None:
        """Replace the text of a memory."""
        if here := self._here():
            if here.collection != MEMORY:
                self.context.say(strings.NOT_A_MEMORY)
            else:
                text = act(operations.find.show, here.id)
                self.request(text, partial(self._ask_text, here), group="correct")

    def _ask_text(self, here: Document, passage: Passage) -> None:
        text = passage.text.partition("\n\n")[2] if here.type == "pattern" else passage.text

        def correct(line: str) -> None:
            self.edit(act(operations.memories.correct, here.id, line), self._corrected)

        what = "New solution" if here.type == "pattern" else "New text"
        self.context.dialogs.ask(what, strings.CORRECT_HINT, correct, visible_line(text.strip()))

    def _corrected(self, done: Amended) -> None:
        self.context.say(strings.CORRECTED.format(new=done.replacement[:6], old=done.id[:6]))
        self.post_message(Curated())

    def action_forget(self) -> None:
        """Preview what forgetting memories deletes permanently, and forget them after confirmation."""
        if targets := self._targets():
            if others := [one for one in targets if one.collection not in OWN]:
                self.context.say(strings.NOT_A_MEMORY_TO_FORGET.format(title=others[0].called))
                return
            ids = tuple(one.id for one in targets)
            self.request(act(operations.memories.forget, ids), partial(self._weigh, ids), group="forget")

    def _weigh(self, ids: tuple[str, ...], found: Forgotten) -> None:
        count = len(found.items) + len(found.messages)
        named = [f"  {one.document.called}" for one in found.items]
        named += [f"  {one.conversation_id}/{one.sequence}" for one in found.messages]
        said = [strings.FORGET_DELETES, *named[:NAMED]]
        said += [f"  and {count - NAMED:,} more"] if count > NAMED else []
        if found.rest_on:
            said += ["", strings.FORGET_KEEPS.format(memories=", ".join(found.rest_on[:NAMED]))]
        if found.remains:
            said += ["", strings.FORGET_IN_BACKUPS.format(backups=counted(len(found.remains), "backup"))]
        forget = act(operations.memories.forget, ids, yes=True)

        def chosen() -> None:
            self.request(forget, self._forgot, group="forget")

        title = f"Forget {counted(count, 'memory', 'memories')}?"
        self.context.dialogs.confirm(title, said, strings.DOES_PURGE, chosen)

    def _forgot(self, done: Forgotten) -> None:
        count = len(done.items) + len(done.messages)
        self.context.say(strings.FORGOTTEN.format(memories=counted(count, "memory", "memories")))
        self.post_message(Curated())

    def carry_out(self, edit: Act[Done], back: str = "undo") -> None:
        """Run an edit, report the result, and name the key that takes it `back`."""

        def carried_out(done: Done) -> None:
            self.tell(done, back)
            if back == "redo" and done.documents and self.rows is not None and self.rows.has_focus:
                self.rows.come_to(done.documents[0].id)  # the restored document is under the cursor

        self.edit(edit, carried_out, after=lambda: self.post_message(Curated()))

    def tell(self, done: Done, back: str = "undo") -> None:
        """Report an edit and name the key that takes it `back`."""
        key = self.context.keys[f"curation.{back}"]
        told = strings.KEY_UNDO if back == "undo" else strings.KEY_REDO
        self.context.say_done(done, told.format(key=key))

    def _marked(self) -> tuple[Document, ...]:
        return self.rows.marked if self.rows is not None else ()

    def _targets(self) -> tuple[Document, ...]:
        """The marked documents, else the one under the cursor, or none with a message."""
        if marked := self._marked():
            return marked
        here = self._here()
        return () if here is None else (here,)

    def _here(self) -> Document | None:
        here = self.rows.here if self.rows is not None else None
        if here is None:
            self.context.say(strings.NO_DOCUMENT_SELECTED)
        return here


def ids(documents: tuple[Document, ...]) -> tuple[str, ...]:
    """The ids of some documents."""
    return tuple(document.id for document in documents)


def named(documents: tuple[Document, ...]) -> str:
    """The title of one document, or the number of documents."""
    return f"“{documents[0].title}”" if len(documents) == 1 else counted(len(documents), "document")


class Reads(Widget):
    """A part with one reader that runs the actions of the scope `hits` on its document."""

    context: PaneContext

    def _reader(self) -> Reader:
        return self.query_one(Reader)

    def once_shown(self, do: Callable[[], object]) -> None:
        """See `Reader.once_shown`."""
        self._reader().once_shown(do)

    def use(self, document: str, kind: AccessKind) -> None:
        """Record the use of a document, given by its id."""

    def action_next_match(self) -> None:
        self.step_match(+1)

    def action_previous_match(self) -> None:
        self.step_match(-1)

    @when_shown
    def step_match(self, step: int) -> None:
        """Go to another match of the query in the document, as soon as it is loaded."""
        if not self._reader().next_match(step):
            self.context.say(strings.NO_MATCH_IN_DOCUMENT)

    def copied(self) -> tuple[str, int, int]:
        """The text to copy, with its first and last line."""
        return self._reader().copied()

    @when_shown
    def action_copy(self) -> None:
        if passage := self._passage_or_say():
            text, *lines = self.copied()
            self.use(passage.document.id, "copied")
            self.context.copy(visible(text), f"{said_lines(*lines)} of {passage.document.title}")

    @when_shown
    def action_cite(self) -> None:
        if passage := self._passage_or_say():
            text, *lines = self.copied()
            self.use(passage.document.id, "cited")
            quoted = f"{visible(text)}\n\n— {citation(passage.document, *lines)}\n"
            self.context.copy(quoted, strings.COPY_WITH_SOURCE.format(title=passage.document.title))

    @when_shown
    def action_copy_path(self) -> None:
        if passage := self._passage_or_say():
            self.context.copy(passage.file or passage.document.path, strings.COPY_PATH)

    @when_shown
    def action_edit(self) -> None:
        passage = self._passage_or_say()
        if passage is None:
            return
        if not passage.file:
            self.context.say(strings.NO_FILE_TO_EDIT)
        else:
            self.use(passage.document.id, "opened")
            self.context.tell(EditAsked(passage.file, self._reader().line_number, self._reader().at))

    def _read_or_say(self) -> Document | None:
        """The document in the reader, or None with a message while it is loading."""
        if self._reader().is_coming:
            self.context.say(strings.DOCUMENT_LOADING)
            return None
        passage = self._passage_or_say()
        return passage.document if passage else None

    def _passage_or_say(self) -> Passage | None:
        passage = self._reader().passage
        if passage is None:
            self.context.say(strings.NO_DOCUMENT_OPEN)
        return passage


def said_lines(first: int, last: int) -> str:
    """Line numbers as text."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


def citation(document: Document, first: int, last: int) -> str:
    """The source of a passage, on one line."""
    place = f"{document.collection}/{document.path}:{first}–{last}"
    known = f"{document.short_id}, {document.date}" if document.date else document.short_id
    return visible_line(f"{document.title}, {place} ({known})")
