"""What surrounds the workbench: editor, clipboard, what is remembered, imported, kept of searches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui.domain.errors import ConfigError
from ark_tui.engine import Engine, searches
from ark_tui.ingest.readers import READERS
from ark_tui.interfaces.tui.state import programs
from ark_tui.settings import load
from tests.files.makers import FIRST, SENTENCE, pdf
from tests.tui.bench import Bench, bench

FILE = Path("/notes/a b.md")


@pytest.mark.parametrize(
    ("setting", "command"),
    [
        ("vim", ["vim", "+7", "/notes/a b.md"]),
        ("nano -w", ["nano", "-w", "+7", "/notes/a b.md"]),
        ("'/opt/my editor/micro'", ["/opt/my editor/micro", "+7", "/notes/a b.md"]),
        ("code", ["code", "--wait", "--goto", "/notes/a b.md:7"]),
        ("code --wait", ["code", "--wait", "--goto", "/notes/a b.md:7"]),
        ("hx", ["hx", "/notes/a b.md:7"]),
    ],
)
def test_an_editor_is_opened_at_the_line(setting: str, command: list[str]) -> None:
    assert programs.edit_command(setting, FILE, 7) == command


@pytest.mark.parametrize("setting", ["", "vim 'unclosed"])
def test_an_editor_that_is_missing_or_unreadable_is_said_with_what_to_do(setting: str) -> None:
    with pytest.raises(ConfigError) as failure:
        programs.edit_command(setting, FILE, 1)
    assert "EDITOR" in failure.value.hint


PDF = Path("/notes/a {page} b.pdf")


@pytest.mark.parametrize(
    ("setting", "place", "command"),
    [
        ("zathura -P {page} {file}", "p. 17", ["zathura", "-P", "17", str(PDF)]),
        ("okular --page={page}", "slide 3", ["okular", "--page=3", str(PDF)]),
        ("firefox 'file://{file}#page={page}'", "", ["firefox", f"file://{PDF}#page=1"]),
        ("libreoffice {page}", "sheet 2024", ["libreoffice", "1", str(PDF)]),
    ],
)
def test_a_file_that_is_no_text_is_shown_at_its_page(setting: str, place: str, command: list[str]) -> None:
    assert programs.view_command(setting, {}, PDF, place) == command


def test_an_editor_gets_no_file_whose_reader_takes_more_than_text() -> None:
    assert set(READERS) - {".eml", ".mbox", ".mbx"} == programs.VIEWED


async def test_e_opens_a_pdf_at_the_page_of_the_hit_and_c_lists_its_pages(home: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "birds.pdf").write_bytes(pdf((("", FIRST), ("", SENTENCE)), more=()))
    with Engine(load(home, environ={})) as engine:
        engine.index([notes])
    shown = tmp_path / "shown"
    program = tmp_path / "viewer"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {shown}.new\nmv {shown}.new {shown}\n')
    program.chmod(0o700)
    async with bench(home, ARK_VIEWER=f"{program} {{page}}") as b:
        await b.listed("heron")
        await b.pilot.press("e")
        await b.until(shown.exists)
        assert shown.read_text().split("\n") == ["2", str(notes / "birds.pdf"), ""]
        assert b.app.context.said[-1].text == "viewer opens birds.pdf, p. 2."
        await b.pilot.press("enter", "c")
        await b.until(lambda: "Contents" in b.text())
        assert all(page in b.text() for page in ("p. 1", "p. 2"))


FIRST_PAINT = """
import asyncio, gc, os, sys
from textual.app import App
from ark_tui.interfaces import cli

def shown(app, screen, renderable):
    display(app, screen, renderable)
    heavy = {"duckdb", "tantivy", "numpy", "lancedb", "pyarrow", "tokenizers", "polars", "scipy"}
    rooms = {"engine", "retrieval", "store", "index", "ingest", "embedding"}
    found = sorted(heavy & set(sys.modules)) + sorted(r for r in rooms if f"ark_tui.{r}" in sys.modules)
    ours = [name for name in sys.modules if name.startswith("ark_tui.")]
    styles = [file for file, _ in app.stylesheet.source if file.endswith(".tcss")]
    print(found, "ark_tui.domain.query" in ours, len(ours), len(styles), flush=True)
    os._exit(0)

def begin(app):
    asyncio.run(app.run_async(headless=True))

display, App._display, App.run = App._display, shown, begin
sys.stdin.isatty = sys.stdout.isatty = lambda: True
sys.argv = ["ark-tui"]
cli.main()
"""


MODULES = 72
"""Modules of ours that the first frame may need; each costs a part of a millisecond, or several."""


def test_the_first_paint_has_imported_no_engine_room_and_no_database(tmp_path: Path) -> None:
    script = tmp_path / "probe.py"
    script.write_text(FIRST_PAINT)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, env=os.environ, check=False
    )
    assert done.stdout.startswith("[] False "), done.stdout + done.stderr
    modules, styles = done.stdout.split()[2:]
    assert int(modules) <= MODULES
    assert styles == "4"


async def focused_on_results(b: Bench, query: str) -> None:
    await b.searched(query)
    b.hits.results.focus()
    await b.until(lambda: b.hits.results.has_focus)


async def test_a_typed_search_is_kept_once_a_hit_of_it_is_opened_and_its_reader_is_counted(
    filled: Path,
) -> None:
    async with bench(filled, ARK_AGENT_ID="ada") as b:
        await focused_on_results(b, "spectral gap")
        await b.opened()
        engine = b.app.context.opening.home().engine
        assert searches.latest(engine) == ()
        hit = b.hits.results.hit
        assert hit is not None
        await b.pilot.press("enter")
        await b.until(lambda: engine.memory.accesses.count("ada", hit.document.id))
        await b.pilot.press("escape", "enter", "y")
        await b.until(lambda: engine.memory.accesses.count("ada", hit.document.id) == 2)
        (kept,) = searches.latest(engine)
        assert kept.request.query == "spectral gap"
        assert kept.answers[0].document == hit.document.id
        assert engine.memory.accesses.count("default", hit.document.id) == 0
