"""A small write under a lease against the same write on a connection that is held open."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

from ark_tui.settings import load
from ark_tui.store import Store
from benchmarks.measure import Figure, in_turns, middle, percentile, rounded, tell

WRITES = 400
SQL = "UPDATE {}counters SET value = value + 1 WHERE name = 'document'"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        settings = load(Path(scratch) / "home", environ={})
        store = Store(settings.home, settings.clock)
        held = duckdb.connect(str(Path(scratch) / "held.duckdb"))
        held.execute("CREATE TABLE counters (name VARCHAR, value BIGINT)")
        held.execute("INSERT INTO counters VALUES ('document', 0)")

        def leased() -> None:
            with store.write() as lease:
                lease.run(SQL.format("ark."))

        def plain() -> None:
            held.execute("BEGIN")
            held.execute(SQL.format(""))
            held.execute("COMMIT")

        mine, other = in_turns([leased, plain], rounds=WRITES, warm=20)
        store.close()
        held.close()
    ratio, p99 = middle(mine) / middle(other), percentile(mine, 0.99)
    tell(
        Figure(
            "leased_write", round(ratio, 3), "≤ 5",
            rounded(leased_ms=middle(mine), held_ms=middle(other), p99_ms=p99, worst_ms=max(mine)),
        ),
        f"A small leased write costs {ratio:.1f} × one on a held connection; p99 {p99:.1f} ms (≤ 25 ms)",
    )  # fmt: skip


if __name__ == "__main__":
    main()
