"""Exact phrases: a run of words that stands in one document alone must find that document first.

`python -m benchmarks.phrases [DIR...] [--keep-home DIR] [--model FOLDER]` (default: every set in
../shared/data) draws runs of four to eight words out of the texts of each set with a fixed seed and asks them
as somebody types them, without quotation marks.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from ark_tui.domain.query import Request
from ark_tui.evaluation import sets
from benchmarks.measure import Figure, tell
from benchmarks.negation import DATA, SEED, indexed, read

PER_SET = 60
WORDS = range(4, 9)
LETTERS = 12  # of a run, at least: four short words are no phrase that somebody looks for
RUN = re.compile(r"[A-Za-z][\w'-]*(?: [\w'-]+)*")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phrases", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--keep-home", type=Path, metavar="DIR", help="where indexed sets are kept")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="an ONNX model instead of static")
    asked = parser.parse_args(arguments)
    folders = asked.folders or sorted(path.parent for path in DATA.glob("*/corpus.jsonl"))
    first = total = 0
    for judged in map(sets.read, folders):
        with (
            tempfile.TemporaryDirectory() as nowhere,
            indexed(judged, asked.keep_home or Path(nowhere), asked.model) as engine,
        ):
            for phrase, name in drawn(judged.corpus, judged.name):
                hits = engine.search(Request(phrase, limit=1, unlogged=True)).hits
                total += 1
                if [hit.document.item for hit in hits] == [name]:
                    first += 1
                else:
                    print(f"{judged.name} {name}: {phrase}", file=sys.stderr)
    tell(
        Figure("phrases", round(first / total, 4), "≥ 1", {"phrases": total}),
        f"Of {total:,} phrases that stand in one document alone {first / total:.1%} find it first",
    )


def drawn(corpus: Path, seed: str) -> Iterator[tuple[str, str]]:
    """Phrases, each with the id of the one document that has it, in its text."""
    random = Random(f"{SEED} {seed}")
    plain = {name: " ".join(text.split()).casefold() for name, text in read(corpus)}
    with corpus.open(encoding="utf-8") as lines:
        texts = {str(record["_id"]): str(record["text"]) for record in map(json.loads, lines)}
    found = 0
    for name in random.sample(sorted(texts), len(texts)):
        runs = [words for run in RUN.findall(texts[name]) if len(words := run.split()) >= WORDS.start]
        if runs:
            words = random.choice(runs)
            start = random.randrange(len(words) - WORDS.start + 1)
            phrase = " ".join(words[start : start + random.choice(WORDS)])
            if len(phrase) >= LETTERS and sum(phrase.casefold() in one for one in plain.values()) == 1:
                yield phrase, name
                found += 1
        if found == PER_SET:
            return


if __name__ == "__main__":
    main(sys.argv[1:])
