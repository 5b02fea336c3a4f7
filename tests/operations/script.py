"""Every operation once, and what it refuses, in an order in which each finds what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ELSEWHERE: dict[str, str] = {}
"""Operations that are not in the script, each with the reason, and where it is tried."""


@dataclass(frozen=True)
class Step:
    """An operation with its parameters; one that is a function is made from what was kept of earlier answers.

    `refused`: it is an error. `keep`: the name under which its answer is kept. `apart`: keys that may differ.
    """

    name: str
    given: Mapping[str, Any]
    refused: bool = False
    keep: str = ""
    apart: tuple[str, ...] = ()

    def asked(self, known: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """The parameters, now that earlier answers are known; `{folder}` in a text is that of the trial."""
        return {name: self._value(value, known, folder) for name, value in self.given.items()}

    def _value(self, value: Any, known: Mapping[str, Any], folder: Path) -> Any:
        if isinstance(value, Callable):  # type: ignore[arg-type]
            return value(known)
        return value.replace("{folder}", str(folder)) if isinstance(value, str) else value


def step(
    name: str, *, refused: bool = False, keep: str = "", apart: tuple[str, ...] = (), **given: Any
) -> Step:
    return Step(name, given, refused, keep, apart)


TASKS = (
    step("tasks add", text="call Ann", due="2026-02-03", tags=("home", "phone")),
    step("tasks add", text="- water the -plants"),
    step("tasks add", text="x", due="banana", refused=True),
    step("tasks edit", id=2, text="water the plants", due="2026-03-04", add_tags=("garden",), before=1),
    step("tasks edit", id=2, drop_tags=("garden",)),
    step("tasks list", tag="home"),
    step("tasks done", id=1),
    step("tasks list", all=True, limit=1),
    step("tasks reopen", id=1),
    step("tasks edit", id=1, state="done"),
    step("tasks delete", id=2),
    step("tasks done", id=2, refused=True),
    step("tasks list"),
)

HOME = (step("plugins"),)

STEPS = (*TASKS, *HOME)
