"""Two processes write to one home as fast as they can: what share each gets, and how long one waits."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ark_tui.settings import load
from ark_tui.store import Store
from benchmarks.measure import Figure, rounded, tell

SECONDS = 10.0


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        Store(load(home, environ={}).home, load(home, environ={}).clock).change()
        start = str(time.time() + 2.0)
        command = [sys.executable, "-m", "benchmarks.two_processes", str(home), start]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        shares = [json.loads(process.communicate()[0]) for process in running]
    counts = [share["count"] for share in shares]
    least = min(counts) / sum(counts)
    worst = max(share["worst_ms"] for share in shares)
    tell(
        Figure(
            "two_processes", round(least, 3), "≥ 0.45",
            rounded(writes=sum(counts), a_second=sum(counts) / SECONDS, worst_wait_ms=worst),
        ),
        f"Of two processes writing to one home, the slower got {least:.1%} of {sum(counts):,} leases; "
        f"nobody waited longer than {worst:.0f} ms",
    )  # fmt: skip


def write(home: Path, start: float) -> None:
    """One of the two: writes from `start` on, for `SECONDS`."""
    settings = load(home, environ={})
    store = Store(settings.home, settings.clock)
    with store.write() as lease:
        lease.take("document")
    time.sleep(max(0.0, start - time.time()))
    count, worst, last = 0, 0.0, time.perf_counter()
    end = last + SECONDS
    while last < end:
        with store.write() as lease:
            lease.take("document")
        now = time.perf_counter()
        count, worst, last = count + 1, max(worst, now - last), now
    store.close()
    print(json.dumps({"count": count, "worst_ms": worst * 1000}))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]), float(sys.argv[2]))
    else:
        main()
