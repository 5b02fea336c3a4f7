"""No link of a vault is unresolved that Obsidian resolves: by the table in docs/files.md (I20)."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load
from ark_tui.store import Store
from tests.files.vault import FOLDERS, WAYS, vault
from tests.support import SteadyClock

ENDS = """SELECT a.path, b.path FROM ark.links l JOIN ark.documents a ON a.number = l.document
          JOIN ark.documents b ON b.number = l.resolved"""


@pytest.mark.parametrize("notes", [160, pytest.param(5_000, marks=pytest.mark.soak)])
def test_every_link_leads_where_obsidian_leads(tmp_path: Path, notes: int) -> None:
    written = vault(tmp_path / "vault", notes)
    settings = load(tmp_path / "home", environ={})
    with Engine(settings) as engine:
        assert engine.index([tmp_path / "vault"]).added == notes + len(FOLDERS) - 1
    ends = defaultdict[str, set[str]](set)
    with Store(settings.home, SteadyClock()).read() as lease:
        for source, target in lease.rows(ENDS):
            ends[source].add(target)
    lost = [
        (path, *link) for path, links in written.items() for link in links if link.target not in ends[path]
    ]
    ways = {text.split("[", 1)[0] + text[-40:] for _, text, _ in lost}
    assert not lost, f"{len(lost)} of {sum(map(len, written.values()))}: {sorted(ways)[:20]}"
    assert len({text for links in written.values() for text, _ in links}) > WAYS
