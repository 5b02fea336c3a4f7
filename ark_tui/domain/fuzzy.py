"""Finding one of many names by a few letters of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import nlargest
from typing import TypeVar

Thing = TypeVar("Thing")

WHOLE = 2.0  # what it counts that letters stand side by side, against those that merely follow each other
BEGINS = 0.5  # and that they begin a word
LOOSEST = 0.4  # of a stretch of text that letters must be, so as not to fit by chance


def closeness(typed: str, name: str) -> float:
    """How well letters that were typed fit a name; 0 where one of the words does not.

    Each word's letters must follow each other closely in the name, capitals or not: `fdl np` fits
    `fiedler-numpy.md`.
    A word counts by how close together its letters stand; among equals the shorter name fits better.
    """
    wanted, text = typed.casefold().split(), name.casefold()
    parts = [_word(word, text) for word in wanted]
    if not all(parts):
        return 0.0
    return sum(parts) + 1 / (2 + len(text))


def best(things: Iterable[Thing], score: Callable[[Thing], float], most: int) -> list[Thing]:
    """The things that score above 0, best first; of equals those that came first."""
    scored = ((score(one), -place, one) for place, one in enumerate(things))
    fitting = (one for one in scored if one[0] > 0)
    return [one for _, _, one in nlargest(most, fitting, key=lambda one: one[:2])]


def _word(word: str, text: str) -> float:
    at = text.find(word)
    if at >= 0:
        return WHOLE + BEGINS * (at == 0 or not text[at - 1].isalnum())
    starts = (at for at, letter in enumerate(text) if letter == word[0])
    share = max((_from(word, text, start) for start in starts), default=0.0)
    return share if share >= LOOSEST else 0.0


def _from(word: str, text: str, first: int) -> float:
    """The share that letters have of the stretch, from a place on, in which they follow each other."""
    place = first
    for letter in word[1:]:
        place = text.find(letter, place + 1)
        if place < 0:
            return 0.0
    return len(word) / (place + 1 - first)
