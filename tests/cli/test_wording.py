"""Columns that hold, one and many, and what `status` calls indexed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ark_tui.domain.work import EmbeddingInfo, FollowerState, Status
from ark_tui.engine import Engine
from ark_tui.interfaces.cli.diagnostics import Diagnostics
from ark_tui.interfaces.cli.rendering import View, corpus
from ark_tui.operations.call import Call
from ark_tui.settings import load
from tests.cli.conftest import Ark

ROW = re.compile(r"\S+( \S+)*  +\S")


def test_names_of_models_do_not_run_into_what_is_said_of_them(
    home: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    names = ("words", "ollama all-minilm", "openrouter some/very-long-name")
    followers = tuple(FollowerState(name, behind) for behind, name in enumerate(names))
    coverage = dict.fromkeys(("indexed", "waiting", "skipped", "failed"), 1)
    state = Status(
        1, 1, (), coverage, followers, EmbeddingInfo("static", "m", 256, "f"), "/s", 1, 1, 1  # type: ignore[arg-type]
    )  # fmt: skip
    with Engine(load(home, environ={})) as engine:
        corpus.status(View(Diagnostics(), Call(engine), {"files": False, "plain": True}), [state])
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert all(ROW.match(line) for line in lines)
    said = ("up to date", "1 change behind", "2 changes behind")
    assert len({line.index(words) for line, words in zip(lines[2:5], said, strict=True)}) == 1


def test_every_setting_is_told_from_its_value(ark: Ark) -> None:
    lines = ark("config").out.splitlines()
    assert all(ROW.match(line) for line in lines)
    starts = {len(line) - len(line.split("  ", 1)[1].lstrip()) for line in lines}
    assert len(starts) == 1


def test_a_setting_is_set_and_unset_and_what_goes_before_it_is_said(
    ark: Ark, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ark("config", "set", "query_budget", "3")
    assert (told.code, told.out) == (0, f"query_budget  3.0{' ' * 34}config\n")
    assert "query_budget = 3.0" in (home / "config.toml").read_text()
    assert "has this value already" in ark("config", "set", "query_budget", "3").err
    monkeypatch.setenv("ARK_QUERY_BUDGET", "7")
    told = ark("config", "unset", "query_budget", "--json")
    assert told.json == {
        "name": "query_budget", "value": 7.0, "origin": "ARK_QUERY_BUDGET", "changed": True,
        "config": str(home / "config.toml"),
    }  # fmt: skip
    assert "ARK_QUERY_BUDGET sets query_budget and overrides the file" in told.err
    refused = ark("config", "set", "query_budget", "soon")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("error: query_budget must be a number from 0.01 to 600, not 'soon'.")
