"""What a table elsewhere costs, by its rows: `python -m benchmarks.scale [FEW MORE CHECKED] [--served DIMS]`.

Everything is asked of a server of S3 on loopback that counts requests and bytes. Publishing is measured with
homes of `PAGES` pages. Tables of many rows are put together from the rows of such a home: vectors of two are
mixed, words of one stand beside the title of another, and each row has a word of its own. Each figure follows
a law that is named before; its two coefficients come from the first two sizes, and its error is that at the
third. The rest is worked out. With `--served` rows have a vector of a served model of so many dimensions,
made up by a server here, and searches ask for it. Seconds are of the processor, the server's among them;
those of a network are the requests times its delay, of which some run side by side. Prices are yours: `--get`
and others; without any no money is named.
"""

from __future__ import annotations

import argparse
import math
import mmap
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from moto.s3.models import FakeKey

from ark_tui import settings
from ark_tui.domain.query import Mode, Request
from ark_tui.engine import Engine
from ark_tui.index.table import follower, rows, snapshot
from ark_tui.index.table import place as places
from ark_tui.index.table.place import Place
from benchmarks import corpus
from benchmarks.measure import Figure, middle, tell
from tests.ollama_server import Model, OllamaServer
from tests.table_server import TableServer

SIZES = (10_000, 20_000, 40_000)  # rows; above `FEWEST` an index answers, as in a table of any size
FEWEST = 2_048
PAGES = (400, 800, 1600)  # of the homes that are published
QUERIES = 5
AT_ONCE = 8_192  # rows made at once
FILE = 200_000  # rows of a file
GB = 1e9
WORKED_OUT = (1_000_000, 10_000_000, 100_000_000)
PRICES = {
    "get": "per 1,000 requests that read",
    "put": "per 1,000 requests that write or list",
    "month": "per GB kept for a month",
    "out": "per GB that is read",
    "hour": "per hour of the machine that publishes",
}
PATIENT: Mapping[str, object] = {"query_budget": 600.0, "expand_budget": 600.0}
MODEL = "all-minilm"  # in whose name the served model answers

Law = Callable[[float], float]
LAWS: Mapping[str, Law] = {"constant": lambda _: 0.0, "log n": math.log, "√n": math.sqrt, "n": lambda n: n}


@dataclass(frozen=True, slots=True)
class Fitted:
    """One figure: its law, a + b · law(n), and how far it was off at the size that it was not fitted to."""

    law: str
    a: float
    b: float
    measured: Sequence[tuple[int, float]]

    def at(self, size: float) -> float:
        """The figure for so many rows."""
        return self.a + self.b * LAWS[self.law](size)

    @property
    def error(self) -> float:
        """In parts of what was measured."""
        size, value = self.measured[-1]
        return abs(self.at(size) - value) / value if value else 0.0


def fitted(law: str, points: Sequence[tuple[int, float]]) -> Fitted:
    """By the first two points."""
    (few, low), (more, high) = points[:2]
    rise = LAWS[law](more) - LAWS[law](few)
    b = max((high - low) / rise, 0.0) if rise else 0.0
    return Fitted(law, (low + high) / 2 if not b else low - b * LAWS[law](few), b, points)


class Server(TableServer):
    """Buckets that count what is asked of them."""

    def __init__(self) -> None:
        super().__init__()
        self.count: Counter[str] = Counter()

    @contextmanager
    def counted(self) -> Iterator[dict[str, float]]:
        """What is asked within this, and its seconds of processor, the server's own among them."""
        before, began, found = self.count.copy(), time.process_time(), dict[str, float]()
        yield found
        found["seconds"] = time.process_time() - began
        found |= {name: self.count[name] - before[name] for name in ("reads", "writes", "read", "written")}

    def stored(self, bucket: str, within: str = "") -> float:
        """Bytes of a bucket below a folder."""
        pages = self.client().get_paginator("list_objects_v2").paginate(Bucket=bucket)
        listed = (one for page in pages for one in page.get("Contents", ()))
        return float(sum(one["Size"] for one in listed if within in one["Key"]))

    def _answer(self, environ: dict[str, Any], begin: Callable[..., Any]) -> Iterable[bytes]:
        reads = environ["REQUEST_METHOD"] in {"GET", "HEAD"} and "list-type" not in environ["QUERY_STRING"]
        self.count["reads" if reads else "writes"] += 1
        self.count["written"] += int(environ.get("CONTENT_LENGTH") or 0)

        def answer(status: str, headers: Sequence[tuple[str, str]], *more: Any) -> Any:
            if environ["REQUEST_METHOD"] == "GET":
                self.count["read"] += int(dict(headers).get("Content-Length", 0))
            return begin(status, headers, *more)

        return super()._answer(environ, answer)


def _mapped(self: FakeKey) -> Any:
    """Moto reads a whole object for each part of it that is asked for: of a large one only that part."""
    with self.lock:
        if self.contentsize < 1 << 20:
            self._value_buffer.seek(0)
            return self._value_buffer.read()
        self._value_buffer.flush()
        return mmap.mmap(self._value_buffer.fileno(), self.contentsize, access=mmap.ACCESS_READ)


def main(arguments: Sequence[str]) -> None:
    given = _asked(arguments)
    prices = {name: getattr(given, name) for name in PRICES}
    FakeKey.value = property(_mapped, FakeKey.value.fset)  # type: ignore[method-assign,assignment,attr-defined]
    if given.sizes[0] <= snapshot.EXACT:
        for module in (snapshot, follower):
            setattr(module, "EXACT", min(FEWEST, given.sizes[0] - 1))  # noqa: B010  (that it imports)
    places.REMOTE = {**places.REMOTE, "timeout": "600s"}  # moto takes long to put a large file together
    follower.PUBLISH_EVERY = math.inf  # what is put in force on the way depends on how fast the machine is
    server = Server()
    os.environ |= server.environment
    with (
        tempfile.TemporaryDirectory(dir=corpus.folder()) as scratch,
        OllamaServer(Model(MODEL, given.served)) as models,
    ):
        asked = {"embedding": f"ollama:{MODEL}" if given.served else "static", "ollama_host": models.host}
        publishing = [_published(server, Path(scratch), pages, asked) for pages in PAGES]
        seed = publishing[-1][2]
        found: dict[str, list[tuple[int, float]]] = {}
        for size, figures, _ in publishing:
            _note(found, size, figures)
        for size in given.sizes:
            _note(found, size, _measured(server, Path(scratch), seed, size, asked))
    server.close()
    laws = LAW if given.sizes[-1] < APART else FAR
    model = {name: fitted(laws[name], points) for name, points in found.items()}
    counted = [name for name in model if name.endswith(("reads", "writes", "MB", "MB written"))]
    worst = max(counted, key=lambda name: model[name].error)  # seconds are the machine's, too
    error = model[worst].error
    page = _page(model, prices)
    sys.stderr.write(page + "\n")
    if given.page:
        Path(given.page).write_text(page, "utf-8")
    few, more, checked = given.sizes
    costs = _costs(model, WORKED_OUT[1], {})
    tell(
        Figure("scale", round(error, 3), "≤ 0.3", {name: [*one.measured] for name, one in model.items()}),
        f"Of {len(counted)} counted figures of a table on S3, fitted at {few:,} and {more:,} rows, the worst "
        f"({worst}) is off by {error:.0%} at {checked:,}; at {WORKED_OUT[1]:,} rows a later search reads "
        f"{costs['later search, MB']:,.0f} MB in {costs['later search, requests']:,.0f} requests, the first "
        f"one of a process {costs['first search, MB']:,.0f} MB",
    )


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.scale")
    parser.add_argument("sizes", nargs="*", type=int, default=[*SIZES])
    parser.add_argument("--page", help="a file to write the tables to")
    parser.add_argument("--served", type=int, default=0, help="dimensions of a served model")
    for name, what in PRICES.items():
        parser.add_argument(f"--{name}", type=float, default=0.0, help=f"price {what}")
    given = parser.parse_args(arguments)
    if len(given.sizes) != 3 or sorted(set(given.sizes)) != given.sizes:
        parser.error("three sizes, each larger than the one before")
    return given


def _note(found: dict[str, list[tuple[int, float]]], size: int, figures: Mapping[str, float]) -> None:
    for name, value in figures.items():
        found.setdefault(name, []).append((size, value))
    sys.stderr.write(
        f"{size:,}: " + ", ".join(f"{name} {value:,.4g}" for name, value in figures.items()) + "\n"
    )


LAW = {
    "publish: seconds": "n", "publish: writes": "n", "publish: reads": "n", "publish: MB written": "n",
    "kept: MB": "n", "index of vectors: MB": "n", "index of vectors: s": "n", "other indexes: s": "n",
    "first: reads": "n", "first: MB": "n", "first: s": "n",
    "warm: reads": "√n", "warm: MB": "√n", "warm: s": "√n",
    "words, warm: reads": "√n", "words, warm: MB": "log n", "words, warm: s": "√n",
}  # fmt: skip
"""Of a publication of n new rows; of a table of n; of the first search of a process, and of later ones.

Of the first the MB are those beside the index of vectors, which a process reads once.
"""

APART = 500_000  # rows: where so many are asked for, what a search reads lies apart, and is read alone
FAR = {**LAW, "first: MB": "constant", "warm: MB": "constant", "first: s": "√n"}  # see decision 92


def _published(
    server: Server, scratch: Path, pages: int, asked: Mapping[str, object]
) -> tuple[int, dict[str, float], Place]:
    """A home of pages, published once: rows, figures, where. `asked`: settings, by which a model is."""
    home = scratch / f"home-{pages}"
    with Engine(settings.load(home, asked, environ={})) as engine:
        engine.index([corpus.pages(pages)])
        count = engine.status().chunks
    uri = server.bucket(f"pages-{pages}")
    with Engine(settings.load(home, {**asked, "index": uri}, environ={})) as engine, server.counted() as cost:
        engine.sync(wait=600)
    return count, {
        "publish: seconds": cost["seconds"], "publish: writes": cost["writes"],
        "publish: reads": cost["reads"], "publish: MB written": cost["written"] / 1e6,
    }, Place(uri)  # fmt: skip


def _measured(
    server: Server, scratch: Path, seed: Place, size: int, asked: Mapping[str, object]
) -> dict[str, float]:
    """A table of so many rows, what it takes and what searches of it ask."""
    bucket = f"rows-{size}"
    place = Place(server.bucket(bucket))
    indexing = _grown(seed, place, size, lambda: server.stored(bucket) / 1e6)
    figures = {"kept: MB": server.stored(bucket) / 1e6, **indexing}
    reader = settings.load(scratch / f"reader-{size}", {**PATIENT, **asked, "index": place.uri}, environ={})
    queries = corpus.queries(QUERIES + 1)
    with Engine(reader) as engine:
        with server.counted() as first:
            _search(engine, queries[0], "hybrid")
        kinds: dict[str, Mode] = {"warm": "hybrid", "words, warm": "keyword"}
        figures |= _figures("first", [first])
        figures["first: MB"] -= figures["index of vectors: MB"]
        for name, mode in kinds.items():
            costs = []
            for query in queries[1:]:
                with server.counted() as cost:
                    _search(engine, query, mode)
                costs.append(cost)
            figures |= _figures(name, costs)
    server.remove(bucket)
    return figures


def _search(engine: Engine, query: str, mode: Mode) -> None:
    result = engine.search(Request(query, mode=mode, limit=10, below=True, unlogged=True))
    assert result.hits, query


def _figures(name: str, costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {
        f"{name}: reads": middle([cost["reads"] for cost in costs]),
        f"{name}: MB": middle([cost["read"] / 1e6 for cost in costs]),
        f"{name}: s": middle([cost["seconds"] for cost in costs]),
    }


def _grown(seed: Place, place: Place, size: int, stored: Callable[[], float]) -> dict[str, float]:
    """Put a table of so many rows in force, made of those of another; returns what its indexes took."""
    import pyarrow as pa

    told = seed.published()
    assert told is not None
    some, terms = (seed.table(name).to_arrow() for name in (told.chunks, told.terms))
    database = place.database()
    chunks: Any = None
    for start in range(0, size, FILE):
        made = pa.RecordBatchReader.from_batches(some.schema, _rows(some, start, min(start + FILE, size)))
        chunks = chunks.add(made) and chunks if chunks else database.create_table(told.chunks, made)
    times = size / told.size
    own = pa.table([[f"body x{n}" for n in range(size)], np.ones(size, np.int64)], schema=terms.schema)
    many = (terms["count"].to_numpy() * times).astype(np.int64)
    words = database.create_table(told.terms, pa.concat_tables([terms.set_column(1, "count", [many]), own]))
    words.create_index("key", config=follower.indexes(vectors=False)["id"])
    database.create_table("parts", seed.table("parts").to_arrow())
    taken = dict.fromkeys(("index of vectors: MB", "index of vectors: s", "other indexes: s"), 0.0)
    for column, config in follower.indexes(vectors=True, served=rows.SERVED in some.column_names).items():
        began, before, vectors = time.process_time(), stored(), column in {*rows.VECTORS, rows.SERVED}
        chunks.create_index(column, config=config)
        taken["index of vectors: s" if vectors else "other indexes: s"] += time.process_time() - began
        taken["index of vectors: MB"] += vectors * (stored() - before)
    lengths = {name: length * times for name, length in told.lengths.items()}
    versions = {table.name: int(table.version) for table in (chunks, words)}
    place.publish(replace(told, size=size, versions=versions, lengths=lengths, serial=0), None)
    return taken


def _rows(some: Any, start: int, end: int) -> Iterator[Any]:
    """Rows with these numbers: each is two of some others."""
    import pyarrow as pa

    random = np.random.default_rng(start)
    for low in range(start, end, AT_ONCE):
        number = np.arange(low, min(low + AT_ONCE, end))
        one, other = (random.integers(0, len(some), len(number)) for _ in range(2))
        first, second = some.take(one), some.take(other)
        made: dict[str, Any] = {name: first[name] for name in some.column_names}
        made |= {name: second[name] for name in ("title", "heading", "before", "path")}
        made |= {
            "chunk": number,
            "document": number // 8,
            "first": number,
            "earlier": number - 1,
            "later": number + 1,
        }
        made["body"] = [f"{body} x{n}" for body, n in zip(first["body"].to_pylist(), number, strict=True)]
        cards = zip(second["card"].to_pylist(), number // 8, strict=True)
        made["card"] = [b"[%d%s" % (document, card[card.index(b",") :]) for card, document in cards]
        for name in {*rows.VECTORS, rows.SERVED} & {*some.column_names}:
            dims = some.schema.field(name).type.list_size
            a, b = (
                table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, dims)
                for table in (first, second)
            )
            mixed = a.astype(np.float32) + np.float32(0.7) * b
            mixed /= np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9)
            made[name] = pa.FixedSizeListArray.from_arrays(pa.array(mixed.ravel().astype(a.dtype)), dims)
        yield from pa.table(made).cast(some.schema).combine_chunks().to_batches()


def _page(model: Mapping[str, Fitted], prices: Mapping[str, float]) -> str:
    lines = ["| figure | law | a | b | measured | off at the third |", "|---|---|---|---|---|---|"]
    for name, one in model.items():
        points = ", ".join(f"{value:,.3g} at {size:,}" for size, value in one.measured)
        lines.append(
            f"| {name} | a + b · {one.law} | {one.a:.3g} | {one.b:.3g} | {points} | {one.error:.0%} |"
        )
    costs = {size: _costs(model, size, prices) for size in WORKED_OUT}
    lines += [
        "",
        f"| worked out | {' | '.join(f'{size:,} rows' for size in WORKED_OUT)} |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {name} | {' | '.join(f'{costs[size][name]:,.3g}' for size in WORKED_OUT)} |"
        for name in costs[WORKED_OUT[0]]
    ]
    return "\n".join(lines) + "\n"


def _costs(model: Mapping[str, Fitted], size: int, prices: Mapping[str, float]) -> dict[str, float]:
    """What so many rows take; money where there are prices."""
    at = {name: one.at(size) for name, one in model.items()}
    at["first: MB"] += at["index of vectors: MB"]
    hours = (at["publish: seconds"] + at["index of vectors: s"] + at["other indexes: s"]) / 3600
    found = {
        "kept, GB": at["kept: MB"] / 1e3, "to publish, hours": hours,
        "requests to publish": at["publish: writes"] + at["publish: reads"],
        **{f"{kind} search, {what}": at[f"{key}: {figure}"]
           for kind, key in (("first", "first"), ("later", "warm"), ("later, by words", "words, warm"))
           for what, figure in (("requests", "reads"), ("MB", "MB"), ("s", "s"))},
    }  # fmt: skip
    if any(prices.values()):
        found["money to publish"] = (
            at["publish: writes"] / 1e3 * prices["put"] + at["publish: reads"] / 1e3 * prices["get"]
            + hours * prices["hour"]
        )  # fmt: skip
        found["money to keep, a month"] = found["kept, GB"] * prices["month"]
        for kind, key in (("first", "first"), ("later", "warm")):
            found[f"money for 1,000 {kind} searches"] = (
                at[f"{key}: reads"] * prices["get"] + at[f"{key}: MB"] * prices["out"]
            )
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
