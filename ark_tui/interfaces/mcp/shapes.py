"""Documents and hits in the shapes that agents know, sized for a context window."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ark_tui.domain.documents import Document
from ark_tui.domain.hits import Hit, Part, SearchResult
from ark_tui.operations.encoding import Json, picked

Words = Annotated[str, Field(min_length=1, max_length=10_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Limit = Annotated[int, Field(ge=1, le=50)]
Whole = Annotated[int, Field(ge=-(10**15), le=10**15)]
Count = Annotated[int, Field(ge=0, le=10**15)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Tier = Literal["doc", "raw", "reflection", "wiki", "any"]

SNIPPET = 300  # characters
FACTS = ("id", "title", "path", "type", "date", "tags")

WORDS, MEANING = "bm25", ("cosine", "static")
"""The signals behind `fts_score` and `vec_distance`; a served model's cosine counts before the static one."""


def facts(document: Document) -> Json:
    """What a document is called, where it lies, and what it is about."""
    told = picked(document, FACTS)
    return {name: told[name] for name in FACTS}


def hit(found: Hit, *, brief: bool = False) -> Json:
    """A document in the results."""
    about = {**facts(found.document), "score": found.score}
    if found.chance is not None:
        about["chance"] = round(found.chance, 2)
    if found.band != "answer":
        about["band"] = found.band
    if brief:
        del about["path"]
        return about
    return {**about, "snippet": found.snippet.text[:SNIPPET]}


def chunk(found: Hit) -> Json:
    """Which piece of the document matched."""
    return {
        "chunk_index": found.chunk.ordinal,
        "char_start": found.chunk.start_char,
        "char_end": found.chunk.end_char,
        "context_prefix": found.chunk.heading,
        "best_chunk_id": found.chunk.id,
    }


def diagnostics(found: Hit, *, rerank: bool) -> Json:
    """Which sides found it, and how well."""
    parts: dict[str, Part] = {part.name: part for part in found.parts if part.rank is not None}
    near = next((parts[name].raw for name in MEANING if name in parts), None)
    return {
        "fts_score": parts[WORDS].raw if WORDS in parts else None,
        "vec_distance": None if near is None else 1 - near,
        "hit_sources": sorted(parts),
        **({"why": found.why.sentence} if found.why else {}),
        **({"rerank_score": found.score} if rerank else {}),
    }


def remarks(result: SearchResult) -> Json:
    """What an agent has to know of an answer as a whole, where there is anything."""
    return {
        "retrieval_id": result.retrieval_id,
        **({"abstained": True} if result.abstained else {}),
        **({"truncated": True} if result.truncated else {}),
        **({"off": list(result.off)} if result.off else {}),
    }
