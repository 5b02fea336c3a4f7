"""A million messages: adding, listing and searching, against a held DuckDB connection and bare tantivy.

`MESSAGES=100000` takes fewer.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random

import duckdb
import tantivy

from ark_tui.domain.memory import Saying, Scope
from ark_tui.engine import Engine
from ark_tui.settings import load
from ark_tui.store import conversations
from ark_tui.store.lease import Lease
from benchmarks.corpus import Author
from benchmarks.measure import Figure, in_turns, middle, percentile, rounded, tell

MESSAGES = int(os.environ.get("MESSAGES", "1000000"))
TEXTS = 20_000  # different beginnings of a message
ROUNDS = 60
LOOK = 0.1  # seconds between two questions whether all are indexed
PAGE = 100
HITS = 20
HERE = Scope()


@dataclass(frozen=True, slots=True)
class Pair:
    """Medians of our work and of the bare work, and our 99th percentile; milliseconds."""

    ours: float
    raw: float
    p99: float

    @classmethod
    def of(cls, ours: list[float], raw: list[float]) -> Pair:
        """What two lists of times come to."""
        return cls(middle(ours), middle(raw), percentile(ours, 0.99))

    @property
    def ratio(self) -> float:
        return self.ours / self.raw


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        with Engine(load(home, environ={})) as engine:
            load_s, bare_s = _fill(engine), _fill_bare(Path(scratch))
            began = time.perf_counter()
            waiting = engine.memory.conversations.search(HERE, "anything").waiting
            first_s = time.perf_counter() - began
            while engine.memory.conversations.search(HERE, "anything", limit=0).waiting:
                time.sleep(LOOK)
            index_s = time.perf_counter() - began
            searched = _searches(engine, _bare_index(Path(scratch)))
            listed, added = _lists(engine, home), _appends(engine, home)
    append, page, search = added.ratio, listed.ratio, searched.ratio
    tell(
        Figure(
            "history", round(append, 3), "≤ 5",
            rounded(append_ms=added.ours, append_p99_ms=added.p99, held_append_ms=added.raw, list=page,
                    list_ms=listed.ours, held_list_ms=listed.raw, search=search, search_ms=searched.ours,
                    tantivy_ms=searched.raw, load_s=load_s, bare_load_s=bare_s, first_s=first_s,
                    waiting=waiting, index_s=index_s),
        ),
        f"After {MESSAGES:,} messages one more costs {append:.1f} × the same on a held connection "
        f"({added.ours:.1f} ms, p99 {added.p99:.0f}), "
        f"the last {PAGE} {page:.1f} × (≤ 3; {listed.ours:.1f} ms), "
        f"a search {search:.1f} × bare tantivy (≤ 3; {searched.ours:.1f} ms); "
        f"storing them all {load_s / bare_s:.1f} × one bare table (≤ 8; {load_s:.0f} s), "
        f"the first search after that {first_s:.1f} s, without {waiting:,} of them; all are found after "
        f"{index_s:.0f} s",
    )  # fmt: skip


def sayings(count: int) -> Iterator[Saying]:
    """Messages of a few words to a few sentences, a user's and an assistant's in turns."""
    author, random = Author(11), Random(11)
    texts = [author.paragraph()[: random.randint(40, 400)] for _ in range(TEXTS)]
    for number in range(count):
        yield Saying("assistant" if number % 2 else "user", f"{texts[number % TEXTS]} {number}")


def _fill(engine: Engine) -> float:
    began = time.perf_counter()
    engine.memory.conversations.load(HERE, sayings(MESSAGES))
    return time.perf_counter() - began


def _fill_bare(scratch: Path) -> float:
    """The least that anybody could store: one table, one held connection, as many messages at once."""
    began = time.perf_counter()
    with duckdb.connect(str(scratch / "bare.duckdb")) as held:
        held.execute("CREATE TABLE messages (sequence BIGINT, role VARCHAR, content VARCHAR)")
        waiting = sayings(MESSAGES)
        for start in range(0, MESSAGES, 10_000):
            batch = [next(waiting) for _ in range(10_000)]
            held.execute(
                "INSERT INTO messages SELECT unnest(?), unnest(?), unnest(?)",
                (
                    list(range(start, start + 10_000)),
                    [one.role for one in batch],
                    [one.content for one in batch],
                ),
            )
    return time.perf_counter() - began


def _appends(engine: Engine, home: Path) -> Pair:
    """One more message, under a lease; and the same rows by a connection that holds the store."""
    held, lease = _held(home)
    number = conversations.find(lease, HERE, "default")
    assert number is not None
    (ready,) = engine.memory.conversations._incoming([Saying("user", "one more")])  # noqa: SLF001

    def bare() -> None:
        held.execute("BEGIN")
        conversations.append_all(lease, HERE, [(number, "default", [ready])])
        held.execute("COMMIT")

    raw = in_turns([bare], rounds=ROUNDS)[0]
    held.close()
    ours = in_turns([lambda: engine.memory.conversations.add(HERE, "user", "one more")], rounds=ROUNDS)[0]
    return Pair.of(ours, raw)


def _lists(engine: Engine, home: Path) -> Pair:
    held, lease = _held(home)
    number = conversations.find(lease, HERE, "default")
    assert number is not None
    raw = in_turns([lambda: conversations.page(lease, [number], limit=PAGE, newest=True)], rounds=ROUNDS)[0]
    held.close()
    ours = in_turns(
        [lambda: engine.memory.conversations.messages(HERE, limit=PAGE, newest=True)], rounds=ROUNDS
    )[0]
    return Pair.of(ours, raw)


def _searches(engine: Engine, bare: tantivy.Index) -> Pair:
    """The best twenty with their texts, our way and from an index that stores them."""
    author = Author(5)
    queries = [author.query() for _ in range(ROUNDS)]
    a, b, searcher = cycle(queries), cycle(queries), bare.searcher()

    def raw() -> list[object]:
        found = searcher.search(bare.parse_query(next(a), ["body"]), HITS).hits
        return [searcher.doc(address)["body"] for _, address in found]

    plain, ours = in_turns(
        [raw, lambda: engine.memory.conversations.search(HERE, next(b), limit=HITS)], rounds=ROUNDS
    )
    return Pair.of(ours, plain)


def _bare_index(scratch: Path) -> tantivy.Index:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", stored=True, tokenizer_name="en_stem")
    schema = builder.build()
    folder = scratch / "bare"
    folder.mkdir()
    index = tantivy.Index(schema, path=str(folder))
    writer = index.writer(128_000_000, 1)
    for saying in sayings(MESSAGES):
        writer.add_document(tantivy.Document(body=saying.content))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def _held(home: Path) -> tuple[duckdb.DuckDBPyConnection, Lease]:
    settings = load(home, environ={})
    held = duckdb.connect(":memory:", config={"threads": "2"})
    held.execute(f"ATTACH '{settings.home.store}' AS ark")
    return held, Lease(held, settings.clock, {})


if __name__ == "__main__":
    main()
