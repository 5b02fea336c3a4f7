"""Search preparation: parse the query line, refresh the indexes and select the signals that can run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from ark_tui.domain.dates import query as dates
from ark_tui.domain.dates.text import QueryPeriod
from ark_tui.domain.errors import ArkError, NotFound, UsageError
from ark_tui.domain.profile import Profile
from ark_tui.domain.protocols import Stop
from ark_tui.domain.query import Holds, Mode, Query, Request
from ark_tui.embedding import static
from ark_tui.index.filters import asks_for, condition
from ark_tui.index.words import terms as words_terms
from ark_tui.retrieval import fusion, naming, query, retention, signals
from ark_tui.retrieval.signals import bm25, expanded, model, rerank
from ark_tui.retrieval.state import Corpus, Search, Signal
from ark_tui.settings import ranking
from ark_tui.settings.config import meant

PREFIX = re.compile(r"\b(\w{2,})\*(?!\w)")
SHORTEST = 4  # letters of a word to correct

BACKENDS_OF_MODE: dict[Mode, tuple[str, ...]] = {
    "hybrid": ("words", "vectors", "model", "texts"),
    "keyword": ("words", "texts"),
    "semantic": ("vectors", "model", "texts"),
}


def read(corpus: Corpus, request: Request, stop: Stop) -> Search:
    """A search by its request, without the vectors yet: see `open_vectors`."""
    parsed = _parsed(corpus, request)
    profile = corpus.profiles.get(request.profile)
    if profile is None:
        known = ", ".join(sorted(corpus.profiles)) + (meant(request.profile, corpus.profiles) or ".")
        raise NotFound(f"There is no profile {request.profile}.", f"Profiles: {known}")
    profile = ranking.changed(profile, request.adjust)
    if request.limit < 1:
        raise UsageError(f"The limit {request.limit} is too small.", "Ask for at least one hit: -n 10")
    now = corpus.clock.now()
    times = dates.periods(parsed.text, now, request.literally)
    profile = suited(profile, request, parsed, times, only=only(request, parsed, now))
    problems = _unreadable(corpus)
    terms, corrected = _terms(corpus, request, parsed, profile)
    search = Search(
        request,
        parsed,
        terms,
        retention.with_retention(
            query.both(parsed.filters, request.filters), corpus, superseded=request.superseded
        ),
        profile,
        corpus,
        stop,
        times=times,
        corrected=corrected,
    )
    retention.aim(search)
    search.problems |= problems if search.corpus is corpus else _unreadable(search.corpus)
    expanded.begin(search)
    _look_up(search)
    return search


def _parsed(corpus: Corpus, request: Request) -> Query:
    if request.literal:
        return query.literal(request.query)
    return query.parse(
        request.query,
        corpus.clock.now(),
        typing=request.typing,
        literally=request.literally,
        fields=corpus.has_field,
    )


def only(request: Request, parsed: Query, now: datetime) -> bool:
    """Whether a query consists of a time only."""
    return not request.literal and query.only_times(parsed.text, now, request.literally)


def suited(
    profile: Profile, request: Request, parsed: Query, times: Sequence[QueryPeriod], *, only: bool
) -> Profile:
    """The profile with the weights for a request and for the names and times of its query."""
    profile = naming.weighed(profile, parsed.text)
    profile = ranking.changed(profile, request.adjust)  # requested weights override those for names
    if request.hops is not None:
        from ark_tui.retrieval.signals import graph

        profile = graph.widened(profile, request.hops)
    profile = rerank.weighed(profile, request)
    if not times and not only:
        return profile
    from ark_tui.retrieval.signals import temporal

    return temporal.leading(profile, times, only=only)


def _terms(
    corpus: Corpus, request: Request, parsed: Query, profile: Profile
) -> tuple[words_terms.Terms, dict[str, str]]:
    """The search terms, without relative times unless nothing else remains; and the corrections by word."""
    said = parsed.text
    if not request.literal:
        said = dates.without_relative(said, corpus.clock.now(), request.literally)
    if not set(words_terms.words(said)) - words_terms.STOP_WORDS:
        said = parsed.text
    said, corrected = _corrected(corpus, _completed(corpus, said), request)
    terms = words_terms.read(
        said,
        phrases=parsed.phrases,
        typing=request.typing,
        keep_stop_words=profile.stop_words,
        languages=corpus.words.languages,
    )
    return corpus.words.with_compounds(terms), corrected


def _completed(corpus: Corpus, text: str) -> str:
    """Replace each prefix such as `rel*` by the most frequent words of the corpus with that prefix."""
    if "*" not in text or not corpus.words.ready:
        return text
    return PREFIX.sub(lambda one: " ".join(corpus.words.complete(one[1].lower())) or one[1], text)


def _corrected(corpus: Corpus, text: str, request: Request) -> tuple[str, dict[str, str]]:
    """Append the most likely correction of each word that is in no document; also return these by word."""
    if request.literal or request.typing or not corpus.words.ready or request.mode == "semantic":
        return text, {}
    corrected = {}
    for word in dict.fromkeys(words_terms.words(text)):
        plain = len(word) >= SHORTEST and word.isalpha() and word not in request.literally
        if plain and not corpus.words.knows(word) and (found := corpus.words.suggest(word)):
            corrected[word] = found[0]
    return " ".join([text, *corrected.values()]), corrected


def _unreadable(corpus: Corpus) -> dict[str, str]:
    """Refresh the word index; return the reason if it cannot be used."""
    try:
        corpus.words.refresh()
    except ArkError as error:
        return {"words": error.told}
    return {} if corpus.words.ready else {"words": "nothing has been indexed yet"}


def open_vectors(search: Search) -> None:
    """Open the vector index; problems are recorded, and the search continues with words.

    The first time takes a second: LanceDB is imported, and the vectors are read into memory.
    """
    if search.request.mode != "keyword" and "vectors" not in search.problems:
        model.begin(search)
        try:
            search.index = search.corpus.vectors()
            if search.index is None:
                search.problems["vectors"] = "no vectors yet"
            elif not static.available():
                search.problems["vectors"] = "the embedded model is not installed"
        except ArkError as error:
            search.problems["vectors"] = error.told
    if "vectors" in search.problems and search.asked is None:  # feedback requires the vector index
        search.problems.setdefault(expanded.INFO.name, search.problems["vectors"])


def _look_up(search: Search) -> None:
    """Resolve filters that not every index can evaluate, so that all signals apply them.

    Fields are resolved in the store, texts in the word index.
    """
    messages = retention.only(condition(search.filters))
    search.filters = search.corpus.seen(search.corpus.listed(search.filters), messages=messages)
    if "words" not in search.problems:
        search.filters = search.corpus.words.resolved(search.filters)
    elif asks_for(search.filters.where, Holds):
        for backend in ("vectors", "model"):
            search.problems.setdefault(backend, "phrases and exclusions need the word index")


def has_words(search: Search) -> bool:
    """Whether BM25 can run, and other signals too."""
    return bool(
        search.request.mode == "hybrid"
        and search.terms
        and "words" not in search.problems
        and search.profile.weights.get(bm25.INFO.name)
    )


def active(search: Search) -> list[Signal]:
    """The signals that can run; also scales their weights in the search's profile to a sum of 1."""
    backends = BACKENDS_OF_MODE[search.request.mode]
    found = [
        signal
        for signal in signals.SIGNALS
        if signal.backend in backends
        and signal.backend not in search.problems
        and signal.info.name not in search.problems
        and (signal.backend != "model" or search.model is not None)
        and search.profile.weights.get(signal.info.name)
        and signal.applies(search)
        and (search.terms if signal.backend == "words" else search.query.text.strip())
    ]
    search.profile = fusion.scaled(search.profile, [signal.info.name for signal in found])
    return found
