"""Edits `config.toml`: changes one setting and keeps all other lines and comments."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import tomlkit

from ark_tui.domain.errors import ConfigError, Hint, UsageError
from ark_tui.domain.failures import not_written
from ark_tui.domain.profile import Profile
from ark_tui.settings import kinds, lenient, ranking, template
from ark_tui.settings.config import OPTIONS, load, stopped, suggestion
from ark_tui.settings.home import Home, write_file
from ark_tui.settings.lenient import written

TABLES = ("profiles", "keymap")
NAME = r"[A-Za-z0-9_-]{1,60}"  # names of profiles
BASELINES = ("bm25", "cosine")  # reserved for the fixed baselines of `eval`
KNOWN = tuple(name for name in ("roots", *OPTIONS) if name not in TABLES)


def put(home: Home, name: str, text: str) -> bool:
    """Set a value, given as text as on the command line; return whether the file was changed.

    Raises `ConfigError` for an invalid value, without writing.
    """
    value = _checked(home, name, text)
    file = sound(home)
    if repr(file.values.get(name)) == repr(value):  # 1 and true are different
        return False
    template.ensure(home)
    file = sound(home)
    _changed(home, file, name, _put(file, name, value), {name: value})
    return True


def take(home: Home, name: str) -> bool:
    """Remove a setting from the file, so that the next source applies; return whether it was set.

    Raises `ConfigError` for an unknown key that is not in the file either.
    """
    file = sound(home)
    _plain(home, name)
    if name not in file.values:
        if name in KNOWN:
            return False
        raise _unknown(name)
    document = tomlkit.parse(file.text)
    del document[name]
    _changed(home, file, name, tomlkit.dumps(document), {})
    return True


def check_profile(home: Home, name: str) -> None:
    """Raise `UsageError` for an existing or invalid profile name."""
    if name in {*load(home.path, environ={}).profiles, *BASELINES}:
        raise UsageError(f"There is a profile {name} already.", "Give it another name.")
    if not re.fullmatch(NAME, name):
        raise UsageError(
            f"{name or 'Nothing'} is not a valid name of a profile.",
            "It has letters, digits, dashes and underscores.",
        )


def put_profile(home: Home, profile: Profile, base: Profile) -> None:
    """Append a new profile, based on another one, to the file.

    Raises `UsageError` for an existing or invalid name, `ConfigError` for a broken file.
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
    """Read the file. Raises `ConfigError` if it is broken: it must be repaired before it can be edited."""
    file = lenient.read(home.config)
    if file.faults or "\ufffd" in file.text:
        line, reason = (file.faults[0].line, file.faults[0].reason) if file.faults else (1, "it is not UTF-8")
        raise ConfigError(
            f"{home.config}:{line}: the config is broken: {reason}.", "Correct it, then try again."
        )
    return file


def write(home: Home, text: str) -> None:
    """Replace the file atomically."""
    home.create()
    try:
        write_file(home.config, text.encode(), synced=True)
    except OSError as error:
        raise not_written(error, home.config) from error


def _unknown(name: str) -> ConfigError:
    what = stopped(f"{name} is not a setting{suggestion(name, KNOWN)}")
    return ConfigError(what, Hint.run("config", say="See `{}` for all settings."))


def _plain(home: Home, name: str) -> None:
    if name in TABLES:
        raise ConfigError(f"{name} consists of tables, which cannot be set here.", f"Edit {home.config}.")


def _checked(home: Home, name: str, text: str) -> object:
    """Validate a value and convert it to its form in the file."""
    _plain(home, name)
    if name == "roots":
        if found := kinds.split(text, Path.cwd()):
            return [str(root.path) for root in found]
        raise ConfigError(f"roots must be {kinds.EXPECTED}.", "Name them with commas between.")
    if name not in OPTIONS:
        raise _unknown(name)
    value = getattr(load(home.path, {name: OPTIONS[name].kind.read(text)}, {}), name)
    return list(value) if isinstance(value, tuple) else value


def _put(file: lenient.Toml, name: str, value: object) -> str:
    """The file's text with a setting: in its old place, else below its description, else before tables."""
    document, lines = tomlkit.parse(file.text), f"{file.text.rstrip()}\n".splitlines(keepends=True)
    top = itertools.takewhile(lambda line: not line.lstrip().startswith("["), lines)
    about = next((at for at, line in enumerate(top, start=1) if line.startswith(f"# {name} =")), 0)
    if name in document or not about:
        document[name] = value
        return tomlkit.dumps(document)
    lines.insert(about, f"{name} = {written(value)}\n")
    return "".join(lines)


def _changed(home: Home, file: lenient.Toml, name: str, text: str, more: lenient.Table) -> None:
    """Write the text after checking that it differs from the file only in this setting."""
    again = lenient.parse(text)
    others = {key: value for key, value in file.values.items() if key != name}
    if again.faults or again.values != others | more:
        raise ConfigError(
            f"{home.config} has {name} where it cannot be changed from here.", "Change it in the file."
        )
    write(home, text)
