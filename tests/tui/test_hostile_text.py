"""Text from documents never acts on the app or the terminal, wherever it is shown."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path

import pytest

from ark_tui.curation import edits, saved
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.queue import QueueScreen
from tests.tui.bench import Bench, bench, settings_of
from tests.tui.shelves import library

pytestmark = pytest.mark.usefixtures("painted")

MARKUP = "[/ [b [/b] [@click=app.quit]x[/] [link=http://a]y[/link] $primary {x} \\["
ESCAPES = "\x1b]52;c;aGFja2Vk\x07 \x1b[2J \x9b31m \x1b[?1049l"
BIDI = "\u202edesrever\u202c \u2066isolated\u2069"
HOSTILE = f"{MARKUP} {ESCAPES} {BIDI}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files whose names, titles, tags and texts are hostile."""
    root = tmp_path_factory.mktemp("hostile") / "[b]ev\x1bil["
    root.mkdir()
    front = "---\ntitle: '[/] [@click=app.quit]quit[/] \u202egnp'\ntags: ['[/b', 'b\u202ed']\n---\n"
    (root / "[@click=app.quit]x[b.md").write_text(f"{front}\n# Banana {MARKUP}\n\nbanana {HOSTILE}\n")
    (root / "new\nline \x1b[2J.txt").write_text(f"banana {HOSTILE}\n")
    (root / "long.txt").write_text("banana " + "[/ \x1b[2J y z " * 70_000)
    (root / "[nul.bin").write_bytes(b"\x00\x01[/\x1b")
    return root


@pytest.fixture(scope="module")
def taken_in(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("taken-in") / "home"
    with Engine(settings_of(home)) as engine:
        engine.index([folder])
    return home


@pytest.fixture
def home_of_it(taken_in: Path, home: Path) -> Path:
    return shutil.copytree(taken_in, home)


def harmless(b: Bench) -> None:
    """Nothing on the screen that a terminal acts on."""
    for line in b.lines():
        harmful = [c for c in line if unicodedata.category(c) == "Cc" or "\u202a" <= c <= "\u202e"]
        assert not harmful, line


async def test_hostile_documents_are_listed_read_and_explained_as_they_are(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        await b.searched("banana")
        assert len(b.hits.results.hits) == 3
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        seen = ""
        for _ in range(3):
            hit = b.hits.results.hit
            assert hit is not None
            await b.until(
                lambda hit=hit: (p := b.hits.reader.passage) is not None and p.document == hit.document  # type: ignore[misc]
            )
            harmless(b)
            await b.pilot.press("n", "v")
            harmless(b)
            seen += b.text()
            await b.pilot.press("y", "Y", "j")
        assert "[@click=app.quit]" in seen
        assert "␛" in seen
        assert b.app.is_running


async def test_hostile_markdown_is_harmless_rendered_and_raw_and_in_what_is_told_of_it(
    home: Path, tmp_path: Path
) -> None:
    root = tmp_path / "hostile"
    root.mkdir()
    text = (
        f"---\ntitle: '{MARKUP[:20]}'\nodd: '[@click=app.quit]\u202e'\n---\n\n# Heading {HOSTILE}\n\n"
        f"- {HOSTILE}\n> {HOSTILE}\n\n| {MARKUP} | b\x1b[2J |\n|---|---|\n| \u202e | [/b] |\n\n"
        f"```python\n'{HOSTILE}'\n```\n\n"
        "[x [/b] \x1b[2J](javascript:alert\u202e) [[no [/b] such]] ![p](\x1b]52;c;x\x07) banana\n"
    )
    (root / "evil.md").write_text(text)
    (root / "other.md").write_text(f"# Other {MARKUP}\n\nbanana [[evil]] {HOSTILE}\n")
    with Engine(settings_of(home)) as engine:
        engine.index([root])
    async with bench(home) as b:
        await b.searched("banana heading")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("enter", "z")
        await b.until(lambda: b.hits.reader.has_focus)
        for key in ("g", "M", "M", "n", "enter", "escape"):
            await b.pilot.press(key)
            harmless(b)
        for key in ("c", "f", "i"):
            await b.pilot.press(key)
            await b.until(lambda: b.app.screen is not b.workbench)
            await b.until(lambda: "loading" not in b.text())
            harmless(b)
            assert "[/" in b.text()
            await b.pilot.press("escape")
            await b.until(lambda: b.app.screen is b.workbench)
        assert b.app.is_running


# -- everything that was said, kept, asked and curated ---------------------------------------------------


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose memory, curation and log are hostile in every field that takes free text."""
    home = tmp_path_factory.mktemp("everything") / "home"
    same = "Hostile cards in a box, one idea on each card. " * 4
    with Engine(settings_of(home)) as engine:
        for title in ("One", "Two"):
            engine.ingest_text(f"{same}{HOSTILE}", title=f"{title} {HOSTILE}", collection="[red]")
        odd = engine.ingest_text(f"# Odd\n\n{HOSTILE}\n", title=f"Odd {HOSTILE}", tags=["[/b", "b\u202ed"])
        other = engine.ingest_text(f"Even cards {HOSTILE}", title=f"Even {HOSTILE}", collection="[/b]")
        gone = engine.ingest_text(f"Gone {HOSTILE}", title=f"Gone {HOSTILE}")
        engine.curation.edit(edits.link, odd.id, other.id, "contradicts")
        engine.curation.edit(edits.trash, [gone.id])
        engine.curation.edit(saved.save, "odd", Request(f"cards {HOSTILE}"))
        engine.search(Request(f"cards {HOSTILE}"))
        memory, scope = engine.memory, engine.scope()
        memory.scratch.set(scope, "[/b]", HOSTILE)
        memory.tasks.add(scope, HOSTILE, tags=["[/b"])
        memory.conversations.create(Scope("[/a]", "[b"), "[/]")
        memory.conversations.extend(
            Scope("[/a]", "[b"), [Saying("user", HOSTILE), Saying("tool", HOSTILE)], conversation="[/]"
        )
    return home


@pytest.fixture
def home_of_everything(everything: Path, home: Path) -> Path:
    """That home, for one test."""
    shutil.copytree(everything, home)
    return home


async def _pane(b: Bench, name: str, key: str) -> None:
    await b.opened()
    await b.pilot.press(key)
    await b.until(lambda: b.workbench.panes.current == name)


async def _shows(b: Bench, text: str, times: int = 1) -> None:
    """Wait for a text on the screen, on which nothing does harm then."""
    await b.until(lambda: b.text().count(text) >= times, f"{text!r} on the screen")
    harmless(b)


async def test_a_hostile_history_library_trash_and_queue_are_shown_as_text(home_of_everything: Path) -> None:
    async with bench(home_of_everything) as b:
        await _pane(b, "history", "alt+4")
        await _shows(b, "[/a]/[b")
        await _shows(b, "[@click=app.quit]x", 2)
        await b.pilot.press("enter", "y", "escape", "x")
        await b.until(lambda: b.app.screen is not b.workbench)
        await _shows(b, "[/]")
        await b.pilot.press("escape")
        await b.until(lambda: b.app.screen is b.workbench)
        await b.pilot.press("v")
        await _shows(b, "cards [/ [b [/b]")
        for view, title in (
            ("sources", "[red]"), ("browser", "Odd [/ [b"), ("trash", "Gone [/"),
        ):  # fmt: skip
            await library(b, view)
            await _shows(b, title)
        await b.pilot.press("D")
        await b.until(lambda: b.app.screen is not b.workbench)
        harmless(b)
        await b.pilot.press("escape")
        await b.until(lambda: b.app.screen is b.workbench)
        await b.pilot.press("Q")
        await b.shown(QueueScreen)
        await _shows(b, "duplicate")
        for _ in range(3):
            await _shows(b, "[@click=app.quit]x")
            await b.pilot.press("right")
            await b.pilot.pause()
        await b.pilot.press("t")
        harmless(b)
