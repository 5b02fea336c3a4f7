"""The home process: started by whoever needs it, one for a home, gone when nobody does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sse_starlette import EventSourceResponse

import ark_tui
from ark_tui.domain import children
from ark_tui.domain.errors import ArkError, Cancelled, UsageError
from ark_tui.domain.query import Request
from ark_tui.interfaces.client import home as client
from ark_tui.interfaces.client import link, local
from ark_tui.interfaces.client.home import LocalHome
from ark_tui.interfaces.client.link import Broken
from ark_tui.interfaces.client.opening import caller
from ark_tui.interfaces.client.stdio import Forwarder
from ark_tui.operations import corpus, find, jobs, tasks, wire, workbench
from ark_tui.operations.call import Call
from ark_tui.version import VERSION
from tests.damage.campaign import obey_permissions
from tests.home.conftest import LONGEST_S, Client, ark, kill, process_of, processes
from tests.ollama_server import OllamaServer
from tests.soak import audit
from tests.support import until


def test_the_first_command_starts_it_and_the_next_ones_use_it(home: Path, notes: Path) -> None:
    assert ark(home, "index", notes).code == 0
    first = process_of(home)
    found = ark(home, "search", "spectral gap", "--json")
    assert json.loads(found.out)["hits"][0]["document"]["title"] == "Spectral gaps"
    assert process_of(home) == first
    shown = ark(home, "status")
    assert f"Home process {first}" in shown.err
    assert "up " in shown.err
    assert " MB. Clients: command line" in shown.err
    assert ark(home, "stop").err == "Stopped.\n"
    assert not local.running(home)
    assert not (home / local.SOCKET).exists()
    assert ark(home, "stop").err == "No home process is running.\n"


def test_the_socket_is_for_its_owner_alone(open_home: Path) -> None:
    ark(open_home, "tasks", "add", "walk")
    assert stat.S_IMODE((open_home / local.SOCKET).stat().st_mode) == 0o600
    assert stat.S_IMODE(open_home.stat().st_mode) == 0o700


def test_two_starts_at_once_make_one_process(home: Path) -> None:
    command = [sys.executable, "-P", "-m", "ark_tui", "tasks", "add"]
    both = [
        subprocess.Popen(
            [*command, word], env=os.environ | {"ARK_HOME": str(home)}, stdout=subprocess.DEVNULL
        )
        for word in ("one", "two", "three")
    ]
    assert [one.wait(60) for one in both] == [0, 0, 0]
    assert Client(home).ask(tasks.list_).total == 3
    until(lambda: len(processes(home)) == 1)  # the ones that came too late end


def test_a_process_that_is_just_starting_is_stopped(home: Path) -> None:
    home.mkdir(mode=0o700)
    started = children.start_python(local.MODULE, str(home))
    until(lambda: local.running(home))
    assert local.stop(home)
    assert started.wait() == 0


def test_what_a_killed_process_has_left_is_replaced(home: Path) -> None:
    ark(home, "tasks", "add", "walk")
    kill(home)
    assert (home / local.SOCKET).exists()
    assert "walk" in ark(home, "tasks", "list").out


def test_a_home_whose_path_is_long_or_has_spaces(tmp_path: Path, homes: Callable[[Path], Path]) -> None:
    far = tmp_path / ("long" * 30) / "home"
    for home in map(homes, (tmp_path / "my notes" / "home", far)):
        assert ark(home, "tasks", "add", "walk").code == 0
        assert Client(home).ask(tasks.list_).total == 1
        assert local.running(home)
        link = home.parent / "link"
        link.symlink_to(home)
        assert Client(link).ask("process.status")["process"] == process_of(home)
    assert len(os.fsencode(local.address(far).file)) <= 100


def test_it_ends_when_the_last_client_leaves_where_that_is_wanted(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("keep_open = 0\n")
    ark(home, "tasks", "add", "walk")
    until(lambda: not local.running(home))


def test_it_waits_for_the_next_client_and_ends_after_the_minutes_that_are_set(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("keep_open = 0.08\n")
    ark(home, "tasks", "add", "walk")
    first = process_of(home)
    ark(home, "tasks", "list")
    assert process_of(home) == first
    until(lambda: not local.running(home))


def test_a_home_that_is_moved_or_removed_ends_its_process(
    home: Path, tmp_path: Path, homes: Callable[[Path], Path]
) -> None:
    ark(home, "tasks", "add", "walk")
    moved = homes(tmp_path / "moved")
    before = process_of(home)
    home.rename(moved)
    assert Client(moved).ask(tasks.list_).total == 1
    assert process_of(moved) != before
    assert not home.exists()
    shutil.rmtree(moved)
    until(lambda: not processes(moved))
    assert not moved.exists()


def test_one_that_is_killed_in_the_middle_of_a_change_does_it_once(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The change is written, the answer is lost with the process: it is asked for again with its key."""
    ask = Client(home)
    said, lost = client.Home._said, list[bytes]()

    def losing(self: LocalHome, body: bytes, call: Call) -> object:
        lines = [*said(self, body, call)]
        if not lost:
            lost.append(body)
            kill(home)
            raise Broken("it was closed", asked=True)
        return iter(lines)

    monkeypatch.setattr(client.Home, "_said", losing)
    added = ask.ask(tasks.add, "walk")
    assert lost
    assert [one.id for one in ask.ask(tasks.list_).items] == [added.id]


def test_a_client_outlives_as_many_processes_as_it_takes(home: Path) -> None:
    asked = Client(home)
    for number in range(client.STARTS + 2):
        asked.ask(tasks.add, f"walk {number}")
        kill(home)
    assert asked.ask(tasks.list_).total == client.STARTS + 2


def test_what_a_caller_is_stays_its_own(home: Path, tmp_path: Path) -> None:
    """Agent, clock, folder and settings of the first caller are not those of the next one."""
    first = {"ARK_AGENT_ID": "ann", "ARK_NOW": "2020-01-01T00:00:00Z", "ARK_PROFILE": "ark"}
    ark(home, "tasks", "add", "walk", **first)
    assert "walk" not in ark(home, "tasks", "list").out
    assert "walk" in ark(home, "tasks", "list", ARK_AGENT_ID="ann").out
    assert "walk" in ark(home, "tasks", "list", "--agent", "ann").out
    assert Client(home, **first).ask(tasks.list_).items[0].created.year == 2020
    assert Client(home).ask(tasks.add, "run").created.year > 2020
    assert Client(home, **first).ask(find.search, "x").profile == "ark"
    assert Client(home).ask(find.search, "x").profile != "ark"
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.md").write_text("# A\n\nA text.\n")
    asked = Client(home)
    asked.home.caller = caller("test", {})
    report = asked.home.ask(corpus.index, Call(asked.home.engine), (), {"roots": (tmp_path / "here",)})
    assert report.added == 1


def test_keys_of_the_client_that_started_the_process_are_used_for_no_other(home: Path) -> None:
    with OllamaServer("nomic-embed-text") as server:
        for key in ("anns", "bens", ""):
            environ = {"OLLAMA_API_KEY": key} if key else {}
            Client(home, OLLAMA_HOST=server.host, **environ).ask(corpus.list_models)
            shown = {one.headers.get("Authorization", "") for one in server.requests}
            assert shown == {f"Bearer {key}" if key else ""}
            server.requests.clear()


def test_changed_settings_are_in_force_with_the_next_call(home: Path) -> None:
    asked = Client(home)
    assert asked.ask(find.search, "x").profile == "default"
    (home / "config.toml").write_text('profile = "ark"\n')
    assert asked.ask(find.search, "x").profile == "ark"


def test_a_caller_that_leaves_stops_its_call(home: Path, notes: Path) -> None:
    ark(home, "index", notes)
    asked, stop = Client(home), threading.Event()
    news = asked.ask(workbench.subscribe, stop=stop)
    next(news)
    until(lambda: len(asked.ask("process.status")["clients"]) == 1)
    stop.set()
    with pytest.raises(Cancelled):
        list(news)
    status = asked.ask("process.status")
    until(lambda: asked.ask("process.status")["calls"] == 1)
    assert status["process"] == process_of(home)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_ctrl_c_ends_the_job_of_a_command_and_a_kill_of_the_command_does_not(
    home: Path, tmp_path: Path, sent: signal.Signals
) -> None:
    """Other clients see the job, and the process stays until it ends."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("keep_open = 0\n")
    audit.write_pages(tmp_path / "pages", 1000, seed=1)
    asked = Client(home)
    command = [sys.executable, "-P", "-m", "ark_tui", "index", str(tmp_path / "pages")]
    with subprocess.Popen(
        command, env=os.environ | {"ARK_HOME": str(home)}, stderr=subprocess.PIPE
    ) as client:
        until(lambda: [one.kind for one in asked.ask(jobs.list_)] == ["index"])
        client.send_signal(sent)
        assert b"Traceback" not in client.communicate(timeout=LONGEST_S)[1]
        assert client.returncode == (130 if sent == signal.SIGINT else -signal.SIGKILL)
    asked.home.close()
    until(lambda: not local.running(home))
    stored = Client(home).ask(corpus.status).documents
    assert (stored == 1000) == (sent == signal.SIGKILL), stored


def test_a_saved_file_is_found_while_the_process_lives(open_home: Path, notes: Path) -> None:
    ark(open_home, "index", notes)
    (notes / "tea.md").write_text("# Green tea\n\nGreen tea is steeped at eighty degrees.\n")
    asked = Client(open_home)
    until(lambda: any(hit.document.title == "Green tea" for hit in asked.ask(find.search, "green tea").hits))


def test_news_come_by_themselves(open_home: Path) -> None:
    asked, stop = Client(open_home), threading.Event()
    news = asked.ask(workbench.subscribe, stop=stop)
    before = next(news).pulse
    Client(open_home).ask(tasks.add, "walk")
    assert next(one for one in news if one.pulse != before)
    stop.set()


def test_a_newer_program_replaces_the_process_of_an_older_one_and_not_the_other_way(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ark(home, "tasks", "add", "walk")
    before = process_of(home)
    monkeypatch.setattr(client, "VERSION", "0.0.1")
    with pytest.raises(UsageError, match=r"this is 0\.0\.1") as refused:
        Client(home).ask(tasks.list_)
    assert "ark-tui stop" in refused.value.hint
    assert process_of(home) == before
    monkeypatch.setattr(client, "STARTS", 1)
    monkeypatch.setattr(client, "VERSION", "999.0")  # the one that is started is of this version again
    with pytest.raises(Exception, match="another version"):
        Client(home).ask(tasks.list_)
    assert process_of(home) != before


def test_a_process_whose_program_was_updated_makes_room_for_another(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version is the same: a development tree, or the same release installed once more."""
    monkeypatch.setattr(client, "CONNECTING", 0.0)  # however long it takes to end
    shutil.copytree(Path(ark_tui.__file__).parent, tmp_path / "code" / "ark_tui")
    environ = {"PYTHONPATH": str(tmp_path / "code")}
    ark(home, "tasks", "add", "walk", **environ)
    before = process_of(home)
    os.utime(tmp_path / "code" / "ark_tui" / "version.py")
    asked = Client(home)
    until(lambda: asked.ask(tasks.list_).total == 1 and process_of(home) != before)


def test_a_client_that_forks_shares_no_connection_with_its_child(home: Path) -> None:
    asked = Client(home)
    asked.ask(tasks.add, "walk")
    read, write = os.pipe()
    if not os.fork():
        os.write(write, asked.ask(tasks.list_).items[0].text.encode())
        os._exit(0)
    assert {asked.ask(tasks.add, f"walk {number}").id for number in range(5)} == {2, 3, 4, 5, 6}
    os.close(write)
    with os.fdopen(read) as told:
        assert told.read() == "walk"


def test_a_process_that_stood_still_goes_on_with_its_call(home: Path) -> None:
    """As after the machine was suspended."""
    asked = Client(home)
    asked.ask(tasks.add, "walk")
    process = process_of(home)
    os.kill(process, signal.SIGSTOP)
    until(lambda: Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T")
    with ThreadPoolExecutor(1) as thread:
        added = thread.submit(asked.ask, tasks.add, "run")
        os.kill(process, signal.SIGCONT)
        assert added.result().text == "run"
    assert process_of(home) == process
    assert asked.ask(tasks.list_).total == 2


def test_a_clock_that_goes_back_does_nothing_twice(home: Path) -> None:
    late, early = Client(home, ARK_NOW="2026-03-02T09:00:00Z"), Client(home, ARK_NOW="2026-03-01T21:00:00Z")
    ids = {one.home.ask(tasks.add, Call(one.home.engine), ("walk",), key="1").id for one in (late, early)}
    assert len(ids) == 1
    assert early.ask(tasks.list_).total == 1


def test_who_does_not_read_an_answer_holds_up_nobody(open_home: Path) -> None:
    asked = Client(open_home)
    long = "otters sleep in rivers. " * 60_000
    kept = asked.ask(corpus.ingest, long)
    body = wire.dumps(("show", (kept.id,), {}, asked.home.caller, "", "", "")).encode()
    with local.address(open_home).connect() as silent:
        silent.sendall(
            b"POST /calls HTTP/1.1\r\nHost: x\r\n%b: %b\r\nContent-Length: %d\r\n\r\n%b"
            % (wire.VERSION_HEADER.encode(), VERSION.encode(), len(body), body)
        )
        until(lambda: asked.ask("process.status")["calls"] >= 2)
        assert asked.ask(tasks.add, "walk").text == "walk"
        assert asked.ask("process.status")["calls"] >= 2
    until(lambda: asked.ask("process.status")["calls"] == 1)


def test_another_user_is_refused_in_words(home: Path) -> None:
    if os.getuid():
        pytest.skip("Only root can become another user.")
    ark(home, "tasks", "add", "walk")
    for folder in (home, *home.parents):
        if folder.stat().st_uid == 0 and folder.name:
            folder.chmod(folder.stat().st_mode | 0o055)
    (home / local.SOCKET).chmod(0o666)
    read, write = os.pipe()
    if not os.fork():
        try:
            os.setuid(65534)
            Client(home).ask(tasks.list_)
        except ArkError as error:
            os.write(write, error.told.encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        assert "belongs to another user" in told.read()


def test_where_no_process_can_be_started_the_command_runs_by_itself(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from ark_tui.interfaces.cli.app import run

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(children, "start_python", refused)
    assert run(["--home", str(home), "tasks", "add", "walk"]) == 0
    told = capfd.readouterr()
    assert "The command runs without one." in told.err
    assert not local.running(home)


def test_direct_runs_in_the_caller(home: Path) -> None:
    assert ark(home, "--direct", "tasks", "add", "walk").code == 0
    assert not local.running(home)
    assert "walk" in ark(home, "tasks", "list", ARK_DIRECT="1").out
    assert not local.running(home)


def test_a_home_that_may_only_be_read_is_read_by_the_caller(home: Path, notes: Path) -> None:
    ark(home, "index", notes)
    ark(home, "stop")
    for path in (home, *home.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
    command = [sys.executable, "-P", "-m", "ark_tui", "search", "spectral gap"]
    done = subprocess.run(
        command, env=os.environ | {"ARK_HOME": str(home)}, capture_output=True, text=True, check=False,
        preexec_fn=None if os.getuid() else obey_permissions,
    )  # fmt: skip
    for path in (home, *home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert done.returncode == 0, done.stderr
    assert "Spectral gaps" in done.stdout
    assert not local.running(home)


def test_a_mistyped_home_starts_nothing(tmp_path: Path) -> None:
    done = ark(tmp_path / "mistyped", "search", "gap")
    assert done.code == 3
    assert "There is no home" in done.err
    assert not (tmp_path / "mistyped").exists()


def test_calls_of_one_program_are_limited(home: Path) -> None:
    asked, stop = Client(home), threading.Event()
    open_ones = []
    with pytest.raises(Exception, match="are in progress"):
        for _ in range(40):
            news = asked.ask(workbench.subscribe, stop=stop)
            next(news)
            open_ones.append(news)
    assert len(open_ones) == 32
    stop.set()


def test_what_is_no_call_is_refused(open_home: Path) -> None:
    asked = Client(open_home)
    asked.ask(tasks.list_)
    for sent, status in ((b"GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n", b"404"), (b"banana\r\n\r\n", b"400")):
        with local.address(open_home).connect() as connection:
            connection.settimeout(60)
            connection.sendall(sent)
            assert status in connection.recv(1 << 12)


def test_the_command_line_of_a_client_imports_no_engine(open_home: Path) -> None:
    ark(open_home, "tasks", "add", "walk")
    script = (
        "import sys; from ark_tui.interfaces.cli.app import run; run(['tasks', 'list']);"
        "print(*[one for one in sys.modules if one.split('.')[0] in"
        " ('duckdb', 'tantivy', 'numpy', 'pydantic', 'starlette', 'textual')"
        " or one.startswith(('ark_tui.engine', 'ark_tui.store', 'ark_tui.settings.config'))])"
    )
    env = os.environ | {"ARK_HOME": str(open_home)}
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1].strip() == ""
    assert "walk" in done.stdout


def test_a_search_in_stages_comes_as_it_is_at_home(open_home: Path, notes: Path) -> None:
    ark(open_home, "index", notes)
    stages = [*Client(open_home).ask(workbench.search, Request("spectral gap", limit=5, unlogged=True))]
    assert stages[-1][1].hits[0].document.title == "Spectral gaps"


class Assistant:
    """An assistant's program in this process."""

    def __init__(self, home: Path) -> None:
        self.home = Client(home).home
        self._forwarder = Forwarder(self.home, "")
        self._forwarder.begin()

    def call(self, tool: str, **arguments: object) -> Any:
        about = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": about}
        *_, answer = self._forwarder.ask(json.dumps(message).encode())
        return json.loads(answer)["result"]["structuredContent"]


def test_an_assistant_that_says_nothing_keeps_the_process(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("keep_open = 0\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link, "KEPT", 0)  # so that no connection but that of its presence is kept
        assistant = Assistant(home)
        before = process_of(home)
        for text in ("walk", "swim"):  # other clients come and leave
            ark(home, "tasks", "add", text)
        assert len(assistant.call("tasks", action="list")["tasks"]) == 2
        assert process_of(home) == before
    assistant.home.close()
    until(lambda: not local.running(home))


def test_a_tool_that_takes_minutes_is_waited_for() -> None:
    """The official SDK sends a sign of life to an assistant that waits; only a longer silence is a fault."""
    assert link.SILENCE > 2 * EventSourceResponse.DEFAULT_PING_INTERVAL


def test_an_assistant_goes_on_when_the_process_has_ended(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a call, and after its change was written but not answered: then it is done once."""
    assistant = Assistant(home)
    ark(home, "stop")
    assistant.call("tasks", action="add", text="walk")
    forward, lost = client.Home.forward, list[bytes]()

    def losing(self: LocalHome, message: bytes, *more: Any) -> object:
        lines = [*forward(self, message, *more)]
        if b"tools/call" in message and not lost:
            lost.append(message)
            kill(home)
            raise client.Disconnected("The connection to the home broke.", "Try again.")
        return iter(lines)

    monkeypatch.setattr(client.Home, "forward", losing)
    assistant.call("tasks", action="add", text="swim")
    assert lost
    assert [one["text"] for one in assistant.call("tasks", action="list")["tasks"]] == ["walk", "swim"]
