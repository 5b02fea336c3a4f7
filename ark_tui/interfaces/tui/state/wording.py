"""Texts for values: times, saved searches, previews of purges."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.curation import Done
from ark_tui.domain.documents import Purged
from ark_tui.domain.query import MODES, Filters, Request
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import strings

if TYPE_CHECKING:
    from ark_tui.domain.hits import Understood


def moment(when: datetime) -> str:
    """A time in the local time zone, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"


def understood(one: Understood) -> str:
    """The interpretation of query words: `= 2026-11-09 … 2026-11-15`, `≠ trees`."""
    if one.kind == "exclusion":
        return f"≠ {', '.join(one.excluded)}"
    if one.first == one.last:
        return f"= {_day(one.first)}"
    return f"= {_day(one.first)}…{_day(one.last)}"


def _day(day: date | None) -> str:
    """A day; empty for an open range."""
    return day.isoformat() if day else ""


def saved_request(request: Request) -> Request:
    """The saved form of a request, without hit limit and agent."""
    return replace(request, limit=Request("").limit, typing=False, unlogged=False, agent="")


def unusual_ranking(request: Request) -> str:
    """The ranking options of a saved search that differ from the defaults."""
    said = (
        "" if request.mode == MODES[0] else request.mode,
        f"profile {request.profile}" if request.profile else "",
        strings.WITH_SUPERSEDED if request.superseded else "",
    )
    return " · ".join(filter(None, said))


def ranking_facts(request: Request) -> list[str]:
    """All options of a logged search that affect its hits, except query and filters."""
    said = [f"profile {request.profile}", request.mode, f"at most {request.limit}"]
    said += [f"with {change}" for change in request.adjust]
    said += [f"without {term}" for term in request.without]
    said += [f"{counted(request.hops, 'link')} away"] if request.hops is not None else []
    if request.expand is not None:
        said += [strings.WITH_MODEL_TERMS if request.expand else strings.WITHOUT_MODEL_TERMS]
    said += [strings.WITH_SUPERSEDED] if request.superseded else []
    said += ["with low-confidence results"] if request.below else []
    said += ["words only"] if request.literal else []
    said += ["while typing"] if request.typing else []
    return said


def filter_text(filters: Filters) -> str:
    """Filters in query syntax."""
    named = (
        ("in", filters.collections), ("tag", filters.tags), ("tier", filters.tiers), ("type", filters.types),
        ("path", filters.paths), ("layer", filters.layers),
    )  # fmt: skip
    said = [f"{name}:{value}" for name, values in named for value in values]
    if filters.dated is not None:
        said += [f"from {filters.dated.first}"] if filters.dated.first else []
        said += [f"to {filters.dated.last}"] if filters.dated.last else []
    said += ["more filters"] if filters.where is not None else []
    return " ".join(said)


LISTED = 8  # maximum documents that are named


def purge_due(due: Purged) -> list[str]:
    """What a purge deletes, what it keeps, and which backups still contain it, one line each."""
    count = len(due.documents)
    them = "it" if count == 1 else "them"
    goes = strings.PURGE_DELETES.format(
        documents=counted(count, "document"), bytes=due.bytes, rows=counted(due.answers, "row")
    )
    lines = [
        goes,
        *([strings.PURGE_LINKS.format(links=counted(due.links, "link"), them=them)] if due.links else []),
        *(f"  {document.short_id} {document.title}" for document in due.documents[:LISTED]),
    ]
    if count > LISTED:
        lines.append(f"  and {count - LISTED:,} more")
    lines += ["", strings.PURGE_KEEPS_FILES]
    if due.remains:
        lines += ["", strings.PURGE_REMAINS]
        lines += [f"  {Path(path).parent.name}/{Path(path).name}" for path in due.remains]
    else:
        lines.append(strings.PURGE_NO_BACKUP)
    return lines


def purge_done(purged: Purged) -> Done:
    """The result of a purge."""
    gone = counted(len(purged.documents), "document")
    what = f"deleted {gone} and {counted(purged.vectors, 'vector')} for good"
    names = ", ".join(Path(path).name for path in purged.remains)
    return Done(what, notices=(strings.PURGE_STILL_IN.format(names=names),) if names else ())
