"""Hits with their reasons, texts, and searches that were run, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import fit, short, short_path
from ark_tui.interfaces.cli.output import WIDTH, Ink, Piece
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each, whynot

if TYPE_CHECKING:
    from ark_tui.domain.documents import Passage
    from ark_tui.domain.hits import Explained, SearchResult
    from ark_tui.domain.searches import Move, Rerun, Retrieval
    from ark_tui.operations.call import Call

MARKS = {"came": Ink("came  ", "good"), "went": Ink("went  ", "bad"), "moved": Ink("moved ", "strong")}

EXPLAIN = click.Option(["--explain"], is_flag=True, help="Show every part of every score.")
PLAIN = click.Option(
    ["--plain"], is_flag=True, help="No colour and no bars: one line after the other, for reading aloud."
)


def hits(view: View, results: Sequence[SearchResult]) -> None:
    """What a search found, and what is to be said of it as a whole."""
    from ark_tui.interfaces.cli.hits import Listing, narrate

    for result in results:
        narrate(view.say, result)
        explain = bool(view.options.get("explain"))
        Listing(view.out, view.call.engine.signals(), explain=explain).show(result)


def _unkept(call: Call) -> Iterator[str]:
    if why := call.engine.unkept():
        yield f"This search is not in the log: {why.what}"


def passage(view: View, passages: Sequence[Passage]) -> None:
    """A text, with what matches marked."""
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
    """The parts of a score, each with what it measures."""
    for one in found:
        view.out.line(Ink(one.document.title or one.document.path, "strong"))
        if one.score is None:
            view.out.line(one.note)
        else:
            view.out.line(f"rank {one.rank}, score {one.score:.4f}")
        for signal in one.signals:
            part = signal.part
            numbers = (
                f"{fit(part.name, 12)} {part.raw:>8.3f} {part.rank or '–':>5} {part.contribution:>8.4f}  "
            )
            view.out.line(numbers, Ink(short(signal.about, WIDTH - len(numbers)), "faint"))
        for factor in one.multipliers:
            view.out.line(f"{'× ' + factor.name:<27} {factor.value:>8.4f}")
        for off in one.off:
            view.say.notice(f"Not counted: {off}")


def _logged(_: View, one: Retrieval) -> Lines:
    """A search that was run."""
    hits = counted(len(one.answers), "hit")
    about = f"  {one.at:%Y-%m-%d %H:%M}  {hits:>8}  {fit(one.request.profile, 8)}  "
    yield one.id, Ink(about, "faint"), short(one.query, WIDTH - len(one.id) - len(about))


def rerun(view: View, results: Sequence[Rerun]) -> None:
    """What moved, came and went."""
    (found,) = results
    view.say.notice(_summary(found))
    for move in found.moves:
        view.out.line(
            MARKS.get(move.kind, Ink("      ")), f"{_ranks(move):<10}", fit(move.title, 34), "  ",
            Ink(short_path(move.path, WIDTH - 52), "faint"),
        )  # fmt: skip


def _summary(found: Rerun) -> str:
    before = found.before
    what = "the same documents in the same order" if found.same else _counts(found)
    other = f"; since then another {', '.join(found.differing)}" if found.differing else ""
    return f"“{before.query}” of {before.at:%Y-%m-%d %H:%M}: {what}{other}."


def _counts(found: Rerun) -> str:
    kinds = [move.kind for move in found.moves]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in MARKS if kind in kinds)


def _ranks(move: Move) -> str:
    before, after = (str(rank) if rank else "–" for rank in (move.before, move.after))
    return before if move.kind == "stayed" else f"{before} → {after}"


RENDERERS = {
    "search": Renderer(hits, (EXPLAIN, PLAIN), after=_unkept),
    "similar": Renderer(hits, (PLAIN,)),
    "show": Renderer(passage),
    "explain": Renderer(explained),
    "why-not": Renderer(whynot.shown),
    "searches": each(_logged, "No search has been run yet: ark-tui search some words"),
    "rerun": Renderer(rerun),
}
