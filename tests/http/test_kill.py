"""A server that is killed in the middle of writing has kept everything that it acknowledged."""

from __future__ import annotations

import threading
from pathlib import Path

import httpx

from tests.http.conftest import served

WRITERS = 4
ENOUGH = 40  # acknowledged messages, after which the server is killed while more are on their way


def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    kept: list[str] = []
    enough = threading.Event()

    def write(writer: int, url: str) -> None:
        with httpx.Client(base_url=url, timeout=60) as client:
            for number in range(1000):
                said = f"writer {writer}, message {number}"
                body = {"messages": [{"role": "user", "content": said}]}
                try:
                    answer = client.post("/messages", json=body)
                except httpx.TransportError:
                    return  # killed
                if answer.status_code == 200:
                    kept.append(said)
                if len(kept) >= ENOUGH:
                    enough.set()

    with served(tmp_path / "home") as (url, process):
        writers = [threading.Thread(target=write, args=(number, url)) for number in range(WRITERS)]
        for one in writers:
            one.start()
        assert enough.wait(120)
        process.kill()
        for one in writers:
            one.join()
    with served(tmp_path / "home") as (url, _):
        page = httpx.get(f"{url}/messages", params={"limit": 1000}, timeout=60).json()
        there = [one["message"]["content"] for one in page["messages"]]
        assert set(kept) <= set(there)
        assert len(there) == len(set(there)), "and nothing is there twice"
        assert [one["sequence"] for one in page["messages"]] == list(range(1, len(there) + 1))
        found = httpx.get(f"{url}/history/search", params={"query": kept[0], "limit": 1}, timeout=60).json()
        assert found["total"] > 0, "the indexes follow by themselves"
