"""Which clauses deny, and whether a claim denies what was said, or says the opposite of it.

Three things turn a clause: a word such as `not`, the other one of a pair of opposites (`off` where `on` was
said), and, maybe, a word that can be said instead of a denial (`lacks`, `fails`, `unavailable`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache

from ark_tui.index.words import terms
from ark_tui.memory.vocabulary import ACTING, LANGUAGES, NOT, OTHER_FORMS, WORD, is_function, stems, words_of

BECAME = re.compile(r"\b(?:became|become|made|makes|got|now|wurde|gemacht|jetzt)\b", re.IGNORECASE)
_PLACE = "|".join([
    *("in", "into", "to", "on", "at", "for", "from", "with", "by", "the", "a", "an", "after", "before"),
    *("under", "unter", "im", "am", "auf", "bei", "mit", "für", "der", "die", "das", "ein", "eine", "einen"),
])  # fmt: skip
_ACT = "|".join(sorted(ACTING))
_NO_ACT = "".join(f"(?<!{word})" for word in sorted(ACTING))
CLAUSE = re.compile(
    r"(?<=[.!?,;:])(?<!\d\.)\s+(?!including\b)|\n+|\s[–—-]\s"
    r"|\s(?=(?:because|since|while|whereas|although|though|if|when|where|until|so\ that|unless|except"
    r"|instead\ of|rather\ than|statt|damit|weil|denn|da|obwohl|während|wenn|falls|sonst)\s)"
    rf"|{_NO_ACT}\s(?=(?:not|nicht)\s(?:{_PLACE})\s|not\s[\w.-]+(?:[.,;!?]|$))"
    rf"|\s(?:and|und)\s(?=(?:{_ACT}|\w+n't|cannot|no|nobody|nothing)\s)|\s(?:but|aber)\s"
)
AND = re.compile(r"\s(?:and|but|or|und|aber|oder)\s")
INTERJECTION = re.compile(
    r"^(?:no|nein|nope),?\s+(?=(?:it|that|the|this|we|i|you|es|das|der|die)\b)", re.IGNORECASE
)
FINE = re.compile(
    r"\b(?:ohne|without|no|kein)\s(?:any\s)?(?:probleme?|problems?|issues?|trouble)\b(?!\s(?:mit|with))",
    re.IGNORECASE,
)
ONLY = re.compile(
    r"\b(?:nothing|nobody|no|never)\b([^.;]*?)\bunless\b|\b(?:won't|will not)\b([^.;,]*?)\b(?:before|until)\b"
    r"|\b(?:nothing but|nichts als)\b",
    re.IGNORECASE,
)
INSTEAD = re.compile(r"\b(?:instead of|rather than|anstatt|anstelle)\b|\bstatt\b", re.IGNORECASE)
LIMIT = re.compile(
    r"\b(?:not|no|never|nicht|nie|keine?[nrsm]?)\s+(?:\w+\s+)?"
    r"(?:(?P<more>more|larger|longer|bigger|greater|higher|above|over|newer|later|exceed\w*|mehr|länger|größer)"
    r"|(?:less|fewer|smaller|shorter|lower|older|earlier|below|under|weniger|kürzer|kleiner))"
    r"(?:\s+(?:than|als)\b|(?=\s+\d))",
    re.IGNORECASE,
)
BOUND = re.compile(r"\b(?:at (most|least)|up to|no later than)\b", re.IGNORECASE)
MAY = words_of("""
lack lacks lacking missing miss lose loses lost losing loss gone dead drop dropped remove removed stop stopped
fail fails failed failure failures break breaks broke broken choke chokes reject refuse deny block blocked
prevent prevents prevented avoids avoided exclude skip skips skipped ignore ignored disallow ban banned quit
exempt optional off disabled inactive closed relaxed retired obsolete outdated invalid wrong impossible empty
null false 0 zero hardly rarely seldom absent cancel cancelled declined decline denied deprecated discontinued
abandoned ended expired prohibits refuses rejects rejected blocks ruled stops unable rid hang hangs hung stuck
fehlt fehlen fehlend leer kaputt weg scheitert überflüssig lehnt abgelehnt defekt unmöglich verliert veraltet
ausgeschaltet abgeschaltet deaktiviert abgelaufen abgeschafft eingestellt entfällt entfernt verzichtet
verzichten gestrichen gesperrt verweigert ungültig ausgefallen beendet gekündigt
""")
"""What can be said instead of a denial."""
UNLIKE = re.compile(r"^(?:un(?!der|til|ter|it|iq|ix|iv|ser|less|ion)|non-?)(\w{4,})$|(\w{4,})(?:less|los)$")
OPPOSITES = """
on enable active activate an eingeschaltet aktiviert aktiv / off disable inactive deactivate aus ausgeschaltet
abgeschaltet deaktiviert; above over exceed more larger bigger greater über mehr größer mindestens atleast /
below under less fewer smaller unter weniger kleiner höchstens within atmost; raise increase grow grew rose
erhöht hochgesetzt gestiegen höher / lower decrease reduce fell sank gesenkt gesunken verringert niedriger;
fast faster quick quicker schnell schneller / slow slower langsam langsamer; keep kept retain add hinzugefügt
behalten / remove delete entfernt gelöscht; required mandatory necessary require need erforderlich nötig
pflicht / optional freiwillig unnecessary; allow permitted accept erlaubt akzeptiert / forbid disallowed
prohibited reject untersagt abgelehnt; succeed successful erfolgreich / fail fehlgeschlagen; start starten
gestartet / stop stoppen gestoppt; include / exclude; upgrade / downgrade; connect verbunden / disconnect
getrennt; lock / unlock; mount / unmount; read lesen / write written schreiben; upload / download; import /
export; encrypt / decrypt; online / offline; open offen / closed geschlossen; public öffentlich / private
privat; internal intern / external extern; manual manually manuell / automatic automatically automatisch;
local lokal / remote entfernte; inside / outside; large big groß große / small tiny klein kleine; long lang
lange / short kurz kurze; high hoch / low niedrig; first erste / last letzte; new newer neu neue / old older
alt alte; early earlier früher / late later später; strict streng / relaxed lenient loose locker; better
besser / worse schlechter; ahead / behind; cheap cheaper günstiger / expensive teurer; simple einfach /
complex kompliziert; warm hot / cold kalt; light hell / dark dunkel; morning morgens / evening abends;
synchronous / asynchronous; ascending / descending; static statisch / dynamic dynamisch; true / false; left
links / right rechts; maximum maximal / minimum minimal;
"""
ORDER = {
    **dict.fromkeys(("before", "vor", "bevor"), False),
    **dict.fromkeys(("after", "nach", "nachdem"), True),
}
_SWITCH = re.compile(r"(?:in|for|and|or|by|at|during|until|while|when|everywhere|even|again|und|oder|bei)$")
CONDITION = re.compile(r"(?:without|ohne|unless)\b", re.IGNORECASE)  # "without it, it fails": it is needed
NEED = re.compile(
    r"\b(?:must|needs?|needed|requires?|required|necessary|(?:has|have) to|only|nur|muss|müssen|nötig)\b",
    re.IGNORECASE,
)
OTHERWISE = re.compile(r"(?:otherwise|or else|sonst|andernfalls)\b", re.IGNORECASE)
NOT_NOW = re.compile(
    rf"{INSTEAD.pattern}|{OTHERWISE.pattern}|(?:zuvor|vorher|bisher|previously|formerly|earlier)\b",
    re.IGNORECASE,
)
"""What begins a clause about what is not so, or was so once: it may be put either way."""
COMPARED = re.compile(r"\b(?:than|als)\b", re.IGNORECASE)
DENIED = re.compile(r"(?:not|no|kein\w*|nicht|instead of|rather than|statt)\s", re.IGNORECASE)
_UNDER = re.compile(r"(?:if|when|because|since|wenn|falls|weil|dass)\b", re.IGNORECASE)
ROOT = 4  # letters that tell a word from others, whatever its ending
LACKING = re.compile(
    r"\b(?:no(?!\s(?:longer|more|to)\b)|without|ohne|keine?[nrsm]?)\s(?:an?\s|the\s|eine?[nrms]?\s)?([\w-]+)",
    re.IGNORECASE,
)
BRIEF = 5  # words of a clause that needs the one before it to be understood
PRONOUNS = words_of("one ones it its they them this that ihn ihm es er sie ihr ihnen das die der which who")


@cache
def _sides() -> dict[str, tuple[int, bool]]:
    return {
        form: (place, bool(side))
        for place, pair in enumerate(OPPOSITES.split(";"))
        for side, words in enumerate(pair.split("/"))
        for word in words.split()
        for form in (terms.stem(word), word)
    }


def side_of(word: str) -> tuple[int, bool] | None:
    """Which pair of opposites a word is of, and which side."""
    return _sides().get(word) or (_sides().get(terms.stem(word)) if word.isalpha() else None)


def turned(claim: str, rested: str) -> str:
    """A clause of a claim whose nearest one, of what was said, says the opposite; empty where none does."""
    said = clauses(rested)
    own = clauses(claim)
    return next((one for one in own if _is_turned(one, own, said)), "") or _replaced(own, said)


def _replaced(own: Sequence[str], said: Sequence[str]) -> str:
    """A clause with one of two opposites, where only the other one was said; nothing is denied in either."""
    spoken: dict[object, set[bool]] = {}
    for one in said:
        for pair, side in _stance(one).items():
            spoken.setdefault(pair, set()).update({side, side != denies(one)})
    for clause in own:
        for pair, side in _stance(clause).items():
            if (
                isinstance(pair, int)
                and not denies(clause)
                and not BECAME.search(clause)
                and spoken.get(pair, {side}) == {not side}
            ):
                return clause
    return ""


@lru_cache(1 << 12)
def clauses(text: str) -> tuple[str, ...]:
    """The clauses of a text, with limits put in one way: "not more than" is "at most"."""
    plain = LIMIT.sub(lambda found: "atmost" if found["more"] else "atleast", text)
    plain = BOUND.sub(lambda found: f"at{found[1] or 'most'}".lower(), plain)
    plain = ONLY.sub(r" only \1\2 if ", plain)
    return tuple(one for one in (INTERJECTION.sub("", part) for part in CLAUSE.split(plain)) if one.strip())


@lru_cache(1 << 14)
def denies(text: str) -> bool:
    """Whether a text says that something is not so: twice is not at all."""
    words = re.findall(r"[\w’']+", FINE.sub("", INSTEAD.sub("not", text)).casefold().replace("’", "'"))
    said = {"not" if word.endswith("n't") else OTHER_FORMS.get(word, word) for word in words}
    return bool(len(said & NOT) % 2)


def _is_turned(clause: str, own: Sequence[str], said: Sequence[str]) -> bool:
    if NOT_NOW.match(clause):
        return False
    if _ruled_out(clause, said):
        return True
    about, denied = _about(clause), denies(clause)
    near = [(sum(map(_rank, about & whole)), one) for one, whole in zip(said, _meant(said), strict=True)]
    most = max((count for count, _ in near), default=0)
    if not most or (len(about) == 1 and not denied):
        return False
    best = [part for count, one in near if count == most for part in _narrowed(one, about)]
    denials = [_about(one) for one in (said if denied else own) if denies(one)]
    return all(_contradicts(clause, one, denials) for one in best)


def _rank(word: str) -> int:
    """How much two clauses have in common by a word: a name or number says more."""
    return 1 if word.isalpha() else 2


def _ruled_out(clause: str, said: Sequence[str]) -> bool:
    """Whether a clause has what was said not to be so: `commas`, where it was "semicolons, not commas"."""
    if denies(clause) or _maybe(clause) or COMPARED.search(clause):
        return False
    held = frozenset[str]().union(*(_about(one) for one in said if not denies(one)))
    denied = (_about(one) for one in said if DENIED.match(one))
    return any(words and words <= _about(clause) and not words & held for words in denied)


def _meant(said: Sequence[str]) -> Iterator[frozenset[str]]:
    """What each clause is about; a short denial with a pronoun also what the clause before it is about."""
    before: frozenset[str] = frozenset()
    for one in said:
        about = _about(one)
        words = one.casefold().split()
        brief = len(words) <= BRIEF and {*words} & PRONOUNS
        yield about | before if brief and denies(one) and not _UNDER.match(one) else about
        before = about


def _narrowed(clause: str, about: frozenset[str]) -> list[str]:
    """The parts of a clause that have by themselves what it has of the stems; itself where none does."""
    parts = [one for one in AND.split(clause) if len(stems(one)) > 1]
    return [one for one in parts if about & _about(one) >= about & _about(clause)] or [clause]


def _contradicts(clause: str, said: str, denials: Sequence[AbstractSet[str]]) -> bool:
    """Whether two clauses cannot both hold. `denials`: of what else is denied on the side that denies."""
    crossed = _crossed(clause, said)
    if crossed is not None:
        return crossed
    here = _about(clause if denies(clause) else said)
    return _opposed(clause, said) and not any(here & words for words in denials)


def _crossed(clause: str, said: str) -> bool | None:
    """Whether two clauses with opposites say different things; None where they have no opposites."""
    mine, theirs = _stance(clause), _stance(said)
    turns = sum(mine[one] != theirs[one] for one in mine.keys() & theirs.keys())
    return (denies(clause) != denies(said)) != bool(turns % 2) if turns else None


def _opposed(clause: str, said: str) -> bool:
    """Whether one of two clauses about the same denies what the other says, in whatever words."""
    if denies(clause) == denies(said) or _maybe(clause) ^ _maybe(said) or OTHERWISE.match(said):
        return False
    if CONDITION.match(said) and NEED.search(clause):
        return False
    lacking = LACKING.search(said) if denies(said) else None  # "no network" says nothing but of a network
    return lacking is None or bool(_about(lacking[1]) & _about(clause))


@lru_cache(1 << 14)
def _about(clause: str) -> frozenset[str]:
    """The stems of what a clause says, and its names as they are."""
    named = (word.casefold() for word in WORD.findall(clause) if not word.isalpha())
    words = [word for word in terms.words(clause) if not is_function(word)]
    own = (terms.stem(word, code) for word in words for code in LANGUAGES)
    return frozenset(one for one in stems(clause).union(named, own) if one not in NOT)


@lru_cache(1 << 14)
def _stance(clause: str) -> dict[object, bool]:
    """Of each pair of opposites which one a clause has; a pair with both is left out."""
    words = re.findall(r"[\w’'-]+", clause.casefold())
    found: dict[object, set[bool]] = {}
    for place, word in enumerate(words):
        behind = words[place + 1 :]
        if word in ("on", "an", "aus") and behind and not _SWITCH.match(behind[0]):
            continue
        if word in ORDER:
            for other in _content(behind):
                found.setdefault(("order", terms.stem(other)), set()).add(ORDER[word])
        if known := side_of(word):
            found.setdefault(known[0], set()).add(known[1])
        root = UNLIKE.match(word)
        bare = next(filter(None, root.groups())) if root else word
        for code in ("", *LANGUAGES):
            found.setdefault(("un", terms.stem(bare, code)), set()).add(root is not None)
    return {pair: next(iter(sides)) for pair, sides in found.items() if len(sides) == 1}


def _content(words: Sequence[str]) -> list[str]:
    return [word for word in words if stems(word) and word not in ACTING and len(word) > 3]


@lru_cache(1 << 14)
def _maybe(clause: str) -> frozenset[str]:
    """How the words of a clause begin that may be said instead of a denial."""
    words = re.findall(r"[\w’'-]+", clause.casefold())
    off = {"aus"} & {*words[-1:]}
    return frozenset(word[:ROOT] for word in words if word in MAY or word in off or UNLIKE.match(word))
