"""A home looked at from outside: what its store holds, whichever way it came in."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from ark_tui.engine import Engine
from ark_tui.settings import load
from ark_tui.store import Store
from tests.soak import audit

DOCUMENTS = (
    "SELECT id, collection, path, item, title, titled, type, tier, status, format, date, date_source, "
    "source, place, source_id, hash, body FROM ark.documents WHERE gone IS NULL ORDER BY id"
)
CHUNKS = (
    "SELECT d.id, c.ordinal, c.start_char, c.end_char, c.start_line, c.end_line, c.tokens, c.heading, "
    "c.kind, c.language, c.text_hash FROM ark.chunks c JOIN ark.documents d ON d.number = c.document "
    "ORDER BY 1, 2"
)
TAGS = (
    "SELECT d.id, t.tag, t.origin FROM ark.tags t JOIN ark.documents d ON d.number = t.document ORDER BY 1, 2"
)
FILES = "SELECT path, size, mtime_ns, inode, hash, state, reason FROM ark.files ORDER BY path"


def run(home: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Index a folder."""
    return audit.run(home, "--direct", "index", str(folder), *more)


def held(home: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Documents, chunks, tags and files, with their ids and texts."""
    settings = load(home, environ={})
    store = Store(settings.home, settings.clock)
    wanted = {"documents": DOCUMENTS, "chunks": CHUNKS, "tags": TAGS, "files": FILES}
    with store.read() as lease:
        found = {name: [tuple(row) for row in lease.rows(sql)] for name, sql in wanted.items()}
    store.close()
    return found


def indexed(engine: Engine) -> list[str]:
    """The files that have brought documents."""
    with engine.store.read() as lease:
        return [str(row[0]) for row in lease.rows("SELECT path FROM ark.files WHERE state = 'indexed'")]
