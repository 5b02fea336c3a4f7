"""Hits with their reasons, texts, and searches that were run, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ark_tui.interfaces.cli.hits import SENTENCE_LINES, Listing, evidence, narrate, unsearchable
from ark_tui.interfaces.cli.layout import fit, flow, short, short_path
from ark_tui.interfaces.cli.output import WIDTH, Ink, Piece
from ark_tui.interfaces.cli.rendering import Renderer, View, whynot

if TYPE_CHECKING:
    from ark_tui.domain.documents import Passage
    from ark_tui.domain.duels import Duel
    from ark_tui.domain.hits import Explained, SearchResult
    from ark_tui.domain.searches import Move, Rerun
    from ark_tui.operations.call import Call

REASON = " " * 13  # before what earned a part
MARKS = {"came": Ink("came  ", "good"), "went": Ink("went  ", "bad"), "moved": Ink("moved ", "strong")}

PLAIN = click.Option(
    ["--plain"], is_flag=True, help="No colour and no bars: one line after the other, for reading aloud."
)


def hits(view: View, results: Sequence[SearchResult]) -> None:
    """What a search found, and what is to be said of it as a whole."""
    for result in results:
        narrate(view.say, result)
        explain = bool(view.options.get("explain"))
        Listing(view.out, view.call.engine.signals(), explain=explain).show(result)
    if place := view.options.get("receipt"):
        view.say.notice(f"Receipt written: {place}")


def _code(result: SearchResult) -> int:
    return 1 if unsearchable(result) else 0


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
        view.out.line(Ink(one.document.called, "strong"))
        if one.score is None:
            view.out.line(one.note)
        else:
            view.out.line(f"rank {one.rank}, score {one.score:.4f}")
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
        for off in one.off:
            view.say.notice(f"Not counted: {off}")


def duel(view: View, results: Sequence[Duel]) -> None:
    """Two hits side by side, and what would make them trade places."""
    for one in results:
        for letter, hit in zip("AB", (one.first, one.second), strict=True):
            title = fit(hit.document.called, WIDTH - 20)
            view.out.line(Ink(letter, "strong"), f"  {title} {hit.rank:>4}. {hit.score:>8.4f}")
            lines = f"{hit.document.path}:{hit.chunk.start_line}-{hit.chunk.end_line}"
            view.out.line("   ", Ink(short_path(lines, WIDTH - 3), "faint"))
        _say(view, one.sentence)
        view.out.line()
        view.out.line(Ink(f"   {'signal':<12} {'A':>9} {'B':>9} {'A − B':>9}", "faint"))
        for row in one.signals:
            a, b = (part.contribution if part else 0.0 for part in (row.first, row.second))
            view.out.line(f"   {fit(row.signal, 12)} {a:>9.4f} {b:>9.4f} {row.difference:>+9.4f}")
        if one.multiplied:
            view.out.line(f"   {'multipliers':<32} {one.multiplied:>+9.4f}")
        difference = one.first.score - one.second.score
        scores = f"   {'score':<12} {one.first.score:>9.4f} {one.second.score:>9.4f} {difference:>+9.4f}"
        view.out.line(Ink(scores, "strong"))
        view.out.line()
        for said in one.says:
            _say(view, said)
        for off in one.off:
            view.say.notice(f"Not counted: {off}")


def _say(view: View, text: str) -> None:
    for row in flow(text, (), WIDTH, SENTENCE_LINES):
        view.out.line(*row)


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
    "search": Renderer(hits, (PLAIN,), after=_unkept, code=_code),
    "similar": Renderer(hits, (PLAIN,)),
    "show": Renderer(passage),
    "explain": Renderer(explained),
    "why-not": Renderer(whynot.shown),
    "duel": Renderer(duel),
    "rerun": Renderer(rerun),
}
