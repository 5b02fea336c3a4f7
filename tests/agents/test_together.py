"""Two assistants, a server and a cron job on one home: each sees at its next call what the others did."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.http.conftest import served
from tests.mcp.conftest import by_stdio, told


def ark(home: Path, *arguments: str) -> str:
    """What a command prints in a process of its own."""
    command = [sys.executable, "-m", "ark_tui", "--home", str(home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with a home process, which everybody here asks."""
    monkeypatch.delenv("ARK_DIRECT")
    yield tmp_path / "home"
    ark(tmp_path / "home", "stop")


async def test_all_ways_in_see_each_others_changes(home: Path) -> None:
    with served(home, direct=False) as (url, _):
        async with (
            httpx.AsyncClient(base_url=url, timeout=60) as server,
            by_stdio(home) as one,
            by_stdio(home, "--tools", "ark,kadi") as two,
        ):
            text = {"content": "Otters hold hands while they sleep.", "title": "Otters"}
            assert (await server.post("/ingest", json=text)).status_code == 200
            for assistant in (one, two):
                found = told(await assistant.call_tool("search", {"query": "otters"}))
                assert found["hits"][0]["title"] == "Otters"

            await one.call_tool("scratch", {"action": "set", "key": "found", "value": "by the river"})
            assert (await server.get("/scratch/found")).json()["value"] == "by the river"

            birds = [{"source": "heron", "content": "Herons wait.", "title": "Herons"}]
            await two.call_tool("search-index", {"collection": "birds", "documents": birds})
            found = (await server.post("/search", json={"query": "herons"})).json()
            assert found["hits"][0]["document"]["title"] == "Herons"
            searched = await asyncio.to_thread(ark, home, "search", "herons", "--json")
            assert json.loads(searched)["hits"][0]["document"]["title"] == "Herons"
            assert "birds" in await asyncio.to_thread(ark, home, "--export", "-", "--report", "overview")
