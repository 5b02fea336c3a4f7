"""Reports of the sample notes, letter by letter. `make reports` writes them anew; look at the diff."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.domain.memory import Scope
from ark_tui.domain.profile import Profile
from ark_tui.engine import Engine
from ark_tui.interfaces.reports import data, export, sections
from ark_tui.interfaces.reports.report import Report, Section
from ark_tui.interfaces.reports.sections import analysis as analyses
from ark_tui.settings import load
from tests.reports import shapes
from tests.reports.conftest import FIXED, NOW, QUERY

GOLDEN = Path(__file__).parent / "golden"


def overview(request: pytest.FixtureRequest) -> Report:
    engine: Engine = request.getfixturevalue("engine")
    return sections.report(engine, ["overview"], sections.Asked())


def search(request: pytest.FixtureRequest) -> Report:
    """By two signals in a profile of its own, which nobody tunes."""
    known = load(request.getfixturevalue("sample"), environ=FIXED)
    plain = Profile("plain", weights={"bm25": 0.5, "static": 0.5})
    with Engine(replace(known, profiles={**known.profiles, "plain": plain})) as engine:
        return sections.report(engine, ["search"], sections.Asked(QUERY, profile="plain"))


def analysis(_: pytest.FixtureRequest) -> Report:
    blocks = tuple(analyses.shape(shapes.analysis()))
    return Report(NOW, (Section("analysis", "Analysis", blocks),))


def memory(request: pytest.FixtureRequest) -> Report:
    home: Path = request.getfixturevalue("tmp_path") / "memory"
    with Engine(load(home, environ=FIXED)) as engine:
        engine.memory.tasks.add(Scope(), "Read *Lanczos* | again", due="2025-12-24", tags=["reading"])
        engine.memory.tasks.add(Scope(), "Write about mixing times", due="2026-01-03")
        engine.memory.conversations.add(Scope(), "user", "Why is the gap so small?")
        engine.memory.conversations.add(Scope(), "assistant", "There is a bottleneck: see #3fa9c1.")
        return sections.report(engine, ["tasks", "history"], sections.Asked())


@pytest.mark.parametrize("made", [overview, search, analysis, memory], ids=lambda made: str(made.__name__))
def test_the_report_is_as_it_was(
    made: Callable[[pytest.FixtureRequest], Report], request: pytest.FixtureRequest
) -> None:
    written = export.files(made(request), "md")[""].decode()
    kept = GOLDEN / f"{made.__name__}.md"
    if request.config.getoption("update_snapshots"):
        kept.write_text(written, "utf-8")
    assert written == kept.read_text("utf-8"), "if that is meant: make reports"


QUICK = ("overview", "search", "tasks", "history")
"""Reports that take no time to make; of the others it is enough to compare one format."""


def test_two_processes_write_the_same_bytes(sample: Path, tmp_path: Path) -> None:
    written = []
    for seed, columns in (("1", "40"), ("2", "200")):
        lines = [
            ["--home", str(sample), "--export", str(tmp_path / f"{seed}.{form}"), "--query", QUERY]
            + [argument for name in names for argument in ("--report", name)]
            for form, names in (("html", sections.REPORTS), ("md", QUICK), ("json", QUICK))
        ]
        script = f"from ark_tui.interfaces.cli.app import run\nfor line in {lines!r}: assert run(line) == 0"
        environment = {**os.environ, **FIXED, "PYTHONHASHSEED": seed, "COLUMNS": columns}
        subprocess.run([sys.executable, "-c", script], env=environment, check=True, stdin=subprocess.DEVNULL)
        written.append({path.suffix: path.read_bytes() for path in tmp_path.glob(f"{seed}.*")})
    assert len(written[0]) == 3
    assert written[0] == written[1]


def test_parquet_is_the_same_twice_and_each_table_and_figure_has_a_name_of_its_own(engine: Engine) -> None:
    first, second = (sections.report(engine, sections.REPORTS, sections.Asked(QUERY)) for _ in range(2))
    assert export.files(first, "parquet") == export.files(second, "parquet")
    count = sum(1 for section in first.sections for _ in (*section.tables, *section.figures))
    assert len(data.tables(first)) == count > 10
