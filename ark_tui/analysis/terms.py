"""The words that distinguish a group of texts from others, or a text from the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log

from ark_tui.index.words import analysis, terms

LONG = 3  # least letters of a term; scripts without spaces use pairs of characters
SHARED = 2  # texts of a group that must contain a term, if there is any such term


def counted(text: str) -> Counter[str]:
    """The candidate terms of a text with their counts, lowercased."""
    found = Counter(
        word
        for word in terms.words(analysis.SPACELESS.sub(" ", text))
        if len(word) >= LONG and word not in terms.STOP_WORDS and not word[0].isdigit()
    )
    found.update(pair for pair in terms.spaceless(text) if len(pair) > 1)
    return found


def distinguishing(groups: Sequence[Sequence[Counter[str]]], count: int) -> list[tuple[str, ...]]:
    """The terms that distinguish each group of texts from the others, highest score first.

    With p the share of the group's texts that contain the term and q the mean share over all groups, the
    score is p · ln(p/q): class-based tf-idf (Grootendorst 2022) on shares of texts, so that a long text does
    not dominate its group. Forms of the same stem are one term, shown in its most frequent form.
    """
    stemmed = [_by_stem(texts) for texts in groups]
    sums: dict[str, float] = {}
    for texts, forms in zip(groups, stemmed, strict=True):
        for stem, found in forms.items():
            sums[stem] = sums.get(stem, 0.0) + found[0] / len(texts)
    chosen = []
    for texts, forms in zip(groups, stemmed, strict=True):
        shared = {stem: found for stem, found in forms.items() if found[0] >= SHARED} or forms
        scored = [
            (-_telling(found[0] / len(texts), sums[stem] / len(groups)), found[1])
            for stem, found in shared.items()
        ]
        chosen.append(tuple(word for _, word in sorted(scored)[:count]))
    return chosen


def salient(text: Counter[str], idf: Callable[[str], float], count: int) -> tuple[str, ...]:
    """The terms of a text with the highest (1 + ln tf) × idf. `idf`: of a stem."""
    scored: dict[str, tuple[float, str]] = {}
    for word, times in text.items():
        stem = terms.stem(word)
        score = (1 + log(times)) * idf(stem)
        scored[stem] = min(scored.get(stem, (0.0, word)), (-score, word))
    return tuple(word for _, word in sorted(scored.values())[:count])


def _by_stem(texts: Iterable[Counter[str]]) -> dict[str, tuple[int, str]]:
    """The number of texts with each stem, and its most frequent form."""
    inside: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = {}
    for text in texts:
        stems = {word: terms.stem(word) for word in text}
        inside.update(set(stems.values()))
        for word, stem in stems.items():
            forms.setdefault(stem, Counter())[word] += 1
    return {
        stem: (number, min(forms[stem].items(), key=lambda form: (-form[1], form[0]))[0])
        for stem, number in inside.items()
    }


def _telling(share: float, usual: float) -> float:
    return share * log(share / usual) if usual < share else 0.0
