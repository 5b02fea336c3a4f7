"""Asks the questions of benchmarks/ways as one would ask one's own notes, by the product's own search.

`python -m benchmarks.ways [--half floor|fit|all] [--profile NAME] [--model FOLDER]`. The corpus is the
sample with the notes beside the questions, in a passing home; the clock stands at `NOW`, files whose text
has no date are of `SAVED`. Unlike in `eval`, a question is read as the product reads it (dates, exclusions),
and what counts is what is listed: where the search says that there is nothing, Hit@3 and nDCG@10 are 0.
The baselines never say so. Without options the tables are also written into docs/search.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.evaluation import metrics, sets, systems
from ark_tui.evaluation.metrics import Grades
from ark_tui.evaluation.systems import System
from ark_tui.settings import Settings, load
from benchmarks.measure import Figure, rounded, tell
from benchmarks.retrieval import PAGE, replaced, table, with_model

QUESTIONS = Path(__file__).parent / "ways"
CORPORA = (Path(__file__).parents[1] / "assets" / "sample", QUESTIONS / "notes")
NOW = "2026-11-16T09:00:00Z"  # a Monday: the questions say "last week" and "tomorrow"
SAVED = datetime(2024, 1, 1, tzinfo=UTC)  # before every dated note
LIMIT = 20  # documents: a judged file may hold several, the cards seven
HALVES = ("fit", "floor")
GOAL = "≥ 0.72"


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the notes that answer it; without any, the corpus has nothing on it."""

    id: str
    text: str
    category: str
    half: str
    grades: Grades


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question got. `ranked`: the files that are listed, best first; `sure`: listed as an answer."""

    question: Question
    ranked: tuple[str, ...]
    sure: bool

    @property
    def hit(self) -> float:
        return metrics.hit(self.ranked, self.question.grades)

    @property
    def ndcg(self) -> float:
        return metrics.ndcg(self.ranked, self.question.grades)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ways", description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all")
    parser.add_argument("--profile", default="", metavar="NAME", help="in place of the one of a plain search")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="an ONNX model instead of static")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        corpus = joined(Path(folder) / "corpus")
        questions = [one for one in read(corpus) if asked.half in {one.half, "all"}]
        home = Path(folder) / "home"
        given = {"embedding": "static", "expand": False, "decay": False, **with_model(home, asked.model)}
        settings = load(home, given, {"ARK_NOW": NOW})
        answers = ask(settings, corpus, questions, asked.profile)
    tables = reported(answers)
    print(tables)
    if not arguments:
        PAGE.write_text(replaced(PAGE.read_text("utf-8"), "ways", tables), "utf-8")
    told(answers)
    return 0


def joined(folder: Path) -> Path:
    """A copy of the corpus whose files were all saved at the same moment."""
    for one in CORPORA:
        shutil.copytree(one, folder, dirs_exist_ok=True)
    for path in folder.rglob("*"):
        os.utime(path, (SAVED.timestamp(), SAVED.timestamp()))
    return folder


def read(corpus: Path) -> list[Question]:
    """Every question in the order of the file; raises `UsageError` where the set cannot be used."""
    judged = {topic.id: topic.grades for topic in sets.read(QUESTIONS, corpus).topics}
    records = map(json.loads, (QUESTIONS / "queries.jsonl").read_text("utf-8").splitlines())
    return [
        Question(
            record["_id"],
            record["text"],
            record["metadata"]["category"],
            record["metadata"]["half"],
            judged.get(record["_id"], {}),
        )
        for record in records
    ]


def ask(
    settings: Settings, corpus: Path, questions: Sequence[Question], profile: str
) -> dict[str, list[Answer]]:
    """The answers of both baselines and of the profile, by the name of each."""
    baselines = (systems.bm25(), systems.cosine(model=settings.embedding != "static"))
    profiles = {**settings.profiles, **{one.name: one.profile for one in baselines}}
    with Engine(replace(settings, profiles=profiles)) as engine:
        engine.index([corpus], collection="corpus")
        own = profile or engine.search(Request(questions[0].text, unlogged=True)).profile
        several = (*baselines, System(own, profiles[own]))
        return {
            one.name: [answered(engine, one, question, below=one in baselines) for question in questions]
            for one in several
        }


def answered(engine: Engine, system: System, question: Question, *, below: bool) -> Answer:
    """What a system lists; `below`: also where it holds that there is nothing."""
    result = engine.search(
        Request(question.text, mode=system.mode, limit=LIMIT, profile=system.name, below=below, unlogged=True)
    )
    ranked = tuple(dict.fromkeys(hit.document.path for hit in result.hits))
    return Answer(question, ranked, bool(ranked) and (below or not result.abstained))


def reported(answers: Mapping[str, Sequence[Answer]]) -> str:
    """A table of the questions that have an answer, and one of those that have none."""
    names = list(answers)
    measured = [f"{what} {name}" for what in ("Hit@3", "nDCG@10", "nothing") for name in names]
    sure = [f"answered {name}" for name in names]
    known = grouped(answers, judged=True)
    unknown = grouped(answers, judged=False)
    return "\n".join((
        table(
            ["asked", "questions", *measured],
            [[name, str(len(some[0])), *_shares(some)] for name, some in known],
        ),
        table(
            ["about nothing here", "questions", *sure],
            [
                [name, str(len(some[0])), *(_percent(mean(one.sure for one in each)) for each in some)]
                for name, some in unknown
            ],
        ),
    ))  # fmt: skip


def grouped(
    answers: Mapping[str, Sequence[Answer]], *, judged: bool
) -> Iterator[tuple[str, list[list[Answer]]]]:
    """The answers of each system by category, by half, and all of them."""
    kept = [[one for one in some if bool(one.question.grades) is judged] for some in answers.values()]
    categories = dict.fromkeys(one.question.category for one in kept[0])
    for name in (*categories, *HALVES):
        some = [[one for one in each if name in {one.question.category, one.question.half}] for each in kept]
        if some[0]:
            yield name, some
    if kept[0]:
        yield "all", kept


def _shares(some: Sequence[Sequence[Answer]]) -> Iterator[str]:
    yield from (_percent(mean(one.hit for one in each)) for each in some)
    yield from (f"{mean(one.ndcg for one in each):.3f}" for each in some)
    yield from (_percent(mean(not one.ranked for one in each)) for each in some)


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def told(answers: Mapping[str, Sequence[Answer]]) -> None:
    """The share of answers among the first three as a figure, with a sentence."""
    name = list(answers)[-1]
    known = [[one for one in some if one.question.grades] for some in answers.values()]
    hits = {system: mean(one.hit for one in some) for system, some in zip(answers, known, strict=True)}
    nothing = mean(not one.ranked for one in known[-1])
    detail = rounded(**hits, nothing=nothing)
    others = ", ".join(f"{system} {hit:.1%}" for system, hit in hits.items() if system != name)
    tell(
        Figure("ways", round(hits[name], 3), GOAL, detail),
        f"Of {len(known[-1])} questions {name} has an answer among the first three for {hits[name]:.1%} "
        f"({others}), and lists nothing for {nothing:.1%}.",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
