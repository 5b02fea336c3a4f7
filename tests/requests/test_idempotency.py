"""A write that is repeated with its idempotency key is carried out once, whichever way it comes."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ark_tui.curation import edits
from ark_tui.domain.errors import AlreadyDone, KeyReused, NotFound, UsageError
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.outcomes import Event
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.http.gate import Rules
from ark_tui.settings import load
from tests.http.conftest import calling
from tests.http.test_assistants import asking
from tests.support import SteadyClock

HERE = Scope()
TEXT = "Otters sleep in rafts."
SAYINGS = [Saying("user", "Where do otters sleep?"), Saying("assistant", TEXT)]

ADDING: dict[str, Callable[[Engine], object]] = {
    "message": lambda it: it.memory.conversations.add(HERE, "user", TEXT),
    "messages": lambda it: it.memory.conversations.extend(HERE, SAYINGS),
    "conversation": lambda it: it.memory.conversations.create(HERE),
    "named conversation": lambda it: it.memory.conversations.create(HERE, "plans"),
    "task": lambda it: it.memory.tasks.add(HERE, TEXT, due="tomorrow", tags=["zoo"]),
    "key": lambda it: it.memory.scratch.set(HERE, "where", TEXT),
    "text": lambda it: it.ingest_text(TEXT, title="Otters"),
    "memory": lambda it: it.memory.remember(TEXT, "a walk").document,
    "fact": lambda it: it.memory.facts.add(TEXT),
    "pattern": lambda it: it.memory.patterns.add("It drifts.", TEXT),
    "directive": lambda it: it.memory.directives.add("NEVER", "Wake an otter."),
    "event": lambda it: it.memory.outcomes.record(Event("validation", verdict="pass", payload={"a": 1})),
}


def counts(it: Engine) -> dict[str, int]:
    """Rows by table, but for those of the requests themselves."""
    with it.store.read() as lease:
        tables = lease.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'ark'")
        return {
            name: int(lease.value(f"SELECT count(*) FROM ark.{name}"))
            for (name,) in tables
            if name != "requests"
        }


def test_what_is_added_twice_with_one_key_is_there_once_and_is_answered_alike(
    engine: Engine, clock: SteadyClock
) -> None:
    for what, add in ADDING.items():
        with engine.asked(what):
            first = add(engine)
        before = counts(engine)
        clock.pass_by(hours=23)
        with engine.asked(what):
            assert add(engine) == first
        assert counts(engine) == before, what


def test_a_key_of_one_request_is_refused_for_another(engine: Engine) -> None:
    with engine.asked("k1"):
        ADDING["task"](engine)
    before = counts(engine)
    for what in ADDING.keys() - {"task"}:
        with pytest.raises(KeyReused, match="another request"), engine.asked("k1"):
            ADDING[what](engine)
    assert counts(engine) == before


def test_the_same_request_without_a_key_with_another_or_a_day_later_is_a_new_one(
    engine: Engine, clock: SteadyClock
) -> None:
    add = ADDING["task"]
    with engine.asked("k1"):
        add(engine)
    with engine.asked("k2"):
        add(engine)
    add(engine)
    with engine.asked("k1", agent="another"):
        add(engine)
    assert len(engine.memory.tasks.list(HERE)) == 4
    clock.pass_by(hours=24)
    with engine.asked("k1"):
        add(engine)
    assert len(engine.memory.tasks.list(HERE)) == 5
    with engine.store.read() as lease:
        assert lease.value("SELECT count(*) FROM ark.requests") == 1  # older ones are forgotten


def test_an_outcome_that_is_reported_twice_moves_a_confidence_once(engine: Engine) -> None:
    pattern = engine.memory.patterns.add("The build is slow.", "Cache it.")
    found = engine.memory.context("the build is slow")
    with engine.asked("use"):
        used = engine.memory.outcomes.apply(found.retrieval_id, pattern.document.id)
    with engine.asked("use"):
        assert engine.memory.outcomes.apply(found.retrieval_id, pattern.document.id) == used
    with engine.asked("k1"):
        first = engine.memory.outcomes.report(found.retrieval_id, "success")
    with engine.asked("k1"):
        assert engine.memory.outcomes.report(found.retrieval_id, "success") == first
    assert engine.memory.patterns.list()[0].successes == 1


def test_a_long_import_that_was_cut_off_goes_on_where_it_stopped(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ark_tui.memory import conversations

    monkeypatch.setattr(conversations, "AT_ONCE", 2)
    said = [Saying("user", f"Message {number}.") for number in range(6)]

    def cut_off() -> Iterator[Saying]:
        yield from said[:4]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), engine.asked("k1"):
        engine.memory.conversations.load(HERE, cut_off())
    with engine.asked("k1"):
        assert engine.memory.conversations.load(HERE, iter(said)) == 6
    assert engine.memory.conversations.messages(HERE).total == 6


def test_what_was_deleted_since_is_not_added_again_and_no_text_is_kept_with_the_key(engine: Engine) -> None:
    with engine.asked("k0"):
        ADDING["named conversation"](engine)
    with engine.asked("k1"):
        engine.memory.conversations.extend(HERE, SAYINGS, conversation="plans")
    with engine.store.read() as lease:
        assert "otters" not in str(lease.rows("SELECT * FROM ark.requests")).lower()
    engine.memory.conversations.delete(HERE, "plans")
    with pytest.raises(NotFound, match="deleted"), engine.asked("k1"):
        engine.memory.conversations.extend(HERE, SAYINGS, conversation="plans")


def test_a_key_that_is_no_name_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="idempotency key"), engine.asked("\n"):
        pass


def test_a_write_that_failed_leaves_its_key_free(engine: Engine) -> None:
    with pytest.raises(NotFound), engine.asked("k1"):
        engine.memory.conversations.add(HERE, "user", TEXT, conversation="nowhere")
    with engine.asked("k1"):
        engine.memory.conversations.create(HERE, "nowhere")


def test_eight_at_once_with_one_key_add_one(engine: Engine) -> None:
    def add(_: int) -> object:
        with engine.asked("k1"):
            return engine.memory.tasks.add(HERE, TEXT)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(add, range(8)))
    assert answers == [answers[0]] * 8
    assert len(engine.memory.tasks.list(HERE)) == 1


async def test_over_http_by_a_header(engine: Engine) -> None:
    counter = state_for(engine)
    async with calling(counter, Rules()) as client:
        for method, path, body in [
            ("POST", "/tasks", {"text": TEXT}),
            ("POST", "/history", {"role": "user", "content": TEXT}),
            ("POST", "/messages", {"messages": [{"role": "user", "content": TEXT}]}),
            ("POST", "/conversations", {}),
            ("PUT", "/scratch/where", {"value": TEXT}),
            ("POST", "/ingest", {"content": TEXT}),
            ("POST", "/facts", {"text": TEXT}),
            ("POST", "/patterns", {"problem": "It drifts.", "solution": TEXT}),
            ("POST", "/directives", {"kind": "NEVER", "text": TEXT}),
            ("POST", "/outcomes", {"event_type": "validation"}),
            ("POST", "/remember", {"text": TEXT, "source": "a walk"}),
        ]:
            key = {"Idempotency-Key": path}
            first = await client.request(method, path, json=body, headers=key)
            assert first.status_code in {200, 201}, first.text
            before = counts(engine)
            again = await client.request(method, path, json=body, headers=key)
            assert (again.status_code, again.content) == (first.status_code, first.content)
            assert counts(engine) == before, path
        refused = await client.post("/tasks", json={"text": "Another"}, headers={"Idempotency-Key": "/tasks"})
        assert refused.status_code == 422
        assert "another request" in refused.json()["error"]
        assert (await client.post("/tasks", json={"text": TEXT})).json()["id"] == "2"
    counter.jobs.close()


async def test_over_mcp_by_a_header(engine: Engine) -> None:
    counter = state_for(engine)
    said = {"action": "add", "role": "user", "content": TEXT}
    async with asking(counter, Rules(), {"Idempotency-Key": "k1"}) as made, made() as client:
        first = await client.call_tool("history", said)
        assert (await client.call_tool("history", said)).content == first.content
        assert engine.memory.conversations.messages(HERE).total == 1
        assert (await client.call_tool("tasks", {"action": "add", "text": TEXT})).is_error
    counter.jobs.close()


def test_a_whole_call_that_was_cut_off_after_its_change_is_not_carried_out_again(home: Path) -> None:
    first, second = uuid.uuid4().hex, uuid.uuid4().hex
    with Engine(load(home, environ={})) as engine:
        document = engine.ingest_text("an otter of the river")
        with engine.asked(first, whole=True):
            engine.curation.edit(edits.tag, [document.id], ["kept"])
        with engine.asked(second, whole=True):
            engine.curation.undo()
    with Engine(load(home, environ={})) as engine:
        with pytest.raises(AlreadyDone), engine.asked(second, whole=True):
            engine.curation.undo()
        engine.curation.redo()
        assert engine.document(document.id).tags == ("kept",)
        with pytest.raises(AlreadyDone), engine.asked(first, whole=True):
            engine.curation.edit(edits.tag, [document.id], ["kept"])


def test_a_whole_call_that_was_refused_is_carried_out_when_it_is_repeated(home: Path) -> None:
    with Engine(load(home, environ={})) as engine:
        store = engine.store
        with pytest.raises(KeyError), engine.asked("k", whole=True), store.write() as lease:
            lease.run("INSERT INTO ark.meta VALUES ('mine', 'x')")
            raise KeyError
        with engine.asked("k", whole=True), store.write() as lease:
            lease.run("INSERT INTO ark.meta VALUES ('mine', 'x')")
        with store.read() as lease:
            assert lease.count("SELECT count(*) FROM ark.meta WHERE key = 'mine'") == 1
