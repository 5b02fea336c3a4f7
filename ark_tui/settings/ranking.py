"""Ranking profiles: the shipped ones, and a user's own that start from another."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ark_tui.domain.profile import Decay, Profile
from ark_tui.settings.kinds import Choice, Kind, Number, Text, Unfit, Whole

SHIPPED = Path(__file__).parent / "profiles"
DEFAULT = "default"

FIELDS: dict[str, Kind] = {
    "about": Text(),
    "fusion": Choice(("convex", "rrf")),
    "k": Number(0.0, 10_000.0),
    "depth": Whole(1, 10_000),
}
WEIGHT = Number(-100.0, 100.0)
BOOST = Number(0.0, 100.0)
SHARE = Number(0.0, 1.0)

KeyPath = tuple[str, ...]
Complain = Callable[[KeyPath, str], None]
"""Told the key, below its profile, and what is wrong with it."""


def shipped() -> dict[str, Profile]:
    """The profiles that come with the program, `default` first."""
    names = sorted((path.stem for path in SHIPPED.glob("*.toml")), key=lambda name: (name != DEFAULT, name))
    return {name: _shipped(name) for name in names}


def own(tables: Mapping[str, object], known: Mapping[str, Profile], complain: Complain) -> dict[str, Profile]:
    """The profiles of `[profiles.NAME]` tables.

    Each starts from the one it names by `from`, else from the shipped one of its own name, else from
    `default`; what cannot be used is complained of and left out.
    """
    return {name: profile for name in tables if (profile := _Own(tables, known, complain).made(name, ()))}


@dataclass
class _Own:
    tables: Mapping[str, object]
    known: Mapping[str, Profile]
    complain: Complain

    def made(self, name: str, asking: KeyPath) -> Profile | None:
        table = self.tables[name]
        if not isinstance(table, dict):
            self.complain((name,), "must be a table")
            return None
        base = self._base(name, table, (*asking, name))
        rest = {key: value for key, value in table.items() if key != "from"}
        quiet = bool(asking)  # it complains for itself, not again for each that starts from it
        return derived(
            base, name, rest, _silence if quiet else lambda path, why: self.complain((name, *path), why)
        )

    def _base(self, name: str, table: dict[str, Any], asking: KeyPath) -> Profile:
        wanted = table.get("from", name if name in self.known else DEFAULT)
        if wanted in self.tables and wanted not in asking and (found := self.made(str(wanted), asking)):
            return found
        if wanted in self.known:
            return self.known[wanted]
        if wanted == asking[0]:
            self.complain((asking[0], "from"), "leads back to itself")
        elif len(asking) == 1:
            names = ", ".join(sorted({*self.known, *self.tables} - {name}))
            self.complain((name, "from"), f"must be one of {names}, not {wanted!r}")
        return self.known[DEFAULT]


def derived(base: Profile, name: str, table: Mapping[str, object], complain: Complain) -> Profile:
    """A profile like `base`, with what a table says; `decay = false` switches the decay off."""
    reading = _Reading(dict(table), complain)
    plain = {key: getattr(base, key) for key in FIELDS} | dict(reading.plain())
    weights = {**base.weights, **reading.numbers("weights", WEIGHT)}
    boosts = {**base.boosts, **reading.numbers("boosts", BOOST)}
    decay = reading.decay(base.decay)
    reading.complain_of_the_rest()
    return Profile(name=name, weights=weights, boosts=boosts, decay=decay, **plain)


@dataclass
class _Reading:
    """One profile's table while it is read."""

    table: dict[str, object]
    complain: Complain
    seen: set[str] = field(default_factory=set)

    def plain(self) -> Iterator[tuple[str, Any]]:
        self.seen.update(FIELDS)
        for key, kind in FIELDS.items():
            if key in self.table and (good := self._fit((key,), kind, self.table[key])) is not None:
                yield key, good

    def numbers(self, key: str, kind: Number) -> dict[str, float]:
        self.seen.add(key)
        table = self.table.get(key, {})
        if not isinstance(table, dict):
            self.complain((key,), "must be a table of numbers")
            return {}
        fits = ((name, self._fit((key, name), kind, value)) for name, value in table.items())
        return {name: float(str(value)) for name, value in fits if value is not None}

    def decay(self, base: Decay | None) -> Decay | None:
        if self.table.get("decay") is False:
            self.seen.add("decay")
            return None
        known = {"floor", "rate"}
        numbers = self.numbers("decay", SHARE)
        for name in numbers.keys() - known:
            self.complain(("decay", name), "is not a setting of decay; floor and rate are")
        given = {name: value for name, value in numbers.items() if name in known}
        return (
            Decay(**{"floor": _start(base).floor, "rate": _start(base).rate} | given)
            if base or given
            else None
        )

    def complain_of_the_rest(self) -> None:
        for key in self.table.keys() - self.seen:
            self.complain((key,), "is not a setting of a profile; " + ", ".join(sorted(self.seen)) + " are")

    def _fit(self, path: KeyPath, kind: Kind, value: object) -> object:
        try:
            return kind.check(value)
        except Unfit as unfit:
            self.complain(path, f"must be {unfit}, not {value!r}")
            return None


def _start(base: Decay | None) -> Decay:
    return base or Decay()


def _shipped(name: str) -> Profile:
    return derived(Profile(name), name, tomllib.loads((SHIPPED / f"{name}.toml").read_text("utf-8")), _refuse)


def _refuse(path: KeyPath, why: str) -> None:
    raise Unfit(f"{'.'.join(path)} {why}")


def _silence(path: KeyPath, why: str) -> None:
    """Has been complained of elsewhere."""
