"""A home of ark-tui 0.1.0 as a fixture: `python -m tests.baseline.homes` lives one and packs it.

The home holds what `life.py` leaves behind: documents of every format, edits and their undo log, the trash,
memories of every kind and tier, conversations, searches, judgments, vectors of a served model, the session of
a workbench. `answers.json` is what was read from it then; `config.toml` has every setting, and
`config.json` is how they were understood.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from tests.baseline import life, program
from tests.baseline.program import ark, environment

HERE = Path(__file__).parent / "homes"
HOME, ANSWERS = HERE / "home.zip", HERE / "answers.json"
CONFIG, UNDERSTOOD = HERE / "config.toml", HERE / "config.json"
BORN = (2026, 11, 20, 12, 0, 0)  # of every file in the archive
LEFT_OUT = {"cache", "locks", "logs", "backups"}  # what is made again, and copies

UNREAD = {"picture.png", "empty.md", "bread-copy.md", "page.html", "cards.jsonl"}
"""Notes that are left out, merged, in the trash, or several documents."""

NOTE_NAMES = [name for name in life.NOTES if name not in UNREAD]

READS: tuple[tuple[str, ...], ...] = (
    ("searches",),
    ("status",),
    ("collections",),
    ("saved",),
    ("judge",),
    ("pin",),
    ("trash",),
    ("memories",),
    ("facts-list",),
    ("patterns-list",),
    ("directives-list",),
    ("scratch-list",),
    ("scratch-get", "plan", "--history"),
    ("tasks-list", "--all"),
    ("conversations", "--agent", "ALL", "--session", "ALL"),
    ("history-list",),
    ("history-list", "--agent", "ann", "--session", "one"),
    ("history-search", "rafts"),
    ("scopes",),
    ("outcome query",),
    ("memory-stats",),
    ("models",),
    ("queue",),
    ("traverse", "walk.md"),
    ("subgraph", "gap.md"),
    ("similar", "gap.md"),
    ("export-curation", "-"),
    *(("show", name) for name in NOTE_NAMES),
    *(
        ("search", query)
        for query in ("spectral gap", "@month", "sourdough flour", "rafts", "ghost eigenvalues")
    ),
    ("search", "spectral gap mixing", "--superseded"),
    ("search", "spectral gap", "--profile", "ark"),
    ("search", "eigenvalues", "--mode", "keyword"),
    ("search", "eigenvalues", "--mode", "semantic"),
    ("recall", "spectral gap", "--role", "planner"),
)
"""What is read from the home, in this order: searches are kept in the log of searches, too."""

VOLATILE = {"took_ms", "ms", "bytes", "schema", "change"}
"""Fields that may differ: times, sizes, and what counts the work of the store itself."""


def read(home: Path) -> dict[str, Any]:
    """What a home answers to `READS`, and the text of every item that it lists."""
    told: dict[str, Any] = {}
    with environment(home):
        for line in READS:
            done = ark(*line[0].split(), *line[1:], *(() if line[0] == "export-curation" else ("--json",)))
            assert done.code == 0, (line, done)
            out = done.out.replace(str(home), "HOME")
            told[" ".join(line)] = out.splitlines() if line[0] == "export-curation" else json.loads(out)
        for id_ in sorted(items(told)):
            told[f"show {id_}"] = ark("show", id_, "--json").json
    return told


def items(told: Any) -> set[str]:
    """The ids of all documents and memories in some answers, but for the trash."""
    if isinstance(told, list):
        return {id_ for one in told for id_ in items(one)}
    if not isinstance(told, dict):
        return set()
    own = {str(told["id"])} if "short_id" in told and not told.get("trashed") else set()
    return own | items(list(told.values()))


def differing(kept: Any, now: Any, path: str = "") -> list[str]:
    """Where two answers differ; what is new in the second one is none."""
    if isinstance(kept, dict) and isinstance(now, dict):
        return [
            line
            for key, value in kept.items()
            if key not in VOLATILE
            for line in (
                differing(value, now[key], f"{path}.{key}") if key in now else [f"{path}.{key} is gone"]
            )
        ]
    if isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        return [
            line
            for place, (one, other) in enumerate(zip(kept, now, strict=True))
            for line in differing(one, other, f"{path}[{place}]")
        ]
    number = isinstance(kept, int | float) and isinstance(now, int | float)
    same = abs(kept - now) < 0.001 if number else kept == now
    return [] if same else [f"{path}: {kept!r} is now {now!r}"]


def unpack(folder: Path) -> Path:
    """The home, unpacked below a folder."""
    with zipfile.ZipFile(HOME) as archive:
        archive.extractall(folder / "home")
    return folder / "home"


def make() -> None:
    """Live a home, pack it, and keep what it answers once it has been unpacked."""
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with environment(folder / "home", ARK_AGENT_FOLDERS=str(folder)):
            life.lived(folder)
            asyncio.run(program.workbench())
        _pack(folder / "home")
    with tempfile.TemporaryDirectory(prefix="ark-tui-") as place:
        answers = read(unpack(Path(place)))
    ANSWERS.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", "utf-8")
    UNDERSTOOD.write_text(json.dumps(understood(), indent=1, ensure_ascii=False) + "\n", "utf-8")


def understood() -> dict[str, Any]:
    """How the program reads `config.toml`."""
    with tempfile.TemporaryDirectory(prefix="ark-tui-") as place:
        home = Path(place) / "home"
        home.mkdir()
        shutil.copy(CONFIG, home / "config.toml")
        with environment(home):
            for name in (*program.PATIENT, "OLLAMA_HOST"):
                del os.environ[name]
            said = ark("config", "--json").json
    return {name: said[name] for name in ("settings", "profiles", "warnings")}


def _pack(home: Path) -> None:
    with zipfile.ZipFile(HOME, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(home.rglob("*")):
            place = path.relative_to(home)
            if path.is_file() and not set(place.parts) & LEFT_OUT:
                entry = zipfile.ZipInfo(str(place), BORN)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o600 << 16
                archive.writestr(entry, path.read_bytes())


if __name__ == "__main__":
    make()
