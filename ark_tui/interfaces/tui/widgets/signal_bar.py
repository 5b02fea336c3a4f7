"""A score as a bar of three parts: words, meaning and context, each with its character and color."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.domain.hits import Hit, SignalInfo

EIGHTHS = " ▏▎▍▌▋▊▉█"


THIRDS = {"words": "━", "meaning": "═", "structure": "┅"}
"""The parts of a bar. Their characters distinguish them without color."""

OF = {"words": "words", "meaning": "meaning", "model": "meaning"}
"""The part of a signal family; all others belong to context."""


def info_of(infos: Mapping[str, SignalInfo], name: str) -> SignalInfo:
    """The description of a signal. An unknown one shows the first letter of its name."""
    if name in infos:
        return infos[name]
    from ark_tui.domain.hits import SignalInfo

    return SignalInfo(name, name[:1] or "?", "model", "")


def bands(hit: Hit, infos: Mapping[str, SignalInfo], best: float, width: int) -> list[tuple[str, str]]:
    """A hit's score as three bands with their families. The best score fills the width."""
    scale = prod(multiplier.value for multiplier in hit.multipliers) * width / best if best > 0 else 0.0
    shares = dict.fromkeys(THIRDS, 0.0)
    for part in hit.parts:
        shares[OF.get(info_of(infos, part.name).family, "structure")] += max(0.0, part.contribution) * scale
    ends = [round(reached) for reached in accumulate(shares.values(), initial=0.0)]
    return [
        (sign * (min(end, width) - min(start, width)), family)
        for (family, sign), (start, end) in zip(THIRDS.items(), pairwise(ends), strict=True)
    ]


def solid(share: float, width: int) -> str:
    """A bar of `share` (0…1) of the width in eighths of a cell, padded with spaces."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    whole, rest = divmod(eighths, 8)
    bar = "█" * whole + (EIGHTHS[rest] if rest else "")
    if share > 0 and not bar:
        bar = EIGHTHS[1]
    return bar.ljust(width)
