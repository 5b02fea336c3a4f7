"""Negation pairs: a query, two documents that answer it, and a word that only the second one has.

`python -m benchmarks.negation [DIR...] [--keep-home DIR]` (default: every set in ../shared/data). For
`query -word`, for `query, not about word` and for the query with the word excluded in another plain way (the
ways in turn) the first document must stand above the second. Pairs and words are drawn with a fixed seed, so
that nobody chooses them, from the documents that the query itself finds: what it does not find at all says
nothing about negation. A document that is no longer found stands last.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ark_tui.domain.query import Filters, Request
from ark_tui.engine import Engine
from ark_tui.evaluation import sets
from ark_tui.evaluation.sets import JudgedSet, Topic
from ark_tui.index.words import terms
from ark_tui.settings import load
from benchmarks.retrieval import with_model

DATA = Path(__file__).parents[2] / "shared" / "data"
SEED = 20260101
PER_QUERY = 2
PER_SET = 150
LETTERS = 4  # of a word, at least
NOWHERE = 10**6
FORMS = {"query": "{query}", "-word": "{query} -{word}", "not about": "{query}, not about {word}"}
PLAIN = "plain words"
WAYS = (
    *("{query}, without {word}", "{query}, excluding {word}", "{query}, other than {word}"),
    *(
        "{query}, apart from {word} and everything like it",
        "{query}, except for {word}",
        "{query}, but not {word}",
    ),
    *("{query}, no {word} please", "{query}; ignore {word}", "{query}, leave out {word}"),
    *("{query}, anything but {word}", "{query} rather than {word}", "{query} (not {word})"),
    *(
        "{query}, nothing about {word}",
        "{query} that does not mention {word}",
        "{query}, neither {word} nor quokkas",
    ),
    *("{query}, without quokkas, wombats or {word}", "{query}, nicht über {word}", "{query}, außer {word}"),
    *("{query}, aber kein {word}", "{query}, abgesehen von {word}", "{query}, ohne {word}"),
)
"""Ways to exclude a word in plain words; no set is about quokkas."""
NAMES = (*FORMS, PLAIN)
MUST = {"-word": 0.95, "not about": 0.80, PLAIN: 0.85}
AIM = {"-word": 0.99, "not about": 0.90, PLAIN: 0.90}


@dataclass(frozen=True, slots=True)
class Pair:
    """`right` shall stand above `wrong`, which alone has the `word`."""

    topic: Topic
    right: str
    wrong: str
    word: str


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.negation", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--keep-home", type=Path, metavar="DIR", help="where indexed sets are kept")
    parser.add_argument("--profile", default="default")
    asked = parser.parse_args(arguments)
    folders = asked.folders or sorted(path.parent for path in DATA.glob("*/corpus.jsonl"))
    right = dict.fromkeys(NAMES, 0)
    total = 0
    for folder in folders:
        judged = sets.read(folder)
        with tempfile.TemporaryDirectory() as nowhere:
            counts, pairs = measured(judged, asked.keep_home or Path(nowhere), asked.profile)
        if pairs:
            shares = "  ".join(f"{form} {count / pairs:.1%}" for form, count in counts.items())
            print(f"{judged.name:<12} {pairs:>4} pairs  {shares}", flush=True)
        total += pairs
        right = {form: right[form] + counts[form] for form in NAMES}
    print(f"{'all':<12} {total:>4} pairs  " + "  ".join(f"{f} {n / total:.1%}" for f, n in right.items()))
    return 0 if all(right[form] >= share * total for form, share in MUST.items()) else 1


def measured(judged: JudgedSet, homes: Path, profile: str) -> tuple[Mapping[str, int], int]:
    """How many pairs of a set are in order for each form of the query, and how many pairs there are."""
    right = dict.fromkeys(NAMES, 0)
    count = 0
    with indexed(judged, homes) as engine:
        for pair, plain in drawn(judged, engine, profile):
            count += 1
            for form, text in {**FORMS, PLAIN: WAYS[count % len(WAYS)]}.items():
                query = text.format(query=pair.topic.text, word=pair.word)
                found = plain if form == "query" else ranks(engine, query, pair.topic, profile)
                right[form] += found.get(pair.right, NOWHERE) < found.get(pair.wrong, NOWHERE)
    return right, count


def drawn(judged: JudgedSet, engine: Engine, profile: str) -> Iterator[tuple[Pair, dict[str, int]]]:
    """Pairs of a set, with the ranks that the query itself gives; the same ones for the same ranking."""
    texts = dict(read(judged.corpus))
    order = [topic for topic in judged.topics if sum(grade > 0 for grade in topic.grades.values()) > 1]
    Random(SEED).shuffle(order)
    count = 0
    for topic in order:
        pick = Random(f"{SEED} {topic.id}")
        plain = ranks(engine, topic.text, topic, profile)
        good = sorted(id_ for id_, grade in topic.grades.items() if grade > 0 and id_ in plain)
        for _ in range(PER_QUERY if len(good) > 1 else 0):
            right, wrong = pick.sample(good, 2)
            words = own_words(texts[wrong], f"{texts[right]} {topic.text}")
            if words and count < PER_SET:
                count += 1
                yield Pair(topic, right, wrong, pick.choice(words)), plain
        if count >= PER_SET:
            return


def read(corpus: Path) -> Iterator[tuple[str, str]]:
    """The id of each document, with its title and text."""
    with corpus.open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            yield str(record["_id"]), f"{record.get('title', '')} {record['text']}"


def own_words(text: str, other: str) -> list[str]:
    """Words of a text whose stems the other one lacks."""
    known = {terms.stem(word) for word in terms.words(other)}
    return sorted(
        word
        for word in set(terms.words(text))
        if len(word) >= LETTERS and word.isalpha() and word not in terms.STOP_WORDS
        and terms.stem(word) not in known
    )  # fmt: skip


def ranks(engine: Engine, query: str, topic: Topic, profile: str) -> dict[str, int]:
    """Where each document stands."""
    inside = Filters(collections=(topic.collection,)) if topic.collection else Filters()
    hits = engine.search(
        Request(query, limit=1000, profile=profile, filters=inside, below=True, unlogged=True)
    ).hits
    return {hit.document.item: hit.rank for hit in hits}


def indexed(judged: JudgedSet, homes: Path, model: Path | None = None) -> Engine:
    """An engine on a home that has the set's corpus and nothing else; `model`: an ONNX model's folder."""
    place = homes / judged.name
    root = place / "root"
    if not (root / "corpus.jsonl").is_file():
        root.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(judged.corpus, root / "corpus.jsonl")
    home = place / "home"
    engine = Engine(load(home, with_model(home, model), environ={"ARK_NO_DECAY": "1"}))
    engine.index([root])
    return engine


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
