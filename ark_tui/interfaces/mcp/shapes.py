"""Documents and hits in the JSON that agents expect, limited for a context window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ark_tui.domain.documents import Document
from ark_tui.domain.hits import Hit, Part, SearchResult
from ark_tui.interfaces.mcp.tool import as_text
from ark_tui.operations.encoding import Json, picked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.engine import Engine

Words = Annotated[str, Field(min_length=1, max_length=10_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Limit = Annotated[int, Field(ge=1, le=50, description="How many.")]
Whole = Annotated[int, Field(ge=-(10**15), le=10**15)]
Count = Annotated[int, Field(ge=0, le=10**15)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Tier = Annotated[Literal["doc", "raw", "reflection", "wiki", "any"], Field(description="Only of this tier.")]

TEN = 1200  # tokens of an answer with up to ten hits, counted by `memory.length`
FACTS = ("id", "title", "path", "type", "date", "tags")

WORDS, MEANING = "bm25", ("cosine", "static")
"""The signals of `fts_score` and `vec_distance`; the cosine of a served model precedes the static one."""


def facts(document: Document) -> Json:
    """The identifying fields of a document."""
    told = picked(document, FACTS)
    return {name: told[name] for name in FACTS}


def hit(found: Hit, *, brief: bool = False) -> Json:
    """A hit; unless `brief`, `answer` fills in its snippet."""
    document = found.document
    about = {**facts(document), "score": round(found.score, 3)}
    if document.tier != "doc":
        about["tier"] = document.tier
    if found.band != "answer":
        about["band"] = found.band
    if brief:
        del about["path"]
        return about
    return {**about, "line": found.snippet.start_line, "snippet": ""}


def answer(engine: Engine, result: SearchResult, told: Json | None = None, *, brief: bool = False) -> Json:
    """Hits with remarks on the whole result, limited for a context window.

    The tokens that `TEN` leaves for snippets are distributed over the hits; higher ranks get more, and unused
    tokens go to later hits.
    """
    hits = [hit(one, brief=brief) for one in result.hits]
    whole = {"hits": hits, **(told or {}), **remarks(result)}
    if not brief:
        length = engine.memory.length
        left = max(TEN, TEN * len(hits) // 10) - length(as_text(whole))
        for place, (about, one) in enumerate(zip(hits, result.hits, strict=True)):
            room = 2 * left // (len(hits) - place + 1)
            about["snippet"], tokens = _fitting(one.snippet.text, room, length)
            left -= tokens
    return whole


def _fitting(text: str, room: int, length: Callable[[str], int]) -> tuple[str, int]:
    """Cut a text to a number of tokens; returns it with its token count."""
    while (tokens := length(as_text(text))) > room and text:
        text = text[: min(len(text) - 1, len(text) * max(room, 0) // tokens)].rstrip()
    return text, tokens


def chunk(found: Hit) -> Json:
    """The location of a hit and its best matching chunk."""
    return {
        "tier": found.document.tier,
        "collection": found.document.collection,
        "lines": list(found.snippet.lines),
        "chunk_index": found.chunk.ordinal,
        "char_start": found.chunk.start_char,
        "char_end": found.chunk.end_char,
        "context_prefix": found.chunk.heading,
        "best_chunk_id": found.chunk.id,
    }


def diagnostics(found: Hit, *, rerank: bool) -> Json:
    """The signals that found a hit, with their raw values."""
    parts: dict[str, Part] = {part.name: part for part in found.parts if part.rank is not None}
    near = next((parts[name].raw for name in MEANING if name in parts), None)
    return {
        **({} if found.chance is None else {"chance": round(found.chance, 2)}),
        "fts_score": parts[WORDS].raw if WORDS in parts else None,
        "vec_distance": None if near is None else 1 - near,
        "hit_sources": sorted(parts),
        **({"why": found.why.sentence} if found.why else {}),
        **({"rerank_score": round(found.score, 3)} if rerank else {}),
    }


def remarks(result: SearchResult) -> Json:
    """Remarks on a result as a whole: abstained, truncated, signals that are off."""
    return {
        "retrieval_id": result.retrieval_id,
        **({"abstained": True} if result.abstained else {}),
        **({"truncated": True} if result.truncated else {}),
        **({"off": list(result.off)} if result.off else {}),
    }
