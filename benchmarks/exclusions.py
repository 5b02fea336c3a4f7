"""Asks for one thing and not another, in plain words; what is not meant shall not stand above every answer.

`python -m benchmarks.exclusions [--half floor|fit|all] [--profile NAME] [--missed]`. The sentences of
benchmarks/ways/exclusions.jsonl are asked of the corpus of benchmarks/ways. A sentence is missed where a
note about what it excludes stands above the first of those that are wanted; `--missed` names these. In the
sentences of the second kind "without", "no" or "not" belongs to the topic, and nothing may be understood as
excluded. Without options the table is also written into docs/search.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks.measure import Figure, rounded, tell
from benchmarks.retrieval import PAGE, replaced, table
from benchmarks.ways import HALVES, NOW, QUESTIONS, joined

SENTENCES = QUESTIONS / "exclusions.jsonl"
LIMIT = 200  # documents: all of the corpus
GOAL = "≤ 0.15"


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is asked. `unwanted`: notes about what it excludes; none where it excludes nothing."""

    text: str
    half: str
    wanted: frozenset[str]
    unwanted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Told:
    """What was made of a sentence. `missed`: what is not meant stands above every answer.

    `understood`: what was read as excluded; `first`: where the first wanted note stands, from 1; 0: nowhere.
    """

    sentence: Sentence
    understood: tuple[str, ...]
    first: int
    missed: bool
    without: bool  # missed also where nothing is read as excluded


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exclusions", description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all")
    parser.add_argument("--profile", default="", metavar="NAME", help="in place of the one of a plain search")
    parser.add_argument("--missed", action="store_true", help="name the sentences that were missed")
    asked = parser.parse_args(arguments)
    sentences = [one for one in read() if asked.half in {one.half, "all"}]
    with home() as engine:
        told = [ask(engine, one, asked.profile) for one in sentences]
    if asked.missed:
        for line in wrong(told):
            print(line)
    report = reported(told)
    print(report)
    if not arguments:
        PAGE.write_text(replaced(PAGE.read_text("utf-8"), "exclusions", report), "utf-8")
    concluded(told)
    return 0


@contextmanager
def home() -> Iterator[Engine]:
    """An engine over the notes that the ways of asking are asked of, with the clock as they have it."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"embedding": "static", "expand": False, "decay": False}
        with Engine(load(Path(folder) / "home", options, {"ARK_NOW": NOW})) as engine:
            engine.index([joined(Path(folder) / "corpus")], collection="corpus")
            yield engine


def read() -> list[Sentence]:
    """Every sentence in the order of the file."""
    records = map(json.loads, SENTENCES.read_text("utf-8").splitlines())
    return [
        Sentence(
            one["text"], one["half"], frozenset(one["wanted"]), frozenset(one.get("unwanted", ()))
        )
        for one in records
    ]  # fmt: skip


def ask(engine: Engine, sentence: Sentence, profile: str) -> Told:
    request = Request(sentence.text, limit=LIMIT, profile=profile, below=True, unlogged=True)
    found = engine.search(request)
    read_as = tuple(one.text for one in found.understood if one.kind == "exclusion")
    ranked = [hit.document.path for hit in found.hits]
    plain = ranked
    if read_as:
        literally = engine.search(
            Request(sentence.text, limit=LIMIT, profile=profile, below=True, unlogged=True, literally=read_as)
        )
        plain = [hit.document.path for hit in literally.hits]
    first = place(ranked, sentence.wanted)
    return Told(
        sentence,
        read_as,
        0 if first > len(ranked) else first,
        place(ranked, sentence.unwanted) < first,
        place(plain, sentence.unwanted) < place(plain, sentence.wanted),
    )


def place(ranked: Sequence[str], some: frozenset[str]) -> int:
    """Where the first of some stands, from 1; one beyond the end where none is found."""
    return next((rank for rank, path in enumerate(ranked, 1) if path in some), len(ranked) + 1)


def wrong(told: Sequence[Told]) -> Iterator[str]:
    for one in told:
        excludes = bool(one.sentence.unwanted)
        if one.missed or bool(one.understood) is not excludes:
            kind = "missed" if one.missed else "not read" if excludes else "misread"
            yield f"{kind:<8} {one.first:>3}  {one.sentence.text}  {one.understood}"


def reported(told: Sequence[Told]) -> str:
    """A row for each half and for all."""
    rows = []
    for name in (*HALVES, "all"):
        some = [one for one in told if name in {one.sentence.half, "all"}]
        excluding = [one for one in some if one.sentence.unwanted]
        topics = [one for one in some if not one.sentence.unwanted]
        if excluding and topics:
            rows.append([
                name, str(len(excluding)), percent(one.without for one in excluding),
                percent(one.missed for one in excluding), percent(bool(one.understood) for one in excluding),
                str(len(topics)), percent(bool(one.understood) for one in topics),
            ])  # fmt: skip
    return table(
        ["half", "sentences", "missed, nothing read as excluded", "missed", "read as excluding",
         "topics", "read as excluding"],
        rows,
    )  # fmt: skip


def percent(several: Iterator[bool]) -> str:
    return f"{mean(several):.1%}".replace("%", " %")


def concluded(told: Sequence[Told]) -> None:
    """The share of the missed as a figure, with a sentence."""
    excluding = [one for one in told if one.sentence.unwanted]
    topics = [one for one in told if not one.sentence.unwanted]
    missed = mean(one.missed for one in excluding)
    without = mean(one.without for one in excluding)
    misread = mean(bool(one.understood) for one in topics) if topics else 0.0
    tell(
        Figure("exclusions", round(missed, 3), GOAL, rounded(literally=without, misread=misread)),
        f"In {missed:.1%} of {len(excluding)} sentences a note about what they exclude stands above every "
        f"answer ({without:.1%} were nothing read as excluded); of {len(topics)} topics with such words "
        f"{misread:.1%} are misread.",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
