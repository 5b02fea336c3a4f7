"""Detection of names in a query, and the profile weights for such queries.

For a person, a place or a product, word matches are more reliable than transformer embeddings: with
`all-MiniLM-L6-v2` the cosine improves results for questions without names and worsens those with names.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ark_tui.domain.profile import Profile

_WORD = re.compile(r"\w+")
_BEGINS = re.compile(r"(^|[.?!:])\W*$")  # the text before the first word of a sentence
GERMAN = """
aber auf aus bei bis das dem der des ein eine einem einen einer es für ich ihr ist kann man mein meine mit
nach nicht oder sich sie sind über und vom von wann warum welche welchen welcher welches wenn wer wie wird
wir zu zum zur
"""
"""Common German words. German capitalizes every noun, so capitals do not indicate names there."""

_GERMAN = frozenset(GERMAN.split())


def names(text: str) -> list[str]:
    """The words of a query written like names: inside a sentence, a capital and then lowercase letters."""
    words = list(_WORD.finditer(text))
    if any(word[0].lower() in _GERMAN for word in words):
        return []
    return [word[0] for word in words if _named(word[0]) and not _BEGINS.search(text[: word.start()])]


def weighed(profile: Profile, text: str) -> Profile:
    """The profile with the weights of its table `named` if the query contains a name."""
    if not profile.named or not names(text):
        return profile
    return replace(profile, weights={**profile.weights, **profile.named})


def _named(word: str) -> bool:
    return word[:1].isupper() and word[1:].islower()
