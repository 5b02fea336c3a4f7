"""What the footer has room for: the keys of the focused part and of the program come before those between."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.faces.tui import actions

if TYPE_CHECKING:
    from textual.binding import ActiveBinding

LAST = {"curation": 2, "everywhere": 0, "app": 0}
"""How early the actions of a scope give way, the highest first; those of any other scope: 1."""


def fitting(bindings: dict[str, ActiveBinding], width: int) -> dict[str, ActiveBinding]:
    """The bindings, so many of them shown that a footer `width` cells wide cuts no key off."""
    shown: dict[str, list[str]] = {}  # keys by the id of the action
    for key, active in bindings.items():
        if active.binding.show:
            shown.setdefault(active.binding.id or key, []).append(key)
    cells = {id_: _cells(bindings[keys[0]]) for id_, keys in shown.items()}
    hidden: set[str] = set()
    for _, _, id_ in sorted(((_rank(one), place, one) for place, one in enumerate(shown)), reverse=True):
        if sum(cells.values()) - 1 <= width or not _rank(id_):
            break
        hidden.update(shown[id_])
        del cells[id_]
    return {
        key: active._replace(binding=replace(active.binding, show=False)) if key in hidden else active
        for key, active in bindings.items()
    }


def _rank(id_: str) -> int:
    return LAST.get(id_.partition(".")[0], 1)


def _cells(active: ActiveBinding) -> int:
    """A key, its label, a space between them and one behind."""
    key = active.binding.key_display or actions.display(active.binding.key)
    return len(key) + len(active.binding.description) + 2
