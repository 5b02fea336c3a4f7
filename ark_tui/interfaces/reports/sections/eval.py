"""The quality of the ranking on own judgments and on judged sets, compared with baselines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain.evaluation import METRICS, Evaluation, Measures, Plan
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.report import Block, Figure, Value, facts, paragraph, table
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.engine import Engine

NOTHING = (
    "There is nothing to measure on. `ark-tui eval judge` says what answers a query of yours; "
    "--judged DIR names a folder of judged queries, see `ark-tui eval --help`."
)

JUDGMENTS = {"query": str, "title": str, "path": str, "grade": int, "collection": str, "id": str}
MEANS = dict.fromkeys(METRICS, float)
SETS = {"set": str, "system": str, "queries": int, **MEANS, "low": float, "high": float}
CATEGORIES = {"set": str, "category": str, "queries": int, **MEANS}


def blocks(engine: Engine, asked: Asked) -> Iterator[Block]:
    alone = asked.judged and not engine.settings.home.begun()  # a judged set does not need a home
    own = () if alone else engine.curation.judgments()
    mine = any(one.grade for one in own)
    if mine or asked.judged:
        from ark_tui.engine.evaluating import evaluate

        plan = Plan(asked.judged, mine=mine, profile=asked.profile)
        yield from _measured(evaluate(engine.settings, plan, asked.stop, asked.progress))
    else:
        yield paragraph(NOTHING)
    yield table(
        "judgments",
        "Your own judgments",
        JUDGMENTS,
        [
            (
                one.query,
                one.document.called,
                one.document.path,
                one.grade,
                one.document.collection,
                one.document.id,
            )
            for one in sorted(own, key=lambda one: (one.query, -one.grade, one.document.path))
        ],
        "2: the best answer, 1: an answer, 0: no answer.",
        hidden=("collection", "id"),
        none="There are no judgments yet.",
    )


def _measured(done: Evaluation) -> Iterator[Block]:
    yield facts(
        ("Profile", done.profile),
        ("Sets", ", ".join(one.name for one in done.sets)),
        ("Queries", f"{sum(one.measures.queries for one in done.sets):,}"),
        ("nDCG@10", f"{done.macro.measures.of['ndcg_10'].mean:.3f}, every set counting the same"),
    )
    for notice in done.notices:
        yield paragraph(notice)
    systems = {done.profile: done.macro.measures, **done.macro.baselines}
    means = [(name, of.of["ndcg_10"].mean) for name, of in systems.items()]
    about = "The mean over sets of the profile that was measured, and of each baseline."
    yield Figure("systems", "nDCG@10, beside the baselines", charts.bars(means, "meaning", digits=3), about)
    sets: list[tuple[Value, ...]] = [
        (one.name, name, of.queries, *_means(of), of.of["ndcg_10"].low, of.of["ndcg_10"].high)
        for one in (*done.sets, done.macro)
        for name, of in {done.profile: one.measures, **one.baselines}.items()
    ]
    yield table("sets", "Sets", SETS, sets, "low and high: the 95 % bootstrap interval of nDCG@10.")
    categories: list[tuple[Value, ...]] = [
        (one.name, name, of.queries, *_means(of)) for one in done.sets for name, of in one.categories.items()
    ]
    if len(categories) > 1:
        yield table("categories", "Kinds of queries", CATEGORIES, categories)


def _means(of: Measures) -> tuple[float, ...]:
    return tuple(of.of[name].mean for name in METRICS)
