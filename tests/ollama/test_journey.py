"""Choose, build, search meanwhile, be killed, go on, think, drop: as a person does, a process for each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import NOBODY
from tests.ollama import LIVE

pytestmark = pytest.mark.ollama
NOTES = 60
COMMAND = (sys.executable, "-m", "ark_tui")
Ark = Callable[..., Any]


@pytest.fixture
def ark(monkeypatch: pytest.MonkeyPatch) -> Ark:
    """Runs a command to its end, and reads its JSON."""
    monkeypatch.setenv("OLLAMA_HOST", os.environ[LIVE])
    monkeypatch.setenv("ARK_QUERY_BUDGET", "60")

    def run(*words: str) -> Any:
        told = subprocess.run([*COMMAND, *words, "--json"], capture_output=True, text=True, check=False)
        assert told.returncode == 0, told.stderr
        return json.loads(told.stdout)

    return run


def test_a_home_with_a_model_of_this_server(
    ark: Ark, embeds: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, name = tmp_path / "notes", f"ollama:{embeds.removesuffix(':latest')}"
    notes.mkdir()
    for number in range(NOTES):
        text = (
            f"# Chain {number}\n\nThe spectral gap of chain {number} bounds how fast it forgets its start.\n"
        )
        (notes / f"chain{number}.md").write_text(text)

    def states() -> dict[str, str]:
        return {one["name"]: one["state"] for one in ark("models")["models"]}

    def cosine(query: str) -> str:
        found = ark("search", query)
        assert found["hits"]
        return str(next(lamp["state"] for lamp in found["lamps"] if lamp["signal"] == "cosine"))

    monkeypatch.setenv("OLLAMA_HOST", NOBODY)
    ark("index", str(notes))
    monkeypatch.setenv("OLLAMA_HOST", os.environ[LIVE])

    quiet = subprocess.DEVNULL
    with subprocess.Popen([*COMMAND, "models", "--use", name], stdout=quiet, stderr=quiet) as builder:
        assert ark("search", "how fast a chain forgets")["hits"], "searchable meanwhile"
        builder.kill()

    ark("models", "--use", name)
    assert states()[name] == "in use"
    assert cosine("what the gap of a chain bounds") == "on"

    ark("models", "--use", "static")
    ark("models", "--drop", name, "--yes")
    assert states()[name] == "at hand"


def test_thinking_with_a_model_of_this_server(ark: Ark, writes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARK_EMBEDDING", "static")
    monkeypatch.setenv("ARK_CHAT_MODEL", writes)
    ark("ingest", "The spectral gap of a reversible chain bounds its mixing time.", "--title", "Gaps")
    thought = ark("think", "what bounds the mixing time of a chain")
    assert thought["sources"]
    assert thought["answer"] or thought["problem"]
