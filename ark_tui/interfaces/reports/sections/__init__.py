"""The available reports, one module each: they convert the engine's answers to blocks of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.interfaces.reports.report import Block, Report, Section

if TYPE_CHECKING:
    from ark_tui.engine import Engine

TITLES = {
    "overview": "Overview",
    "search": "Search",
    "analysis": "Analysis",
    "tasks": "Tasks",
    "history": "History",
    "audit": "Audit",
    "eval": "Evaluation",
}
"""Titles by the names of reports, in the order of the help; each name is also that of a module."""

REPORTS = tuple(TITLES)


@dataclass(frozen=True, slots=True)
class Asked:
    """Options: the query of the search report, and the ranking profile; empty: the configured one."""

    query: str = ""
    profile: str = ""
    judged: tuple[Path, ...] = ()  # the judged sets of the eval report
    stop: Stop = NEVER
    progress: OnProgress = ignore


Blocks: TypeAlias = "Callable[[Engine, Asked], Iterator[Block]]"
"""The function `blocks` of a report module."""


def report(engine: Engine, names: Sequence[str], asked: Asked) -> Report:
    """Build the named reports, each once, in the given order."""
    sections = []
    for name in dict.fromkeys(names):
        blocks: Blocks = import_module(f"{__name__}.{name}").blocks
        sections.append(Section(name, TITLES[name], tuple(blocks(engine, asked))))
    return Report(engine.now().strftime("%Y-%m-%dT%H:%M:%SZ"), tuple(sections))
