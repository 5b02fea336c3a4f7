"""How moments are written, and what was understood of a query."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import TYPE_CHECKING

from ark_tui.domain.errors import Hint, Step
from ark_tui.interfaces.tui.state import actions

if TYPE_CHECKING:
    from ark_tui.domain.hits import Understood

NAMED = {one.id: one for one in actions.ACTIONS}


ACTIONS = {
    "config": "everywhere.settings",
    "doc list": "everywhere.library",
    "doctor": "everywhere.repair",
    "index": "everywhere.index",
    "eval judge": "hits.better",
    "models": "everywhere.settings",
    "models list": "everywhere.settings",
    "doc note": "curation.note",
    "doc purge": "trash.purge",
    "doc queue": "curation.queue",
    "saved add": "search.save",
    "saved delete": "saved.delete",
    "history searches": "everywhere.history",
    "status": "everywhere.library",
    "doc tag": "curation.tag",
    "doc trash": "curation.trash",
    "doc restore": "trash.restore",
}
"""By the words of a command: the action of the workbench that does it, or leads to where it is done."""


def worded(text: str, key: Callable[[str], str]) -> str:
    """A sentence with the steps of its hint as keys; what has none is told as it is typed in a terminal."""

    def step(one: Step) -> str:
        action = ACTIONS.get(one.name)
        return f"{key(action)} ({NAMED[action].label})" if action else one.typed

    return text.worded(step) if isinstance(text, Hint) else text


def moment(when: datetime) -> str:
    """A moment by the clock of this machine, to the minute."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"


def understood(one: Understood) -> str:
    """What words of a query were read as: `= 2026-11-09 … 2026-11-15`, `≠ trees`."""
    if one.kind == "exclusion":
        return f"≠ {', '.join(one.excluded)}"
    if one.first == one.last:
        return f"= {_day(one.first)}"
    return f"= {_day(one.first)}…{_day(one.last)}"


def _day(day: date | None) -> str:
    """A day; nothing where a time is open."""
    return day.isoformat() if day else ""
