"""The conversation memory API, to the letter (requirement H2)."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

ISO_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest.fixture
async def talk(client: httpx.AsyncClient) -> str:
    """A new conversation of two messages."""
    begun = await client.post("/conversations")
    assert begun.status_code == 201
    assert begun.json().keys() == {"conversation_id"}
    talk = str(begun.json()["conversation_id"])
    said = [
        {"role": "user", "content": "Where do swifts sleep?"},
        {"role": "assistant", "content": "In the air."},
    ]
    body = {"conversation_id": talk, "query_id": "q1", "messages": said}
    stored = await client.post("/messages", json=body)
    assert (stored.status_code, stored.content) == (200, b"")
    return talk


async def page(client: httpx.AsyncClient, **asked: object) -> Any:
    response = await client.get("/messages", params={k: str(v) for k, v in asked.items()})
    assert response.status_code == 200
    return response.json()


async def test_messages_come_back_as_records_in_their_order(client: httpx.AsyncClient, talk: str) -> None:
    found = await page(client, conversation_id=talk)
    assert found.keys() == {"messages", "total", "limit", "offset"}
    assert (found["total"], found["limit"], found["offset"]) == (2, 100, 0)
    first, second = found["messages"]
    assert first.keys() == {"timestamp", "conversation_id", "query_id", "message", "sequence"}
    assert ISO_UTC.fullmatch(first["timestamp"])
    assert first["message"] == {"role": "user", "content": "Where do swifts sleep?"}
    assert (first["conversation_id"], first["query_id"]) == (talk, "q1")
    assert (first["sequence"], second["sequence"]) == (1, 2)


async def test_conversations_are_listed_shown_and_deleted(client: httpx.AsyncClient, talk: str) -> None:
    assert talk in (await client.get("/conversations")).json()["conversations"]
    shown = (await client.get(f"/conversations/{talk}")).json()
    assert shown.keys() == {"conversation_id", "messages"}
    assert [one["sequence"] for one in shown["messages"]] == [1, 2]
    gone = await client.delete(f"/conversations/{talk}")
    assert gone.json().keys() == {"status", "message"}
    assert (await client.get(f"/conversations/{talk}")).status_code == 404
    assert talk not in (await client.get("/conversations")).json()["conversations"]


async def test_an_empty_conversation_is_not_an_unknown_one(client: httpx.AsyncClient) -> None:
    empty = (await client.post("/conversations", json={"conversation_id": "quiet"})).json()["conversation_id"]
    assert empty == "quiet"
    assert (await client.get("/conversations/quiet")).json() == {"conversation_id": "quiet", "messages": []}
    assert (await page(client, conversation_id="quiet"))["messages"] == []
    for response in (
        await client.get("/conversations/nowhere"),
        await client.delete("/conversations/nowhere"),
        await client.get("/messages", params={"conversation_id": "nowhere"}),
        await client.post(
            "/messages", json={"conversation_id": "nowhere", "messages": [{"role": "user", "content": "x"}]}
        ),
    ):
        assert response.status_code == 404
        assert response.json().keys() == {"error", "hint"}


async def test_without_a_conversation_there_is_one_named_default(client: httpx.AsyncClient) -> None:
    await client.post("/messages", json={"messages": [{"role": "user", "content": "to nobody"}]})
    assert "default" in (await client.get("/conversations")).json()["conversations"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": [{"role": "wizard", "content": "x"}]},
        {"messages": [{"role": "user", "content": ""}]},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": "x", "mood": "good"}]},
        {"messages": "x"},
    ],
)
async def test_a_bad_message_is_refused_and_nothing_of_it_is_kept(
    client: httpx.AsyncClient, talk: str, body: dict[str, object]
) -> None:
    good = [{"role": "user", "content": "good"}]
    messages = body.get("messages")
    mixed = {**body, "conversation_id": talk}
    if isinstance(messages, list) and messages:
        mixed["messages"] = [*good, *messages]
    assert (await client.post("/messages", json=mixed)).status_code == 422
    assert (await page(client, conversation_id=talk))["total"] == 2


async def test_a_query_id_may_be_a_uuid_wherever_one_is_taken(client: httpx.AsyncClient, talk: str) -> None:
    asked, another = "9b2e7c1a-5d0f-4e63-8a17-0c4d2f6b8e91", "9b2e7c1a-5d0f-4e63-8a17-0c4d2f6b8e92"
    said = [{"role": "assistant", "content": "Swifts doze in the air."}]
    for query in (asked, another):
        body = {"conversation_id": talk, "query_id": query, "messages": said}
        assert (await client.post("/messages", json=body)).status_code == 200
        added = {"role": "assistant", "content": "Half a brain at a time.", "conversation_id": talk}
        assert (await client.post("/history", json={**added, "query_id": query})).status_code == 201
        event = {"event_type": "answered", "verdict": query[-1], "query_id": query}
        assert (await client.post("/outcomes", json=event)).status_code == 201
    found = await page(client, conversation_id=talk, query_id=asked)
    assert [one["query_id"] for one in found["messages"]] == [asked, asked]
    listed = (await client.get("/history", params={"query_id": asked})).json()
    assert [one["query_id"] for one in listed["messages"]] == [asked, asked]
    events = (await client.get("/outcomes", params={"query_id": asked})).json()["events"]
    assert [(one["queryId"], one["verdict"]) for one in events] == [(asked, "1")]
    totals = (await client.get("/outcomes", params={"query_id": asked, "aggregate": True})).json()
    assert (totals["count"], totals["verdictDistribution"]) == (1, {"1": 1})
