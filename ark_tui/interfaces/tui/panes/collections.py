"""What becomes of collections and of the trash: renamed, let go, brought back, purged."""

from __future__ import annotations

from textual import getters

from ark_tui import operations
from ark_tui.domain.curation import Done
from ark_tui.domain.documents import Passage, Purged
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.curating import Curating, ids
from ark_tui.interfaces.tui.state import names, purging
from ark_tui.interfaces.tui.state.client import Act, Client, act
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.interfaces.tui.state.dialogs import WayOut
from ark_tui.interfaces.tui.widgets.attention import Trash
from ark_tui.interfaces.tui.widgets.sources import Collections


class Keeping(Curating):
    """What holds the collections and the trash."""

    collections = getters.query_one(Collections)
    trash = getters.query_one(Trash)

    # -- collections ---------------------------------------------------------------------------------

    def rename(self) -> None:
        one = self.collections.here
        if one is None:
            return

        def rename(name: str) -> Act[Done]:
            def rename(client: Client) -> Done:
                renamed = client.call(operations.library.rename, one.name, name)
                what = f"the collection {one.name} is called {renamed.collection} now"
                return Done(what, edit=renamed.edit)

            return rename

        wanted = names.CollectionName(one.name, one.documents)
        self.context.dialogs.name(
            f"Another name for {one.name}", wanted, lambda name: self.carry_out(rename(name)), one.name
        )

    def let_go(self) -> None:
        one = self.collections.here
        if one is None:
            return
        if not one.root:
            key = self.context.keys["curation.trash"]
            self.context.say(
                f"{one.name} holds texts without a file; {key} puts those into the trash that are to go."
            )
            return

        def let_go(client: Client) -> Done:
            gone = client.call(operations.library.let_go, one.name, yes=True).documents
            return Done(
                f"let go of {one.name}: {counted(gone, 'document')} {'has' if gone == 1 else 'have'} left"
            )

        said = [
            f"{counted(one.documents, 'document')} of it leave the home; nothing finds them any more.",
            "",
            f"The files stay as they are: {tilde(one.root)}.",
            "What you said of the documents is kept, and holds again when the folder is indexed again.",
            "A folder that config.toml names is taken up again by the next `ark-tui index`.",
        ]
        self.context.dialogs.confirm(
            f"Let go of {one.name}?", said, "lets it go", lambda _: self.carry_out(let_go)
        )

    # -- the trash -----------------------------------------------------------------------------------

    def read_trashed(self, document: str) -> None:
        """Show the text of what is in the trash."""
        self.request(act(operations.workbench.trashed, document), self._show_trashed, group="trashed")

    def _show_trashed(self, passage: Passage) -> None:
        def closed(way_out: WayOut) -> None:
            if way_out == "restore":
                self._bring_back((passage.document.id,))
            else:
                self.purge()

        self.context.dialogs.trashed(passage, closed)

    def restore(self) -> None:
        if targets := self._targets():
            self.trash.unmark()
            self._bring_back(ids(targets))

    def _bring_back(self, refs: tuple[str, ...]) -> None:
        self.carry_out(act(operations.curation.untrash, refs))

    def purge(self) -> None:
        """Say what would go, and what stays; then delete it."""
        self.edit(act(operations.workbench.purge, dry_run=True), self._confirm_purge)

    def _confirm_purge(self, due: Purged) -> None:
        if not due.documents:
            self.context.say("The trash is empty.")
            return

        def purge(client: Client) -> Done:
            return purging.done(client.call(operations.workbench.purge))

        self.context.dialogs.confirm(
            "Purge the trash?", purging.said(due), "deletes it for good", lambda _: self.carry_out(purge)
        )
