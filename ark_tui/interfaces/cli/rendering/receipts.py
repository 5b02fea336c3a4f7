"""Receipts as JSON, and what has become of their answers as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ark_tui.domain.hits import away
from ark_tui.domain.receipts import STATES
from ark_tui.domain.wording import counted
from ark_tui.interfaces.cli.layout import column, flow, short, short_path
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Renderer, View
from ark_tui.operations.encoding import encoded

if TYPE_CHECKING:
    from ark_tui.domain.receipts import Cause, Difference, Receipt, State, Verification, Verified
    from ark_tui.domain.searches import Move

VERBOSE = click.Option(
    ["-v", "--verbose"], is_flag=True, help="Say of each what moved, why, and by how much."
)

STYLES: dict[State, str] = {
    "same": "good",
    "close": "good",
    "shifted": "",
    "changed": "bad",
    "unreadable": "bad",
}
STATE = 11  # cells
LINES = 20
FIGURES = 5  # that are listed


def receipt(view: View, results: Sequence[Receipt]) -> None:
    """The receipt itself, unless it went into a file."""
    for made in results:
        for off in away(made.lamps):
            view.say.notice(f"Not counted: {off}")
        if made.corpus.waiting:
            view.say.notice(f"The indexes are {counted(made.corpus.waiting, 'change')} behind the store.")
        if place := view.options.get("file"):
            view.say.notice(f"Receipt written: {place}")
        else:
            view.out.document(encoded(made))


def _remarks(made: Receipt) -> tuple[str, ...]:
    return (made.remark,) if made.remark else ()


def verified(view: View, results: Sequence[Verified]) -> None:
    """A line for each receipt; of a single one, and with --verbose, all that there is to say."""
    for result in results:
        whole = bool(view.options.get("verbose")) or len(result.receipts) == 1
        for one in result.receipts:
            _line(view, one)
            for text in _details(one) if whole else ():
                for row in flow(text, (), WIDTH - STATE, LINES):
                    view.out.line(" " * STATE, *row)
        view.say.notice(_summary(result))


def _line(view: View, one: Verification) -> None:
    kinds = ", ".join(dict.fromkeys(cause.kind for cause in one.causes))
    about = one.why or (f"{kinds} · {one.query}" if kinds else one.query)
    place = short_path(one.file, (WIDTH - STATE) // 2)
    room = WIDTH - STATE - len(place) - 2
    view.out.line(
        Ink(column(one.state, STATE), STYLES[one.state]), place, "  ", Ink(short(about, room), "faint")
    )


def _details(one: Verification) -> Iterator[str]:
    if one.moves:
        yield ", ".join(map(_moved, one.moves))
    for cause in one.causes:
        yield f"{cause.kind}: {cause.what}{_effect(cause)}"
    if one.differences:
        scores = [found for found in one.differences if found.what == "score"] or one.differences
        listed = ", ".join(map(_figure, scores[:FIGURES]))
        more = f" and {len(scores) - FIGURES:,} more" if len(scores) > FIGURES else ""
        yield f"{counted(len(one.differences), 'figure')} changed (--json has all): {listed}{more}."


def _moved(move: Move) -> str:
    ranks = (str(rank) if rank else "–" for rank in (move.before, move.after))
    return f"{move.path} {' → '.join(ranks)}"


def _effect(cause: Cause) -> str:
    alone = {
        "answer": " That alone changes the answer.",
        "scores": " That alone changes scores, and not the answer.",
        "nothing": " That changes nothing here.",
    }
    return alone.get(cause.effect, "") if cause.kind != "clock" else ""


def _figure(found: Difference) -> str:
    before, after = (
        f"{one:.6g}" if isinstance(one, float) else str(one) for one in (found.before, found.after)
    )
    return f"{found.document} {found.what} {before} → {after}"


def _summary(result: Verified) -> str:
    states = [one.state for one in result.receipts]
    if len(states) == 1:
        return f"1 receipt: {STATES[states[0]]}."
    said = (f"{states.count(state)} {state}" for state in STATES if state in states)
    return f"{counted(len(states), 'receipt')}: {', '.join(said)}."


RENDERERS = {
    "receipt": Renderer(receipt, remarks=_remarks),
    "verify": Renderer(verified, (VERBOSE,), code=lambda result: result.code),
}
