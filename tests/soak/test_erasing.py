"""Deletions, backups and restores killed at every access to the disk: nothing stays, nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine, copies
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


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_backup_or_restore_killed_at_every_access_loses_nothing_and_leaves_nothing(
    kept: Path,
    tmp_path: Path,
    command: str,
) -> None:
    passed = figures.begin(f"`kill -9` at every access to the disk of a {command}")
    with engine(kept) as it:
        good = it.backup(tmp_path / "good.zip")
    point, hit = 0, True
    while hit:
        point += 1
        copy = tmp_path / "copy" / "home"
        shutil.copytree(kept, copy)
        target = good if command == "restore" else copy.parent / "new.zip"
        hit = killed(copy, point, command, str(target))
        with engine(copy) as it:
            assert it.memory.conversations.messages(HERE).total == 2, point
            assert all(check.ok for check in it.doctor(repair=True)), point
            if command == "backup" and target.exists():
                it.restore(target)
        assert copies.abandoned(it.settings.home) == []
        shutil.rmtree(copy.parent)
    passed(f"{point - 1} kills: the store whole each time, no copy left after `doctor --repair`")
