"""Whether the places that a claim rests on hold it: its numbers, its names and its negations.

No model is asked: what is checked can be seen in the text. A claim that is worded anew passes; one with
another number, another name, or the other way round does not. How often that fails: decision 94.
"""

from __future__ import annotations

from collections.abc import Sequence

from ark_tui.memory import denials, names, quantities
from ark_tui.memory.vocabulary import stems


def problems(claim: str, spans: Sequence[str]) -> tuple[str, ...]:
    """What of a claim its spans do not hold, a sentence for each; empty where they hold all of it."""
    rested = "\n".join(spans)
    if not rested.strip():
        return ("it rests on nothing that was said",)
    found = []
    if missing := quantities.unsaid(claim, rested):
        found.append(f"not said: {', '.join(missing)}")
    if strange := names.unsaid(claim, rested):
        found.append(f"not named: {', '.join(strange)}")
    if turned := denials.turned(claim, rested):
        found.append(f"said the other way round: {turned[:80]}")
    return tuple(found)


def alike(one: str, other: str) -> float:
    """The share of words that two claims have in common, 0…1; 0 where numbers or negations differ."""
    same = quantities.numbers(one) == quantities.numbers(other) and denials.denies(one) == denials.denies(
        other
    )
    return overlap(one, other) if same else 0.0


def overlap(one: str, other: str) -> float:
    """The Jaccard of the stems of two texts."""
    first, second = stems(one), stems(other)
    return len(first & second) / len(first | second) if first | second else 0.0
