"""What is tried under faults: each operation with where it starts, and what it leaves when it was done."""

from __future__ import annotations

import shutil
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ark_tui.domain.errors import ArkError, StoreError
from ark_tui.interfaces.cli.app import run as command
from ark_tui.settings import load
from ark_tui.store import Store, models

if TYPE_CHECKING:
    from ark_tui.store import Lease

Answer = TypeVar("Answer")

MODEL = "all-minilm"
SECRET = "quetzalcoatl"  # occurs in what is deleted, and nowhere else


@dataclass(frozen=True)
class Place:
    """The folders of one trial, all below `path`, and the address of a model server."""

    path: Path
    server: str = ""

    @property
    def home(self) -> Path:
        return self.path / "home"

    @property
    def notes(self) -> Path:
        return self.path / "notes"

    @property
    def out(self) -> Path:
        return self.path / "out"

    def run(self, *words: str) -> int:
        """One command line in this home; returns its exit code."""
        return command(["--home", str(self.home), *words])

    def store(self) -> Store:
        settings = load(self.home, environ={})
        return Store(settings.home, settings.clock)

    def ask(self, question: Callable[[Lease], Answer]) -> Answer:
        store = self.store()
        try:
            with store.read() as lease:
                return question(lease)
        finally:
            store.close()


@dataclass(frozen=True)
class Operation:
    """`act` returns an exit code; `look` how much of it is there: nothing 0, all of it 1, else half."""

    name: str
    start: str  # name of the home that it begins with
    act: Callable[[Place], int]
    look: Callable[[Place], float]
    again: bool = True  # whether doing it twice is the same as once
    steps: bool = False  # whether a part of it may be done: the same command goes on
    gone: str = ""  # what no file of the home holds afterwards


def _words(*words: str) -> Callable[[Place], int]:
    return lambda place: place.run(*(word.format(place=place) for word in words))


def _count(sql: str, *values: object) -> Callable[[Place], float]:
    return lambda place: place.ask(lambda lease: int(lease.value(sql, *values)))


# -- homes to begin with -------------------------------------------------------------------------------


def nothing(place: Place) -> None:
    """No home yet; a folder of notes."""
    place.notes.mkdir(parents=True)
    place.out.mkdir()
    (place.out / "theirs.json").write_text('{"ignore": ["*.heron"]}', "utf-8")
    for number in range(3):
        text = f"# Note {number}\n\nOtters sleep in rivers, as page {number} of the book of otters says.\n"
        (place.notes / f"{number}.md").write_text(text, "utf-8")


def base(place: Place) -> None:
    """Notes, a task, a message, a value, a tag that can be undone, something in the trash."""
    nothing(place)
    (place.notes / "secret.md").write_text(f"# Plans\n\nThe {SECRET} sleeps alone.\n", "utf-8")
    _all(
        place,
        ("index", str(place.notes)),
        ("tag", "river", "0.md"),
        ("trash", "secret.md"),
        ("undo",),
        ("redo",),
        ("tag", "undone", "1.md"),
        ("tasks-add", "an early task"),
        ("history-add", "user", "an early message"),
        ("conversations-create", "plans"),
        ("history-add", "user", f"where does the {SECRET} sleep?", "--conversation", "plans"),
        ("history-add", "assistant", f"the {SECRET} sleeps alone", "--conversation", "plans"),
        ("scratch-set", "early", "value"),
        ("history-search", "early"),
    )


def behind(place: Place) -> None:
    """Neither of the indexes is there."""
    base(place)
    shutil.rmtree(place.home / "words")
    shutil.rmtree(place.home / "vectors")
    shutil.rmtree(place.home / "messages")


def scattered(place: Place) -> None:
    """Many small parts in both indexes: the next text makes them one."""
    base(place)
    for number in range(9):
        _all(place, ("ingest", f"The {number}th of many small texts on otters.", "--title", f"S{number}"))


def kept(place: Place) -> None:
    """A backup, and something that came after it."""
    base(place)
    _all(place, ("backup", str(place.out / "kept.zip")), ("tasks-add", "after the backup"))


def served(place: Place) -> None:
    """Beside a model server, whose model is not used yet."""
    base(place)
    (place.home / "config.toml").write_text(f'ollama_host = "{place.server}"\n', "utf-8")


STARTS = {start.__name__: start for start in (nothing, base, behind, scattered, kept, served)}


def _all(place: Place, *commands: tuple[str, ...]) -> None:
    for words in commands:
        assert place.run(*words) == 0, words


# -- what is there afterwards --------------------------------------------------------------------------

ALIVE = "SELECT count(*) FROM ark.documents WHERE gone IS NULL AND "
TAGGED = "SELECT count(*) FROM ark.tags WHERE tag = ?"


def _notes_indexed(place: Place) -> float:
    return _count(ALIVE + "path LIKE '%.md'")(place) / 3


def _task(place: Place) -> float:
    return _count("SELECT count(*) FROM ark.tasks WHERE text = 'a late task'")(place)


def _purged(place: Place) -> float:
    aside = _count("SELECT count(*) FROM ark.trashed_chunks")(place)
    said = _count("SELECT count(*) FROM ark.said WHERE aspect = 'trash'")(place)
    return {(0, 0): 1.0, (1, 1): 0.0}.get((int(aside), int(said)), 0.5)


def _conversation_gone(place: Place) -> float:
    there = _count("SELECT count(*) FROM ark.conversations WHERE id = 'plans'")(place)
    texts = _count("SELECT count(*) FROM ark.documents WHERE layer = 1 AND body LIKE ?", f"%{SECRET}%")(place)
    return {(0, 0): 1.0, (1, 2): 0.0}.get((int(there), int(texts)), 0.5)


def _backed_up(place: Place) -> float:
    target = place.out / "new.zip"
    if not target.exists():
        return 0
    with zipfile.ZipFile(target) as archive:
        return 0.5 if archive.testzip() else 1


def _restored(place: Place) -> float:
    return 1 - _count("SELECT count(*) FROM ark.tasks WHERE text = 'after the backup'")(place)


def _switched(place: Place) -> float:
    return float(MODEL in place.ask(lambda lease: models.record(lease).in_force))


def _caught_up(place: Place) -> float:
    from ark_tui.engine import Engine

    with Engine(load(place.home, environ={})) as engine:
        return float(not any(state.behind for state in engine.status().followers))


def _sync(place: Place) -> int:
    from ark_tui.engine import Engine

    try:
        with Engine(load(place.home, environ={})) as engine:
            engine.sync(wait=5.0)
    except ArkError as error:
        return _said(error)
    return 0


def _said(error: ArkError) -> int:
    sys.stderr.write(f"error: {error.what}\n")
    return error.exit_code


def _configured(place: Place) -> float:
    config = place.home / "config.toml"
    assert not load(place.home, environ={}).warnings
    return float(config.exists() and "*.heron" in config.read_text("utf-8"))


def _session(place: Place) -> int:
    from ark_tui.interfaces.tui.state import session

    try:
        session.save(place.home, session.Session(query="otters"))
    except StoreError as error:
        return _said(error)
    return 0


def _session_kept(place: Place) -> float:
    from ark_tui.interfaces.tui.state import session

    found, complaint = session.load(place.home, session.Session)
    assert not complaint, complaint
    return float(found.query == "otters")


KEY = ("--idempotency-key", "late")
"""With it a repetition, as of a client whose home process was killed, adds nothing."""

OPERATIONS = (
    Operation("first index", "nothing", _words("index", "{place.notes}"), _notes_indexed, steps=True),
    Operation("first task", "nothing", _words("tasks-add", "a late task", *KEY), _task),
    Operation(
        "ingest", "base", _words("ingest", "A text on herons.", "--title", "Herons"),
        _count(ALIVE + "title = 'Herons'"),
    ),
    Operation("tag", "base", _words("tag", "late", "2.md"), _count(TAGGED, "late")),
    Operation(
        "undo", "base", _words("undo"), lambda place: 1 - _count(TAGGED, "undone")(place), again=False
    ),
    Operation(
        "merge", "base", _words("merge", "0.md", "1.md"),
        lambda place: 3 - _count(ALIVE + "path LIKE '_.md'")(place), again=False,
    ),
    Operation("task", "base", _words("tasks-add", "a late task", *KEY), _task),
    Operation(
        "history-add", "base", _words("history-add", "user", "a late message", *KEY),
        _count(ALIVE + "body = 'a late message'"),
    ),
    Operation(
        "scratch-set", "base", _words("scratch-set", "late", "value"),
        _count("SELECT count(*) FROM ark.scratch WHERE key = 'late'"), again=False,
    ),
    Operation(
        "remember", "base",
        _words("remember", "Herons fish at dawn.", "--source", "walk"),
        _count(ALIVE + "body LIKE 'Herons fish at dawn.%'"),
    ),
    Operation("purge", "base", _words("purge", "--yes"), _purged, gone=f"The {SECRET} sleeps alone."),
    Operation(
        "conversations-delete", "base", _words("conversations-delete", "plans", "--yes"),
        _conversation_gone, again=False, gone=f"where does the {SECRET} sleep?",
    ),
    Operation("backup", "base", _words("backup", "{place.out}/new.zip"), _backed_up, again=False),
    Operation("restore", "kept", _words("restore", "{place.out}/kept.zip"), _restored),
    Operation("catching up", "behind", _sync, _caught_up, steps=True),
    Operation(
        "compaction", "scattered", _words("ingest", "A text on herons.", "--title", "Herons"),
        _count(ALIVE + "title = 'Herons'"),
    ),
    Operation("model switch", "served", _words("models", "--use", f"ollama:{MODEL}"), _switched),
    Operation("config", "base", _words("config", "import", "{place.out}/theirs.json"), _configured),
    Operation("session", "base", _session, _session_kept),
)  # fmt: skip
