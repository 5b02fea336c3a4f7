"""Searches that wait to be kept, a small file each: of processes that had no other use for the store.

Whoever opens the store next takes them up before it does anything else, so that no lease sees a log without
them. A file goes once its search is committed; one that is taken up twice is kept once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.settings.home import checked, read_checked, write_file

if TYPE_CHECKING:
    from ark_tui.domain.searches import Retrieval
    from ark_tui.store.lease import Lease

FOLDER = "searches"  # in `locks`
MOST = 64  # files


def put(locks: Path, one: Retrieval) -> bool:
    """Let a search wait; False where as many do as may. Raises `OSError`."""
    from ark_tui.store import searches

    if len(found(locks)) >= MOST:
        return False
    search, answers = searches.rows(one)
    kept = json.dumps([search, answers], ensure_ascii=False, default=datetime.isoformat)
    write_file(locks / FOLDER / f"{one.id}.json", checked(kept.encode("utf-8", "surrogatepass")), synced=True)
    return True


def found(locks: Path) -> list[Path]:
    """Those that wait."""
    try:
        return sorted(path for path in (locks / FOLDER).iterdir() if path.suffix == ".json")
    except OSError:
        return []


def take_up(lease: Lease, paths: Sequence[Path]) -> int:
    """Put those that wait into the store; returns how many were damaged, which are let go.

    Another process may have taken some of them up by now.
    """
    from ark_tui.store import searches

    there = [path for path in paths if path.exists()]
    kept = [json.loads(data.decode("utf-8", "surrogatepass")) for data in map(read_checked, there) if data]
    searches.put_rows(lease, [(search, answers) for search, answers in kept])
    return len(there) - len(kept)
