"""The user's keymap: `[keymap]` of config.toml applied to the table of actions, with conflicts resolved.

The user's keys take precedence over the defaults. Bindings, help, footer, palette and settings all use the
result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.actions import ACTIONS, CHAINS, NO_KEY, Action
from ark_tui.settings.config import meant

PALETTE = "^p"
"""Where to find an action without a key."""

TYPED_INTO = {"query"}
"""Scopes of text fields, where letters are typed and are never commands."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error in the keymap: the action, and a sentence."""

    action: str
    what: str


@dataclass(frozen=True, slots=True)
class Keymap:
    """The table of actions with their effective keys."""

    actions: tuple[Action, ...] = ACTIONS
    own: frozenset[str] = frozenset()  # ids of actions with user-defined keys
    troubles: tuple[Trouble, ...] = ()

    def changed(self) -> dict[str, str]:
        """The keys of actions that differ from the defaults, for Textual's keymap."""
        shipped = {action.id: action.keys for action in ACTIONS}
        return {a.id: a.keys or NO_KEY for a in self.actions if a.keys != shipped[a.id]}


def made(wanted: Mapping[str, str]) -> Keymap:
    """Apply the user's keys to the table. The result includes the errors."""
    troubles: list[Trouble] = []
    table: list[Action] = []
    own: set[str] = set()
    for action in ACTIONS:
        given = _usable(action, wanted[action.id], troubles) if action.id in wanted else None
        table.append(action if given is None else replace(action, keys=",".join(given)))
        if given is not None:
            own.add(action.id)
    keys = _resolved(table, own, troubles)
    effective = tuple(
        a if list(a.all_keys) == keys[a.id] else replace(a, keys=",".join(keys[a.id])) for a in table
    )
    return Keymap(effective, frozenset(own), (*_unknown(wanted), *troubles))


def first_keys(table: tuple[Action, ...]) -> dict[str, str]:
    """The first key of every action in display form. Actions without a key name the palette."""
    return {one.id: actions.display(one.all_keys[0]) if one.all_keys else PALETTE for one in table}


def _unknown(wanted: Mapping[str, str]) -> Iterator[Trouble]:
    ids = [action.id for action in ACTIONS]
    for name in sorted(wanted):
        if name not in ids:
            yield Trouble(name, strings.NO_ACTION.format(name=name, meant=meant(name, ids) or "."))


def _usable(action: Action, text: str, troubles: list[Trouble]) -> tuple[str, ...] | None:
    """The valid keys of an action. Empty for an empty text; None (the default) if no key is valid."""
    given = [key.strip() for key in text.split(",") if key.strip()]
    good: list[str] = []
    for key in given:
        if not actions.is_key(key):
            troubles.append(Trouble(action.id, strings.KEY_UNKNOWN.format(key=key, action=action.id)))
        elif (action.priority or action.scope in TYPED_INTO) and actions.character(key):
            troubles.append(
                Trouble(action.id, strings.KEY_IS_TEXT.format(action=action.id, key=actions.display(key)))
            )
        elif key not in good:
            good.append(key)
    return tuple(good) if good or not given else None


def _resolved(table: list[Action], own: set[str], troubles: list[Trouble]) -> dict[str, list[str]]:
    """The keys of each action, after each key shared by two active actions was assigned to one of them.

    User-defined keys take precedence, then the part closer to the focus.
    """
    keys = {action.id: list(action.all_keys) for action in table}
    said: set[tuple[str, str, str]] = set()
    for chain in CHAINS:
        alive = [action for scope in chain for action in table if action.scope == scope]
        taken: dict[str, Action] = {}
        for action in sorted(alive, key=lambda one: one.id not in own):
            for key in list(keys[action.id]):
                holder = taken.setdefault(actions.normal(key), action)
                if holder is action:
                    continue
                keys[action.id].remove(key)
                if (key, holder.id, action.id) not in said:
                    said.add((key, holder.id, action.id))
                    at = action.id if action.id in own else holder.id
                    left = " and ".join(map(actions.display, keys[action.id])) or "no key"
                    clash = strings.KEY_CLASH.format(
                        key=actions.display(key), holder=holder.id, other=action.id, keys=left
                    )
                    troubles.append(Trouble(at, clash))
    return keys
