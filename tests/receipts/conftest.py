"""An engine over some notes, and a receipt of a search of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ark_tui.domain.receipts import Receipt, Verification
from ark_tui.engine import Engine
from ark_tui.operations import find, receipts
from ark_tui.operations.call import Call
from ark_tui.settings import load
from tests.cli.conftest import ark as ark  # noqa: PLC0414 - a fixture

NOTES = {
    "gap.md": "---\ndate: 2025-11-02\ntags: [theory]\n---\n# Spectral gaps\n\nThe spectral gap of a chain "
    "bounds its mixing time.\n\n## Expanders\n\nExpanders mix fast.\n",
    "fiedler.md": "---\ndate: 2024-02-01\n---\nThe Fiedler vector orders the nodes of a graph.\n",
    "walks.md": "---\ndate: 2025-03-09\n---\nA random walk on a graph forgets its start; the spectral gap "
    "says how fast.\n",
    "mixing.md": "---\ndate: 2025-06-17\n---\n# Mixing time\n\nShuffles mix after seven rounds.\n",
    "rice.md": "---\ndate: 2023-01-05\n---\nCooking rice needs water, a lid and patience.\n",
    "rye.md": "---\ndate: 2022-05-05\n---\nA sourdough of rye rests for a night.\n",
}
QUERY = "spectral gap mixing"
THEN = "2026-01-01T00:00:00Z"


class Desk:
    """A home over a folder of notes, opened anew for each thing that is done, as commands do."""

    def __init__(self, folder: Path, *, grown: bool = False) -> None:
        """`grown`: the notes came one by one, the last first."""
        self.folder = folder
        self.notes = folder / "notes"
        self.home = folder / "home"
        self.receipt = folder / "receipt.json"
        self.notes.mkdir(parents=True)
        for name in sorted(NOTES, reverse=grown):
            self.write(name, NOTES[name])
            if grown:
                self.index()
        self.index()

    def write(self, name: str, text: str) -> None:
        (self.notes / name).write_text(text, "utf-8")

    def configure(self, text: str) -> None:
        (self.home / "config.toml").write_text(text, "utf-8")

    @contextmanager
    def open(self, **environ: str) -> Iterator[Engine]:
        around = {"OLLAMA_HOST": "http://127.0.0.1:9", "ARK_NOW": THEN, **environ}
        with Engine(load(self.home, environ=around)) as engine:
            yield engine

    def index(self) -> None:
        with self.open() as engine:
            engine.index([self.notes])

    def take(self, query: str = QUERY, **given: Any) -> dict[str, Any]:
        """A search with a receipt; the receipt's JSON."""
        with self.open() as engine:
            find.search(
                Call(engine, person=True), query, receipt=self.receipt, overwrite=True, below=True, **given
            )
        return self.read()

    def read(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.receipt.read_bytes())
        return found

    def verify(self, *, today: bool = False, **environ: str) -> Verification:
        with self.open(**environ) as engine:
            (found,) = receipts.verify(Call(engine, person=True), (self.receipt,), today=today).receipts
        return found

    def edit(self, act: Callable[[Engine], object]) -> None:
        with self.open() as engine:
            act(engine)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def causes(found: Verification) -> Mapping[str, str]:
    """What is said of each kind of cause."""
    said: dict[str, str] = {}
    for cause in found.causes:
        said[cause.kind] = f"{said.get(cause.kind, '')} {cause.what}".strip()
    return said


def made(value: dict[str, Any]) -> Receipt:
    """A receipt from its JSON."""
    return receipts.made(value)
