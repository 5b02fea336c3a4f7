"""Why a search does not list a document, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ark_tui.interfaces.cli.layout import flow, short
from ark_tui.interfaces.cli.output import WIDTH, Ink

if TYPE_CHECKING:
    from ark_tui.domain.whynot import Remedy, WhyNot
    from ark_tui.interfaces.cli.rendering import View

INDENT = "  "


def shown(view: View, results: Sequence[WhyNot]) -> None:
    """The cause; then its rank by each signal; then what would bring it up."""
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
    _paragraph(view, f"{found.cause}: {found.sentence}", "")


def _ranked(view: View, found: WhyNot) -> None:
    if found.signals:
        view.out.line()
        view.out.line(Ink("Its rank by each signal", "strong"), Ink(f"  {found.of:,} ranked", "faint"))
        rows = ((one.name, one.rank, one.contribution) for one in found.signals)
        view.pairs((INDENT + name, f"{rank or '–':>6}{share:>10.4f}") for name, rank, share in rows)


def _told(remedy: Remedy) -> str:
    """What to do, and what came of it when it was tried."""
    came = f" Then it is number {remedy.rank:,}." if remedy.rank else ""
    return remedy.what.removesuffix(".") + "." + came


def _paragraph(view: View, text: str, mark: str) -> None:
    for place, row in enumerate(_rows(text, WIDTH - len(mark))):
        view.out.line(" " * len(mark) if place else mark, *row)


def _rows(text: str, width: int) -> Iterator[list[Ink]]:
    yield from flow(text, (), width, 12)
