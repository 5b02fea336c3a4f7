"""Saved searches: searches under a name, with their filters."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.curation import Done, SavedSearch
from ark_tui.domain.errors import NotFound
from ark_tui.domain.query import SAVED, Mode, Request
from ark_tui.domain.searches import SavedDiff
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Page, Param, operation, page
from ark_tui.operations.params import Limit, Name, Offset, Query
from ark_tui.operations.params import Page as Listed

Named = Annotated[
    Name,
    Param("The name of a saved search, with @ or without.", example="week", metavar="NAME", argument=True),
]


@operation("saved list", Effect.READS, example="ark-tui saved", route="GET /saved", listed="saved")
def list_(call: Call, limit: Listed = 1000, offset: Offset = 0) -> Page[SavedSearch]:
    """List the saved searches.

    A search for `@NAME` runs one. More words after the name narrow it: `@week tag:draft`.
    """
    return page(call.engine.curation.saved(), limit, offset)


@operation("saved diff", Effect.SETS, example="ark-tui saved diff week", route="POST /saved/diff",
        listed="saved", heavy=True)  # fmt: skip
def diff(
    call: Call,
    name: Annotated[
        str,
        Param("The name of a saved search, with @ or without; else all.", example="week", metavar="NAME",
              argument=True),
    ] = "",
    seen: Annotated[bool, Param("Mark as seen: compare with this the next time.", example=True)] = False,
) -> tuple[SavedDiff, ...]:  # fmt: skip
    """Show what entered, left and moved in saved searches since you last looked.

    You have looked when you use `seen`, or open the saved search in the workbench. Running `@NAME` as a
    search, or comparing without `seen`, does not count. Before the first look there is nothing to compare
    with.
    """
    from ark_tui.engine import searches

    name = name.removeprefix(SAVED)
    return searches.saved_diffs(call.engine, name, seen=seen, agent=call.agent, stop=call.stop)


@operation("saved add", Effect.SETS, example="ark-tui saved add gaps spectral gap tag:theory -n 20",
        route="PUT /saved/{name}")  # fmt: skip
def add(
    call: Call,
    name: Annotated[Named, Param("What to call it: a letter, then letters, digits, `-`, `_` or `.` in it.")],
    query: Annotated[Query, Param("What it looks for, with its filters.")],
    limit: Limit = 10,
    mode: Annotated[Mode, Param("What to rank by.")] = "hybrid",
    profile: Annotated[
        str, Param("The ranking profile, if not the configured one.", example="default", metavar="NAME")
    ] = "",
    superseded: Annotated[bool, Param("List superseded documents, too, with their successors.")] = False,
) -> Done:
    """Save a search under a name. It replaces a search of that name."""
    engine = call.engine
    if profile and profile not in engine.settings.profiles:
        raise NotFound(f"There is no profile {profile}.", f"There are {', '.join(engine.settings.profiles)}.")
    request = Request(query.strip(), mode=mode, limit=limit, profile=profile, superseded=superseded)
    from ark_tui.curation import saved

    return engine.curation.edit(saved.save, name.removeprefix(SAVED), request)


@operation("saved rename", Effect.ADDS, example="ark-tui saved rename week recent",
        route="POST /saved/{name}/rename", keyed=False, begins=False)  # fmt: skip
def rename(
    call: Call, name: Named, to: Annotated[Named, Param("Its new name.", example="recent", metavar="NEW")]
) -> Done:
    """Rename a saved search."""
    from ark_tui.curation import saved

    return call.engine.curation.edit(saved.rename, name.removeprefix(SAVED), to.removeprefix(SAVED))


@operation("saved delete", Effect.DESTROYS, example="ark-tui saved delete week", route="DELETE /saved/{name}")
def delete(call: Call, name: Named) -> Done:
    """Delete a saved search; `undo` brings it back."""
    from ark_tui.curation import saved

    return call.engine.curation.edit(saved.forget, name.removeprefix(SAVED))
