"""What the bytes of a home are for."""

from __future__ import annotations

from pathlib import Path

from ark_tui.settings import home
from ark_tui.settings.home import size


def test_each_file_counts_once_for_what_it_is_for(tmp_path: Path) -> None:
    files = {
        "ark.duckdb": 5, "ark.duckdb.wal": 2, "words/index/a.idx": 3, "vectors/m/mark.json": 1,
        "vectors/m.lance/data/a.lance": 17, "cache/kinds/y": 23,
        "logs/faults.log": 29, "backups/b.zip": 31, "config.toml": 37, "messages/index/a": 41,
        "models/m/model.json": 43, "cache/expansions/z": 59,
    }  # fmt: skip
    for name, count in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * count)
    found = {one.purpose: one.bytes for one in home.by_purpose(tmp_path)}
    assert found == {
        "text and records": 7, "words": 3, "message words": 41, "vectors": 18, "models": 43, "backups": 31,
        "query expansions": 59, "other caches": 23, "logs": 29, "other": 37,
    }  # fmt: skip
    assert sum(found.values()) == size(tmp_path)


def test_all_that_is_kept_to_be_quick_has_a_bound() -> None:
    bounds = {one.name: one.bound for one in home.PURPOSES}
    assert all(bound for name, bound in bounds.items() if "cache" in name)
    assert all(bounds[name] for name in ("query expansions", "logs"))
