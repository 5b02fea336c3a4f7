"""`analyze`, `traverse`, `paths`, `common` and `subgraph` as commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.analysis import WHATS
from tests.cli.conftest import Ark, ark

__all__ = ["ark"]


def test_analyze_has_one_key_per_measure(ark: Ark, corpus: Path) -> None:
    found = ark("analyze", "--json", "--home", corpus)
    assert found.code == 0
    assert {*WHATS} <= {*found.json}
    assert {"change", "model", "graph", "took_s"} <= {*found.json}
    some = ark("analyze", "--what", "gaps,novelty", "--json", "--home", corpus).json
    assert {*WHATS} & {*some} == {"gaps", "novelty"}
    spectrum = some["novelty"]["spectrum"]
    assert spectrum["eigenvalues"] == sorted(spectrum["eigenvalues"], reverse=True)
    assert spectrum["edge"] < spectrum["threshold"]


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
