"""What changes the ranking of one search, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ark_tui.settings.ranking import shipped
from tests.cli.conftest import Ark

MOVABLE = {
    "gap1.md": "The spectral gap of a reversible chain bounds its mixing time.",
    "gap2.md": "The spectral gap of a reversible chain bounds its mixing time from below.",
    "gap3.md": "The spectral gap of the reversible chain bounds the mixing time well.",
    "bread.md": "How long a dough rests decides the spectral colour of its crust, and the mixing.",
}


def signals(ark: Ark, home: Path, *options: str) -> dict[str, dict[str, Any]]:
    """The parts of the best hit by signal."""
    found = ark("search", "spectral gap", "--json", "--profile", "default", *options, "--home", home).json
    return {part["name"]: part for part in found["hits"][0]["signals"]}


def test_set_changes_one_number_for_one_search(ark: Ark, indexed: Path) -> None:
    before = signals(ark, indexed)
    after = signals(ark, indexed, "--set", "weight.bm25=0.5", "--set", "weight.maxsim=0")
    given = {**shipped()["default"].weights, "bm25": 0.5}
    whole = sum(given[name] for name in after)
    assert {name: part["weight"] for name, part in after.items()} == pytest.approx(
        {name: given[name] / whole for name in after}
    ), "each a share of the weights in force"
    assert "maxsim" in before.keys() - after.keys()
    assert signals(ark, indexed) == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("weight.bm24=1", "Did you mean bm25?"),
        ("kk=1", "weight.SIGNAL"),
        ("k", "KEY=VALUE"),
        ("sigma=long", "sigma must be a number"),
    ],
)
def test_what_cannot_be_set_is_an_error_that_names_what_can(
    ark: Ark, indexed: Path, change: str, told: str
) -> None:
    found = ark("search", "spectral", "--set", change, "--home", indexed)
    assert (found.code, found.out) == (2, "")
    assert told in found.err
    as_json = ark("search", "spectral", "--set", change, "--json", "--home", indexed)
    assert as_json.code == 2
    error = json.loads(as_json.err.splitlines()[-1])
    assert told in f"{error['error']} {error['hint']}"


def test_variety_shows_as_a_factor(ark: Ark, indexed: Path) -> None:
    found = ark("search", "spectral", "--mmr", "0.5", "--explain", "--home", indexed)
    assert "× mmr" in found.out
    assert ark("search", "spectral", "--mmr", "1.5", "--home", indexed).code == 2


def test_graph_and_hops_bring_the_lamp(ark: Ark, indexed: Path) -> None:
    for options in (("--graph",), ("--hops", "1")):
        lamps = ark("search", "spectral", "--json", *options, "--home", indexed).json["lamps"]
        assert "graph" in {lamp["signal"] for lamp in lamps}


def test_terms_that_were_asked_for_and_cannot_be_had_are_a_notice(
    ark: Ark, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARK_NO_LLM_EXPAND", "1")
    found = ark("search", "spectral", "--expand", "--profile", "ark", "--home", indexed)
    assert found.out
    assert "expansion off: switched off" in found.err
    assert "expansion" not in ark("search", "spectral", "--no-expand", "--home", indexed).err
