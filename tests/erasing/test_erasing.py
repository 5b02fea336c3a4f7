"""What was deleted for good has no byte left in any file of the home but backups, whatever is killed (R7)."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from ark_tui.curation import edits
from ark_tui.domain.errors import StoreError
from ark_tui.domain.layers import EPISODIC
from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from ark_tui.settings import load
from ark_tui.store.database import Database
from tests.erasing.traces import traces
from tests.support import SteadyClock, add_item

HERE = Scope()
WORD = "q7x3zk9vw1mfj5hbt2gdncyp"  # no compression makes this shorter
TEXT = f"The secret is {WORD}."


def engine(home: Path) -> Engine:
    return Engine(load(home, environ={}), SteadyClock())


@pytest.fixture
def kept(home: Path, tmp_path: Path) -> Path:
    """A home with living texts and, in every kind of thing that can be deleted, the marked one."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(30):
        (notes / f"{number}.md").write_text(f"Otters sleep in rafts, {number} at a time.")
    (notes / "secret.md").write_text(TEXT)
    with engine(home) as it:
        it.index([notes])
        memory = it.memory
        memory.conversations.create(HERE, "plans")
        memory.conversations.add(HERE, "user", TEXT, conversation="plans")
        memory.conversations.add(HERE, "user", "Otters again.")
        memory.scratch.set(HERE, "draft", TEXT)
        memory.tasks.add(HERE, TEXT)
        assert memory.conversations.search(HERE, WORD).total == 1
        it.curation.edit(edits.tag, [memory.conversations.search(HERE, WORD).messages[0].id], ["mark"])
        it.curation.edit(edits.link, "0.md", "secret.md")
    return home


def trash(it: Engine) -> None:
    it.curation.edit(edits.trash, ["secret.md"])


def delete_rest(it: Engine, *, conversation: bool = True) -> None:
    """All that is not the document."""
    it.memory.scratch.delete(HERE, "draft")
    it.memory.tasks.delete(HERE, 1)
    if conversation:
        it.memory.conversations.delete(HERE, "plans")


def left(home: Path) -> set[str]:
    return traces(home, WORD)


def test_the_search_for_traces_finds_what_is_there(kept: Path) -> None:
    assert left(kept) >= {"ark.duckdb", "words: dictionary", "messages: dictionary"}


def test_a_purge_leaves_nothing_of_documents_tasks_keys_and_conversations(kept: Path) -> None:
    with engine(kept) as it:
        trash(it)
        delete_rest(it)
        purged = it.curation.purge()
        assert (len(purged.documents), purged.vectors, purged.earlier) == (1, 1, 0)
        assert it.memory.retention.purge(HERE).notes == 2
        assert all(check.ok for check in it.doctor())
        assert it.memory.tasks.add(HERE, "another").id == 2
    assert left(kept) == set()


def test_a_deleted_conversation_is_gone_at_once(kept: Path) -> None:
    with engine(kept) as it:
        trash(it)
        it.curation.purge()
        delete_rest(it, conversation=False)
        it.memory.retention.purge(HERE)
        assert left(kept) >= {"ark.duckdb", "messages: dictionary"}
        it.memory.conversations.delete(HERE, "plans")
        assert it.memory.conversations.search(HERE, "otters").total == 1
        assert all(check.ok for check in it.doctor())
    assert left(kept) == set()


def test_past_its_retention_a_memory_is_gone_with_its_vector(home: Path) -> None:
    clock = SteadyClock()
    with Engine(load(home, environ={}), clock) as it:
        add_item(it.memory, TEXT, HERE, layer=EPISODIC)
        it.memory.facts.add("Otters sleep in rafts.")
        clock.pass_by(days=31)
        it.sync()
        assert left(home) >= {"words: dictionary"}
        assert it.memory.retention.purge(HERE).vectors == 1
    assert left(home) == set()


def test_a_text_whose_file_was_removed_or_changed_goes_with_the_next_purge(kept: Path) -> None:
    notes = kept.parent / "notes"
    with engine(kept) as it:
        delete_rest(it)
        it.memory.retention.purge(HERE)
        (notes / "secret.md").write_text("Nothing to see.")
        it.index([notes])
        it.curation.purge()
        assert all(check.ok for check in it.doctor())
    assert left(kept) == set()


def test_vectors_of_a_model_that_is_no_longer_used_are_erased_too(kept: Path) -> None:
    mine = next((kept / "vectors").iterdir())
    shutil.copytree(mine, mine.with_name("another.lance"))
    with engine(kept) as it:
        trash(it)
        delete_rest(it)
        it.curation.purge()
        it.memory.retention.purge(HERE)
    assert left(kept) == set()


def test_an_erasure_without_room_says_that_the_deletion_holds_and_a_later_one_finishes(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engine(kept) as it:
        with monkeypatch.context() as then:
            then.setattr(Database, "_copy_rows", _full)
            with pytest.raises(StoreError, match="is deleted, but its text is still in files") as refused:
                it.memory.conversations.delete(HERE, "plans")
        assert "purge" in refused.value.hint
        assert any(check.ok is False and check.name == "deleted texts" for check in it.doctor())
        trash(it)
        delete_rest(it, conversation=False)
        assert it.curation.purge().earlier == 1
        it.memory.retention.purge(HERE)
        assert all(check.ok for check in it.doctor())
    assert left(kept) == set()


def _full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
