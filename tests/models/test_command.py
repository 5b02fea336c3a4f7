"""`ark-tui models`: what there is, switching, fetching."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from ark_tui.engine import background
from ark_tui.engine.background import waits
from ark_tui.interfaces.cli.app import run
from tests.models.conftest import MINILM, NOMIC, Place


@dataclass(frozen=True)
class Told:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Ark = Callable[..., Told]


@pytest.fixture
def ark(place: Place, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Ark:
    monkeypatch.setenv("OLLAMA_HOST", place.server.host)

    def invoke(*arguments: str | Path) -> Told:
        code = run([*map(str, arguments), "--home", str(place.home)])
        out, err = capfdbinary.readouterr()
        return Told(int(code), out.decode(), err.decode())

    return invoke


def states(told: Told) -> dict[str, str]:
    return {model["name"]: model["state"] for model in told.json["models"]}


def test_it_lists_what_is_used_kept_and_at_hand(place: Place, ark: Ark) -> None:
    assert ark("index", place.notes).code == 0
    told = ark("models")
    assert all(name in told.out for name in (NOMIC, "static", MINILM, place.server.host))
    as_json = ark("models", "--json").json
    assert states(ark("models", "--json")) == {NOMIC: "in use", "static": "kept", MINILM: "at hand"}
    assert as_json["ollama"] == {"address": place.server.host, "problem": ""}
    assert as_json["models"][0].keys() == {
        "name", "state", "dims", "fingerprint", "waiting", "bytes", "problem",
        "purpose", "size", "context", "runs", "host", "taken", "pace",
    }  # fmt: skip
    status = ark("status", "--json").json
    assert status["embedding"]["provider"] == "ollama"
    assert status["embedding"]["fingerprint"] == as_json["models"][0]["fingerprint"]


def test_pull_fetches_and_use_may_follow(place: Place, ark: Ark) -> None:
    del place.server.models["nomic-embed-text"]
    del place.server.models["all-minilm"]
    assert ark("index", place.notes).code == 0
    told = ark("models", "--use", "nomic-embed-text")
    assert told.code == 1
    assert "ark-tui models --pull nomic-embed-text" in told.err
    assert states(ark("models", "--pull", "nomic-embed-text", "--use", "nomic-embed-text", "--json")) == {
        NOMIC: "in use", "static": "kept",
    }  # fmt: skip
    refused = ark("models", "--pull", "nonsense").err
    assert refused.startswith("error: Ollama's registry has no model nonsense.")
    assert ark("models", "--pull", "openai:x").code == 2


def test_a_server_that_is_down_is_said_and_nothing_is_switched(place: Place, ark: Ark) -> None:
    ark("index", place.notes)
    place.server.stop()
    told = ark("models", "--use", "all-minilm")
    assert (told.code, told.err.splitlines()[0]) == (1, "error: Ollama refused the connection.")
    told = ark("models")
    assert told.code == 0
    assert "Ollama refused the connection" in told.out
    assert states(ark("models", "--json"))[NOMIC] == "in use"


def test_an_address_that_is_none_is_said_everywhere_and_the_search_goes_on(
    place: Place, ark: Ark, monkeypatch: pytest.MonkeyPatch
) -> None:
    ark("index", place.notes)
    place.write(owl="# Owls\n\nOwls fly without a sound.\n")
    monkeypatch.setenv("OLLAMA_HOST", bad := "127.0.0.1:99999")
    said = f"OLLAMA_HOST is not a valid address: {bad}"
    warned = (
        f"OLLAMA_HOST must be an address such as http://127.0.0.1:11434, not '{bad}'. Ollama is not asked."
    )
    listed, doctor, index = ark("models"), ark("doctor"), ark("index", place.notes)
    found = ark("search", "owls", "--json")
    assert all(f"warning: {warned}" in told.err for told in (listed, doctor, index))
    assert (listed.code, doctor.code, index.code, found.code) == (0, 1, 0, 0)
    assert said in listed.out
    assert said in doctor.out
    assert said in index.out + index.err
    assert {"signal": "cosine", "state": "off", "reason": said} in found.json["lamps"]
    assert found.json["hits"]


def test_a_better_model_is_named(place: Place, ark: Ark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARK_EMBEDDING", "static")
    ark("index", place.notes)
    assert "is static: no model server is used" in ark("models").err
    monkeypatch.delenv("ARK_EMBEDDING")
    assert f"ark-tui models --use {NOMIC}" in ark("models").err


def test_a_home_that_is_looked_after_embeds_what_waits_once_its_server_answers(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "PAUSES", (0.1,))
    place.index()
    place.server.stop()
    place.write(owl="# Owls\n\nOwls fly without a sound.\n")
    place.index()
    engine = place.engine()
    assert waits(engine.status())
    looking = engine.background
    looking.start(watch=False)
    try:
        until(lambda: any(job.progress and job.progress.stage == "wait" for job in engine.jobs.all()))
        place.server.start()
        until(lambda: not waits(engine.status()))
    finally:
        looking.close()
        engine.close()


def until(found: Callable[[], bool]) -> None:
    end = monotonic() + 60
    while not found():
        assert monotonic() < end
        sleep(0.05)
