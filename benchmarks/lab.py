"""The ranking lab at 100,000 chunks: a step that only weighs, and 100 judged queries measured anew.

A step is all that a key costs the engine: profile, ranking, hits and their places before. Sliders are moved
at random, one by one, as a person would, but for those that ask the indexes again: the lab says which.
"""

from __future__ import annotations

import sys
from functools import partial
from random import Random

from ark_tui.domain.query import Request
from ark_tui.domain.tuning import Slider, Tuning
from ark_tui.engine import Engine
from ark_tui.engine.lab import Judged, Lab
from ark_tui.settings import load
from ark_tui.settings.sliders import tuning
from benchmarks import corpus
from benchmarks.measure import Figure, middle, milliseconds, percentile, rounded, tell

START = Tuning("default")
SEARCHES, STEPS = 10, 40
JUDGED, TURNS = 100, 8
LISTED = 30
STEP_MS, MEASURED_MS = 50.0, 2000.0


def main(chunks: int = corpus.CHUNKS) -> None:
    with Engine(load(corpus.home(chunks), environ={})) as engine:
        engine.warm()
        steps = [took for query in corpus.queries(SEARCHES) for took in stepping(engine.lab, query)]
        first, again = measuring(engine.lab)
    step, measured = percentile(steps, 0.95), percentile(again, 0.95)
    ratio = max(step / STEP_MS, measured / MEASURED_MS)
    tell(
        Figure(
            "lab", round(ratio, 3), "≤ 1",
            rounded(step_p50_ms=middle(steps), step_p95_ms=step, step_max_ms=max(steps), first_ms=first,
                    measured_p50_ms=middle(again), measured_p95_ms=measured, chunks=chunks),
        ),
        f"A step of the lab takes p50 {middle(steps):.1f} ms, p95 {step:.1f} ms (≤ {STEP_MS:.0f} ms); "
        f"{JUDGED} judged queries are measured anew in p95 {measured:.0f} ms (≤ {MEASURED_MS:.0f} ms), "
        f"{chunks:,} chunks",
    )  # fmt: skip


def stepping(lab: Lab, query: str) -> list[float]:
    """Milliseconds of each step over one search, once it is there."""
    request, moved = Request(query, limit=LISTED), dict[str, float]()
    lab.tuned(request, START, START)
    chance, took = Random(query), []
    for _ in range(STEPS):
        key, value = step(lab, tuning(START, moved), chance)
        moved[key] = value
        by = tuning(START, moved)
        took.append(milliseconds(partial(lab.tuned, request, by, START)))
    return took


def measuring(lab: Lab) -> tuple[float, list[float]]:
    """Milliseconds until judged queries are measured for the first time, and by other weights then."""
    profile = lab.profile(START)
    judged = tuple(Judged(query, {}) for query in corpus.queries(JUDGED, seed=6))
    first = milliseconds(lambda: lab.measured(judged, profile))
    judged = tuple(Judged(one.query, graded(lab, one)) for one in judged)
    moved, chance, took = dict[str, float](), Random(4), []
    for _ in range(TURNS):
        key, value = step(lab, tuning(START, moved), chance)
        moved[key] = value
        other = lab.profile(tuning(START, moved))
        took.append(milliseconds(partial(lab.measured, judged, other)))
    return first, took


def graded(lab: Lab, judged: Judged) -> dict[str, int]:
    """A document further down is the answer."""
    profile = lab.profile(START)
    documents = lab.ranking_of(judged, profile).ranked(profile).documents
    return {str(number): 2 for number in documents[4:5]}


def step(lab: Lab, by: Tuning, chance: Random) -> tuple[str, float]:
    """A slider that only weighs, a few steps further."""
    able = [one for one in lab.sliders(by) if not one.searches and one.key != "mmr"]
    one: Slider = chance.choice(able)
    value = min(one.most, max(one.step, one.value + chance.choice((-5, -1, 1, 5)) * one.step))
    return one.key, round(value, 6)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
