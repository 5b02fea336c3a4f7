"""The terms that a search adds to the query: shown as chips, switched off and on, asked of a chat model."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.hits import Understood
from ark_tui.engine import Engine
from tests.ollama_server import Model, OllamaServer
from tests.tui.bench import Bench, bench, settings_of

CHAT = "qwen3:4b"
PROFILE = """
profile = "asks"
[profiles.asks]
weights = {bm25 = 0.5, static = 0.3, expanded = 0.2}
"""  # in the default profile a model's terms have no weight


def edge(b: Bench) -> str:
    """The query line's lower edge."""
    return b.lines()[3]


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


async def test_what_was_understood_is_a_chip_that_can_be_removed_by_key_and_by_mouse(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap in May 2025 without bread")
        assert "= 2025-05-01…2025-05-31 ≠ bread" in edge(b)
        await b.pilot.press("ctrl+g", "space")
        await b.until(lambda: "- May 2025" in edge(b), "the time read as words")
        assert [one.text for one in understood(b)] == ["without bread"]
        await b.pilot.click("#terms", offset=(edge(b).index("≠ bread") - 2, 0))
        await b.until(lambda: "- without bread" in edge(b), "the exclusion read as words")
        assert understood(b) == ()
        await b.pilot.press("left", "space")
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
            assert "+ laplacian + krylov subspaces + [/b] ␛[2j$x chain" in edge(b)
            await b.pilot.press("ctrl+g", "space")
            await switched(b, "laplacian")
            assert "krylov subspaces" in used(b)
            assert len(server.asked("/api/chat")) == 1
