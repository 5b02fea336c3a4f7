"""What a query says in plain words that it is not about: `not about X`, `without X`, `excluding X`.

X's words do not rank, and lower what is about them (requirement S14). Unlike `-X` this keeps nothing away:
language is not that exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ark_tui.index.words.terms import STOP_WORDS

LONGEST = 6  # words of what is not meant
CUE_WITHIN = 60  # characters in which a cue, and what may make something else of it, has room

# Words that announce it. `except` and `other than` do so anywhere; `not` and `no` only where nothing else can
# be meant, as after a comma: "file not found" is about what is not found.
CUES = re.compile(
    r"""(?<![\w-])(?:
        (?:(?:that|which|who)\s+(?:is|are|do(?:es)?)\s+)?not\s+
            (?:about|concerning|regarding|involving|including|mention(?:ing)?|related\s+to)
      | but\s+(?:not|no|without)(?:\s+about)?
      | without(?:\s+(?:using|having|mentioning|any\s+mention\s+of))?
      | excluding
      | except(?:ing)?(?:\s+for)?
      | other\s+than
      | ohne | nicht\s+über | aber\s+(?:nicht|kein(?:e[nrms]?)?|ohne)(?:\s+über)? | ausgenommen | außer
      | (?<=,\s)(?:not|no|nicht|kein(?:e[nrms]?)?)
      | (?<=[;–—]\s)(?:not|no|nicht|kein(?:e[nrms]?)?)
    )(?=\s)""",
    re.VERBOSE | re.IGNORECASE,
)

# Words before and after a cue that make something else of it: set phrases, "not only", "with or without".
BEFORE = re.compile(
    r"(?<![\w-])(?:with\s+(?:or|and)|do|doing|go|going|mit\s+oder|none|no)\s+\Z", re.IGNORECASE
)
AFTER = re.compile(
    r"""\s*(?:loss\s+of|borders?|frontiers?|replacement|further|fail|exception|warning|question|precedent
      |(?:a\s+)?doubt|only|just|merely|simply|even|yet|always|necessarily|limited|too|very|really|sure
      |working|found|able|possible|weiteres|zweifel|nur|betrieb)\b""",
    re.VERBOSE | re.IGNORECASE,
)
CODE = re.compile(
    r"(?<!\w)(?:try|finally|catch|raise|raises|exceptions?|clause|block|union|intersect)(?!\w)", re.IGNORECASE
)

# Where what is not meant has ended, because the sentence goes on.
GOING_ON = """
in on at for from to with by via using when while where who whom whose which that what why how please
is are was were be been do does did can could should would will may might must has have had
if because so but as than then during before after between into onto over under through across against
i you we they it he she
im am an bei für von vom zu zum zur mit wenn wo wie was der die das ist sind war aber als nach vor während
"""
GOES_ON = frozenset(GOING_ON.split())
ARTICLES = frozenset({
    "a", "an", "the", "any", "some", "all", "my", "your", "our", "their", "its",
    "ein", "eine", "einen", "einem", "einer", "den", "dem",
})  # fmt: skip
WORD = re.compile(r"\S+")
LISTED = frozenset({"and", "or", "nor", "und", "oder", "noch"})
ENDS = ".,;:!?)"


def split(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without what it says it is not about, and that. Nothing is taken where nothing would be left."""
    kept, at = "", 0
    negated: list[str] = []
    code = CODE.search(text) is not None
    for cue in CUES.finditer(text):
        if cue.start() < at or _means_otherwise(text, cue, code=code):
            continue
        scope = _scope(text, cue.end())
        if scope.things:
            kept += text[at : cue.start()]
            at = scope.end
            negated += scope.things
    kept = re.sub(r"\s+", " ", kept + text[at:]).strip(" ,;–—")
    known = _content(kept)
    new = tuple(thing for thing in dict.fromkeys(negated) if _content(thing) - known)
    return (kept, new) if new and known else (text, ())


def awaits(text: str, end: int) -> bool:
    """Whether a text has a cue right before `end`, so that what follows is not meant."""
    near = f"{text[max(0, end - CUE_WITHIN) : end].rstrip()} "
    code = CODE.search(near) is not None
    cues = (cue for cue in CUES.finditer(near) if cue.end() == len(near) - 1)
    return any(not _means_otherwise(near, cue, code=code) for cue in cues)


@dataclass(frozen=True, slots=True)
class _Scope:
    things: tuple[str, ...]
    end: int


def _scope(text: str, start: int) -> _Scope:
    """What is not meant, from `start` to a punctuation mark or a word with which the sentence goes on."""
    things: list[list[str]] = [[]]
    end = start
    for word in WORD.finditer(text, start):
        bare = word[0].strip("\"'“”„().,;:!?").lower()
        if bare in GOES_ON or sum(map(len, things)) >= LONGEST:
            break
        if bare in LISTED:
            things.append([])
        elif bare not in ARTICLES:
            things[-1].append(word[0].strip("\"'“”„(),;:!?").rstrip("."))
        end = word.end()
        if word[0][-1] in ENDS:
            break
    found = tuple(" ".join(thing) for thing in things if _content(" ".join(thing)))
    return _Scope(found, end)


def _means_otherwise(text: str, cue: re.Match[str], *, code: bool) -> bool:
    if code and cue[0].lower().startswith("except"):
        return True
    near = max(0, cue.start() - CUE_WITHIN)
    return bool(BEFORE.search(text, near, cue.start()) or AFTER.match(text, cue.end()))


def _content(text: str) -> set[str]:
    """The words that say something."""
    words: Iterator[str] = iter(re.findall(r"\w+", text.lower()))
    return {word for word in words if len(word) > 1 and word not in STOP_WORDS}
