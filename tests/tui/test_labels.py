"""Labels tell the truth of what a key does; the terms that a search adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.hits import Understood
from ark_tui.engine import Engine
from tests.ollama_server import Model, OllamaServer
from tests.tui.bench import Bench, bench, settings_of


async def test_digits_are_text_in_the_query_line_and_escape_is_one_step_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        assert "alt+2 Library" in b.text()
        await b.pilot.press("space", "2")
        assert b.search.query_line.value.endswith(" 2")
        await b.pilot.press("backspace", "backspace", "escape")
        await b.until(lambda: b.hits.results.has_focus, "the results")
        assert "alt+" not in b.lines()[0]
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.reader.has_focus)
        assert b.hits.results.region.width < 40, "the document has the window"
        await b.pilot.press("escape")
        await b.until(lambda: b.hits.results.has_focus)
        assert b.hits.results.region.width > 40
        await b.pilot.press("escape", "escape")
        assert b.hits.results.has_focus
        await b.pilot.press("4")
        await b.until(lambda: b.workbench.panes.current == "history")
        await b.pilot.press("escape", "escape")
        assert b.workbench.panes.current == "history"


async def test_what_documents_say_is_offered_with_counts_as_it_is_typed_and_tab_takes_it(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.type("gap tag:")
        await b.until(
            lambda: "theory" in b.text() and "documents" in b.text(), "tags, the most frequent first"
        )
        assert b.lines()[2].startswith("│ gap tag:"), "what is offered leaves the line to be seen"
        await b.type("qq")
        await b.until(lambda: "tab select" not in b.text(), "nothing fits")
        await b.pilot.press("backspace", "backspace")
        await b.type("nmr")
        await b.until(lambda: "numerics" in b.text())
        assert b.search.query_line.value == "gap tag:nmr"
        await b.pilot.press("tab")
        assert b.search.query_line.value == "gap tag:numerics "
        assert b.search.query_line.has_focus
        await b.until(lambda: b.titles() == ["Lanczos, restarted"])


async def test_a_tag_that_nobody_has_is_said_with_the_nearest_and_a_key_takes_it(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.type("tag:theroy gap")
        await b.until(lambda: "tag:theroy: in no document · did you mean tag:theory gap?" in b.text())
        await b.pilot.press("ctrl+t")
        await b.until(lambda: b.search.query_line.value == "tag:theory gap" and bool(b.titles()))


CHAT = "qwen3:4b"
PROFILE = """
profile = "asks"
[profiles.asks]
weights = {bm25 = 0.5, static = 0.3, expanded = 0.2}
"""  # in the default profile a model's terms have no weight


def edge(b: Bench) -> str:
    """The query line's upper edge."""
    return b.lines()[1]


def used(b: Bench) -> tuple[str, ...]:
    assert b.search.result is not None
    return b.search.result.expansion.terms


def understood(b: Bench) -> tuple[Understood, ...]:
    assert b.search.result is not None
    return b.search.result.understood


async def switched(b: Bench, *terms: str) -> None:
    """Wait for a search without exactly these terms."""
    await b.until(
        lambda: (r := b.search.result) is not None and not r.partial and r.expansion.without == terms,
        f"a search without {terms}",
    )


async def switch(b: Bench, term: str) -> None:
    """Leave out a term, or use it again."""
    await b.pilot.press("ctrl+g")
    await b.answer(term)


async def test_what_was_understood_is_said_and_can_be_switched_off_and_on(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap in May 2025 without bread")
        assert "= 2025-05-01…2025-05-31  ≠ bread" in edge(b)
        await switch(b, "2025-05")
        await b.until(lambda: "- May 2025" in edge(b), "the time read as words")
        assert [one.text for one in understood(b)] == ["without bread"]
        await switch(b, "May 2025")
        await b.until(lambda: "= 2025-05-01" in edge(b), "the time again")


@pytest.fixture
def asking(home: Path) -> Path:
    """A home in whose profile the terms of a chat model count."""
    home.mkdir()
    (home / "config.toml").write_text(PROFILE)
    return home


async def test_the_chat_model_is_asked_by_key_and_its_terms_can_be_switched_off(
    notes: Path, asking: Path
) -> None:
    hostile = "[/b] \x1b[2J$x chain"
    with OllamaServer(Model(CHAT, embeds=False)) as server:
        server.terms = ["laplacian", "krylov subspaces", hostile]
        environ = {"OLLAMA_HOST": server.host, "ARK_CHAT_MODEL": CHAT, "ARK_EMBEDDING": "static"}
        with Engine(settings_of(asking, **environ)) as engine:
            engine.index([notes])
        async with bench(asking, (120, 34), **environ) as b:
            await b.searched("how does a gap bound the mixing time")
            assert not server.asked("/api/chat")
            await b.pilot.press("ctrl+l")
            await b.until(lambda: "krylov subspaces" in used(b), "the model's terms")
            assert "+ laplacian  + krylov subspaces  + [/b] ␛[2j$x chain" in edge(b)
            await switch(b, "laplacian")
            await switched(b, "laplacian")
            assert "krylov subspaces" in used(b)
            assert len(server.asked("/api/chat")) == 1
