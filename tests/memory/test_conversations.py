"""Conversations, and history as the same messages in a list (M3, M4)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.domain.errors import ArkError, NotFound, UsageError
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from ark_tui.settings import load
from tests.support import SteadyClock

HERE = Scope()


def talk(memory: Memory, *said: str, scope: Scope = HERE, conversation: str = "default") -> None:
    memory.conversations.extend(scope, [Saying("user", text) for text in said], conversation=conversation)


def contents(memory: Memory, scope: Scope = HERE, **wanted: object) -> list[str]:
    page = memory.conversations.messages(scope, **wanted)  # type: ignore[arg-type]
    return [message.content for message in page.messages]


def test_an_answer_belongs_to_the_query_that_was_asked(memory: Memory) -> None:
    said = memory.conversations.extend(
        HERE,
        [
            Saying("user", "Where do otters sleep?"),
            Saying("assistant", "On the water."),
            Saying("user", "And bats?"),
            Saying("assistant", "In caves.", "mine"),
        ],
    )
    first, second, third, fourth = (message.query_id for message in said)
    assert first == second != third
    assert fourth == "mine"
    assert contents(memory, query_id=first) == ["Where do otters sleep?", "On the water."]
    assert [message.sequence for message in said] == [1, 2, 3, 4]


def test_messages_need_a_conversation_that_exists_and_the_error_names_those(memory: Memory) -> None:
    memory.conversations.create(HERE, "plans")
    with pytest.raises(NotFound) as unknown:
        memory.conversations.add(HERE, "user", "hello", conversation="planz")
    assert "plans" in unknown.value.hint
    for act in (memory.conversations.get, memory.conversations.delete):
        with pytest.raises(NotFound):
            act(HERE, "planz")


def test_a_session_groups_conversations_and_a_person_can_look_into_all(memory: Memory) -> None:
    talk(memory, "from ann", scope=Scope("ann", "one"))
    talk(memory, "from ann, later", scope=Scope("ann", "two"))
    talk(memory, "from ben", scope=Scope("ben", "one"))
    assert contents(memory, Scope("ann", "one")) == ["from ann"]
    assert contents(memory, Scope("ann", "ALL")) == ["from ann", "from ann, later"]
    assert contents(memory, Scope("ALL", "ALL")) == ["from ann", "from ann, later", "from ben"]
    with pytest.raises(UsageError):
        talk(memory, "to everyone", scope=Scope("ALL", "one"))


def test_deleting_a_conversation_leaves_nothing_of_it(engine: Engine, memory: Memory) -> None:
    memory.conversations.create(HERE, "plans")
    talk(memory, "otters", "rafts", conversation="plans")
    talk(memory, "otters, too")
    assert memory.conversations.search(HERE, "otters").total == 2
    assert memory.conversations.delete(HERE, "plans") == 2
    assert contents(memory) == ["otters, too"]
    assert memory.conversations.search(HERE, "otters").total == 1
    assert all(check.ok is not False for check in engine.doctor())
    memory.conversations.create(HERE, "plans")
    talk(memory, "anew", conversation="plans")
    assert contents(memory, conversation="plans") == ["anew"]


def test_history_is_searched_by_the_word_index_in_its_scope(memory: Memory) -> None:
    talk(
        memory, "The otters were sleeping in rafts.", "Bats hang.", "An otter sleeps; otters dream of otters."
    )
    talk(memory, "Otters of somebody else.", scope=Scope("ann"))
    found = memory.conversations.search(HERE, "otter")
    assert {message.sequence for message in found.messages} == {1, 3}
    assert found.messages[0].sequence == 3
    assert [m.sequence for m in memory.conversations.search(HERE, "otters -dream").messages] == [1]
    assert [m.sequence for m in memory.conversations.search(HERE, '"sleeping in rafts"').messages] == [1]
    assert memory.conversations.search(HERE, "otte").messages == ()
    assert memory.conversations.search(Scope("ALL", "ALL"), "otters").total == 3


def test_a_plain_search_finds_no_messages_unless_it_asks_for_them(engine: Engine, memory: Memory) -> None:
    engine.ingest_text("Otters sleep in rafts.", title="a document")
    talk(memory, "Where do otters sleep?")
    engine.sync()
    assert [h.document.title for h in engine.search(Request("otters")).hits] == ["a document"]
    for line in ("otters layer:1", "otters in:history", "layer:1", "otters (in:history OR layer:1)"):
        (hit,) = engine.search(Request(line)).hits
        assert (hit.document.collection, hit.document.layer) == ("history", 1)
        assert engine.show(hit.document.id).text == "Where do otters sleep?"
    with pytest.raises(UsageError, match="by themselves"):
        engine.search(Request("otters (in:history OR in:default)"))
    assert engine.search(Request("otters (in:history OR in:default)", typing=True)).hits


def test_a_message_leaves_retrieval_after_a_day_and_stays_in_history(
    engine: Engine, memory: Memory, clock: SteadyClock
) -> None:
    talk(memory, "Where do otters sleep?")
    clock.pass_by(hours=24, minutes=-1)
    assert len(engine.search(Request("otters layer:1")).hits) == 1
    clock.pass_by(minutes=2)
    assert engine.search(Request("otters layer:1")).hits == ()
    assert contents(memory) == ["Where do otters sleep?"]
    assert memory.conversations.search(HERE, "otters").total == 1


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory with 57 messages in three conversations."""
    with Engine(load(tmp_path_factory.mktemp("spoken"), environ={}), SteadyClock()) as engine:
        for name in ("a", "b", "c"):
            engine.memory.conversations.create(HERE, name)
        for i in range(57):
            engine.memory.conversations.add(HERE, "user", f"message {i}", conversation="abc"[i % 3])
        yield engine.memory


@settings(max_examples=25)
@given(limit=st.integers(5, 60), newest=st.booleans())
def test_paging_covers_everything_once(spoken: Memory, limit: int, newest: bool) -> None:
    seen: list[str] = []
    while page := contents(spoken, limit=limit, offset=len(seen), newest=newest):
        seen = [*page, *seen] if newest else [*seen, *page]
    assert seen == [f"message {i}" for i in range(57)]


@pytest.mark.parametrize(
    ("role", "content"), [("user", ""), ("user", " \n "), ("wizard", "hello"), ("user", "x" * (33 << 20))]
)
def test_bad_messages_are_refused_in_a_sentence_and_nothing_is_kept(
    memory: Memory, role: str, content: str
) -> None:
    with pytest.raises(ArkError) as refused:
        memory.conversations.extend(HERE, [Saying("user", "fine"), Saying(role, content)])
    assert refused.value.hint
    assert contents(memory) == []


def test_ten_megabytes_and_control_characters_are_kept_as_they_are(memory: Memory) -> None:
    long = "otters sleep in rafts\n" * 480_000 + "and bats hang"
    odd = "bell \x07, escape \x1b[2J, override \u202e, NUL \0, half \ud800"
    talk(memory, long, odd)
    kept = contents(memory)
    assert kept[0] == long
    assert kept[1] == odd.replace("\0", "\ufffd").replace("\ud800", "?")
    assert memory.conversations.search(HERE, "bats").total == 1
