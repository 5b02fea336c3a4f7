"""Prints recalled hits and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import click

from ark_tui.domain.recall import Recall, Thought
from ark_tui.interfaces.cli.output import WIDTH, Ink, flow, short
from ark_tui.interfaces.cli.rendering import Renderer, View, find
from ark_tui.operations.encoding import encoded


def recalled(view: View, results: Sequence[Recall]) -> None:
    """Print warnings on failed tiers, then the hits."""
    for result in results:
        for tier in result.tiers:
            if tier.problem:
                view.say.warning(f"{tier.tier} could not be searched: {tier.problem}")
        view.say.notice(", ".join(f"{one.tier} {one.found}" for one in result.tiers if not one.problem))
        find.hits(view, [result.result])


class _Writing:
    """Prints a streamed answer."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._said: set[str] = set()
        self.shown = ""

    def more(self, found: Thought) -> None:
        """Print the new part of the answer and new notices."""
        for notice in _on_the_way(found):
            if notice not in self._said:
                self._said.add(notice)
                self._view.say.notice(notice)
        self._view.out.piece(found.answer[len(self.shown) :])
        self.shown = found.answer


def _on_the_way(found: Thought) -> Iterator[str]:
    if found.goes_to:
        yield f"{found.model} runs elsewhere: the question and its sources go to {found.goes_to}."
    if found.left_out:
        yield f"Sources that did not fit into the model's context: {', '.join(found.left_out)}."


def thinking(view: View, run: Callable[[], Thought]) -> None:
    """Print an answer while it is streamed, then its gaps and sources."""
    if view.as_json:
        view.out.document(encoded(run()))
        view.out.flush()
        return
    writing = _Writing(view)
    view.call.so_far = writing.more
    found = run()
    if writing.shown:
        view.out.line()
    _end(view, found, shown=bool(writing.shown))
    view.out.flush()


def _end(view: View, found: Thought, *, shown: bool) -> None:
    """Print the notices, the answer unless it was `shown`, its gaps and its sources."""
    for notice in _at_the_end(found, shown=shown):
        view.say.notice(notice)
    if found.answer and not shown:
        view.out.block(found.answer)
    if found.answer:
        view.out.line()
    _rest(view, found)


def _at_the_end(found: Thought, *, shown: bool) -> Iterator[str]:
    for off in found.off:
        yield f"Searched without {off}."
    if found.problem:
        yield f"{'Check the answer' if found.synthesized else 'No answer'}: {found.problem}."
    if found.dropped:
        removed = "" if shown else " (removed)"
        yield f"It cites ids that are not among the sources{removed}: {', '.join(found.dropped)}."


def _rest(view: View, found: Thought) -> None:
    """Print the gaps and sources of an answer."""
    for gap in found.gaps:
        view.out.line(Ink("gap  ", "bad"), short(gap, WIDTH - 5))
    for source in found.sources:
        about = f"  {source.score:.3f} · {source.document.tier} · "
        view.out.line(
            Ink(f"[{source.label}]", "strong"), Ink(about, "faint"),
            short(source.document.called, WIDTH - len(about) - 8),
        )  # fmt: skip
        for row in flow(source.snippet, (), WIDTH - 4, 2):
            view.out.line("    ", *row)


EXPLAIN = click.Option(["--explain"], is_flag=True, help="Show every part of every score.")

RENDERERS = {
    "recall": Renderer(recalled, (EXPLAIN, find.PLAIN)),
    "expert": Renderer(warnings=lambda found: [found.warning] if found.warning else []),
    "think": Renderer(run=thinking),
}
