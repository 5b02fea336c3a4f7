"""Import of roots and ignore patterns from a JSON config in ralph's format (requirement I2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from ark_tui.domain.errors import ConfigError
from ark_tui.domain.untrusted import read_json
from ark_tui.settings import editing, kinds, lenient
from ark_tui.settings.home import Home
from ark_tui.settings.kinds import Root, Unfit, shown, unset

ROOTS = ("roots", "dirs", "knowledgeDirs", "knowledge_dirs")
IGNORE = ("ignore", "ignorePatterns", "ignore_patterns")
AROUND = ("knowledge", "ralph-knowledge", "ralph")  # enclosing objects in which the keys may be


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: imported values, the changed config, and warnings."""

    roots: tuple[Root, ...]
    ignore: tuple[str, ...]
    config: Path
    changed: bool
    warnings: tuple[str, ...] = ()


def take_over(source: Path, home: Home) -> Imported:
    """Add the roots and patterns of a JSON config to the home's config.toml, without duplicates.

    The rest of config.toml is unchanged. Raises `ConfigError` for an unreadable or invalid file, and
    `StoreError` if the home cannot be written.
    """
    warnings: list[str] = []
    text, content = _read(source)

    def warn(key: str, why: str) -> None:
        warnings.append(f"{source}:{_line(text, key)}: {key} {why}. It is left out.")

    found = _roots(content, source.resolve().parent, warn)
    ignore = _ignore(content, warn)
    for key in content.keys() - {*ROOTS, *IGNORE}:
        warn(key, "is nothing that ark-tui takes over")
    changed = _add(home, found, ignore)
    return Imported(found, ignore, home.config, changed, tuple(warnings))


def _read(source: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = source.read_text("utf-8-sig")
        content = read_json(text)
        json.dumps(content, ensure_ascii=False).encode()
    except OSError as error:
        raise ConfigError(f"{source} cannot be read: {error.strerror}.", "Name a JSON file.") from error
    except ValueError as error:
        line, why = (error.lineno, error.msg) if isinstance(error, json.JSONDecodeError) else (1, error)
        raise ConfigError(
            f"{source}:{line}: this is not JSON: {why}.", "Correct it, and import again."
        ) from error
    if not isinstance(content, dict):
        raise ConfigError(f"{source}:1: this is not a JSON object.", 'It looks like {"roots": ["~/notes"]}.')
    around = [content[key] for key in AROUND if isinstance(content.get(key), dict)]
    return text, next(iter(around), content)


def _roots(content: dict[str, Any], relative_to: Path, warn: Callable[[str, str], None]) -> tuple[Root, ...]:
    found: list[Root] = []
    for key in (key for key in ROOTS if key in content):
        value = content[key]
        listed = [part for part in value.split(",") if part.strip()] if isinstance(value, str) else value
        try:
            found += kinds.listed(listed, relative_to, lambda why, key=key: warn(key, why))  # type: ignore[misc]
        except Unfit as unfit:
            warn(key, f"must be {unfit}")
    return tuple(dict.fromkeys(found))


def _ignore(content: dict[str, Any], warn: Callable[[str, str], None]) -> tuple[str, ...]:
    found: list[str] = []
    for key in (key for key in IGNORE if key in content):
        if not isinstance(content[key], list):
            warn(key, "must be a list of texts")
            continue
        for item in content[key]:
            if not isinstance(item, str):
                warn(key, f"must hold texts only, not {shown(item)}")
            elif not unset(item):
                found.append(item)
    return tuple(dict.fromkeys(found))


def _add(home: Home, found: Iterable[Root], ignore: Iterable[str]) -> bool:
    file = editing.sound(home)
    document = tomlkit.parse(file.text)
    known = {root.path for root in kinds.listed(_values(file, "roots"), home.path, lambda _: None)}
    patterns = _values(file, "ignore")
    fresh = {
        "roots": [_root(root) for root in found if root.path not in known],
        "ignore": [pattern for pattern in ignore if pattern not in patterns],
    }
    for key, more in fresh.items():
        if more and isinstance(file.values.get(key), list):
            document[key].extend(more)  # keeps the comments in the list
        elif more:
            document[key] = [*_values(file, key), *more]
    if any(fresh.values()):
        editing.write(home, tomlkit.dumps(document))
    return any(fresh.values())


def _values(file: lenient.Toml, key: str) -> list[Any]:
    value = file.values.get(key, [])
    return value if isinstance(value, list) else [value]


def _root(root: Root) -> Any:
    if not root.name:
        return str(root.path)
    table = tomlkit.inline_table()
    table.update({"path": str(root.path), "name": root.name})
    return table


def _line(text: str, key: str) -> int:
    before, found, _ = text.partition(json.dumps(key))
    return before.count("\n") + 1 if found else 1
