"""Saved searches as the workbench knows them: `@name` in a query line, and what is done with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.query import MODES, SAVED, Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.curation import Done
    from ark_tui.engine import Engine


def meant(engine: Engine, request: Request) -> Request:
    """The saved search that a query line such as `@week tag:draft` begins with; else what is asked."""
    saved = engine.curation.asked(request.query) if request.query.startswith(SAVED) else None
    if saved is None:
        return request
    return replace(
        saved,
        limit=request.limit,
        profile=saved.profile or request.profile,
        typing=request.typing,
        superseded=saved.superseded or request.superseded,
        expand=request.expand if saved.expand is None else saved.expand,
        without=(*saved.without, *request.without),
        unlogged=request.unlogged,
    )


def kept(request: Request) -> Request:
    """What is kept of a search that is saved: all but how many hits it listed here, and for whom."""
    return replace(request, limit=Request("").limit, typing=False, unlogged=False, agent="")


def saving(name: str, request: Request) -> Callable[[Engine], Done]:
    """Save a search under a name."""
    return lambda engine: engine.curation.save_search(name.removeprefix(SAVED), request)


def renaming(name: str, to: str) -> Callable[[Engine], Done]:
    """Give a saved search another name."""
    return lambda engine: engine.curation.rename_search(name, to.removeprefix(SAVED))


def how(request: Request) -> str:
    """How a saved search ranks, where that is not as usual."""
    said = (
        "" if request.mode == MODES[0] else request.mode,
        f"profile {request.profile}" if request.profile else "",
        "superseded ones, too" if request.superseded else "",
    )
    return " · ".join(filter(None, said))
