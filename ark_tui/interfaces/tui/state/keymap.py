"""The user's own keys: `[keymap]` of config.toml laid over the table of actions, clashes resolved.

What the user says goes before what is shipped. The result is what really happens: bindings, help, footer,
palette and settings are all made from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.actions import ACTIONS, CHAINS, NO_KEY, Action
from ark_tui.settings.config import meant

PALETTE = "^p"
"""Where an action is found that has no key."""

TYPED_INTO = {"query"}
"""Scopes of a text field: a letter is typed into it and never is a command."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with the keymap: the action that it stands at, and a sentence."""

    action: str
    what: str


@dataclass(frozen=True, slots=True)
class Keymap:
    """The table with the keys that work."""

    actions: tuple[Action, ...] = ACTIONS
    own: frozenset[str] = frozenset()  # ids of actions whose keys the user gave
    troubles: tuple[Trouble, ...] = ()

    def changed(self) -> dict[str, str]:
        """The keys of actions that are not as shipped, for Textual's own keymap."""
        shipped = {action.id: action.keys for action in ACTIONS}
        return {a.id: a.keys or NO_KEY for a in self.actions if a.keys != shipped[a.id]}


def made(wanted: Mapping[str, str]) -> Keymap:
    """The table under the user's keys, with what could not be done."""
    troubles: list[Trouble] = []
    table: list[Action] = []
    own: set[str] = set()
    for action in ACTIONS:
        given = _usable(action, wanted[action.id], troubles) if action.id in wanted else None
        table.append(action if given is None else replace(action, keys=",".join(given)))
        if given is not None:
            own.add(action.id)
    keys = _resolved(table, own, troubles)
    effective = tuple(replace(a, keys=",".join(keys[a.id])) if _lost(a, keys) else a for a in table)
    return Keymap(effective, frozenset(own), (*_unknown(wanted), *troubles))


def first_keys(table: tuple[Action, ...]) -> dict[str, str]:
    """The first key of every action, as people write it; one that has none is in the palette."""
    return {one.id: actions.display(one.all_keys[0]) if one.all_keys else PALETTE for one in table}


def _unknown(wanted: Mapping[str, str]) -> Iterator[Trouble]:
    ids = [action.id for action in ACTIONS]
    for name in sorted(wanted):
        if name not in ids:
            yield Trouble(name, strings.NO_ACTION.format(name=name, meant=meant(name, ids) or "."))


def _usable(action: Action, text: str, troubles: list[Trouble]) -> tuple[str, ...] | None:
    """The keys that an action is given; none for an empty text; None, as shipped, where no key is good."""
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
    """The keys of each action, after each key that two wanted where both are alive has gone to one of them.

    The user's word goes first, then the part that is nearer to the focus.
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
                    troubles.append(Trouble(at, _clash(key, holder, action, keys[action.id])))
    return keys


def _clash(key: str, holder: Action, loser: Action, left: list[str]) -> str:
    shown = actions.display(key)
    still = " and ".join(actions.display(one) for one in left) or strings.NO_KEY
    return strings.KEY_CLASH.format(key=shown, holder=holder.id, other=loser.id, keys=still)


def _lost(action: Action, keys: Mapping[str, list[str]]) -> bool:
    return list(action.all_keys) != keys[action.id]
