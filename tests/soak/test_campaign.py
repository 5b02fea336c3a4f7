"""Many processes of all kinds on one home: nothing is refused, nobody starves, all that was kept is there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.soak import audit, figures, workers

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
EIGHT = ("index", "index", "search", "search", "write", "write", "mcp", "http")
PAIRS = ("index", "search", "write")


def campaign(
    tmp_path: Path, kinds: Sequence[str], seconds: float, pages: int
) -> list[tuple[str, dict[str, Any]]]:
    """Let workers of these kinds loose on a new home; whatever they found, the home must be whole."""
    home, folders, running = tmp_path / "home", [], []
    home.mkdir()
    (home / "config.toml").touch()  # a home: whoever only reads does not begin one
    for number, kind in enumerate(kinds):
        name, more = f"{kind}{number}", []
        if kind == "index":
            folders.append(tmp_path / name)
            audit.write_pages(tmp_path / name / name, pages, seed=number)
            more = [tmp_path / name]
        running.append((kind, workers.start(kind, home, name, seconds, *more)))
    try:
        found = [(kind, workers.ended(process, seconds * 3 + 300)) for kind, process in running]
    finally:
        for _, process in running:
            process.kill()
    refused = [one for _, done in found for one in done["refused"]]
    assert not refused, refused[:10]
    assert_kept(home, [name for _, done in found for name in done["kept"]])
    for folder in folders:
        ended = audit.run(home, "index", str(folder))
        assert ended.returncode == 0, ended.stderr
    audit.assert_whole(home, *folders)
    return found


def assert_kept(home: Path, names: Sequence[str]) -> None:
    """What was acknowledged is there, once."""
    with Engine(load(home, environ={})) as engine:
        memory, scope = engine.memory, engine.memory.scope()
        there = [task.text for task in memory.tasks.list(scope, all=True)]
        there += [value.key for value in memory.scratch.list(scope)]
        total = memory.conversations.messages(scope, limit=1).total if names else 0
        for start in range(0, total, 1000):
            page = memory.conversations.messages(scope, limit=1000, offset=start)
            there += [message.content for message in page.messages]
        memory.conversations.search(scope, "write")  # lets their index follow
    assert sorted(names) == sorted(there)


def test_several_processes_at_once_are_never_refused(tmp_path: Path) -> None:
    found = campaign(tmp_path, ["index", "index", "search", "write"], seconds=2, pages=20)
    assert all(done["count"] for _, done in found)


@pytest.mark.soak
def test_eight_processes_for_ten_minutes(tmp_path: Path) -> None:
    passed = figures.begin("Eight processes on one home for ten minutes, and reports beside them")
    found = campaign(tmp_path, (*EIGHT, "export"), SECONDS, pages=500)
    load_average = os.getloadavg()[1]
    shares = {kind: [done["count"] for one, done in found if one == kind] for kind in PAIRS}
    assert all(max(counts) <= 2 * min(counts) for counts in shares.values()), shares
    rows = "; ".join(_row(kind, [done for one, done in found if one == kind]) for kind in dict(found))
    kept = sum(len(done["kept"]) for _, done in found)
    passed(
        f"{SECONDS:.0f} s at a load of {load_average:.0f}: 0 of {sum(done['count'] for _, done in found):,} "
        f"calls refused, {kept:,} acknowledged writes all there, doctor clean; {rows}"
    )


def _row(kind: str, found: Sequence[dict[str, Any]]) -> str:
    counts = " and ".join(f"{done['count']:,}" for done in found)
    return f"{kind} {counts} times, longest {max(done['worst_s'] for done in found):.1f} s"
