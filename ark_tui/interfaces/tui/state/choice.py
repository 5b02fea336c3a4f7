"""What a picker, a palette and a completion list, and which of it fits what is typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import nlargest
from typing import NamedTuple, TypeVar

Thing = TypeVar("Thing")

WHOLE = 2.0  # the score of a word that stands in the name, against one that is only like a part of it
BEGINS = 0.5  # added where it begins a word
LIKE = 85  # percent by which letters must agree with a part of the name
SKIPPED = 0.5  # the score of letters that a word of the name has in order, others between them


class Choice(NamedTuple):
    """What can be picked: a label, and something about it at the right."""

    label: str
    about: str = ""
    name: str = ""  # what it stands for; one without cannot be picked
    preview: str = ""
    state: str = ""  # what sets it apart from the others, before what is about it
    group: str = ""  # the heading it is listed below while nothing is typed


def closeness(typed: str, name: str) -> float:
    """How well letters that were typed fit a name; 0 where one of the words does not.

    A word fits where it stands in the name, where it is nearly a part of it (a typing error), or where a word
    of the name has its letters in order: `fdl np` fits `fiedler-numpy.md`. Shorter names fit better.
    """
    text = name.casefold()
    parts = [_word(word, text) for word in typed.casefold().split()]
    return sum(parts) + 1 / (2 + len(text)) if all(parts) else 0.0


def best(things: Iterable[Thing], score: Callable[[Thing], float], most: int) -> list[Thing]:
    """The things that score above 0, best first; of equals those that came first."""
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
