"""No test reaches the developer's own Ollama: neither itself nor through a process that it starts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import create_server, socket

import pytest

from ark_tui.embedding import ollama
from ark_tui.embedding.choice import at_hand
from ark_tui.embedding.retry import Down
from ark_tui.engine import Engine
from ark_tui.settings import load


@pytest.fixture
def usual() -> Iterator[socket]:
    """A listener where Ollama usually is."""
    try:
        listener = create_server(("127.0.0.1", ollama.PORT))
    except OSError:
        pytest.skip(f"Somebody listens on port {ollama.PORT} of this machine already.")
    with listener:
        listener.setblocking(False)
        yield listener


def untouched(listener: socket, work: Callable[[], None]) -> bool:
    """Whether nobody comes while this is done. What comes once, and not again, is of somebody else."""
    return any(not _visited(listener, work) for _ in range(3))


def _visited(listener: socket, work: Callable[[], None]) -> bool:
    while _came(listener):
        pass
    work()
    return _came(listener)


def _came(listener: socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@pytest.mark.parametrize("environ", [None, {}], ids=["environment", "none"])
def test_the_tests_themselves_ask_nobody_there(
    home: Path, usual: socket, environ: dict[str, str] | None
) -> None:
    settings = load(home) if environ is None else load(home, environ=environ)

    def asked() -> None:
        assert not at_hand(settings)
        with pytest.raises(Down, match="refused the connection"):
            ollama.Ollama(settings.ollama_host).installed()
        with Engine(settings) as engine:
            assert "refused" in engine.models.listed().ollama.problem

    assert untouched(usual, asked)


def test_nor_do_the_processes_that_they_start(usual: socket) -> None:
    def asked() -> None:
        begun = [sys.executable, "-m", "ark_tui", "models"]
        told = subprocess.run(begun, capture_output=True, text=True, check=True)
        assert "Ollama refused the connection" in told.stdout
        assert "http://127.0.0.1:9" in told.stdout

    assert untouched(usual, asked)


def test_a_listener_there_would_notice(usual: socket) -> None:
    def asked() -> None:
        assert ollama.Ollama(f"http://127.0.0.1:{ollama.PORT}").listens()

    assert not untouched(usual, asked)
