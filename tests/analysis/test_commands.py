"""`analyze`, `traverse`, `paths`, `common` and `subgraph` as commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ark_tui.domain.analysis import WHATS
from tests.cli.conftest import Ark, ark

__all__ = ["ark"]


def test_analyze_has_one_key_per_measure(ark: Ark, corpus: Path) -> None:
    found = ark("analyze", "--json", "--home", corpus)
    assert found.code == 0
    assert {*WHATS} <= {*found.json}
    assert {"change", "model", "graph", "cached", "took_s"} <= {*found.json}
    some = ark("analyze", "--what", "gaps,novelty", "--json", "--home", corpus).json
    assert {*WHATS} & {*some} == {"gaps", "novelty"}
    spectrum = some["novelty"]["spectrum"]
    assert spectrum["eigenvalues"] == sorted(spectrum["eigenvalues"], reverse=True)
    assert spectrum["edge"] < spectrum["threshold"]


def test_an_unknown_measure_is_named_with_those_that_there_are(ark: Ark, corpus: Path) -> None:
    found = ark("analyze", "--what", "novelty,wisdom", "--home", corpus)
    assert found.code == 2
    assert "no measure wisdom" in found.err
    assert "boundary" in found.err
    assert ark("analyze", "--what", ",", "--home", corpus).code == 2


def test_analyzing_an_empty_home_says_what_to_do(ark: Ark, empty: Path, tmp_path: Path) -> None:
    shutil.copytree(empty, tmp_path / "empty")
    found = ark("analyze", "--home", tmp_path / "empty")
    assert found.code == 0
    assert "ark-tui index" in found.out


def test_analyzing_a_home_that_is_not_there_says_so_and_makes_none(ark: Ark, tmp_path: Path) -> None:
    found = ark("analyze", "--home", tmp_path / "nowhere")
    assert (found.code, found.out) == (3, "")
    assert found.err.startswith(f"error: There is no home of ark-tui at {tmp_path / 'nowhere'}.")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (["traverse", "loaf"], "results"),
        (["paths", "bread-practice", "sailing-practice"], "paths"),
        (["common", "bread-practice", "sailing-practice"], "common"),
        (["subgraph", "loaf"], "nodes"),
    ],
)
def test_the_graph_commands_say_the_same_as_text_and_as_json(
    ark: Ark, corpus: Path, arguments: list[str], key: str
) -> None:
    text = ark(*arguments, "--home", corpus)
    assert text.code == 0
    assert text.out
    assert ark(*arguments, "--json", "--home", corpus).json[key]


def test_where_nothing_is_linked_the_graph_commands_say_so(ark: Ark, corpus: Path) -> None:
    assert ark("common", "bread-theory", "sailing-theory", "--home", corpus).code == 0
    missing = ark("traverse", "zebra", "--json", "--home", corpus)
    assert missing.code == 1
    assert "zebra" in json.loads(missing.err.splitlines()[-1])["error"]
