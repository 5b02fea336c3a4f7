"""What a search reads of the tokenizer alone has the very tokens that the tokenizer has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.embedding import static

WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)


def told(text: str) -> list[int]:
    ids: list[int] = static.tokenizer().encode(text, add_special_tokens=False).ids
    return ids


@given(TEXTS)
def test_a_text_in_ascii_has_the_tokens_that_the_tokenizer_says(text: str) -> None:
    assert static.of_query(text).tolist() == told(text)


@pytest.mark.parametrize(
    "text", ["", "Bücher über Otter", "two  spaces", "a line\nbreak", "<s> a mark", "日本語", "x" * 200]
)
def test_what_is_no_plain_text_goes_to_the_tokenizer(text: str) -> None:
    assert static.of_query(text).tolist() == static.tokens([text])[0].tolist()


@given(st.lists(st.integers(0, static.VOCABULARY - 1) | st.integers(0, 300), max_size=20))
def test_tokens_spell_what_the_tokenizer_says(ids: list[int]) -> None:
    assert static.pieces().text(ids) == static.tokenizer().decode(ids)


@pytest.mark.parametrize("word", ["x\U0001f9ec", "gr\u00f6\u00dfe\u2603", "na\u00efve"])
def test_a_word_may_have_characters_that_are_no_pieces(word: str) -> None:
    assert list(static.pieces().of_word(word)) == told(word)
