"""The catalog of operations: `python -m ark_tui.operations.catalog` writes its manifest.

The manifest names the module of each operation, so that a program imports only the one it runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeAlias

from ark_tui.domain.errors import Hint, Step
from ark_tui.operations.operation import Operation, declared_in

PACKAGE = __package__ or "ark_tui.operations"
MANIFEST = "manifest.json"

Given: TypeAlias = dict[str, str | bool]
"""The arguments of a hint's step, by wire names."""


class Catalog:
    """Operations by name, imported on demand."""

    def __init__(self, manifest: Mapping[str, Mapping[str, Any]]) -> None:
        self._manifest = manifest
        self.names = tuple(manifest)

    @cached_property
    def commands(self) -> dict[str, str]:
        """The names of operations by command."""
        found: dict[str, str] = {}
        for name, entry in self._manifest.items():
            found.setdefault(entry.get("command", name), name)
        return found

    def typed(self, words: str) -> str:
        """The name of an operation, given its command or name; empty if there is none."""
        return words if words in self._manifest else self.commands.get(words, "")

    @property
    def aliases(self) -> dict[str, str]:
        """The names that can be typed instead of a different command, with that command."""
        every = ((name, entry.get("command", name)) for name, entry in self._manifest.items())
        return {name: words for name, words in every if name not in (words, f"{words} list")}

    def get(self, name: str) -> Operation:
        """An operation by its name. Raises `KeyError`."""
        module = import_module(f"{PACKAGE}.{self._manifest[name]['module']}")
        return next(one for one in declared_in(module) if one.name == name)

    def all(self) -> Iterator[Operation]:
        """All operations."""
        yield from map(self.get, self.names)


def worded(told: Any, wording: Callable[[Operation, Given], str]) -> Any:
    """JSON with the steps of its hints in the terms of an interface; `wording` formats a step.

    Steps that programs may not run, or that have no wording, are formatted as commands.
    """
    if isinstance(told, Hint):
        return told.worded(lambda step: _step(step, wording))
    if isinstance(told, dict):
        return {name: worded(value, wording) for name, value in told.items()}
    return [worded(one, wording) for one in told] if isinstance(told, list | tuple) else told


def _step(step: Step, wording: Callable[[Operation, Given], str]) -> str:
    catalog = shipped()
    if not step.name:
        return ", ".join(name if value is True else f"{name}={value}" for name, value in step.options)
    name = catalog.typed(step.name)
    if name and not (operation := catalog.get(name)).personal:
        typed = {parameter.flag: parameter for parameter in operation.parameters}
        options = [(typed.get(f"--{name.replace('_', '-')}"), value) for name, value in step.options]
        given = [*zip(operation.parameters, step.arguments, strict=False), *options]
        asked = {one.wire: value for one, value in given if one and not one.said.personal}
        if len(asked) == len(given) and (words := wording(operation, asked)):
            return words
    return f"{step.typed} (on the machine itself)"


@cache
def shipped() -> Catalog:
    """The operations of this package."""
    return Catalog(json.loads(Path(__file__).with_name(MANIFEST).read_text("utf-8")))


def manifest() -> dict[str, dict[str, Any]]:
    """The manifest: the operations that the modules of this package declare, by module order."""
    package = import_module(PACKAGE)
    return {
        one.name: {
            "module": name,
            **({"command": one.command} if one.command != one.name else {}),
        }
        for name in sorted(module.name for module in iter_modules(package.__path__))
        for one in declared_in(import_module(f"{PACKAGE}.{name}"))
    }


if __name__ == "__main__":
    path = Path(__file__).with_name(MANIFEST)
    path.write_text(json.dumps(manifest(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    sys.stdout.write(f"{path.name} is written.\n")
