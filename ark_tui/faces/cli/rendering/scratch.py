"""The scratchpad as lines."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.memory import ScratchPast, ScratchValue
from ark_tui.faces.cli.layout import fit, short
from ark_tui.faces.cli.output import WIDTH, Ink
from ark_tui.faces.cli.rendering import Renderer, View
from ark_tui.operations.page import Page

KEY = 20  # cells


def kept(view: View, values: Sequence[ScratchValue]) -> None:
    """Under which key, and as which version."""
    for one in values:
        view.out.line(Ink(one.key, "strong"), Ink(f"  version {one.version}", "faint"))


def value(view: View, found: Sequence[ScratchValue | ScratchPast]) -> None:
    """A value as it is, or all that a key has been."""
    for one in found:
        if not isinstance(one, ScratchPast):
            view.out.block(one.value)
            continue
        for past in one.versions:
            about = f"{past.version:>4}  {past.moment:%Y-%m-%d %H:%M}  "
            text = Ink("deleted", "faint") if past.deleted else short(past.value, WIDTH - len(about))
            view.out.line(Ink(about, "faint"), text)


def listed(view: View, pages: Sequence[Page[ScratchValue]]) -> None:
    """A line for each key."""
    scope = view.call.scope
    if not pages[0].total:
        view.say.notice(f"The scratchpad of {scope.name} is empty: ark-tui scratch set KEY VALUE")
    for one in pages[0].items:
        whose = "" if scope.whole else f"{one.scope.name}  "
        text = short(one.value, max(WIDTH - KEY - 2 - len(whose), 10))
        view.out.line(Ink(whose, "faint"), Ink(fit(one.key, KEY), "strong"), "  ", text)


def deleted(view: View, values: Sequence[ScratchValue]) -> None:
    """How to bring it back."""
    for one in values:
        view.say.notice(f"Deleted; to bring it back: ark-tui scratch restore {one.key}")


RENDERERS = {
    "scratch set": Renderer(kept),
    "scratch get": Renderer(value),
    "scratch list": Renderer(listed),
    "scratch delete": Renderer(deleted),
    "scratch restore": Renderer(value),
}
