"""The search, stage by stage: read, first pass, fuse, weigh, group by document, show."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError, NotFound, UsageError
from ark_tui.domain.hits import Hit, Lamp, Multiplier, SearchResult, Suggestion
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.index.words import terms as words_terms
from ark_tui.retrieval import decay, fusion, query, snippet
from ark_tui.retrieval.fusion import Column
from ark_tui.retrieval.signals import SIGNALS, ranked
from ark_tui.retrieval.state import Candidates, Corpus, Proposal, Search, Signal
from ark_tui.store import documents

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.query import Request
    from ark_tui.store import Lease

LEGS_OF_MODE = {"hybrid": ("words", "vectors"), "keyword": ("words",), "semantic": ("vectors",)}
LISTED = 10_000  # chunks that filters without words may list
SUGGEST_FROM = 3  # letters of a word for which another may be suggested


def run(corpus: Corpus, request: Request, stop: Stop = NEVER) -> SearchResult:
    """Search; raises `UsageError` for a query or profile that cannot be used, `Cancelled` when stopped."""
    *_, last = _stages(corpus, request, stop, early=False)
    return last


def stages(corpus: Corpus, request: Request, stop: Stop = NEVER) -> Iterator[SearchResult]:
    """Search, and hand out what BM25 alone finds while the rest is on its way."""
    return _stages(corpus, request, stop, early=True)


def _stages(corpus: Corpus, request: Request, stop: Stop, *, early: bool) -> Iterator[SearchResult]:
    timer = _Timer()
    search = _read(corpus, request, stop)
    timer.lap("read")
    if not search.query.text.strip() and not search.terms:
        yield _result(search, [], _candidates(_listed(search)), timer)
        return
    active = _active(search)
    vectors = _threads().submit(_proposals, search, [s for s in active if s.leg == "vectors"])
    words = [s for s in active if s.leg == "words"]
    proposals = _proposals(search, words[:1])
    timer.lap("bm25")
    if early and words and len(active) > 1:
        yield replace(_result(search, words[:1], _candidates(proposals), timer), partial=True)
    check(stop)
    proposals += _proposals(search, words[1:])
    proposals += vectors.result()
    timer.lap("first pass")
    check(stop)
    yield _result(search, active, _candidates(proposals), timer)


def _read(corpus: Corpus, request: Request, stop: Stop) -> Search:
    parsed = query.parse(request.query)
    profile = corpus.profiles.get(request.profile)
    if profile is None:
        raise UsageError(
            f"There is no profile {request.profile}.", f"Profiles: {', '.join(sorted(corpus.profiles))}."
        )
    if request.limit < 1:
        raise UsageError(f"A limit of {request.limit} makes no sense.", "Ask for at least one hit: -n 10")
    search = Search(
        request,
        parsed,
        words_terms.read(
            parsed.text, phrases=parsed.phrases, excluded=parsed.excluded, typing=request.typing
        ),
        query.both(parsed.filters, request.filters),
        profile,
        corpus,
        stop,
    )
    _open(search)
    return search


def _open(search: Search) -> None:
    """Look at both indexes; what cannot be used is noted, and the other one answers."""
    corpus = search.corpus
    try:
        corpus.words.refresh()
        if not corpus.words.ready:
            search.problems["words"] = "nothing has been indexed yet"
    except ArkError as error:
        search.problems["words"] = f"{error.what} {error.hint}"
    if search.request.mode == "keyword":
        return
    try:
        search.view = corpus.vectors.refresh()
        if search.view is None:
            search.problems["vectors"] = "no vectors yet"
    except ArkError as error:
        search.problems["vectors"] = f"{error.what} {error.hint}"
    else:
        _check_model(search)


def _check_model(search: Search) -> None:
    from ark_tui.embedding import static

    if not static.available():
        search.problems["vectors"] = "the embedded model is not installed"


def _active(search: Search) -> list[Signal]:
    legs = LEGS_OF_MODE[search.request.mode]
    return [
        signal
        for signal in SIGNALS
        if signal.leg in legs
        and signal.leg not in search.problems
        and search.profile.weights.get(signal.info.name)
        and (search.terms if signal.leg == "words" else search.query.text.strip())
    ]


def _proposals(search: Search, signals: list[Signal]) -> list[Proposal]:
    found = []
    for signal in signals:
        check(search.stop)
        found.append(signal.propose(search, search.profile.depth))
    return found


def _listed(search: Search) -> list[Proposal]:
    """A query of filters alone lists what they let through, the newest first."""
    if "words" in search.problems:
        return []
    return [ranked.proposal(search.corpus.words.listed(search.filters, LISTED))]


def _candidates(proposals: list[Proposal]) -> Candidates:
    import numpy as np

    chunks = np.concatenate([*(p.chunks for p in proposals), np.empty(0, np.int64)])
    owners = np.concatenate([*(p.documents for p in proposals), np.empty(0, np.int64)])
    unique, first = np.unique(chunks, return_index=True)
    return Candidates(unique, owners[first])


def _result(search: Search, signals: list[Signal], candidates: Candidates, timer: _Timer) -> SearchResult:
    candidates = _without_excluded(search, candidates)
    columns = [fusion.column(s, s.values(search, candidates), search.profile) for s in signals]
    score = fusion.total(columns, len(candidates))
    timer.lap("score")
    with search.corpus.store.read() as lease:
        days = _days(search, lease, candidates)
        multiplier = _decay(search, candidates, days)
        best, more = _best_of_documents(candidates, score * multiplier, days)
        shown = best[: search.request.limit]
        found = documents.found(lease, [int(candidates.chunks[i]) for i in shown])
        if not found:
            _check_collections(search, lease)
    hits = _hits(search, columns, candidates, shown, found, score, multiplier, more)
    timer.lap("show")
    return SearchResult(
        query=search.query,
        retrieval_id=uuid.uuid4().hex[:12],
        profile=search.profile.name,
        hits=tuple(hits),
        lamps=tuple(_lamps(search, signals)),
        took_ms=timer.total(),
        truncated=len(best) > len(shown),
        found=len(best),
        dropped=len(shown) - len(hits),
        suggestions=_suggestions(search),
        stages=tuple(timer.laps),
    )


def _days(search: Search, lease: Lease, candidates: Candidates) -> dict[int, date | None]:
    """The dates of the candidates' documents: from the vectors' columns, the store where they lack one."""
    owners = candidates.documents.tolist()
    days = search.corpus.vectors.days(search.view, owners) if search.view else {}
    missing = [owner for owner in owners if owner not in days]
    return days | (documents.days(lease, missing) if missing else {})


def _without_excluded(search: Search, candidates: Candidates) -> Candidates:
    """What the vectors brought and the query's `-words` rule out."""
    import numpy as np

    if not search.terms.excluded or "words" in search.problems:
        return candidates
    out = search.corpus.words.excluded(search.terms, np.unique(candidates.documents).tolist())
    kept = ~np.isin(candidates.documents, np.fromiter(out, np.int64, len(out)))
    return Candidates(candidates.chunks[kept], candidates.documents[kept])


def _decay(search: Search, candidates: Candidates, days: dict[int, date | None]) -> NDArray[np.float64]:
    import numpy as np

    rule = search.profile.decay
    if rule is None or not search.corpus.decay:
        return np.ones(len(candidates))
    today = search.corpus.clock.now().date()
    return np.array([decay.factor(days.get(number), today, rule) for number in candidates.documents.tolist()])


def _best_of_documents(
    candidates: Candidates, score: NDArray[np.float64], days: dict[int, date | None]
) -> tuple[list[int], dict[int, int]]:
    """The best candidate of each document, best first, newer first where scores tie; and how many more."""
    best: dict[int, int] = {}
    count: dict[int, int] = {}
    owners = candidates.documents.tolist()
    for i, owner in enumerate(owners):
        count[owner] = count.get(owner, 0) + 1
        if owner not in best or score[i] > score[best[owner]]:
            best[owner] = i
    alive = [owner for owner in best if owner in days]
    alive.sort(key=lambda owner: (-score[best[owner]], -(days[owner] or date.min).toordinal(), owner))
    return [best[owner] for owner in alive], {owner: n - 1 for owner, n in count.items()}


def _hits(
    search: Search,
    columns: list[Column],
    candidates: Candidates,
    shown: list[int],
    found: dict[int, documents.Found],
    score: NDArray[np.float64],
    multiplier: NDArray[np.float64],
    more: dict[int, int],
) -> list[Hit]:
    hits: list[Hit] = []
    for i in shown:
        known = found.get(int(candidates.chunks[i]))
        if known is None:
            continue
        weighed = search.profile.decay is not None and search.corpus.decay
        hits.append(
            Hit(
                rank=len(hits) + 1,
                score=float(score[i] * multiplier[i]),
                document=replace(known.document, stale=_stale(known)),
                chunk=known.chunk,
                snippet=snippet.make(known.text, known.chunk.start_line, search.terms),
                more=more[known.number],
                parts=tuple(one.part(i) for one in columns),
                multipliers=(Multiplier("decay", float(multiplier[i])),) if weighed else (),
            )
        )
    return hits


def _stale(known: documents.Found) -> bool:
    """Whether the file has changed, or gone, since it was indexed."""
    if known.root is None or known.size < 0:
        return False
    try:
        stat = (Path(known.root) / known.document.path).stat()
    except OSError:
        return True
    return (stat.st_size, stat.st_mtime_ns) != (known.size, known.mtime_ns)


def _lamps(search: Search, used: list[Signal]) -> Iterator[Lamp]:
    legs = LEGS_OF_MODE[search.request.mode]
    names = {signal.info.name for signal in used}
    for signal in SIGNALS:
        name = signal.info.name
        if not search.profile.weights.get(name):
            continue
        if name in names:
            yield Lamp(name, "on", _waiting(search) if signal.leg == "vectors" else "")
        elif signal.leg not in legs:
            yield Lamp(name, "idle", f"mode {search.request.mode}")
        elif signal.leg in search.problems:
            yield Lamp(name, "off", search.problems[signal.leg])
        else:
            yield Lamp(name, "idle", "no words to look for")


def _waiting(search: Search) -> str:
    waiting = search.view.waiting if search.view else 0
    return f"{waiting} chunks wait for their vectors" if waiting else ""


def _suggestions(search: Search) -> tuple[Suggestion, ...]:
    """For every word of the query that is in no document: what may have been meant."""
    words, terms = search.corpus.words, search.terms
    if "words" in search.problems or search.request.mode == "semantic" or not words.size():
        return ()
    found = []
    for word in terms.words:
        if len(word) < SUGGEST_FROM or words.knows(word) or (word == terms.prefix and words.complete(word)):
            continue
        if instead := words.suggest(word):
            found.append(Suggestion(word, instead))
    return tuple(found)


def _check_collections(search: Search, lease: Lease) -> None:
    """Nothing found, and the query asks for a collection that there is not: say so."""
    from ark_tui.store import files

    known = [info.name for info in files.collections(lease)]
    for name in search.filters.collections:
        if name not in known and not search.request.typing:
            raise NotFound(f"There is no collection {name}.", f"Collections: {', '.join(known)}.")


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="vectors")


@dataclass(slots=True)
class _Timer:
    """Milliseconds per stage."""

    start: float = field(default_factory=time.perf_counter)
    laps: list[tuple[str, float]] = field(default_factory=list)
    last: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps.append((name, round((now - self.last) * 1000, 3)))
        self.last = now

    def total(self) -> float:
        return round((time.perf_counter() - self.start) * 1000, 3)
