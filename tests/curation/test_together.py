"""A process that curates is killed: no acknowledged edit is lost, none is half there."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.curation.conftest import Place

DRIVER = """
import sys
from pathlib import Path
from ark_tui.engine import Engine
from ark_tui.settings import load

home, name, count = sys.argv[1:]
with Engine(load(Path(home), environ={})) as engine:
    for number in range(int(count)):
        engine.curation.tag(["gap", "rice", "walks"], [f"{name}-{number}"])
        engine.curation.pin(["gap"], on=number % 2 == 0)
        print(f"{name}-{number}", flush=True)
"""
EDITS = 4


def curating(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(home), name, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_process_that_is_killed_leaves_whole_edits_that_can_be_undone(place: Place, tmp_path: Path) -> None:
    before = place.state()
    place.engine.close()
    with curating(tmp_path / "home", "k", 1000) as process:
        assert process.stdout
        acknowledged = [process.stdout.readline().strip() for _ in range(EDITS)]
        process.kill()
    with Engine(load(tmp_path / "home", environ={}), place.clock) as engine:
        undone(replace(place, engine=engine), acknowledged, before)


def undone(place: Place, acknowledged: list[str], before: object) -> None:
    """Every acknowledged edit is whole, and undo takes all of them back."""
    place.engine.sync()
    assert set(acknowledged) <= set(place.tags("gap"))
    assert set(place.tags("gap")) - {"chains", "theory"} == set(place.tags("rice"))
    assert place.paths(f"tag:{acknowledged[-1]}") == {"gap.md", "rice.md", "walks.md"}
    assert place.wrong() == []
    with place.unfollowed():
        while place.curation.undo().changed:
            pass
    assert place.state() == before
