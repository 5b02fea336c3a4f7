"""Why a document stands where it stands, or is not listed, and what would change that."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from ark_tui.domain.hits import Against, Beside, Explained, ExplainedPart, Hit
from ark_tui.domain.query import Request
from ark_tui.domain.whynot import WhyNot
from ark_tui.operations.call import Call
from ark_tui.operations.find import (
    Adjust,
    ByProfile,
    Documents,
    OfTier,
    OfType,
    Only,
    RankedBy,
    Superseded,
    Within,
    request_of,
)
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Limit, Line, Query, Ref

FAMILY = "find"


@operation(
    "explain", Effect.READS, route="GET /explain", tool="explain", family="search", heavy=True,
    example="ark-tui explain theory/gap.md spectral gap",
)  # fmt: skip
def explain(
    call: Call,
    id: Ref,
    query: Query,
    limit: Annotated[Limit, Param("How far down to look, in results.", example=50)] = 50,
    against: Annotated[
        str,
        Param("Another result, to compare the two signal by signal.", example="theory/expander.md",
              metavar="REF"),
    ] = "",
) -> Explained:  # fmt: skip
    """Say why a document ranks where it does for a query: every signal's raw value, rank and share.

    With what ranks it above the next one, and for each part what in the text earned it. A second result
    adds the difference that each signal makes.
    """
    wanted = call.engine.document(id)
    other = call.engine.document(against) if against else None
    request = Request(query, limit=limit, superseded=True, explain=True, unlogged=True)
    result = call.engine.search(request)
    hits = {hit.document.id: hit for hit in result.hits}
    for one in (wanted, other):
        if one is not None and one.id not in hits:
            note = f"{one.called} is not among the first {limit} results."
            return Explained(wanted, None, note=note, off=result.off)
    hit = hits[wanted.id]
    about = {signal.name: signal.about for signal in call.engine.signals()}
    parts = tuple(ExplainedPart(part, about[part.name]) for part in hit.parts)
    return Explained(
        wanted, hit.rank, hit.score, parts, hit.multipliers, off=result.off, why=hit.why,
        against=_against(hit, hits[other.id]) if other else None,
    )  # fmt: skip


def _against(first: Hit, second: Hit) -> Against:
    theirs = {part.name: part for part in second.parts}
    mine = {part.name: part for part in first.parts}

    def beside(name: str) -> Beside:
        one, two = mine.get(name), theirs.get(name)
        shares = [part.contribution if part else 0.0 for part in (one, two)]
        return Beside(name, one, two, first.factor * (shares[0] - shares[1]))

    rest = (first.factor - second.factor) * sum(part.contribution for part in second.parts)
    names = dict.fromkeys((*mine, *theirs))
    return Against(second.document, second.rank, second.score, tuple(map(beside, names)), rest)


@operation(
    "why-not", Effect.READS, route="GET /why-not", family="curation", heavy=True,
    example="ark-tui why-not spectral gap tag:markov --doc theory/gap.md",
)  # fmt: skip
def why_not(
    call: Call,
    query: Query,
    doc: Annotated[
        Line,
        Param(
            "What was expected: a document by its id, path or file name, a chunk by its id, or a file.",
            example="theory/gap.md", metavar="REF",
        ),
    ],
    limit: Annotated[Documents | None, Param("How many documents the search lists; else 10.")] = None,
    mode: RankedBy = None,
    profile: ByProfile = "",
    collection: Within = None,
    tags: Only = (),
    type: OfType = None,
    tier: OfTier = None,
    superseded: Superseded = False,
    adjust: Adjust = (),
) -> WhyNot:  # fmt: skip
    """Say why a search does not list a document, and what would bring it up.

    It names the first cause that applies: its file is not indexed, an index has not caught up, it is hidden
    (trash, superseded, near-duplicate, expired), a filter or -word of the query excludes it, low confidence,
    or other documents rank above it. It tells its rank by each signal, and commands that would list it;
    those with a rank were tried.
    """
    given = {
        "limit": limit, "mode": mode, "profile": profile or None, "superseded": superseded or None,
        "adjust": adjust or None,
    }  # fmt: skip
    request = request_of(call, query, given, tags, collection=collection, type=type, tier=tier)
    return told(call, call.engine.why_not(request, doc, call.stop, person=call.person))


def told(call: Call, found: WhyNot) -> WhyNot:
    """The answer for whoever asks: programs are not told where folders are."""
    remedies = tuple(replace(one, what=call.unplaced(one.what)) for one in found.remedies)
    return replace(found, sentence=call.unplaced(found.sentence), remedies=remedies)
