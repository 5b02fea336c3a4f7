"""Prefixes per family, the choice of `auto`, and the cutting of long texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.embedding import families
from ark_tui.embedding.retry import TooLong
from ark_tui.embedding.served import halves, in_pieces

INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("model", "document", "query"),
    [
        ("nomic-embed-text:latest", "search_document: ", "search_query: "),
        ("nomic-embed-text-v2-moe", "search_document: ", "search_query: "),
        ("mxbai-embed-large", "", "Represent this sentence for searching relevant passages: "),
        ("embeddinggemma:300m", "title: none | text: ", "task: search result | query: "),
        ("qwen3-embedding:0.6b", "", INSTRUCTION),
        ("dengcao/Qwen3-Embedding-8B:Q5_K_M", "", INSTRUCTION),
        ("BAAI/bge-large-en-v1.5", "", "Represent this sentence for searching relevant passages: "),
        ("bge-m3", "", ""),
        ("snowflake-arctic-embed:m", "", "Represent this sentence for searching relevant passages: "),
        ("snowflake-arctic-embed2", "", "query: "),
        ("intfloat/e5-base-v2", "passage: ", "query: "),
        ("multilingual-e5-large", "passage: ", "query: "),
        ("all-minilm", "", ""),
        ("text-embedding-3-small", "", ""),
        ("some-new-model", "", ""),
    ],
)
def test_each_family_has_its_prefixes(model: str, document: str, query: str) -> None:
    assert families.prefixes(model) == families.Prefixes(document, query)


def test_no_family_hides_behind_a_shorter_name() -> None:
    names = [name for name, _ in families.FAMILIES]
    assert [name for i, name in enumerate(names) if name.startswith(tuple(names[:i]))] == []


def test_auto_takes_the_best_that_is_there() -> None:
    at_hand = ["keepmini", "all-minilm:latest", "owner/mxbai-embed-large:latest", "bge-small"]
    assert sorted(at_hand, key=families.rank) == [
        "owner/mxbai-embed-large:latest", "bge-small", "all-minilm:latest", "keepmini",
    ]  # fmt: skip
    assert families.rank("minilm") == families.rank("all-minilm")
    assert [name for name in ("llama3", "mxbai-embed-large", "x/my-embedder") if families.embeds(name)] == [
        "mxbai-embed-large",
        "x/my-embedder",
    ]


@given(st.text(min_size=2))
def test_cutting_loses_nothing_and_comes_to_an_end(text: str) -> None:
    first, second = halves(text)
    assert first + second == text
    assert first
    assert second


def test_a_text_is_cut_between_paragraphs_rather_than_words() -> None:
    assert halves("one two three\n\nfour five six seven")[0] == "one two three\n\n"
    assert halves("one two. three four") == ("one two. ", "three four")


@given(st.text("ab \n", min_size=200, max_size=600))
def test_pieces_cover_the_text_once_and_average_by_length(text: str) -> None:
    seen: list[str] = []

    def one(piece: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        if len(piece) > 150:
            raise TooLong("too long")
        seen.append(piece)
        return np.array([1, 0] if len(seen) % 2 == 0 else [0, 1], dtype=np.float32)

    if not text.strip():
        return
    vector = in_pieces(text, one)
    assert "".join("".join(seen).split()) == "".join(text.split())
    weights = np.zeros(2)
    for i, piece in enumerate(seen, start=1):
        weights[i % 2] += len(piece)
    np.testing.assert_allclose(vector, weights / np.linalg.norm(weights), atol=1e-6)


def test_a_model_that_refuses_everything_is_not_asked_for_ever() -> None:
    def refuse(_: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        raise TooLong("too long")

    with pytest.raises(TooLong, match="shortest"):
        in_pieces("word " * 1000, refuse)
