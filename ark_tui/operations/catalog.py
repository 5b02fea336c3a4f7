"""Which operations there are: `python -m ark_tui.operations.catalog` writes the manifest that says it.

The manifest names the module of each, so that a program that runs one imports one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from ark_tui.operations.operation import Operation, declared_in

PACKAGE = __package__ or "ark_tui.operations"
MANIFEST = "manifest.json"


class Catalog:
    """Operations by name, each imported when it is asked for."""

    def __init__(self, manifest: Mapping[str, Mapping[str, Any]], more: tuple[Operation, ...] = ()) -> None:
        self._manifest = manifest
        self._more = {one.name: one for one in more}

    @cached_property
    def summaries(self) -> dict[str, str]:
        """Each name with a sentence on what it does."""
        listed = {name: str(entry["summary"]) for name, entry in self._manifest.items()}
        return listed | {name: one.summary for name, one in self._more.items()}

    @cached_property
    def beginning(self) -> frozenset[str]:
        """The operations that make a home where there is none."""
        listed = {name for name, entry in self._manifest.items() if entry["begins"]}
        return frozenset({*listed, *(name for name, one in self._more.items() if one.begins)})

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families of tools."""
        listed = [str(entry["family"]) for entry in self._manifest.values()]
        return tuple(dict.fromkeys([*listed, *(one.family for one in self._more.values())]))

    def get(self, name: str) -> Operation:
        """An operation by its name. Raises `KeyError`."""
        if name in self._more:
            return self._more[name]
        module = import_module(f"{PACKAGE}.{self._manifest[name]['module']}")
        return next(one for one in declared_in(module) if one.name == name)

    def all(self) -> Iterator[Operation]:
        """All of them."""
        for name in self.summaries:
            yield self.get(name)

    def group(self, name: str) -> dict[str, str]:
        """What a group holds: the last word of each name, with the name."""
        return {one.split()[1]: one for one in self.summaries if one.startswith(f"{name} ")}


def shipped(more: tuple[Operation, ...] = ()) -> Catalog:
    """The operations of this package, and `more`."""
    return Catalog(json.loads((files(PACKAGE) / MANIFEST).read_text("utf-8")), more)


def manifest() -> dict[str, dict[str, Any]]:
    """What the modules of this package declare, in the order of their names."""
    package = import_module(PACKAGE)
    return {
        one.name: {"module": name, "family": one.family, "begins": one.begins, "summary": one.summary}
        for name in sorted(module.name for module in iter_modules(package.__path__))
        for one in declared_in(import_module(f"{PACKAGE}.{name}"))
    }


if __name__ == "__main__":
    path = Path(__file__).with_name(MANIFEST)
    path.write_text(json.dumps(manifest(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    sys.stdout.write(f"{path.name} is written.\n")
