"""Text from documents never acts on the app or the terminal, wherever it is shown."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.faces.tui.screens.folder import FolderScreen
from ark_tui.faces.tui.screens.said import SaidScreen
from tests.tui.bench import Bench, bench, settings_of

MARKUP = "[/ [b [/b] [@click=app.quit]x[/] [link=http://a]y[/link] $primary {x} \\["
ESCAPES = "\x1b]52;c;aGFja2Vk\x07 \x1b[2J \x9b31m \x1b[?1049l"
BIDI = "\u202edesrever\u202c \u2066isolated\u2069"
HOSTILE = f"{MARKUP} {ESCAPES} {BIDI}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files whose names, titles, tags and texts are hostile."""
    root = tmp_path / "[b]ev\x1bil["
    root.mkdir()
    front = "---\ntitle: '[/] [@click=app.quit]quit[/] \u202egnp'\ntags: ['[/b', 'b\u202ed']\n---\n"
    (root / "[@click=app.quit]x[b.md").write_text(f"{front}\n# Banana {MARKUP}\n\nbanana {HOSTILE}\n")
    (root / "new\nline \x1b[2J.txt").write_text(f"banana {HOSTILE}\n")
    (root / "long.txt").write_text("banana " + "[/ \x1b[2J y z " * 70_000)
    (root / "[nul.bin").write_bytes(b"\x00\x01[/\x1b")
    return root


@pytest.fixture
def home_of_it(folder: Path, home: Path) -> Path:
    with Engine(settings_of(home)) as engine:
        engine.index([folder])
    return home


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
        for key in ("g", "M", "M", "n", "full_stop", "full_stop", "full_stop", "enter", "escape"):
            await b.pilot.press(key)
            harmless(b)
        for key in ("c", "f", "i"):
            await b.pilot.press(key)
            await b.until(lambda: b.app.screen is not b.workbench)
            await b.until(lambda: "looked up" not in b.text())
            harmless(b)
            assert "[/" in b.text()
            await b.pilot.press("escape")
            await b.until(lambda: b.app.screen is b.workbench)
        assert b.app.is_running


async def test_hostile_names_and_reasons_are_listed_in_the_library(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        await b.opened()
        await b.pilot.press("alt+2")
        await b.until(lambda: b.workbench.panes.current == "library")
        assert "[b]ev␛il[" in b.text()
        harmless(b)
        await b.pilot.press("right", "right")
        await b.until(lambda: "[nul.bin" in b.text())
        harmless(b)
        await b.pilot.press("left", "left", "i")
        await b.until(lambda: b.workbench.panes.current == "search")
        harmless(b)


async def test_a_hostile_query_is_a_query(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        await b.opened()
        for text in ("[/", "[b", "[@click=app.quit]x[/]", "\u202e", '"', "(", "tag:[/", "zzz[/b]"):
            b.search.query_line.value = text
            await b.pilot.pause()
            harmless(b)
        await b.until(lambda: b.app.is_running)


async def test_messages_and_the_list_of_them_show_hostile_text_as_it_is(home: Path) -> None:
    async with bench(home) as b:
        await b.opened()
        b.app.say(HOSTILE, "error")
        await b.until(lambda: "[@click=app.quit]" in b.text())
        harmless(b)
        await b.pilot.press("f4")
        await b.until(lambda: isinstance(b.app.screen, SaidScreen))
        assert "[/ [b" in b.text()
        harmless(b)


async def test_hostile_folder_names_are_shown_in_the_tree(
    home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    async with bench(home) as b:
        await b.opened()
        await b.pilot.press("f2")
        await b.until(lambda: isinstance(b.app.screen, FolderScreen))
        await b.until(lambda: "[b]ev␛il[" in b.text(), "the folder in the tree")
        harmless(b)
        await b.pilot.press("tab", "down", "down", "enter")
        harmless(b)


async def test_a_hostile_progress_note_is_shown_as_it_is(home: Path) -> None:
    from ark_tui.domain.work import Progress
    from ark_tui.faces.tui.work.jobs import Job

    async with bench(home) as b:
        await b.opened()
        rows = b.workbench.work_rows
        job = Job("index", Path("/notes"), HOSTILE[:40], state="running")
        rows.jobs.all.append(job)
        job.begin()
        job.move(Progress("read", 1, 2, HOSTILE))
        rows._moved()
        await b.pilot.pause()
        assert rows.display
        harmless(b)
