"""What is no longer in force goes at once where nobody reads, and stays for those who do."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from ark_tui.index.vectors import readers, serving
from tests.corpora import Bench, arrival, filled
from tests.index.test_followers import TEXTS


@pytest.fixture
def home(tmp_path: Path) -> Bench:
    return filled(tmp_path, TEXTS)


def left(home: Bench) -> set[str]:
    """What lies beside the files in force."""
    folder = home.vectors_follower.serving
    current = serving.read_current(folder)
    assert current is not None
    return {path.name for path in folder.iterdir()} - {serving.CURRENT, *current.named}


def edit(home: Bench, count: int = 1) -> None:
    for n in range(count):
        home.put(arrival("more.md", f"A text that came later, number {n} {time.monotonic_ns()}."))
        home.sync()


def test_where_nobody_reads_only_what_is_in_force_is_left(home: Bench) -> None:
    edit(home, 12)  # with segments merged meanwhile
    assert left(home) == set()


def test_a_reader_opens_its_files_after_they_were_superseded_however_old_they_are(home: Bench) -> None:
    view = home.vectors.refresh()
    assert view is not None
    hour = time.time() - 3600
    for path in [*view.folder.rglob("*")]:
        os.utime(path, (hour, hour))
    edit(home, 12)
    assert left(home)
    assert view.by_rarity is not None
    for rows in (view.own, view.by_rarity):
        products = rows.products(np.arange(view.current.rows), np.ones(256, np.float32))
        assert len(products) == view.current.rows
    assert view.own.vectors(np.arange(1)).shape == (1, 256)


def test_what_a_reader_has_let_go_of_is_gone_with_the_next_change(home: Bench) -> None:
    assert home.vectors.refresh() is not None
    edit(home)
    assert left(home)
    assert home.vectors.refresh() is not None
    home.vectors = Bench(home.home.path).vectors
    edit(home)
    assert left(home) == set()


def test_where_the_lock_cannot_be_had_searches_go_on_and_files_stay_a_minute(
    home: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = home.vectors_follower.folder / readers.NAME
    lock.unlink(missing_ok=True)
    lock.mkdir()
    edit(home)
    assert home.vectors.refresh() is not None
    assert left(home)
    monkeypatch.setattr(serving, "KEEP", -1)
    edit(home)
    assert left(home) == set()
