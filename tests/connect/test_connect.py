"""A home that another machine serves: searched in stages, changed once, refused in sentences."""

from __future__ import annotations

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.domain.errors import ArkError, Cancelled, Forbidden, QuerySyntaxError, UsageError
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.engine import Engine
from ark_tui.interfaces.calls import lines
from ark_tui.interfaces.client import home as home_module
from ark_tui.interfaces.client import link
from ark_tui.interfaces.client.home import Disconnected, Home
from ark_tui.interfaces.client.link import Address, Broken, ServerAddress, Wire
from ark_tui.interfaces.client.stdio import Forwarder, checked
from ark_tui.interfaces.mcp import server as mcp
from ark_tui.operations import corpus, curation, find, tasks, workbench
from ark_tui.operations import home as upkeep
from ark_tui.operations.call import Call
from tests.connect.serving import TOKEN, home_at, serving
from tests.http.conftest import NOTES, served
from tests.ollama_server import OllamaServer


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("connect")
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, "utf-8")
    with Engine(settings.load(folder / "home")) as engine:
        engine.index([folder / "notes"])
        yield engine


@pytest.fixture(scope="module")
def url(engine: Engine) -> Iterator[str]:
    with serving(engine) as url:
        yield url


@pytest.fixture
def home(url: str) -> Iterator[Home]:
    with closing(home_at(url, TOKEN)) as home:
        yield home


def calling(home: Home, **about: Any) -> Call:
    return Call(home.engine, person=True, **about)


def ask(home: Home, what: Any, *given: Any, **named: Any) -> Any:
    return home.ask(what, calling(home), given, named)


def test_a_search_comes_in_the_stages_and_with_the_hits_that_it_has_at_home(
    home: Home, engine: Engine
) -> None:
    request = Request("spectral gap", limit=10, unlogged=True)
    there = [*ask(home, workbench.search, request)]
    here = [*workbench.search(Call(engine, person=True), request)]
    assert [(one.partial, one.hits) for _, one in there][-1] == [(one.partial, one.hits) for _, one in here][
        -1
    ]
    assert [meant for meant, _ in there] == [request] * len(there)


def test_an_error_is_the_one_that_it_is_at_home(home: Home) -> None:
    with pytest.raises(QuerySyntaxError) as refused:
        [*ask(home, workbench.search, Request('before:banana "gap'))]
    assert refused.value.hint


@pytest.mark.parametrize("losses", [1, 2])
def test_a_change_whose_answer_was_lost_is_done_once(
    home: Home, monkeypatch: pytest.MonkeyPatch, losses: int
) -> None:
    answer = Wire.answer
    lost: list[list[bytes]] = []

    def losing(wire: Wire, stop: Any, told: Any) -> Iterator[bytes]:
        if len(lost) < losses:
            lost.append([*answer(wire, stop, told)])
            raise Broken("it was closed", asked=True)
        yield from answer(wire, stop, told)

    before = ask(home, tasks.list_, limit=1000).total
    monkeypatch.setattr(Wire, "answer", losing)
    added = home.ask(tasks.add, calling(home), ("call Ann",), again=(0, 0))
    assert len(lost) == losses
    assert added.text == "call Ann"
    assert ask(home, tasks.list_, limit=1000).total == before + 1


def test_an_undo_whose_answer_was_lost_takes_back_one_edit(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tag in ("one", "two"):
        ask(home, curation.tag, (tag,), ("gap.md",))
    answer = Wire.answer
    lost: list[list[bytes]] = []

    def losing(wire: Wire, stop: Any, told: Any) -> Iterator[bytes]:
        if not lost:
            lost.append([*answer(wire, stop, told)])
            raise Broken("it was closed", asked=True)
        yield from answer(wire, stop, told)

    monkeypatch.setattr(Wire, "answer", losing)
    home.ask(curation.undo, calling(home), again=(0,))
    assert ask(home, workbench.text, "gap.md").document.tags == ("one", "theory")
    ask(home, curation.undo)


def test_connections_are_used_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    made, before = list[Wire](), Wire.__init__

    def counted(wire: Wire, address: Address) -> None:
        made.append(wire)
        before(wire, address)

    monkeypatch.setattr(Wire, "__init__", counted)
    for _ in range(5):
        ask(home, workbench.news)
    assert len(made) == 1


def test_a_search_that_nobody_waits_for_any_more_is_stopped_at_the_server(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, stopped, given_up = threading.Event(), threading.Event(), threading.Event()

    def search(call: Call, request: Request) -> Iterator[Any]:
        begun.set()
        while not call.stop.is_set():
            stopped.wait(0.01)
        stopped.set()
        yield request

    search.__module__ = workbench.__name__
    monkeypatch.setattr(workbench, "search", search)
    failed = []

    def asked() -> None:
        try:
            [*home.ask(search, calling(home, stop=given_up), (Request("gap"),))]
        except Cancelled as error:
            failed.append(error)

    thread = threading.Thread(target=asked)
    thread.start()
    assert begun.wait(30)
    given_up.set()
    thread.join(30)
    assert failed
    assert stopped.wait(30)


def test_what_is_wrong_is_a_sentence_with_what_to_do(url: str, engine: Engine, monkeypatch: Any) -> None:
    with pytest.raises(UsageError, match="needs a token"):
        home_at(url, "")
    with pytest.raises(UsageError, match="has another token"):
        ask(home_at(url, "no"), workbench.news)
    for wrong in ("ftp://x", "http://", "http://a:b@c", "http://x:banana"):
        with pytest.raises(UsageError, match="is not the address"):
            home_at(wrong, TOKEN)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        closed = f"http://127.0.0.1:{listening.getsockname()[1]}"
    away = home_at(closed, TOKEN)
    with pytest.raises(Disconnected, match=r"Cannot reach .*: Connection refused"):
        away.ask(workbench.news, calling(away), again=())
    with serving(engine, token="") as open_to_all, pytest.raises(UsageError, match="has another token"):
        ask(home_at(open_to_all, TOKEN), workbench.news)
    monkeypatch.setattr(lines, "VERSION", "0.0.1")
    with pytest.raises(UsageError, match=r"server has ark-tui 0\.0\.1"):
        ask(home_at(url, TOKEN), workbench.news)


def test_a_command_searches_a_home_that_is_served(url: str, tmp_path: Path) -> None:
    environ = os.environ | {"ARK_CONNECT": url, "ARK_TOKEN": TOKEN, "ARK_HOME": str(tmp_path / "none")}
    command = [sys.executable, "-m", "ark_tui", "search", "spectral", "gap", "--json"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Spectral gaps" in done.stdout
    environ["ARK_CONNECT"] = "http://127.0.0.1:9"
    lost = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert lost.returncode == 1
    assert "Cannot reach" in lost.stderr


def test_a_machine_that_does_not_answer_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def silent(address: tuple[str, int], timeout: float) -> socket.socket:
        asked.append(address)
        sleep(timeout)
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "create_connection", silent)
    for module in (link, home_module):
        monkeypatch.setattr(module, "CONNECTING", 0.1)
    away = home_at("http://10.0.0.1", TOKEN)
    with pytest.raises(Disconnected, match=r"Cannot reach .*: timed out"):
        away.ask(workbench.news, calling(away), again=(0.01, 0.01))
    assert len(asked) == 1


def test_what_answers_without_being_a_server_of_ark_tui_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")

        threading.Thread(target=answer, daemon=True).start()
        away = home_at(f"http://127.0.0.1:{listening.getsockname()[1]}", TOKEN)
        with pytest.raises(Disconnected, match="is not a server of ark-tui"):
            away.ask(workbench.news, calling(away), again=())


def test_files_of_the_server_are_indexed_ingested_and_written_by_their_whole_path(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "swifts.md"
    note.write_text("# Swifts\n\nSwifts sleep in the air.\n")
    with (
        Engine(settings.load(tmp_path / "home", environ={})) as engine,
        serving(engine) as url,
        closing(home_at(url, TOKEN)) as home,
    ):
        with pytest.raises(UsageError, match="file of this machine"):
            ask(home, corpus.ingest_file, Path("x.md"))
        assert ask(home, corpus.ingest_file, note).added == 1
        assert ask(home, corpus.index, roots=(note.parent,)).added == 1
        ask(home, upkeep.backup, tmp_path / "copy.zip")
    assert (tmp_path / "copy.zip").exists()


def test_a_report_of_a_home_elsewhere_is_written_here(home: Home) -> None:
    files = ask(home, "reports.export", ("overview",), "json", "", "", ())
    assert json.loads(b64decode(files[""]))["title"]


@pytest.mark.parametrize(
    "what",
    ["banana", "workbench._private", "workbench.Path", "workbench.replace", "process.stop", "find.search"],
)
def test_nothing_but_operations_and_what_a_workbench_asks_can_be_asked_for(home: Home, what: str) -> None:
    module, _, name = what.partition(".")

    def nothing(call: Call) -> None: ...

    nothing.__module__, nothing.__name__ = f"x.{module}", name
    with pytest.raises(UsageError, match="nothing to ask for"):
        ask(home, nothing)


def test_a_bug_there_is_said_without_its_words(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def news(call: Call) -> None:
        raise ZeroDivisionError(f"secret {call}")

    news.__module__ = workbench.__name__
    monkeypatch.setattr(workbench, "news", news)
    with pytest.raises(ArkError, match="this is a bug") as said:
        ask(home, news)
    assert "secret" not in said.value.told


def test_long_work_there_is_a_job_with_progress(home: Home) -> None:
    at: list[Progress] = []
    report = home.ask(corpus.index, calling(home, progress=at.append), (), {"collections": ("notes",)})
    assert report.unchanged == len(NOTES)
    assert {one.stage for one in at} == {"read"}


def test_long_work_there_ends_when_it_is_given_up_here(tmp_path: Path) -> None:
    given_up = threading.Event()
    with OllamaServer("nomic-embed-text") as ollama:
        given = {"ollama_host": ollama.host}
        with Engine(settings.load(tmp_path / "home", given, environ={})) as engine:
            engine.memory.remember("Swifts sleep in the air.", "a walk")
            ollama.before = lambda request: given_up.set() if request.path == "/api/embed" else None
            ollama.hang("/api/embed")
            with serving(engine) as url, closing(home_at(url, TOKEN)) as home, pytest.raises(Cancelled):
                home.ask(corpus.models, calling(home, stop=given_up), (), {"use": "ollama:nomic-embed-text"})
            (job,) = [one for one in engine.jobs.all() if one.kind == "models"]
            engine.jobs.get(job.id).over.wait(30)
            assert engine.jobs.show(job.id).state == "cancelled"
            ollama.let_go()


def call(home: Home, tool: str, **arguments: Any) -> Any:
    """What a tool answers over `ark-tui mcp`."""
    forwarder = Forwarder(home, "ark,ralph,kadi")
    forwarder.begin()
    about = {"name": tool, "arguments": arguments, "_meta": {"progressToken": 1}}
    message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": about}
    return [json.loads(line) for line in forwarder.ask(json.dumps(message).encode())]


def test_tools_answer_as_they_do_at_home(home: Home, engine: Engine) -> None:
    here = mcp.Server(engine)
    *_, there = call(home, "read", id="gap.md")
    assert there["result"]["structuredContent"] == here.call("read", {"id": "gap.md"})["structuredContent"]
    assert call(home, "banana")[-1]["result"]["isError"]
    found = checked(home, "ark,kadi")
    assert set(found["tools"]) == {one["name"] for one in mcp.Server(engine, ["ark", "kadi"]).listed()}
    assert found["documents"] == len(NOTES)


def test_a_call_of_a_tool_tells_how_far_it_is(home: Home) -> None:
    texts = [{"source": f"{n}.md", "content": f"Bird {n} sings."} for n in range(50)]
    *told, answer = call(home, "search-index", collection="birds", documents=texts)
    assert answer["result"]["structuredContent"]["documents"] == 50
    assert {one["params"]["message"] for one in told} == {"read"}


def test_a_message_that_is_cancelled_or_malformed_leaves_the_others_alone(home: Home) -> None:
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    messages: list[Any] = [
        "banana",
        {"method": "notifications/cancelled", "params": {"requestId": 9}},
        {"id": 1, "method": "initialize", "params": about},
        {"id": 2, "method": "ping"},
    ]
    out, sent = (
        BytesIO(),
        [json.dumps(one if one == "banana" else {"jsonrpc": "2.0", **one}) for one in messages],
    )
    Forwarder(home, "", out).serve(BytesIO("\n".join(sent).encode() + b"\n"))
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [one["id"] for one in told] == [None, 1, 2]
    assert told[0]["error"]["code"] == -32700
    assert told[2]["result"] is not None


def test_own_certificates_are_trusted_where_they_are_named(engine: Engine, tmp_path: Path) -> None:
    if not shutil.which("openssl"):
        pytest.skip("openssl, which makes the certificate, is not installed.")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=ark"]
    more = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command, *more], check=True, capture_output=True)
    root = engine.settings.home.path.parent / "served"
    with served(root, "--require-token", "--certificate", str(certificate), str(key)) as (url, _):
        assert url.startswith("https://")
        token = (root / "keys").read_text().split('"')[1]
        with closing(home_at(url, token, str(certificate))) as home:
            assert ask(home, corpus.status).documents == 0
        stranger = home_at(url, token)
        with pytest.raises(Disconnected, match="its certificate is not trusted") as refused:
            stranger.ask(workbench.news, calling(stranger), again=(600.0,))  # no time makes it trusted
        assert "ARK_CA" in refused.value.hint
    assert ServerAddress.of("https://ark.example/x/").path == "/x"
    assert isinstance(ServerAddress.of("https://ark.example").tls, ssl.SSLContext)
    (tmp_path / "none.pem").write_text(json.dumps({}))
    with pytest.raises(ArkError, match="has no usable certificate"):
        home_at("https://ark.example", TOKEN, str(tmp_path / "none.pem"))


def test_a_tokens_agent_is_the_one_that_asks_where_none_is_named(engine: Engine, url: str) -> None:
    token = engine.memory.tokens.add("ann", "write", ("ann",), ()).token
    try:
        with closing(home_at(url, token)) as home:
            assert home.ask(find.search, Call(home.engine), ("gap",)).hits
            with pytest.raises(Forbidden, match="not for the agent ben"):
                home.ask(find.search, Call(home.engine, agent="ben"), ("gap",))
    finally:
        engine.memory.tokens.revoke("ann")
