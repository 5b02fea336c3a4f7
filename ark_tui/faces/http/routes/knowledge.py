"""Taking in, searching, reading: what the command line calls ingest, search, similar, show, status, index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query
from pydantic import Field

from ark_tui import __version__
from ark_tui.domain.errors import UsageError
from ark_tui.domain.query import Filters, Mode, Request
from ark_tui.faces.http.desk import ONCE, AtDesk, Body, Desk, Limit, Line, Name, Router
from ark_tui.faces.reports import wire
from ark_tui.faces.reports.wire import Json

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


class Search(Body):
    """What to search for, in the query language of the command line."""

    query: Line
    limit: Limit = 10
    mode: Mode = "hybrid"
    profile: str = ""
    collection: Name | None = None
    tags: tuple[Name, ...] = ()
    superseded: bool = False
    below: bool = False


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
    return {"id": stored.id, "document": wire.document(stored)}


@router.post("/search")
def search(desk: AtDesk, wanted: Search) -> Json:
    """Search; every hit comes with every part of its score."""
    filters = Filters(collections=(wanted.collection,) if wanted.collection else (), tags=tuple(wanted.tags))
    request = Request(
        wanted.query,
        mode=wanted.mode,
        limit=wanted.limit,
        profile=wanted.profile,
        filters=filters,
        superseded=wanted.superseded,
        below=wanted.below,
    )
    with desk.searches.one():
        return wire.search(desk.engine.search(request))


@router.post("/graph-search")
def graph_search(desk: AtDesk, wanted: GraphSearch) -> Json:
    """Search, and follow links further than a plain search does."""
    with desk.searches.one():
        return wire.search(desk.engine.search(Request(wanted.query, limit=wanted.limit, hops=wanted.hops)))


@router.get("/similar")
def similar(desk: AtDesk, ref: Annotated[Line, Query()], limit: Annotated[Limit, Query()] = 10) -> Json:
    """Documents like a document or chunk, by stored vectors."""
    with desk.searches.one():
        return wire.search(desk.engine.similar(ref, limit))


@router.get("/documents")
def document(desk: AtDesk, ref: Annotated[Line, Query()]) -> Json:
    """The text that a reference names: an id, a chunk's id, a path, or `path:from:count`."""
    passage = desk.engine.show(ref)
    desk.engine.opened(passage.document.id)
    return {**wire.passage(passage), "file": None}


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
