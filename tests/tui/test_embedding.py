"""A model server that goes and comes: what waits for vectors is embedded by itself, and the lamps say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.domain.errors import ArkError
from ark_tui.domain.jobs import JobEntry, JobResult
from ark_tui.engine import Engine, background
from ark_tui.interfaces.tui.state.client import Opening
from ark_tui.operations.workbench import Going, News
from ark_tui.settings import load
from tests.ollama_server import OllamaServer, Request
from tests.tui.bench import Bench, bench, settings_of

MODEL = "nomic-embed-text"


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[OllamaServer]:
    """A server that can be stopped and started, which every process of the test is to ask."""
    monkeypatch.setattr(background, "PAUSES", (0.2,))
    with OllamaServer(MODEL) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.host)
        monkeypatch.setenv("ARK_EMBEDDING", f"ollama:{MODEL}")
        yield server


def served(home: Path, server: OllamaServer) -> AbstractAsyncContextManager[Bench]:
    """The workbench over a home whose model is the server's."""
    return bench(home, OLLAMA_HOST=server.host, ARK_EMBEDDING=f"ollama:{MODEL}")


def indexed(home: Path, folder: Path) -> None:
    with Engine(load(home)) as engine:
        engine.index([folder])


def half_embedded(home: Path, notes: Path, server: OllamaServer) -> None:
    """Some notes have their vectors; the server was down when the others were read."""
    indexed(home, notes / "graphs")
    server.stop()
    indexed(home, notes / "memory")


def lamp(b: Bench) -> tuple[str, str]:
    """How the lamp of the served model stands in the search that is shown, and why."""
    lamps = b.search.result.lamps if b.search.result else ()
    return next(((one.state, one.reason) for one in lamps if one.signal == "cosine"), ("", ""))


def waiting(b: Bench) -> int:
    status = b.workbench.status
    return status.coverage.get("waiting", 0) if status else -1


async def test_what_waits_is_embedded_once_the_server_is_back_and_the_lamp_goes_on(
    home: Path, notes: Path, ollama: OllamaServer
) -> None:
    half_embedded(home, notes, ollama)
    async with served(home, ollama) as b:
        await b.opened()
        await b.searched("spectral gap")
        assert waiting(b) == 2
        assert lamp(b) == ("off", "Ollama refused the connection")
        await b.until(lambda: b.app.context.opening.wait().background.problem, "the first attempt")
        assert not b.jobs.busy("vectors"), "no process for a server that does not answer"
        ollama.start()
        await b.until(lambda: waiting(b) == 0, "the vectors")
        await b.until(lambda: lamp(b) == ("on", ""), "the lamp")
        assert b.search.query_line.value == "spectral gap"
        assert not b.app.context.opening.wait().background.problem


async def test_a_server_that_dies_while_it_embeds_is_said_and_the_rest_follows_when_it_is_back(
    home: Path, notes: Path, ollama: OllamaServer
) -> None:
    half_embedded(home, notes, ollama)

    def die(request: Request) -> None:
        if request.path == "/api/embed":
            ollama.before = None
            ollama.hang("/api/embed")

    ollama.before = die
    ollama.start()
    async with served(home, ollama) as b:
        await b.opened()
        await b.until(lambda: ollama.before is None, "the first texts")
        await b.until(lambda: b.jobs.busy("vectors"))
        ollama.stop()
        await b.until(lambda: b.app.context.said or waiting(b) == 0, "what was said")
        assert "Ollama" in b.app.context.said[-1].text
        await b.searched("spectral gap")
        ollama.start()
        await b.until(lambda: waiting(b) == 0, "the rest")


def test_a_job_that_failed_is_told_also_when_it_is_tried_again_at_once(home: Path) -> None:
    heard: list[tuple[str, str]] = []

    class Hears:
        def moved(self) -> None: ...

        def noticed(self, notice: str) -> None: ...

        def ended(self, entry: JobEntry, _: JobResult | None, error: ArkError | None) -> None:
            heard.append((entry.id, error.what if error else ""))

    opening = Opening(settings_of(home))
    opening._listener = Hears()
    failed = Going("1", "embed", "", "", "", "failed", True, True, "", None, None, 0, 0, 0, "Refused.")
    opening._learn(News(jobs=(replace(failed, state="waiting", problem=""),), ended=(failed,)))
    assert heard == [("1", "Refused.")]
