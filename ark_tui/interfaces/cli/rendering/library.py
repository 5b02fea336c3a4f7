"""Documents and collections, one a line."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.documents import Document
from ark_tui.domain.layers import RETIRED
from ark_tui.domain.library import FieldCount, LetGo, Renamed
from ark_tui.domain.wording import counted
from ark_tui.domain.work import CollectionInfo
from ark_tui.interfaces.cli.layout import fit, short_path
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each
from ark_tui.operations.page import Page


def documents(view: View, pages: Sequence[Page[Document]]) -> None:
    """Documents with their titles and places."""
    kinds = {"trashed": "The trash is empty.", "pinned": "Nothing is pinned: ark-tui pin '#3fa9c1'"}
    nothing = next((said for kind, said in kinds.items() if view.options[kind]), "There is no such document.")
    each(_document, nothing, _more).show(view, pages)


def _document(_: View, one: Document) -> Lines:
    place = short_path(f"{one.collection}/{one.path}", WIDTH - 43)
    retired = "  retired" if one.status == RETIRED else ""
    yield Ink(one.short_id, "strong"), f"  {fit(one.title, 32)}  ", Ink(f"{place}{retired}", "faint")


def _more(found: Page[Document]) -> str:
    goes_on = f"{counted(found.total, 'document')}; --offset {found.more} goes on."
    return "" if found.more is None else goes_on


def _field(_: View, one: FieldCount) -> Lines:
    yield (f"{counted(one.documents, 'document'):>16}  ", Ink(one.name, "strong"))


def _collection(_: View, one: CollectionInfo) -> Lines:
    yield (described(one),)


def described(one: CollectionInfo) -> str:
    """A collection in a line: its size, its folder, and when that was read to its end."""
    said = f"{one.name}: {counted(one.documents, 'document')}, {counted(one.chunks, 'chunk')}"
    if one.root is None:
        return said
    read = f"read {one.read:%Y-%m-%d %H:%M} UTC" if one.read else "never read to its end"
    return " · ".join([said, one.root, "its folder is not there now" if one.missing else read])


def _renamed(_: View, one: Renamed) -> Lines:
    yield (f"the collection {one.was} is called {one.collection} now",)


def let_go(view: View, results: Sequence[LetGo]) -> None:
    """What has left, or would leave."""
    (one,) = results
    count = counted(one.documents, "document")
    if one.done:
        view.out.line(f"let go of {one.collection}: {count} left")
        view.say.notice(f"To bring it back: {one.back}")
    else:
        view.say.notice(f"Would let go of {one.collection}: {count} would leave. Say --yes to do it.")


RENDERERS = {
    "documents list": Renderer(documents),
    "tags list": each(_field, "No document has a tag."),
    "fields": each(_field, "No document states anything in front matter or metadata."),
    "collections list": each(_collection),
    "collections rename": each(_renamed),
    "collections let-go": Renderer(let_go),
}
