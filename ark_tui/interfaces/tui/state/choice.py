"""Choices of a picker, palette or completion, and fuzzy matching of typed text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import nlargest
from typing import NamedTuple, TypeVar

Thing = TypeVar("Thing")

WHOLE = 2.0  # score of a word that is a substring of the name, relative to a similar one
BEGINS = 0.5  # bonus if it begins a word
LIKE = 85  # minimum similarity to a part of the name in percent
SKIPPED = 0.5  # score of letters that occur in order in a word of the name


class Choice(NamedTuple):
    """A choice: a label, and details at the right."""

    label: str
    about: str = ""
    name: str = ""  # the value; without one it cannot be chosen
    preview: str = ""
    state: str = ""  # its state, shown before `about`
    group: str = ""  # its heading in the unfiltered list


def closeness(typed: str, name: str) -> float:
    """The score of a name for a typed text; 0 if one of the words does not match.

    A word matches as a substring, as a similar part (a typing error), or if a word of the name contains its
    letters in order: `fdl np` matches `fiedler-numpy.md`. Shorter names score higher.
    """
    text = name.casefold()
    parts = [_word(word, text) for word in typed.casefold().split()]
    return sum(parts) + 1 / (2 + len(text)) if all(parts) else 0.0


def best(things: Iterable[Thing], score: Callable[[Thing], float], most: int) -> list[Thing]:
    """The items with a score above 0, best first; ties keep their order."""
    scored = ((score(one), -place, one) for place, one in enumerate(things))
    fitting = (one for one in scored if one[0] > 0)
    return [one for _, _, one in nlargest(most, fitting, key=lambda one: one[:2])]


def _word(word: str, text: str) -> float:
    from rapidfuzz import fuzz
    from rapidfuzz.distance import LCSseq

    at = text.find(word)
    if at >= 0:
        return WHOLE + BEGINS * (at == 0 or not text[at - 1].isalnum())
    like = fuzz.partial_ratio(word, text, score_cutoff=LIKE) / 100 if len(word) > 4 else 0.0
    names = ("".join(sign if sign.isalnum() else " " for sign in text)).split()
    in_order = (
        SKIPPED * (1 + len(word) / len(one))
        for one in names
        if one[0] == word[0] and LCSseq.similarity(word, one) == len(word)
    )
    return max(like, *in_order, 0.0)
