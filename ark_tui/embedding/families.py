"""What each family of embedding models wants before a text, by the model's name.

The prefixes are those of the models' own cards. A model of no known family gets none.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What is put before a document's text and before a query."""

    document: str = ""
    query: str = ""

    def __bool__(self) -> bool:
        """Whether there is any."""
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
"""The first whose name begins the model's counts, so the longer of two comes first."""

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
"""Which models for embedding `auto` prefers, best first: quick ones of good quality lead."""

ALSO = {"minilm": "all-minilm"}
"""Models in process that go by another name than on a server."""


FIRST_TOKEN = ("bge-", "snowflake-arctic-embed", "mxbai-embed", "granite-embedding")
"""Families whose vector of a text is that of its first token; of all others it is the mean of all tokens."""

TRAINED_ON = {"all-minilm": 256, "minilm": 256, "paraphrase-multilingual-minilm": 128}
"""The longest texts that a family was trained on, in tokens, where it would take longer ones."""


def bare(model: str) -> str:
    """A model's name without its owner, its tag and its capitals: `Owner/Name:tag` is `name`."""
    return model.rpartition("/")[2].partition(":")[0].lower()


def prefixes(model: str) -> Prefixes:
    """What a model wants before its texts."""
    name = bare(model)
    return next((found for family, found in FAMILIES if name.startswith(family)), NONE)


def by_first_token(model: str) -> bool:
    """Whether a model's vector of a text is that of its first token."""
    return bare(model).startswith(FIRST_TOKEN)


def trained_on(model: str) -> int | None:
    """The most tokens that a model was trained on, where that is known and fewer than it takes."""
    return next((most for family, most in TRAINED_ON.items() if bare(model).startswith(family)), None)


def embeds(model: str) -> bool:
    """Whether a name is that of an embedding model."""
    name = bare(model)
    return any(name.startswith(family) for family, _ in FAMILIES) or "embed" in name


def rank(model: str) -> int:
    """How good a model for embedding is thought to be: 0 is best; those of unknown name come last."""
    name = bare(model)
    name = ALSO.get(name, name)
    return PREFERRED.index(name) if name in PREFERRED else len(PREFERRED)
