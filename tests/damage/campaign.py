"""Damages a home file by file and asks it: `python -m tests.damage.campaign FOLDER CELLS REPORT MINUTES`.

`FOLDER` holds a home as `places.build` makes it, `CELLS` is a JSON list of `[file, damage, question]`. Each
cell is a copy of the home, one damage, and one question in a forked process, whose answer is held against
that of the undamaged home. After so many minutes the cells that are left are left out. This process itself
opens no store and no index, so that it can be forked.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.damage import places

LONGEST = 120  # seconds for one answer
REPAIR = "doctor --repair, then search"


def _flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes(value ^ 0xFF for value in data[at : at + 8]) + data[at + 8 :]


def _nudge(data: bytes) -> bytes:
    """One bit of a digit, where there is one: what is still of the right form."""
    if not data:
        return b"1"
    places_ = [at for at, value in enumerate(data) if 0x30 <= value <= 0x39] or [len(data) // 2]
    at = places_[len(places_) // 2]
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


CONTENT: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda _: b"",
    "halved": lambda data: data[: len(data) // 2],
    "flipped at the start": lambda data: _flip(data, 0),
    "flipped in the middle": lambda data: _flip(data, len(data) // 2),
    "one bit": _nudge,
    "replaced": lambda data: b'{"another": ["file"]}\n' * (len(data) // 20 + 1),
    "not UTF-8": lambda _: b"\xff\xfe\xff",
}
DAMAGES = (*CONTENT, "deleted", "a folder", "unreadable")


def kinds(home: Path) -> dict[str, list[str]]:
    """The files of a home, by their names without numbers: `words/index/#.idx`."""
    found: dict[str, list[str]] = {}
    for path in sorted(home.rglob("*")):
        if path.is_file():
            name = str(path.relative_to(home))
            found.setdefault(re.sub(r"(?=[\w-]*\d)[0-9a-f-]{6,}|\d+", "#", name), []).append(name)
    return found


def damage(path: Path, kind: str) -> None:
    """Damage one file."""
    if kind in CONTENT:
        path.write_bytes(CONTENT[kind](path.read_bytes()))
    elif kind == "unreadable":
        path.chmod(0)
    else:
        path.unlink()
        if kind == "a folder":
            path.mkdir()


@dataclass(frozen=True)
class Answer:
    """What a process said."""

    code: int  # −1: it did not end in time; below: minus the signal that ended it
    out: str
    err: str


@dataclass(frozen=True)
class Verdict:
    """What came of a cell; `fault` is empty where it is as it should be."""

    file: str
    damage: str
    question: str
    outcome: str  # "same", "error", "said" or "repaired"
    fault: str = ""


def ask(home: Path, act: Callable[[], int], *, unprivileged: bool = False) -> Answer:
    """Do something in a forked process, with all that it, or native code, writes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            _be(home, act, out.fileno(), err.fileno(), unprivileged=unprivileged)
        code = _waited(child)
        out.seek(0)
        err.seek(0)
        return Answer(code, out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace"))


def _be(home: Path, act: Callable[[], int], out: int, err: int, *, unprivileged: bool) -> None:
    code = 70
    try:
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.environ["ARK_HOME"] = str(home)
        if unprivileged and not os.getuid():
            obey_permissions()
        code = act()
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - the child must not go on as the parent
        import traceback

        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


def obey_permissions() -> None:
    """Give up root's right to read and write whatever it likes (capabilities 1 and 2 of Linux)."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)  # a program that is started does not get it back
    header, held = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert not libc.capget(header, held)
    for at in range(3):
        held[at] &= ~0b110
    assert not libc.capset(header, held)


def _waited(child: int) -> int:
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return (
                os.waitstatus_to_exitcode(status) if not os.WIFSIGNALED(status) else -os.WTERMSIG(status) - 1
            )
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


class Campaign:
    """One home, and the answers that it gives undamaged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines = places.commands(folder)
        self._sound: dict[str, Answer] = {}
        with self._copy() as home:
            self._wrong = wrong(self._answer(home, "doctor", ""))

    def judge(self, file: str, kind: str, question: str) -> Verdict:
        """Damage a copy and ask it."""
        if question == REPAIR:
            return self._repaired(file, kind)
        sound = self._baseline(question)
        with self._copy(file, kind) as home:
            answer = self._answer(home, question, kind)
        fault = crash(answer)
        if (
            not fault
            and answer.code
            and "error" not in answer.err
            and question.split(maxsplit=1)[0] not in TELLING
        ):
            fault = f"exit {answer.code} without a word"
        if fault or answer.code:
            return Verdict(file, kind, question, "error", fault)
        if self._normal(answer.out) == self._normal(sound.out):
            return Verdict(file, kind, question, "same")
        if explains(answer, sound):
            return Verdict(file, kind, question, "said")
        return Verdict(file, kind, question, "other", self._other(answer, sound))

    def _repaired(self, file: str, kind: str) -> Verdict:
        """After `doctor --repair` a search answers as ever, or doctor has named what it cannot mend."""
        sound = self._baseline("search")
        with self._copy(file, kind) as home:
            mended = self._answer(home, "doctor --repair", kind)
            after = self._answer(home, "doctor", kind)
            search = self._answer(home, "search", kind)
        fault = crash(mended) or crash(after) or crash(search)
        if not fault and wrong(after) - self._wrong:
            return Verdict(file, kind, REPAIR, "named")
        same = self._normal(search.out) == self._normal(sound.out)
        if not fault and (not same or explains(search, sound)):
            fault = "doctor finds nothing wrong, and yet: " + self._other(search, sound)
        return Verdict(file, kind, REPAIR, "repaired", fault)

    def _baseline(self, question: str) -> Answer:
        if question not in self._sound:
            with self._copy() as home:
                answer = self._answer(home, question, "")
            assert not crash(answer), (question, answer)
            assert not answer.code or question in TELLING, (question, answer)
            self._sound[question] = answer
        return self._sound[question]

    @contextmanager
    def _copy(self, file: str = "", kind: str = "") -> Iterator[Path]:
        """A copy of the home, with one file damaged."""
        with tempfile.TemporaryDirectory(dir=ROOM, ignore_cleanup_errors=True) as folder:
            copy = Path(folder) / "home"
            shutil.copytree(self._folder / "home", copy)
            if file:
                damage(copy / file, kind)
            yield copy

    def _answer(self, home: Path, question: str, kind: str) -> Answer:
        def act() -> int:
            from ark_tui.interfaces.cli.app import run

            name, *more = question.split()
            words = [word.replace("{copy}", str(home)) for word in self._lines[name]]
            return int(run([*words, *more]))

        return ask(home, act, unprivileged=kind == "unreadable")

    def _normal(self, text: str) -> str:
        """An answer without what differs from one run, or one copy, to the next."""
        text = re.sub(r"/\S*?/home\b", "HOME", text)
        text = re.sub(r"\b(?=\w*\d)[0-9a-f]{6,}\b", "#", text)
        text = re.sub(r"\b[\d.,]+ ?(ms|s|B|kB|KB|KiB|MB|MiB|bytes)\b", "#", text)
        text = re.sub(r'"tokens":\d+', "#", text)  # of a text with a random id
        text = re.sub(r"\d+\.\d+", "#", text)  # a rebuilt index differs in the last digits of a score
        return re.sub(r"\s+", " ", text)

    def _other(self, answer: Answer, sound: Answer) -> str:
        got, wanted = (self._normal(one.out)[:600] for one in (answer, sound))
        return f"another answer without a word: {got!r} and not {wanted!r}; {answer.err[:300]}"


TELLTALE = (
    "without ", "behind the store", '"off":', "Not counted", "damaged", "rebuilt", "missing",
    "cannot be read", "left out", "gone", " off: ", "waits", "indexes lacked", "warning",
)  # fmt: skip

TELLING = frozenset({"doctor"})
"""Commands whose exit code and output say what is wrong."""

ROOM = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def crash(answer: Answer) -> str:
    """Why an answer is none: a traceback, a panic, a signal, no end."""
    if answer.code < 0:
        return "no answer in time" if answer.code == -1 else f"ended by signal {-answer.code - 1}"
    for sign in ("Traceback", "panicked", "unexpected", "This is a bug"):
        if sign in answer.err + answer.out:
            return f"{sign}: {(answer.err + answer.out)[:900]}"
    return ""


def wrong(answer: Answer) -> set[str]:
    """The names of the checks of `doctor` that failed."""
    return {line.split()[1] for line in answer.out.splitlines() if line.startswith("wrong")}


def explains(answer: Answer, sound: Answer) -> bool:
    """Whether an answer says more often than the undamaged home's that something is missing or rebuilt."""
    now, then = (one.err + one.out for one in (answer, sound))
    return any(now.count(word) > then.count(word) for word in TELLTALE)


def main(folder: str, cells: str, report: str, minutes: str) -> None:
    import click
    import tantivy  # noqa: F401 - imported once, before the forks; lancedb has threads, so each child imports it

    from ark_tui.embedding import static
    from ark_tui.engine import services
    from ark_tui.interfaces.cli.app import cli
    from ark_tui.interfaces.cli.group import COMMANDS

    os.environ |= {"ARK_NOW": places.NOW, "ARK_DIRECT": "1"}
    services.open_all()
    static.tokenizer()
    static.table()
    for name in COMMANDS:
        cli.get_command(click.Context(cli), name)
    campaign, end = Campaign(Path(folder)), time.monotonic() + float(minutes) * 60
    with Path(report).open("w", encoding="utf-8") as file:
        for cell in json.loads(Path(cells).read_text()):
            file.write(json.dumps(asdict(campaign.judge(*cell))) + "\n")
            file.flush()
            if time.monotonic() > end:
                break


if __name__ == "__main__":
    main(*sys.argv[1:])
