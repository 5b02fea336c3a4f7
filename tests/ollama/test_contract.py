"""What we rely on of an Ollama."""

from __future__ import annotations

import numpy as np
import pytest

from ark_tui.embedding.ollama import Ollama, OllamaEmbedder, same
from ark_tui.embedding.retry import NoModel, TooLong, Wrong

pytestmark = pytest.mark.ollama
TEXTS = ["The spectral gap bounds the mixing time.", "Sourdough wants time.", "A chain forgets its start."]


def test_each_model_says_what_it_is_for(server: Ollama) -> None:
    found = server.installed()
    assert all(one.name and one.digest and one.size for one in found)
    assert all(one.kind.embeds or one.kind.completes for one in found if not one.remote)


def test_vectors_are_of_one_length_in_the_order_of_the_texts(server: Ollama, embeds: str) -> None:
    made = OllamaEmbedder(server.describe(embeds), server)
    rows = made.embed_documents([*TEXTS, TEXTS[0]])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    assert rows[0] @ rows[3] > 0.99 > rows[0] @ rows[1]


def test_a_text_that_is_too_long_is_refused_and_embedded_in_pieces(server: Ollama, embeds: str) -> None:
    context = server.has(embeds).kind.context
    if not 0 < context <= 2048:
        pytest.skip(f"{embeds} takes {context} tokens: a longer text would take long.")
    long = " ".join(f"word{number}" for number in range(2 * context))
    with pytest.raises(TooLong):
        server.embed(embeds, [long])
    made = OllamaEmbedder(server.describe(embeds), server)
    assert made.embed_documents([long]).any()
    assert made.split == 1


def test_what_is_not_there_is_said_in_words(server: Ollama) -> None:
    with pytest.raises(NoModel, match="has no model ark-tui-has-none-like-this"):
        server.embed("ark-tui-has-none-like-this", TEXTS)
    with pytest.raises(Wrong, match="Ollama failed with 400"):
        server.pull("two words")


def test_a_model_under_a_name_without_its_tag_is_the_same(server: Ollama, embeds: str) -> None:
    assert same(server.has(embeds.removesuffix(":latest")).name, embeds)
