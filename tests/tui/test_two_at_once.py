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
    "supersede": (["supersede", "{gap}", "--by", "{other}"], lambda b: not hit(b)),
    "merge": (["merge", "{other}", "{gap}"], lambda b: not hit(b)),
    "note": (
        ["note", f"{QUERY} and a sentence more"],
        lambda b: any("a sentence more" in title for title in b.titles()),
    ),
}

STEPS: dict[str, tuple[tuple[str, ...], tuple[tuple[list[str], str], ...]]] = {
    "library": (
        ("2",),
        (
            (["collections", "rename", "notes", "papers"], "papers"),
            (["collections", "let-go", "papers", "--yes"], "No collections yet"),
        ),
    ),
    "trash": (
        ("2", "left"),
        (
            (["trash", "{gap}"], GAP),
            (["undo"], f"not {GAP}"),
            (["redo"], GAP),
            (["untrash", "{gap}"], f"not {GAP}"),
        ),
    ),
    "notebook": (
        ("3",),
        (
            (["tasks", "add", "Peel the pears"], "Peel the pears"),
            (["tasks", "edit", "1", "Eat the pears"], "Eat the pears"),
            (["tasks", "done", "1"], "✓ Eat the pears"),
            (["tasks", "reopen", "1"], "not ✓ Eat the pears"),
            (["tasks", "delete", "1"], "not Eat the pears"),
            (["scratch", "set", "fruit", "quinces"], "quinces"),
            (["scratch", "delete", "fruit"], "not quinces"),
        ),
    ),
    "conversations": (
        ("4",),
        (
            (["conversations", "create", "kitchen"], "kitchen"),
            (["history", "add", "user", "Are pears ripe?"], "Are pears ripe?"),
            (["conversations", "delete", "kitchen", "--yes"], "not kitchen"),
        ),
    ),
    "saved searches": (
        ("at",),
        (
            (["saved", "add", "gaps", "spectral gap"], "@gaps"),
            (["saved", "rename", "gaps", "holes"], "@holes"),
            (["saved", "delete", "holes"], "not @holes"),
        ),
    ),
    "queue": (("Q",), ((["tag", "done", "{cards}"], "1 left"), (["undo"], "2 left"))),
}
"""How a place is come to, then commands, one after the other, with what each brings there or takes away."""


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
        other = next(one.document for one in b.hits.results.hits if one.document != gap)
        elsewhere(filled, [one.format(gap=gap.short_id, other=other.short_id) for one in arguments])
        await b.until(lambda: seen(b), edit)


@pytest.mark.parametrize("place", STEPS)
async def test_what_is_done_elsewhere_is_seen_in_place_step_by_step(filled: Path, place: str) -> None:
    keys, steps = STEPS[place]
    async with bench(filled) as b:
        await b.listed(QUERY)
        ids = {one.document.title: one.document.short_id for one in b.hits.results.hits}
        await b.pilot.press(*keys)
        for arguments, text in steps:
            elsewhere(filled, [one.format(gap=ids[GAP], cards=ids["cards"]) for one in arguments])
            gone = text.removeprefix("not ")
            await b.until(lambda t=text, g=gone: (g in b.text()) == (t == g), f"{arguments}: {text}")  # type: ignore[misc]
