"""What a query line names and nobody has is said, with the nearest that there is."""

from __future__ import annotations

import pytest

from ark_tui.domain.query import MODES, Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.mcp.conftest import indexed

NOTES = {
    "gap.md": "---\ntags: [spectral, theory]\ntype: plan\n---\n\nThe spectral gap at 12:30.\n",
    "b.md": "Bread.\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine(load(indexed(tmp_path_factory.mktemp("unmet"), NOTES), environ={}))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("tag:spectrl gap", {"tag:spectrl": ("tag:spectral",)}),
        ("-tag:spectrl gap", {}),
        ("tag:cookery gap", {"tag:cookery": ()}),
        ("type:plam gap", {"type:plam": ("type:plan",)}),
        ("tga:spectral gap", {"tga:spectral": ("tag:spectral",)}),
        ("foo:bar gap", {"foo:bar": ()}),
        ("tag:spectral tier:wiki gap", {}),
        ("gap 12:30 std::vector https://example.org", {}),
    ],
)
def test_what_nobody_has_is_said_with_the_nearest_in_every_mode(
    engine: Engine, query: str, said: dict[str, tuple[str, ...]]
) -> None:
    for mode in MODES:
        result = engine.search(Request(query, mode=mode))
        assert {one.word: one.instead for one in result.suggestions if ":" in one.word} == said, mode
