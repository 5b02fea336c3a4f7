"""Collections that agents fill and search, with the interface of the collection search service."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.library import ChunkHit, CollectionSize, Filled, SourceText
from ark_tui.domain.query import Mode
from ark_tui.domain.wording import counted
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp.shapes import Limit, Name, Words
from ark_tui.interfaces.mcp.tool import DROP, READ, SAME, Family
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import Json, encoded


def _explained(tool: str, error: ArkError) -> Json:
    return {"success": False, "error": error.what, "tool": tool, "hint": error.hint}


FAMILY = Family(_explained, checked=False)

Strategy = Annotated[
    Literal["auto", "markdown-headers", "code-blocks", "paragraph", "sliding-window", "symbol", "text"],
    Field(description="How texts are cut into chunks."),
]
Tokens = Annotated[int, Field(ge=16, le=8192, description="Tokens of a chunk at most.")]
Collection = Annotated[Name, Field(description="The name of a collection.")]
File = Annotated[str | None, Field(description="The path of the file, by one of both names.")]
Chunk = Annotated[Words, Field(description="A chunk, as search-query names it.")]
Model = Annotated[str | None, Field(description="The embedding model in use; another is refused.")]

MOST = 1000  # documents per call


class Handed(BaseModel):
    """A document as an agent hands it in."""

    model_config = ConfigDict(extra="forbid")

    source: Name
    title: str = ""
    content: Annotated[str, Field(min_length=1)]
    metadata: dict[str, Any] = {}


@FAMILY.tool("search-collections", READ)
def collections(engine: Engine) -> Json:
    """List the collections that can be searched, with how many chunks and tokens they hold."""
    return {"collections": [_plain(one, "sources") for one in engine.collections.sizes()]}


@FAMILY.tool("search-collection-info", READ)
def collection_info(engine: Engine, collection: Collection) -> Json:
    """Say how large one collection is and which sources it holds; zeros for an unknown one."""
    found = engine.collections.size(collection)
    return {"collection": collection, **_plain(found)}


@FAMILY.tool("search-index", SAME)
def index(
    engine: Engine,
    collection: Collection,
    documents: Annotated[list[Handed], Field(min_length=1, max_length=MOST, description="The texts.")],
    chunkStrategy: Strategy = "auto",  # noqa: N803 - the parameter's published name
    maxTokens: Tokens = 500,  # noqa: N803 - likewise
    model: Model = None,
) -> Json:
    """Put texts into a collection so that they can be searched; a source that is there is replaced."""
    _check_model(engine, model)
    texts = [
        SourceText(document.source, document.content, document.title, document.metadata)
        for document in documents
    ]
    call = Call(engine)
    found = engine.collections.fill(
        collection, texts, strategy=chunkStrategy, max_tokens=maxTokens, stop=call.stop,
        progress=call.progress,
    )  # fmt: skip
    return _filled(found)


@FAMILY.tool("search-index-file", SAME)
def index_file(
    engine: Engine,
    collection: Collection,
    path: File = None,
    filePath: File = None,  # noqa: N803 - likewise
    format: Annotated[  # noqa: A002
        Literal["markdown", "json", "text"] | None, Field(description="What it is; else by its suffix.")
    ] = None,
    chunkStrategy: Strategy = "auto",  # noqa: N803
) -> Json:
    """Put a file into a collection; only files in the folders that the user has indexed or allowed."""
    given = path or filePath
    if not given:
        raise UsageError("There is no file named.", "Give `path`.")
    file = Path(given)
    return _filled(
        engine.collections.fill_from_file(collection, file, format=format or "", strategy=chunkStrategy)
    )


@FAMILY.tool("search-reindex", DROP)
def reindex(engine: Engine, collection: Collection) -> Json:
    """Drop all chunks of a collection, so that you can index its documents anew."""
    deleted = engine.collections.drop(collection)
    said = f"{counted(deleted, 'chunk')} dropped; index the documents again with search-index."
    return {"collection": collection, "deleted": deleted, "message": said}


@FAMILY.tool("search-delete", DROP)
def delete(
    engine: Engine,
    collection: Collection,
    source: Annotated[Name | None, Field(description="One source; else all.")] = None,
) -> Json:
    """Delete one source of a collection, or all of it."""
    return {
        "deleted": engine.collections.drop(collection, source),
        "collection": collection,
        "source": source,
    }


@FAMILY.tool("search-query", READ)
def query(
    engine: Engine,
    collection: Collection,
    query: Annotated[Words, Field(description="What to look for.")],
    limit: Limit = 10,
    mode: Annotated[str, Field(description="hybrid, semantic or keyword.")] = "hybrid",
    model: Model = None,
) -> Json:
    """Search one collection chunk by chunk, by words and meaning (hybrid), or by one of them."""
    _check_model(engine, model)
    found, off = engine.collections.query(collection, query, limit, _mode(mode), Call(engine).stop)
    return {
        "results": [_result(one) for one in found],
        "count": len(found),
        "query": query,
        "collection": collection,
        "mode": mode,
        **({"off": list(off)} if off else {}),
    }


@FAMILY.tool("search-similar", READ)
def similar(
    engine: Engine,
    collection: Collection,
    chunkId: Chunk,  # noqa: N803
    limit: Limit = 10,
) -> Json:
    """Find chunks of a collection that are like one of its chunks."""
    found = engine.collections.similar(collection, chunkId, limit)
    return {"results": [_result(one) for one in found], "count": len(found), "sourceChunk": chunkId}


def _plain(found: CollectionSize | Filled, *without: str) -> Json:
    """The fields as JSON with camelCase names such as `minTokens`."""
    named = {
        re.sub("_(.)", lambda one: one[1].upper(), name): value for name, value in encoded(found).items()
    }
    return {name: value for name, value in named.items() if name not in without}


def _filled(done: Filled) -> Json:
    return {"indexed": True, **_plain(done, "dims"), "dimensions": done.dims}


def _result(hit: ChunkHit) -> Json:
    return {
        "chunkId": hit.name,
        "source": hit.document.path,
        "title": hit.document.title,
        "content": hit.text,
        "score": hit.score,
        "metadata": dict(hit.metadata),
    }


def _mode(name: str) -> Mode:
    modes: dict[str, Mode] = {"hybrid": "hybrid", "semantic": "semantic", "keyword": "keyword"}
    if name not in modes:
        raise UsageError(f"There is no mode {name}.", f"Modes: {', '.join(modes)}.")
    return modes[name]


def _check_model(engine: Engine, model: str | None) -> None:
    """Raise `UsageError` if a call names another model than the one in use."""
    if not model or model == "static":
        return
    in_use = engine.status().embedding.model
    if model != in_use:
        raise UsageError(
            f"This home searches with {in_use}, not with {model}.",
            "Leave `model` out, or have the user switch: ark-tui models --use MODEL.",
        )
