"""Natural-language exclusions in a query, and the factor that lowers scores of excluded topics (S14).

`not about X`, `without X`, `except X`, `excluding X or Y`, in English and German. X's words do not rank;
texts about X get lower scores. Unlike `-X` this removes no results, since language is not that exact.

```
exclusion = cue thing (("," thing)* ("or" | "and" | "nor") thing)*
thing     = up to six words, until punctuation or a word that continues the sentence
cue       = "not about" | "other than" | …   anywhere                      (ANYWHERE)
          | "no" | "not" | "ignore" | …      where a clause begins         (CLAUSE)
          | "without" | "ohne"               after a thing, not an act     (LACKING)
          | "no" thing "please"
```

What only looks like an exclusion is a topic: `live without sugar`, `without a licence`, `file not found`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from ark_tui.domain.query import ASKED, Either, Filters, Found, Holds
from ark_tui.index.protocols import Coverage
from ark_tui.index.words import terms
from ark_tui.index.words.terms import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.index.words.terms import Terms
    from ark_tui.retrieval.state import Candidates, Search

LOWEST = 0.4  # lowest factor; with 0.5 the query's own words outweigh it in one pair in ten
NAMED = 0.6  # extra weight if the document's title, file name or tags contain the words
ELSEWHERE = 0.8  # weight if only another chunk of the document contains the words
DENIALS = (
    *("{} free", "without {}", "without any {}", "without a {}", "without the {}", "no {}", "no more {}"),
    *("not {}", "not a {}", "not about {}", "non {}", "free of {}", "instead of {}", "rather than {}"),
    *("other than {}", "except {}", "except for {}", "apart from {}", "ohne {}", "kein {}", "keine {}"),
    *("keinen {}", "nicht {}", "nicht über {}", "frei von {}", "statt {}", "außer {}"),
)
"""Phrases by which a text itself denies being about something."""

LONGEST = 6  # words per thing
MOST = 8  # things per list


def _set(text: str) -> frozenset[str]:
    """Words separated by spaces."""
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    """Phrases separated by bars, each as a tuple of words."""
    return frozenset(tuple(phrase.split()) for phrase in text.split("|"))


def _with(starts: str, ends: str) -> frozenset[tuple[str, ...]]:
    """Every combination of a start and an end."""
    return frozenset((*a, *b) for a in _phrases(starts) for b in _phrases(ends))


ANYWHERE = (
    _phrases(
        "excluding|except|except for|with the exception of|other than|apart from|aside from|besides|but not"
        "|but no|but without|anything but|everything but|all but|instead of|rather than|as opposed to"
        "|unrelated to|not related to|nothing to do with|nothing about|nothing on|no mention of|not the"
        "|and not|and no|neither|not interested in|not looking for"
        "|ausgenommen|außer|ausser|mit ausnahme von|mit ausnahme der|abgesehen von|anstatt|anstelle von|statt"
        "|nicht über|nichts über|nichts mit|nichts zu|weder|aber nicht|aber kein|aber ohne|und nicht|und kein"
    )
    | _with(
        "not|that is not|that are not|that's not|which is not|which are not|that isn't|that aren't",
        "about|concerning|regarding|involving|including|mentioning|covering|related to|using|on|from",
    )
    | _with("that|which", "isn't|aren't|is not|are not")
    | _with(
        "don't|doesn't|do not|does not|without",
        "mention|mentioning|involve|involving|use|using|include|including|cover|covering|any mention of",
    )
)
"""Cues of an exclusion at any position."""

CLAUSE = _phrases(
    "not|no|never|ignore|ignoring|leave out|leaving out|skip|skipping|omit|omitting|exclude|nor|without"
    "|nicht|kein|ohne|nichts"
)
"""Cues at the beginning of a clause: after a comma, a dash, a bracket, `but` or `please`."""

LACKING = _phrases("without|ohne|without any")
PLEASE = _phrases("no|kein|not|nicht")
"""Cues if `please` follows the thing."""

KEIN = {f"kein{end}": "kein" for end in ("e", "en", "er", "es", "em")}
SIGNS = str.maketrans("’‘", "''")

HEDGES = frozenset({"so", "just", "though", "only", "also", "well", "bloß", "nur", "halt", "eben"})
CLAUSE_BEFORE = frozenset({"but", "please", "aber", "bitte", "also"})
CLAUSE_SIGNS = frozenset(",;:–—-(.!?")

# No exclusion but a topic: words after the cue …
STATES = _set("""
found working able available possible enough allowed supported installed valid running responding recognized
charging printing syncing booting responding opening showing required needed defined set loading
starting connected sure yet always necessarily only just merely simply even
too very really limited exist exists null empty importing more longer one way need matter doubt idea
wonder loss borders frontiers replacement further fail exception warning question precedent notice
permission consent
licence license insurance reason success restriction internet wifi connection signal sound audio power access
response reply result results output space memory error errors luck problem problems issue issues
gefunden möglich verfügbar erlaubt genug nur weiteres zweifel betrieb erlaubnis führerschein grund erfolg
internet strom verbindung netz ton mehr lust zeit ahnung
""")  # fmt: skip
NOTS = _set("not no never without nicht kein ohne isn't aren't wasn't weren't")
# … or before it.
ACTS = _set("""
live survive work travel drive sleep cook code learn run function grow exist manage cope operate go do play
swim fly study train eat write read pay move build buy sell vote breathe think speak win leave enter stay
deploy merge start stop
life lives death world society
leben arbeiten fahren reisen schlafen kochen lernen wachsen überleben auskommen lebt lebe gehen
""")  # fmt: skip
BEFORE = _phrases("none|no|with or|with and|mit oder|mit und|whether or|if|or|to|why|warum")
FUNCTIONS = _set("""
works work worked working runs ran running compiles shows appears exists passes succeeds loads builds opens
funktioniert läuft geht klappt
""")  # fmt: skip
THINGS = _set(
    "computing meeting building engineering programming marketing painting gardening clothing morning"
)
"""Nouns in -ing that are things, not acts."""

DOERS = _set("i you we one it they ich du man wir sie es")
CODE = _set("select try finally catch raise raises exception exceptions clause block union intersect")
INSTEAD = _phrases("instead of|rather than|as opposed to|statt|anstatt|anstelle von")
COMPARED = _set("why when should better prefer versus vs warum wann besser")
SINGLE = frozenset({"a", "an", "ein", "eine", "einen", "einem", "einer"})

# Words that end a thing because the sentence continues.
GOES_ON = _set("""
in on at for from to with by via using when while where who whom whose which that what why how please
is are was were be been do does did can could should would will may might must has have had
if because so but as than then during before after between into onto over under through across against
helps help works work makes make causes cause exist exists since until about though although instead
especially only just
i you we they it he she me us them
im am an bei für von vom zu zum zur mit wenn wo wie was der die das ist sind war aber als nach vor während
seit bis sondern bitte über
""")  # fmt: skip
LEADS = _set("in on with about for from by using of at im mit über aus für von vom zu zum zur nach auf")
POINTERS = frozenset({"those", "that", "the", "one", "ones", "die", "der", "das", "denen"})
ARTICLES = frozenset({
    "a", "an", "the", "any", "some", "all", "my", "your", "our", "their", "its", "anything", "things",
    "those",
    "ein", "eine", "einen", "einem", "einer", "die", "der", "das", "den", "dem", "des", "jede", "jegliche",
})  # fmt: skip
LISTED = frozenset({"and", "or", "nor", "und", "oder", "noch", "&"})
QUOTES = "\"'“”„»«()[]"
ENDS = ".,;:!?)"
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Excluded things, and the range `start` to `end` of the exclusion in the text."""

    things: tuple[str, ...]
    start: int
    end: int
    said: str  # the words of the exclusion, without trailing punctuation


@dataclass(frozen=True, slots=True)
class _Word:
    """A word without punctuation. `shut`: the punctuation after it; `opened`: a bracket precedes it."""

    text: str
    bare: str
    shut: str
    opened: bool
    start: int
    end: int


def read(text: str) -> tuple[Exclusion, ...]:
    """Find the exclusions in a text, in order. Texts longer than `ASKED` have none: they were pasted."""
    if len(text) > ASKED:
        return ()
    words = list(_words(text))
    code = any(word.bare in CODE for word in words)
    found = []
    at = 0
    while at < len(words):
        after = _cue(words, at, code=code)
        one = _excluded(words, at, after) if after else None
        if one:
            found.append(one)
            at = next((n for n, word in enumerate(words) if word.start >= one.end), len(words))
        else:
            at += 1
    return tuple(found)


def understood(text: str, literally: Container[str] = ()) -> tuple[Exclusion, ...]:
    """The exclusions that apply; none if no words would remain or the things are also asked for.

    `literally`: words to take literally, never as an exclusion.
    """
    found = [one for one in read(text) if one.said not in literally]
    known = _content(_kept(text, found))
    new = any(_content(thing) - known for one in found for thing in one.things)
    return tuple(found) if new and known else ()


def split(text: str, literally: Container[str] = ()) -> tuple[str, tuple[str, ...]]:
    """Split a text into the text without its exclusions, and the excluded things; see `understood`."""
    found = understood(text, literally)
    if not found:
        return text, ()
    kept = _kept(text, found)
    known = _content(kept)
    things = dict.fromkeys(thing for one in found for thing in one.things)
    return kept, tuple(thing for thing in things if _content(thing) - known)


def awaits(text: str, end: int) -> bool:
    """Whether a cue directly precedes `end`, so that the following words are excluded."""
    words = list(_words(f"{text[:end].rstrip()} x")) if len(text) <= ASKED else []
    code = any(word.bare in CODE for word in words)
    return any(
        _cue(words, at, code=code) == len(words) - 1 for at in range(max(0, len(words) - 6), len(words) - 1)
    )


def _kept(text: str, found: list[Exclusion] | tuple[Exclusion, ...]) -> str:
    for one in reversed(found):
        text = f"{text[: one.start]} {text[one.end :]}"
    return re.sub(r"\s+", " ", text).strip(" ,;:–—-(")


def _words(text: str) -> Iterator[_Word]:
    for match in WORD.finditer(text):
        said = match[0].strip(QUOTES).rstrip(ENDS + QUOTES).strip("–—-")
        shut = match[0][match[0].rfind(said) + len(said) :] if said else match[0]
        bare = said.lower().translate(SIGNS)
        yield _Word(said, KEIN.get(bare, bare), shut, match[0].startswith("("), match.start(), match.end())


# -- cues ------------------------------------------------------------------------------------------


def _cue(words: list[_Word], at: int, *, code: bool) -> int:
    """The position after a cue that begins at a word; 0 if there is none or it means something else."""
    for length in range(min(6, len(words) - at - 1), 0, -1):
        phrase = tuple(word.bare for word in words[at : at + length])
        if any(word.shut.strip(QUOTES) for word in words[at : at + length]):
            continue
        if _announces(words, at, phrase) and not _otherwise(words, at, phrase, code=code):
            return at + length
    return 0


def _announces(words: list[_Word], at: int, phrase: tuple[str, ...]) -> bool:
    if phrase in ANYWHERE:
        return True
    if phrase in CLAUSE and _begins_clause(words, at):
        return True
    if phrase in LACKING and at:
        return not _is_act(words, at)
    return phrase in PLEASE and _please(words, at + 1)


def _begins_clause(words: list[_Word], at: int) -> bool:
    if words[at].opened:
        return True
    if not at:
        return False
    before = words[at - 1]
    if before.bare in HEDGES and not before.shut:
        return at == 1 or _begins_clause(words, at - 1)
    return bool(set(before.shut) & CLAUSE_SIGNS) or before.bare in CLAUSE_BEFORE or not before.bare


def _is_act(words: list[_Word], at: int) -> bool:
    """Whether an act precedes `without`: `live without sugar`."""
    before = words[at - 1]
    doing = before.bare.endswith("ing") and len(before.bare) > 5 and before.bare not in THINGS
    if before.bare in ACTS | DOERS or doing:
        return True
    german = before.bare.endswith(("en", "ern", "eln")) and before.text.islower() and _has_capitals(words)
    return german or (at > 1 and words[at - 2].bare == "to")


def _has_capitals(words: list[_Word]) -> bool:
    """Whether a word after the first is capitalized, as German nouns are."""
    return any(word.text[:1].isupper() for word in words[1:])


def _please(words: list[_Word], at: int) -> bool:
    return any(
        word.bare in {"please", "bitte", "thanks", "danke"} for word in words[at + 1 : at + 1 + LONGEST]
    )


def _otherwise(words: list[_Word], at: int, phrase: tuple[str, ...], *, code: bool) -> bool:
    """Whether a cue means something else here."""
    first, after = phrase[0], words[at + len(phrase)]
    if first.startswith("except"):
        return code
    if phrase in INSTEAD:
        return any(word.bare in COMPARED for word in words[:at])
    if first in {"but", "aber", "not", "nicht"} and after.bare in LEADS:
        return any(word.bare in FUNCTIONS for word in words[:at])
    return _is_state(phrase[-1], words[at + len(phrase) :]) or _is_set(words, at, phrase)


def _is_state(last: str, rest: list[_Word]) -> bool:
    """Whether a state follows the cue: `not working`, `no internet`, `without a licence`."""
    after = rest[0]
    if after.bare == "to" or (last in NOTS and after.bare in STATES):
        return True
    doing = after.bare.endswith("ing") and len(rest) > 1 and not after.shut and rest[1].bare not in GOES_ON
    return last in {"without", "ohne"} and (after.bare in SINGLE or _acts(rest) or doing)


def _acts(rest: list[_Word]) -> bool:
    """Whether an act follows: `ohne Daten zu verlieren`."""
    return any(word.bare == "zu" for word in rest[:4])


def _is_set(words: list[_Word], at: int, phrase: tuple[str, ...]) -> bool:
    """Whether a cue is a part of a set phrase: `none other than`, `with or without`, `if not`."""
    if not at or words[at - 1].shut:
        return False
    before = tuple(word.bare for word in words[max(0, at - 2) : at])
    return before in BEFORE or (before[-1:] in BEFORE and phrase[0] not in {"or", "and"})


# -- excluded things -------------------------------------------------------------------------------


def _excluded(words: list[_Word], at: int, after: int) -> Exclusion | None:
    """The exclusion of a cue from `at` to `after`: a thing, or a list of them."""
    place = after + (words[after].bare in LEADS and len(words) > after + 1)
    if words[place].bare in POINTERS and place + 2 < len(words) and words[place + 1].bare in LEADS:
        place += 2
    whole = _begins_clause(words, at) or words[at].bare in CLAUSE_BEFORE
    things, end = _thing(words, place, whole=whole)
    found = [things] if things else []
    while found and len(found) < MOST and (step := _next_of_list(words, end)):
        thing, stop = _thing(words, step, whole=whole)
        if not thing:
            break
        found, end = [*found, thing], stop
    if not found:
        return None
    if end < len(words) and words[end].bare in {"please", "bitte"}:
        end += 1
    start, last = words[at].start, words[end - 1]
    return Exclusion(tuple(found), start, last.end, _said(words[at:end]))


def _said(words: list[_Word]) -> str:
    """Words joined with the punctuation between them."""
    return " ".join([*(f"{word.text}{word.shut}" for word in words[:-1]), words[-1].text])


def _thing(words: list[_Word], at: int, *, whole: bool = False) -> tuple[str, int]:
    """The words of a thing, and the position after it; `whole`: it continues after `with` or `in`."""
    said: list[str] = []
    place = at
    while place < len(words) and len(said) < LONGEST:
        word = words[place]
        article = word.bare in ARTICLES and not said
        ends = _ends_before(words, place, article=article or (whole and bool(said) and word.bare in LEADS))
        if ends or (said and _cue(words, place, code=False)):
            break
        if not article:
            said.append(word.text)
        place += 1
        if word.shut.strip("\"'“”"):
            break
    thing = " ".join(said)
    return (thing, place) if _content(thing) else ("", at)


def _ends_before(words: list[_Word], at: int, *, article: bool) -> bool:
    """Whether a word ends a thing, because the sentence or the list continues."""
    word = words[at]
    return (word.bare in GOES_ON and not article) or word.bare in LISTED or not word.bare


def _next_of_list(words: list[_Word], end: int) -> int:
    """The start of the next thing of a list: after `or`, or after a comma if `or` comes later; else 0."""
    if end >= len(words):
        return 0
    last, word = words[end - 1], words[end]
    if word.bare in LISTED and not last.shut:
        again = end + 1 < len(words) and words[end + 1].bare in {
            "not",
            "no",
            "nicht",
            "kein",
            "about",
            "über",
        }
        return end + 1 + again
    if last.shut != ",":
        return 0
    if word.bare not in LISTED:
        return end if _list_goes_on(words, end) else 0
    either = word.bare in {"or", "nor", "oder", "noch"}
    return end + 1 if either or any(one.shut == "," for one in words[max(0, end - 4) : end - 1]) else 0


def _list_goes_on(words: list[_Word], at: int) -> bool:
    """Whether a list continues with short things up to an `or`: `A, B or C`, `A, B, C, or D`."""
    while words[at].bare not in LISTED:
        thing, after = _thing(words, at)
        if not thing or len(thing.split()) > 3 or after >= len(words):
            return False
        if words[after].bare in LISTED:
            return True
        if words[after - 1].shut != ",":
            return False
        at = after
    return False


def _content(text: str) -> set[str]:
    """The content words of a text, without stop words."""
    found = (word.lower() for word in re.findall(r"\w+", text) if len(word) > 1 or word.isupper())
    return {word for word in found if word not in STOP_WORDS}


# -- the factor --------------------------------------------------------------------------------------


def factors(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """For each candidate 1 − (1 − LOWEST) × how much it is about an excluded thing.

    That is the idf share of the thing's words that the chunk contains, or `ELSEWHERE` × the share of another
    chunk of its document; it increases if title, file name or tags contain them. It is 0 for a chunk that
    denies the thing itself.
    """
    import numpy as np

    about = np.zeros(len(candidates))
    for thing in search.query.negated if "words" not in search.problems else ():
        about = np.maximum(about, _about(search, thing, candidates))
    if search.phrase is not None:  # never lower a text that contains the whole query verbatim
        about[np.isin(candidates.chunks, search.phrase.chunks)] = 0.0
    return 1 - (1 - LOWEST) * about


def _about(search: Search, thing: str, candidates: Candidates) -> NDArray[np.float64]:
    import numpy as np

    wanted = _terms(search, thing)
    if not wanted:
        return np.zeros(len(candidates))
    words = search.corpus.words
    here = words.score(Coverage(wanted), candidates.chunks)
    documents = candidates.documents.tolist()
    best = words.coverage_of(wanted, sorted(set(documents)))
    elsewhere = ELSEWHERE * np.array([best.get(number, 0.0) for number in documents])
    share = np.maximum(here, elsewhere).clip(0.0, 1.0)
    named = _named(search, wanted, candidates)
    share = np.maximum(share, named) + NAMED * named
    return np.where(np.isin(candidates.chunks, _denying(search, thing)), 0.0, share)


def _named(search: Search, wanted: Terms, candidates: Candidates) -> NDArray[np.float64]:
    """The share of the words in title, file name or tags of each candidate's document."""
    import numpy as np

    stems = set(wanted.stems)
    shares: dict[int, float] = {}
    for number, shown in search.corpus.words.shown(candidates.chunks.tolist()).items():
        document = shown.document
        named = f"{document.title} {PurePath(document.path).stem} {' '.join(document.tags)}"
        said = {terms.stem(word) for word in terms.words(re.sub(r"[-_]", " ", named))}
        shares[number] = len(stems & said) / len(stems)
    return np.array([shares.get(number, 0.0) for number in candidates.chunks.tolist()])


def _terms(search: Search, thing: str) -> Terms:
    """The thing's words that are not in the rest of the query."""
    known = set(search.terms.stems)
    return terms.read(" ".join(word for word in terms.words(thing) if terms.stem(word) not in known))


def _denying(search: Search, thing: str) -> list[int]:
    """The chunks that deny the thing, by `DENIALS`."""
    where = Either(tuple(Holds(denial.format(thing)) for denial in DENIALS))
    found = search.corpus.words.resolved(Filters(where=where)).where
    parts = found.parts if isinstance(found, Either) else ()
    return [chunk for part in parts if isinstance(part, Found) for chunk in part.chunks]
