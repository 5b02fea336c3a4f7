"""Whether the places that a claim rests on hold it: its numbers, its names and its negations.

No model is asked: what is checked can be seen in the text. Names are words with capitals, signs or a hyphen,
code, rare words, and what stands where another word was said. A claim that is worded anew passes; one with
another number, another name, or the other way round does not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise

from ark_tui.embedding import static
from ark_tui.index.words import analysis, terms

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
WORD = re.compile(r"[^\W_][\w'’.+#/-]*[\w+#]|[^\W_]")
SIGN = re.compile(r"[A-Z_]|\w[./+#]\w|\d")  # within a word: it is an identifier, a file, a version
CLAUSE = re.compile(
    r"(?<=[.!?,;:])\s+|\n+|\s[–—-]\s"
    r"|\s(?=(?:because|since|while|although|though|weil|denn|obwohl|während)\s)"
)
AND = re.compile(r"\s(?:and|but|und|aber)\s")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


DIGITS = """
zero null, one eins, two zwei twice zweimal, three third drei dreimal, four fourth vier, five fifth fünf,
six sixth sechs, seven seventh sieben, eight eighth acht, nine ninth neun, ten tenth zehn, eleven elf,
twelve dozen zwölf, thirteen dreizehn, fourteen vierzehn, fifteen fünfzehn, sixteen sechzehn,
seventeen siebzehn, eighteen achtzehn, nineteen neunzehn
"""
TENS = """
twenty zwanzig, thirty dreißig, forty vierzig, fifty fünfzig, sixty sechzig, seventy siebzig, eighty achtzig,
ninety neunzig
"""
UNITS, TIMES = (
    {word: first + step * place for place, words in enumerate(listed.split(",")) for word in words.split()}
    for listed, first, step in ((DIGITS, 0, 1), (TENS, 20, 10))
)
LARGE = {
    "hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000, "million": 10**6, "millionen": 10**6,
}  # fmt: skip
NOT = _set("""
no not never none nothing nobody neither without cannot unless except avoid forget forbidden refrain
nicht nie niemals kein nichts niemand ohne weder außer ausser vermeiden vergessen verboten
""")
SAME = {
    **{f"kein{end}": "kein" for end in ("e", "en", "em", "er", "es")},
    **{f"avoid{end}": "avoid" for end in ("s", "ed", "ing")},
    "nor": "neither", "forgot": "forget", "forgotten": "forget", "forbid": "forbidden",
    "prohibited": "forbidden", "vermeide": "vermeiden", "vermeidet": "vermeiden", "vergiss": "vergessen",
}  # fmt: skip
"""Other forms of these."""

LANGUAGES = ("de",)  # besides English
FEW = 3  # letters of a first word that may be a name
SHORTEST = 5  # letters from which on a piece of the vocabulary is a word, and seldom the beginning of one
CODE = re.compile(r"`([^`\n]+)`")
INFLECTED = {
    "en": re.compile(r"(?:s|ed|en|ing|ly)$"),
    "de": re.compile(r"(?:t|e|en|er|te|es|em|ig|lich|isch|bar|los|sam|hin|mal|s)$"),
}
"""What is done or how, mostly: a claim may word that anew."""
PLACED = _set("""
a an the with without via by from to on in at of for into over through under as than and or
der die das den dem des ein eine einen einem einer mit ohne per über von vom aus auf in im an am bei zu zum
für durch als und oder
""")  # before words that name a thing
ACTING = _set("""
is are was were has have had does do did will would can could may might must shall should and or not never
also always who ist sind war waren hat haben hatte wird werden wurde kann können darf dürfen muss müssen soll
sollen will wollen und oder nicht
""")  # behind whom a sentence is about
COMMON = _set("""
a an the this that these those it its he she they we you i if when while where what who how why in on at by
for from to of with and or but as is are was were be been do does did has have had can could should would will
may must use set run add put make take keep give get let try check always never no not each every all some one
two three there then than so after before until since because also only user users nutzer benutzer someone
people again instead still yet now here too just even ever often
""")


def problems(claim: str, spans: Sequence[str]) -> tuple[str, ...]:
    """What of a claim its spans do not hold, a sentence for each; empty where they hold all of it."""
    rested = "\n".join(spans)
    if not rested.strip():
        return ("it rests on nothing that was said",)
    found = []
    if missing := sorted(_numbers(claim) - _numbers(rested)):
        found.append(f"not said: {', '.join(missing)}")
    if strange := [*_strange(claim, rested), *_swapped(claim, rested)]:
        unique = {name.casefold(): name for name in reversed(strange)}
        found.append(f"not named: {', '.join(reversed(unique.values()))}")
    if turned := [clause for clause in _clauses(claim) if _turned(clause, _clauses(rested))]:
        found.append(f"said the other way round: {turned[0][:80]}")
    return tuple(found)


def alike(one: str, other: str) -> float:
    """The share of words that two claims have in common, 0…1; 0 where numbers or negations differ."""
    return overlap(one, other) if _turn(one) == _turn(other) else 0.0


def overlap(one: str, other: str) -> float:
    """The Jaccard of the stems of two texts."""
    first, second = _stems(one), _stems(other)
    return len(first & second) / len(first | second) if first | second else 0.0


@lru_cache(1 << 14)
def _stems(text: str) -> frozenset[str]:
    return frozenset(terms.read(text, languages=LANGUAGES).stems)


@lru_cache(1 << 14)
def _forms(text: str) -> frozenset[str]:
    """The words of a text, and their stems, also those in other languages."""
    words = terms.words(text)
    return _stems(text).union(
        map(str.casefold, WORD.findall(text)),
        (terms.stem(word, code) for word in words for code in LANGUAGES),
    )


@lru_cache(1 << 14)
def _turn(text: str) -> tuple[frozenset[str], bool]:
    """What makes another claim of the same words: the numbers, and whether it denies."""
    return frozenset(_numbers(text)), _denies(text)


def _numbers(text: str) -> set[str]:
    """The numbers of a text, in digits: `1,200` is 1200, `four` is 4."""
    found = {_plain(number.replace(",", "")) for number in NUMBER.findall(text)}
    return found | {str(number) for number in _in_words(re.findall(r"\w+", text.lower()))}


def _in_words(words: Iterable[str]) -> Iterator[int]:
    """Numbers that are written out: `twenty-five`, `two hundred and fifty`, `fünfundzwanzig`."""
    whole, open_ = 0, False
    for word in (*words, ""):
        value = _value(word)
        if open_ and word in LARGE:
            whole = whole // 1000 * 1000 + max(whole % 1000, 1) * LARGE[word]
        elif open_ and value and whole % 10 ** len(str(value)) == 0 and whole:
            whole += value
        elif not (open_ and word == "and"):
            if open_:
                yield whole
            open_ = value is not None or word in LARGE
            whole = LARGE.get(word, value or 0)


def _value(word: str) -> int | None:
    """Of a word below a hundred."""
    unit, und, ten = word.partition("und")
    if und and ten in TIMES:
        return TIMES[ten] + UNITS.get({"ein": "eins"}.get(unit, unit), 0)
    return UNITS.get(word, TIMES.get(word))


def _plain(number: str) -> str:
    """Without zeros behind the point that say nothing."""
    whole, point, rest = number.partition(".")
    return number if not point or "." in rest or ":" in number else f"{whole}.{rest.rstrip('0')}".rstrip(".")


def _strange(claim: str, rested: str) -> Iterator[str]:
    """Names in a claim that were not said, and code in it, word by word."""
    said, forms = rested.casefold(), _forms(rested)
    for name in _names(claim):
        signed = SIGN.search(name[1:])
        parts = [name] if signed else [part for part in name.split("-") if not _function(part)]
        if (signed or any(_new(part, forms) for part in parts)) and name.casefold() not in said:
            yield name
    inflected = INFLECTED[_language(claim)]
    yield from (word for word in WORD.findall(claim) if _rare(word, inflected) and _new(word, forms))
    for code in CODE.findall(claim.casefold()):
        yield from (word for word in code.split() if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said))


def _new(word: str, forms: AbstractSet[str]) -> bool:
    """Whether a word is none of these, whatever its ending."""
    return not _forms(word) & forms


def _rare(word: str, inflected: re.Pattern[str]) -> bool:
    """Whether a word in lower case is none that texts often have: `kafka`, `kubectl`."""
    plain = word.isascii() and word.isalpha() and word.islower() and not inflected.search(word)
    if not plain or _function(word) or not static.available():
        return False
    return len(static.pieces().of_word(word)) > 1


def _swapped(claim: str, rested: str) -> Iterator[str]:
    """Words of a claim that stand where another one was said: `with npm` where it was `with pip`.

    Only where that other one has no place elsewhere in the claim. What is done may be worded anew, so behind
    anything but an article or a preposition a word that is inflected does not count.
    """
    said, own, spoken = _forms(rested), _forms(claim), defaultdict[str, set[str]](set)
    inflected = INFLECTED[_language(claim)]
    for clause in _clauses(rested):
        for left, word in _pairs(clause):
            if _new(word, own) and not _function(word):
                spoken[left].add(word)
    for clause in _clauses(claim):
        for left, word in _pairs(clause):
            new = spoken.get(left) and _new(word, said) and not _function(word)
            if new and (left in PLACED or not inflected.search(word)):
                yield word


def _pairs(clause: str) -> list[tuple[str, str]]:
    """The words of a clause without their endings, each with the word behind it."""
    words = [word.casefold().strip(".'’-/") for word in WORD.findall(clause)]
    return [(left if left in PLACED else terms.stem(left), word) for left, word in pairwise(words)]


@lru_cache(1 << 14)
def _function(word: str) -> bool:
    """Whether a word says nothing by itself, or says a number or a negation, which are looked at apart."""
    plain = word.casefold()
    return (
        plain in COMMON
        or plain in NOT
        or plain in SAME
        or _value(plain) is not None
        or NUMBER.fullmatch(plain) is not None
        or (plain.isalpha() and any(analysis.function_words([plain], code) for code in ("en", *LANGUAGES)))
    )


def _language(text: str) -> str:
    """The one of which a text has the most function words; of equals English."""
    words = terms.words(text)
    return max(("en", *LANGUAGES), key=lambda code: len(analysis.function_words(words, code)))


def _subject(word: str, behind: str) -> bool:
    """Whether the first word of a clause names who or what it is about, and not what is to be done."""
    if word.endswith("ing") or behind.casefold() in PLACED:
        return False
    return not behind or behind.casefold() in ACTING or not _plain_word(word)


def _plain_word(word: str) -> bool:
    """Whether texts have a capitalised word more often without its capital: `Ensure`, and not `Peter`."""
    if len(word) < SHORTEST or not (word.isascii() and word.isalpha() and static.available()):
        return False
    small, own = (static.pieces().of_word(one) for one in (word.lower(), word))
    return len(small) == 1 and (len(own) > 1 or small < own)


def _names(text: str) -> list[str]:
    """Words of a claim that name something: capitalised, or with signs, capitals or a hyphen inside."""
    found = []
    for clause in _clauses(text):
        words = WORD.findall(clause)
        for place, (word, behind) in enumerate(zip(words, (*words[1:], ""), strict=False)):
            plain = word.strip(".'’-/")
            if not plain or _function(plain):
                continue
            capital = plain[0].isupper() and (place or (len(plain) >= FEW and _subject(plain, behind)))
            if SIGN.search(plain[1:]) or capital or "-" in plain:
                found.append(plain.removesuffix("'s").removesuffix("’s"))
    return found


def _clauses(text: str) -> list[str]:
    return [one for one in CLAUSE.split(text) if one.strip()]


def _turned(clause: str, said: Sequence[str]) -> bool:
    """Whether what is nearest to a clause, of what was said, denies it, or does not deny what it denies."""
    stems = _about(clause)
    near = [(len(stems & _about(one)), one) for one in said]
    most = max((count for count, _ in near), default=0)
    best = [part for count, one in near if count == most for part in _narrowed(one, stems, most)]
    return most > 0 and all(_denies(one) != _denies(clause) for one in best)


def _narrowed(clause: str, stems: AbstractSet[str], most: int) -> list[str]:
    """The parts of a clause that have by themselves what it has of the stems; itself where none does."""
    return [one for one in AND.split(clause) if len(stems & _about(one)) == most] or [clause]


def _about(clause: str) -> set[str]:
    return {stem for stem in _stems(clause) if stem not in NOT}


def _denies(text: str) -> bool:
    words = re.findall(r"[\w’']+", text.casefold().replace("’", "'"))
    said = {"not" if word.endswith("n't") else SAME.get(word, word) for word in words}
    return bool(len(said & NOT) % 2)
