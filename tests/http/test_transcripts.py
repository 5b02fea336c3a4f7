"""Messages over HTTP as programs have them: transcripts, client ids, cursors."""

from __future__ import annotations

import json

import httpx

from tests.memory.test_history import ANTHROPIC, OPENAI


async def test_a_transcript_comes_back_as_it_went_in(client: httpx.AsyncClient) -> None:
    for transcript in (OPENAI, ANTHROPIC):
        name = str(len(transcript))
        await client.post("/conversations", json={"conversation_id": name})
        stored = await client.post("/messages", json={"conversation_id": name, "messages": transcript})
        assert stored.status_code == 200, stored.text
        records = (await client.get("/messages", params={"conversation_id": name})).json()["messages"]
        for sent, record in zip(transcript, records, strict=True):
            wanted = {key: value for key, value in sent.items() if value is not None or key == "content"}
            text = json.dumps(wanted).replace("data:image/png;base64," + "A" * 9000, "[9,022 characters]")
            assert record["message"] == json.loads(text)


async def test_messages_with_the_clients_ids_are_kept_once(client: httpx.AsyncClient) -> None:
    await client.post("/conversations", json={"conversation_id": "ids"})
    said = [{"role": "user", "content": f"otter {i}", "id": f"m{i}"} for i in range(4)]
    await client.post("/messages", json={"conversation_id": "ids", "messages": said[:3]})
    again = await client.post("/messages", json={"conversation_id": "ids", "messages": [*said, said[3]]})
    assert again.status_code == 200
    found = (await client.get("/messages", params={"conversation_id": "ids"})).json()["messages"]
    assert [one["message"]["content"] for one in found] == [one["content"] for one in said]
    assert [one["sequence"] for one in found] == [1, 2, 3, 4]
