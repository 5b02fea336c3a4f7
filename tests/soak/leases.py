"""How long each lease was waited for and held, by whom: `python -m tests.soak.leases LOG COMMAND …`.

Runs a command of ark-tui as it is, and appends to LOG one line of JSON per lease; `report(LOG)` sums them up.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ark_tui.store import locking

PLUMBING = (f"python3.{sys.version_info.minor}/contextlib.py", "store/queue.py", "store/store.py")


def record(log: Path) -> None:
    """From now on every lease of this process is noted in `log`."""
    hold = locking.FileLock.hold
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    @contextmanager
    def noted(self: locking.FileLock, *args: Any, **kwargs: Any) -> Iterator[None]:
        caller = _caller(sys._getframe(2))
        asked = had = time.monotonic()
        error = ""
        try:
            with hold(self, *args, **kwargs):
                had = time.monotonic()
                yield
        except BaseException as failure:
            error = type(failure).__name__
            raise
        finally:
            done = time.monotonic()
            waited = (had if had > asked else done) - asked
            row = {"pid": os.getpid(), "at": asked, "caller": caller, "shared": bool(kwargs.get("shared")),
                   "waited": waited, "held": done - asked - waited, "error": error}  # fmt: skip
            os.write(file, (json.dumps(row) + "\n").encode())

    locking.FileLock.hold = noted  # type: ignore[method-assign]


def _caller(frame: FrameType | None) -> str:
    """The two innermost places that are not the lease itself."""
    found: list[str] = []
    while frame is not None and len(found) < 2:
        file = Path(frame.f_code.co_filename)
        if "/".join(file.parts[-2:]) not in PLUMBING:
            found.append(f"{'/'.join(file.parts[-2:])}:{frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join(found)


def report(log: Path) -> str:
    """Per caller: how many, the longest wait and hold and their sums (ms), the longest hold first."""
    rows = defaultdict(list)
    for line in log.read_text("utf-8").splitlines():
        row = json.loads(line)
        rows[row["caller"], row["shared"]].append(row)
    lines = []
    for (caller, shared), found in sorted(rows.items(), key=lambda one: -max(r["held"] for r in one[1])):
        held, waited = [r["held"] * 1000 for r in found], [r["waited"] * 1000 for r in found]
        errors = sum(bool(r["error"]) for r in found)
        lines.append(
            f"{len(found):6} held {max(held):7.0f} max {sum(held):8.0f} sum  waited {max(waited):7.0f} max "
            f"{sum(waited):8.0f} sum  {errors:3} errors  {'read ' if shared else 'write'} {caller}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1] == "report":
        sys.stdout.write(report(Path(sys.argv[2])) + "\n")
    else:
        record(Path(sys.argv.pop(1)))
        from ark_tui.interfaces.cli import main

        sys.argv[0] = "ark-tui"
        main()
