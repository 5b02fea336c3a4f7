"""Whether a text can have an identifier is seen by the kinds of its bytes: none may be missed so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.index.words import analysis

CHARACTERS = st.one_of(
    st.sampled_from("abZ1_.:->+#$ \n\t…’é\u0661\u0966\uff11\u7530\ud55c\u0e01\U0001d7d8\ud800"),
    st.characters(),
)


@given(st.text(CHARACTERS))
def test_no_identifier_of_a_word_is_missed(text: str) -> None:
    found = [name for word in text.split() for name in analysis._with_parts(word)]
    assert analysis.identifiers(text, analysis.kinds(text)) == found


@given(st.text(CHARACTERS))
def test_no_text_without_spaces_is_missed(text: str) -> None:
    found: list[str] = []
    for run in analysis.SPACELESS.findall(text):
        found += [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
    assert analysis.bigrams(text, analysis.kinds(text)) == found


@pytest.mark.parametrize("text", ["The otter’s den — 17 of 3,000 … “Really?” (No.) naïve", "Ein Über-Otter"])
def test_prose_is_not_looked_through_by_word(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_IDENTIFIERS", None)
    assert analysis.identifiers(text, analysis.kinds(text)) == []
