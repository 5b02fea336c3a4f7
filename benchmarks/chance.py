"""Measures whether the chance that a hit shows is true: of those at 30 %, three in ten should be an answer.

`python -m benchmarks.chance [DIR...] [--keep-home DIR] [--fit]` (default: every set in ../shared/data, and
the questions of benchmarks/ways) asks 200 queries of each set and looks at the first ten hits of each. The
error of calibration is the mean distance of the chance from the share of answers over ten bins of as many
hits each, also with weights that were fitted without the set. Sets in which whatever is about the subject
was judged an answer are measured, and never fitted on. `--fit` works the weights of the profile out again;
without DIR and `--fit` the tables are written into docs/search.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from ark_tui.domain.query import Filters, Request
from ark_tui.engine import Engine
from ark_tui.evaluation import sets
from ark_tui.settings import load
from benchmarks import ways
from benchmarks.abstention import logistic
from benchmarks.negation import DATA, SEED, indexed
from benchmarks.retrieval import PAGE, replaced, table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.profile import Chance
    from ark_tui.evaluation.metrics import Grades
    from ark_tui.evaluation.sets import JudgedSet

QUERIES = 200  # of each set, drawn with a fixed seed
FIRST = 10  # hits that are looked at
BINS = 10
WORTH = 1000.0  # hits that each set counts for
BROAD = ("cranfield", "med", "nfcorpus")  # in which an answer is whatever is about the subject
WAYS = "ways"
FITTED = ("lead", "closeness")


@dataclass(frozen=True, slots=True)
class Seen:
    """Hits of one set: what speaks for each, without the start and with the doubt last, and the truth.

    `fit`: whether the weights may be fitted on the hit.
    """

    evidence: NDArray[np.float64]
    answers: NDArray[np.float64]
    fit: NDArray[np.bool_]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chance", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR")
    parser.add_argument("--keep-home", type=Path, metavar="DIR", help="where indexed sets are kept")
    parser.add_argument("--fit", action="store_true", help="work the weights out again")
    asked = parser.parse_args(arguments)
    folders = asked.folders or sorted(path.parent for path in DATA.glob("*/corpus.jsonl"))
    seen = {}
    for judged in map(sets.read, folders):
        with tempfile.TemporaryDirectory() as nowhere:
            seen[judged.name] = of_set(judged, asked.keep_home or Path(nowhere))
        print(f"{judged.name}: asked", file=sys.stderr)
    seen[WAYS] = of_ways()
    with tempfile.TemporaryDirectory() as nowhere:
        shipped = load(Path(nowhere) / "home", environ={}).profiles["default"].chance
    if asked.fit or shipped is None:
        shipped = fitted(seen)
        print(f"start = {shipped.start:.2f}\nlead = {shipped.lead:.2f}\ncloseness = {shipped.closeness:.2f}")
    tables = reported(seen, shipped)
    print(tables)
    if not (asked.folders or asked.fit):
        PAGE.write_text(replaced(PAGE.read_text("utf-8"), "chance", tables), "utf-8")
    return 0


# -- asking -----------------------------------------------------------------------------------------------


def of_set(judged: JudgedSet, homes: Path) -> Seen:
    """The first hits of each query of a set."""
    with indexed(judged, homes) as engine:
        rows = []
        for topic in Random(f"{SEED} {judged.name}").sample(judged.topics, min(QUERIES, len(judged.topics))):
            inside = Filters(collections=(topic.collection,) if topic.collection else ())
            request = Request(
                topic.text, limit=FIRST, filters=inside, literal=True, below=True, unlogged=True
            )
            rows += list(_rows(engine.search(request), topic.grades, judged, fit=True))
    return _seen(rows)


def of_ways() -> Seen:
    """The first hits of each question that has an answer; those of the floor are not for fitting."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = ways.joined(Path(folder) / "corpus")
        own = {"embedding": "static", "expand": False, "decay": False}
        settings = load(Path(folder) / "home", own, {"ARK_NOW": ways.NOW})
        questions = [one for one in ways.read(corpus) if one.grades]
        with Engine(settings) as engine:
            engine.index([corpus], collection="corpus")
            rows = []
            for one in questions:
                result = engine.search(Request(one.text, limit=FIRST, below=True, unlogged=True))
                rows += list(_rows(result, one.grades, None, fit=one.half == "fit"))
    return _seen(rows)


Row = tuple[list[float], bool, bool]


def _rows(result: SearchResult, grades: Grades, judged: JudgedSet | None, *, fit: bool) -> Iterator[Row]:
    for hit in result.hits:
        found = {one.name: one.value for one in hit.odds}
        if found:
            name = hit.document.item if judged and judged.lines else hit.document.path
            yield [*(found[one] for one in FITTED), found["doubt"]], grades.get(name, 0) > 0, fit


def _seen(rows: Sequence[Row]) -> Seen:
    import numpy as np

    evidence, answers, fit = zip(*rows, strict=True)
    return Seen(np.array(evidence), np.array(answers, float), np.array(fit))


# -- fitting and judging ----------------------------------------------------------------------------------


def fitted(seen: Mapping[str, Seen], without: str = "") -> Chance:
    """A logistic regression on standardised values, in which every set counts the same."""
    import numpy as np

    from ark_tui.domain.profile import Chance

    used = [one for name, one in seen.items() if name not in {without, *BROAD}]
    x = np.concatenate([one.evidence[one.fit, : len(FITTED)] for one in used])
    y = np.concatenate([one.answers[one.fit] for one in used])
    w = np.concatenate([np.full(one.fit.sum(), WORTH / one.fit.sum()) for one in used])
    middle, spread = x.mean(axis=0), x.std(axis=0)
    *slopes, start = logistic((x - middle) / spread, y, w)
    slopes = np.array(slopes) / spread
    return Chance(float(start - slopes @ middle), **dict(zip(FITTED, slopes.tolist(), strict=True)))


def chances(of: Seen, rule: Chance) -> NDArray[np.float64]:
    import numpy as np

    weights = np.array([*(getattr(rule, name) for name in FITTED), 1.0])
    logits: NDArray[np.float64] = of.evidence @ weights + rule.start
    return 1 / (1 + np.exp(-logits))


def bins(said: NDArray[np.float64], answers: NDArray[np.float64]) -> list[tuple[float, float, int]]:
    """The mean chance, the share of answers and the number of hits, of bins of as many hits each."""
    import numpy as np

    parts = np.array_split(np.argsort(said, kind="stable"), BINS)
    return [(float(said[at].mean()), float(answers[at].mean()), len(at)) for at in parts if len(at)]


def error(said: NDArray[np.float64], answers: NDArray[np.float64]) -> float:
    """The expected error of calibration (Naeini et al. 2015), over bins of equal mass."""
    return sum(abs(told - found) * count for told, found, count in bins(said, answers)) / len(said)


def reported(seen: Mapping[str, Seen], shipped: Chance) -> str:
    """The errors of each set, and how often hits of a chance are an answer."""
    import numpy as np

    rows, pooled = [], {True: [], False: []}  # type: ignore[var-annotated]
    for name, of in seen.items():
        left_out = chances(of, fitted(seen, without=name))
        own = chances(of, shipped)
        errors = [f"{error(one, of.answers):.3f}" for one in (own, left_out)]
        rows.append([name, f"{len(own):,}", f"{of.answers.mean():.1%}", f"{left_out.mean():.1%}", *errors])
        pooled[name in BROAD].append((left_out, of.answers))
    heads = [
        "set",
        "hits",
        "are an answer",
        "chance in the mean",
        "error as shipped",
        "error with the set left out",
    ]
    parts = [table(heads, rows)]
    for broad, some in pooled.items():
        if some:
            said, answers = (np.concatenate(each) for each in zip(*some, strict=True))
            about = "the broad sets" if broad else "the other sets"
            title = f"Hits of {about}, in ten parts by their chance, each set left out:"
            parts.append(f"{title}\n\n{_diagram(said, answers)}")
    return "\n".join(parts)


def _diagram(said: NDArray[np.float64], answers: NDArray[np.float64]) -> str:
    """A reliability diagram in letters: `+` is what the chance says, `█` how many are an answer."""
    rows = []
    for told, found, _ in bins(said, answers):
        bar = list("█" * round(found * 50) + " " * 50)[:50]
        bar[min(round(told * 50), 49)] = "+"
        rows.append([f"{told:.1%}", f"{found:.1%}", f"`{''.join(bar).rstrip()}`"])
    return table(["chance", "are an answer", "0 to 100 %"], rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
