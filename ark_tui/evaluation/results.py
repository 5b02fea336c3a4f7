"""From runs to results: means, categories, ablation, comparison; per set and over all sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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

Run = Mapping[str, Sequence[str]]
"""Query id → document ids, best first."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A set with the metrics of every query, by system: queries × metrics."""

    judged: JudgedSet
    values: Mapping[str, Values]


def measured(judged: JudgedSet, runs: Mapping[str, Run]) -> Measured:
    """Measure runs; a query without results in a run counts as 0."""
    values = {}
    for system, run in runs.items():
        rows = [measure(run.get(topic.id, ()), topic.grades) for topic in judged.topics]
        values[system] = np.array(rows, np.float64)
    return Measured(judged, values)


def evaluation(systems: Systems, sets: Sequence[Measured], notices: Sequence[str] = ()) -> Evaluation:
    """The complete evaluation."""
    return Evaluation(
        systems.main.name,
        tuple(_result(one.judged.name, systems, [one]) for one in sets),
        _result("macro", systems, sets),
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
