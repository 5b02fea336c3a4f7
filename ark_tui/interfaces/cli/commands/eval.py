"""`ark-tui eval`: measures the ranking on queries with known answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click

from ark_tui.domain.evaluation import Comparison, Evaluation, Measures, Plan, QueryChange, SetResult
from ark_tui.domain.protocols import OnProgress
from ark_tui.interfaces.cli.output import Ink, Output, fit, short
from ark_tui.interfaces.cli.session import Session, face, pass_session
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import encoded

LISTED = 5  # queries won and lost that are listed; `--json` has all
FOLDER = click.Path(path_type=Path)
NAME = 14  # columns of a set's name


@click.command("eval", epilog="Example: ark-tui eval sets/med sets/cosqa --compare ark default")
@click.argument("folders", nargs=-1, type=FOLDER, metavar="[DIR]...")
@click.option("--mine", is_flag=True, help="Measure on your own judgments, over your own documents.")
@click.option("--corpus", type=FOLDER, metavar="DIR", help="The judged documents are the files in here.")
@click.option("--profile", metavar="NAME", default="", help="What to measure, if not the configured one.")
@click.option("--set", "adjust", metavar="KEY=VALUE", multiple=True, help="Change it, as `search` does.")
@click.option("--ablate", is_flag=True, help="Also with each signal off in turn.")
@click.option("--compare", nargs=2, metavar="A B", help="Two profiles, query by query.")
@click.option(
    "--keep-home", type=FOLDER, metavar="DIR", help="Keep the indexed sets in here for the next time."
)
@face
@pass_session
def command(
    session: Session,
    folders: tuple[Path, ...],
    mine: bool,
    corpus: Path | None,
    profile: str,
    adjust: tuple[str, ...],
    ablate: bool,
    compare: tuple[str, str] | None,
    keep_home: Path | None,
    as_json: bool,
) -> None:
    """Measure the ranking on judged sets.

    A set is a folder in BEIR's layout: corpus.jsonl (_id, title, text, metadata), queries.jsonl (_id, text,
    metadata.category) and qrels/test.tsv (query-id, corpus-id, score). Each is indexed and searched in a home
    of its own and compared with bm25 alone, cosine alone and the profile ark, which can be named like
    profiles. --mine measures on your own documents, with the queries of `ark-tui eval judge`; they are not
    changed.

    All numbers are means over the queries, with 95 % bootstrap intervals; nDCG has the linear gain of
    trec_eval. The macro mean gives every set the same weight.
    """
    plan = Plan(folders, mine, corpus, profile, ablate, compare, keep_home, adjust)
    with session.say.progress() as progress:
        done = _measured(session, plan, progress)
    for notice in done.notices:
        session.say.notice(notice)
    if as_json:
        Output().document(encoded(done))
    else:
        _Tables(Output(), done).show()


def _measured(session: Session, plan: Plan, progress: OnProgress) -> Evaluation:
    """Evaluate sets in this process, in homes of their own; own judgments where the home is open."""
    if not plan.mine:
        from ark_tui.engine.evaluating import evaluate

        return evaluate(session.settings(), plan, progress=progress)
    with session.opened(begins=False) as home:
        call = Call(home.engine, person=True, progress=progress)
        given = {one.name: getattr(plan, one.name) for one in fields(plan)}
        found: Evaluation = home.ask("reports.evaluate", call, (given,))
        return found


class _Tables:
    """Prints the results as tables of at most 80 columns."""

    def __init__(self, out: Output, done: Evaluation) -> None:
        self._out = out
        self._done = done

    def show(self) -> None:
        self._means()
        if self._done.macro.ablation:
            self._ablation()
        if self._done.macro.comparison:
            self._comparison(self._done.macro.comparison)

    def _results(self) -> Iterator[SetResult]:
        """The results of the sets, and their mean if there are several."""
        yield from self._done.sets
        if len(self._done.sets) > 1:
            yield self._done.macro

    def _means(self) -> None:
        beside = list(self._done.macro.baselines)
        self._out.line(Ink(f"{self._done.profile}, and the nDCG@10 of {', '.join(beside)}", "strong"))
        heads = "".join(f"{name[:6]:>7}" for name in beside)
        self._heading(f"{'queries':>7}{'nDCG@10':>8}  {'95 %':<9}{'R@10':>6}{'Hit@3':>6}{'MRR@10':>7}{heads}")
        for result in self._results():
            others = "".join(f"{of.of['ndcg_10'].mean:>7.3f}" for of in result.baselines.values())
            self._row(result.name, result.measures, others)
            if len(result.categories) > 1:
                for name, of in result.categories.items():
                    self._row(f"  {name}", of, "", "faint")

    def _row(self, name: str, of: Measures, others: str, style: str = "") -> None:
        ndcg, recall, hit, mrr = of.of.values()
        numbers = (
            f"{of.queries:>7,}{ndcg.mean:>8.3f}  {f'{ndcg.low:.2f}–{ndcg.high:.2f}':<9}"
            f"{recall.mean:>6.3f}{hit.mean:>6.3f}{mrr.mean:>7.3f}{others}"
        )
        self._out.line(Ink(f"{_short(name)}{numbers}", style))

    def _ablation(self) -> None:
        self._out.line()
        self._out.line(Ink("nDCG@10 without each signal, less nDCG@10 with it", "strong"))
        results = list(self._results())
        macro = self._done.macro
        for number, off in enumerate(macro.ablation):
            self._out.line(f"{_short(off.signal)}{_changed(off.change)}")
            if len(results) > 1:
                for one in self._done.sets:
                    self._out.line(
                        Ink(f"{_short('  ' + one.name)}{_changed(one.ablation[number].change)}", "faint")
                    )

    def _comparison(self, whole: Comparison) -> None:
        self._out.line()
        self._out.line(Ink(f"nDCG@10 of {whole.b}, less that of {whole.a}", "strong"))
        for result in self._results():
            if of := result.comparison:
                counts = f"{len(of.won):>6} won {len(of.lost):>6} lost {of.tied:>6} tied"
                self._out.line(f"{_short(result.name)}{_changed(of.change)}{counts}")
        self._queries(f"won by {whole.b}", whole.won)
        self._queries(f"won by {whole.a}", whole.lost)

    def _queries(self, title: str, changes: tuple[QueryChange, ...]) -> None:
        if not changes:
            return
        more = f", the first {LISTED} of {len(changes)}" if len(changes) > LISTED else ""
        self._out.line()
        self._out.line(Ink(f"{title}{more}", "strong"))
        for change in changes[:LISTED]:
            self._out.line(f"{change.a:.3f} → {change.b:.3f}  ", short(f"{change.set}/{change.id}", 60))
            self._out.line(Ink(f"                 {short(change.text, 62)}", "faint"))

    def _heading(self, rest: str) -> None:
        self._out.line(Ink(f"{'set':<{NAME}}{rest}", "faint"))


def _short(name: str) -> str:
    return fit(name, NAME)


def _changed(of: Measures) -> str:
    ndcg = of.of["ndcg_10"]
    interval = f"{ndcg.low:+.3f} … {ndcg.high:+.3f}"
    return f"{ndcg.mean:>+8.3f}  {interval:<17}"
