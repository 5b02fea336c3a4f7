"""Why a search does not list a document, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import column, flow, short, widest
from ark_tui.interfaces.cli.output import WIDTH, Ink

if TYPE_CHECKING:
    from ark_tui.domain.whynot import Remedy, WhyNot
    from ark_tui.interfaces.cli.rendering import View

INDENT = "  "


def shown(view: View, results: Sequence[WhyNot]) -> None:
    """The sentence; then the ranks by signal and with each stage left out; then what would bring it up."""
    for found in results:
        _headed(view, found)
        _ranked(view, found)
        if found.remedies:
            view.out.line()
            view.out.line(Ink("What would bring it up", "strong"))
        for remedy in found.remedies:
            _paragraph(view, _told(remedy), "- ")
        for off in found.off:
            view.say.notice(f"Not counted: {off}")


def _headed(view: View, found: WhyNot) -> None:
    if document := found.document:
        title = short(document.title, WIDTH - 10)
        view.out.line(Ink(document.short_id, "strong"), f"  {title}")
        view.out.line(INDENT, Ink(f"{document.collection}/{document.path}", "faint"))
    _paragraph(view, f"{found.stage}: {found.sentence}", "")


def _ranked(view: View, found: WhyNot) -> None:
    if found.signals:
        view.out.line()
        ranked = found.signals[0].contribution is not None
        among = f"{counted(found.of, 'document')} ranked" if ranked else "among all texts"
        view.out.line(Ink("Its rank by each signal", "strong"), Ink(f"  {among}", "faint"))
        view.pairs((INDENT + one.name, _rank(one.rank, one.contribution)) for one in found.signals)
    if found.missing:
        view.out.line()
        view.out.line(Ink("Words of the query that it has not", "strong"))
        view.pairs((INDENT + one.word, f"in {counted(one.texts, 'text')}") for one in found.missing)
    if found.without:
        view.out.line()
        view.out.line(Ink("Its rank without …", "strong"), Ink(f"  now {found.rank or '–'}", "faint"))
        width = widest((INDENT + one.what for one in found.without), 30)
        for one in found.without:
            view.out.line(column(INDENT + one.what, width), f"{one.rank or '–':>6}", "  listed" * one.listed)


def _rank(rank: int | None, contribution: float | None) -> str:
    share = "" if contribution is None else f"{contribution:>10.4f}"
    return f"{'–' if rank is None else format(rank, ','):>6}{share}"


def _told(remedy: Remedy) -> str:
    """What to do, and what came of it when it was tried."""
    option = f" (--set {remedy.change})" if remedy.change else ""
    came = f" Then it is number {remedy.rank:,}." if remedy.rank else ""
    return remedy.what.removesuffix(".") + f"{option}." + came


def _paragraph(view: View, text: str, mark: str) -> None:
    for place, row in enumerate(_rows(text, WIDTH - len(mark))):
        view.out.line(" " * len(mark) if place else mark, *row)


def _rows(text: str, width: int) -> Iterator[list[Ink]]:
    yield from flow(text, (), width, 12)
