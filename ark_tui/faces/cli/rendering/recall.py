"""What is known about something, as lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ark_tui.domain.documents import Document
from ark_tui.domain.recall import Bundle, Recall, Thought
from ark_tui.faces.cli.layout import fit, flow, short, short_path
from ark_tui.faces.cli.output import WIDTH, Ink, Output
from ark_tui.faces.cli.rendering import Renderer, View, find
from ark_tui.faces.cli.rendering.outcome import listed


def recalled(view: View, results: Sequence[Recall]) -> None:
    """The hits, after what each tier came to."""
    for found in results:
        for tier in found.tiers:
            if tier.problem:
                view.say.warning(f"{tier.tier} could not be searched: {tier.problem}")
        view.say.notice(", ".join(f"{one.tier} {one.found}" for one in found.tiers if not one.problem))
        find.hits(view, [found.result])


def bundle(view: View, results: Sequence[Bundle]) -> None:
    """Documents and outcomes of a domain."""
    for found in results:
        if found.warning:
            view.say.warning(found.warning)
        _documents(view.out, "wiki", found.wiki)
        _documents(view.out, "reflections", found.reflections)
        if found.prior_outcomes:
            view.out.line(Ink("prior outcomes", "faint"))
            listed(view.out, found.prior_outcomes)


def _documents(out: Output, heading: str, found: Iterable[Document]) -> None:
    for place, one in enumerate(found):
        if not place:
            out.line(Ink(heading, "faint"))
        day = one.date.isoformat() if one.date else " " * 10
        out.line(
            Ink(f"  {one.short_id}  ", "strong"), f"{day}  ", fit(one.title or one.path, 34), "  ",
            Ink(short_path(one.path, WIDTH - 59), "faint"),
        )  # fmt: skip


def thought(view: View, results: Sequence[Thought]) -> None:
    """An answer, what it leaves open, and its sources."""
    (found,) = results
    if found.problem:
        view.say.notice(f"{'Odd' if found.synthesized else 'No answer'}: {found.problem}.")
    if found.dropped:
        view.say.notice(f"It cited what is no source; taken out: {', '.join(found.dropped)}.")
    if found.answer:
        view.out.block(found.answer)
        view.out.line()
    for gap in found.gaps:
        view.out.line(Ink("gap  ", "bad"), short(gap, WIDTH - 5))
    for source in found.sources:
        about = f"  {source.score:.3f} · {source.document.tier} · "
        view.out.line(
            Ink(f"[{source.label}]", "strong"), Ink(about, "faint"),
            short(source.document.title or source.document.path, WIDTH - len(about) - 8),
        )  # fmt: skip
        for row in flow(source.snippet, (), WIDTH - 4, 2):
            view.out.line("    ", *row)


RENDERERS = {
    "recall": Renderer(recalled, (find.EXPLAIN, find.PLAIN)),
    "expert": Renderer(bundle),
    "think": Renderer(thought),
}
