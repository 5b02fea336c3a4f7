"""The server that `make ollama` names, and the smallest of its models for each purpose."""

from __future__ import annotations

import os

import pytest

from ark_tui.embedding.ollama import Installed, Ollama
from tests.ollama import LIVE


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "ollama: asks a real Ollama; `make ollama` runs them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "ollama" in str(config.getoption("markexpr")):
        return
    live = [item for item in items if item.get_closest_marker("ollama")]
    items[:] = [item for item in items if item not in live]
    config.hook.pytest_deselected(items=live)


@pytest.fixture(scope="session")
def server() -> Ollama:
    return Ollama(os.environ[LIVE])


@pytest.fixture(scope="session")
def embeds(server: Ollama) -> str:
    """The smallest model of the server that embeds."""
    return _smallest("embeds", [one for one in server.installed() if one.kind.embeds])


@pytest.fixture(scope="session")
def writes(server: Ollama) -> str:
    """The smallest one that writes."""
    return _smallest("writes", [one for one in server.installed() if one.kind.completes])


def _smallest(does: str, found: list[Installed]) -> str:
    here = [one for one in found if not one.remote]
    if not here:
        pytest.skip(f"No model of this server {does} on its machine.")
    return min(here, key=lambda one: one.size).name
