"""What waits to be kept, a small file each: of processes that had no other use for the store.

Searches, which whoever opens the store next takes up before it does anything else, so that no lease sees a
log without them; and contexts, which a lease that writes takes up, for no other asks for them. A file goes
once what it holds is committed; one that is taken up twice is kept once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.settings.home import checked, read_checked, write_file

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Context
    from ark_tui.domain.memory import Scope
    from ark_tui.domain.searches import Retrieval
    from ark_tui.store.lease import Lease

SEARCHES, CONTEXTS = "searches", "contexts"  # folders in `locks`
MOST = 64  # files of a kind


def put(locks: Path, one: Retrieval) -> bool:
    """Let a search wait; False where as many do as may. Raises `OSError`."""
    from ark_tui.store import searches

    return _put(locks / SEARCHES, one.id, lambda: searches.rows(one))


def put_context(locks: Path, one: Context, scope: Scope) -> bool:
    """Likewise a context that was put together for somebody."""
    from ark_tui.store import contexts

    return _put(locks / CONTEXTS, one.retrieval_id, lambda: contexts.rows(one, scope))


def _put(folder: Path, id_: str, rows: Callable[[], Any]) -> bool:
    if len(_files(folder)) >= MOST:
        return False
    kept = json.dumps(rows(), ensure_ascii=False, default=datetime.isoformat)
    write_file(folder / f"{id_}.json", checked(kept.encode("utf-8", "surrogatepass")), synced=True)
    return True


def found(locks: Path, kinds: Sequence[str] = (SEARCHES, CONTEXTS)) -> list[Path]:
    """Those that wait."""
    return [path for kind in kinds for path in _files(locks / kind)]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except OSError:
        return []


def take_up(lease: Lease, paths: Sequence[Path]) -> int:
    """Put those that wait into the store; returns how many were damaged, which are let go.

    Another process may have taken some of them up by now.
    """
    from ark_tui.store import contexts, searches

    there = [path for path in paths if path.exists()]
    damaged = 0
    for kind, put_rows in ((SEARCHES, searches.put_rows), (CONTEXTS, contexts.put_rows)):
        data = [read_checked(path) for path in there if path.parent.name == kind]
        put_rows(lease, [tuple(json.loads(one.decode("utf-8", "surrogatepass"))) for one in data if one])
        damaged += sum(one is None for one in data)
    return damaged
