"""How well the ranking does on judged sets, beside its baselines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain.evaluation import METRICS, Evaluation, Measures, Plan, SetResult
from ark_tui.faces.reports import charts
from ark_tui.faces.reports.report import Block, Column, Figure, Section, Value, facts, paragraph, table
from ark_tui.faces.reports.sections import asked as asking

if TYPE_CHECKING:
    from ark_tui.engine import Engine

NAMES = {"ndcg_10": "nDCG@10", "recall_10": "Recall@10", "hit_3": "Hit@3", "mrr_10": "MRR@10"}


def build(engine: Engine, asked: asking.Asked) -> Section:
    if not asked.judged:
        return Section(
            "eval",
            "Evaluation",
            (
                paragraph(
                    "There is nothing to measure on: --judged DIR names a folder of judged queries. "
                    "See `ark-tui eval --help` for what is in one."
                ),
            ),
        )
    plan = Plan(asked.judged, profile=asked.profile)
    return Section("eval", "Evaluation", tuple(_blocks(engine.evaluate(plan, asked.stop, asked.progress))))


def _blocks(done: Evaluation) -> Iterator[Block]:
    yield facts(
        ("Profile", done.profile),
        ("Sets", ", ".join(one.name for one in done.sets)),
        ("Queries", f"{sum(one.measures.queries for one in done.sets):,}"),
        ("nDCG@10", f"{done.macro.measures.of['ndcg_10'].mean:.3f}, every set counting the same"),
    )
    for notice in done.notices:
        yield paragraph(notice)
    first, *_ = METRICS
    systems = {done.profile: done.macro.measures, **done.macro.baselines}
    yield Figure(
        "systems",
        "nDCG@10, beside the baselines",
        "The mean over sets of the profile that was measured, and of each baseline.",
        charts.bars([(name, of.of[first].mean) for name, of in systems.items()], "meaning", digits=3),
    )
    yield table(
        "sets",
        "Sets",
        [
            Column("set", "Set"),
            Column("system", "Ranking"),
            Column("queries", "Queries", "count"),
            *(Column(name, NAMES[name], "number") for name in METRICS),
            Column("low", "from", "number"),
            Column("high", "to", "number"),
        ],
        [row for one in (*done.sets, done.macro) for row in _rows(one, done.profile)],
        note="from and to: the 95 % bootstrap interval of nDCG@10.",
    )
    categories = [(one, name, of) for one in done.sets for name, of in one.categories.items()]
    if len(categories) > 1:
        yield table(
            "categories",
            "Kinds of queries",
            [
                Column("set", "Set"),
                Column("category", "Kind"),
                Column("queries", "Queries", "count"),
                *(Column(name, NAMES[name], "number") for name in METRICS),
            ],
            [(one.name, name, of.queries, *_means(of)) for one, name, of in categories],
        )


def _rows(one: SetResult, profile: str) -> Iterator[tuple[Value, ...]]:
    for name, of in {profile: one.measures, **one.baselines}.items():
        interval = of.of["ndcg_10"]
        yield (one.name, name, of.queries, *_means(of), interval.low, interval.high)


def _means(of: Measures) -> tuple[float, ...]:
    return tuple(of.of[name].mean for name in METRICS)
