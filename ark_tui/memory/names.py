"""What a claim names: words with capitals or signs, rare words, code, and words in another's place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise

from ark_tui.embedding import static
from ark_tui.index.words import terms
from ark_tui.memory.denials import MAY, UNLIKE, clauses, side_of
from ark_tui.memory.quantities import is_number
from ark_tui.memory.vocabulary import (
    ACTING,
    INFLECTED,
    SEASONS,
    WORD,
    also_called,
    forms,
    is_function,
    is_new,
    language,
    weight,
    words_of,
)

SIGN = re.compile(r"[A-Z_]|\w[./+#]\w|\d")  # within a word: it is an identifier, a file, a version
CODE = re.compile(r"`([^`\n]+)`")
MARKED = re.compile(r"(?<!\w)(?:--|[#@])\w[\w-]*|\w+\(")  # an option, a channel, a call
FEW = 3  # letters of a first word that may be a name
SHORTEST = 5  # letters from which on a piece of the vocabulary is a word, and seldom the beginning of one
LIGHT, HEAVY, NAME = 12.0, 17.5, 20.0
"""Weights: below the first a word names nothing, from the second on it does wherever it stands, and from the
third on whatever its ending."""
PLACED = words_of("""
a an the with without via by from to on in at of for into over through under as than and or
der die das den dem des ein eine einen einem einer mit ohne per über von vom aus auf in im an am bei zu zum
für durch als und oder
""")  # before words that name a thing
LOOSE = words_of("to and or than as und oder als zu")  # before what is done as well
ARTICLES = words_of(
    "der die das den dem des ein eine einen einem einer kein keine keinen im am zum zur beim vom"
)
_ARTICLE = dict.fromkeys(words_of("a an the der die das den dem des ein eine einen einem einer"), "the")


def unsaid(claim: str, rested: str) -> list[str]:
    """The names in a claim that were not said, each once."""
    held = forms(rested) | _initials(claim, rested)
    found = {
        name.casefold(): name
        for name in reversed([*_strange(claim, rested, held), *_swapped(claim, rested, held)])
    }
    return [*reversed(found.values())]


def _initials(claim: str, rested: str) -> set[str]:
    """Words of a claim that were said as their initials (`LB`), and initials of what was said."""
    own, said = (re.findall(r"\w+", text.replace("_", " ")) for text in (claim, rested))
    found = set[str]()
    for short, long, of_claim in ((said, own, True), (own, said, False)):
        first = "".join(word[0].casefold() for word in long)
        capitals = {one.removesuffix("s") for one in short if one.removesuffix("s").isupper()}
        for word in {one for one in capitals if one.isalpha() and 2 <= len(one) <= 5}:
            at = first.find(word.casefold())
            if at >= 0 and (of_claim or len(word) > 2):
                found.update(one.casefold() for one in (long[at : at + len(word)] if of_claim else [word]))
    return found


def _strange(claim: str, rested: str, held: AbstractSet[str]) -> Iterator[str]:
    """Names in a claim that were not said, and code in it, word by word."""
    said = rested.casefold()
    plain = re.sub(r"[\s_-]", "", said)
    for name in _names(claim):
        several = name.split("-")
        signed = any(SIGN.search(one[1:]) for one in several if len(several) == 1 or not one.isupper())
        whole = name.casefold()
        parts = [name] if signed else [part for part in several if not _says_nothing(part)]
        new = signed or any(is_new(part, held) for part in parts)
        bare = re.sub(r"[\s_-]", "", whole)
        other = {whole, bare, also_called(whole), *(forms(bare) if bare.isalpha() else ())}
        if new and whole not in said and not other & held and not (len(bare) >= SHORTEST and bare in plain):
            yield name
    heavy = LIGHT if any(weight(word) >= NAME for word in _plain(rested, forms(claim))) else HEAVY
    yield from (word for word in _plain(claim, held) if weight(word) >= heavy)
    yield from (word for word in MARKED.findall(claim.casefold()) if word not in said)
    yield from {"May"} & {*WORD.findall(claim[1:])} - {*WORD.findall(rested)}  # else a function word
    for code in CODE.findall(claim.casefold()):
        yield from (word for word in code.split() if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said))


def _plain(text: str, other: AbstractSet[str]) -> Iterator[str]:
    """The words of a text in lower case that another one does not have, but for what is done or how."""
    inflected = INFLECTED[language(text)]
    for word in WORD.findall(text):
        plain = word.isascii() and word.isalpha() and word.islower()
        own = plain and (not inflected.search(word) or NAME <= weight(word) < float("inf"))
        if (own or word in SEASONS) and not _says_nothing(word) and is_new(word, other):
            yield word


def _swapped(claim: str, rested: str, held: AbstractSet[str]) -> Iterator[str]:
    """Words of a claim that stand where another one was said: `with npm` where it was `with pip`.

    Only where that other one has no place elsewhere in the claim. What is done may be worded anew, so behind
    anything but an article or a preposition a word that is inflected does not count.
    """
    own, spoken = forms(claim), defaultdict[str, set[str]](set)
    inflected = INFLECTED[language(claim)]
    for clause in clauses(rested):
        for left, word in _pairs(clause):
            if is_new(word, own) and not is_function(word):
                spoken[left].add(word)
    for clause in clauses(claim):
        for left, word in _pairs(clause):
            new = (
                spoken.get(left) and weight(word) >= LIGHT and is_new(word, held) and not _says_nothing(word)
            )
            if new and (
                left in PLACED - LOOSE
                or (is_number(left) and word.endswith("s"))
                or not inflected.search(word)
            ):
                yield word


def _pairs(clause: str) -> list[tuple[str, str]]:
    """The words of a clause without their endings, each with the word behind it."""
    words = [re.sub(r"['’]s$", "", word.casefold()).strip(".'’-/") for word in WORD.findall(clause)]
    return [
        (_ARTICLE.get(left) or (left if left in PLACED else terms.stem(left)), word)
        for left, word in pairwise(words)
    ]


def _says_nothing(word: str) -> bool:
    """Whether a word names nothing, or is looked at elsewhere."""
    plain = word.casefold()
    return bool(
        is_function(plain) or is_number(plain) or plain in MAY or side_of(plain) or UNLIKE.match(plain)
    )


def _subject(word: str, behind: str) -> bool:
    """Whether the first word of a clause names who or what it is about, and not what is to be done."""
    if word.endswith("ing") or (word.endswith("s") and _plain_word(word)) or behind.casefold() in PLACED:
        return False
    return not behind or behind.casefold() in ACTING or not _plain_word(word)


def _plain_word(word: str) -> bool:
    """Whether texts have a capitalised word more often without its capital: `Ensure`, and not `Peter`."""
    if not (word.isascii() and word.isalpha() and static.available()) or weight(word.lower()) >= HEAVY:
        return False
    small, own = (static.of_word(one) for one in (word.lower(), word))
    return len(small) == 1 and (len(own) > 1 or (len(word) >= SHORTEST and small < own))


def _names(text: str) -> list[str]:
    """Words of a claim that name something: capitalised, or with signs, capitals or a hyphen inside."""
    found, german = [], language(text) == "de"
    for clause in clauses(text):
        words = WORD.findall(clause)
        for place, (word, behind) in enumerate(zip(words, (*words[1:], ""), strict=False)):
            plain = word.strip(".'’-/")
            shouted = plain.isupper() and plain.isalpha() and not is_function(plain)
            if not plain or (_says_nothing(plain) and not shouted):
                continue
            capital = plain[0].isupper() and (place or (len(plain) >= FEW and _subject(plain, behind)))
            if german and place and words[place - 1].casefold() in ARTICLES and weight(plain) < LIGHT:
                capital = False
            if SIGN.search(plain[1:]) or capital or "-" in plain:
                found.append(plain.removesuffix("'s").removesuffix("’s"))
    return found
