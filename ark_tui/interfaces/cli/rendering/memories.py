"""Prints contexts: the text, and on request the factors of every score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from ark_tui.domain.knowledge import Context
from ark_tui.domain.recall import Remembered
from ark_tui.interfaces.cli.output import WIDTH, Ink, fit, short
from ark_tui.interfaces.cli.rendering import Renderer, View


def context(view: View, found: Sequence[Context]) -> None:
    """Print the text of a context, and on request every factor of every score."""
    (one,) = found
    view.out.block(one.text)
    if view.options["explain"]:
        _explain(view, one)
    for notice in _notices(one):
        view.say.notice(notice)


def _explain(view: View, found: Context) -> None:
    view.out.line()
    head = "          kind       score = similarity × recency × confidence"
    view.out.line(Ink(head, "faint"))
    for item in found.items:
        view.out.line(
            Ink(f"{item.label:<8}  ", "strong"), fit(item.kind, 10), f"{item.score:>6.3f}  ",
            f"{item.similarity:>9.3f}   {item.recency:>6.3f}   {item.confidence:>8.3f}  ",
            Ink(short(item.document.title, WIDTH - 60), "faint"),
        )  # fmt: skip


def _notices(found: Context) -> Iterator[str]:
    yield f"{found.tokens} of {found.budget} tokens · retrieval {found.retrieval_id}"
    if found.left_out:
        yield f"{found.left_out} more did not fit; give a larger --budget."
    if found.masked:
        yield f"{found.masked} secrets are masked."
    yield from found.notices


def _unindexed(found: Remembered) -> Iterator[str]:
    """A notice if the text is not indexed yet."""
    if found.problem:
        yield f"It is stored, but not indexed yet: {found.problem}"


EXPLAIN = click.Option(["--explain"], is_flag=True, help="List every factor of every score after the text.")

RENDERERS = {
    "context": Renderer(context, options=(EXPLAIN,)),
    "remember": Renderer(remarks=_unindexed),
}
