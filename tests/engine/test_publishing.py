"""One home publishes its corpus as a LanceDB table; machines without it search that (R6)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.errors import ArkError, StoreError, UsageError
from ark_tui.domain.query import Mode, Request
from ark_tui.engine import Engine, publishing
from ark_tui.index.published import REMOTE, PublishedTable
from ark_tui.settings import load
from tests.support import SteadyClock
from tests.table_server import TableServer

NOTES = {
    "gap.md": "---\ntags: [theory/spectral]\ndate: 2025-03-01\n---\n# Spectral gap\n\n"
    "The gap of a chain bounds its mixing time.",
    "tea.md": "---\ntags: [kitchen]\ndate: 2024-01-01\n---\n# Tea\n\n"
    "Green tea is steeped for two minutes in hot water.",
    "bread.md": "# Bread\n\nSourdough rises overnight; the gap between two loaves is a hand wide.",
}


def opened(home: Path) -> Engine:
    return Engine(load(home, environ={}), SteadyClock())


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def home(tmp_path: Path, notes: Path) -> Iterator[Engine]:
    with opened(tmp_path / "home") as engine:
        engine.index([notes])
        yield engine


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.soak)])
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "folder":
        yield str(tmp_path / "share")
        return
    with TableServer.reached() as server:
        yield f"{server.bucket('corpus')}/prefix"


def paths(engine: Engine, uri: str, query: str, mode: Mode = "hybrid") -> list[str]:
    return [hit.document.path for hit in publishing.search(engine, uri, Request(query, mode=mode)).hits]


def test_another_machine_searches_what_was_published_by_words_meaning_or_both(
    home: Engine, uri: str, tmp_path: Path
) -> None:
    assert publishing.publish(home, uri).chunks == 3
    with opened(tmp_path / "other") as reader:
        for mode in ("hybrid", "keyword", "semantic"):
            assert paths(reader, uri, "spectral gap of a chain", mode)[0] == "gap.md"
        result = publishing.search(reader, uri, Request("steeping tea"))
        (first, *_) = result.hits
        assert first.document.title == "Tea"
        assert "Green tea" in first.snippet.text
        assert first.score == first.parts[0].contribution
        assert f"those of the table at {uri}" in result.lamps[0].reason


FILTERED = {
    "gap tag:theory": {"gap.md"},
    "gap path:bread.md": {"bread.md"},
    "gap after:2025-01 before:2025-12": {"gap.md"},
    "gap -sourdough": {"gap.md"},
    '"two loaves"': {"bread.md"},
    "gap in:elsewhere": set[str](),
}


def test_filters_hold_before_lancedb_looks(home: Engine, tmp_path: Path) -> None:
    uri = str(tmp_path / "share")
    publishing.publish(home, uri)
    assert {query: set(paths(home, uri, query, "keyword")) for query in FILTERED} == FILTERED


def test_a_later_run_writes_what_has_changed(home: Engine, notes: Path, tmp_path: Path) -> None:
    uri = str(tmp_path / "share")
    publishing.publish(home, uri)
    (notes / "tea.md").unlink()
    (notes / "coffee.md").write_text("# Coffee\n\nGround beans, hot water and four minutes.", "utf-8")
    home.index([notes])
    again = publishing.publish(home, uri)
    assert (again.written, again.chunks) == (2, 3)
    assert paths(home, uri, "hot water minutes")[0] == "coffee.md"
    assert "tea.md" not in paths(home, uri, "green tea", "keyword")
    assert publishing.publish(home, uri).written == 0


def test_a_publication_that_was_broken_off_is_not_seen_and_is_repeated(
    home: Engine, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = str(tmp_path / "share")
    publishing.publish(home, uri)
    (notes / "coffee.md").write_text("# Coffee\n\nGround beans, hot water and four minutes.", "utf-8")
    home.index([notes])

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(PublishedTable, "finish", killed)
        publishing.publish(home, uri)
    assert paths(home, uri, "ground beans coffee", "keyword") == []
    assert publishing.publish(home, uri).chunks == 4
    assert paths(home, uri, "ground beans coffee", "keyword") == ["coffee.md"]


def test_another_home_is_refused_and_a_place_without_a_table_is_said(
    home: Engine, notes: Path, tmp_path: Path
) -> None:
    uri = str(tmp_path / "share")
    with pytest.raises(UsageError, match="Nothing was published"):
        publishing.search(home, uri, Request("gap"))
    publishing.publish(home, uri)
    with opened(tmp_path / "another") as other:
        other.index([notes])
        with pytest.raises(StoreError, match="another home"):
            publishing.publish(other, uri)


def test_what_is_purged_leaves_no_byte_at_the_place_of_the_settings(notes: Path, tmp_path: Path) -> None:
    share = tmp_path / "share"
    (notes / "secret.md").write_text("The quince walnut ledger is buried.", "utf-8")
    with Engine(load(tmp_path / "home", {"index": str(share)}, environ={}), SteadyClock()) as engine:
        engine.index([notes])
        publishing.publish(engine)
        assert holding(share)
        (notes / "secret.md").unlink()
        engine.index([notes])
        engine.curation.purge()
    assert not holding(share)


def holding(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and b"walnut" in path.read_bytes()]


def test_a_place_that_cannot_be_reached_is_said_without_secrets(
    home: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"AWS_ACCESS_KEY_ID": "hidden", "AWS_SECRET_ACCESS_KEY": "hidden",
                        "AWS_ENDPOINT": "http://127.0.0.1:9", "AWS_ALLOW_HTTP": "true"}.items():  # fmt: skip
        monkeypatch.setitem(os.environ, name, value)
    monkeypatch.setitem(REMOTE, "client_max_retries", "0")  # nobody comes to listen there
    with pytest.raises(ArkError, match="cannot be reached") as failure:
        publishing.publish(home, "s3://nowhere/notes")
    assert "hidden" not in failure.value.told
