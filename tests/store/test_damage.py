"""A store that is not as its last writer left it is read before it is written, and what is lost is said."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ark_tui.domain.errors import StoreError
from ark_tui.settings import Home
from ark_tui.store import Store
from ark_tui.store.blocks import HEADERS
from ark_tui.store.database import CONFIG
from tests.support import SteadyClock

BLOCK = int(CONFIG["default_block_size"])


def opened(home: Path) -> Store:
    """As another process opens it."""
    return Store(Home(home), SteadyClock())


def written(home: Path) -> Store:
    """A store with enough in it that a half of the file holds none of the table's end."""
    store = opened(home)
    with store.write() as lease:
        lease.run(
            "INSERT INTO ark.meta SELECT 'filler ' || i, repeat(md5(i::VARCHAR), 50) FROM range(4000) t(i)"
        )
    store.close()
    return opened(home)


def write(store: Store) -> None:
    with store.write() as lease:
        lease.run("INSERT INTO ark.meta VALUES ('another', 'row')")


def kill_after_a_write(home: Path) -> None:
    """Another process writes a row and is killed: the row is in the log."""
    code = """
import os, sys
from pathlib import Path
from tests.store.test_damage import opened, write
write(opened(Path(sys.argv[1])))
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", code, home], cwd=Path(__file__).parents[2], check=False)


def read_through(store: Store) -> None:
    with store.read() as lease:
        lease.read_through()


def test_a_store_that_lost_its_end_takes_nothing_more_and_names_the_latest_good_backup(
    tmp_path: Path,
) -> None:
    store = written(tmp_path)
    (tmp_path / "backups").mkdir()
    with zipfile.ZipFile(tmp_path / "backups" / "good.zip", "w") as archive:
        archive.writestr("a", "b")
    (tmp_path / "backups" / "newer.zip").write_bytes(b"damaged")
    os.truncate(store.path, store.path.stat().st_size // 2)
    before = store.path.read_bytes()
    with pytest.raises(StoreError, match="is damaged") as caught:
        write(store)
    assert str(tmp_path / "backups" / "good.zip") in caught.value.hint
    assert store.path.read_bytes() == before
    with pytest.raises(StoreError, match="is damaged"):
        read_through(store)


def test_a_flipped_byte_in_any_used_block_stops_the_next_writer(tmp_path: Path) -> None:
    store = written(tmp_path)
    with store.path.open("r+b") as file:
        for start in range(3 * 4096, store.path.stat().st_size, BLOCK):
            file.seek(start + BLOCK // 2)
            byte = file.read(1)
            file.seek(start + BLOCK // 2)
            file.write(bytes([byte[0] ^ 1]))
    with pytest.raises(StoreError, match="is damaged"):
        write(store)


def test_a_copied_store_is_read_once_and_then_written(tmp_path: Path) -> None:
    written(tmp_path / "home").close()
    shutil.copytree(tmp_path / "home", tmp_path / "copy", copy_function=shutil.copyfile)
    store = opened(tmp_path / "copy")
    write(store)
    read_through(store)


@pytest.mark.parametrize("damage", ["emptied", "deleted"])
def test_a_store_that_is_gone_does_not_become_a_new_one(tmp_path: Path, damage: str) -> None:
    store = written(tmp_path)
    store.path.write_bytes(b"") if damage == "emptied" else store.path.unlink()
    for act in (write, read_through):
        with pytest.raises(StoreError, match="is gone, or empty"):
            act(store)


@pytest.mark.parametrize("size", [0, 2048, HEADERS])
def test_a_store_whose_maker_was_killed_before_anything_was_in_it_is_begun_anew(
    tmp_path: Path, size: int
) -> None:
    (tmp_path / "ark.duckdb").write_bytes(bytes(size))
    store = opened(tmp_path)
    write(store)
    read_through(store)


def test_a_log_that_lost_its_end_is_said_until_somebody_goes_on_without_it(tmp_path: Path) -> None:
    store = written(tmp_path)
    kill_after_a_write(tmp_path)
    log = tmp_path / "ark.duckdb.wal"
    os.truncate(log, log.stat().st_size - 20)
    store = opened(tmp_path)
    for act in (write, read_through):
        with pytest.raises(StoreError, match="has lost what was written last"):
            act(store)
    assert store.database.lost(accept=True)
    assert not store.database.lost()
    read_through(store)
