"""What one workbench does is on another's screen, without a key."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tui.bench import Bench, bench

QUERY = "spectral gap"
GAP = "Spectral gaps and mixing time"


def hit(b: Bench) -> str:
    """The rows of the hit with that title, as they stand in the list."""
    left = b.hits.results.region.right
    lines = [line[:left] for line in b.lines()]
    at = next((number for number, line in enumerate(lines) if f" {GAP[:20]}" in line.replace("▌", " ")), None)
    return "\n".join(lines[at : at + 3]) if at is not None else ""


EDITS: dict[str, tuple[list[str], Callable[[Bench], object]]] = {
    "pin": (["pin", "{gap}"], lambda b: "pinned" in hit(b)),
    "tag": (["tag", "elsewhere", "{gap}"], lambda b: "elsewhere" in b.hits.results.hits[0].document.tags),
    "tier": (["tier", "doc", "{gap}"], lambda b: "wiki" not in hit(b)),
    "judge": (["judge", QUERY, "{gap}", "++"], lambda b: "++" in hit(b)),
    "trash": (["trash", "{gap}"], lambda b: not hit(b)),
    "note": (
        ["note", f"{QUERY} and a sentence more"],
        lambda b: any("a sentence more" in title for title in b.titles()),
    ),
}

LISTS: dict[str, tuple[str, list[str], str]] = {
    "task": ("3", ["tasks", "add", "Peel the pears"], "Peel the pears"),
    "scratchpad": ("3", ["scratch", "set", "fruit", "quinces"], "quinces"),
    "conversation": ("4", ["history", "add", "user", "Are pears ripe?"], "Are pears ripe?"),
}


def elsewhere(home: Path, arguments: list[str]) -> None:
    """As another process does it."""
    command = [sys.executable, "-m", "ark_tui", "--home", str(home), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"ARK_WARM": "0"})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("edit", EDITS)
async def test_an_edit_of_a_hit_is_seen_beside_the_same_query(filled: Path, edit: str) -> None:
    arguments, seen = EDITS[edit]
    async with bench(filled) as b:
        await b.listed(QUERY)
        gap = next(one.document for one in b.hits.results.hits if one.document.title == GAP)
        assert not seen(b)
        elsewhere(filled, [argument.replace("{gap}", gap.short_id) for argument in arguments])
        await b.until(lambda: seen(b), edit)


@pytest.mark.parametrize("kept", LISTS)
async def test_what_is_kept_is_seen_in_its_list(filled: Path, kept: str) -> None:
    pane, arguments, text = LISTS[kept]
    async with bench(filled) as b:
        await b.listed(QUERY)
        await b.pilot.press(pane)
        await b.until(lambda: b.workbench.panes.current != "search")
        elsewhere(filled, arguments)
        await b.until(lambda: text in b.text(), kept)
