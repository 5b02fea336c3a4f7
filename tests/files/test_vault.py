"""No link of a vault is unresolved that docs/files.md says is resolved (I20)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.files.vault import WAYS, vault


@pytest.mark.parametrize("notes", [160, pytest.param(5_000, marks=pytest.mark.soak)])
def test_every_link_leads_where_obsidian_leads(tmp_path: Path, notes: int) -> None:
    written = vault(tmp_path / "vault", notes)
    with Engine(load(tmp_path / "home", environ={})) as engine:
        assert engine.index([tmp_path / "vault"]).added == notes
        lost = []
        for path, links in written.items():
            ends = engine.reading.links(path)
            found = {one.document.path for one in ends if one.direction == "out" and one.document}
            lost += [(path, *link) for link in links if link.target not in found]
    ways = {text.split("[", 1)[0] + text[-40:] for _, text, _ in lost}
    assert not lost, f"{len(lost)} of {sum(map(len, written.values()))}: {sorted(ways)[:20]}"
    assert len({text for links in written.values() for text, _ in links}) > WAYS
