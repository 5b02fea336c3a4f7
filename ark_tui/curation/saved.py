"""Saved searches: named queries; saving and deleting them can be undone like every edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from ark_tui.curation.edits import EditPlan
from ark_tui.domain.curation import NOTHING, Change, SavedSearch
from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.domain.query import SAVED, Request, as_json, from_json
from ark_tui.store import Lease, overrides

NAME = re.compile(r"[^\W\d][\w.-]{0,59}")  # begins with a letter, since `@1` is a result of the last search


def all_saved(lease: Lease) -> Iterator[SavedSearch]:
    """Every saved search, by name."""
    for word in overrides.all_of(lease, "saved"):
        yield SavedSearch(word.key, from_json(json.loads(word.value)))


def get(lease: Lease, name: str) -> SavedSearch:
    """A saved search by its name. Raises `NotFound`."""
    return SavedSearch(name, from_json(json.loads(_value(_values(lease), name))))


def save(lease: Lease, name: str, request: Request) -> EditPlan:
    """Save a search under a name."""
    _check(name)
    if not request.query.strip():
        raise UsageError(
            "There is no query to save.", Hint.run("saved add", name, "spectral gap", say="Such as: {}")
        )
    kept = replace(request, typing=False, unlogged=False)
    value = json.dumps(as_json(kept), ensure_ascii=False)
    before = _values(lease).get(name)
    changes = () if before == value else (Change(NOTHING, "saved", name, before, value),)
    return EditPlan(f"saved the search {name}", f"took back the saved search {name}", changes)


def rename(lease: Lease, name: str, to: str) -> EditPlan:
    """Rename a saved search."""
    values = _values(lease)
    value = _value(values, name)
    if to in values:
        raise UsageError(
            f"There is a saved search {to} already.", Hint.run("saved delete", to, say="Let it go first: {}")
        )
    _check(to)
    changes = Change(NOTHING, "saved", name, value, None), Change(NOTHING, "saved", to, None, value)
    return EditPlan(f"renamed the search {name} to {to}", f"renamed the search {to} to {name}", changes)


def forget(lease: Lease, name: str) -> EditPlan:
    """Delete a saved search."""
    value = _value(_values(lease), name)
    changes = (Change(NOTHING, "saved", name, value, None),)
    return EditPlan(f"deleted the search {name}", f"restored the search {name}", changes)


def asked(lease: Lease, line: str) -> Request | None:
    """The saved search that a query names with `@NAME`, with the rest of the query."""
    name, _, rest = line.strip().removeprefix(SAVED).partition(" ")
    value = _values(lease).get(name)
    if value is None:
        return None
    request: Request = from_json(json.loads(value))
    return replace(request, query=f"{request.query} {rest.strip()}".strip())


def _check(name: str) -> None:
    if not NAME.fullmatch(name):
        raise UsageError(
            f"A saved search cannot be called {name[:60]!r}.", "A letter, then letters, digits, `-`, `_`, `.`"
        )


def _values(lease: Lease) -> dict[str, str]:
    return {word.key: word.value for word in overrides.all_of(lease, "saved")}


def _value(values: dict[str, str], name: str) -> str:
    if name not in values:
        none = Hint.run("saved add", "NAME", "…", say="There is none yet: {}")
        there = f"There are {', '.join(values)}." if values else none
        raise NotFound(f"There is no saved search {name}.", there)
    return values[name]
