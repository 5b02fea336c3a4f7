"""What goes on in a home, as server-sent events: jobs as they move, items that are new, nobody else's."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import LISTENERS, ServerState, state_for
from ark_tui.interfaces.http.gate import Rules, rules
from ark_tui.interfaces.http.routes import events
from ark_tui.interfaces.http.streaming import SIGN
from ark_tui.operations.call import Call
from tests.http.conftest import calling

NOW = {"seconds": 0}  # what there is, and no waiting


@pytest.fixture
def counter(home: Engine) -> Iterator[ServerState]:
    made = state_for(home)
    yield made
    made.jobs.close()


def read(text: str) -> list[tuple[str, str, Any]]:
    """The events of a stream: name, id, JSON."""
    found = []
    for block in filter(None, text.replace(":\n\n", "").split("\n\n")):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        found.append((fields["event"], fields.get("id", ""), json.loads(fields["data"])))
    return found


async def heard(client: httpx.AsyncClient, after: str = "0", **asked: Any) -> list[tuple[str, str, Any]]:
    head = asked.pop("headers", {}) | ({"Last-Event-ID": after} if after else {})
    answer = await client.get("/events", params=NOW | asked, headers=head)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    return read(answer.text)


async def test_new_items_are_told_once_and_from_where_one_left_off(
    home: Engine, counter: ServerState
) -> None:
    home.memory.facts.add("Otters sleep in rafts.")
    home.memory.conversations.add(Scope(), "user", "Where do otters sleep?")
    async with calling(counter, Rules()) as client:
        first = [one for one in await heard(client) if one[0] == "item"]
        assert [item["collection"] for _, _, item in first] == ["notes"] * 3 + ["memory", "history"]
        assert first[3][2]["title"] == "Otters sleep in rafts."
        assert await heard(client, first[-1][1]) == []
        assert [one for one in await heard(client, after="") if one[0] == "item"] == []
        home.memory.facts.add("Otters hold paws.")
        home.memory.conversations.add(Scope(), "assistant", "In rafts.")
        later = await heard(client, first[-1][1], collection="memory")
        assert [(name, item["title"]) for name, _, item in later] == [("item", "Otters hold paws.")]


async def test_more_items_than_are_looked_up_at_once_are_all_told(
    home: Engine, counter: ServerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "AT_ONCE", 2)
    for number in range(5):
        home.memory.facts.add(f"Otter {number} sleeps.")
    async with calling(counter, Rules()) as client:
        told = await heard(client, collection="memory")
        assert [item["title"] for _, _, item in told] == [f"Otter {number} sleeps." for number in range(5)]


async def test_a_token_of_an_agent_hears_of_no_job_and_of_nothing_of_others(
    home: Engine, counter: ServerState
) -> None:
    counter.jobs.start("fit", lambda *_: None)
    for name in ("ann", "ben"):
        home.memory.conversations.add(Scope(name), "user", f"I am {name}.")
        home.memory.tokens.add(name, "read", [name], ())
    guarded = rules("127.0.0.1", token="the home's", holder=home.memory.tokens.holder)
    async with calling(counter, guarded) as client:
        whole = {"Authorization": "Bearer the home's"}
        assert (await client.get("/events", params=NOW)).status_code == 401
        anns = home.memory.tokens.add("ann's", "read", ["ann"], ()).token
        mine = await heard(client, headers={"Authorization": f"Bearer {anns}"})
        every = await heard(client, headers=whole)
    assert {name for name, _, _ in mine} == {"item"}
    assert [item["title"] for _, _, item in mine if item["collection"] == "history"] == ["user: I am ann."]
    assert {name for name, _, _ in every} == {"item", "job"}
    assert "user: I am ben." in [item["title"] for name, _, item in every if name == "item"]


async def test_secrets_are_masked_in_events(home: Engine, counter: ServerState) -> None:
    secret = "sk-" + "a1B2c3D4e5F6" * 4
    home.memory.conversations.add(Scope(), "user", secret)
    async with calling(counter, Rules()) as client:
        assert secret not in json.dumps(await heard(client, collection="history"))


def test_a_job_is_told_as_it_moves_and_with_what_came_of_it(home: Engine, counter: ServerState) -> None:
    go_on, under_way = threading.Event(), threading.Event()

    def work(*_: Any) -> None:
        under_way.set()
        go_on.wait(30)

    entry = counter.jobs.start("fit", work)
    assert under_way.wait(30)
    with counter.listeners.one():
        stream = events.told(counter, Call(home), 10**9, "", 60, _held())
        states = []
        for told in stream:
            for name, _, job in read(told):
                assert (name, job["job_id"]) == ("job", entry.job.id)
                states.append(job["state"])
                go_on.set()
            if states and states[-1] == "done":
                break
        stream.close()
    assert states[0] == "running"
    assert counter.jobs.listeners == []


def _held() -> Any:
    from contextlib import ExitStack

    return ExitStack()


async def test_only_so_many_listen_at_once_and_a_place_is_given_back(
    home: Engine, counter: ServerState
) -> None:
    streams = []
    async with calling(counter, Rules()) as client:
        for _ in range(LISTENERS):
            held = _held()
            held.enter_context(counter.listeners.one())
            streams.append(events.told(counter, Call(home), 0, "", 0, held))
            next(streams[-1])
        refused = await client.get("/events", params=NOW)
        assert refused.status_code == 429
        assert f"{LISTENERS} streams of events are open" in refused.json()["error"]
        for stream in streams:
            stream.close()
        assert await heard(client)
    assert counter.jobs.listeners == []


def test_a_stream_ends_when_its_token_is_revoked(
    home: Engine, counter: ServerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "ALIVE", 0)
    tokens = home.memory.tokens
    holder = tokens.holder(tokens.add("laptop", "read", [], ()).token)
    stream = events.told(counter, Call(home, principal=holder), 0, "", events.LONGEST, ExitStack())
    while next(stream) != SIGN or next(stream) != SIGN:
        pass  # until nothing is new
    tokens.revoke("laptop")
    home.memory.facts.add("Otters sleep in rafts.")
    ((name, _, told),) = read("".join(stream))
    assert (name, told["error"]) == ("error", "The token laptop was revoked.")
