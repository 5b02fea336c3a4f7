"""The session: everything comes back as it was left; what cannot be read is said once and changes nothing."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.interfaces.tui.state import session
from ark_tui.interfaces.tui.state.session import Choices, Draft, Session
from tests.tui.bench import Bench, bench, settings_of

LEFT = Session("library", "gap tag:x", typing=False, superseded=True, document="ab")


async def quit_(b: Bench) -> None:
    await b.pilot.press("ctrl+q")
    await b.pilot.pause()


async def test_query_document_and_pane_come_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        await b.pilot.press("j", "s")
        await b.until(lambda: b.complete("spectral gap"))
        second = b.hits.results.hit
        assert second is not None
        await b.pilot.press("2")
        await b.until(lambda: b.workbench.panes.current == "library")
        await quit_(b)
    async with bench(filled) as b:
        await b.until(lambda: b.workbench.panes.current == "library", "the library")
        await b.until(lambda: b.complete("spectral gap"), "the hits")
        assert b.hits.results.hit is not None
        assert b.hits.results.hit.document.id == second.document.id
        assert b.search.asking.superseded


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
