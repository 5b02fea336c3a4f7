"""Saved searches as the workbench knows them: `@name` in a query line, and what is done with them."""

from __future__ import annotations

from dataclasses import replace

from ark_tui.domain.query import MODES, Filters, Request
from ark_tui.domain.wording import counted

NAME_HINT = "A letter, then letters, digits, - _ or a dot. @name in the query line runs it."


def kept(request: Request) -> Request:
    """What is kept of a search that is saved: all but how many hits it listed here, and for whom."""
    return replace(request, limit=Request("").limit, typing=False, unlogged=False, agent="")


def how(request: Request) -> str:
    """How a saved search ranks, where that is not as usual."""
    said = (
        "" if request.mode == MODES[0] else request.mode,
        f"profile {request.profile}" if request.profile else "",
        "superseded ones, too" if request.superseded else "",
    )
    return " · ".join(filter(None, said))


def ranked(request: Request) -> list[str]:
    """How a search of the log was run: all that has a say in its hits, apart from query and filters."""
    said = [f"profile {request.profile}", request.mode, f"at most {request.limit}"]
    said += [f"with {change}" for change in request.adjust]
    said += [f"without {term}" for term in request.without]
    said += [f"{counted(request.hops, 'link')} away"] if request.hops is not None else []
    if request.expand is not None:
        said += ["terms from the chat model" if request.expand else "no terms from the chat model"]
    said += ["superseded ones, too"] if request.superseded else []
    said += ["with low-confidence results"] if request.below else []
    said += ["all of it as words"] if request.literal else []
    said += ["as it was being typed"] if request.typing else []
    return said


def described(filters: Filters) -> str:
    """Filters as a query line would have them."""
    named = (
        ("in", filters.collections), ("tag", filters.tags), ("tier", filters.tiers), ("type", filters.types),
        ("path", filters.paths), ("layer", filters.layers),
    )  # fmt: skip
    said = [f"{name}:{value}" for name, values in named for value in values]
    if filters.dated is not None:
        said += [f"from {filters.dated.first}"] if filters.dated.first else []
        said += [f"to {filters.dated.last}"] if filters.dated.last else []
    said += ["more that no query line says"] if filters.where is not None else []
    return " ".join(said)
