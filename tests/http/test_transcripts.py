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


async def test_pages_by_cursor_repeat_and_miss_nothing_while_others_write(client: httpx.AsyncClient) -> None:
    await client.post("/conversations", json={"conversation_id": "pages"})

    async def add(*numbers: int) -> None:
        said = [{"role": "user", "content": str(number)} for number in numbers]
        await client.post("/messages", json={"conversation_id": "pages", "messages": said})

    async def page(**asked: str) -> tuple[list[str], str | None]:
        answer = (
            await client.get("/messages", params={"conversation_id": "pages", "limit": "2", **asked})
        ).json()
        return [one["message"]["content"] for one in answer["messages"]], answer["next_cursor"]

    await add(1, 2, 3, 4, 5)
    first, cursor = await page(order="latest")
    await add(6)
    second, cursor = await page(order="latest", cursor=cursor or "")
    third, cursor = await page(order="latest", cursor=cursor or "")
    assert (first, second, third, cursor) == (["5", "4"], ["3", "2"], ["1"], None)
    oldest, after = await page(order="oldest")
    assert after
    assert (oldest, (await page(cursor=after))[0]) == (["1", "2"], ["3", "4"])
    assert (await client.get("/messages", params={"cursor": "0" * 32})).status_code == 404
