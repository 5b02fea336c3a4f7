"""The session: everything comes back as it was left; what cannot be read is said once and changes nothing."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes.notebook import Tasks
from ark_tui.interfaces.tui.state import session
from ark_tui.interfaces.tui.state.session import Choices, Draft, Session
from ark_tui.interfaces.tui.widgets.sources import Collections
from tests.tui.bench import Bench, bench, settings_of

LEFT = Session(
    pane="library",
    focus="collections",
    query="gap tag:x",
    typing=False,
    superseded=True,
    without=("mixing",),
    logged={"is": "Request", "query": "gap tag:x", "mode": "keyword"},
    below=True,
    document="ab",
    offset=7,
    match=2,
    marked=("ab", "cd"),
    rows={"tasks": (3, "7")},
    panes={"library": {"view": "trash", "words": "gap"}},
)


async def quit_(b: Bench) -> None:
    await b.pilot.press("ctrl+q")
    await b.pilot.pause()


def said(b: Bench) -> str:
    return "\n".join(one.text for one in b.app.context.said)


async def test_query_cursor_marks_document_and_focus_come_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("space", "s")
        await b.until(lambda: b.complete("spectral gap"))
        second = b.hits.results.hits[1].document
        await b.until(
            lambda: (p := b.hits.reader.passage) and p.document.id == second.id, "the second document"
        )
        marked = set(b.hits.results.marks)
        b.hits.go_to("reader")
        await b.until(lambda: b.hits.reader.has_focus)
        await b.pilot.press("n")
        match = b.hits.reader.match
        await quit_(b)
    async with bench(filled) as b:
        await b.until(
            lambda: b.search.result is not None and b.hits.reader.has_focus, "the document in focus"
        )
        assert b.search.query_line.value == "spectral gap"
        assert b.hits.results.hit is not None
        assert b.hits.results.hit.document.id == second.id
        assert set(b.hits.results.marks) == marked
        assert b.search.asking.superseded
        await b.until(
            lambda: (p := b.hits.reader.passage) and p.document.id == second.id, "the second document"
        )
        assert b.hits.reader.match == match


async def test_the_pane_and_its_cursor_come_back(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        for text in ("one", "two", "three"):
            engine.memory.tasks.add(Scope(), text)
    async with bench(filled) as b:
        await b.opened()
        await b.pilot.press("alt+3")
        await b.until(lambda: b.workbench.query(Tasks) and b.workbench.query_one(Tasks).count == 3)
        await b.pilot.press("G")
        await b.pilot.press("2")
        await b.until(lambda: b.workbench.panes.current == "library")
        await quit_(b)
    async with bench(filled) as b:
        await b.until(lambda: b.workbench.panes.current == "library", "the library")
        await b.until(lambda: b.workbench.query_one(Collections).has_focus, "its list")
        await b.pilot.press("3")
        await b.until(lambda: b.workbench.query(Tasks) and b.workbench.query_one(Tasks).count == 3)
        assert b.workbench.query_one(Tasks).cursor == 2


async def test_coming_back_leaves_no_trace_in_the_log_of_searches(filled: Path) -> None:
    session.save(filled, Session(query="spectral gap", typing=False))
    async with bench(filled) as b:
        await b.until(lambda: b.complete("spectral gap"), "the hits")
    with Engine(settings_of(filled)) as engine:
        assert engine.search_log() == ()


BROKEN = ("", "{", "[]", "\x00", "[" * 100_000, '{"rows": {"a": "b"}, "theme": 3, "title": 3}')


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
@pytest.mark.parametrize("kind", [Session, Choices, Draft])
def test_a_damaged_file_is_said_and_counts_for_nothing(tmp_path: Path, kind: type[Draft], text: str) -> None:
    path = tmp_path / session.FILES[kind][0]
    path.write_text(text)
    assert session.load(tmp_path, kind) == (kind(), f"{path} is damaged. It is ignored and written anew.")


@pytest.mark.parametrize("kept", [LEFT, Choices("nord", "2", "why"), Draft("", "half a thought")])
def test_what_is_kept_is_what_comes_back_and_only_its_owner_reads_it(home: Path, kept: Draft) -> None:
    home.mkdir()
    session.save(home, kept)
    assert session.load(home, type(kept)) == (kept, "")
    (file,) = home.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
