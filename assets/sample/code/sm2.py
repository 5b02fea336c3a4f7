"""SM-2, the 1987 scheduler of SuperMemo, as a pure function.

Grades 0..5; below 3 counts as forgotten. See memory/spaced-repetition.md.
"""
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class Card:
    repetitions: int = 0
    interval_days: int = 0
    ease: float = 2.5


def review(card: Card, grade: int) -> Card:
    if not 0 <= grade <= 5:
        raise ValueError("grade must be 0..5")
    miss = 5 - grade
    ease = max(1.3, card.ease + 0.1 - miss * (0.08 + miss * 0.02))
    if grade < 3:
        # start again; the original leaves the ease unchanged here
        return Card(0, 1, card.ease)
    n = card.repetitions + 1
    if n == 1:
        days = 1
    elif n == 2:
        days = 6
    else:
        days = ceil(card.interval_days * card.ease)
    return Card(n, days, ease)


if __name__ == "__main__":
    card = Card()
    for _ in range(5):
        card = review(card, 4)      # a 4 leaves the ease where it is
        print(card.interval_days, round(card.ease, 2))   # 1, 6, 15, 38, 95
