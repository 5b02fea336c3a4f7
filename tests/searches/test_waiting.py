"""A search by words of a process that ends with it waits in a file for whoever opens the store next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from ark_tui.domain.errors import StoreLocked
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from ark_tui.settings.home import checked, read_checked
from ark_tui.store import Lease, Store, waiting
from tests.support import SteadyClock

WORDS = Request("spectral gap", mode="keyword")


@pytest.fixture
def home(engine: Engine, tmp_path: Path) -> Path:
    """One whose index is as new as its store."""
    engine.search(Request("gap", unlogged=True))
    engine.close()
    return tmp_path / "home"


@contextmanager
def brief(home: Path) -> Iterator[Engine]:
    """What a command opens."""
    with Engine(load(home, environ={}), SteadyClock(), brief=True) as engine:
        yield engine


def searched(home: Path, request: Request = WORDS) -> str:
    """The id of a search that a command makes."""
    with brief(home) as engine:
        return engine.search(request).retrieval_id


def logged(home: Path) -> list[str]:
    with brief(home) as engine:
        return [kept.id for kept in engine.search_log()]


def test_it_waits_and_is_in_the_log_of_the_next_who_looks(home: Path, engine: Engine) -> None:
    with brief(home) as one:
        result = one.search(WORDS)
        assert result.hits
        assert not one._parts.store.opened
    (path,) = waiting.found(home / "locks")
    assert path.stat().st_mode & 0o077 == 0
    with brief(home) as one:
        (kept,) = one.search_log()
        ordinary = engine.search(WORDS)
        engine.unkept()
        usual = one.search_log()[0]
    assert (kept.id, kept.model, kept.profile) == (result.retrieval_id, usual.model, usual.profile)
    assert (kept.request, kept.change, kept.terms) == (usual.request, usual.change, usual.terms)
    assert usual.id == ordinary.retrieval_id
    assert kept.answers == usual.answers
    assert not waiting.found(home / "locks")


def test_taken_up_twice_it_is_kept_once(home: Path) -> None:
    """As by a process that was killed after it had committed."""
    id_ = searched(home)
    (path,) = waiting.found(home / "locks")
    data = path.read_bytes()
    assert logged(home) == [id_]
    path.write_bytes(data)
    assert logged(home) == [id_]


def test_one_that_another_process_has_taken_up_meanwhile_is_not_damaged(home: Path) -> None:
    searched(home)
    paths = waiting.found(home / "locks")
    assert len(logged(home)) == 1
    with brief(home) as engine, engine._parts.store.write() as lease:
        assert waiting.take_up(lease, paths) == 0


def test_what_is_not_to_be_logged_waits_nowhere(home: Path) -> None:
    searched(home, Request("spectral gap", mode="keyword", unlogged=True))
    searched(home, Request("spectr", mode="keyword", typing=True))
    assert not waiting.found(home / "locks")


def test_so_many_may_wait(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "MOST", 1)
    first, second = searched(home), searched(home)
    assert not waiting.found(home / "locks"), "the second has opened the store"
    assert sorted(logged(home)) == sorted([first, second])


def test_a_copy_of_the_home_has_them(home: Path, tmp_path: Path) -> None:
    id_ = searched(home)
    with brief(home) as engine:
        copy = engine.backup(tmp_path / "copy.zip")
    with Engine(load(tmp_path / "other", environ={}), SteadyClock()) as other:
        other.restore(copy)
        assert [kept.id for kept in other.search_log()] == [id_]


def test_purging_takes_their_answers_along(home: Path) -> None:
    searched(home)
    with brief(home) as engine:
        document = engine.document("gap.md")
        engine.curation.trash([document.id])
        engine.curation.purge()
        (kept,) = engine.search_log()
    assert kept.answers
    assert document.id not in [answer.document for answer in kept.answers]
    assert not waiting.found(home / "locks")


def test_a_damaged_one_is_told_and_stops_nobody(home: Path) -> None:
    searched(home)
    (path,) = waiting.found(home / "locks")
    path.write_bytes(path.read_bytes()[:-9])
    with brief(home) as engine:
        assert engine.search_log() == ()
        assert any("waited to be kept" in notice for notice in engine.notices())
    assert not waiting.found(home / "locks")


def test_where_another_model_has_vectors_the_store_is_asked_which_is_in_force(home: Path) -> None:
    (home / "vectors" / "another").mkdir()
    id_ = searched(home)
    assert not waiting.found(home / "locks")
    assert logged(home) == [id_]


def test_one_that_cannot_be_taken_up_yet_goes_on_waiting(home: Path) -> None:
    id_ = searched(home)
    config = load(home, {"lease_timeout": 0.05}, environ={})
    with Engine(config, SteadyClock()) as engine, Engine(config, SteadyClock()) as other:
        with other._parts.store.turn.hold(shared=False), pytest.raises(StoreLocked):
            engine.search_log()
        assert len(waiting.found(home / "locks")) == 1
        assert [kept.id for kept in engine.search_log()] == [id_]


def test_whoever_writes_keeps_them_in_the_same_transaction(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = searched(home)
    begun, attached = [], Store._attached

    def counted(self: Store, **how: bool) -> AbstractContextManager[Lease]:
        begun.append(how)
        return attached(self, **how)

    with brief(home) as engine:
        store = engine._parts.store
        store.verify()  # what is looked at once per process
        again = searched(home)
        monkeypatch.setattr(Store, "_attached", counted)
        with store.write() as lease:
            assert lease.count("SELECT count(*) FROM ark.searches") == 2
        assert begun == [{"read_only": False}]
    assert sorted(logged(home)) == sorted([id_, again])


def test_they_go_on_waiting_where_what_is_written_is_refused(home: Path) -> None:
    id_ = searched(home)
    with brief(home) as engine:
        with pytest.raises(ZeroDivisionError), engine._parts.store.write():
            raise ZeroDivisionError
        assert len(waiting.found(home / "locks")) == 1
    assert logged(home) == [id_]


def test_one_that_the_store_refuses_stops_nobody_who_writes(home: Path) -> None:
    searched(home)
    (path,) = waiting.found(home / "locks")
    data = read_checked(path)
    assert data
    search, answers = json.loads(data)
    path.write_bytes(checked(json.dumps([[*search[:-1], "no moment"], answers]).encode()))
    with brief(home) as engine:
        engine.ingest_text("Otters sleep in rafts.", title="Otters")
        assert engine.search(Request("otters", mode="keyword")).hits
    assert path.exists()
