"""Tokens of the server: what each lets its holder do, and whose memory they see."""

from __future__ import annotations

import json
from array import array
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from ark_tui.domain.errors import NotFound
from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import ServerState, state_for
from ark_tui.interfaces.http.gate import rules
from ark_tui.interfaces.mcp import server
from ark_tui.operations.call import asking
from ark_tui.store import owners
from ark_tui.store.lease import Lease
from tests.http.conftest import calling
from tests.http.users import live


@pytest.fixture
def counter(home: Engine) -> Iterator[ServerState]:
    made = state_for(home)
    yield made
    made.jobs.close()


@pytest.fixture
async def client(home: Engine, counter: ServerState) -> AsyncIterator[httpx.AsyncClient]:
    guarded = rules("127.0.0.1", token="the home's", holder=home.memory.tokens.holder)
    async with calling(counter, guarded) as client:
        yield client


def bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def made(home: Engine, name: str, grant: str = "write", *projects: str, agent: str = "") -> dict[str, str]:
    agents = [agent or name] if agent != "nobody" else []
    return bearing(home.memory.tokens.add(name, grant, agents, projects).token)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.soak)])
async def test_two_users_never_see_what_is_the_others(home: Engine, counter: ServerState, count: int) -> None:
    told = await live(home, counter, rules("127.0.0.1", holder=home.memory.tokens.holder), count)
    assert told["200"] > 15
    assert told["201"] > 5
    assert told["403"] > 2


async def test_each_finds_its_own_and_what_is_shared(home: Engine, client: httpx.AsyncClient) -> None:
    ann, ben = made(home, "ann"), made(home, "ben")
    await client.post("/facts", json={"text": "otters wear hats"}, headers=ann)
    await client.post("/facts", json={"text": "otters hold paws", "owner": "shared"}, headers=ann)
    home.memory.facts.add("otters eat urchins", by=Scope("editor", "default"))
    for head, expected in ((ann, 3), (ben, 2), (bearing("the home's"), 2)):
        listed = (await client.get("/facts", headers=head)).json()["facts"]
        assert len(listed) == expected, listed
        found = (await client.post("/search", json={"query": "otters in:memory"}, headers=head)).json()[
            "hits"
        ]
        assert len(found) == expected
        told = (await client.post("/context", json={"query": "otters"}, headers=head)).json()["text"]
        assert ("hats" in told) is (head == ann)
    assert len(home.memory.facts.list()) == 3  # a person sees all


async def test_whoever_lists_documents_can_read_each_and_sees_no_title_of_others(
    home: Engine, client: httpx.AsyncClient
) -> None:
    ann, ben = made(home, "ann"), made(home, "ben")
    for name, head in (("ann", ann), ("ben", ben)):
        await client.post("/facts", json={"text": f"{name} likes otters"}, headers=head)
    old = home.memory.facts.add("otters wear hats")
    home.memory.corrections.correct(old.document.id, {"text": "otters hold paws"}, Scope())
    assistant = server.Server(home)
    for head, others in ((ann, ["ben"]), (ben, ["ann"]), (bearing("the home's"), ["ann", "ben"])):
        listed = (await client.get("/documents/list", headers=head)).json()
        found = {one["id"]: one["title"] for one in listed["documents"]}
        assert listed["total"] == len(found) == 3 + 2 + 2 - len(others)
        assert not {f"{other} likes otters" for other in others} & {*found.values()}
        with asking(home.memory.tokens.holder(head["Authorization"].split()[1])):
            uris = [one["uri"] for one in assistant.answer("resources/list", {})["resources"]]
            assert uris == [f"ark://documents/{id_}" for id_ in found if id_ != old.document.id]
            for uri in uris:
                assert assistant.answer("resources/read", {"uri": uri})["contents"]


async def test_the_same_fact_of_two_owners_is_two_facts(home: Engine, client: httpx.AsyncClient) -> None:
    asked = [
        (await client.post("/facts", json={"text": "the sea is salt"}, headers=made(home, name))).json()
        for name in ("ann", "ben")
    ]
    assert asked[0]["id"] != asked[1]["id"]
    assert [one["owner"] for one in asked] == ["ann", "ben"]


async def test_a_project_narrows(home: Engine, client: httpx.AsyncClient) -> None:
    zoo, sea = made(home, "zoo", "write", "zoo", agent="ann"), made(home, "sea", "write", "sea", agent="ann")
    await client.post("/facts", json={"text": "otters wear hats"}, headers=zoo)
    said = {"messages": [{"role": "user", "content": "where are the hats?"}]}
    await client.post("/messages", json=said, headers=zoo)
    for head, expected in ((zoo, 1), (sea, 0)):
        assert len((await client.get("/facts", headers=head)).json()["facts"]) == expected
        assert len((await client.get("/messages", headers=head)).json()["messages"]) == expected
        found = await client.post("/search", json={"query": "hats in:history"}, headers=head)
        assert len(found.json()["hits"]) == expected
    assert (await client.get("/messages?session=zoo", headers=sea)).status_code == 403


@pytest.mark.parametrize(
    ("grant", "allowed"),
    [
        ("read", [True, True, False, False, False, False, False]),
        ("write", [True, True, True, True, False, False, False]),
        ("admin", [True] * 7),
    ],
)
async def test_a_scope_says_what_may_be_done(
    home: Engine, client: httpx.AsyncClient, grant: str, allowed: list[bool]
) -> None:
    head = made(home, "laptop", grant, agent="nobody")
    asked = [
        ("GET", "/tasks", None), ("POST", "/search", {"query": "tea"}),
        ("POST", "/tasks", {"text": "call Ann"}),
        ("POST", "/messages", {"messages": [{"role": "user", "content": "hello"}]}),
        ("POST", "/consolidate", {}),
        ("POST", "/analyze", {}),
        ("POST", "/jobs/3fa9c1d2e4b5/pause", None),
    ]  # fmt: skip
    told = [await client.request(way, path, json=body, headers=head) for way, path, body in asked]
    assert [one.status_code != 403 for one in told] == allowed, [one.text for one in told]
    assert all(one.json()["hint"] for one in told if one.status_code == 403)


async def test_an_administrator_takes_away_what_is_everybodys_but_what_a_person_has_vouched_for(
    home: Engine, client: httpx.AsyncClient
) -> None:
    by = Scope("ann", "default")
    shared = home.memory.facts.add("otters hold paws", by=by).document.id
    vouched = home.memory.facts.add("otters eat urchins", by=by).document.id
    home.memory.tiers.move(vouched, "it is so", "person", tier="wiki")
    ben, head = made(home, "ben"), made(home, "head", "admin", agent="nobody")
    for who, id_, status, says in (
        (ben, shared, 404, "is not a memory of"), (head, vouched, 404, "is wiki, which a person writes"),
        (head, shared, 200, ""),
    ):  # fmt: skip
        told = await client.post("/forget", json={"ids": [id_], "yes": True}, headers=who)
        assert told.status_code == status, told.text
        assert says in told.json().get("error", "")
    assert [one.text for one in home.memory.facts.list()] == ["otters eat urchins"]


async def test_an_agents_token_is_for_its_own_memory_only(home: Engine, client: httpx.AsyncClient) -> None:
    head = made(home, "ann", "admin")
    for path in ("/status", "/searches", "/outcomes", "/scopes", "/central", "/edits", "/tasks?agent=ben"):
        refused = await client.get(path, headers=head)
        assert refused.status_code == 403, path
        assert refused.json()["hint"]


async def test_a_revoked_token_is_refused_at_once(home: Engine, client: httpx.AsyncClient) -> None:
    head = made(home, "ann")
    assert (await client.get("/tasks", headers=head)).status_code == 200
    home.memory.tokens.revoke("ann")
    assert (await client.get("/tasks", headers=head)).status_code == 401
    with pytest.raises(NotFound):
        home.memory.tokens.revoke("ann")


async def test_a_token_that_is_sent_must_be_valid_also_where_none_is_required(
    home: Engine, counter: ServerState
) -> None:
    revoked = made(home, "ann")
    home.memory.tokens.revoke("ann")
    async with calling(counter, rules("127.0.0.1", holder=home.memory.tokens.holder)) as client:
        assert (await client.get("/tasks")).status_code == 200
        for head in (revoked, bearing("unknown"), bearing(""), {"Authorization": "Basic YTpi"}):
            assert (await client.get("/tasks", headers=head)).status_code == 401
            told = await client.post("/tasks", json={"text": "call Ann"}, headers=head)
            assert told.status_code == 401
        assert (await client.get("/health", headers=revoked)).status_code == 200
        assert (await client.get("/tasks")).json()["tasks"] == []


def test_a_token_is_kept_as_its_hash_by_its_owner_alone(home: Engine) -> None:
    token = home.memory.tokens.add("laptop", "read", [], []).token
    kept = home.settings.home.path / "tokens"
    assert kept.stat().st_mode & 0o077 == 0
    assert token not in kept.read_text()
    assert token.removeprefix("ark_") not in kept.read_text()
    assert [one["name"] for one in json.loads(kept.read_text())] == ["laptop"]


async def test_what_others_own_is_looked_up_once_for_each_change(
    home: Engine, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    hidden = owners.hidden

    def counted(lease: Lease, *, messages: bool) -> array[int]:
        asked.append(messages)
        return hidden(lease, messages=messages)

    monkeypatch.setattr(owners, "hidden", counted)
    ann, ben = made(home, "ann"), made(home, "ben")

    async def found() -> str:
        return (await client.post("/search", json={"query": "walrus tusks"}, headers=ben)).text

    await found()
    assert asked == []  # nobody has anything of their own
    for text in ("Walrus tusks grow.", "Walrus tusks break."):
        added = await client.post("/facts", json={"text": text, "owner": "mine"}, headers=ann)
        assert added.status_code == 201, added.text
        before = len(asked)
        for _ in range(2):
            assert text not in await found()
        assert asked[before:] == [False]
