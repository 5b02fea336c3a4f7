"""The shape of 100,000 chunks with planted structure: time, memory, what is found, and networkx beside it.

The corpus: forty themes of different size; thirty hubs that much links to; five islands of documents joined
to the rest by two bridges each; fifty documents that belong to nothing; five pairs of themes that are near in
meaning and not linked. Ours runs in a process of its own, whose memory is measured.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program does

import numpy as np

from benchmarks import corpus as corpora
from benchmarks.measure import Figure, rounded, tell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

CHUNKS = 100_000
DIMS = 256
THEMES, ISLANDS, ISLAND, BRIDGES, HUBS, STRANGERS, PAIRS = 40, 5, 3_000, 2, 30, 50, 5
LINKS_EACH = 2.5
AT_HUB = 400
THEIRS = 4  # pivots that networkx is given; ours has more, both are counted per pivot
SERIAL = 1  # of what is planted: change it with the corpus
SMALLER = 10_000  # nodes of the graph whose Laplacian is also solved in full


@dataclass(frozen=True, slots=True)
class Planted:
    """The corpus as numbers, and what is hidden in it."""

    vectors: Rows
    theme: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    hubs: set[int]
    bridges: set[int]
    strangers: set[int]
    pairs: set[tuple[int, int]]


def planted(count: int = CHUNKS, seed: int = 1) -> Planted:
    random = np.random.default_rng(seed)
    middles = _unit(random.standard_normal((THEMES + ISLANDS, DIMS)))
    pairs = {(2 * i + 4, 2 * i + 5) for i in range(PAIRS)}
    for a, b in pairs:
        middles[b] = _unit(middles[a] + 0.6 * middles[b])
    island = max(30, ISLAND * count // CHUNKS)
    share = 1 / np.sqrt(np.arange(1, THEMES + 1))
    theme = np.concatenate(
        [
            np.repeat(np.arange(THEMES, THEMES + ISLANDS), island),
            random.choice(THEMES, count - ISLANDS * island, p=share / share.sum()),
        ]
    )
    factors = random.standard_normal((48, DIMS)) / np.sqrt(DIMS)  # what varies within every theme
    strength = 0.35 / np.sqrt(np.arange(1, 49))
    vectors = np.empty((count, DIMS), np.float32)
    for at in range(0, count, 10_000):
        own = theme[at : at + 10_000]
        inner = (random.standard_normal((len(own), 48)) * strength) @ factors
        noise = random.standard_normal((len(own), DIMS)) / np.sqrt(DIMS)
        vectors[at : at + 10_000] = _unit(middles[own] + inner + 0.5 * noise)
    mainland = np.flatnonzero(theme < THEMES)
    chosen = random.permutation(mainland)
    strangers, hubs = chosen[:STRANGERS], chosen[STRANGERS : STRANGERS + HUBS]
    bridges = chosen[STRANGERS + HUBS :][: ISLANDS * BRIDGES]
    vectors[strangers] = _unit(random.standard_normal((STRANGERS, DIMS)))
    members = [np.flatnonzero(theme == number) for number in range(THEMES + ISLANDS)]
    source = random.integers(0, count, int(LINKS_EACH * count))
    target = np.empty_like(source)
    for number, inside in enumerate(members):
        mine = theme[source] == number
        target[mine] = random.choice(inside, int(mine.sum()))
    apart = {b for pair in pairs for b in pair}
    far = (random.random(len(source)) < 0.03) & (theme[source] < THEMES) & ~np.isin(theme[source], [*apart])
    landing = mainland[~np.isin(theme[mainland], [*apart])]
    target[far] = random.choice(landing, int(far.sum()))
    more = [(source, target)]
    for number, bridge in enumerate(bridges.tolist()):
        shore = random.choice(members[THEMES + number // BRIDGES], 8, replace=False)
        more.append((np.full(16, bridge), np.concatenate([shore, random.choice(landing, 8)])))
    for a, b in pairs:  # each of a pair is linked with some other theme, only not with its like
        more += [(random.choice(members[one], 40), random.choice(members[one % 4], 40)) for one in (a, b)]
    at_hub = max(20, AT_HUB * count // CHUNKS)
    more += [(random.choice(members[theme[hub]], at_hub), np.full(at_hub, hub)) for hub in hubs.tolist()]
    source, target = (np.concatenate(ends) for ends in zip(*more, strict=True))
    return Planted(
        vectors, theme, source, target, {*hubs.tolist()}, {*bridges.tolist()}, {*strangers.tolist()}, pairs
    )


def stored(count: int) -> Planted:
    """The same, its vectors memory-mapped as those of a home are."""
    names = ("theme", "source", "target", "hubs", "bridges", "strangers", "pairs")

    def make(folder: Path) -> None:
        made = planted(count)
        np.save(folder / "vectors.npy", made.vectors)
        for name in names:
            value = getattr(made, name)
            np.save(folder / f"{name}.npy", np.array(sorted(value)) if isinstance(value, set) else value)

    folder = corpora.kept(f"planted-{count}-{SERIAL}", make)
    theme, source, target, hubs, bridges, strangers, pairs = (np.load(folder / f"{n}.npy") for n in names)
    return Planted(
        np.load(folder / "vectors.npy", mmap_mode="r"), theme, source, target,
        {*hubs.tolist()}, {*bridges.tolist()}, {*strangers.tolist()}, {(int(a), int(b)) for a, b in pairs},
    )  # fmt: skip


def ours(count: int) -> dict[str, Any]:
    """Every measure on numbers, with its time, the peak of memory, and what was found."""
    from ark_tui.analysis import gaps as gap_room
    from ark_tui.analysis.betweenness import betweenness, pivots_for
    from ark_tui.analysis.blocks import blocks, means
    from ark_tui.analysis.fiedler import fiedler
    from ark_tui.analysis.layout import layout
    from ark_tui.analysis.neighbours import nearest, neighbours_wanted
    from ark_tui.analysis.network import communities, network, pagerank, parts, symmetric
    from ark_tui.analysis.novelty import apart, spectrum

    corpus = stored(count)
    took: dict[str, float] = {}
    worked: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start, before = time.perf_counter(), time.process_time()
        found = work()
        took[name], worked[name] = time.perf_counter() - start, time.process_time() - before
        return found

    everything = np.arange(count)
    rows = blocks(lambda some: np.asarray(corpus.vectors[some]), everything, 8192)
    vectors = timed("vectors", lambda: means(rows, everything, count))
    near = timed("graph", lambda: nearest(vectors, neighbours_wanted(count)))
    net = timed("links", lambda: network(count, near, everything, corpus.source, corpus.target))
    joined = net.joined()
    rank = timed("pagerank", lambda: pagerank(net.walk()))
    pivots = pivots_for(count, joined.nnz)
    between = timed("betweenness", lambda: betweenness(joined, pivots))
    part = parts(joined)[0]
    whole = joined[part][:, part]
    edge = timed("fiedler", lambda: fiedler(whole))
    division = timed("communities", lambda: communities(joined))
    timed("map", lambda: layout(vectors, net.near))
    eigen = timed("spectrum", lambda: spectrum(rows))
    stands = timed("novelty", lambda: apart(eigen, rows))
    found_gaps, _ = timed("gaps", lambda: gap_room.gaps(vectors, division.of, symmetric(net.links)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    novel = stands.order()
    named = {
        tuple(sorted(int(np.bincount(corpus.theme[division.of == c]).argmax()) for c in (gap.a, gap.b)))
        for gap in found_gaps[: len(corpus.pairs)]
    }
    return {
        "took": took,
        "cpu_graph_s": worked.pop("graph"),
        "cpu_rest_s": sum(worked.values()),
        "load": os.getloadavg()[0],
        "edges": joined.nnz // 2,
        "pivots": pivots,
        "recall": near.recall or 1.0,
        "peak_mb": peak,
        "fiedler": edge.value,
        "residual": edge.residual,
        "outside": eigen.outside,
        "novel": len(stands.novel()),
        "novel_recall": len({*stands.novel().tolist()} & corpus.strangers) / len(corpus.strangers),
        "p_outliers": _precision(novel, corpus.strangers),
        "p_hubs": _precision(np.argsort(-rank, kind="stable"), corpus.hubs),
        "p_bridges": _precision(np.argsort(-between, kind="stable"), corpus.bridges),
        "p_gaps": len(named & corpus.pairs) / len(corpus.pairs),
        "clusters": division.count,
        "purity": _purity(division.of, corpus.theme),
        "noise_novel": _of_noise(count),
    }


def theirs(count: int) -> dict[str, float]:
    """On the same graphs networkx, and a full solve of a smaller one."""
    import networkx as nx
    from scipy import linalg

    from ark_tui.analysis.betweenness import betweenness
    from ark_tui.analysis.fiedler import fiedler
    from ark_tui.analysis.network import pagerank, pattern

    net = _network(stored(count))
    walk, joined = net.walk(), pattern(net.joined())
    graph = nx.from_scipy_sparse_array(walk, create_using=nx.DiGraph)
    start = time.perf_counter()
    rank = nx.pagerank(graph, tol=1e-12 / count, max_iter=1000)
    their_rank = time.perf_counter() - start
    start = time.perf_counter()
    our_rank = pagerank(walk)
    our_time = time.perf_counter() - start
    apart = max(abs(rank[node] - our_rank[node]) for node in graph)
    del graph, rank
    plain = nx.from_scipy_sparse_array(joined)
    start = time.perf_counter()
    nx.betweenness_centrality(plain, k=THEIRS, seed=1)
    their_pivot = (time.perf_counter() - start) / THEIRS
    start = time.perf_counter()
    betweenness(joined, 64)
    our_pivot = (time.perf_counter() - start) / 64
    del plain
    small = _network(stored(SMALLER)).joined()
    fast = fiedler(small)
    scale = 1 / np.sqrt(np.asarray(small.sum(axis=1)).ravel())
    dense = np.eye(SMALLER) - (scale[:, None] * small.toarray()) * scale
    values, vectors = linalg.eigh(dense, subset_by_index=[0, 2], overwrite_a=True)
    true = vectors[:, 1] * scale
    true /= np.linalg.norm(true)
    return {
        "pagerank_ratio": their_rank / our_time,
        "pagerank_apart": apart,
        "betweenness_ratio": their_pivot / our_pivot,
        "fiedler_full": float(values[1]),
        "fiedler_fast": fast.value,
        "fiedler_off": abs(fast.value - float(values[1])) / float(values[1]),
        "fiedler_residual": fast.residual,
        "fiedler_angle": float(np.sqrt(max(0.0, 1 - float(true @ fast.vector) ** 2))),
        "fiedler_gap": float(values[2] - values[1]),
    }


def main() -> None:
    count = int(os.environ.get("ARK_BENCH_CHUNKS", CHUNKS))
    for size in (count, SMALLER):
        stored(size)  # made here, so that making it is in nobody's memory
    found = {name: _alone(name, count) for name in ("ours", "theirs")}
    mine, other = found["ours"], found["theirs"]
    took = mine.pop("took")
    graph = took.pop("graph")
    rest = sum(took.values())
    bound = 2 * count * DIMS * 4 / 1e6 + 500
    detail = {"graph_s": graph, "rest_s": rest, **{f"{name}_s": value for name, value in took.items()}}
    tell(
        Figure("analysis", rest / 10, "≤ 1", rounded(**detail, **mine, **other)),
        f"Everything but the neighbour graph takes {rest:.1f} s of {count:,} chunks (≤ 10; "
        f"{mine['cpu_rest_s']:.1f} s of processor, {os.cpu_count()} cores, load {mine['load']:.0f}), "
        f"the graph {graph:.1f} s (≤ 20; {mine['cpu_graph_s']:.1f} s of processor; recall "
        f"{mine['recall']:.2f}), peak {mine['peak_mb']:.0f} MB (≤ {bound:.0f}); "
        f"PageRank {other['pagerank_ratio']:.0f} × (≥ 10) and betweenness {other['betweenness_ratio']:.0f} × "
        f"(≥ 20) as fast as networkx; precision at k: hubs {mine['p_hubs']:.2f}, bridges "
        f"{mine['p_bridges']:.2f} ({mine['pivots']} pivots), outliers {mine['p_outliers']:.2f}, gaps "
        f"{mine['p_gaps']:.2f}, {mine['clusters']} communities with purity {mine['purity']:.2f}; noise: "
        f"{mine['noise_novel']} novel; Fiedler value at {SMALLER:,} nodes {other['fiedler_off']:.0e} off "
        "a full solve",
    )


# -- inside ------------------------------------------------------------------------------------------


def _alone(name: str, count: int) -> dict[str, Any]:
    """A part of this in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.analysis", name, str(count)], stdout=subprocess.PIPE, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _network(corpus: Planted) -> Any:
    from ark_tui.analysis.neighbours import nearest, neighbours_wanted
    from ark_tui.analysis.network import network

    count = len(corpus.vectors)
    near = nearest(corpus.vectors, neighbours_wanted(count))
    return network(count, near, np.arange(count), corpus.source, corpus.target)


def _of_noise(count: int) -> int:
    from ark_tui.analysis.blocks import blocks
    from ark_tui.analysis.novelty import apart, spectrum

    vectors = _unit(np.random.default_rng(9).standard_normal((count, DIMS), np.float32))
    rows = blocks(vectors.__getitem__, np.arange(count), 8192)
    eigen = spectrum(rows)
    return len(apart(eigen, rows).novel()) if eigen else 0


def _precision(order: NDArray[np.int64], wanted: set[int]) -> float:
    return len({*order[: len(wanted)].tolist()} & wanted) / len(wanted)


def _purity(of: NDArray[np.int64], theme: NDArray[np.int64]) -> float:
    own = sum(int(np.bincount(theme[of == number]).max()) for number in range(int(of.max()) + 1))
    return own / len(of)


def _unit(rows: NDArray[Any]) -> Rows:
    scaled: Rows = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return scaled


if __name__ == "__main__":
    if len(sys.argv) > 2:
        part = {"ours": ours, "theirs": theirs}[sys.argv[1]](int(sys.argv[2]))
        sys.stdout.write(json.dumps(part))
    else:
        main()
