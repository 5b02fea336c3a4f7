"""Asks for a time, as people say it; a note of the right time shall stand first.

`python -m benchmarks.dated [--half floor|fit|all] [--profile NAME] [--missed]`. The questions of
benchmarks/ways/dated.jsonl are asked of the corpus of benchmarks/ways, with its clock. A question is right
where the first hit is a note of the time that is meant (by its own date, or judged to be about it); the table
also says how often it is about the subject as well. `--missed` names what is not. Without options the table
is also written into docs/search.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from statistics import mean

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from benchmarks.exclusions import home, percent, place
from benchmarks.measure import Figure, rounded, tell
from benchmarks.retrieval import PAGE, replaced, table
from benchmarks.ways import HALVES, LIMIT, QUESTIONS

GOAL = "≥ 0.9"


@dataclass(frozen=True, slots=True)
class Dated:
    """What is asked, the days that are meant, and the notes of or about these and the subject."""

    text: str
    half: str
    first: date
    last: date
    wanted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Answered:
    """`right`: the first note is of the time; `place`: where the first wanted one stands, from 1."""

    question: Dated
    right: bool
    place: int
    times: tuple[str, ...]
    first: str


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dated", description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all")
    parser.add_argument("--profile", default="", metavar="NAME", help="in place of the one of a plain search")
    parser.add_argument("--missed", action="store_true", help="name the questions that were missed")
    asked = parser.parse_args(arguments)
    questions = [one for one in read() if asked.half in {one.half, "all"}]
    with home() as engine:
        answers = [ask(engine, one, asked.profile) for one in questions]
    for one in answers if asked.missed else ():
        if one.place > 1 or not one.right:
            print(
                f"{'' if one.right else 'missed':<6} {one.place:>3}  {one.question.text}  "
                f"{one.times}  {one.first}"
            )
    report = reported(answers)
    print(report)
    if not arguments:
        PAGE.write_text(replaced(PAGE.read_text("utf-8"), "dated", report), "utf-8")
    right = mean(one.right for one in answers)
    subject = mean(one.place == 1 for one in answers)
    three = mean(one.place <= 3 for one in answers)
    tell(
        Figure("dated", round(right, 3), GOAL, rounded(subject=subject, three=three)),
        f"Of {len(answers)} questions that name a time, {right:.1%} have a note of that time first, "
        f"{subject:.1%} one that is about the subject, too ({three:.1%} among the first three).",
    )
    return 0


def read() -> list[Dated]:
    """Every question in the order of the file."""
    records = map(json.loads, (QUESTIONS / "dated.jsonl").read_text("utf-8").splitlines())
    return [
        Dated(
            one["text"],
            one["half"],
            date.fromisoformat(one["first"]),
            date.fromisoformat(one["last"]),
            frozenset(one["wanted"]),
        )
        for one in records
    ]


def ask(engine: Engine, question: Dated, profile: str) -> Answered:
    found = engine.search(Request(question.text, limit=LIMIT, profile=profile, unlogged=True))
    ranked = [hit.document.path for hit in found.hits]
    times = tuple(f"{one.text}: {one.first}..{one.last}" for one in found.understood if one.kind == "time")
    best = found.hits[0].document if found.hits else None
    own = best is not None and best.date is not None and question.first <= best.date <= question.last
    where = place(ranked, question.wanted)
    return Answered(question, own or where == 1, where, times, best.path if best else "")


def reported(answers: Sequence[Answered]) -> str:
    """A row for each half and for all."""
    rows = []
    for name in (*HALVES, "all"):
        if some := [one for one in answers if name in {one.question.half, "all"}]:
            shares = (
                percent(one.right for one in some),
                percent(one.place == 1 for one in some),
                percent(one.place <= 3 for one in some),
                percent(bool(one.times) for one in some),
            )
            rows.append([name, str(len(some)), *shares])
    return table(
        [
            "half",
            "questions",
            "of that time first",
            "and about the subject",
            "among the first three",
            "time understood",
        ],
        rows,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
