"""A query's words as the index knows them."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from ark_tui.domain.dataclass import dataclass
from ark_tui.index.words import analysis

# Function words of English: they say how a question is put and not what it is about. Dropped from the BM25
# query (never from documents) unless nothing else is left; that is worth 2.5 points of nDCG@10 (design §6).
FUNCTION_WORDS = """
a about above after again against all also am an and any are as at be because been before being
below between both but by can cannot could did do does doing down during each few for from
further get had has have having he her here hers herself him himself his how i if in into is it
its itself just may me might more most much must my myself no nor not now of off on once only or
other our ours ourselves out over own same shall she should so some such than that the their
theirs them themselves then there these they this those through to too under until up upon us
very was we were what when where which while who whom whose why will with within without would
you your yours yourself yourselves
"""
STOP_WORDS = frozenset(FUNCTION_WORDS.split())


@dataclass(frozen=True, slots=True)
class Terms:
    """What a query asks of the word index. `stems` and `words` run side by side."""

    stems: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  # as written, lowercased
    pairs: tuple[tuple[str, str], ...] = ()  # stems that stand side by side in the query
    identifiers: tuple[str, ...] = ()
    spaceless: tuple[str, ...] = ()
    prefix: str = ""  # the last word, while it may not be finished
    phrases: tuple[tuple[str, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.stems or self.identifiers or self.spaceless or self.prefix or self.phrases)


def read(
    text: str, *, phrases: tuple[str, ...] = (), typing: bool = False, keep_stop_words: bool = False
) -> Terms:
    """The terms of a query. `typing`: its last word, if no blank follows, is also a prefix."""
    latin = analysis.SPACELESS.sub(" ", text)
    found = words(latin)
    meant = found if keep_stop_words else [word for word in found if word not in STOP_WORDS] or found
    unique = dict.fromkeys(meant)
    pairs = [(stem(a), stem(b)) for a, b in pairwise(found) if a in unique and b in unique]
    by_stem = {stem(word): word for word in reversed(unique)}
    stems = tuple(dict.fromkeys(stem(word) for word in unique))
    unfinished = found[-1] if typing and found and text[-1:].isalnum() and latin[-1:].isalnum() else ""
    return Terms(
        stems=stems,
        words=tuple(by_stem[one] for one in stems),
        pairs=tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1])),
        identifiers=tuple(dict.fromkeys(name.lower() for name in analysis.names(latin))),
        spaceless=tuple(dict.fromkeys(spaceless(text))),
        prefix=unfinished,
        phrases=tuple(tuple(map(stem, words(phrase))) for phrase in phrases if words(phrase)),
    )


def words(text: str) -> list[str]:
    """The words of a text as they are written, lowercased."""
    found: list[str] = analysis.plain().analyze(text)
    return found


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The stem of a word; the word itself where it has none."""
    stems = analysis.stemmer().analyze(word)
    return str(stems[0]) if stems else word


def spaceless(text: str) -> list[str]:
    """Pairs of characters; a single one only where it stands alone."""
    found: list[str] = []
    for match in analysis.SPACELESS.finditer(text):
        run = match.group()
        found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return found
