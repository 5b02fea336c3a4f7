"""A statement reaches the files of the home and nothing else, and nothing can be loaded into the database."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ark_tui.domain.errors import StoreError
from ark_tui.settings import Home
from ark_tui.store.store import Store
from tests.support import SteadyClock


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(Home(tmp_path / "home"), SteadyClock())
    with made.write() as lease:
        lease.run("UPDATE ark.counters SET value = value")
    return made


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('{there}/secret.csv')",
        "SELECT * FROM '{there}/secret.csv'",
        "SELECT content FROM read_text('{there}/secret.csv')",
        "SELECT * FROM read_csv('{there}/home/../secret.csv')",
        "SELECT * FROM glob('{there}/*')",
        "COPY (SELECT 1) TO '{there}/new.csv'",
        "EXPORT DATABASE ark TO '{there}/new'",
        "ATTACH '{there}/other.duckdb' AS other",
        "ATTACH '{there}/home/link.duckdb' AS other",
        "ATTACH ':memory:' AS m; COPY (SELECT 1) TO '{there}/new.csv'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '{there}/new.duckdb_extension'",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET lock_configuration = false",
    ],
)
def test_a_statement_that_reaches_beyond_the_home_is_refused(
    store: Store, tmp_path: Path, statement: str
) -> None:
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    (tmp_path / "home" / "link.duckdb").symlink_to(tmp_path / "other.duckdb")
    there = sorted(tmp_path.iterdir())
    with pytest.raises(StoreError, match=r"disabled|locked|not exist|Binder|Parser"), store.write() as lease:
        lease.script(statement.format(there=tmp_path))
    assert sorted(tmp_path.iterdir()) == there


def test_a_variable_of_ours_is_no_table(store: Store) -> None:
    counters = [{"name": "change"}]
    with pytest.raises(StoreError, match="counters"), store.read() as lease:
        lease.rows("SELECT * FROM counters")
    assert counters


@pytest.mark.parametrize("linked", ["home", "file"])
def test_a_home_or_store_that_lies_elsewhere_by_a_link_still_works(tmp_path: Path, linked: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    first = Store(Home(tmp_path / "home"), SteadyClock())
    with first.write() as lease:
        lease.run("UPDATE ark.counters SET value = value")
    first.close()
    moved = tmp_path / "home" if linked == "home" else first.path
    moved.rename(elsewhere / moved.name)
    moved.symlink_to(elsewhere / moved.name)
    again = Store(Home(tmp_path / "home"), SteadyClock())
    with again.write() as lease:
        lease.run("UPDATE ark.counters SET value = value")
        assert lease.value("SELECT count(*) FROM ark.counters")
    if linked == "home":
        again.database.rewrite()
