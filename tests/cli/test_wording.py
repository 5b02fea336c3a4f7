"""Columns that hold, one and many, and what `status` calls indexed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Ark


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
