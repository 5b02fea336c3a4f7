"""How much words and meaning should count for messages, each weighed on sets that were left out.

`python -m benchmarks.said [DIR...] [--model NAME]` (default: sets in ../shared/data whose texts are said by
somebody) takes the texts of judged sets in as messages: a collection is a conversation, and what belongs to
none is one by itself, as is each conversation of a set. Every query is asked by `history search` as it is,
with weights of meaning from 0 to 1. The weight that is best on the mean of all other sets is told with what
it comes to on the one that was left out.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean as mean

from ark_tui.domain.memory import EVERY, Saying, Scope
from ark_tui.domain.untrusted import read_json
from ark_tui.engine import Engine
from ark_tui.evaluation import sets
from ark_tui.evaluation.metrics import ndcg
from ark_tui.memory import fused
from ark_tui.settings import load
from benchmarks.negation import DATA

SETS = ("locomo-a", "mtrag-fiqa", "mtrag-cloud")
WEIGHTS = tuple(round(0.1 * tenth, 1) for tenth in range(11))
PLACES = range(len(WEIGHTS))
DEPTH = 10
ALL = Scope(EVERY, EVERY)
Curve = tuple[float, ...]  # nDCG@10 by weight


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="*", default=[DATA / name for name in SETS])
    parser.add_argument("--model", type=Path, help="the folder of a transformer, for the static model")
    parser.add_argument("--most", type=int, default=10**9, help="texts of a set: those judged, and others")
    asked = parser.parse_args()
    curves: dict[str, Curve] = {}
    for folder in asked.folders:
        with tempfile.TemporaryDirectory() as scratch, Engine(load(Path(scratch), environ={})) as engine:
            if asked.model:
                engine.models.use(f"local:{engine.models.add('asked', asked.model).name}")
            curves |= curves_of(engine, folder, asked.most)
    for line in told(curves):
        sys.stdout.write(line + "\n")


def curves_of(engine: Engine, folder: Path, most: int) -> dict[str, Curve]:
    """The curve of each conversation of a set, by its name, or of the whole set."""
    judged = sets.read(folder)
    with (folder / sets.CORPUS).open(encoding="utf-8") as lines:
        documents = [read_json(line) for line in lines]
    wanted = {id_ for topic in judged.topics for id_ in topic.grades}
    left = most - len(wanted)
    documents = [one for one in documents if one["_id"] in wanted or (left := left - 1) >= 0]
    talks: dict[str, list[Saying]] = {}
    for one in documents:
        talk = one["metadata"].get("collection") or one["_id"]
        talks.setdefault(talk, []).append(Saying("user", one["text"] or one["title"], name=one["_id"]))
    engine.memory.conversations.take(Scope(), [(name, name, said) for name, said in talks.items()])
    sys.stderr.write(f"{engine.memory.meaning.make()}\n")
    while engine.memory.conversations.search(Scope(), "anything", limit=0).waiting:
        pass
    groups: dict[str, list[sets.Topic]] = {}
    for topic in judged.topics:
        groups.setdefault(f"{folder.name}/{topic.collection}".rstrip("/"), []).append(topic)
    return {name: tuple(_mean(engine, asked, weight) for weight in WEIGHTS) for name, asked in groups.items()}


def _mean(engine: Engine, topics: Sequence[sets.Topic], weight: float) -> float:
    fused.MEANING = dict.fromkeys(fused.MEANING, weight)
    return mean(
        ndcg([one.name for one in engine.memory.conversations.search(
            ALL, plain(topic.text), conversation=topic.collection, limit=DEPTH).messages], topic.grades)
        for topic in topics
    )  # fmt: skip


def plain(text: str) -> str:
    """A question without what the query language means by signs."""
    return re.sub(r'["():]|\B-', " ", text)


def told(curves: Mapping[str, Curve]) -> Iterator[str]:
    """A table of the curves, and what the weight that is best for other sets comes to on each."""
    yield f"| set | {' | '.join(map(str, WEIGHTS))} | best elsewhere | there |"
    yield "|---" * (len(WEIGHTS) + 3) + "|"
    left_out: list[float] = []
    for name, curve in curves.items():
        at = _best({other: one for other, one in curves.items() if _set(other) != _set(name)} or curves)
        left_out.append(curve[at])
        yield f"| {name} | {' | '.join(f'{one:.3f}' for one in curve)} | {WEIGHTS[at]} | {curve[at]:.3f} |"
    half = [curve[WEIGHTS.index(0.5)] for curve in curves.values()]
    best = WEIGHTS[_best(curves)]
    yield f"left out {mean(left_out):.4f}, one half {mean(half):.4f}; best for all, seen: {best}"


def _set(name: str) -> str:
    return name.partition("/")[0]


def _best(curves: Mapping[str, Curve]) -> int:
    """The place of the weight that is best on the mean of sets, of however many conversations each is."""
    wholes: dict[str, list[Curve]] = {}
    for name, curve in curves.items():
        wholes.setdefault(_set(name), []).append(curve)
    means = [mean(mean(curve[at] for curve in several) for several in wholes.values()) for at in PLACES]
    return max(PLACES, key=means.__getitem__)


if __name__ == "__main__":
    main()
