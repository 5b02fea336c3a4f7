"""A score as a bar: one stretch per signal, its letter first, in the colour of its family."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from rich.style import Style

if TYPE_CHECKING:
    from ark_tui.domain.hits import Hit, SignalInfo
    from ark_tui.interfaces.tui.widgets.ink import Piece

BLOCK = "━"
EIGHTHS = " ▏▎▍▌▋▊▉█"

Paint = Callable[[str], Style]
"""From the name of a family to its style."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The share of one signal in a bar, in cells."""

    info: SignalInfo
    cells: int


def info_of(infos: Mapping[str, SignalInfo], name: str) -> SignalInfo:
    """What is known of a signal; one that nobody knows shows the first letter of its name."""
    if name in infos:
        return infos[name]
    from ark_tui.domain.hits import SignalInfo

    return SignalInfo(name, name[:1] or "?", "model", "")


def stretches(hit: Hit, infos: Mapping[str, SignalInfo], best: float, width: int) -> list[Stretch]:
    """A hit's signals within `width` cells, where a hit of score `best` fills them all.

    Whatever contributes has at least its letter. The ends of the stretches are rounded, not their lengths, so
    that rounding does not add up.
    """
    scale = prod(multiplier.value for multiplier in hit.multipliers) * width / best if best > 0 else 0.0
    parts = [part for part in hit.parts if part.contribution > 0][:width]
    found: list[Stretch] = []
    used, reached = 0, 0.0
    for i, part in enumerate(parts):
        reached += part.contribution * scale
        end = max(used + 1, min(round(reached), width - (len(parts) - i - 1)))
        found.append(Stretch(info_of(infos, part.name), end - used))
        used = end
    return found


def pieces(bar: Sequence[Stretch], paint: Paint) -> list[Piece]:
    """The bar in letters and blocks, one piece per signal."""
    bold = Style(bold=True)
    return [(one.info.letter + BLOCK * (one.cells - 1), paint(one.info.family) + bold) for one in bar]


def solid(share: float, width: int) -> str:
    """A bar of `share` (0…1) of the width, to an eighth of a cell, filled up with spaces."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    whole, rest = divmod(eighths, 8)
    bar = "█" * whole + (EIGHTHS[rest] if rest else "")
    if share > 0 and not bar:
        bar = EIGHTHS[1]
    return bar.ljust(width)
