"""The reports that can be asked for, one module each: from the engine's answers to a section of a report."""

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
"""In the order of the help; the module of a report has its name."""

TITLE = "What is in the notes"


@dataclass(frozen=True, slots=True)
class Asked:
    """The query of the search report, and the profile to rank with; empty: what is configured."""

    query: str = ""
    profile: str = ""
    judged: tuple[Path, ...] = ()  # the judged sets of the eval report
    stop: Stop = NEVER
    progress: OnProgress = ignore


class Build(Protocol):
    """What every module of a report has."""

    def __call__(self, engine: Engine, asked: Asked) -> Section: ...


def report(engine: Engine, names: Sequence[str], asked: Asked) -> Report:
    """The reports of these names, each once, in the order in which they were asked for."""
    made = engine.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    sections = tuple(_build(name)(engine, asked) for name in dict.fromkeys(names))
    title = f"{sections[0].title}" if len(sections) == 1 else TITLE
    return Report(title, made, sections)


def _build(name: str) -> Build:
    build: Build = import_module(f"{__name__}.{name}").build
    return build
