"""Messages are found by meaning where that was asked for, within their retention, not once they are gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ark_tui.domain.memory import EVERY, Message, Scope
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from ark_tui.index.vectors.table import VectorTable
from ark_tui.settings import load
from tests.ollama_server import OllamaServer
from tests.support import SteadyClock

HERE = Scope()
EVERYBODY = Scope(EVERY, EVERY)
TALK = (
    ("user", "The car would not start this morning, the battery was flat."),
    ("assistant", "Have it replaced."),
    ("user", "What shall we cook for dinner tonight?"),
    ("assistant", "Lentil soup with carrots and a slice of bread."),
    ("user", "Remind me to pay the electricity bill on Friday."),
    ("assistant", "Noted for Friday."),
)
QUESTION = "vehicle engine trouble"  # none of its words was said


@pytest.fixture
def told(memory: Memory) -> Memory:
    for role, text in TALK:
        memory.conversations.add(HERE, role, text)
    return memory


def texts(memory: Memory, question: str = QUESTION, scope: Scope = HERE, conversation: str = "") -> list[str]:
    return [
        one.content
        for one in memory.conversations.search(scope, question, conversation=conversation).messages
    ]


def kept(engine: Engine) -> dict[str, int]:
    """How many vectors are in the home, by the name of their table."""
    folders = engine.settings.home.message_vectors.glob("*.lance")
    return {path.name: VectorTable(path, 0).count() for path in folders}


def written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def count(engine: Engine) -> int:
    return sum(kept(engine).values())


def test_a_question_in_other_words_finds_the_message_and_shows_what_either_signal_gave(told: Memory) -> None:
    assert texts(told) == []
    made = told.meaning.make()
    assert (made.vectors, made.made, made.model) == (len(TALK), len(TALK), "static")
    best = told.conversations.search(HERE, QUESTION).messages[0]
    assert best.content == TALK[0][1]
    parts = {part.name: part for part in best.signals}
    assert parts.keys() == {"bm25", "static"}
    assert (parts["bm25"].contribution, parts["static"].normalised) == (0.0, 1.0)
    assert best.score == sum(part.contribution for part in best.signals) > 0


def test_scope_conversation_and_filters_hold_for_meaning_as_for_words(told: Memory) -> None:
    ben = Scope("ben")
    told.conversations.add(ben, "user", "My automobile has broken down.")
    told.conversations.create(HERE, "garage")
    told.conversations.add(HERE, "assistant", "The motor of this lorry is broken.", conversation="garage")
    told.meaning.make()
    assert texts(told, scope=ben) == ["My automobile has broken down."]
    assert "My automobile has broken down." not in texts(told)
    assert "My automobile has broken down." in texts(told, scope=EVERYBODY)
    assert texts(told, conversation="garage") == ["The motor of this lorry is broken."]
    by_assistant = told.conversations.search(HERE, f"{QUESTION} type:assistant").messages
    assert by_assistant
    assert {one.role for one in by_assistant} == {"assistant"}
    assert TALK[0][1] not in texts(told, f"{QUESTION} -battery")


@pytest.mark.parametrize("how", ["conversation", "forget", "purge"])
def test_nothing_that_was_deleted_leaves_a_vector(
    engine: Engine, told: Memory, clock: SteadyClock, how: str
) -> None:
    told.conversations.create(HERE, "secret")
    gone = told.conversations.add(HERE, "user", "The vehicle is parked in the cellar.", conversation="secret")
    told.meaning.make()
    (folder,) = engine.settings.home.message_vectors.glob("*.lance")
    documents, rows = VectorTable(folder, 256).vectors("embedded", "document")
    mine = rows[documents == documents.max()].astype(np.float16).tobytes()
    assert mine in written(folder)
    assert count(engine) == len(TALK) + 1
    if how == "conversation":
        told.conversations.delete(HERE, "secret")
    elif how == "forget":
        told.forgetting.forget([gone.id], yes=True)
    else:
        clock.pass_by(hours=25)
        told.conversations.add(HERE, "user", "A new day.")
        assert told.retention.purge(HERE).vectors == len(TALK) + 1
    assert count(engine) == (0 if how == "purge" else len(TALK))
    assert mine not in written(folder)
    assert gone.content not in texts(told)
    assert all(check.ok is not False for check in engine.doctor())


def test_past_its_retention_a_message_is_found_by_its_words_alone(
    engine: Engine, told: Memory, clock: SteadyClock
) -> None:
    told.meaning.make()
    clock.pass_by(hours=25)
    assert texts(told) == []
    assert texts(told, "battery") == [TALK[0][1]]
    told.consolidate()
    assert count(engine) == 0


@pytest.fixture
def served(tmp_path: Path, clock: SteadyClock) -> Iterator[Engine]:
    with OllamaServer("nomic-embed-text") as server:
        given = {"ollama_host": server.host, "query_budget": 10.0}
        with Engine(load(tmp_path / "served", given, environ={}), clock) as engine:
            yield engine


def test_a_change_of_the_model_mixes_no_vectors(served: Engine) -> None:
    memory = served.memory
    for role, text in TALK:
        memory.conversations.add(HERE, role, text)
    memory.facts.add("Otters sleep in rafts.")
    memory.meaning.make()
    (before,) = kept(served)
    served.models.use("ollama:nomic-embed-text")
    page = memory.conversations.search(HERE, "battery")
    assert [one.content for one in page.messages] == [TALK[0][1]]
    assert page.by_words.startswith("The vectors of messages are of another model")
    memory.consolidate()
    (after,) = kept(served)
    assert after != before
    found = memory.conversations.search(HERE, "battery")
    assert by_signal(found.messages[0]).keys() == {"bm25", "cosine"}
    served.models.use("static")
    assert memory.conversations.search(HERE, QUESTION).by_words
    assert memory.meaning.make().model == "static"
    assert [*kept(served)] == [before]
    assert texts(memory)[0] == TALK[0][1]


def by_signal(message: Message) -> dict[str, float]:
    return {part.name: part.contribution for part in message.signals}
