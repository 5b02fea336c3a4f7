"""Changes `config.toml` as its owner would: one setting, and no other line or remark of the file."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from ark_tui.domain.errors import ConfigError, Hint, UsageError
from ark_tui.domain.failures import not_written
from ark_tui.domain.profile import Profile
from ark_tui.settings import lenient, ranking, roots, template
from ark_tui.settings.config import OPTIONS, load, suggestion
from ark_tui.settings.home import Home, write_file
from ark_tui.settings.lenient import Statement, written

TABLES = ("profiles", "keymap")
NAME = r"[A-Za-z0-9_-]{1,60}"  # of a profile
BASELINES = ("bm25", "cosine")  # what `eval` calls so is always the same
KNOWN = tuple(name for name in ("roots", *OPTIONS) if name not in TABLES)


def put(home: Home, name: str, text: str) -> bool:
    """Write a setting, which a text stands for as on the command line; whether the file says else now.

    Raises `ConfigError` for what the file could not hold either: nothing is written then.
    """
    value = _checked(home, name, text)
    file = sound(home)
    if repr(file.values.get(name)) == repr(value):  # a 1 is no true
        return False
    template.ensure(home)
    file = sound(home)
    at, line = _place(file, name), f"{name} = {written(value)}"
    _changed(home, file, name, lambda lines, own: _set(lines, own, at, line), {name: value})
    return True


def take(home: Home, name: str) -> bool:
    """Take a setting out of the file, so that the next source counts; whether it was there.

    Raises `ConfigError` for what is no setting and does not stand there either.
    """
    file = sound(home)
    _plain(home, name)
    if name not in file.values:
        if name in KNOWN:
            return False
        raise _unknown(name)
    _changed(home, file, name, _cut, {})
    return True


def check_profile(home: Home, name: str) -> None:
    """Raises `UsageError` for a name that a profile has already, or that none can have."""
    if name in {*load(home.path, environ={}).profiles, *BASELINES}:
        raise UsageError(f"There is a profile {name} already.", "Give it another name.")
    if not re.fullmatch(NAME, name):
        raise UsageError(
            f"{name or 'Nothing'} is no name of a profile.", "It has letters, digits, dashes and underscores."
        )


def put_profile(home: Home, profile: Profile, base: Profile) -> None:
    """Write a profile of one's own, which starts from another one, behind all else in the file.

    Raises `UsageError` for a name that a profile has already or that none can have, `ConfigError` for a file
    that is broken.
    """
    check_profile(home, profile.name)
    template.ensure(home)
    file = sound(home)
    text = f"{file.text.rstrip()}\n\n{ranking.difference(profile, base)}"
    again = lenient.parse(text)
    if again.faults or {**again.values, "profiles": None} != {**file.values, "profiles": None}:
        raise ConfigError(
            f"{home.config} has its profiles where none can be added from here.", "Add it in the file."
        )
    write(home, text)


def sound(home: Home) -> lenient.Toml:
    """What the file says. Raises `ConfigError` where it is broken: whoever changes it mends it first."""
    file = lenient.read(home.config)
    if file.faults or "\ufffd" in file.text:
        line, reason = (file.faults[0].line, file.faults[0].reason) if file.faults else (1, "it is not UTF-8")
        raise ConfigError(
            f"{home.config}:{line}: the config is broken: {reason}.", "Mend it, then do it again."
        )
    return file


def write(home: Home, text: str, kept: str = "") -> None:
    """Write-then-replace, so that no moment has half a config; the old one is kept under a name."""
    home.create()
    try:
        if kept and home.config.exists():
            shutil.copy2(home.config, home.config.with_name(kept))
        write_file(home.config, text.encode(), synced=True)
    except OSError as error:
        raise not_written(error, home.config) from error


def _unknown(name: str) -> ConfigError:
    said = f"{name} is not a setting{suggestion(name, KNOWN)}"
    return ConfigError(
        said if said.endswith("?") else f"{said}.", Hint.run("config", say="See `{}` for all settings.")
    )


def _plain(home: Home, name: str) -> None:
    if name in TABLES:
        raise ConfigError(f"{name} holds tables, which are written by hand.", f"Edit {home.config}.")


def _checked(home: Home, name: str, text: str) -> object:
    """The value as the file holds it."""
    _plain(home, name)
    if name == "roots":
        if found := roots.split(text, Path.cwd()):
            return [str(root.path) for root in found]
        raise ConfigError(f"roots must be {roots.EXPECTED}.", "Name them with commas between.")
    if name not in OPTIONS:
        raise _unknown(name)
    value = getattr(load(home.path, {name: OPTIONS[name].kind.read(text)}, {}), name)
    return list(value) if isinstance(value, tuple) else value


def _changed(
    home: Home,
    file: lenient.Toml,
    name: str,
    change: Callable[[list[str], list[Statement]], None],
    more: lenient.Table,
) -> None:
    lines = file.text.splitlines(keepends=True)
    change(lines, [statement for statement in file.statements if statement.path[:1] == (name,)])
    again = lenient.parse(text := "".join(lines))
    others = {key: value for key, value in file.values.items() if key != name}
    if again.faults or again.values != others | more:
        raise ConfigError(
            f"{home.config} has {name} where it cannot be changed from here.", "Change it in the file."
        )
    write(home, text)


def _cut(lines: list[str], own: list[Statement]) -> None:
    for one in reversed(own):
        del lines[one.start : one.end]


def _place(file: lenient.Toml, name: str) -> int:
    """Where a new setting goes: below the sentence about it, else behind the last one before the tables."""
    lines = file.text.splitlines()
    starts = (
        statement.start for statement in file.statements if lines[statement.start].lstrip().startswith("[")
    )
    tables = next(starts, len(lines))
    about = (at + 1 for at, one in enumerate(lines[:tables]) if one.startswith(f"# {name} ="))
    ends = [statement.end for statement in file.statements if statement.start < tables]
    return next(about, max(ends, default=0 if tables < len(lines) else tables))


def _set(lines: list[str], own: list[Statement], at: int, line: str) -> None:
    """In the old one's place, its remark behind it; else there."""
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    if own and not lines[own[0].start].lstrip().startswith("["):
        first = own[0]
        remark = _remark("".join(lines[first.start : first.end]))
        _cut(lines, own[1:])
        lines[first.start : first.end] = [f"{line}{remark}{ending}"]
        return
    _cut(lines, own)
    if at and at == len(lines) and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += ending
    lines.insert(at, f"{line}{ending}")


def _remark(statement: str) -> str:
    """What stands behind a value, with the blanks before it."""
    for at, sign in enumerate(statement):
        if sign == "#" and not lenient.parse(statement[:at]).faults:
            kept = len(statement[:at].rstrip())
            return statement[kept:].rstrip("\r\n")
    return ""
