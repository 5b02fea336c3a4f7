"""Where a query matches in a text, whatever its length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.index.words import forms, terms
from ark_tui.retrieval import snippet


def found(text: str, query: str, *, typing: bool = False) -> list[str]:
    return [text[start:end] for start, end in snippet.matches(text, terms.read(query, typing=typing))]


def test_words_match_as_words_in_all_their_forms_and_never_inside_of_others() -> None:
    text = "Gaps in gap_width; the Gap, gap. Agape gapgap stopgap singapore gap"
    assert found(text, "gap") == ["Gaps", "gap_width", "Gap", "gap", "gap"]


@pytest.mark.parametrize("pad", [forms.PIECE - 2, forms.PIECE, 5 * forms.PIECE + 3])
def test_a_word_is_found_wherever_it_stands_in_a_long_text(pad: int) -> None:
    text = f"{'x ' * (pad // 2)}gap{' y' * pad}"
    assert found(text, "gap") == ["gap"]
    assert found(f"{'x' * pad}gap", "gap") == []


@given(st.text(st.sampled_from("ab _é\n"), max_size=60), st.sampled_from(["a", "ab", "ab b", "aé"]))
def test_few_and_many_matching_words_are_found_alike(text: str, query: str) -> None:
    one_by_one = found(text, query, typing=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snippet, "MANY", -1)
        assert found(text, query, typing=True) == one_by_one
