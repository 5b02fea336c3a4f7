"""Fitted weights as a table: what they were, what they are, and whether they are better."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.tuning import Fitted
from ark_tui.interfaces.cli.layout import column
from ark_tui.interfaces.cli.output import Ink
from ark_tui.interfaces.cli.rendering import Renderer, View

HEADS = {"ndcg_10": "nDCG@10", "mrr_10": "MRR@10", "hit_3": "Hit@3"}
NAME = 12  # cells of a signal's name


def fitted(view: View, several: Sequence[Fitted]) -> None:
    """The figures of the queries left out, then the weights; at last what came of it."""
    for found in several:
        _measures(view, found)
        view.out.line()
        _weights(view, found)
        view.out.line()
        view.out.line(Ink(_verdict(found), "strong"))


def _measures(view: View, found: Fitted) -> None:
    said = f"{found.queries} judged queries, each ranked by weights that were fitted without it"
    view.out.line(Ink(said, "strong"))
    heads = f"{found.profile[:8]:>8}{'fitted':>8}{'bm25':>8}{'change':>9}  95 %"
    view.out.line(Ink(f"{'':<{NAME}}{heads}", "faint"))
    measures = found.measures
    for key, head in HEADS.items():
        change = measures.change.of[key]
        means = (of.of[key].mean for of in (measures.other, measures.one, found.bm25))
        numbers = "".join(f"{mean:>8.3f}" for mean in means)
        interval = f"{change.low:+.3f} … {change.high:+.3f}"
        view.out.line(f"{column(head, NAME)}{numbers}{change.mean:>+9.3f}  {interval}")


def _weights(view: View, found: Fitted) -> None:
    view.out.line(Ink(f"{column('weight', NAME)}{'before':>8}{'fitted':>8}", "faint"))
    for name, weight in found.weights.items():
        before = found.before[name]
        mark = "" if abs(weight - before) < 5e-4 else "  ▲" if weight > before else "  ▼"
        view.out.line(f"{column(name, NAME)}{before:>8.3f}{weight:>8.3f}{mark}")


def _verdict(found: Fitted) -> str:
    if found.refused:
        return f"Refused: {found.refused}"
    if found.saved:
        name = found.saved
        return f"Better, and kept as the profile {name}. For every search: ark-tui config set profile {name}"
    return "Better. Nothing is kept yet: --save NAME keeps it as a profile."


RENDERERS = {
    "fit": Renderer(fitted, code=lambda found: 1 if found.refused else 0),
}
