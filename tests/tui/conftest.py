"""A small home that is indexed once, and frames to compare."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import textual.app
import textual.pilot
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.app import App

from ark_tui.curation import edits
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes import hits
from ark_tui.interfaces.tui.screens import workbench
from tests.tui import painting
from tests.tui.bench import settings_of
from tests.tui.settling import settled

MODIFIED = 1_759_312_800  # 2025-10-01 10:00 UTC: the date of notes that do not say one

NOTES = {
    "graphs/gap.md": """---
title: Spectral gaps and mixing time
date: 2025-11-03
tags: [theory, graphs]
tier: wiki
---

# Spectral gaps and mixing time

The spectral gap of a reversible chain bounds its mixing time: a chain forgets its start in about
1/γ · log(1/π) steps. A wide gap means no bottleneck.

## Where it fails

The gap says nothing about a cutoff. `gap = 1 - eigenvalues[1]` is all it knows; see [[lanczos]].

```python
gap = 1 - eigenvalues[1]  # of the spectral kind
```
""",
    "graphs/lanczos.md": """---
title: Lanczos, restarted
date: 2024-06-20
tags: [numerics]
---

# Lanczos, restarted

Krylov subspaces find the outer eigenvalues first. The spectral gap decides how fast: a small gap is slow.
""",
    "graphs/laplacian.md": """---
title: The graph Laplacian
date: 2026-01-01
tags: [theory, graphs]
---

# The graph Laplacian

L = D - A. Its second eigenvalue is the algebraic connectivity, and its gap to zero is spectral news.
""",
    "memory/forgetting.md": """---
title: Forgetting curves
tags: [memory]
---

# Forgetting curves

What is not repeated is lost, quickly at first. Repetition flattens the curve.
""",
    "memory/cards.txt": "Index cards in a box. One idea on each card, and a number to find it by.\n",
    "code/gap.py": '''def gap(values: list[float]) -> float:
    """The distance between the two largest eigenvalues."""
    first, second = sorted(values)[-2:]
    return second - first
''',
    "picture.bin": "\x00\x01\x02binary\x00",
}


LONG = "A title that says more of what it is about than any window of a usual width has room for, and goes on"
DEEP = "a-folder-in-a-folder-in/" * 4


@pytest.fixture(scope="session")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of notes."""
    folder = tmp_path_factory.mktemp("workbench") / "notes"
    for name, text in NOTES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        os.utime(path, (MODIFIED, MODIFIED))
    return folder


@pytest.fixture(scope="session")
def indexed(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the notes in it, never to be used itself."""
    home = tmp_path_factory.mktemp("indexed") / "home"
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
    return home


@pytest.fixture(scope="session")
def lived_in(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with something in every list, its names as long as they get."""
    home = shutil.copytree(indexed, tmp_path_factory.mktemp("lived_in") / "home")
    notes = tmp_path_factory.mktemp("more") / "a-collection-with-a-name-of-some-length"
    (notes / DEEP).mkdir(parents=True)
    (notes / DEEP / "long.md").write_text(f"# {LONG}\n\nThe spectral gap of {LONG}\n")
    (notes / "again.md").write_text(f"# {LONG}\n\nThe spectral gap of {LONG}\n")
    (notes / "gone.md").write_text("# To be thrown away\n\nNobody needs it.\n")
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
        gone = engine.search(Request("nobody needs it")).hits[0].document.id
        engine.curation.edit(edits.trash, [gone])
        scope = Scope()
        engine.memory.scratch.set(scope, "a.key.of.some.length", LONG)
        engine.memory.tasks.add(scope, LONG)
        engine.memory.conversations.create(scope, "talk")
        engine.memory.conversations.extend(
            scope, [Saying("user", LONG), Saying("tool", "0")], conversation="talk"
        )
        engine.search(Request(LONG))
    return home


@pytest.fixture
def filled(indexed: Path, home: Path) -> Path:
    """A home with the notes in it, for one test."""
    shutil.copytree(indexed, home)
    return home


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Frames that do not move, and sessions that only a person's quitting keeps."""
    monkeypatch.setattr(workbench, "KEEP", 1e6)
    monkeypatch.setattr(hits, "REASONS_PAUSE", 1e6)  # reasons come when a test asks for them
    for place in (textual.app, textual.pilot):
        monkeypatch.setattr(place, "wait_for_idle", settled)
    painting.when_seen(monkeypatch)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def painted(steady: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every frame is painted, as it is in a terminal; else only those that a test looks at."""
    del steady  # it comes first
    painting.always(monkeypatch)


DIFFERENT = 20  # lines of a frame that are shown where it differs


class Frames(SingleFileSnapshotExtension):
    """Pictures of the screen, as SVG, in the folder `snapshots` at the top."""

    file_extension = "svg"
    _write_mode = WriteMode.TEXT

    @classmethod
    def dirname(cls, *, test_location: Any) -> str:
        return str(Path(test_location.filepath).parents[2] / "snapshots")

    @classmethod
    def get_snapshot_name(cls, *, test_location: Any, index: Any = 0) -> str:
        del test_location
        return str(index)


@pytest.fixture
def frame(snapshot: SnapshotAssertion) -> Callable[[App[None], str], None]:
    """Compare the screen with the frame of that name; `--snapshot-update` writes it anew."""
    frames = snapshot.use_extension(Frames)

    def compare(app: App[None], name: str) -> None:
        picture = re.sub(r"terminal-\d+", "terminal", app.export_screenshot(title=name))
        with warnings.catch_warnings():  # syrupy would like a file's name to contain the test's
            warnings.simplefilter("ignore", UserWarning)
            same = picture == frames(name=name)
        if not same:
            path = Path(__file__).parents[2] / "snapshots" / f"{name}.svg"
            before = path.read_text("utf-8") if path.exists() else ""
            changes = difflib.unified_diff(before.splitlines(), picture.splitlines(), lineterm="", n=0)
            said = "\n".join(islice(changes, DIFFERENT))
            pytest.fail(f"the screen is not like snapshots/{name}.svg; --snapshot-update writes it\n{said}")

    return compare
