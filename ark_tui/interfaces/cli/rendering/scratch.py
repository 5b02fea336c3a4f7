"""The scratchpad as lines."""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.domain.memory import ScratchPast, ScratchValue
from ark_tui.interfaces.cli.layout import fit, short
from ark_tui.interfaces.cli.output import WIDTH, Ink
from ark_tui.interfaces.cli.rendering import Lines, Renderer, View, each

KEY = 20  # cells


def _kept(_: View, one: ScratchValue) -> Lines:
    """Under which key, and as which version."""
    yield Ink(one.key, "strong"), Ink(f"  version {one.version}", "faint")


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


def _in_a_list(view: View, one: ScratchValue) -> Lines:
    whose = view.whose(one.scope, after="  ")
    text = short(one.value, max(WIDTH - KEY - 2 - len(whose), 10))
    yield Ink(whose, "faint"), Ink(fit(one.key, KEY), "strong"), "  ", text


def deleted(view: View, values: Sequence[ScratchValue]) -> None:
    """How to bring it back."""
    for one in values:
        view.say.notice(f"Deleted; to bring it back: ark-tui scratch restore {one.key}")


RENDERERS = {
    "scratch set": each(_kept),
    "scratch get": Renderer(value),
    "scratch list": each(_in_a_list, "The scratchpad of {scope} is empty: ark-tui scratch set KEY VALUE"),
    "scratch delete": Renderer(deleted),
    "scratch restore": Renderer(value),
}
