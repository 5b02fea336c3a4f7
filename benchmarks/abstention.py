"""Off-corpus queries: what the corpus has nothing about must be answered with nothing (S18).

`python -m benchmarks.abstention [DIR...] [--keep-home DIR] [--model FOLDER] [--fit]` (default: every set in
../shared/data; the queries are of all of them).
The queries are drawn with a fixed seed, so that nobody chooses them: queries of the other sets (but for those
that are about the same things, see `KIN`), three to eight words of the corpus's own in a row that nobody
wrote, and random letters. Of a set with collections half are asked in one of these. An off-corpus query is
answered where it has a hit of the first band. Beside them stands how many of the set's own queries have no
such hit, how many get nothing at all, and how many of the answers among the first three hits are in the first
band. `--fit` works out the weights of `ark_tui/retrieval/floor.py` again, and shows the table with each
set left out of the fitting, too.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import mean
from string import ascii_lowercase
from typing import TYPE_CHECKING

from ark_tui.domain.query import Filters, Request
from ark_tui.evaluation import sets
from ark_tui.index.words import terms
from ark_tui.retrieval import floor
from benchmarks.negation import DATA, indexed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.engine import Engine
    from ark_tui.evaluation.sets import JudgedSet

SEED = 20260101
OWN = 60  # queries of the set itself
PER_SET = 12  # queries of each other set; as many of salad and of letters
KIN = ({"med", "nfcorpus"}, {"cosqa", "mtrag-cloud"})
"""Sets that are about the same things: medicine; Python, of which the manuals of a cloud are full."""
SHORT = 300  # of the set's own queries, cut down to a few words as people type them: for fitting alone
ALLOWED = 0.03  # share of its answers among the first three that a set may lose to the floor
TOP = 3
RIDGE = 0.05
KINDS = ("own", "other", "salad", "letters")
SHARES = {"own": 2.0, "other": 0.75, "salad": 0.6, "letters": 0.05}  # what each kind weighs in the fitting
FITTED = ("coverage", "passage", "cosine", "mean cosine")


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, whether the set has an answer to it, and the collection that it is asked in."""

    text: str
    kind: str  # own, other, salad or letters; with "short" those that only the fitting sees
    collection: str = ""
    answers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Answered:
    """What the search made of a query. `sure`: decided without the weights.

    `shares`: of the best score, those of the answers among the first three hits.
    """

    kind: str
    refused: bool  # no hit is in the first band
    nothing: bool  # none is listed
    sure: bool
    found: Mapping[str, float]
    shares: tuple[float, ...] = ()

    @property
    def in_first_band(self) -> list[bool]:
        """Of each answer among the first three."""
        return [not self.refused and share >= floor.SURE for share in self.shares]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.abstention", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--keep-home", type=Path, metavar="DIR", help="where indexed sets are kept")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="an ONNX model instead of static")
    parser.add_argument("--fit", action="store_true", help="work the weights out again")
    asked = parser.parse_args(arguments)
    folders = asked.folders or sorted(path.parent for path in DATA.glob("*/corpus.jsonl"))
    others = {folder.name: sets.read(folder) for folder in [*DATA.glob("*"), *folders] if folder.is_dir()}
    every = [*others.values()]
    answers = {}
    for judged in (others[folder.name] for folder in folders):
        with (
            tempfile.TemporaryDirectory() as nowhere,
            indexed(judged, asked.keep_home or Path(nowhere), asked.model) as engine,
        ):
            queries = drawn(judged, every, short=asked.fit)
            answers[judged.name] = [answered(engine, query) for query in queries]
        print(f"{judged.name}: asked", file=sys.stderr)
    if asked.fit:
        print("as shipped:\n")
        reported(answers)
        print("\nfitted again, and the table with each set left out of it:\n")
        weights, bias = fitted(answers)
        for name_, weight in weights.items():
            print(f'    "{name_}": {weight:.3f},')
        print(f"BIAS = {bias:.3f}")
        answers = {name: held_out(answers, name) for name in answers}
    return reported(answers)


def reported(answers: Mapping[str, Sequence[Answered]]) -> int:
    """Prints the table; 1 where a goal that must be reached is missed."""
    heads = ("set", "answers in the first band", "own: doubted", "own: nothing",
             *(f"{kind}: answered" for kind in KINDS[1:]))  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    off, least, most = [], 1.0, 0.0
    for name, several in answers.items():
        own = [query for query in several if query.kind == "own"]
        banded = [inside for query in own for inside in query.in_first_band]
        first, nothing = mean(banded or [True]), mean(query.nothing for query in own)
        least, most = min(least, first), max(most, nothing)
        off.append(1 - share_refused(several, *KINDS[1:]))
        answered_ = (1 - share_refused(several, kind) for kind in KINDS[1:])
        cells = (first, share_refused(several, "own"), nothing, *answered_)
        print(f"| {name} | {' | '.join(f'{cell:.1%}' for cell in cells)} |")
    print(f"\noff-corpus queries answered: {mean(off):.1%} in the mean, {max(off):.1%} at most")
    return int(mean(off) > 0.05 or least < 0.95 or most > 0.02)


def share_refused(answers: Sequence[Answered], *kinds: str) -> float:
    return mean([query.refused for query in answers if query.kind in kinds] or [False])


def drawn(judged: JudgedSet, every: Sequence[JudgedSet], *, short: bool) -> Iterator[Asked]:
    """The set's own queries, and those that it has nothing about."""
    random = Random(f"{SEED} {judged.name}")
    for topic in random.sample(judged.topics, min(OWN, len(judged.topics))):
        answers = frozenset(name for name, grade in topic.grades.items() if grade > 0)
        yield Asked(topic.text, "own", topic.collection, answers)
    collections = sorted({topic.collection for topic in judged.topics})
    off = list(_off(judged, every, random))
    for text, kind in off:
        yield Asked(text, kind, random.choice(collections) if random.random() < 0.5 else "")
    if short:
        own = random.choices(judged.topics, k=SHORT)
        yield from (Asked(cut(topic.text, random), "own short", topic.collection) for topic in own)
        yield from (Asked(cut(text, random), "other short") for text, kind in off if kind == "other")


def _off(judged: JudgedSet, every: Sequence[JudgedSet], random: Random) -> Iterator[tuple[str, str]]:
    for other in every:
        if other.name != judged.name and {other.name, judged.name} not in KIN:
            several = random.sample(other.topics, min(PER_SET, len(other.topics)))
            yield from ((topic.text, "other") for topic in several)
    words = vocabulary(judged.corpus)
    for _ in range(PER_SET):
        yield " ".join(random.choices(words, k=random.randint(3, 8))), "salad"
        letters = ("".join(random.choices(ascii_lowercase, k=random.randint(2, 10))) for _ in range(6))
        yield " ".join(list(letters)[: random.randint(1, 6)]), "letters"


def vocabulary(corpus: Path) -> list[str]:
    """Every word of a corpus once, function words and numbers apart."""
    found: set[str] = set()
    with corpus.open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            found.update(terms.words(f"{record.get('title', '')} {record['text']}"))
    return sorted(word for word in found - terms.STOP_WORDS if word.isalpha() and len(word) > 1)


def cut(text: str, random: Random) -> str:
    """A few words of a query, in their order."""
    words = [word for word in terms.words(text) if word not in terms.STOP_WORDS] or [text]
    count = max(1, min(len(words) - 1, random.choice((1, 2, 2, 3, 3, 4))))
    return " ".join(words[at] for at in sorted(random.sample(range(len(words)), count)))


def answered(engine: Engine, query: Asked) -> Answered:
    inside = Filters(collections=(query.collection,) if query.collection else ())
    result = engine.search(Request(query.text, filters=inside, literal=True, unlogged=True, below=True))
    bands_ = {hit.band for hit in result.hits}
    best = max((hit.score for hit in result.hits), default=0.0)
    shares = tuple(
        hit.score / best if best > 0 else 1.0
        for hit in result.hits[:TOP]
        if hit.document.item in query.answers
    )
    kind, verdict = query.kind, result.verdict
    refused, nothing = "answer" not in bands_, not bands_ & {"answer", "weak"}
    if verdict is None:
        return Answered(kind, refused, nothing, sure=True, found={}, shares=shares)
    found = {part.name: part.value for part in verdict.evidence}
    sure = not found["known"] or not any(found[part.name] and part.contribution for part in verdict.evidence)
    return Answered(kind, refused, nothing, sure, found, shares)


# -- fitting -------------------------------------------------------------------------------------------------


def held_out(answers: Mapping[str, Sequence[Answered]], name: str) -> list[Answered]:
    """The answers of a set by weights and floor that were fitted on the others."""
    weights, bias = fitted({other: several for other, several in answers.items() if other != name})

    def judged(query: Answered) -> Answered:
        stands = standing(query, weights, bias)
        return replace(query, refused=bool(stands < 0), nothing=bool(stands < floor.NOTHING))

    return [query if query.sure else judged(query) for query in answers[name]]


def standing(query: Answered, weights: Mapping[str, float], bias: float) -> float:
    return bias + sum(weight * query.found[name] for name, weight in weights.items())


def fitted(answers: Mapping[str, Sequence[Answered]]) -> tuple[dict[str, float], float]:
    """Weights and constant of a logistic regression in which every set counts the same.

    The constant is then moved until no set loses more than ALLOWED of its answers among the first three.
    """
    import numpy as np

    rows, labels, counts = [], [], []
    for several in answers.values():
        open_ = [query for query in several if not query.sure]
        kinds = [query.kind for query in open_]
        for query in open_:
            rows.append([query.found[name] for name in FITTED])
            labels.append(float(query.kind.startswith("own")))
            counts.append(SHARES.get(query.kind.split()[0], 1.0) / kinds.count(query.kind))
    x, y, w = np.array(rows), np.array(labels), np.array(counts)
    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    solution = logistic((x - middle) / spread, y, w)
    slopes = solution[:-1] / spread
    weights = dict(zip(FITTED, slopes.tolist(), strict=True))
    bias = float(solution[-1] - slopes @ middle)
    lowest = []
    for several in answers.values():
        stands = [
            9.0 if query.sure else standing(query, weights, bias) for query in several for _ in query.shares
        ]
        lowest.append(np.quantile(stands or [9.0], ALLOWED, method="lower"))
    return weights, bias - float(min(lowest))


def logistic(x: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.float64]:
    """Slopes and, last, the constant, by Newton's method with a ridge on the slopes."""
    import numpy as np

    x = np.column_stack([x, np.ones(len(x))])
    ridge = np.diag([*[RIDGE] * (x.shape[1] - 1), 1e-9])
    found = np.zeros(x.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(x @ found, -30, 30)))
        slope = x.T @ (w * (chance - y)) + ridge @ found
        bend = (x * (w * chance * (1 - chance))[:, None]).T @ x + ridge
        step = np.linalg.solve(bend, slope)
        found -= step
        if abs(step).max() < 1e-8:
            break
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
