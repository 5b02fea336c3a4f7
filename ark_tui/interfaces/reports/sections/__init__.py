"""The available reports, one module each: they convert the engine's answers to report sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.interfaces.reports.report import Report, Section

if TYPE_CHECKING:
    from ark_tui.engine import Engine

REPORTS = ("overview", "search", "analysis", "tasks", "history", "audit", "eval")
"""Report names in the order of the help; each is also a module name."""

TITLE = "What is in the notes"


@dataclass(frozen=True, slots=True)
class Asked:
    """Options: the query of the search report, and the ranking profile; empty: the configured one."""

    query: str = ""
    profile: str = ""
    judged: tuple[Path, ...] = ()  # the judged sets of the eval report
    stop: Stop = NEVER
    progress: OnProgress = ignore


class Build(Protocol):
    """The function `build` of a report module."""

    def __call__(self, engine: Engine, asked: Asked) -> Section: ...


def report(engine: Engine, names: Sequence[str], asked: Asked) -> Report:
    """Build the named reports, each once, in the given order."""
    made = engine.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    builders: list[Build] = [import_module(f"{__name__}.{name}").build for name in dict.fromkeys(names)]
    sections = tuple(build(engine, asked) for build in builders)
    title = sections[0].title if len(sections) == 1 else TITLE
    return Report(title, made, sections)
