"""Prints hits with their reasons, texts, and logged searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ark_tui.interfaces.cli.hits import SENTENCE_LINES, Listing, evidence, narrate, unsearchable
from ark_tui.interfaces.cli.layout import fit, flow, short
from ark_tui.interfaces.cli.output import WIDTH, Ink, Piece
from ark_tui.interfaces.cli.rendering import Renderer, View

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.hits import Part, SearchResult
    from ark_tui.domain.whynot import Against, Explained, WhyNot
    from ark_tui.operations.call import Call

REASON = " " * 13  # the indent of the reasons of a part

PLAIN = click.Option(
    ["--plain"], is_flag=True, help="No color and no bars, one line after another, for screen readers."
)


def hits(view: View, results: Sequence[SearchResult]) -> None:
    """Print the hits of searches, with notices on each search."""
    for result in results:
        narrate(view.say, result)
        explain = bool(view.options.get("explain"))
        Listing(view.out, view.call.engine.signals(), explain=explain).show(result)


def _code(result: SearchResult) -> int:
    return 1 if unsearchable(result) else 0


def _unkept(call: Call) -> Iterator[str]:
    if why := call.engine.unkept():
        yield f"This search is not in the log: {why.what}"


def passage(view: View, passages: Sequence[Passage]) -> None:
    """Print a text with its matches marked."""
    for one in passages:
        document = one.document
        lines = f"lines {one.start_line}–{one.end_line} of {one.total_lines}"
        view.say.notice(f"{document.short_id} · {document.title} · {one.file or document.path} · {lines}")
        if one.uncounted:
            view.say.notice(f"That it was opened does not count: {one.uncounted}")
        view.out.block(*_marked(one))


def _marked(found: Passage) -> Iterator[Piece]:
    at = 0
    for start, end in found.highlights:
        yield found.text[at:start]
        yield Ink(found.text[start:end], "match")
        at = end
    yield found.text[at:]


def explained(view: View, found: Sequence[Explained]) -> None:
    """Print the parts of a score with their meaning, or why the document is not listed."""
    for one in found:
        if one.missing:
            _missing(view, one.document, one.missing)
        else:
            view.out.line(Ink(one.document.called, "strong"))
            view.out.line(f"rank {one.rank}, score {one.score or 0:.4f}")
        _say(view, one.why.sentence if one.why else "")
        for signal in one.signals:
            part = signal.part
            numbers = (
                f"{fit(part.name, 12)} {part.raw:>8.3f} {part.rank or '–':>5} {part.contribution:>8.4f}  "
            )
            view.out.line(numbers, Ink(short(signal.about, WIDTH - len(numbers)), "faint"))
            for reason in evidence(part, REASON):
                view.out.line(REASON, *reason)
        for factor in one.multipliers:
            view.out.line(f"{'× ' + factor.name:<27} {factor.value:>8.4f}")
        if one.against:
            _against(view, one, one.against)
        for off in one.off:
            view.say.notice(f"Not counted: {off}")


def _against(view: View, one: Explained, other: Against) -> None:
    """Print two breakdowns side by side: raw value, rank, contribution and difference."""
    view.out.line()
    view.out.line(Ink("A  ", "strong"), f"{fit(one.document.called, WIDTH - 20)} {one.rank:>4}.")
    view.out.line(Ink("B  ", "strong"), f"{fit(other.document.called, WIDTH - 20)} {other.rank:>4}.")
    heads = "".join(f" {letter + ' raw':>8} {'rank':>4} {letter:>7}" for letter in "AB")
    view.out.line(Ink(f"{'signal':<12}{heads} {'A - B':>8}", "faint"))
    for row in other.signals:
        cells = "".join(map(_share, (row.first, row.second)))
        view.out.line(f"{fit(row.signal, 12)}{cells} {row.difference:>+8.4f}")
    if other.multiplied:
        view.out.line(f"{'multipliers':<12}{'':44} {other.multiplied:>+7.4f}")
    score = one.score or 0.0
    total = f"{'score':<12}{score:>22.4f}{other.score:>22.4f} {score - other.score:>+8.4f}"
    view.out.line(Ink(total, "strong"))


def _share(part: Part | None) -> str:
    if part is None:
        return f" {'–':>8} {'–':>4} {0:>7.4f}"
    return f" {part.raw:>8.3f} {part.rank or '–':>4} {part.contribution:>7.4f}"


def _say(view: View, text: str) -> None:
    for row in flow(text, (), WIDTH, SENTENCE_LINES):
        view.out.line(*row)


def _missing(view: View, document: Document, found: WhyNot) -> None:
    """Print why a document is not listed: the cause, its rank by each signal, and what would list it."""
    view.out.line(Ink(document.short_id, "strong"), f"  {short(document.title, WIDTH - 10)}")
    view.out.line("  ", Ink(f"{document.collection}/{document.path}", "faint"))
    _paragraph(view, f"{found.cause}: {found.sentence}", "")
    if found.signals:
        view.out.line()
        view.out.line(Ink("Its rank by each signal", "strong"), Ink(f"  {found.of:,} ranked", "faint"))
        rows = ((f"  {one.name}", one.rank or "–", one.contribution) for one in found.signals)
        view.pairs((name, f"{rank:>6}{share:>10.4f}") for name, rank, share in rows)
    if found.remedies:
        view.out.line()
        view.out.line(Ink("What would list it", "strong"))
    for remedy in found.remedies:
        tried = f" Then it is number {remedy.rank:,}." if remedy.rank else ""
        _paragraph(view, f"{remedy.what.removesuffix('.')}.{tried}", "- ")


def _paragraph(view: View, text: str, mark: str) -> None:
    for place, row in enumerate(flow(text, (), WIDTH - len(mark), 12)):
        view.out.line(" " * len(mark) if place else mark, *row)


RENDERERS = {
    "search": Renderer(hits, (PLAIN,), after=_unkept, code=_code),
    "similar": Renderer(hits, (PLAIN,)),
    "show": Renderer(passage),
    "explain": Renderer(explained),
}
