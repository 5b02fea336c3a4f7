"""Text prefixes and other properties of embedding model families, by the model's name.

The prefixes are taken from the model cards. Unknown models get none.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Prefixes for documents and for queries."""

    document: str = ""
    query: str = ""

    def __bool__(self) -> bool:
        """Whether any prefix is set."""
        return bool(self.document or self.query)


NONE = Prefixes()
TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"
SEARCH = "Represent this sentence for searching relevant passages: "

FAMILIES: tuple[tuple[str, Prefixes], ...] = (
    ("nomic-embed-text", Prefixes("search_document: ", "search_query: ")),
    ("nomic-embed-code", Prefixes("", "Represent this query for searching relevant code: ")),
    ("embeddinggemma", Prefixes("title: none | text: ", "task: search result | query: ")),
    ("mxbai-embed", Prefixes("", SEARCH)),
    ("snowflake-arctic-embed2", Prefixes("", "query: ")),
    ("snowflake-arctic-embed-l-v2", Prefixes("", "query: ")),
    ("snowflake-arctic-embed-m-v2", Prefixes("", "query: ")),
    ("snowflake-arctic-embed", Prefixes("", SEARCH)),
    ("bge-m3", NONE),
    ("bge-", Prefixes("", SEARCH)),
    ("qwen3-embedding", Prefixes("", f"{TASK}Query:")),
    ("e5-mistral", Prefixes("", f"{TASK}Query: ")),
    ("multilingual-e5-large-instruct", Prefixes("", f"{TASK}Query: ")),
    ("multilingual-e5", Prefixes("passage: ", "query: ")),
    ("e5-", Prefixes("passage: ", "query: ")),
    ("all-minilm", NONE),
    ("granite-embedding", NONE),
    ("paraphrase-multilingual", NONE),
    ("text-embedding-", NONE),
)
"""The first entry whose name is a prefix of the model's name counts, so longer names come first."""

PREFERRED = (
    "nomic-embed-text",
    "embeddinggemma",
    "mxbai-embed-large",
    "snowflake-arctic-embed2",
    "qwen3-embedding",
    "bge-m3",
    "snowflake-arctic-embed",
    "bge-large",
    "granite-embedding",
    "bge-small",
    "e5-small",
    "paraphrase-multilingual",
    "all-minilm",
)
"""The order in which `auto` prefers embedding models: fast ones of good quality first."""

ALSO = {"minilm": "all-minilm"}
"""Local models with a different name than on a server."""


FIRST_TOKEN = ("bge-", "snowflake-arctic-embed", "mxbai-embed", "granite-embedding")
"""Families with first-token (CLS) pooling; all others use mean pooling."""

TRAINED_ON = {"all-minilm": 256, "minilm": 256, "paraphrase-multilingual-minilm": 128}
"""Maximum text length in training, in tokens, for families that accept longer texts."""


def bare(model: str) -> str:
    """A model's name in lower case, without owner and tag: `Owner/Name:tag` is `name`."""
    return model.rpartition("/")[2].partition(":")[0].lower()


def prefixes(model: str) -> Prefixes:
    """The prefixes of a model."""
    name = bare(model)
    return next((found for family, found in FAMILIES if name.startswith(family)), NONE)


def by_first_token(model: str) -> bool:
    """Whether a model uses first-token (CLS) pooling."""
    return bare(model).startswith(FIRST_TOKEN)


def trained_on(model: str) -> int | None:
    """The maximum text length in training, in tokens; None if unknown."""
    return next((most for family, most in TRAINED_ON.items() if bare(model).startswith(family)), None)


def embeds(model: str) -> bool:
    """Whether a name looks like that of an embedding model."""
    name = bare(model)
    return any(name.startswith(family) for family, _ in FAMILIES) or "embed" in name


def rank(model: str) -> int:
    """Rank of an embedding model by expected quality: 0 is best, unknown names come last."""
    name = bare(model)
    name = ALSO.get(name, name)
    return PREFERRED.index(name) if name in PREFERRED else len(PREFERRED)
