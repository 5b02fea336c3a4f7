"""Plugins from entry points: signals, formats, operations, panes, embedding providers.

A package declares, for example, `[project.entry-points."ark_tui.formats"]` with `rst = "its.module:read"`.
Installed plugins are found in package metadata and imported on first use. A plugin that cannot be imported is
skipped, and `ark-tui doctor` reports it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ark_tui.domain.errors import ArkError

PREFIX = "ark_tui."
KINDS = ("operations", "signals", "formats", "panes", "embedding")
ENTRIES = "entry_points.txt"
MARKED = f"[{PREFIX}".encode()  # occurs in the file if it declares a plugin


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin of a package. `name`: of the added feature; `place`: `module:attribute`."""

    kind: str
    name: str
    place: str
    package: str
    version: str

    def load(self) -> Any:
        """Import and return the plugin's object. Raises `ArkError` if that fails."""
        return _loaded(self.place, f"{self.package} {self.version}")


@cache
def _loaded(place: str, package: str) -> Any:
    module, _, attribute = place.partition(":")
    try:
        found: Any = import_module(module)
        for name in filter(None, attribute.split(".")):
            found = getattr(found, name)
    except Exception as error:
        what = f"The plugin {place} of {package} cannot be loaded: {type(error).__name__}: {error}"
        raise ArkError(f"{what.rstrip('.')}.", "Update or uninstall that package.") from error
    return found


@cache
def installed() -> tuple[Plugin, ...]:
    """All plugins, sorted by kind and name, without importing them.

    Reads the `entry_points.txt` files directly, in a tenth of the time of importing `importlib.metadata`.
    """
    found = (one for folder in _import_folders() for one in _in(folder))
    return tuple(sorted(found, key=lambda one: (KINDS.index(one.kind), one.name, one.package)))


def _import_folders() -> Iterator[Path]:
    """The folders of `sys.path` except the current folder, whose contents the user did not install."""
    try:
        here = str(Path.cwd())
    except OSError:  # it has been deleted
        here = ""
    for name in sys.path:
        folder = Path(name)
        if name and os.path.realpath(folder) != here and folder.is_dir():
            yield folder


def of(kind: str) -> dict[str, Plugin]:
    """The plugins of a kind by name; if names collide, the first package wins."""
    found: dict[str, Plugin] = {}
    for one in installed():
        if one.kind == kind:
            found.setdefault(one.name, one)
    return found


def _in(folder: Path) -> Iterator[Plugin]:
    for entry in os.scandir(folder):
        if entry.name.endswith(".dist-info"):
            try:
                with open(f"{entry.path}/{ENTRIES}", "rb", buffering=0) as file:  # noqa: PTH123  (a third of the time)
                    found = file.read()
                text = found.decode("utf-8") if MARKED in found else ""
            except (OSError, UnicodeDecodeError):
                continue
            if text:
                yield from _declared(text, *_named(entry.name))


def _named(folder: str) -> tuple[str, str]:
    """Package and version from the name of a `.dist-info` folder."""
    package, _, version = folder.removesuffix(".dist-info").partition("-")
    return package.replace("_", "-"), version


def _declared(text: str, package: str, version: str) -> Iterator[Plugin]:
    import configparser

    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for kind in KINDS:
        if parser.has_section(PREFIX + kind):
            for name, place in parser.items(PREFIX + kind):
                yield Plugin(kind, name, place.partition("[")[0].strip(), package, version)
