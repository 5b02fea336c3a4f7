"""What is known put right by keys: the memory under the cursor corrected, or forgotten for good."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.layers import MEMORY, OWN
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import Curated
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.memory import Forgotten
    from ark_tui.domain.review import Amended

NAMED = 8
"""What is named before it goes; of all else there is the number."""


class Correcting(Requesting):
    """What holds a list of documents, memories among them."""

    @abstractmethod
    def _here(self) -> Document | None:
        """The document under the cursor; says so where there is none."""

    @abstractmethod
    def _targets(self) -> tuple[Document, ...]:
        """The marked documents, else the one under the cursor; says so where there is none."""

    def action_correct(self) -> None:
        """Have another text take the place of a memory."""
        if here := self._here():
            if here.collection != MEMORY:
                self.context.say("This is no memory: a document is corrected where it is written.")
            else:
                text = act(operations.find.show, here.id)
                self.request(text, partial(self._ask_text, here), group="correct")

    def _ask_text(self, here: Document, passage: Passage) -> None:
        text = passage.text.partition("\n\n")[2] if here.type == "pattern" else passage.text

        def correct(line: str) -> None:
            self.request(act(operations.memories.correct, here.id, line), self._corrected, group="correct")

        what = "The solution" if here.type == "pattern" else "What is so"
        self.context.dialogs.ask(what, "The old text is retired.", correct, visible_line(text.strip()))

    def _corrected(self, done: Amended) -> None:
        self.context.say(f"#{done.replacement[:6]} says it now; #{done.id[:6]} is retired.")
        self.post_message(Curated())

    def action_forget(self) -> None:
        """Say what would go for good with memories, and forget them after a yes."""
        if targets := self._targets():
            if others := [one for one in targets if one.collection not in OWN]:
                self.context.say(f"{others[0].called} is no memory; what is in the trash can be purged.")
                return
            ids = tuple(one.id for one in targets)
            self.request(act(operations.memories.forget, ids), partial(self._weigh, ids), group="forget")

    def _weigh(self, ids: tuple[str, ...], found: Forgotten) -> None:
        count = len(found.items) + len(found.messages)
        named = [f"  {one.document.called}" for one in found.items]
        named += [f"  {one.conversation_id}/{one.sequence}" for one in found.messages]
        said = ["Goes for good, and no undo brings it back:", *named[:NAMED]]
        said += [f"  and {count - NAMED:,} more"] if count > NAMED else []
        if found.rest_on:
            said += ["", f"Stays, though it says the same: {', '.join(found.rest_on[:NAMED])}"]
        if found.remains:
            said += ["", f"Stays in {counted(len(found.remains), 'backup')}, until you delete those."]
        forget = act(operations.memories.forget, ids, yes=True)

        def chosen(_: bool) -> None:
            self.request(forget, self._forgot, group="forget")

        title = f"Forget {counted(count, 'memory', 'memories')}?"
        self.context.dialogs.confirm(title, said, "forgets", chosen)

    def _forgot(self, done: Forgotten) -> None:
        count = len(done.items) + len(done.messages)
        self.context.say(f"Forgot {counted(count, 'memory', 'memories')}, with every byte.")
        self.post_message(Curated())
