"""What the table keeps of a chunk: what a search asks of words and vectors, and what a hit shows.

Words stand in it as the word index of a home has them: analysed and stemmed, joined by blanks. So Lance's
own index needs no analysis, and whoever reads a row can score it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ark_tui.index.words import analysis, cards
from ark_tui.index.words.follower import fields

if TYPE_CHECKING:
    from ark_tui.domain.documents import LiveChunk

STEMMED = ("body", "title", "heading", "before")
SPACED = ("names", "spaceless", "times")  # terms as they were made
SCORED = (*STEMMED, *SPACED)
NAMES = ("collection", "tier", "type", "layer", "source", "path", "language")
FACTS = ("chunk", "document", "ordinal", "day", "card", "earlier", "later", "first")
VECTORS = {"own": 256, "rarity": 256, "latent": 200}
SERVED = "served"  # the vector of the served model that the home has in force, where it has one
LACKING = "lacking"  # the part that has the numbers of chunks without it: a condition reads all vectors
COUNTED = (*SCORED, "exact", *(name for name in NAMES if name != "path"), "tag")
"""Fields whose terms are counted."""

FOREIGN = ("body", "title", "heading", "exact")
"""Those that are counted by language, too."""

NONE = -1  # in place of the number of a chunk that is not there


def width(dims: int) -> int:
    """Of a column for vectors of so many dimensions: its index takes them by eight."""
    return -(-dims // 8) * 8


@cache
def schema(served: int = 0) -> Any:
    """The columns. `served`: the dimensions of the served model; 0: there is none."""
    import pyarrow as pa

    made = [pa.field(SERVED, pa.list_(pa.float16(), width(served)))] if served else []  # as at home
    return pa.schema([
        *(pa.field(name, pa.int64()) for name in ("chunk", "document", "earlier", "later", "first")),
        *(pa.field(name, pa.int32()) for name in ("ordinal", "day", "since")),
        *(pa.field(name, pa.string()) for name in ("id", *NAMES, *SCORED, "exact")),
        *(pa.field(name, pa.list_(pa.string())) for name in ("tags", "within")),
        pa.field("superseded", pa.bool_()),
        pa.field("card", pa.binary()),
        pa.field("tokens", pa.list_(pa.uint16())),
        *(pa.field(name, pa.list_(pa.float32(), dims)) for name, dims in VECTORS.items()),
        *made,
    ])  # fmt: skip


def row(chunk: LiveChunk) -> dict[str, Any]:
    """The row of a chunk, without its vectors and neighbours."""
    has = fields(chunk)
    return {
        "chunk": chunk.number, "document": chunk.document, "id": chunk.document_id,
        "ordinal": chunk.ordinal, "day": chunk.day,
        "since": chunk.since, "collection": chunk.collection, "tier": chunk.tier, "type": chunk.type,
        "layer": str(chunk.layer) if chunk.layer else None, "source": chunk.source or None,
        "path": chunk.path, "language": chunk.language or None, "tags": [*chunk.tags],
        "within": above(chunk.tags),
        "superseded": chunk.superseded, "card": cards.write(chunk),
        "exact": " ".join(dict.fromkeys(analysis.plain().analyze(str(has["exact"])))),
        **{name: " ".join(analysis.stemmer().analyze(str(has.get(name, "")))) for name in STEMMED},
        **{name: " ".join(analysis.spaced().analyze(str(has.get(name, "")))) for name in SPACED},
    }  # fmt: skip


KNOWN = ("chunk", *SCORED, "exact", *(name for name in NAMES if name in COUNTED), "tags")
"""What `terms` and `lengths` need of a row."""


def written_in(field: str, language: str) -> str:
    """What a field of the texts of a language is counted as."""
    return f"{field}@{language}"


def terms(row: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The terms of a row that are counted, by field, each once."""
    yield from ((name, term) for name in (*SCORED, "exact") for term in set(row[name].split()))
    if language := row["language"]:
        yield from ((written_in(name, language), term) for name in FOREIGN for term in set(row[name].split()))
    yield from ((name, row[name]) for name in NAMES if name in COUNTED and row[name])
    yield from (("tag", tag) for tag in row["tags"])


def lengths(row: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
    """How many terms a row has in each field that is scored."""
    yield from ((name, row[name].count(" ") + 1) for name in SCORED if row[name])


def above(tags: Sequence[str]) -> list[str]:
    """Tags with those that they are below of: `garden/compost` is found by `garden`."""
    return sorted({"/".join(parts[:end]) for tag in tags for parts in [tag.split("/")]
                   for end in range(1, len(parts) + 1)})  # fmt: skip
