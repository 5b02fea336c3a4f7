"""Taking in, searching, reading: what the command line calls ingest, search, similar, show, status, index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ark_tui import __version__
from ark_tui.domain.errors import UsageError
from ark_tui.faces.http.desk import ONCE, AtDesk, Body, Desk, Limit, Line, Name, Router
from ark_tui.faces.reports import wire
from ark_tui.faces.reports.wire import Json
from ark_tui.operations import find
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ark_tui.domain.protocols import OnProgress, Stop


class Text(Body):
    """A text to keep."""

    content: Annotated[str, Field(min_length=1)]
    title: str = ""
    tag: Name | tuple[Name, ...] = ()
    source: str = ""
    collection: Name = "default"


class GraphSearch(Body):
    """A search that goes further along links."""

    query: Line
    hops: Annotated[int, Field(ge=1, le=5)] = 2
    limit: Limit = 10


class Index(Body):
    """Which of the collections to bring up to date; all of them when none is named."""

    collections: tuple[Name, ...] = ()


router = Router(tags=["knowledge"])


@router.get("/health")
def health(desk: AtDesk) -> Json:
    """Whether the server is there; needs no token."""
    return {"status": "ok", "version": __version__, "change": desk.engine.change()}


@router.post("/ingest", dependencies=ONCE)
def ingest(desk: AtDesk, text: Text) -> Json:
    """Keep a text; the same text with the same title is the same document."""
    tags = [text.tag] if isinstance(text.tag, str) else text.tag
    stored = desk.engine.ingest_text(
        text.content, title=text.title, tags=tags, source=text.source, collection=text.collection
    )
    return {"id": stored.id, "document": encoded(stored)}


@router.post("/graph-search")
def graph_search(desk: AtDesk, wanted: GraphSearch) -> Json:
    """Search, and follow links further than a plain search does."""
    with desk.searches.one():
        return encoded(find.search(Call(desk.engine), **wanted.model_dump()))  # type: ignore[no-any-return]


@router.get("/status")
def status(desk: AtDesk) -> Json:
    """The state of the home, without its places on this machine."""
    found = wire.status(desk.engine.status())
    del found["store"]["path"]
    for one in found["collections"]:
        del one["root"]
    return found


@router.post("/index", status_code=202)
def index(desk: AtDesk, wanted: Index) -> Json:
    """Bring folders that the home follows up to date; answers with a job."""
    roots = _roots(desk, wanted.collections)

    def work(stop: Stop, progress: OnProgress) -> Json:
        return wire.index(desk.engine.index(roots, stop=stop, progress=progress))

    return desk.jobs.start("index", work).as_json()


def _roots(desk: Desk, names: Sequence[str]) -> list[Path]:
    """The folders of collections that the home follows; never any other."""
    from pathlib import Path

    roots = {one.name: one.root for one in desk.engine.status().collections if one.root}
    if unknown := [name for name in names if name not in roots]:
        known = ", ".join(sorted(roots)) or "none"
        raise UsageError(f"No folder is followed as {unknown[0]}.", f"Collections with a folder: {known}.")
    return [Path(roots[name]) for name in names or roots]
