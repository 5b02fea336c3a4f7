"""Findability audit: search for each document by its own salient terms, with the standard search.

A document counts as not found if two such queries do not return it among the first ten hits. Of more than
100 documents, an evenly spaced sample is tested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, get_args

import numpy as np

from ark_tui.analysis.terms import counted, salient
from ark_tui.domain.analysis import Audit, Cause, Unfound
from ark_tui.domain.documents import Document, content_hash
from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import Stop, check
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.retrieval.shown import stale
from ark_tui.store import documents, overview

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.hits import SearchResult
    from ark_tui.engine.survey import Survey

ALL = 100  # most documents to test
DEEP = 10  # hits that should contain the document
PER_PROBE = 4  # terms
PROBES = 2
CHARACTERS = 20_000  # of a document, from which its terms are taken
LONG = 20  # a document is too long with at least this many chunks …
LONGER = 10  # … and this multiple of the median number of chunks
STAGE = "audit"


@dataclass(frozen=True, slots=True)
class _Lost:
    number: int
    cause: Cause
    detail: str
    probes: tuple[str, ...]
    eclipsed_by: int | None = None


def audit(survey: Survey, search: Callable[[Request, Stop], SearchResult]) -> Audit:
    """Audit the documents, unless this corpus was audited with this ranking already."""
    if not survey.size:
        return Audit(notice=Hint.run("index", say="There are no documents yet: `{}` indexes a folder."))
    asking = _Asking(survey, search)

    lost, profile = survey.measured(f"audit-{_key(survey)}", lambda: (asking.all(), asking.profile))
    return _told(survey, lost, len(asking.sample), profile)


def _told(survey: Survey, lost: list[_Lost], asked: int, profile: str) -> Audit:
    with survey.parts.store.read() as lease:
        named = documents.documents(
            lease, [n for one in lost for n in (one.number, one.eclipsed_by) if n is not None]
        )
    unfound = tuple(
        Unfound(
            named[one.number], one.cause, one.detail, one.probes,
            named.get(one.eclipsed_by) if one.eclipsed_by is not None else None,
        )
        for one in lost
        if one.number in named
    )  # fmt: skip
    counts = Counter(one.cause for one in unfound)
    causes = {cause: counts[cause] for cause in get_args(Cause) if counts[cause]}
    notice = (
        f"{asked:,} of {survey.size:,} documents were probed, evenly drawn." if asked < survey.size else ""
    )
    return Audit(survey.size, asked, asked - len(unfound), unfound, causes, profile, notice)


class _Asking:
    """The audit of one corpus."""

    def __init__(self, survey: Survey, search: Callable[[Request, Stop], SearchResult]) -> None:
        self._survey = survey
        self._search = search
        self.profile = ""
        count = survey.size
        self.sample: list[int] = (
            list(range(count)) if count <= ALL else np.linspace(0, count - 1, ALL).astype(int).tolist()
        )

    def all(self) -> list[_Lost]:
        """The documents that were not found."""
        survey = self._survey
        survey.parts.words.refresh()
        lost = []
        for done, place in enumerate(self.sample):
            check(survey.stop)
            survey.progress(Progress(STAGE, done, len(self.sample)))
            if found := self._lost(place):
                lost.append(found)
        survey.progress(Progress(STAGE, len(self.sample), len(self.sample)))
        return lost

    def _lost(self, place: int) -> _Lost | None:
        number = int(self._survey.numbers[place])
        with self._survey.parts.store.read() as lease:
            text = overview.beginnings(lease, [number], CHARACTERS).get(number)
            document = documents.documents(lease, [number]).get(number)
        if text is None or document is None:  # deleted meanwhile
            return None
        words = salient(counted(text), self._survey.parts.words.idf, PROBES * PER_PROBE)
        probes = tuple(" ".join(words[at : at + PER_PROBE]) for at in range(0, len(words), PER_PROBE))
        results = []
        for probe in probes:
            results.append(
                self._search(
                    Request(probe, limit=DEEP, literal=True, below=True, unlogged=True), self._survey.stop
                )
            )
            self.profile = results[-1].profile
            if any(hit.document.id == document.id for hit in results[-1].hits):
                return None
        cause, detail, by = self._why(place, document, results)
        return _Lost(number, cause, detail, probes, by)

    def _why(
        self, place: int, document: Document, results: list[SearchResult]
    ) -> tuple[Cause, str, int | None]:
        if document.superseded_by:
            return "superseded", f"Hidden, for {document.superseded_by} has taken its place.", None
        if not results:
            return "only stop words", "It has no word to search for.", None
        if by := self._eclipsing(document, results):
            return (
                "eclipsed",
                f"{by.short_id} {by.title} is a near-duplicate and is shown instead.",
                self._number(by),
            )
        cause, detail = self._outdone(place, results)
        return cause, detail, None

    def _outdone(self, place: int, results: list[SearchResult]) -> tuple[Cause, str]:
        """Why a document ranks too low."""
        embedded, chunks = self._rows(place)
        if waiting := int((~embedded).sum()):
            return "waiting for vectors", f"{waiting} of its {len(embedded)} chunks have no vector yet."
        if self._stale(int(chunks[0])):
            return "stale", Hint.run("index", say="Its file is newer than the index; `{}` takes it up.")
        if len(embedded) >= max(LONG, LONGER * self._usual):
            return (
                "too long",
                f"Its terms are spread over {len(embedded):,} chunks; usual are {self._usual:,}.",
            )
        first = next((hit.document for result in results for hit in result.hits), None)
        ahead = f", {first.short_id} {first.title} first" if first else ""
        return "outranked", f"Others have more of its terms{ahead}."

    def _eclipsing(self, document: Document, results: list[SearchResult]) -> Document | None:
        """The hit that lists a document as its duplicate, if any."""
        for result in results:
            for hit in result.hits:
                if any(duplicate.id == document.id for duplicate in hit.duplicates):
                    return hit.document
        return None

    def _number(self, document: Document) -> int:
        with self._survey.parts.store.read() as lease:
            return documents.resolve(lease, document.id)

    def _rows(self, place: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """For each chunk of a document, whether it has a vector, and its number."""
        view = self._survey.view
        assert view is not None
        here = view.document_at == place
        return view.embedded[here], view.chunk[here]

    @cached_property
    def _usual(self) -> int:
        """The median number of chunks per document."""
        view = self._survey.view
        assert view is not None
        return int(np.median(np.bincount(view.document_at, minlength=self._survey.size)))

    def _stale(self, chunk: int) -> bool:
        with self._survey.parts.store.read() as lease:
            found = documents.found(lease, [chunk])
        return chunk in found and stale(found[chunk])


def _key(survey: Survey) -> str:
    """A hash of the ranking settings that an audit depends on."""
    settings = survey.parts.settings
    chosen = (settings.profile, sorted(map(repr, settings.profiles.values())), settings.decay)
    return content_hash(repr(chosen).encode())[:12]
