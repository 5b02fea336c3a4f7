"""Re-rankers over the sample's judged queries: time, memory, and what each does to the order.

`python -m benchmarks.rerank [FOLDER...]`: folders with ONNX models that score pairs. The tiny one that the
tests make is always among them: it shows the code path, and its order means nothing. Where ../shared/models
has minilm, its body with a fixed head says what a re-ranker of that size costs, and no more. A
chat model of Ollama is asked where `ARK_CHAT_MODEL` names one. What cannot be had is said.
"""

from __future__ import annotations

import csv
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ark_tui.domain.errors import ArkError
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.embedding import hub, local
from ark_tui.embedding.reranker import AT_ONCE, LLM, CrossEncoder
from ark_tui.embedding.shelf import Shelf
from ark_tui.engine import Engine
from ark_tui.evaluation.metrics import ndcg
from ark_tui.retrieval.signals.rerank import DEPTH, INFO
from ark_tui.settings import load
from benchmarks.measure import Figure, in_turns, middle, milliseconds, percentile, rounded, tell
from tests import transformers

ASSETS = Path(__file__).parents[1] / "assets"
TINY = "tiny"
BODY = "minilm-sized"
GOAL = "≤ 1.15"
TOP = 3
KB_UNIT = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes there, kilobytes elsewhere
LONG = {"rerank_budget": 120.0, "embedding": "static"}
PAIR = "What it is about is said once, then again in other words, and then there is an example of it. "


@dataclass
class Row:
    """What one re-ranker comes to. Times in milliseconds, memory in MB."""

    name: str
    cold: float = 0.0
    pair: tuple[float, float] = (0.0, 0.0)
    twenty: float = 0.0
    ratio: float = 0.0
    memory: float = 0.0
    agreement: float = 0.0
    gain: dict[str, float] = field(default_factory=dict)  # of nDCG@10, by intent

    def told(self) -> str:
        """A line of the table."""
        gains = " ".join(f"{name} {value:+.3f}" for name, value in sorted(self.gain.items()))
        return (
            f"{self.name:<18} {self.cold:7.0f} {self.pair[0]:7.2f} {self.pair[1]:7.2f} {self.twenty:8.1f} "
            f"{self.ratio:6.2f} {self.memory:7.0f} {self.agreement:6.2f}   {gains}"
        )


def main(folders: Sequence[Path]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        settings = load(place / "home", LONG, environ=dict(os.environ))
        with Engine(settings) as engine:
            engine.index([ASSETS / "sample"])
            names = [_added(engine, folder) for folder in folders]
            engine.models.add(TINY, transformers.pairs(place / "pairs", most=512))
            before = _run(engine, "", rerank=False)
            shelf = Shelf(settings.home.models)
            if transformers.MINILM.is_dir():
                engine.models.add(
                    BODY, transformers.headed(place / BODY, transformers.MINILM, "model_int8.onnx")
                )
                names.append(BODY)
            rows = [_measured(engine, shelf, name, before) for name in [*filter(None, names), TINY]]
            if settings.chat_model:
                rows.append(_judged(engine, LLM, before))
    _say(rows, {row.name for row in rows}, settings.chat_model)


def _added(engine: Engine, folder: Path) -> str:
    name = folder.resolve().name.lower()
    try:
        engine.models.add(name, folder)
    except ArkError as error:
        sys.stderr.write(f"{folder}: {error.what} {error.hint}\n")
        return ""
    return name


def _measured(engine: Engine, shelf: Shelf, name: str, before: dict[str, SearchResult]) -> Row:
    row = Row(name) if name == BODY else _judged(engine, name, before)
    asked = CrossEncoder(shelf, name, 600.0)
    texts = [PAIR * (1 + place % 4) for place in range(DEPTH)]
    local.loaded.cache_clear()
    row.cold = milliseconds(lambda: asked.scores("what is said twice", texts[:1]))
    model = local.loaded(shelf.folder / name, shelf.get(name))
    pairs = [("what is said twice", text) for text in texts]
    fed = [model.fed(model.tokens(pairs[at : at + AT_ONCE])) for at in range(0, DEPTH, AT_ONCE)]
    bare, whole = in_turns(
        [lambda: [model.run(one) for one in fed], lambda: asked.scores("what is said twice", texts)],
        rounds=7,
    )
    row.twenty, row.ratio = middle(whole), middle(whole) / middle(bare)
    (single,) = in_turns([lambda: asked.scores("what is said twice", texts[3:4])], rounds=20)
    row.pair = middle(single), percentile(single, 0.95)
    row.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KB_UNIT / 1e6
    return row


def _judged(engine: Engine, name: str, before: dict[str, SearchResult]) -> Row:
    """What re-ranking does to the answers of the judged queries."""
    start = time.perf_counter()
    after = _run(engine, name, rerank=True)
    row = Row(name, twenty=(time.perf_counter() - start) * 1000 / len(after))
    grades, intents = _judgements()
    gains: dict[str, list[float]] = {}
    same = 0
    for query, result in after.items():
        was, now = _paths(before[query]), _paths(result)
        same += len(set(was[:TOP]) & set(now[:TOP]))
        gain = ndcg(now, grades[query]) - ndcg(was, grades[query])
        for intent in (intents[query], "all"):
            gains.setdefault(intent, []).append(gain)
    row.agreement = same / (TOP * len(after))
    row.gain = {intent: sum(found) / len(found) for intent, found in gains.items()}
    return row


def _run(engine: Engine, name: str, *, rerank: bool) -> dict[str, SearchResult]:
    found = {}
    for query, text in _queries():
        asked = Request(text, rerank=rerank, reranker=name, unlogged=True, below=True)
        result = engine.search(asked)
        lamps = {lamp.signal: lamp for lamp in result.lamps}
        if rerank and lamps[INFO.name].state != "on":
            sys.stderr.write(f"{name}: {lamps[INFO.name].reason}\n")
        found[query] = result
    return found


def _paths(result: SearchResult) -> list[str]:
    return [hit.document.path for hit in result.hits]


def _lines() -> list[dict[str, object]]:
    return [
        json.loads(line) for line in (ASSETS / "judged" / "queries.jsonl").read_text("utf-8").splitlines()
    ]


def _queries() -> list[tuple[str, str]]:
    return [(str(one["_id"]), str(one["text"])) for one in _lines()]


def _judgements() -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Path → grade of each query, and the intent of each."""
    grades: dict[str, dict[str, int]] = {}
    with (ASSETS / "judged" / "qrels.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            grades.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    intents = {str(one["_id"]): str(one["metadata"]["category"]) for one in _lines()}  # type: ignore[index]
    return grades, intents


def _say(rows: Sequence[Row], there: set[str], chat: str) -> None:
    heads = ("re-ranker", "cold", "pair", "p95", "twenty", "×bare", "MB", "top 3", "nDCG@10 by intent")
    print("{:<18} {:>7} {:>7} {:>7} {:>8} {:>6} {:>7} {:>6}   {}".format(*heads), file=sys.stderr)
    for row in rows:
        print(row.told(), file=sys.stderr)
    missing = [one.name for one in hub.OFFERS if "re-ranking" in one.about and one.name not in there]
    missing += [] if chat else [LLM]
    if missing:
        print(f"not at hand: {', '.join(missing)}", file=sys.stderr)
    measured = [row for row in rows if row.ratio and row.name != TINY] or rows  # whose graph is nothing
    worst = max(measured, key=lambda row: row.ratio)
    detail = {
        row.name: rounded(ratio=row.ratio, twenty_ms=row.twenty, gain=row.gain.get("all", 0.0))
        for row in measured
    }
    tell(
        Figure("rerank", round(worst.ratio, 3), GOAL, detail),
        f"Re-ranking {DEPTH} pairs costs {worst.ratio:.2f} × its bare forward passes ({worst.name}); over "
        f"{len(_queries())} queries of {len(rows[-1].gain) - 1} intents: "
        + ", ".join(f"{row.name} {row.gain['all']:+.3f} nDCG@10" for row in rows if row.gain)
        + (f"; not at hand: {', '.join(missing)}" if missing else ""),
    )


if __name__ == "__main__":
    main([Path(one) for one in sys.argv[1:]])
