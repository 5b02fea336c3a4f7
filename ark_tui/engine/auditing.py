"""Findability audit: search for each document by its own salient terms, with the standard search.

A document counts as not found if two such queries do not return it among the first ten hits; its cause is the
one that `why_not` gives for the first query. Of more than 100 documents, an evenly spaced sample is tested.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.analysis.terms import counted, salient
from ark_tui.domain.analysis import Audit, Unfound
from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import Hint
from ark_tui.domain.protocols import check
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.engine import whynot
from ark_tui.store import documents, overview

if TYPE_CHECKING:
    from ark_tui.engine.survey import Survey

ALL = 100  # most documents to test
DEEP = 10  # hits that should contain the document
PER_PROBE = 4  # terms
PROBES = 2
CHARACTERS = 20_000  # of a document, from which its terms are taken
STAGE = "audit"


def audit(survey: Survey) -> Audit:
    """Audit the documents, unless this corpus was audited with this ranking already."""
    if not survey.size:
        return Audit(notice=Hint.run("index", say="There are no documents yet. Index a folder: `{}`."))
    return survey.measured(f"audit-{_key(survey)}", lambda: _audited(survey))


def _audited(survey: Survey) -> Audit:
    survey.parts.words.refresh()
    asked = min(survey.size, ALL)
    profile, unfound = "", list[Unfound]()
    for done, place in enumerate(np.linspace(0, survey.size - 1, asked).astype(int).tolist()):
        check(survey.stop)
        survey.progress(Progress(STAGE, done, asked))
        number = int(survey.numbers[place])
        with survey.parts.store.read() as lease:
            text = overview.beginnings(lease, [number], CHARACTERS).get(number)
            document = documents.documents(lease, [number]).get(number)
        if text is None or document is None:  # deleted meanwhile
            continue
        words = salient(counted(text), survey.parts.words.idf, PROBES * PER_PROBE)
        probes = tuple(" ".join(words[at : at + PER_PROBE]) for at in range(0, len(words), PER_PROBE))
        if not probes:
            unfound.append(Unfound(document, "no words", "It has no word to search for."))
            continue
        for probe in probes:
            result = survey.parts.search(_request(probe), survey.stop)
            profile = result.profile
            if any(hit.document.id == document.id for hit in result.hits):
                break
        else:
            found = whynot.cause(survey.parts, _request(probes[0], profile), number, survey.stop)
            unfound.append(Unfound(document, found.cause, found.sentence, probes, found.document))
    survey.progress(Progress(STAGE, asked, asked))
    counts = Counter(one.cause for one in unfound)
    sampled = f"{asked:,} of {survey.size:,} documents were probed, evenly drawn."
    notice = sampled if asked < survey.size else ""
    return Audit(
        survey.size, asked, asked - len(unfound), tuple(unfound), dict(counts.most_common()), profile, notice
    )


def _request(probe: str, profile: str = "") -> Request:
    return Request(probe, limit=DEEP, literal=True, below=True, unlogged=True, profile=profile)


def _key(survey: Survey) -> str:
    """A hash of the ranking settings that an audit depends on."""
    settings = survey.parts.settings
    chosen = (settings.profile, sorted(map(repr, settings.profiles.values())), settings.decay)
    return content_hash(repr(chosen).encode())[:12]
