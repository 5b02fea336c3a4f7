"""From runs to results: means, categories, ablation, comparison; per set and over all sets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.evaluation import (
    METRICS,
    Ablated,
    Comparison,
    Evaluation,
    Measures,
    QueryChange,
    SetResult,
)
from ark_tui.evaluation import metrics
from ark_tui.evaluation.metrics import measure
from ark_tui.evaluation.sets import JudgedSet
from ark_tui.evaluation.systems import System, Systems

if TYPE_CHECKING:
    from ark_tui.evaluation.metrics import Values

NDCG = METRICS.index("ndcg_10")


@dataclass(frozen=True, slots=True)
class Measured:
    """A set with the metrics of every query, by system: queries × metrics."""

    judged: JudgedSet
    values: Mapping[str, Values]


def measured(judged: JudgedSet, runs: Mapping[str, Run]) -> Measured:
    """Measure runs; a query without results in a run counts as 0."""
    values = {}
    for system, run in runs.items():
        ranked = ([document for document, _ in run.get(topic.id, ())] for topic in judged.topics)
        rows = [measure(ids, topic.grades) for ids, topic in zip(ranked, judged.topics, strict=True)]
        values[system] = np.array(rows, np.float64)
    return Measured(judged, values)


def evaluation(
    systems: Systems, sets: Sequence[Measured], runs: Sequence[str] = (), notices: Sequence[str] = ()
) -> Evaluation:
    """The complete evaluation."""
    return Evaluation(
        systems.main.name,
        tuple(_result(one.judged.name, systems, [one]) for one in sets),
        _result("macro", systems, sets),
        tuple(runs),
        tuple(notices),
    )


def _result(name: str, systems: Systems, sets: Sequence[Measured]) -> SetResult:
    return SetResult(
        name,
        sum(one.judged.documents for one in sets),
        _means(systems.main, sets),
        _categories(systems.main, sets[0]) if len(sets) == 1 else {},
        {system.name: _means(system, sets) for system in systems.baselines},
        tuple(
            Ablated(signal, _change(systems.main, system, sets)) for signal, system in systems.ablated.items()
        ),
        _comparison(*systems.compared, sets) if systems.compared else None,
    )


def _means(system: System, sets: Sequence[Measured]) -> Measures:
    return metrics.macro([one.values[system.name] for one in sets])


def _change(a: System, b: System, sets: Sequence[Measured]) -> Measures:
    return metrics.macro([one.values[b.name] - one.values[a.name] for one in sets])


def _categories(system: System, one: Measured) -> dict[str, Measures]:
    """The means of each category, in order of first occurrence."""
    places: dict[str, list[int]] = {}
    for place, topic in enumerate(one.judged.topics):
        places.setdefault(topic.category, []).append(place)
    values = one.values[system.name]
    return {name: metrics.estimate(values[at]) for name, at in places.items() if name}


def _comparison(a: System, b: System, sets: Sequence[Measured]) -> Comparison:
    changes = [
        QueryChange(one.judged.name, topic.id, topic.text, float(x[NDCG]), float(y[NDCG]))
        for one in sets
        for topic, x, y in zip(one.judged.topics, one.values[a.name], one.values[b.name], strict=True)
    ]
    changes.sort(key=lambda change: -abs(change.b - change.a))
    won = tuple(change for change in changes if change.b > change.a)
    lost = tuple(change for change in changes if change.b < change.a)
    return Comparison(
        a.name, b.name, _change(a, b, sets), won, lost, len(changes) - len(won) - len(lost)
    )  # fmt: skip


Run = Mapping[str, Sequence[tuple[str, float]]]
"""Query id → document ids with scores, best first."""

_UNSAFE = re.compile(r"[^\w.+-]+")


def write(folder: Path, set_name: str, system: str, run: Run) -> Path:
    """Write `SET.SYSTEM.run` with lines of `query Q0 document rank score tag`, and return its path.

    trec_eval sorts a run by score, stored in 32 bits, and ties by id. To preserve our order, a score that is
    not below the previous one is lowered by the smallest possible step.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tag = _UNSAFE.sub("_", system)
    path = folder / f"{_UNSAFE.sub('_', set_name)}.{tag}.run"
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with fresh.open("w", encoding="utf-8", newline="\n") as file:
            for query, found in run.items():
                ids = [_one_word(document) for document, _ in found]
                scores = _falling([score for _, score in found])
                for rank, (document, score) in enumerate(zip(ids, scores, strict=True), start=1):
                    file.write(f"{_one_word(query)} Q0 {document} {rank} {score:.9g} {tag}\n")
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return path


def _falling(scores: Sequence[float]) -> Iterator[float]:
    above = np.float32(np.inf)
    for score in scores:
        above = min(np.float32(score), np.nextafter(above, np.float32(-np.inf)))
        yield float(above)


def _one_word(id_: str) -> str:
    if len(id_.split()) != 1:
        raise UsageError(
            f"The id {id_!r} has a space, which a TREC run cannot contain.",
            Hint.give(run_dir=True, say="Leave out {}, or change the id in the set."),
        )
    return id_
