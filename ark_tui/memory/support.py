"""Whether the places that a claim rests on hold it: its numbers, its names and its negations.

No model is asked: what is checked can be seen in the text. A claim that is worded anew passes; one with
another number, another name, or the other way round does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from ark_tui.index.words import terms

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
WORD = re.compile(r"[^\W_][\w'’.+#/-]*[\w+#]|[^\W_]")
SIGN = re.compile(r"[A-Z_]|\w[./+#]\w|\d")  # within a word: it is an identifier, a file, a version
CLAUSE = re.compile(r"(?<=[.!?,;:])\s+|\n+|\s[–—-]\s")
AND = re.compile(r"\s(?:and|but|und|aber)\s")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


DIGITS = """
zero null, one eins, two zwei, three third drei, four fourth vier, five fifth fünf, six sixth sechs,
seven seventh sieben, eight eighth acht, nine ninth neun, ten tenth zehn, eleven elf, twelve dozen zwölf,
thirteen dreizehn, fourteen vierzehn, fifteen fünfzehn, sixteen sechzehn, seventeen siebzehn,
eighteen achtzehn, nineteen neunzehn
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
no not never none nothing nobody neither nor without cannot nicht nie niemals kein keine keinen keinem keiner
keines nichts niemand ohne weder
""")
FEW = 3  # letters of a word of which a name is not told
COMMON = _set("""
a an the this that these those it its he she they we you i if when while where what who how why in on at by
for from to of with and or but as is are was were be been do does did has have had can could should would will
may must use set run add put make take keep give get let try check always never no not each every all some one
two three there then than so after before until since because also only user users someone people der die das
ein eine wenn man es sie er wir ist sind war nicht
""")


def problems(claim: str, spans: Sequence[str]) -> tuple[str, ...]:
    """What of a claim its spans do not hold, a sentence for each; empty where they hold all of it."""
    rested = "\n".join(spans)
    if not rested.strip():
        return ("it rests on nothing that was said",)
    found = []
    if missing := sorted(_numbers(claim) - _numbers(rested)):
        found.append(f"not said: {', '.join(missing)}")
    said, stems = rested.casefold(), _stems(rested)
    if strange := [
        name
        for name in _names(claim)
        if name.casefold() not in said and (SIGN.search(name[1:]) or not _stems(name) & stems)
    ]:
        found.append(f"not named: {', '.join(dict.fromkeys(strange))}")
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
    return frozenset(terms.read(text).stems)


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


def _names(text: str) -> list[str]:
    """Words of a claim that name something: capitalised ones, and those with signs or capitals inside."""
    found = []
    for clause in _clauses(text):
        for place, word in enumerate(WORD.findall(clause)):
            plain = word.strip(".'’-/")
            if not plain or plain.casefold() in COMMON or NUMBER.fullmatch(plain):
                continue
            if SIGN.search(plain[1:]) or (plain[0].isupper() and (place or len(plain) > FEW - 1)):
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
    return bool(sum(word in NOT or word.endswith("n't") for word in words) % 2)
