"""The tools `search`, `read`, `context` and `graph`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import UsageError
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import shapes
from ark_tui.interfaces.mcp.shapes import Limit, Words
from ark_tui.interfaces.mcp.tool import (
    NUMBER,
    READ,
    STEPS,
    TEXT,
    TEXTS,
    WHOLE,
    YES,
    Family,
    ask,
    asked,
    many,
    record,
)
from ark_tui.operations import find, links, memories, recall
from ark_tui.operations.encoding import Json

FAMILY = Family()

STEPS.update({"search": "search", "show": "read", "context": "context", "recall": "search"})

Ref = Annotated[Words, Field(description="An id or path.")]
Tier = Literal["doc", "raw", "reflection", "wiki"]
Role = Literal["researcher", "planner", "implementer", "reviewer", "triager"]

PASSAGE = 200  # lines
MOST = 50  # documents, and links between them, in a `graph` answer

PLACE = {"id": TEXT, "title": TEXT, "path": TEXT}
HIT = record(**PLACE, line=WHOLE, snippet=TEXT, score=NUMBER, tier=TEXT)
FOUND = record("hits", hits=many(HIT), retrieval_id=TEXT, abstained=YES, off=TEXTS)
PASSAGES = record("text", **PLACE, text=TEXT, more=WHOLE)
CONTEXT = record("text", "retrieval_id", text=TEXT, retrieval_id=TEXT)
GRAPH = record(
    documents=many(record(**PLACE, score=NUMBER)), paths=many(TEXTS),
    links=many(record(source=TEXT, target=TEXT, type=TEXT)),
    communities=many(record(label=TEXT, size=WHOLE, titles=TEXTS)),
)  # fmt: skip


@FAMILY.tool("search", READ, result=FOUND)
def search(
    engine: Engine,
    query: Annotated[Words, Field(description="Words, or a question.")],
    role: Annotated[Role | None, Field(description="Search what it relies on.")] = None,
    tier: Annotated[Tier | None, Field(description="Only this tier.")] = None,
    limit: Limit | None = None,
) -> Json:
    """Search the user's notes, documents, code and memories by words and meaning.

    Use it before you answer; the query may hold filters (tag:x path:docs/ before:2026-01), "exact
    phrases" and -exclusions.
    """
    if role is None:
        result = ask(engine, find.search, query=query, limit=limit, tier=tier)
    else:
        words = f"{query} tier:{tier}" if tier else query
        result = ask(engine, recall.recall, query=words, role=role, limit=limit or 10).result
    return shapes.answer(engine, result)


@FAMILY.tool("read", READ, result=PASSAGES)
def read(
    engine: Engine,
    id: Ref,  # noqa: A002 - as results call it
    start_line: Annotated[int, Field(ge=1, le=10**9, description="From here.")] = 1,
    lines: Annotated[int, Field(ge=1, le=PASSAGE, description="How many.")] = PASSAGE,
) -> Json:
    """Read a document or memory that a search found.

    Use it when a snippet is too short; go on from `more`.
    """
    passage = ask(engine, find.show, ref=id, start_line=start_line, lines=lines)
    return {
        **shapes.facts(passage.document), "text": passage.text, "more": passage.more,
    }  # fmt: skip


@FAMILY.tool("context", READ, result=CONTEXT)
def context(
    engine: Engine,
    task: Annotated[Words, Field(description="The task, in words.")],
    scopes: Annotated[
        list[str] | None, Field(max_length=100, description="Scopes whose rules also apply, e.g. src/ci.")
    ] = None,
    budget: Annotated[int, Field(ge=150, le=100_000, description="150 to 100,000 tokens.")] = 2000,
) -> Json:
    """Gather what is known about a task: rules, proven solutions, facts, passages.

    Use it once when a task begins; keep its `retrieval_id` for outcome.
    """
    return asked(engine, memories.context, query=task, scopes=tuple(scopes or ()), budget=budget)


@FAMILY.tool("graph", READ, result=GRAPH)
def graph(
    engine: Engine,
    action: Literal["neighbors", "paths", "common", "communities", "central", "bridges"],
    id: Annotated[Ref | None, Field(description="A document (neighbors, paths, common).")] = None,  # noqa: A002
    other: Annotated[Ref | None, Field(description="The other one (paths, common).")] = None,
    depth: Annotated[int, Field(ge=1, le=5, description="Links to follow.")] = 1,
) -> Json:
    """Follow the links between documents: around one, between two, groups, the most central.

    Use it when a question is about how things are related.
    """
    match action, id, other:
        case "neighbors", str(), None:
            found = ask(engine, links.subgraph, root=id, depth=depth)
            return {"documents": _documents(found.nodes), "links": _links(found.edges)}
        case "paths", str(), str():
            ways = ask(engine, links.paths, source=id, target=other).paths
            return {
                "paths": [[one.id for one in way] for way in ways],
                "documents": _documents({one.id: one for way in ways for one in way}.values()),
            }
        case "common", str(), str():
            return {"documents": _documents(ask(engine, links.common, a=id, b=other).documents)}
        case "communities", None, None:
            return {"communities": [_community(one) for one in ask(engine, links.communities).communities]}
        case "central" | "bridges", None, None:
            ranked = ask(engine, links.central if action == "central" else links.bridges)
            return {"documents": [{**shapes.facts(one.document), "score": one.score} for one in ranked]}
    needs = {"neighbors": "id alone", "paths": "id and other", "common": "id and other"}
    raise UsageError(
        f"{action} takes {needs.get(action, 'neither id nor other')}.", "Call graph again with these."
    )


def _documents(found: Iterable[Document]) -> list[Json]:
    return [shapes.facts(one) for one in list(found)[:MOST]]


def _links(found: Iterable[Any]) -> list[Json]:
    return [{"source": one.source, "target": one.target, "type": one.type} for one in list(found)[:MOST]]


def _community(found: Any) -> Mapping[str, Any]:
    titles = [one.title or one.path for one in found.documents[:10]]
    return {"label": found.label, "size": found.size, "titles": titles}
