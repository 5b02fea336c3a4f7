"""Eight clients read and write over HTTP for a minute; then the server is killed, and everything is there.

The floor is a route that does nothing, behind the same gate and asked by the same clients.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from benchmarks import corpus
from benchmarks.measure import Figure, middle, percentile, rounded, tell

CLIENTS = 8
SECONDS = 60.0
PATIENCE = 30.0
QUESTIONS = ("spectral gap", "index of words", "how does a lease work", "neighbours of a chunk", "tea")


@dataclass
class Client:
    """One of them: what it was told was kept, and how long everything took."""

    number: int
    url: str
    kept: list[str] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=lambda: {"search": [], "message": [], "health": []})
    refused: Counter[int] = field(default_factory=Counter)

    def run(self, until: float) -> None:
        with httpx.Client(base_url=self.url, timeout=PATIENCE) as client:
            turn = 0
            while time.monotonic() < until:
                turn += 1
                self._ask(client, turn)

    def _ask(self, client: httpx.Client, turn: int) -> None:
        try:
            if turn % 4 == 0:
                said = f"client {self.number} says {turn}"
                body = {"conversation_id": "load", "messages": [{"role": "user", "content": said}]}
                if self._timed("message", client, "POST", "/messages", body):
                    self.kept.append(said)
            elif turn % 4 == 2:
                self._timed("health", client, "GET", "/health", None)
            else:
                question = QUESTIONS[(self.number + turn) % len(QUESTIONS)]
                self._timed("search", client, "POST", "/search", {"query": question, "limit": 10})
        except httpx.TransportError:
            return  # the server was killed under way: what it had not acknowledged is not asked for

    def _timed(self, kind: str, client: httpx.Client, method: str, path: str, body: object) -> bool:
        start = time.perf_counter()
        response = client.request(method, path, json=body)
        self.times[kind].append((time.perf_counter() - start) * 1000)
        if response.status_code >= 400:
            self.refused[response.status_code] += 1
        return response.status_code < 400


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        command = [sys.executable, "-m", "ark_tui", "index", "--home", str(home), str(corpus.pages(2000))]
        subprocess.run(command, check=True, capture_output=True)
        server, url = _served(home)
        httpx.post(f"{url}/conversations", json={"conversation_id": "load"}).raise_for_status()
        httpx.post(f"{url}/search", json={"query": "warm"}, timeout=PATIENCE)
        clients = [Client(number, url) for number in range(CLIENTS)]
        end = time.monotonic() + SECONDS
        threads = [threading.Thread(target=client.run, args=(end,)) for client in clients]
        for thread in threads:
            thread.start()
        time.sleep(SECONDS - 2)
        server.kill()
        for thread in threads:
            thread.join()
        server.wait()
        server, url = _served(home)
        lost = _lost(url, clients)
        server.terminate()
        server.wait()
    _say(clients, lost)


def _served(home: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "ark_tui", "serve", "--json", "--port", "0", "--home", str(home)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    lines = []
    while (line := server.stdout.readline()) not in {"}\n", ""}:
        lines.append(line)
    return server, str(json.loads("".join(lines) + "}")["url"])


def _lost(url: str, clients: list[Client]) -> int:
    """How many acknowledged messages are not there any more."""
    there: set[str] = set()
    offset = 0
    while True:
        asked: dict[str, str | int] = {"conversation_id": "load", "limit": 1000, "offset": offset}
        page = httpx.get(f"{url}/messages", params=asked, timeout=PATIENCE).json()
        there.update(one["message"]["content"] for one in page["messages"])
        offset += len(page["messages"])
        if not page["messages"]:
            return sum(said not in there for client in clients for said in client.kept)


def _say(clients: list[Client], lost: int) -> None:
    times = {kind: [t for client in clients for t in client.times[kind]] for kind in clients[0].times}
    refused = sum((client.refused for client in clients), Counter[int]())
    faults = sum(count for status, count in refused.items() if status != 429)
    total = sum(map(len, times.values()))
    ratio = middle(times["message"]) / middle(times["health"])
    detail = rounded(
        requests_a_second=total / SECONDS,
        **{f"{kind}_p50_ms": middle(one) for kind, one in times.items()},
        **{f"{kind}_p99_ms": percentile(one, 0.99) for kind, one in times.items()},
    )
    detail |= {"asked_to_wait": refused[429], "errors": faults, "lost": lost}
    tell(
        Figure("served", round(ratio, 3), "≤ 5", detail),
        f"{CLIENTS} clients, a minute, `kill -9` at its end: {total / SECONDS:.0f} requests/s, {faults} "
        f"errors, {lost} of {sum(len(c.kept) for c in clients)} acknowledged messages lost; search p50 "
        f"{middle(times['search']):.0f} ms, p99 {percentile(times['search'], 0.99):.0f} ms; a stored message "
        f"costs {ratio:.1f} × a route that does nothing",
    )


if __name__ == "__main__":
    main()
