"""Numbers and units: what a claim has of them that was not said, in digits or in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
DIGITS = """
zero null, one eins, two zwei twice zweimal zweiten zweite, three third drei dreimal dritte dritten drittel,
four fourth vier vierte vierten, five fifth fünf fünfte fünften, six sixth sechs, seven seventh sieben, eight
eighth acht, nine ninth neun, ten tenth zehn, eleven elf, twelve dozen zwölf, thirteen dreizehn, fourteen
vierzehn, fifteen fünfzehn, sixteen sechzehn, seventeen siebzehn, eighteen achtzehn, nineteen neunzehn
"""
TENS = """
twenty zwanzig, thirty dreißig, forty vierzig, fifty fünfzig, sixty sechzig, seventy siebzig, eighty achtzig,
ninety neunzig
"""
ONES, TIMES = (
    {word: first + step * place for place, words in enumerate(listed.split(",")) for word in words.split()}
    for listed, first, step in ((DIGITS, 0, 1), (TENS, 20, 10))
)
LARGE = {
    "hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000, "million": 10**6, "millionen": 10**6,
}  # fmt: skip
SHARES = {
    **dict.fromkeys(
        ("half", "halved", "halb", "halbe", "halben", "hälfte", "halbiert"), ("½", "50", "30", "0.5")
    ),
    **dict.fromkeys(("quarter", "viertel"), ("¼", "25", "15", "0.25")),
    **dict.fromkeys(("third", "drittel"), ("3", "33")),
    **dict.fromkeys(("double", "doubled", "duplicate", "verdoppelt", "doppelt"), ("2",)),
}
"""What parts are in numbers, as themselves first."""

UNITS = """
time: ms millisecond milliseconds millisekunde millisekunden; s sec secs second seconds sekunde sekunden;
min mins minute minutes minuten; h hr hrs hour hours hourly stunde stunden stündlich;
day days daily night nightly nachts nächtlich nächtliche nächtlichen tag tage tagen täglich;
week weeks weekly woche wochen wöchentlich; month months monthly monat monate monaten monatlich;
quarter quarters quarterly q quartal quartale; year years yearly jahr jahre jahren jährlich
size: b byte bytes; kb kib kilobyte kilobytes; mb mib meg megs megabyte megabytes;
gb gib g gig gigs gigabyte gigabytes; tb tib terabyte terabytes
"""
_UNITS = {
    word: (kind, names[0])
    for line in UNITS.replace(";\n", ";").strip().splitlines()
    for kind, _, rest in [line.partition(":")]
    for names in map(str.split, rest.split(";"))
    for word in names
}
ORDINALS = ("first", "second", "third", "fourth")
PER = ("per", "a", "an", "each", "every", "pro", "je", "jede", "jeden", "jeder", "jedes", "/")
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+|/")
_SINGLE = re.compile(
    rf"\b(?:an?|eine?[nrsm]?|per|each|every|pro|je)\s(?:{'|'.join(_UNITS)})\b"
    r"|\b(?:once|single|einmal|an?\s\w+th)\b"
)
_SHORT = re.compile(r"(\d+(?:[.,]\d+)?)\s?(k|m)\b")
_DAY = re.compile(r"\b24\s?h|\b60\s?min|\b7\s?days|\b12\smonths")  # one of what is next in size
_EVENING = re.compile(r"\b(\d\d?)(?::\d\d)?\s?pm\b")


def unsaid(claim: str, rested: str) -> list[str]:
    """Numbers of a claim that were not said, and units where others of their kind were."""
    said = _meant(rested)
    found = sorted(one for one in numbers(claim) if not _readings(one) & said)
    return [*found, *sorted(_measures(claim, rested))]


@lru_cache(1 << 14)
def numbers(text: str) -> frozenset[str]:
    """The numbers of a text, in digits: `1,200` is 1200, `four` is 4."""
    found = {_plain(number) for number in NUMBER.findall(text)}
    words = re.findall(r"\w+", text.lower())
    parts = {
        SHARES[word][0]
        for before, word in pairwise(["", *words])
        if word in SHARES and word not in ONES and (word not in _UNITS or before in ("a", "one"))
    }
    return frozenset(found | parts | {str(number) for number in _in_words(words)})


def _meant(text: str) -> set[str]:
    """All that the numbers of what was said may be read as."""
    low = text.lower()
    found = {reading for number in numbers(text) for reading in _readings(number)}
    found.update(share for word in re.findall(r"\w+", low) for share in SHARES.get(word, ()))
    for number, letter in _SHORT.findall(low):
        found.add(f"{float(number.replace(',', '.')) * LARGE[{'k': 'thousand', 'm': 'million'}[letter]]:.0f}")
    found.update(str(int(hour) + 12) for hour in _EVENING.findall(low))
    if _SINGLE.search(low) or _DAY.search(low):
        found.add("1")
    if "second" in low:
        found.add("2")
    return found


def _readings(number: str) -> set[str]:
    """`4.200` is 4.2, and 4200 in German; `06:00` is six o'clock."""
    found = {number, number.removesuffix(":00")}
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", number):
        found.add(number.replace(".", ""))
    return found


def _plain(number: str) -> str:
    """Without zeros that say nothing, with a point before its decimals."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number):
        number = number.replace(",", "")
    number = number.replace(",", ".")
    if (
        ":" not in number
        and number.count(".") < 2
        and "." in number
        and not re.fullmatch(r"\d+\.\d{3}", number)
    ):
        number = number.rstrip("0").rstrip(".")
    return re.sub(r"^0+(?=\d)", "", number)


def _measures(claim: str, rested: str) -> Iterator[str]:
    """Units of a claim where only others of their kind were said."""
    said = {_UNITS[word] for word in _TOKEN.findall(rested.lower()) if word in _UNITS}
    kinds = {kind for kind, _ in said}
    for before, word in pairwise(["", *_TOKEN.findall(claim.lower())]):
        measured = (
            before in PER
            or before in LARGE
            or (is_number(before) and before not in ORDINALS)
            or word.endswith(("ly", "lich"))
        )
        if measured and word in _UNITS and _UNITS[word] not in said and _UNITS[word][0] in kinds:
            yield word


def _in_words(words: Iterable[str]) -> Iterator[int]:
    """Numbers that are written out: `twenty-five`, `two hundred and fifty`, `fünfundzwanzig`."""
    whole, open_ = 0, False
    for word in (*words, ""):
        value = in_word(word)
        if open_ and word in LARGE:
            whole = whole // 1000 * 1000 + max(whole % 1000, 1) * LARGE[word]
        elif open_ and value and whole % 10 ** len(str(value)) == 0 and whole:
            whole += value
        elif not (open_ and word == "and"):
            if open_:
                yield whole
            open_ = value is not None or word in LARGE
            whole = LARGE.get(word, value or 0)


def in_word(word: str) -> int | None:
    """The number below a hundred that a word is."""
    unit, und, ten = word.partition("und")
    if und and ten in TIMES:
        return TIMES[ten] + ONES.get({"ein": "eins"}.get(unit, unit), 0)
    return ONES.get(word, TIMES.get(word))


def is_number(word: str) -> bool:
    """Whether a word is a number, a part or a unit, in digits or letters."""
    plain = word.casefold()
    return (
        in_word(plain) is not None
        or plain in SHARES
        or plain in _UNITS
        or NUMBER.fullmatch(plain) is not None
    )
