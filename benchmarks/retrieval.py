"""Measures the ranking on judged sets and writes the tables of docs/search.md.

`python -m benchmarks.retrieval DIR... [--ablate] [--model FOLDER] [--keep-home DIR]` measures the sets as
`ark-tui eval` does, with the shipped settings and whatever anybody has configured left aside. The ablation
takes as many times longer as the profile has signals; its table is printed. With
`--model`, an ONNX model's folder, only the table of a transformer in process is written.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ark_tui.domain.evaluation import Estimate, Evaluation, Measures, Plan, SetResult
from ark_tui.domain.work import Progress
from ark_tui.embedding import local
from ark_tui.embedding.shelf import Shelf
from ark_tui.engine import evaluating
from ark_tui.settings import load
from ark_tui.settings.home import Home

PAGE = Path(__file__).parents[1] / "docs" / "search.md"
HEADS = {"ndcg_10": "nDCG@10", "recall_10": "Recall@10", "hit_3": "Hit@3", "mrr_10": "MRR@10"}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--model", type=Path, metavar="FOLDER")
    parser.add_argument("--keep-home", type=Path, metavar="DIR")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as nowhere:
        own = Path(nowhere) / "home"
        shipped = load(own, with_model(own, asked.model), environ={})
        compared = ("default", "model") if asked.model else None
        plan = Plan(tuple(asked.folders), ablate=asked.ablate, compare=compared, keep_home=asked.keep_home)
        done = evaluating.evaluate(shipped, plan, progress=_told)
    page = PAGE.read_text("utf-8")
    if asked.model:
        page = replaced(page, "transformer", transformer(done))
    else:
        page = replaced(page, "results", results(done))
    if asked.ablate:
        print(ablation(done))
    PAGE.write_text(page, "utf-8")
    print(f"Written: {PAGE.name}, {', '.join(one.name for one in done.sets)}")
    return 0


def with_model(home: Path, folder: Path | None) -> dict[str, object]:
    """The settings of a home that has the model of a folder added; none without a folder."""
    if folder is None:
        return {}
    added = local.add(Shelf(Home(home).models), "", folder)
    return {"embedding": f"{local.PROVIDER}:{added.name}"}


def replaced(page: str, name: str, table: str) -> str:
    """The page with what stands between `<!-- name -->` and `<!-- /name -->` replaced."""
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = page.partition(start)
    old, closed, after = rest.partition(end)
    if not (found and closed) or start in old + after:
        sys.exit(f"{PAGE.name} needs one {start.strip()} with its {end} after it.")
    return f"{before}{start}\n{table}\n{end}{after}"


def results(done: Evaluation) -> str:
    """Every set with its metrics beside the baselines, then the categories."""
    names = [done.profile, *(name for name in done.macro.baselines if name != done.profile)]
    tables = []
    for metric, head in HEADS.items():
        tables.append(f"**{head}**\n\n" + table(["set", "queries", *names], _rows(done, metric, names)))
    if rows := list(_categories(done)):
        heads = ["set", "category", "queries", *HEADS.values()]
        tables.append(f"**By category**, profile `{done.profile}`\n\n" + table(heads, rows))
    return "\n".join(tables)


def transformer(done: Evaluation) -> str:
    """nDCG@10 with a transformer, beside its cosine alone and the change against the profile without it."""
    names = [done.profile, "bm25", "cosine"]
    rows = []
    for row, one in zip(_rows(done, "ndcg_10", names), (*done.sets, done.macro), strict=True):
        assert one.comparison
        of = one.comparison.change.of["ndcg_10"]
        rows.append([*row, f"{of.mean:+.3f} ({of.low:+.3f} … {of.high:+.3f})"])
    return table(["set", "queries", *names, "against default"], rows)


def ablation(done: Evaluation) -> str:
    """What taking a signal away does to nDCG@10."""
    heads = ["without", *(one.name for one in done.sets), "macro", "95 %"]
    rows = []
    for number, off in enumerate(done.macro.ablation):
        changes = [one.ablation[number].change.of["ndcg_10"].mean for one in (*done.sets, done.macro)]
        of = off.change.of["ndcg_10"]
        rows.append(
            [off.signal, *(f"{change:+.3f}" for change in changes), f"{of.low:+.3f} … {of.high:+.3f}"]
        )
    return table(heads, rows)


def _rows(done: Evaluation, metric: str, names: Sequence[str]) -> Iterator[list[str]]:
    for one in (*done.sets, done.macro):
        yield [
            one.name,
            f"{one.measures.queries:,}",
            *(_cell(_of(done, one, name), metric) for name in names),
        ]


def _of(done: Evaluation, one: SetResult, name: str) -> Measures:
    return one.measures if name == done.profile else one.baselines[name]


def _cell(of: Measures, metric: str) -> str:
    estimate: Estimate = of.of[metric]
    return f"{estimate.mean:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"


def _categories(done: Evaluation) -> Iterator[list[str]]:
    for one in done.sets:
        if len(one.categories) > 1:
            for name, of in one.categories.items():
                yield [one.name, name, f"{of.queries:,}", *(f"{of.of[metric].mean:.3f}" for metric in HEADS)]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]] | Iterator[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _told(at: Progress) -> None:
    """One line per set and system."""
    if at.note and at.total and at.done % 100 == 0:
        print(f"\r{at.stage}: {at.note} {at.done}/{at.total}   ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
