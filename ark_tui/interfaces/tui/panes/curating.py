"""Curation by keys: of the document under the cursor, or of those that are marked, in any list of them."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.containers import Container

from ark_tui import operations
from ark_tui.domain import memory
from ark_tui.domain.curation import RELATIONS, Done
from ark_tui.domain.documents import SUPERSEDED_BY, Document
from ark_tui.domain.errors import Ambiguous, ArkError, NotFound, UsageError
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import Curated
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.interfaces.tui.state.client import Act
    from ark_tui.interfaces.tui.widgets.document_rows import DocumentRows

TIERS = {"d": "doc", "r": "raw", "f": "reflection", "w": "wiki"}
"""The letter of each tier."""

NAMES = "An id, a path or a file name"
"""How a document is named."""


class Curating(Requesting, Container):
    """What holds a list of documents that can be tagged, linked, merged and so on."""

    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("curation")

    @property
    @abstractmethod
    def rows(self) -> DocumentRows | None:
        """The list that the keys act on; None where none is in front."""

    # -- actions -------------------------------------------------------------------------------------

    def action_mark(self) -> None:
        if self.rows is not None:
            self.rows.mark()

    def action_tag(self) -> None:
        if targets := self._targets():
            self.context.dialogs.ask(
                f"Tags for {named(targets)}",
                "With commas; a dash before one takes it off: theory, -draft. → completes.",
                partial(self._tag, ids(targets)),
                tags=True,
            )

    def _tag(self, refs: tuple[str, ...], line: str) -> None:
        words = [word.strip() for word in line.split(",") if word.strip()]
        on = tuple(word for word in words if not word.startswith("-"))
        off = tuple(word.removeprefix("-") for word in words if word.startswith("-"))
        if on:
            self.carry_out(act(operations.curation.tag, on, refs))
        if off:
            self.carry_out(act(operations.curation.untag, off, refs))

    def action_tier(self) -> None:
        if targets := self._targets():
            self.context.dialogs.choose(f"Tier of {named(targets)}", TIERS, partial(self._tier, ids(targets)))

    def _tier(self, refs: tuple[str, ...], tier: str) -> None:
        self.carry_out(act(operations.curation.tier, memory.tier(tier), refs))

    def action_pin(self) -> None:
        if targets := self._targets():
            pinned = all(target.pinned for target in targets)
            turn = operations.curation.unpin if pinned else operations.curation.pin
            self.carry_out(act(turn, ids(targets)))

    def action_trash(self) -> None:
        if targets := self._targets():
            self.carry_out(act(operations.curation.trash, ids(targets)))

    def action_link(self) -> None:
        if (here := self._here()) is not None:
            relations = ", ".join(RELATIONS)
            about = f"{NAMES}; before it, if you like, how: {relations}"
            self._ask_which(f"Link {named((here,))} to", about, partial(_link, here.id), self._other())

    def action_supersede(self) -> None:
        """Ask what has taken the place of the marked ones: the one under the cursor, it is proposed."""
        here = self._here()
        if here is None:
            return
        old = tuple(one for one in self._marked() if one.id != here.id)
        proposed = here.short_id if old else ""
        old = old or (here,)
        about = f"{NAMES}. Searches hide what has been superseded; s in the results lists it."
        self._ask_which(f"What supersedes {named(old)}?", about, partial(_supersede, ids(old)), proposed)

    def action_contradict(self) -> None:
        if (here := self._here()) is not None:
            about = f"{NAMES}. The curation queue asks which of the two is right."
            title = f"What does {named((here,))} contradict?"
            self._ask_which(title, about, partial(_contradict, here.id), self._other())

    def _ask_which(self, title: str, about: str, edit: Callable[[str], Act[Done]], value: str = "") -> None:
        """Ask for another document; a line that names none is asked for once more."""
        self.context.dialogs.ask_again(
            title, about, lambda line, again: self.carry_out(edit(line), refused=again), value
        )

    def action_merge(self) -> None:
        here = self._here()
        if here is None or self.rows is None:
            return
        others = tuple(one.id for one in self._marked() if one.id != here.id)
        others = others or tuple(one.id for one in self.rows.alike)
        if others:
            self.carry_out(act(operations.curation.merge, here.id, others))
        else:
            key = self.context.keys["curation.mark"]
            self.context.say(f"Mark with {key} what is to be merged into the one under the cursor.")

    def action_note(self) -> None:
        """Write a note; it is found a moment after it is saved."""
        self.context.dialogs.note(self._noted)

    def action_queue(self) -> None:
        """Serve what wants attention."""
        self.context.dialogs.queue()

    def _noted(self, done: Done) -> None:
        self.tell(done)
        self.post_message(Curated())

    def action_undo(self) -> None:
        self.carry_out(act(operations.curation.undo), back="redo")

    def action_redo(self) -> None:
        self.carry_out(act(operations.curation.redo))

    # -- carrying out --------------------------------------------------------------------------------

    @work(group="curation", exit_on_error=False)
    async def carry_out(
        self, edit: Act[Done], back: str = "undo", refused: Callable[[], object] | None = None
    ) -> None:
        """Do an edit, say what was done, and by which key it is taken `back`; `refused`: what then."""
        try:
            done = await self.context.acts.run(edit)
        except ArkError as error:
            self.context.say_error(error)
            if refused is not None and isinstance(error, NotFound | Ambiguous | UsageError):
                refused()
        else:
            self.tell(done, back)
        self.post_message(Curated())

    def tell(self, done: Done, back: str = "undo") -> None:
        """Say what was done, and by which key it is taken `back`."""
        key = self.context.keys[f"curation.{back}"]
        self.context.say_done(done, f"{key} {'undoes it' if back == 'undo' else 'does it again'}")

    # -- inside --------------------------------------------------------------------------------------

    def _marked(self) -> tuple[Document, ...]:
        return self.rows.marked if self.rows is not None else ()

    def _targets(self) -> tuple[Document, ...]:
        """The marked documents, else the one under the cursor; says so where there is none."""
        if marked := self._marked():
            return marked
        here = self._here()
        return () if here is None else (here,)

    def _other(self) -> str:
        """What a second document is proposed to be: the first marked one beside that under the cursor."""
        here = self.rows.here if self.rows is not None else None
        return next((one.short_id for one in self._marked() if one != here), "")

    def _here(self) -> Document | None:
        here = self.rows.here if self.rows is not None else None
        if here is None:
            self.context.say("There is no document under the cursor.")
        return here


def ids(documents: tuple[Document, ...]) -> tuple[str, ...]:
    """The ids of some documents."""
    return tuple(document.id for document in documents)


def named(documents: tuple[Document, ...]) -> str:
    """The title of one document, or how many there are."""
    return f"“{documents[0].title}”" if len(documents) == 1 else counted(len(documents), "document")


def _link(ref: str, line: str) -> Act[Done]:
    word, _, target = line.partition(" ")
    relation = next((one for one in RELATIONS if one == word and target.strip()), None)
    if relation is None:
        relation, target = RELATIONS[0], line
    if relation == SUPERSEDED_BY:
        return _supersede((ref,), target)
    return act(operations.curation.link, ref, target.strip(), relation)


def _supersede(refs: tuple[str, ...], successor: str) -> Act[Done]:
    return act(operations.curation.supersede, refs, successor.strip())


def _contradict(ref: str, other: str) -> Act[Done]:
    return act(operations.curation.link, ref, other.strip(), "contradicts")
