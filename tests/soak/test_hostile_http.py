"""A server among hostile clients: whoever asks in good faith is answered, and its memory stays the same."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from tests.http.conftest import served
from tests.http.test_crowded import silent
from tests.soak import figures

pytestmark = pytest.mark.soak

SEED = 13
HOSTILE = 1_000
IDLE = 260
ORDINARY = 10_000
GROWTH = 60_000_000  # bytes that a server may have grown by: caches that fill once


def resident(pid: int) -> int:
    """Bytes of a process that are in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


Asked = tuple[str, str, dict[str, str], bytes]


TEXTS = ('"open', "a" * 9_000, "((((", "\x00", "path:" + "*a" * 40, "-" * 5_000, "before:" + "9" * 40)
PATHS = (
    "/messages?offset={huge}", "/tasks/{huge}", "/scratch/{text}", "/%ff%00", "/../..", "/search",
    "/messages", "/history/search?query={text}", "/expert/{text}?issue_number={huge}",
    "/documents?ref={text}", "/ingest",
    "/context", "/outcomes", "/jobs/{text}", "/docs", "/similar?ref={text}&limit={huge}",
)  # fmt: skip
HEADERS: tuple[dict[str, str], ...] = (
    {}, {"Host": "127.0.0.1:1@evil"}, {"Origin": "http://evil"}, {"Sec-Fetch-Site": "cross-site"},
    {"Authorization": "Bearer " + "x" * 5_000}, {"Content-Type": "text/plain; charset=utf-7"},
)  # fmt: skip
BODIES = (
    b"", b"{", b'"', b"\xff\xfe", b"[" * 50_000, b"[1," * 50_000, b'{"query": "' + b"\\n" * 500_000 + b'"}',
    b'{"query": "\\ud800"}', b'{"limit": 1e999}', b'{"query": ' + b"9" * 5_000 + b"}",
    json.dumps({f"f{number}": number for number in range(5_000)}).encode(),
    b'{"query": ' + b"[" * 33 + b"]" * 33 + b"}", b'{"text": "' + b"x" * 3_000_000,
)  # fmt: skip


def hostile(chance: random.Random) -> Asked:
    """A request that no program in its senses would send."""
    huge = quote(chance.choice(["1" + "0" * 30, "-1", "1e999", "NaN", "\u0661", "0x10", "' OR 1=1 --"]))
    text = chance.choice(
        ['"open', "a" * 9_000, "((((", "\x00", "path:" + "*a" * 40, "-" * 5_000, "before:" + huge]
    )
    path = chance.choice(PATHS).format(huge=huge, text=quote(text[:3_000]))
    headers = chance.choice(HEADERS)
    body = chance.choice([*BODIES, json.dumps({"query": text}).encode()])
    return chance.choice(["GET", "POST", "PUT", "PATCH", "DELETE", "BREW"]), path, headers, body


def status(url: str, asked: Asked) -> int:
    """What a request is answered; 0 where the connection was closed."""
    method, path, headers, body = asked
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
    except (http.client.HTTPException, ConnectionError, BrokenPipeError):
        return 0
    finally:
        connection.close()
    return answer.status


GOOD: Asked = ("GET", "/tasks", {}, b"")


@contextmanager
def good_client(url: str, waits: list[float]) -> Iterator[None]:
    """One that asks over and over, on a connection of its own each time, and notes how long it waited."""
    over = threading.Event()

    def ask() -> None:
        while not over.wait(0.05):
            began = time.perf_counter()
            assert status(url, GOOD) == 200
            waits.append(time.perf_counter() - began)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield
    finally:
        over.set()
        asking.join()


def test_a_good_client_never_waits_long_among_hostile_ones(tmp_path: Path) -> None:
    passed = figures.begin(f"{HOSTILE:,} hostile HTTP requests while {IDLE} connections idle")
    chance = random.Random(SEED)
    waits: list[float] = []
    with served(tmp_path / "home") as (url, process), suppress(ConnectionError):
        for number in range(200):  # what a server loads once, it has loaded
            status(url, hostile(random.Random(number)))
        before = resident(process.pid)
        answers: list[int] = []
        with silent(url, IDLE), good_client(url, waits):
            answers.extend(status(url, hostile(chance)) for _ in range(HOSTILE))
        grown = resident(process.pid) - before
    assert len(answers) == HOSTILE
    assert 500 not in answers
    assert max(waits) < 1
    assert grown < GROWTH
    passed(
        f"no 500; a good client asked {len(waits):,} times and waited {max(waits) * 1000:.0f} ms at most; "
        f"the server grew by {max(0, grown) / 1e6:.0f} MB"
    )


def test_ten_thousand_requests_leave_the_memory_as_it_was(tmp_path: Path) -> None:
    passed = figures.begin(f"{ORDINARY:,} ordinary HTTP requests")
    kinds: tuple[Asked, ...] = (
        GOOD,
        ("GET", "/health", {}, b""),
        ("GET", "/status", {}, b""),
        ("PUT", "/scratch/key", {}, b'{"value": "what stands there"}'),
        ("GET", "/scratch", {}, b""),
    )
    with served(tmp_path / "home") as (url, process):
        for number in range(1_000):
            assert status(url, kinds[number % len(kinds)]) == 200
        before = resident(process.pid)
        for number in range(ORDINARY):
            assert status(url, kinds[number % len(kinds)]) == 200
        grown = resident(process.pid) - before
    assert grown < GROWTH / 2
    passed(f"the server grew by {max(0, grown) / 1e6:.1f} MB")
