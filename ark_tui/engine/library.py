"""The library as an interface asks for it: documents by the page, and what becomes of whole collections."""

from __future__ import annotations

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.layers import OWN
from ark_tui.domain.library import FieldCount, Findable, Listing
from ark_tui.domain.paging import Page
from ark_tui.engine.services import Services
from ark_tui.store import Lease, documents, fields, files
from ark_tui.store import listing as store

PAGE = 200  # documents


class Library:
    """The documents of a home. Methods block and raise `ArkError`."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def documents(
        self, listing: Listing, start: int = 0, count: int = PAGE, around: str = ""
    ) -> Page[Document]:
        """A page of documents: from a row on, or, where it is listed, the one with the id `around` on it."""
        with self._parts.store.read() as lease:
            return store.page(lease, listing, start, count, around)

    def findable(self) -> tuple[Findable, ...]:
        """Everything that has a name: documents, those in the trash, files that brought none."""
        with self._parts.store.read() as lease:
            return tuple(store.findable(lease))

    def fields(self, key: str = "") -> tuple[FieldCount, ...]:
        """The keys that documents state themselves, or the values of one; what most have comes first."""
        with self._parts.store.read() as lease:
            found = fields.values(lease, key) if key else fields.keys(lease)
        return tuple(
            FieldCount(name, count)
            for name, count in sorted(found.items(), key=lambda one: (-one[1], one[0]))
        )

    def rename(self, collection: str, name: str) -> None:
        """Give a collection another name; documents keep their identity and all that was said of them.

        Raises `NotFound` for an unknown collection, and `UsageError` for a name that is taken.
        """
        from ark_tui.engine import indexing

        name = name.strip()
        with self._parts.store.write() as lease:
            self._check(lease, collection)
            if name == collection:
                return
            taken = {one.name for one in files.collections(lease)}
            if not name or "/" in name or name in {*taken, files.DEFAULT, *OWN}:
                what = f"The name {name} is taken." if name and "/" not in name else "That is no name."
                raise UsageError(what, "Give another one, without a slash.")
            files.rename(lease, collection, name)
        indexing.catch_up(self._parts, wait=0)

    def let_go(self, collection: str, *, dry_run: bool = False) -> int:
        """Follow the folder of a collection no more: its documents leave, its files are not touched.

        What was said of them comes back when the folder is indexed again by that name. Returns how many have
        left, or would leave: a `dry_run` only counts. Raises `UsageError` for texts without a file, which
        nothing could bring back, and while the trash holds some.
        """
        from ark_tui.engine import indexing

        with self._parts.store.write() as lease:
            self._check(lease, collection)
            if collection not in files.roots(lease):
                raise UsageError(
                    f"The collection {collection} holds texts without a file.",
                    "Put into the trash what is to go.",
                )
            if held := files.trashed_in(lease, collection):
                raise UsageError(
                    f"{held} of its documents {'lies' if held == 1 else 'lie'} in the trash.",
                    "Bring them back or purge the trash first.",
                )
            if dry_run:
                return files.living_in(lease, collection)
            gone = documents.let_go(lease, collection)
        indexing.catch_up(self._parts, wait=0)
        return gone

    def _check(self, lease: Lease, collection: str) -> None:
        known = [one.name for one in files.collections(lease) if one.name not in OWN]
        if collection not in known:
            raise NotFound(f"There is no collection {collection}.", f"There are {', '.join(known)}.")
        if collection == files.DEFAULT:
            raise UsageError(f"The collection {collection} keeps its name and its place.", "It is for texts.")
