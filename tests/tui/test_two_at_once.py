"""What one workbench does is on another's screen, without a key."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ark_tui.interfaces.cli.app import run
from ark_tui.interfaces.cli.console import CONSOLE, Console
from ark_tui.operations.catalog import shipped
from ark_tui.operations.operation import Effect
from tests.tui import test_review
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
    "tags rename": (
        ["tags", "rename", "graphs", "nets"],
        lambda b: "nets" in b.hits.results.hits[0].document.tags,
    ),
    "tier": (["tier", "doc", "{gap}"], lambda b: "wiki" not in hit(b)),
    "judge": (["judge", QUERY, "{gap}", "++"], lambda b: "++" in hit(b)),
    "trash": (["trash", "{gap}"], lambda b: not hit(b)),
    "untag": (["untag", "graphs", "{gap}"], lambda b: "graphs" not in b.hits.results.hits[0].document.tags),
    "tier of several": (["tier", "raw", "{gap}", "{other}"], lambda b: b.text().count("raw · ") == 2),
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
            (["undo"], "not papers"),
            (["redo"], "papers"),
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
    "purge": (("2", "left"), ((["trash", "{gap}"], GAP), (["purge", "--yes"], f"not {GAP}"))),
    "links": (
        ("enter", "i"),
        (
            (["link", "{gap}", "{cards}", "--as", "builds_on"], "builds_on"),
            (["unlink", "{gap}", "{cards}"], "not builds_on"),
        ),
    ),
    "facts": (
        (),
        (
            (["facts", "add", "The spectral gap of otters"], "gap of otters"),
            (["facts", "edit", "{last}", "The spectral gap of owls"], "gap of owls"),
            (["promote", "{last}", "--tier", "wiki", "--reason", "seen"], "wiki · 2"),
            (["facts", "retire", "{last}"], "not gap of owls"),
            (["revive", "{last}"], "gap of owls"),
            (["correct", "{last}", "The spectral gap of hawks"], "gap of hawks"),
            (["facts", "add", "The spectral gap of wrens"], "gap of wrens"),
            (["retire", "{last}"], "not gap of wrens"),
            (["forget", "{last}", "--yes"], "not gap of wrens"),
        ),
    ),
    "patterns": (
        (),
        (
            (["patterns", "add", "the spectral gap hangs", "--solution", "shake it"], "gap hangs"),
            (["patterns", "edit", "{last}", "--problem", "the spectral gap leaks"], "gap leaks"),
            (["patterns", "retire", "{last}"], "not gap leaks"),
        ),
    ),
    "directives": (
        (),
        (
            (["directives", "add", "NEVER", "widen the spectral gap"], "widen the spectral gap"),
            (["directives", "edit", "{last}", "narrow the spectral gap"], "narrow the spectral"),
            (["directives", "retire", "{last}"], "not narrow the spectral"),
        ),
    ),
    "texts": (
        (),
        (
            (["remember", "A spectral gap was heard", "--source", "ears"], "gap was heard"),
            (["ingest", "A spectral gap was read"], "gap was read"),
        ),
    ),
    "settings": (
        ("6",),
        (
            (["config", "set", "theme", "nord"], "nord"),
            (["config", "unset", "theme"], "not nord"),
        ),
    ),
    "outcomes": (
        ("4", "v", "v"),
        ((["outcome", "record", "validation", "--issue", "42", "--verdict", "pass"], "validation"),),
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
            (["scratch", "restore", "fruit", "1"], "quinces"),
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


REVIEW: tuple[tuple[list[str], int], ...] = (
    (["review", "accept", "{last}"], 1),
    (["review", "undo"], 2),
    (["review", "reject", "{last}"], 1),
    (["review", "undo"], 2),
    (["review", "edit", "{last}", "--text", "Ann feeds the otters."], 1),
)
"""Decisions about a candidate, and how many are left."""

NOT_HERE = {
    **dict.fromkeys(("review merge", "review later"), "as the other decisions: one log, one list"),
    **dict.fromkeys(("queue decide",), "an edit of those above, by another name"),
    **dict.fromkeys(("import-curation",), "an edit like those above, of many"),
    **dict.fromkeys(
        ("index", "ingest-file", "ingest-url"), "test_watching and test_indexing see files come and go"
    ),
    **dict.fromkeys(("import", "consolidate"), "messages and candidates, which are in the table"),
    **dict.fromkeys(("conversations close", "history vectors"), "nothing of it is on a screen"),
    **dict.fromkeys(("jobs pause", "jobs resume", "jobs cancel"), "test_work sees jobs of others"),
    **dict.fromkeys(("models", "models add", "models remove"), "long work, which has a row of its own"),
    **dict.fromkeys(("token add", "token revoke"), "tokens are on no screen"),
    **dict.fromkeys(("backup", "doctor"), "nothing that is shown changes"),
    **dict.fromkeys(("restore", "config import"), "the home or its settings as a whole"),
    **dict.fromkeys(("outcome apply", "outcome report"), "events and confidences, by assistants"),
    **dict.fromkeys(("expert", "saved diff"), "only remembers that it was looked at"),
}
"""Operations that change something and are in no table, each with the reason."""


def called(words: list[str]) -> str:
    """The operation that a command line names."""
    both = " ".join(words[:2])
    return both if both in shipped().names else words[0]


def test_every_operation_that_changes_something_is_tried_here_or_named_with_a_reason() -> None:
    changing = {one for one in shipped().names if shipped().get(one).effect is not Effect.READS}
    tried = {called(words) for words, _ in (*EDITS.values(), *REVIEW)}
    tried |= {called(words) for _, steps in STEPS.values() for words, _ in steps}
    assert tried & NOT_HERE.keys() == set()
    assert changing - tried - {"unpin"} == NOT_HERE.keys(), "unpin is pin, taken back"


def elsewhere(home: Path, arguments: list[str]) -> None:
    """As another process does it."""
    command = [sys.executable, "-m", "ark_tui", "--home", str(home), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"ARK_WARM": "0"})
    assert done.returncode == 0, done.stderr


def told(words: list[str]) -> Any:
    """As another process does it, but in this one: by a home opened once more; what it says."""
    out, err = io.BytesIO(), io.BytesIO()
    token = CONSOLE.set(Console(out, err, colour=False, err_is_terminal=False))
    try:
        assert run([*words, "--json"]) == 0, (words, err.getvalue())
    finally:
        CONSOLE.reset(token)
    return json.loads(out.getvalue())


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
        last = ""
        for arguments, text in steps:
            words = [one.format(gap=ids[GAP], cards=ids["cards"], last=last) for one in arguments]
            last = told(words).get("id") or last
            gone = text.removeprefix("not ")
            await b.until(lambda t=text, g=gone: (g in b.text()) == (t == g), f"{words}: {text}")  # type: ignore[misc]


async def test_decisions_about_candidates_are_seen_in_the_review(home: Path) -> None:
    test_review.filled(home)
    async with bench(home) as b:
        pane = await test_review.review(b)
        await b.until(lambda: pane.candidates.count == 2)
        last = pane.candidates.name_of(pane.candidates.here) if pane.candidates.here else ""
        for arguments, left in REVIEW:
            told([one.format(last=last) for one in arguments])
            await b.until(lambda n=left: pane.candidates.count == n, f"{arguments}")  # type: ignore[misc]
