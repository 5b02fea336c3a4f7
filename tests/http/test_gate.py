"""Who may ask the server, and what becomes of everything else (requirement H4)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from ark_tui.faces.http import shape
from ark_tui.faces.http.desk import Desk
from ark_tui.faces.http.gate import LARGEST, Rules, is_loopback, rules
from tests.http.conftest import calling


def refusal(response: httpx.Response) -> tuple[int, str]:
    """The status, and the sentence; a refusal always says what to do next, and shows no traceback."""
    said = response.json()
    assert said.keys() == {"error", "hint"}
    assert said["hint"]
    assert "Traceback" not in response.text
    return response.status_code, said["error"]


@pytest.mark.parametrize("host", ["127.0.0.1:7070", "localhost", "LOCALHOST:7070", "[::1]:7070"])
async def test_this_machine_may_ask_by_any_of_its_names(client: httpx.AsyncClient, host: str) -> None:
    assert (await client.get("/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:7070", "127.0.0.1.evil.example", "10.0.0.7", ""]
)
async def test_a_name_that_was_pointed_here_is_refused(client: httpx.AsyncClient, host: str) -> None:
    assert refusal(await client.get("/health", headers={"Host": host}))[0] == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:3000", "file://"])
async def test_web_pages_of_others_are_refused(client: httpx.AsyncClient, origin: str) -> None:
    response = await client.post("/search", json={"query": "gap"}, headers={"Origin": origin})
    assert refusal(response)[0] == 403


async def test_the_servers_own_page_may_ask_and_nobody_else_is_told_to_read(
    client: httpx.AsyncClient,
) -> None:
    response = await client.get("/health", headers={"Origin": "http://127.0.0.1:7070"})
    assert response.status_code == 200
    assert not [name for name in response.headers if name.startswith("access-control")]


@pytest.fixture
async def guarded(counter: Desk) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(counter, rules("0.0.0.0", token="right")) as client:
        yield client


@pytest.mark.parametrize("given", [None, "Bearer wrong", "Bearer ", "right", "Basic right", "Bearer rightx"])
async def test_without_its_token_a_guarded_server_says_nothing(
    guarded: httpx.AsyncClient, given: str | None
) -> None:
    headers = {"Authorization": given} if given else {}
    response = await guarded.post("/search", json={"query": "gap"}, headers=headers)
    assert refusal(response)[0] == 401
    assert response.headers["www-authenticate"] == "Bearer"


async def test_with_its_token_it_answers_by_any_of_its_addresses(guarded: httpx.AsyncClient) -> None:
    headers = {"Authorization": "Bearer right", "Host": "192.168.1.20:7070"}
    assert (await guarded.post("/search", json={"query": "gap"}, headers=headers)).status_code == 200
    headers["Host"] = "evil.example"
    assert (await guarded.post("/search", json={"query": "gap"}, headers=headers)).status_code == 421


def test_only_this_machines_own_addresses_are_loopback() -> None:
    assert all(map(is_loopback, ["127.0.0.1", "127.8.8.8", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "10.0.0.1", "example.org", ""]))


async def test_a_body_beyond_the_limit_is_refused_stated_or_not(client: httpx.AsyncClient) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(LARGEST // 1_000_000 + 2):
            yield b"x" * 1_000_000

    assert refusal(await client.post("/ingest", content=b"x" * (LARGEST + 1)))[0] == 413
    assert refusal(await client.post("/ingest", content=endless()))[0] == 413


async def test_json_that_is_too_deep_or_too_long_is_refused(client: httpx.AsyncClient) -> None:
    deep = b'{"query":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert refusal(await client.post("/search", content=deep))[0] in {400, 413}
    deep = b'{"query":' + b"[" * 40 + b"]" * 40 + b"}"
    assert refusal(await client.post("/search", content=deep))[0] == 400
    many = b'{"query":[' + b"1," * 200_000 + b"1]}"
    assert refusal(await client.post("/search", content=many))[0] == 413


def test_brackets_within_texts_do_not_count() -> None:
    shape.check(b'{"query": "' + b"[{" * 1000 + b'\\"[[[[", "limit": 3}')


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "The request has no body."),
        (b"{", "The body is not JSON"),
        (b"[1]", "The body has to be a JSON object."),
        (b"{}", "query is missing."),
        (b'{"query": ""}', "query: "),
        (b'{"query": "x", "limti": 3}', "There is no field limti."),
        (b'{"query": "x", "limit": 0}', "limit: "),
        (b'{"query": "x", "limit": 100000}', "limit: "),
        (b'{"query": "x", "mode": "psychic"}', "mode: "),
        (b'{"query": 7}', "query: "),
    ],
)
async def test_a_bad_body_is_told_in_a_sentence(client: httpx.AsyncClient, body: bytes, said: str) -> None:
    status, error = refusal(await client.post("/search", content=body))
    assert status == 422
    assert error.startswith(said)


async def test_errors_of_the_engine_keep_their_sentences(client: httpx.AsyncClient) -> None:
    assert refusal(await client.post("/search", json={"query": '"open'}))[0] == 400
    assert refusal(await client.post("/search", json={"query": "x", "profile": "nope"}))[1].startswith(
        "There is no profile nope"
    )
    assert refusal(await client.get("/documents", params={"ref": "no-such-thing"}))[0] == 404
    assert refusal(await client.get("/nowhere"))[0] == 404
    assert refusal(await client.put("/search"))[0] == 405


async def test_a_fault_of_ours_shows_neither_traceback_nor_path(
    counter: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("secret /etc/passwd")

    monkeypatch.setattr(type(counter.engine), "status", broken)
    async with calling(counter, Rules()) as client:
        response = await client.get("/status")
    assert refusal(response)[0] == 500
    assert "passwd" not in response.text
    assert "passwd" in caplog.text, "but the server's own log knows"
