"""Which words of a text have a stem, found by sets, is what stemming each word says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ark_tui.index.words import forms, terms

SIGNS = st.sampled_from([*"aegnrsy", "gap", "graph", "ing", "s", "_", "é", "Ä", " ", "\n", "-", "."])
TEXTS = st.lists(SIGNS, max_size=40).map("".join)


@given(TEXTS, st.sampled_from(["gaps", "graphing", "gap_graph", "é", "ärger"]))
def test_the_forms_of_stems_are_the_words_that_stem_to_them(text: str, query: str) -> None:
    stems = terms.read(query).stems
    words = forms.written(text)
    expected = {
        word for word in words if {terms.stem(part) for part in terms.words(word)}.intersection(stems)
    }
    assert forms.of(words, stems) == expected


@given(TEXTS, st.sampled_from(["gaps graphing", "é gap", "rings"]))
def test_the_stems_that_a_text_has_are_those_of_its_words(text: str, query: str) -> None:
    stems = terms.read(query).stems
    assert forms.had(text, stems) == {terms.stem(word) for word in terms.words(text)}.intersection(stems)
