"""Whether the quotes of a claim contain its numbers, names and negations (M17).

Nothing else is checked: the reviewer decides whether a claim is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ark_tui.index.words import terms

NUMBER = re.compile(r"(\d+(?:[.,:]\d+)*)(k\b)?")
WORD = re.compile(r"[^\W_](?:[\w'’./-]*\w)?")
NAME = re.compile(r".*[A-ZÄÖÜ_\d].*|.+[./-].+")
WORDS = {
    word: str(number)
    for number, some in enumerate(
        (
            "zero null", "", "two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben",
            "eight acht", "nine neun", "ten zehn", "eleven elf", "twelve zwölf",
        )
    )
    for word in some.split()
}  # fmt: skip
"""Numbers in words, without "one", which is often not a number."""

SENTENCE = re.compile(r"[^.!?\n]*\w[^.!?\n]*(?:[.!?](?=\S)[^.!?\n]*)*")

ARTICLES = frozenset(["der", "die", "das", "den", "dem", "ein", "eine", "für", "mit", "bei", "wenn", "ohne"])

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|nobody|nothing|cannot|avoid|nicht|nie|niemals|ohne|weder|nichts"
    r"|kein(?:e|en|em|er|es)?|vermeide)\b|n['’]t\b",
    re.IGNORECASE,
)


def problems(claim: str, quotes: Sequence[str]) -> tuple[str, ...]:
    """What a claim says and its quotes do not, a sentence for each; empty if they support all of it."""
    quoted = "\n".join(quotes)
    if not quoted.strip():
        return ("it has no source in the messages",)
    found = []
    if missing := sorted(numbers(claim) - numbers(quoted)):
        found.append(f"not said: {', '.join(missing)}")
    if strange := list(dict.fromkeys(_unnamed(claim, quoted))):
        found.append(f"not named: {', '.join(strange)}")
    if denies(claim) != denies(quoted) and (denies(claim) or len(SENTENCE.findall(quoted)) == 1):
        found.append("said the other way round: only one of claim and quote has a negation")
    return tuple(found)


def numbers(text: str) -> frozenset[str]:
    """The numbers of a text in digits: `1,200` is 1200, `four` is 4, `07:30` is 7:30."""
    written = {WORDS[word] for word in re.findall(r"\w+", text.lower()) if word in WORDS}
    found = {f"{_plain(one)}000" if kilo else _plain(one) for one, kilo in NUMBER.findall(text)}
    return frozenset(written | found)


def denies(text: str) -> bool:
    """Whether a text has a word that negates."""
    return NEGATION.search(text) is not None


def alike(one: str, other: str) -> float:
    """The share of common words of two claims, 0…1; 0 if numbers or negation differ."""
    same = numbers(one) == numbers(other) and denies(one) == denies(other)
    return overlap(one, other) if same else 0.0


def overlap(one: str, other: str) -> float:
    """The Jaccard index of the stems of two texts, without stop words."""
    first, second = _stems(one), _stems(other)
    return len(first & second) / len(first | second) if first | second else 0.0


def _plain(number: str) -> str:
    if re.fullmatch(r"\d{1,3}(,\d{3})+", number):
        return number.replace(",", "")
    whole, separator, rest = number.partition(":")
    if separator:
        return f"{int(whole)}:{rest}" if rest.strip("0") else str(int(whole))
    number = number.replace(",", ".")
    return number.rstrip("0").rstrip(".") if number.count(".") == 1 else number


def _unnamed(claim: str, quoted: str) -> Iterator[str]:
    """The names of a claim that are not in its quotes: words with a capital, a digit, a dot or a dash.

    Stop words and words whose stem is in the quotes do not count.
    """
    there = quoted.casefold()
    stems = _stems(quoted)
    for match in WORD.finditer(claim):
        word = match[0]
        low = word.casefold()
        if (
            not NAME.fullmatch(word)
            or low in terms.STOP_WORDS | ARTICLES
            or low in there
            or NUMBER.fullmatch(word)
        ):
            continue
        parts = [part for part in re.split(r"[./'’_-]+", low) if len(part) > 1]
        if not all(terms.stem(part) in stems or part in there for part in parts):
            yield word


def _stems(text: str) -> frozenset[str]:
    return frozenset(terms.stem(word) for word in terms.words(text.lower()) if word not in terms.STOP_WORDS)
