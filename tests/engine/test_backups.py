"""A backup is read through before `backup` and `restore` say yes, and a refused one changes nothing (R8)."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ark_tui.domain.errors import ArkError, StoreError, UsageError
from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine, copies
from ark_tui.settings import load
from ark_tui.store import migrations
from ark_tui.store.database import CONFIG
from tests.support import SteadyClock

HERE = Scope()
LINES = 3_000


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose store has several blocks: to be copied."""
    home = tmp_path_factory.mktemp("filled") / "home"
    it = Engine(load(home, environ={}), SteadyClock())
    it.memory.conversations.create(HERE, "plans")
    said = " ".join(str(number * 7919) for number in range(LINES))
    for number in range(20):
        it.memory.conversations.add(HERE, "user", f"{number} {said}", conversation="plans")
    it.store.checkpoint()
    it.close()
    return home


@pytest.fixture
def engine(filled: Path, home: Path) -> Engine:
    return Engine(load(shutil.copytree(filled, home), environ={}), SteadyClock())


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    """Some bytes in the middle of each block but the first ones, which say what the file is."""
    data = bytearray(path.read_bytes())
    block = int(CONFIG["default_block_size"])
    for place in range(3 * 4096 + block // 2, len(data), block):
        data[place : place + 8] = bytes(255 - byte for byte in data[place : place + 8])
    path.write_bytes(data)


def messages(it: Engine) -> int:
    return it.memory.conversations.messages(HERE, limit=0).total


@pytest.mark.parametrize("damage", [half, flip])
def test_a_damaged_store_is_not_backed_up_and_the_last_good_backup_is_named(
    engine: Engine, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    good = engine.backup()
    damage(engine.settings.home.store)
    with pytest.raises(StoreError) as refused:
        engine.backup(tmp_path / "bad.zip")
    assert str(good) in refused.value.hint
    assert not (tmp_path / "bad.zip").exists()
    engine.restore(good)
    assert messages(engine) == 20
    assert all(check.ok for check in engine.doctor())


def test_a_store_that_does_not_fit_together_is_not_backed_up(engine: Engine, tmp_path: Path) -> None:
    with engine.store.write() as lease:
        lease.run("INSERT INTO ark.tags VALUES (999, 'orphan', 'user')")
    with pytest.raises(StoreError, match="1 tags without a document"):
        engine.backup(tmp_path / "bad.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def repacked(source: Path, to: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """A backup with other members than it had."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return to


def halved(members: dict[str, bytes]) -> None:
    """Half a store with checksums that fit."""
    import hashlib

    members["ark.duckdb"] = members["ark.duckdb"][: len(members["ark.duckdb"]) // 2]
    digest = hashlib.sha256(members["ark.duckdb"]).hexdigest()
    members["manifest.json"] = json.dumps({"schema": migrations.LATEST, "sha256": digest}).encode()


def fewer(members: dict[str, bytes]) -> None:
    manifest = json.loads(members["manifest.json"])
    manifest["rows"]["documents"] += 1
    members["manifest.json"] = json.dumps(manifest).encode()


def led_out(members: dict[str, bytes]) -> None:
    members["../../evil"] = b"x"


def no_store(members: dict[str, bytes]) -> None:
    members["ark.duckdb"] = b"x" * len(members["ark.duckdb"])


def no_manifest(members: dict[str, bytes]) -> None:
    members["manifest.json"] = b"\xff\xff"


def bomb(members: dict[str, bytes]) -> None:
    """1 MB that is 200 MB."""
    members["ark.duckdb"] = bytes(200 << 20)
    members["manifest.json"] = json.dumps({"schema": migrations.LATEST, "sha256": ""}).encode()


def test_a_bomb_is_refused_before_anything_is_written(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = repacked(engine.backup(), tmp_path / "bad.zip", bomb)
    monkeypatch.setattr(copies, "spare_folder", None)  # nobody gets as far as that
    with pytest.raises(StoreError, match="implausible"):
        engine.restore(bad)


@pytest.mark.parametrize("change", [halved, fewer, led_out, no_store, no_manifest])
def test_a_backup_that_is_not_sound_replaces_nothing_and_leaves_nothing(
    engine: Engine, tmp_path: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    bad = repacked(engine.backup(), tmp_path / "bad.zip", change)
    before = sorted(engine.settings.home.path.rglob("*"))
    inode = engine.settings.home.store.stat().st_ino
    with pytest.raises(ArkError) as refused:
        engine.restore(bad)
    assert str(bad) in refused.value.what
    assert engine.settings.home.store.stat().st_ino == inode
    assert sorted(engine.settings.home.path.rglob("*")) == before
    assert messages(engine) == 20


def test_a_store_that_cannot_be_read_is_put_aside_as_it_is(engine: Engine) -> None:
    good = engine.backup()
    store = engine.settings.home.store
    store.write_bytes(b"no store at all")
    kept = engine.restore(good)
    assert kept
    assert kept.read_bytes() == b"no store at all"
    assert messages(engine) == 20


def test_two_restores_at_one_moment_keep_two_stores_aside(engine: Engine) -> None:
    good = engine.backup()
    kept = {engine.restore(good), engine.restore(good)}
    assert len(kept) == 2
    assert set(map(str, kept)) < set(engine.curation.remains())


def test_without_room_in_the_home_the_copy_lies_where_there_is_some(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, free = engine.settings.home.backups, copies._free
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    used: list[Path] = []
    monkeypatch.setattr(copies, "_free", lambda place: 0 if place == full else free(place))
    monkeypatch.setattr(tempfile, "mkdtemp", _noting(used, tempfile.mkdtemp))
    assert engine.backup(elsewhere).parent == elsewhere
    assert set(used) == {elsewhere}
    assert len(list(elsewhere.iterdir())) == 1
    monkeypatch.setattr(copies, "_free", lambda _: 0)
    with pytest.raises(StoreError, match="no room"):
        engine.backup(tmp_path / "other.zip")


def _noting(used: list[Path], make: Callable[..., str]) -> Callable[..., str]:
    def noted(*, prefix: str, dir: Path) -> str:  # noqa: A002
        used.append(dir)
        return make(prefix=prefix, dir=dir)

    return noted


def test_a_folder_that_is_not_there_is_no_place_for_a_backup(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        engine.backup(tmp_path / "nowhere" / "a.zip")
