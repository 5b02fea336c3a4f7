"""Documents and collections, one a line."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.documents import Document
from ark_tui.domain.library import LetGo, Renamed
from ark_tui.domain.wording import counted
from ark_tui.domain.work import CollectionInfo
from ark_tui.faces.cli.layout import fit, short_path
from ark_tui.faces.cli.output import WIDTH, Ink
from ark_tui.faces.cli.rendering import Renderer, View
from ark_tui.operations.page import Page


def documents(view: View, pages: Sequence[Page[Document]]) -> None:
    """Documents with their titles and places."""
    (found,) = pages
    if not found.total:
        view.say.notice(_nothing(view))
    for one in found.items:
        place = short_path(f"{one.collection}/{one.path}", WIDTH - 43)
        view.out.line(Ink(one.short_id, "strong"), f"  {fit(one.title, 32)}  ", Ink(place, "faint"))
    if found.more is not None:
        view.say.notice(f"{counted(found.total, 'document')}; --offset {found.more} goes on.")


def _nothing(view: View) -> str:
    if view.options["trashed"]:
        return "The trash is empty."
    return (
        "Nothing is pinned: ark-tui pin #3fa9c1" if view.options["pinned"] else "There is no such document."
    )


def collections(view: View, pages: Sequence[Page[CollectionInfo]]) -> None:
    """Collections with their sizes and folders."""
    for one in pages[0].items:
        view.out.line(described(one))


def described(one: CollectionInfo) -> str:
    """A collection in a line: its size, its folder, and when that was read to its end."""
    said = f"{one.name}: {counted(one.documents, 'document')}, {counted(one.chunks, 'chunk')}"
    if one.root is None:
        return said
    read = f"read {one.read:%Y-%m-%d %H:%M} UTC" if one.read else "never read to its end"
    return " · ".join([said, one.root, "its folder is not there now" if one.missing else read])


def renamed(view: View, results: Sequence[Renamed]) -> None:
    """The new name."""
    view.out.line(f"the collection {results[0].was} is called {results[0].collection} now")


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
    "collections list": Renderer(collections),
    "collections rename": Renderer(renamed),
    "collections let-go": Renderer(let_go),
}
