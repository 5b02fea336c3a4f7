"""The home that fuzzed processes use, in the folder that is theirs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load

HERE = Path("home")
NOTES = {
    "gap.md": "---\ntags: [theory]\ndate: 2026-03-02\n---\n# Gaps\n\nA spectral gap bounds mixing.\n",
    "tea.md": "# Tea\n\nGreen tea is steeped at eighty degrees. See [[gap]].\n",
}


@cache
def engine() -> Engine:
    """The engine over a few notes."""
    made = Engine(load(indexed()))
    made.status()
    return made


@cache
def indexed() -> Path:
    """A home over a few notes, closed."""
    notes = Path("notes").resolve()
    notes.mkdir(exist_ok=True)
    for name, body in NOTES.items():
        (notes / name).write_text(body, "utf-8")
    with Engine(load(HERE.resolve())) as engine:
        engine.index([notes])
    return HERE.resolve()
