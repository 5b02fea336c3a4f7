"""Ranking profiles: built-in ones, user-defined ones based on others, and changes for one search."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.profile import Access, Chance, Decay, Feedback, Graph, Profile
from ark_tui.settings.kinds import FLAG, NO, TEXT, Kind, Unfit, choice, number, shown, whole
from ark_tui.settings.lenient import written

SHIPPED = Path(__file__).parent / "profiles"
DEFAULT = "default"

NAMES = Path(__file__).with_name("signals.json")  # written by `python -m ark_tui.retrieval.signals`
KNOWN: list[tuple[list[Any], str, bool]] = json.loads(NAMES.read_text("utf-8"))
"""For each signal: the fields of `SignalInfo`, its backend, and whether it is quiet."""

SIGNALS: tuple[str, ...] = tuple(info[0] for info, _, _ in KNOWN)
FIELDS = ("title", "title_word", "heading", "identifier", "bigram", "before")

PLAIN: dict[str, Kind] = {
    "about": TEXT,
    "fusion": choice("convex", "rrf"),
    "k": number(0.0, 10_000.0),
    "depth": whole(1, 10_000),
    "sigma": number(0.0, 100_000.0),
    "mmr": number(0.0, 1.0),
    "stand_in": FLAG,
    "stop_words": FLAG,
}
NUMBERS: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "weights": (number(0.0, 100.0), SIGNALS),
    "named": (number(0.0, 100.0), SIGNALS),
    "expand": (number(0.0, 100.0), SIGNALS),
    "boosts": (number(0.0, 100.0), FIELDS),
}
"""Tables of numbers: the kind of their values, and the valid names."""

SHARE = number(0.0, 1.0)
ODDS = number(-100.0, 100.0)


@dataclass(frozen=True, slots=True)
class Part:
    """A table of a profile. `optional`: `false` turns it off."""

    make: Callable[..., Any]
    kinds: dict[str, Kind]
    optional: bool = False


PARTS: dict[str, Part] = {
    "feedback": Part(
        Feedback,
        {
            "source": choice("fused", "cosine"),
            "hits": whole(0, 100),
            "floor": number(-1.0, 1.0),
            "terms": whole(0, 100),
        },
    ),
    "graph": Part(Graph, {"hops": whole(0, 5), "seeds": whole(0, 100), "floor": number(-1.0, 1.0)}),
    "decay": Part(Decay, {"floor": SHARE, "rate": SHARE}, optional=True),
    "access": Part(Access, {"rate": SHARE, "most": number(1.0, 10.0)}, optional=True),
    "chance": Part(Chance, {"start": ODDS, "lead": ODDS, "closeness": ODDS}, optional=True),
}
SAME = {"weight": "weights", "boost": "boosts", "lambda": "mmr"}
"""Aliases of keys in changes for one search."""

KeyPath = tuple[str, ...]
Complain = Callable[[KeyPath, str], None]
"""Callback for problems: the key path within its profile, and the message."""


def shipped() -> dict[str, Profile]:
    """The built-in profiles, `default` first."""
    return {profile.name: profile for profile in _shipped()}


@cache
def _shipped() -> list[Profile]:
    tables = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in SHIPPED.glob("*.toml")}
    names = sorted(tables, key=lambda name: (name != DEFAULT, name))
    return [derived(Profile(name), name, tables[name], _refuse) for name in names]


def own(tables: Mapping[str, object], known: Mapping[str, Profile], complain: Complain) -> dict[str, Profile]:
    """The profiles of `[profiles.NAME]` tables.

    The base of each is the one named by `from`, built-in or earlier in the file, else the built-in one of the
    same name, else `default`. Invalid entries are reported to `complain` and left out.
    """
    found: dict[str, Profile] = {}
    for name, table in tables.items():
        if not isinstance(table, dict):
            complain((name,), "must be a table")
            continue
        bases = {**known, **found}
        wanted = table.get("from", name if name in known else DEFAULT)
        base = bases.get(wanted) if isinstance(wanted, str) else None
        if base is None:
            complain((name, "from"), f"must be one of {', '.join(sorted(bases))}, not {shown(wanted)}")
        rest = {key: value for key, value in table.items() if key != "from"}
        found[name] = derived(base or known[DEFAULT], name, rest, _within(name, complain))
    return found


def _within(name: str, complain: Complain) -> Complain:
    return lambda path, why: complain((name, *path), why)


def derived(base: Profile, name: str, table: Mapping[str, object], complain: Complain) -> Profile:
    """A profile based on `base` with the values of a table; `decay = false` turns decay off."""
    reading = _Reading(dict(table), complain)
    plain = {key: getattr(base, key) for key in PLAIN} | dict(reading.plain())
    numbers: dict[str, Any] = {key: {**getattr(base, key), **reading.numbers(key)} for key in NUMBERS}
    parts = {key: reading.part(key, getattr(base, key)) for key in PARTS}
    reading.complain_of_the_rest()
    return Profile(name=name, **plain, **numbers, **parts)


def changed(profile: Profile, changes: Sequence[str]) -> Profile:
    """A profile with `KEY=VALUE` changes, such as `weight.bm25=0.3`, `k=60` or `feedback.terms=5`.

    Raises `UsageError` for an unknown key or invalid value; the message lists valid keys.
    """
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals:
            raise UsageError(f"{change} is no change.", "Write KEY=VALUE, such as weight.bm25=0.3")
        first, *rest = key.strip().split(".")
        path = (SAME.get(first, first), *rest)
        kind = _kind(path)
        if kind is None:
            raise UsageError(*_unknown(key.strip(), path))
        off = path[0] in PARTS and len(path) == 1
        value = False if off else kind.read(text.strip())
        if off and text.strip().lower() not in NO:
            raise UsageError(f"{key} is a table.", f"Change {_keys(path[0])}, or switch it off: {key}=off")
        table = {path[0]: {path[1]: value}} if len(path) > 1 else {path[0]: value}
        profile = derived(profile, profile.name, table, _no_change(key.strip()))
    return profile


def changeable() -> Iterator[str]:
    """The keys that can be changed for one search."""
    yield from (key for key in PLAIN if key != "about")
    yield "weight.SIGNAL"
    yield "boost.FIELD"
    yield from (f"{table}.{key}" for table, part in PARTS.items() for key in part.kinds)


def table(profile: Profile) -> dict[str, Any]:
    """All parameters of a profile as a TOML table; the inverse of `derived`."""
    whole = asdict(profile)
    return {key: False if whole[key] is None else whole[key] for key in (*PLAIN, *NUMBERS, *PARTS)}


def difference(profile: Profile, base: Profile) -> str:
    """The TOML table `[profiles.NAME]` of a profile: `from` and the differences from its base."""
    own, there = table(profile), table(base)
    rows = [f"[profiles.{_key(profile.name)}]", f"from = {written(base.name)}"]
    for key, value in own.items():
        if value == there[key]:
            continue
        before = there[key] if isinstance(there[key], dict) else {}
        if isinstance(value, dict):
            rows += [
                f"{key}.{_key(name)} = {written(one)}"
                for name, one in value.items()
                if name not in before or one != before[name]
            ]
        else:
            rows.append(f"{key} = {written(value)}")
    return "\n".join([*rows, ""])


@dataclass
class _Reading:
    """Reader of one profile's table."""

    table: dict[str, object]
    complain: Complain
    seen: set[str] = field(default_factory=lambda: {*PLAIN, *NUMBERS, *PARTS})

    def plain(self) -> Iterator[tuple[str, Any]]:
        for key, kind in PLAIN.items():
            if key in self.table and (good := self._fit((key,), kind, self.table[key])) is not None:
                yield key, good

    def numbers(self, key: str) -> dict[str, float]:
        kind, names = NUMBERS[key]
        given = self._table(key, "must be a table of numbers")
        return {name: float(value) for name, value in self._fits(key, given, dict.fromkeys(names, kind))}

    def part(self, key: str, base: Any) -> Any:
        """A part of the profile: the base's values updated with the table; None if both are empty."""
        part = PARTS[key]
        if part.optional and self.table.get(key) is False:
            return None
        given = self._table(key, "must be a table or false" if part.optional else "must be a table")
        good = dict(self._fits(key, given, part.kinds))
        if base is None and not good:
            return None
        return replace(base or part.make(), **good)

    def complain_of_the_rest(self) -> None:
        for key in self.table.keys() - self.seen:
            self.complain((key,), "is not a setting of a profile; " + ", ".join(sorted(self.seen)) + " are")

    def _table(self, key: str, otherwise: str) -> dict[str, object]:
        given = self.table.get(key, {})
        if isinstance(given, dict):
            return given
        self.complain((key,), otherwise)
        return {}

    def _fits(
        self, key: str, given: dict[str, object], kinds: Mapping[str, Kind]
    ) -> Iterator[tuple[str, Any]]:
        for name, value in given.items():
            if name not in kinds:
                self.complain((key, name), f"is not a setting of {key}; " + ", ".join(kinds) + " are")
            elif (good := self._fit((key, name), kinds[name], value)) is not None:
                yield name, good

    def _fit(self, path: KeyPath, kind: Kind, value: object) -> object:
        try:
            return kind.check(value)
        except Unfit as unfit:
            self.complain(path, f"must be {unfit}, not {shown(value)}")
            return None


def _key(name: str) -> str:
    """A name as a TOML key, quoted if necessary."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else written(name)


def _kind(path: KeyPath) -> Kind | None:
    """The kind of a profile's key; None for an unknown key."""
    match path:
        case (key,) if key in PLAIN and key != "about":
            return PLAIN[key]
        case (key,) if key in PARTS and PARTS[key].optional:
            return FLAG
        case (key, name) if key in NUMBERS and name in NUMBERS[key][1]:
            return NUMBERS[key][0]
        case (key, name) if key in PARTS:
            return PARTS[key].kinds.get(name)
    return None


def _unknown(key: str, path: KeyPath) -> tuple[str, str]:
    """Message and hint for an unknown key: valid keys of its table, else all."""
    if path[0] in NUMBERS:
        names = NUMBERS[path[0]][1]
        what = path[0].removesuffix("s")
        if len(path) == 1:
            return f"{key} wants a name.", f"Write {what}.NAME=NUMBER; names: {', '.join(names)}."
        near = get_close_matches(path[1], names, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        return f"There is no {key}.", f"{what}.NAME has the names {', '.join(names)}.{meant}"
    if path[0] in PARTS:
        return f"There is no {key}.", f"There are {_keys(path[0])}."
    return f"A profile has no {key}.", f"It has {', '.join(changeable())}."


def _keys(name: str) -> str:
    return ", ".join(f"{name}.{key}" for key in PARTS[name].kinds)


def _no_change(key: str) -> Complain:
    def refuse(_: KeyPath, why: str) -> None:
        raise UsageError(
            f"{key} {why}.", Hint.run("config", say="See `{}` for the profiles and their numbers.")
        )

    return refuse


def _refuse(path: KeyPath, why: str) -> None:
    raise Unfit(f"{'.'.join(path)} {why}")
