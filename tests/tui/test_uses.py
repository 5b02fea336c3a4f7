"""What is kept of searches in the workbench: those of which a hit was of use, and who used it."""

from __future__ import annotations

from pathlib import Path

from ark_tui.engine import Engine
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


def noted(engine: Engine) -> list[str]:
    """The searches that uses refer to, in their order."""
    with engine._parts.store.read() as lease:
        return [row[0] for row in lease.rows("SELECT retrieval FROM ark.accesses ORDER BY moment, rowid")]


async def test_every_use_of_a_hit_refers_to_a_search_in_the_log(filled: Path) -> None:
    """After the corpus has changed, too, and in a session that comes back."""
    async with bench(filled) as b:
        await b.opened()
        engine = b.app.context.opening.wait()
        await b.type("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.complete("spectral gap") and b.hits.results.has_focus)
        assert b.search.result is not None
        run = b.search.result.retrieval_id
        engine.curation.note("The spectral gap of a note that came later.", title="Later")
        await b.until(lambda: "Later" in b.titles() and b.complete("spectral gap"))
        assert b.search.result.retrieval_id != run, "it was run again, unlogged"
        await b.pilot.press("enter")
        await b.until(lambda: len(noted(engine)) == 1)
        b.hits.results.cursor = b.titles().index("Later")
        await b.pilot.press("escape", "enter")
        await b.until(lambda: len(noted(engine)) == 2)
        assert set(noted(engine)) <= {one.id for one in engine.search_log()}
        await b.pilot.press("escape", "ctrl+q")
    async with bench(filled) as b:
        await b.opened()
        engine = b.app.context.opening.wait()
        await b.until(lambda: b.complete("spectral gap") and b.hits.results.has_focus)
        await b.pilot.press("enter")
        await b.until(lambda: len(noted(engine)) == 3)
        log = {one.id: one for one in engine.search_log()}
        assert set(noted(engine)) <= set(log)
        assert {one.query for one in log.values()} == {"spectral gap"}
