"""Search with reasons, similar documents, and reading texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from ark_tui.domain.documents import Passage, Tier
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.hits import Hit, SearchResult
from ark_tui.domain.query import SAVED, Every, Filters, Has, Kind, Mode, Request
from ark_tui.domain.searches import Retrieval
from ark_tui.domain.whynot import Against, Beside, Explained, ExplainedPart
from ark_tui.operations.call import Call
from ark_tui.operations.operation import Effect, Param, operation
from ark_tui.operations.params import Limit, Line, Name, Query, Ref, Tags

WIDE = 3  # links that `graph` follows from a hit

Documents = Annotated[Limit, Param("How many documents at most, 1 to 1,000.")]
Only = Annotated[Tags, Param("Only with this tag; of several, with all of them.")]
RankedBy = Annotated[Mode | None, Param("What to rank by; else hybrid.")]
ByProfile = Annotated[
    str, Param("The ranking profile; else that of the settings.", example="ark", metavar="NAME")
]
Within = Annotated[Name | None, Param("Only in this collection.", example="notes", metavar="NAME")]
OfType = Annotated[Name | None, Param("Only of this type.", example="adr", metavar="TYPE")]
OfTier = Annotated[Tier | None, Param("Only of this tier.")]
Adjust = Annotated[
    tuple[Line, ...],
    Param(
        "Change the profile for this search; may be given several times.",
        example=("weight.bm25=0.3",), option="--set", metavar="KEY=VALUE",
    ),
]  # fmt: skip
Superseded = Annotated[bool, Param("List superseded documents, too, with their successors.", example=True)]
Document = Annotated[
    Ref,
    Param("A document: its id, path or file name; of a chunk the id, of lines PATH:FROM:COUNT."),
]


@operation(
    "search", Effect.READS, route="POST /search", heavy=True, owned=True,
    example='ark-tui search spectral gap tag:theory -draft "mixing time" --explain',
)  # fmt: skip
def search(
    call: Call,
    query: Query,
    limit: Annotated[Documents | None, Param("How many documents at most, 1 to 1,000; else 10.")] = None,
    mode: RankedBy = None,
    profile: ByProfile = "",
    collection: Within = None,
    tags: Only = (),
    type: OfType = None,
    tier: OfTier = None,
    superseded: Superseded = False,
    below: Annotated[bool, Param("List low-confidence results, too.", example=True)] = False,
    expand: Annotated[
        bool | None, Param("Ask the chat model for more terms, or not; else for vague queries.")
    ] = None,
    without: Annotated[
        tuple[Name, ...],
        Param(
            "Do not expand the query by this term; may be given several times.",
            example=("matrix",),
            metavar="TERM",
        ),
    ] = (),
    graph: Annotated[bool, Param(f"Follow links further: {WIDE} steps.", example=True)] = False,
    hops: Annotated[
        int | None, Param("Follow links this many steps, 0 to 5.", example=2, least=0, most=5)
    ] = None,
    mmr: Annotated[
        float | None,
        Param(
            "Variety, 0 to 1: less means more variety, 1 switches it off.",
            example=0.7,
            least=0,
            most=1,
            metavar="L",
        ),
    ] = None,
    literally: Annotated[
        tuple[Line, ...],
        Param(
            "Read these words of the query as text, not as a time or an exclusion; may be given "
            "several times.",
            example=("last week",),
            metavar="WORDS",
        ),
    ] = (),
    rerank: Annotated[
        bool | None, Param("Let a re-ranker read the best twenty, or not; else as the profile says.")
    ] = None,
    reranker: Annotated[
        str, Param("The re-ranker; llm is the chat model.", example="ms-marco-minilm", metavar="NAME")
    ] = "",
    explain: Annotated[
        bool,
        Param(
            "Show for each hit why it ranks above the next, and for each part of its score what in the text "
            "comes from.",
            example=True,
        ),
    ] = False,
    adjust: Annotated[Adjust, Param(example=("weight.bm25=0.3", "k=60"))] = (),
    from_: Annotated[
        str,
        Param(
            "Search the table that a home has published at this place; its scores are LanceDB's.",
            example="s3://bucket/notes",
            option="--from",
            wire="table",
            metavar="URI",
            personal=True,
        ),
    ] = "",
) -> SearchResult:
    """Search, and see why each hit is there.

    All words are the query, also those that begin with a dash. Filters: in:COLLECTION tag:T path:P tier:T
    type:T before:2026-01 after:last-month. A "quoted phrase" must occur as written, -word excludes a word, OR
    joins alternatives, (parentheses) group: walk (tag:a OR "b c") -draft. "not about X" ranks X lower, and
    "in March 2026" or "last week" ranks texts from that time higher. @NAME runs a saved search; more words
    after it narrow it.
    """
    if not query.strip():
        raise UsageError("There is nothing to search for.", "Give some words, as in: spectral gap")
    given = {
        "limit": limit, "mode": mode, "profile": profile or None, "superseded": superseded or None,
        "below": below or None, "expand": expand, "without": without or None,
        "literally": literally or None,
        "rerank": rerank, "reranker": reranker or None, "explain": explain or None,
        "hops": WIDE if graph and hops is None else hops,
        "adjust": (*adjust, *(() if mmr is None else (f"mmr={mmr:g}",))) or None,
    }  # fmt: skip
    request = request_of(call, query, given, tags, collection=collection, type=type, tier=tier)
    if from_:
        from ark_tui.engine import publishing

        return publishing.search(call.engine, from_, request)
    return call.engine.search(request, call.stop)


def saved(call: Call, query: str) -> Request | None:
    """The saved search named at the start of a query; None if there is none."""
    if not query.startswith(SAVED) or call.confined:
        return None
    return call.engine.curation.asked(query)


def request_of(
    call: Call, query: str, given: Mapping[str, object], tags: tuple[str, ...], **only: str | None
) -> Request:
    """The request of a query line or of its saved search, with further arguments except None."""
    request = saved(call, query) or Request(query, agent=call.scope.agent if call.principal else call.agent)
    filters = _narrowed(request.filters, tags, **only)
    changes = {name: value for name, value in given.items() if value is not None}
    return replace(request, filters=filters, **changes)  # type: ignore[arg-type]


def _narrowed(filters: Filters, tags: tuple[str, ...], **only: str | None) -> Filters:
    """Add filters for collection, type, tier and tags."""
    kinds: tuple[Kind, ...] = ("collection", "type", "tier")
    for kind in (one for one in kinds if only[one]):
        value = str(only[kind])
        if getattr(filters, f"{kind}s"):
            parts = (*((filters.where,) if filters.where else ()), Has(kind, value))
            filters = replace(filters, where=Every(parts))
        else:
            filters = replace(filters, **{f"{kind}s": (value,)})  # type: ignore[arg-type]
    return replace(filters, tags=(*filters.tags, *tags))


@operation(
    "similar", Effect.READS, command="doc similar", route="GET /similar", heavy=True, owned=True,
    example="ark-tui doc similar theory/gap.md --in notes",
)  # fmt: skip
def similar(
    call: Call,
    ref: Document,
    limit: Documents = 10,
    collections: Annotated[
        tuple[Name, ...],
        Param(
            "Only in this collection; of several, in one of them.",
            example=("notes",),
            option="--in",
            metavar="NAME",
        ),
    ] = (),
    tags: Only = (),
) -> SearchResult:
    """Find documents that are similar to a document or a chunk.

    It compares stored vectors and calls no model.
    """
    return call.engine.similar(ref, limit, Filters(collections=collections, tags=tags))


@operation(
    "show", Effect.READS, route="GET /documents", owned=True, example="ark-tui show theory/gap.md:41:10"
)
def show(
    call: Call,
    ref: Document,
    query: Annotated[
        str, Param("Mark what matches these words.", example="spectral gap", short="-q", metavar="TEXT")
    ] = "",
    start_line: Annotated[int, Param("The first line to show, from 1.", example=41, least=1, most=10**9)] = 1,
    lines: Annotated[
        int | None, Param("How many lines at most; else all.", example=40, least=1, most=10**9)
    ] = None,
) -> Passage:
    """Print a document's text, a chunk's, or some lines of it. It counts as opened."""
    passage = call.engine.show(ref, query, hidden=not call.person)
    uncounted = call.engine.opened(passage.document.id)
    if not call.person:
        passage = replace(passage, file="")
    return replace(passage.window(start_line, lines), uncounted=uncounted.what if uncounted else "")


@operation(
    "explain", Effect.READS, route="GET /explain", heavy=True,
    example="ark-tui explain theory/gap.md spectral gap",
)  # fmt: skip
def explain(
    call: Call,
    id: Annotated[Ref, Param("A document: its id, path or file name, or a file.", metavar="DOC")],
    query: Query,
    limit: Annotated[Limit, Param("How far down to look, in results.", example=50)] = 50,
    against: Annotated[
        str,
        Param("Another result, to compare the two signal by signal.", example="theory/expander.md",
              metavar="OTHER"),
    ] = "",
    profile: ByProfile = "",
    superseded: Superseded = False,
    adjust: Adjust = (),
) -> Explained:  # fmt: skip
    """Say why a document ranks where it does for a query, or why it is not among the results.

    For a result: the raw value, rank and share of every signal, and what in the text it comes from. With a
    second result, also the difference that each signal makes. For a document that is not listed: the first
    cause that applies (its file is not indexed, an index has not caught up, it is hidden, a filter or -word
    of the query excludes it, low confidence, or other documents rank above it), its rank by each signal, and
    commands that would list it. Those with a rank were tried.
    """
    given = {
        "limit": limit, "profile": profile or None, "superseded": superseded or None,
        "adjust": adjust or None, "explain": True, "unlogged": True,
    }  # fmt: skip
    request = request_of(call, query, given, (), collection=None, type=None, tier=None)
    result = call.engine.search(request)
    hits = {hit.document.id: hit for hit in result.hits}
    listed = {}
    for ref in filter(None, (id, against)):
        try:
            listed[ref] = hits[call.engine.document(ref).id]
        except (NotFound, KeyError):
            return _missing(call, request, ref)
    hit = listed[id]
    about = {signal.name: signal.about for signal in call.engine.signals()}
    parts = tuple(ExplainedPart(part, about[part.name]) for part in hit.parts)
    return Explained(
        hit.document, hit.rank, hit.score, parts, hit.multipliers, off=result.off, why=hit.why,
        against=_against(hit, listed[against]) if against else None,
    )  # fmt: skip


def _missing(call: Call, request: Request, ref: str) -> Explained:
    """Explain why a document is not among the results. Raises `NotFound` for an unknown one."""
    from ark_tui.engine import whynot

    found = whynot.why_not(call.engine, request, ref, call.stop, person=call.person)
    remedies = tuple(replace(one, what=call.unplaced(one.what)) for one in found.remedies)
    found = replace(found, sentence=call.unplaced(found.sentence), remedies=remedies)
    if found.document is None:
        raise NotFound(found.sentence, remedies[0].what if remedies else "")
    note = f"{found.document.called} is not among the first {request.limit} results."
    return Explained(found.document, None, note=note, off=found.off, missing=found)


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
    "searches", Effect.READS, command="history searches", route="GET /searches", listed="searches",
    example="ark-tui history searches -n 5",
)  # fmt: skip
def searches(call: Call, limit: Annotated[Limit, Param(example=20)] = 20) -> tuple[Retrieval, ...]:
    """List the searches that were run, the newest first.

    Searches that were only typed are not logged.
    """
    from ark_tui.engine import searches

    return searches.latest(call.engine, limit)
