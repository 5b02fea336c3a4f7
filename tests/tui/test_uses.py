"""What is kept of searches in the workbench: those of which a hit was of use, and who used it."""

from __future__ import annotations

from pathlib import Path

from tests.tui.bench import Bench, bench


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
        engine = b.app.context.opening.wait()
        assert engine.search_log() == ()
        hit = b.hits.results.hit
        assert hit is not None
        await b.pilot.press("enter")
        await b.until(lambda: engine.memory.accesses.count("ada", hit.document.id))
        await b.pilot.press("escape", "enter", "y")
        await b.until(lambda: engine.memory.accesses.count("ada", hit.document.id) == 2)
        (kept,) = engine.search_log()
        assert kept.request.query == "spectral gap"
        assert kept.answers[0].document == hit.document.id
        assert engine.memory.accesses.count("default", hit.document.id) == 0
