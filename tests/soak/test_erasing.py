"""Deletions killed at every access to the disk: nothing stays. Backups and restores: `test_faults.py`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from tests.erasing.test_erasing import delete_rest, engine, kept, killed, left, trash
from tests.soak import figures

pytestmark = pytest.mark.soak
HERE = Scope()
__all__ = ["kept"]  # a fixture


def purged(it: Engine) -> bool:
    return not it.curation.trashed()


def deleted(it: Engine) -> bool:
    return all(one.id != "plans" for one in it.memory.conversations.list(HERE))


def only_document(it: Engine) -> None:
    delete_rest(it)
    it.memory.retention.purge(HERE)
    trash(it)


def only_conversation(it: Engine) -> None:
    delete_rest(it, conversation=False)
    trash(it)
    it.curation.purge()
    it.memory.retention.purge(HERE)


@pytest.mark.parametrize(
    ("what", "prepare", "command", "done"),
    [
        ("purge", only_document, ("purge", "--yes"), purged),
        ("deleted conversation", only_conversation, ("conversations-delete", "plans", "--yes"), deleted),
    ],
)
def test_a_deletion_killed_at_every_access_leaves_no_byte_once_it_was_committed(
    kept: Path,
    tmp_path: Path,
    what: str,
    prepare: Callable[[Engine], None],
    command: tuple[str, ...],
    done: Callable[[Engine], bool],
) -> None:
    passed = figures.begin(f"`kill -9` at every access to the disk of a {what}")
    with engine(kept) as it:
        prepare(it)
    point = committed = 0
    hit = True
    while hit:
        point += 1
        copy = tmp_path / "copy" / "home"
        shutil.copytree(kept, copy)
        hit = killed(copy, point, *command)
        with engine(copy) as it:
            committed += done(it)
            if not done(it):
                assert left(copy), point
            elif hit:
                it.curation.purge()
            assert all(check.ok for check in it.doctor(repair=True)), point
            gone = done(it)
        assert bool(left(copy)) != gone, point
        shutil.rmtree(copy.parent)
    passed(
        f"{point - 1} kills, {committed - 1} after the commit: "
        "no byte left after the next purge, all others undone as a whole"
    )
