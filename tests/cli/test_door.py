"""The warm door: what a process that has the home open answers is what the command itself would say."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from ark_tui.interfaces.cli import door as doors
from ark_tui.interfaces.cli import knock
from ark_tui.interfaces.cli.app import run
from ark_tui.interfaces.cli.door import Door
from ark_tui.operations.catalog import shipped
from ark_tui.operations.operation import Effect, Operation
from ark_tui.settings.config import READ
from ark_tui.settings.home import Home
from tests.cli.conftest import Result
from tests.damage import places
from tests.support import many_open

PATIENCE = 60.0  # seconds, on a machine that is busy
ROOT = Path(__file__).parents[2]

PASSING = re.compile(
    r'\b[0-9a-f]{12}\b|\d+(\.\d+)? ms\b|"took_ms": [\d.]+|"ms": [\d.]+|"tokens": \d+|\d+ of 2000 tokens'
)
"""What differs from one run to the next: times, the id of a search, and its tokens."""


def reading(one: Operation) -> bool:
    """Whether a door answers for it."""
    return one.effect is Effect.READS and not one.long and not one.streams


LINES = (
    *("search spectral gap --explain", "search nothing of that kind", "search --plain -n 1 tea", "tasks"),
    *("search tea --mode keyword", "search @week", "search gap in:nowhere", "search --agent ann tea"),
    *("show ./notes/gap.md", "show krylov.md -q lanczos", "why-not gap --doc notes/unknown.md", "where home"),
    *("pin", "trash", "queue", "undo --list", "judge", "documents list --sort title -n 2"),
)
WRONG = (
    *("show nowhere.md", "search", "searches --limit x", "nosuch", "tasks nosuch", "search --nosuch x"),
    *("similar", "documents list --tier x", "search in:notes("),
)


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which everything has been used once."""
    folder = tmp_path_factory.mktemp("door")
    command = [sys.executable, "-m", "tests.damage.places", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture
def folder(used: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, at whose side one stands."""
    shutil.copytree(used, tmp_path / "used")
    monkeypatch.chdir(tmp_path / "used")
    monkeypatch.setenv("ARK_HOME", str(tmp_path / "used" / "home"))
    monkeypatch.setenv("ARK_NOW", places.NOW)
    monkeypatch.setattr(knock, "AT_ONCE", PATIENCE)
    return tmp_path / "used"


@contextmanager
def opened(folder: Path, idle: float | None = None) -> Iterator[Door]:
    door = Door(Home(folder / "home"), "a test", run, idle=idle)
    door.open()
    try:
        until(lambda: b"a test" in (ask("who") or b""))
        yield door
    finally:
        door.close()


def until(come: Callable[[], object]) -> None:
    for _ in range(int(PATIENCE / 0.01)):
        if come():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it did not come")


def ask(kind: str, *words: str) -> bytes | None:
    return knock.asked(kind, words, os.environ, PATIENCE)


def warm(*words: str) -> Result | None:
    """What a door answers; None where it leaves the command to whoever asked."""
    answer = ask("run", *words)
    if answer is None:
        return None
    told = {b"o": b"", b"e": b"", b"x": b"", b"-": b""}
    last = b""
    while answer:
        size = 5 + int.from_bytes(answer[1:5], "big")
        told[answer[:1]] += answer[5:size]
        last, answer = answer[:1], answer[size:]
    return None if last == b"-" else Result(told[b"x"][0], told[b"o"].decode(), told[b"e"].decode())


def served(*words: str) -> Result:
    """What a door answers."""
    answer = warm(*words)
    assert answer is not None
    return answer


def masked(result: Result) -> tuple[int, str, str]:
    """As lines are, where a time of another length breaks them elsewhere."""
    out, err = (PASSING.sub("·", " ".join(text.split())) for text in (result.out, result.err))
    return result.code, out, err


def cold(capture: pytest.CaptureFixture[bytes], *words: str) -> Result:
    code = run(words)
    out, err = capture.readouterr()
    return Result(int(code), out.decode(), err.decode())


@pytest.mark.parametrize("each", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_every_command_that_reads_answers_by_the_door_as_without(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes], each: bool
) -> None:
    """In words and as JSON by turns; as a soak each in both."""
    catalog, lines = shipped(), places.commands(folder)
    named = {one.name: one.name.replace(" ", "-") for one in catalog.all() if reading(one)}
    asked = [*(lines[name] for name in named.values() if name in lines), *(one.split() for one in LINES)]
    assert named.keys() - {name for name in named if named[name] in lines} == {"jobs show"}
    answered = 0
    forms: list[list[str]] = [[], ["--json"]]
    with opened(folder):
        for number, words in enumerate([*asked, *(one.split() for one in WRONG)]):
            for more in forms if each else [forms[number % 2]]:
                here, there = cold(capfdbinary, *words, *more), warm(*words, *more)
                if there is None:
                    assert words[0] == "export-curation", words
                    continue
                answered += 1
                assert masked(there) == masked(here), words
    assert answered >= (1 + each) * (len(asked) + len(WRONG) - 3)


def test_what_does_more_than_read_is_left_to_whoever_asked(folder: Path) -> None:
    lines, catalog = places.commands(folder), shipped()
    beyond = [one.name.replace(" ", "-") for one in catalog.all() if not reading(one)]
    said = [
        *(lines[name] for name in beyond if name in lines and name != "trash"),
        ["--export", "r.md"],
        ["eval"],
        ["serve"],
    ]
    said += [
        ["search", "-"],
        ["--query", "search", "--export", "r.md"],
    ]
    said += [
        ["search", "--help"],
        ["--home", str(folder / "home")],
        ["completion"],
        ["mcp", "--check"],
        ["warm"],
    ]
    with opened(folder):
        for words in said:
            answer = warm(*words)
            assert answer is None or answer.code == 2, words
        assert {"r.md", "r.json"}.isdisjoint(one.name for one in folder.iterdir())
        untouched = served("documents", "list", "--tag", "fresh")
        assert "rye" not in untouched.out


def test_answers_of_two_who_ask_at_once_do_not_mix(folder: Path) -> None:
    words = [("search", "tea", "--json"), ("search", "krylov", "--json"), ("memories",), ("show", "rye.md")]
    found: dict[int, set[object]] = {place: set() for place in range(len(words))}

    def ask_often(place: int) -> None:
        for _ in range(5):
            found[place].add(masked(served(*words[place])))

    with opened(folder):
        threads = [threading.Thread(target=ask_often, args=(place,)) for place in found]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = [masked(served(*one)) for one in words]
    assert [found[place] for place in found] == [{one} for one in alone]


def test_changed_settings_and_documents_are_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = folder / "home" / "config.toml"
    with opened(folder):
        served("search", "spectral gap")
        config.write_text(config.read_text() + '\n[profiles.mine]\nfrom = "ark"\nk = 1\n')
        config.write_text('profile = "mine"\n' + config.read_text())
        after = served("search", "spectral gap")
        (folder / "notes" / "new.md").write_text("# Marmalade\n\nBitter oranges make it.\n")
        ark("index", str(folder / "notes"))
        found = served("search", "marmalade")
        monkeypatch.setenv("ARK_PROFILE", "ark")
        by_environment = served("search", "spectral gap")
    assert "profile mine" in after.err
    assert "Marmalade" in found.out
    assert "profile ark" in by_environment.err


def ark(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, as a shell starts it."""
    environ = os.environ | variables
    command = [sys.executable, "-m", "ark_tui", *words]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


def test_a_process_that_knocks_imports_next_to_nothing(folder: Path) -> None:
    program = (
        "import sys, atexit; sys.argv[1:] = ['documents', 'list']\n"
        "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from ark_tui.interfaces.cli import knock, main; knock.AT_ONCE = 60; main()"
    )
    with opened(folder):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert "gap.md" in done.stdout or "Spectral gaps" in done.stdout
    assert {name for name in loaded if name.startswith("ark_tui")} == {
        *("ark_tui", "ark_tui.version", "ark_tui.interfaces", "ark_tui.interfaces.cli"),
        "ark_tui.interfaces.cli.knock",
    }
    assert not loaded & {"click", "json", "socket", "pathlib", "duckdb", "numpy", "asyncio", "tomllib"}


def test_a_door_is_not_asked_where_nobody_wants_that(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(folder):
        assert knock.answered(["health"], {**os.environ, "ARK_WARM": "0"}) is None
        assert knock.answered([], os.environ) is None
        before = threading.active_count()
        monkeypatch.setenv("ARK_WARM", "0")
        with doors.opened(Home(folder / "home"), "another", run):
            assert threading.active_count() == before


@pytest.mark.parametrize("name", ["LC_ALL", "OPENAI_API_KEY", "https_proxy", "ARK_DEBUG", "TZ"])
def test_another_environment_is_left_to_whoever_asked(folder: Path, name: str) -> None:
    with opened(folder):
        assert knock.asked("run", ["health"], {**os.environ, name: "other"}, PATIENCE) is None
        assert knock.asked("run", ["health"], {**os.environ, "ARK_THEME": "other"}, PATIENCE)


def test_all_variables_that_settings_are_read_from_are_sent() -> None:
    assert [name for name in READ if not knock.is_told(name)] == []


def test_another_version_is_left_to_whoever_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(folder):
        assert warm("health")
        program = knock.PROGRAM
        monkeypatch.setattr(knock, "PROGRAM", "ark-tui 9.9.9")
        sent = knock._request("run", str(folder / "home"), ["health"], os.environ)
        monkeypatch.setattr(knock, "PROGRAM", program)
        assert talk(folder, sent) == b"-"


def talk(folder: Path, data: bytes) -> bytes:
    """What the door says to these bytes."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(PATIENCE)
        knock.reach(line.connect, str(folder / "home"))
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        said = b""
        with suppress(ConnectionResetError):  # the rest is not even read
            while piece := line.recv(4096):
                said += piece
        return said


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"\0\0\0\0",
        b"\xff\xff\xff\xff" + b"x" * 100,
        b"\0\0\0\4a\0b\0",
        b"GET / HTTP/1.1\r\n\r\n",
        (9).to_bytes(4, "big") + b"\0" * 9,
    ],
)
def test_what_is_malformed_ends_the_connection(folder: Path, data: bytes) -> None:
    with opened(folder):
        assert talk(folder, data) in (b"-", b"")
        assert warm("health")


def test_a_number_of_arguments_that_is_not_theirs_is_malformed(folder: Path) -> None:
    head = [knock.PROGRAM, "run", str(folder / "home"), str(folder), "000"]
    for number in ("-1", "99", "x"):
        assert doors.Request.read("\0".join([*head, number, "health"]).encode()) is None
    assert doors.Request.read("\0".join([*head, "1", "health"]).encode())


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"+",
        b"-",
        b"+o\0\0\0\5abcde",
        b"+o\0\0\0\5abcdex\0\0",
        b"+o\0\0\1\0abc",
        b"+-\0\0\0\0",
        b"+o\0\0\0\1ax\0\0\0\1",
    ],
)
def test_an_answer_that_is_cut_off_is_not_shown_and_the_command_answers_itself(
    folder: Path, answer: bytes, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        knock.reach(listener.bind, str(folder / "home"))
        listener.listen()

        def answering() -> None:
            line, _ = listener.accept()
            with line:
                line.recv(1 << 16)
                line.sendall(answer)

        thread = threading.Thread(target=answering)
        thread.start()
        assert knock.answered(["health"], os.environ) is None
        thread.join()
    assert capfdbinary.readouterr() == (b"", b"")


def test_the_door_of_another_home_is_not_used(folder: Path) -> None:
    with opened(folder):
        shutil.copytree(folder / "home", folder / "other", ignore=shutil.ignore_patterns("door"))
        (folder / "other" / "locks" / "door").symlink_to(folder / "home" / "locks" / "door")
        assert ask("run", "health", "--home", str(folder / "other")) is None
        assert warm("health", "--home", str(folder / "home")) == warm("health")


def test_what_a_killed_process_has_left_is_replaced_and_a_second_one_takes_over(folder: Path) -> None:
    place = folder / "home" / "locks" / "door"
    with closing(socket.socket(socket.AF_UNIX)) as left:
        left.bind(str(place))
    assert warm("health") is None
    first, second = (Door(Home(folder / "home"), name, run) for name in ("first", "second"))
    with opened(folder):
        assert place.stat().st_mode & 0o777 == 0o600
    assert not place.exists()
    first.open()
    until(lambda: b"first" in (ask("who") or b""))
    second.open()
    first.close()
    until(lambda: b"second" in (ask("who") or b""))
    second.close()
    assert not place.exists()


def test_a_home_far_down_is_reached_too(folder: Path) -> None:
    deep = folder / ("deep" * 30)
    deep.mkdir()
    (folder / "home").rename(deep / "home")
    (folder / "home").symlink_to(deep / "home")
    with opened(deep.parent):
        assert ask("run", "health", "--home", str(deep / "home"))


def test_nothing_is_opened_where_there_is_no_home(tmp_path: Path) -> None:
    door = Door(Home(tmp_path), "a test", run)
    door.open()
    door.wait()
    door.close()
    assert list(tmp_path.iterdir()) == []


def test_it_answers_however_many_files_its_process_has_open(folder: Path) -> None:
    with many_open(), opened(folder):
        assert served("search", "spectral gap").code == 0


def test_it_closes_by_itself_when_nobody_asks(folder: Path) -> None:
    door = Door(Home(folder / "home"), "a test", run, idle=0.0)
    door.open()
    door.wait()
    door.close()
    assert warm("health") is None


@pytest.mark.usefixtures("folder")
def test_warm_keeps_the_home_open_in_the_background_until_it_is_stopped() -> None:
    assert "Nothing was kept open." in ark("warm", "--stop").stderr
    begun = ark("warm", "--for", "5")
    try:
        assert begun.returncode == 0, begun.stderr
        assert re.fullmatch(r"Commands are answered by warm \(process \d+\) for 5 minutes.*\n", begun.stderr)
        assert b"warm" in (ask("who") or b"")
        assert ark("health").stdout == ark("health", ARK_WARM="0").stdout
    finally:
        ended = ark("warm", "--stop")
    assert ended.stderr == "Ended.\n"
    until(lambda: ask("who") is None)


def test_who_stops_it_is_told_so_before_it_ends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that keeps it may end as soon as it closes."""
    sent, send = list[tuple[bytes, bool]](), socket.socket.sendall
    with opened(folder, idle=60.0) as door:

        def seen(connection: socket.socket, data: bytes) -> None:
            sent.append((data, door._waker.fileno() >= 0))
            send(connection, data)

        monkeypatch.setattr(socket.socket, "sendall", seen)
        assert b"ends a test" in (ask("stop") or b"")
        door.wait()
    assert sent == [(b"+", True), (f"{os.getpid()} ends a test".encode(), True)]


def test_a_workbench_or_server_is_not_stopped_by_warm(folder: Path) -> None:
    with opened(folder):
        assert "which ends by itself" in ark("warm", "--stop").stderr
        assert warm("health")


def test_colour_is_for_those_who_have_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with opened(folder):
        plain = served("search", "tea")
        monkeypatch.setattr(os, "isatty", lambda _: True)
        inked = served("search", "tea")
        monkeypatch.setenv("NO_COLOR", "1")
        refused = served("search", "tea")
    assert "\x1b[" in inked.out
    assert masked(plain) == masked(refused)
    assert re.sub(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\", "", inked.out) == plain.out
