"""Clauses that say of a thing that it is not wanted: `the first I know already`, `Preise brauche ich nicht`.

What is not meant stands before or between the words that say so; in `retrieval.negation` it follows them.
A clause ends at a sign and dismisses its thing as a whole or not at all, so that "the page is out of memory"
and "I've read about a method that …" stay what they are. `so something else` dismisses the clause before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

LONGEST = 8  # words of a thing

PARTS = {
    "WE": "(?:i|we)",
    "HAVE": "(?:i|we)(?:'ve| have)",
    "AM": "(?:i|we)(?:'m| am|'re| are)",
    "DON'T": "(?:don't|do not)",
    "DOESN'T": "(?:doesn't|don't|does not|do not)",
    "SHOULDN'T": "(?:shouldn't|should not|mustn't|must not|needn't|need not|don't have to)",
    "WON'T": "(?:won't|will not|wouldn't|would not)",
    "ISN'T": "(?:isn't|aren't|wasn't|weren't|(?:is|are|was|were) (?:not|no longer))",
    "ASIDE": "(?:aside|alone|apart|out)",
    "ABOUT": "(?:about|of|at|on)",
    "SEEN": "(?:seen|read|heard|had|covered|got|done|finished)",
    "SEE": "(?:see|read|hear|have|know|get|look|talk|think)",
    "SEEING": "(?:talking|reading|going|getting|hearing|looking|talk|read|go|get|hear|look)",
    "DROP": "(?:ignore|disregard|skip|drop|omit|exclude|ditch|overlook|forget(?: about)?|stay away from)",
    "STAY OUT": "(?:stay out|wait|go|stay away|be (?:left (?:out|aside|alone)|skipped|ignored|dropped))",
    "COME UP": "(?:come up|appear|show up|turn up|"
    "be (?:in )?(?:there|it|here|included|listed|shown|mentioned))",
    "OUT": "(?:out|irrelevant|outdated|boring|uninteresting|off the table|beside the point|old news|old hat|"
    "settled|familiar|covered|dealt with|a given|not for me|a closed (?:topic|book|chapter)|"
    "(?:a different|another) (?:story|matter|topic|question|subject))",
    "OF NO USE": "(?:(?:of )?no (?:interest|use|concern|importance|relevance)|none of my \\w+)",
    "WANTED": "(?:my (?:thing|concern|business|topic|subject)|"
    "relevant|interesting|of (?:any )?(?:interest|use)|"
    "wanted|needed|meant|asked for|required|important|the (?:point|question)|"
    "what (?:i|we)(?:'m| am|'re| are)? (?:want|need|mean|after|looking for|asking (?:for|about)))",
    "FED UP": "(?:fed up|done|bored|finished|through|tired|sick|not concerned|not bothered)",
    "ICH": "(?:ich|wir)",
    "SCHON": "(?:schon|bereits|längst|auswendig|gut genug|genug)",
    "NICHT NÖTIG": "nicht (?:gefragt|gemeint|gesucht|nötig|wichtig|relevant|interessant|das thema)",
    "EGAL": "(?:egal|gleich|klar|bekannt|unwichtig|uninteressant|kein thema)",
    "WEG": "(?:weg|aus|raus|außen vor|beiseite)",
    "AUSGENOMMEN": "(?:außen vor|beiseite|weglassen|auslassen|ausgenommen|ausgeklammert|ausgeschlossen)",
    "SEIN": "(?:sein|dabei(?: sein)?|rein|vorkommen|auftauchen)",
    "X": r"(?P<thing>\S.*?)",
}
"""Words of the forms, as regular expressions."""

FORMS = r"""
<(?:leav|sett|putt|lay)(?:e|ing)|keeping|leave|set|put|keep|lay> X ASIDE
<leave|leaving> <out|aside> X
X <excluded|excepted|aside|omitted|(?:left|set|put) (?:out|aside)>
X not <included|wanted|required|needed|meant>
with X <removed|left out|taken out|excluded>
WE already know <about |of |>X
WE know <all|everything|enough> ABOUT X
WE know X <already|by heart|well enough|inside out>
X WE know by heart
X <i|we|i've|i have|we've|we have> already <SEEN|know|remember>< all| everything| enough|>< ABOUT|>
HAVE SEEN enough ABOUT X
HAVE already SEEN <about |of |>X
enough ABOUT X
X <is|are|was|were> <OUT|OF NO USE>
X ISN'T WANTED
X DOESN'T <matter|interest me|concern me|count|belong here|bother me>
X <can|could|may|should|might> STAY OUT
X SHOULDN'T COME UP
X WON'T <help|do|be needed>
X <has|have> <already |>been <covered|discussed|dealt with|done>< to death| enough|>
X WE <DON'T|can't|cannot> <need|want|care about|mean|stand|like|want to SEE>< ABOUT|>
X <WE |>could do without
WE <DON'T|didn't> <mean|believe in|like|care about|care for|need> X
AM <not (?:after|asking (?:for|about)|looking for|interested in|thinking of)|FED UP (?:with|of|by|about)> X
<i'd|we'd|i would|we would> rather not SEE <ABOUT |>X
<HAVE |there's |there is |>no <use|need|time> for X
<WE |><DON'T |><want|wish> <to SEE |>nothing <ABOUT|to do with> X
<WE |>DON'T want to SEE <ABOUT |>X
DON'T <bother (?:me )?with|come (?:to me )?with|bring(?: up)?|show me|give me|list|mention> X
<if we |if i |if you |>DROP X
<unlike|exclusive of|as distinct from|steer clear of> X
hold the X
<none|nothing|not anything|not a word> <on|about|of|with|from|concerning> X
<without|instead of> <having to |wanting to |>SEEING <ABOUT|into> X
X <interessiert|interessieren|betrifft|betreffen> <mich|uns> nicht
X <brauche?|will|möchte|suche|meine|mag> ich nicht< sehen| lesen| hören| haben| wissen|>
X <brauchen|wollen|suchen|meinen> wir nicht
X <kenne|weiß> ich<(?: SCHON)*>
X <hab|habe|hatte|haben|hatten> ICH SCHON< \w+|>
X <haben wir|hab ich|habe ich> durch
X <ist|sind> <mir |uns |><EGAL|NICHT NÖTIG>
X <muss|müssen|soll|sollen|darf|dürfen|braucht|brauchen> nicht SEIN
X <lassen wir|lass|lasst|lasse ich>< mal|> WEG
<lassen wir|lass|lasst|lasse ich|lassen sie> X WEG
X< mal| einmal|> AUSGENOMMEN
X <bleibt|bleiben|kann|können>< mal|> <außen vor|draußen|weg|wegbleiben|fehlen|raus|warten>
X <kann|können|darf|dürfen> <man |ich |wir |du |><vergessen|überspringen|weglassen|ignorieren>
X <nehmen|klammern> wir <raus|heraus|aus>
<von |vom |über |zu |mit |>X <will|möchte|brauche> ich nichts <wissen|hören|lesen|sehen|haben>
X <spielt|spielen> keine rolle
X <tut|tun> nichts zur sache
X <gehört|gehören|zählt|zählen> nicht< dazu| hierher|>
X <reicht|reichen> mir
X <hat|haben> zeit
X <lieber|eher|bitte> nicht
genug <von|über> X
<es geht|mir geht es|es soll>< mir| hier|> nicht um X< gehen|>
ICH <meine?|suchen?|wollen|will|brauchen?|möchten?> <aber |damit |><nicht|kein\w*|nichts (?:über|zu|von)> X
nicht gemeint <ist|sind> X
<verschone?|verschont> mich mit X
komm mir nicht mit X
ohne auf X einzugehen
ohne X zu <erwähnen|nennen|behandeln>
<vergiss|überspring\w*|streich\w*|ignorier\w*> X
"""
"""How a clause says that its thing X is not wanted; `<a|b>` is one of several."""

LATER = "X <i|we|i've|i have|we've|we have> <know|have|SEEN|can recite|remember>< all| everything|>< ABOUT|>"
"""Such a form behind another clause only: `papers I read` alone asks for them."""

ARTICLE = (
    r"(?P<thing>(?:der|die|das|den|dem|diese[rnms]?|sein\w*|ihr\w*|unser\w*) (?:(?-i:\S+) )?"
    r"(?-i:[A-ZÄÖÜ]\S*))(?: bitte)? nicht"
)
"""`die Prüfliste nicht`: an article and a noun, so that no verb is among them."""

LEAD = (
    r"(?:(?:but|and|so|just|though|although|well|only|also|please|then|or|by that|in my case|aber|und|bitte"
    r"|nur|jedoch|doch|dann|oder)\s+)*"
)
TAIL = (
    r"(?:\s+(?:please|for (?:now|me)|to me|here|again|any\s?more|this time|today|at all|now|either|though"
    r"|as well|too|much|of (?:it|this)|already|bitte|hier|mehr|diesmal|jetzt|heute|gerade|gar|schon|dabei))*"
    r"(?:\s+and (?:should|can|may|must|need|is|are|so)\b.*)?"
)
"""What may stand around a form."""


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    """Every form, first the one that holds behind another clause only; not made before they are needed."""
    spelled = [_spelled(form) for form in (LATER, *FORMS.strip().split("\n"))]
    return tuple(re.compile(f"{LEAD}{form}{TAIL}", re.IGNORECASE) for form in (*spelled, ARTICLE))


def _spelled(form: str) -> str:
    """A form with its parts as regular expressions."""
    return _PART.sub(lambda part: PARTS[part[0]], form.replace("<", "(?:").replace(">", ")"))


_PART = re.compile(rf"(?<![\w'])(?:{'|'.join(sorted(PARTS, key=len, reverse=True))})(?![\w'])")

ELSE = re.compile(
    rf"{LEAD}(?:(?:something|anything) else|not (?:that|this|those|these)(?: ones?)?"
    r"|(?:drop|skip|forget|ignore) (?:it|that|this|them|those)|leave (?:it|that|them) (?:out|aside)"
    r"|(?:no|nein)(?: (?:thanks|thank you|danke))?|(?:lieber )?(?:et)?was anderes"
    rf"|(?:das|den|die) (?:bitte )?nicht|nicht (?:das|den|die)){TAIL}",
    re.IGNORECASE,
)
"""A clause that says of the one before it that it is not wanted."""

_SIGNS = re.compile(r"[,;:.!?()]+(?=\s|$)|\s[(–—-]+(?=\s|\w)")
_LIST = re.compile(r"\s+(?:and|or|nor|und|oder|noch|&)\s+", re.IGNORECASE)
_SAID = re.compile(
    r"(?:i(?:'ve| have)? (?:already )?(?:know|seen|read|heard)(?: (?:about|of))?|\w+ i know) ", re.IGNORECASE
)
_TRIM = frozenset("""
the a an any all some those these that this its it of one ones thing things stuff on about for with part bit
story topic der die das den dem ein eine einen von vom über zu mit sache teil thema
""".split())  # fmt: skip  # noqa: SIM905
_APOSTROPHES = str.maketrans("’‘", "''")


class Dismissed(NamedTuple):
    """Things that are not wanted, and the clause that says so, from `start` to `end` in the text."""

    things: tuple[str, ...]
    start: int
    end: int


def read(text: str) -> Iterator[Dismissed]:
    """The clauses of a text that dismiss something, in their order; never its only one."""
    before: tuple[int, int] | None = None
    clauses = list(_clauses(text))
    for start, end in clauses if len(clauses) > 1 else ():
        said = " ".join(text[start:end].translate(_APOSTROPHES).split())
        first = start
        if before and ELSE.fullmatch(said):
            thing, first = _SAID.sub("", text[slice(*before)]), before[0]
        else:
            forms = _forms()[0 if text[:start].strip() else 1 :]
            found = [match["thing"] for form in forms if (match := form.fullmatch(said))]
            thing = min(found, key=len, default="")
        things = tuple(filter(None, map(_trimmed, _LIST.split(thing))))
        if things:
            yield Dismissed(things, first, end)
        before = None if things else (start, end)


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for sign in (*_SIGNS.finditer(text), None):
        end = sign.start() if sign else len(text)
        clause = text[start:end]
        if clause.strip():
            yield start + len(clause) - len(clause.lstrip()), start + len(clause.rstrip())
        start = sign.end() if sign else end


def _trimmed(thing: str) -> str:
    """A thing without what says nothing at its ends; empty where it is too long for one."""
    words = thing.split()
    while words and words[0].lower() in _TRIM:
        words = words[1:]
    while words and words[-1].lower() in _TRIM:
        words = words[:-1]
    return " ".join(words) if len(words) <= LONGEST else ""
