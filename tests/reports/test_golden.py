"""Reports of the sample notes, letter by letter. `make reports` writes them anew; look at the diff."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.faces.reports import export, sections
from tests.reports.conftest import FIXED, QUERY

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", sections.REPORTS)
def test_the_report_is_as_it_was(engine: Engine, name: str, request: pytest.FixtureRequest) -> None:
    query = QUERY if name == "search" else ""
    written = export.text(sections.report(engine, [name], sections.Asked(query)), "md")
    kept = GOLDEN / f"{name}.md"
    if request.config.getoption("update_snapshots"):
        kept.write_text(written, "utf-8")
    assert written == kept.read_text("utf-8"), "if that is meant: make reports"


def test_two_processes_write_the_same_bytes(sample: Path, tmp_path: Path) -> None:
    written = []
    for seed, columns in (("1", "40"), ("2", "200")):
        names = [argument for name in sections.REPORTS for argument in ("--report", name)]
        lines = [
            ["--home", str(sample), "--export", str(tmp_path / f"{seed}.{form}"), *names, "--query", QUERY]
            for form in ("md", "html", "json")
        ]
        script = f"from ark_tui.faces.cli.app import run\nfor line in {lines!r}: assert run(line) == 0"
        environment = {**os.environ, **FIXED, "PYTHONHASHSEED": seed, "COLUMNS": columns}
        subprocess.run([sys.executable, "-c", script], env=environment, check=True, stdin=subprocess.DEVNULL)
        written.append({path.suffix: path.read_bytes() for path in tmp_path.glob(f"{seed}.*")})
    assert len(written[0]) == 3
    assert written[0] == written[1]


def test_parquet_is_the_same_twice(engine: Engine, tmp_path: Path) -> None:
    for name in ("a", "b"):
        report = sections.report(engine, sections.REPORTS, sections.Asked(QUERY))
        export.write(report, tmp_path / f"{name}.parquet", "parquet")
    files = [
        {p.name: p.read_bytes() for p in (tmp_path / f"{name}.parquet").iterdir()} for name in ("a", "b")
    ]
    assert files[0] == files[1]
