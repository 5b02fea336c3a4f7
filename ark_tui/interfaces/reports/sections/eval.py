"""The quality of the ranking on own judgments and on judged sets, compared with baselines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.evaluation import METRICS, Evaluation, Measures, Plan, SetResult
from ark_tui.interfaces.reports import charts
from ark_tui.interfaces.reports.report import (
    COLLECTION,
    ID,
    PATH,
    TITLE,
    Block,
    Column,
    Figure,
    Section,
    Value,
    facts,
    listed,
    paragraph,
    table,
)
from ark_tui.interfaces.reports.sections import Asked

if TYPE_CHECKING:
    from ark_tui.domain.curation import Judgment
    from ark_tui.engine import Engine

NOTHING = (
    "There is nothing to measure on. `ark-tui eval judge` says what answers a query of yours; "
    "--judged DIR names a folder of judged queries, see `ark-tui eval --help`."
)

NAMES = {"ndcg_10": "nDCG@10", "recall_10": "Recall@10", "hit_3": "Hit@3", "mrr_10": "MRR@10"}


def build(engine: Engine, asked: Asked) -> Section:
    alone = asked.judged and not engine.settings.home.begun()  # a judged set does not need a home
    own = () if alone else engine.curation.judgments()
    mine = any(one.grade for one in own)
    blocks: list[Block] = []
    if mine or asked.judged:
        plan = Plan(asked.judged, mine=mine, profile=asked.profile)
        from ark_tui.engine.evaluating import evaluate

        blocks += _measured(evaluate(engine.settings, plan, asked.stop, asked.progress))
    else:
        blocks.append(paragraph(NOTHING))
    return Section("eval", "Evaluation", (*blocks, _judgments(own)))


def _judgments(own: Sequence[Judgment]) -> Block:
    document, grade = replace(TITLE, label="Document"), Column("grade", "Grade", "count")
    return listed(
        "judgments",
        "Your own judgments",
        [Column("query", "Query"), document, PATH, grade, COLLECTION, ID],
        sorted(own, key=lambda one: (one.query, -one.grade, one.document.path)),
        "2: the best answer, 1: an answer, 0: no answer.",
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
