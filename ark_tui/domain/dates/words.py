"""Vocabulary of English and German time expressions.

All tables are in lower case and contain all inflected forms of German words.
"""

from __future__ import annotations

from typing import TypeVar

from ark_tui.domain.dates.days import Third, Unit
from ark_tui.domain.dates.text import Side

T = TypeVar("T")


def _table(words: dict[str, T]) -> dict[str, T]:
    """Split each key at spaces into several keys with the same value."""
    return {word: value for names, value in words.items() for word in names.split()}


def _inflected(*stems: str) -> frozenset[str]:
    """All inflected forms of German adjectives."""
    return frozenset(f"{stem}{end}" for stem in stems for end in ("e", "en", "er", "es", "em"))


def _set(text: str) -> frozenset[str]:
    """A set of space-separated words."""
    return frozenset(text.split())


class Phrases(dict[tuple[str, ...], T]):
    """Values by phrase, given as a tuple of words. `first`: the first words of all phrases."""

    def __init__(self, values: dict[tuple[str, ...], T]) -> None:
        super().__init__(values)
        self.first = frozenset(phrase[0] for phrase in values)


def _phrases(values: dict[str, T]) -> Phrases[T]:
    """Split each key at `|` into phrases with the same value."""
    return Phrases({tuple(one.split()): value for many, value in values.items() for one in many.split("|")})


UNITS: dict[str, Unit] = _table({
    "day days tag tage tagen tages": "day",
    "week weeks woche wochen": "week",
    "fortnight fortnights": "fortnight",
    "weekend weekends wochenende wochenenden": "weekend",
    "month months monat monate monaten monats": "month",
    "quarter quarters quartal quartale quartalen quartals": "quarter",
    "halbjahr halbjahre halbjahren halbjahres": "half",
    "year years jahr jahre jahren jahres": "year",
    "decade decades jahrzehnt jahrzehnte jahrzehnten jahrzehnts": "decade",
    "century centuries jahrhundert jahrhunderts": "century",
})  # fmt: skip
MANY = _set(
    "days weeks fortnights weekends months quarters years decades tage tagen wochen monate monaten quartale "
    "quartalen jahre jahren jahrzehnte jahrzehnten"
)

NUMBERS = _table({
    "a an one ein eine einem einen einer": 1, "two zwei zwo": 2, "three drei": 3, "four vier": 4,
    "five fünf": 5, "six sechs": 6, "seven sieben": 7, "eight acht": 8, "nine neun": 9, "ten zehn": 10,
    "eleven elf": 11, "twelve zwölf": 12, "fifteen fünfzehn": 15, "twenty zwanzig": 20,
    "thirty dreißig": 30,
})  # fmt: skip
VAGUE = _phrases({
    "a couple of|a couple|couple of|couple": (2, 2),
    "a few|few|ein paar|paar|einige|einigen|wenige|wenigen": (2, 4),
    "several|mehrere|mehreren": (3, 6),
})  # fmt: skip

_TENS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
_GERMAN = "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft"
ORDINALS = {
    **{word: number for number, word in enumerate(_TENS.split(), start=1)},
    **_table({"fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18}),
    **_table({"nineteenth": 19, "twentieth": 20}),
    **{word: n for n, stem in enumerate(_GERMAN.split(), start=1) for word in _inflected(stem)},
    **dict.fromkeys(_inflected("neunzehnt"), 19),
    **dict.fromkeys(_inflected("zwanzigst"), 20),
}

BEFORE_LAST = _inflected("vorletzt")
LAST = frozenset({"last", "past", "previous"}) | _inflected("letzt", "vorig", "vergangen")
THIS = frozenset({"this", "current"}) | _inflected("dies", "aktuell", "laufend") | {"heurigen", "heuer"}
NEXT = frozenset({"next", "coming", "upcoming"}) | _inflected("nächst", "kommend")
FINAL = frozenset({"last", "final"}) | _inflected("letzt")  # the last part of a longer time

ARTICLES = _set("the der die das des dem den")
OF = _set("of in im des der vom von")

MONTHS_ALONE = _set(
    "january february july september october november december januar februar jänner märz juli oktober "
    "dezember"
)
"""Unambiguous names of months; `may`, `august` or `April` need a preceding word such as `in`."""
ALSO_WORDS = _set("may march mar dec sep jan jun")

WEEKDAYS = _table({
    "monday mondays montag montags mon": 0, "tuesday tuesdays dienstag dienstags tue tues": 1,
    "wednesday wednesdays mittwoch mittwochs wed": 2, "thursday thursdays donnerstag donnerstags thu thur": 3,
    "friday fridays freitag freitags fri": 4, "saturday saturdays samstag samstags sonnabend sat": 5,
    "sunday sundays sonntag sonntags sun": 6,
})  # fmt: skip

SEASONS: dict[str, tuple[int, int]] = _table({  # first month (northern hemisphere) and number of months
    "spring springtime frühling frühjahr frühlings frühjahrs": (3, 3),
    "summer summertime sommer sommers": (6, 3),
    "autumn fall herbst herbsts herbstes": (9, 3),
    "winter wintertime winters": (12, 3),
    "frühsommer": (6, 1), "hochsommer": (7, 1), "spätsommer": (8, 1), "spätherbst": (11, 1),
})  # fmt: skip

# Days before today; negative: after.
FIXED = _phrases({
    "today|tonight|this morning|this afternoon|this evening|earlier today|heute|heute früh|heute morgen"
    "|heute vormittag|heute nachmittag|heute abend|heute nacht|heute mittag": 0,
    "yesterday|last night|yesterday morning|yesterday afternoon|yesterday evening|gestern|gestern früh"
    "|gestern morgen|gestern vormittag|gestern nachmittag|gestern abend|gestern nacht|gestern mittag"
    "|letzte nacht": 1,
    "the day before yesterday|day before yesterday|vorgestern|vorgestern abend": 2,
    "tomorrow|tomorrow morning": -1,
    "the day after tomorrow|day after tomorrow|übermorgen": -2,
})  # fmt: skip

THIRDS: Phrases[Third] = _phrases({
    "early|early in|beginning of|start of|begin of|at the beginning of|at the start of|anfang|beginn"
    "|zu beginn|frühes|frühen|anfangs": "early",
    "mid|middle of|in the middle of|mitte|mittleren": "mid",
    "late|late in|end of|at the end of|towards the end of|close of|ende|gegen ende|spätes|späten": "late",
})  # fmt: skip
COUNTED_THIRDS: dict[str, Third] = {
    **_table({"first": "early", "second middle": "mid", "last final": "late"}),
    **dict.fromkeys(_inflected("erst"), "early"),
    **dict.fromkeys(_inflected("zweit", "mittler"), "mid"),
    **dict.fromkeys(_inflected("letzt", "dritt"), "late"),
}
THIRD = _set("third drittel drittels")

SIDES: Phrases[Side] = _phrases({
    "before|prior to|earlier than|vor|noch vor|any time before": "before",
    "after|later than|nach|any time after": "after",
    "since|ever since|seit|ab|as of|starting|starting in|starting from|beginning in|onwards from": "since",
    "until|till|up to|up until|by|no later than|not later than|bis|bis zu|bis zum|bis einschließlich"
    "|spätestens": "until",
})  # fmt: skip
ONWARDS = _phrases({"on|onwards|onward|forward|an": True})
RANGE = _set("from between von vom zwischen")
BETWEEN = _set("between zwischen")
TO = _phrases({
    "to|until|till|through|thru|up to|bis|bis zum|bis zur|bis einschließlich|and up to|-|–|—|to the": True,
})  # fmt: skip
AND = _phrases({"and|und|&|or|oder|,": True})
TO_OR_AND = Phrases({**TO, **AND})

CUES = _set(
    "in of from to since until till by during between and before after around year years on dated within "
    "over throughout about circa ca for im am jahr jahren jahre von vom bis seit zwischen und vor nach "
    "um gegen ab während zum zur des sommer winter anno than or oder"
)
"""Words after which a number is a year, and `may` is a month."""

BEHIND_MAY = _set("be have not i we you also it")
"""Words after `may` if it is not a month."""
BEHIND_SEASONS = _set("boot framework back through apart")
BEFORE_DECADES = _set("the early mid late in den die der anfang ende mitte -")

WEEK_NUMBER = _phrases({
    "kw|calendar week|cw|iso week|kalenderwoche": True,
    "week|woche": False,  # ambiguous without further context
})  # fmt: skip
CENTURY = _set("century jahrhundert jahrhunderts jh jhd jhdt c")
DECADES = _table({
    "twenties zwanziger zwanzigern": 1920, "thirties dreißiger dreißigern": 1930,
    "forties vierziger vierzigern": 1940, "fifties fünfziger fünfzigern": 1950,
    "sixties sechziger sechzigern": 1960, "seventies siebziger siebzigern": 1970,
    "eighties achtziger achtzigern": 1980, "nineties neunziger neunzigern": 1990,
})  # fmt: skip
