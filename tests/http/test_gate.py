"""Who may ask the server, and what becomes of everything else (requirement H4)."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.errors import StoreError
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import ServerState
from ark_tui.interfaces.http.gate import Rules, is_loopback, rules
from ark_tui.interfaces.reports.shape import LARGEST, Shape
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
    "host",
    [
        "127.0.0.1:1@evil", "127.0.0.1:x", "127.0.0.1:", "localhost/", "a b", "[::1", "evil.example",
        "evil.example:7070", "127.0.0.1.evil.example", "10.0.0.7", "",
    ],
)  # fmt: skip
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


@pytest.mark.parametrize("name", ["Host", "Origin", "Content-Length", "Authorization", "Sec-Fetch-Site"])
async def test_a_header_that_decides_who_asks_may_be_there_once_only(
    client: httpx.AsyncClient, name: str
) -> None:
    given = {"Host": "127.0.0.1:7070", "Origin": "http://127.0.0.1:7070"}.get(name, "0")
    status, said = refusal(await client.get("/status", headers=[(name, "evil"), (name, given)]))
    assert status == 400
    assert name.lower() in said


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
async def test_a_page_of_others_causes_nothing_even_where_it_sends_no_origin(
    client: httpx.AsyncClient, engine: Engine, site: str
) -> None:
    found = engine.search(Request("gap")).hits[0].document.id
    before = accesses(engine)
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert refusal(await client.get("/documents", params={"ref": found}, headers=headers))[0] == 403
    assert refusal(await client.get("/docs", headers=headers))[0] == 403
    assert accesses(engine) == before
    assert (await client.get("/health", headers=headers)).status_code == 200
    navigating = headers | {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert (await client.get("/docs", headers=navigating)).status_code == 200
    assert refusal(await client.get("/status", headers=navigating))[0] == 403


def accesses(engine: Engine) -> int:
    """How often documents of the home were opened."""
    with engine.store.read() as lease:
        return int(lease.value("SELECT count(*) FROM ark.accesses"))


async def test_every_answer_tells_a_browser_to_run_guess_and_keep_nothing(client: httpx.AsyncClient) -> None:
    for path in ("/health", "/nowhere", "/docs", "/openapi.json"):
        said = (await client.get(path)).headers
        assert said["content-security-policy"].startswith("default-src 'none'; frame-ancestors 'none'")
        assert said["x-content-type-options"] == "nosniff"
        assert said["cache-control"] == "no-store"
        assert said["referrer-policy"] == "no-referrer"


async def test_the_page_of_the_api_names_every_route_and_loads_nothing(client: httpx.AsyncClient) -> None:
    page = (await client.get("/docs")).text
    routes = (await client.get("/openapi.json")).json()["paths"]
    assert all(f"{verb.upper()} {path}" in page for path, verbs in routes.items() for verb in verbs)
    assert not re.search(r"<(script|link|img|iframe)|src=|https?:|@import|url\(", page)


@pytest.fixture
async def guarded(counter: ServerState) -> AsyncIterator[httpx.AsyncClient]:
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


@pytest.mark.parametrize("piece", [b"x", b"\\n", b"\\\\", b'\\"', b"\\u00e9", "é".encode()])
def test_a_string_of_ten_megabytes_is_checked_without_being_kept(piece: bytes) -> None:
    body = b'{"query": "' + piece * (10_000_000 // len(piece)) + b'"}'
    shape = Shape()
    tracemalloc.start()
    try:
        for at in range(0, len(body), 65_537):  # an odd number: escapes are cut in two
            shape.feed(body[at : at + 65_537])
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


TEXTS = st.text(alphabet='a"\\,[]{}é')
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)
)


@given(VALUES, st.integers(1, 7))
def test_a_body_is_as_deep_and_as_long_however_it_is_cut(value: object, size: int) -> None:
    body = json.dumps(value).encode()
    whole, cut = Shape(), Shape()
    whole.feed(body)
    for at in range(0, len(body), size):
        cut.feed(body[at : at + size])
    assert whole._counts[b",[{"] == cut._counts[b",[{"] == marks_in(value)
    assert whole._depth == cut._depth == 0


def marks_in(value: object) -> int:
    """Commas and opening brackets outside of strings."""
    if not isinstance(value, dict | list):
        return 0
    inside = value.values() if isinstance(value, dict) else value
    return 1 + max(0, len(value) - 1) + sum(map(marks_in, inside))


async def test_what_would_be_refused_field_by_field_is_refused_at_once(client: httpx.AsyncClient) -> None:
    body = {f"field{number}": 1 for number in range(1000)}
    assert refusal(await client.post("/search", json=body)) == (422, "it has more than 100 fields.")


async def test_every_number_that_a_route_takes_is_bounded(client: httpx.AsyncClient) -> None:
    def numbers(at: object, path: str = "") -> Iterator[tuple[str, dict[str, object]]]:
        if isinstance(at, dict):
            if at.get("type") in ("integer", "number"):
                yield path, at
            for name, inner in at.items():
                yield from numbers(inner, f"{path}/{name}")
        elif isinstance(at, list):
            for inner in at:
                yield from numbers(inner, path)

    document = (await client.get("/openapi.json")).json()
    routes = [route for methods in document["paths"].values() for route in methods.values()]
    asked = [[route.get("parameters", []), route.get("requestBody", {})] for route in routes]
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(asked)))
    bodies = {name: schema for name, schema in document["components"]["schemas"].items() if name in named}
    found = list(numbers([asked, bodies]))
    assert len(found) > 20
    assert [path for path, schema in found if not {"minimum", "maximum"} <= schema.keys()] == []


async def test_a_store_that_fails_shows_no_file_of_the_home(
    counter: ServerState, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object, **__: object) -> None:
        raise StoreError("The store /home/ann/.ark/ark.duckdb is damaged: SELECT 1", "see /home/ann")

    monkeypatch.setattr(type(counter.engine), "status", broken)
    async with calling(counter, Rules()) as client:
        response = await client.get("/status")
    assert refusal(response) == (500, "The store … is damaged.")
    assert "home/ann" not in response.text
    assert "ark.duckdb" in caplog.text


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
    assert refusal(await client.post("/search", json={"query": "before:banana"}))[0] == 400
    assert refusal(await client.post("/search", json={"query": "x", "profile": "nope"}))[1].startswith(
        "There is no profile nope"
    )
    assert refusal(await client.get("/documents", params={"ref": "no-such-thing"}))[0] == 404
    assert refusal(await client.get("/nowhere")) == (404, "There is no such path /nowhere.")
    assert refusal(await client.put("/search"))[0] == 405


async def test_a_fault_of_ours_shows_neither_traceback_nor_path(
    counter: ServerState, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object, **__: object) -> None:
        raise RuntimeError("secret /etc/passwd")

    monkeypatch.setattr(type(counter.engine), "status", broken)
    async with calling(counter, Rules()) as client:
        response = await client.get("/status")
    assert refusal(response)[0] == 500
    assert "passwd" not in response.text
    assert "passwd" in caplog.text, "but the server's own log knows"
