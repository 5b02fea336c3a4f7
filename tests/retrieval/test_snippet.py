"""Where a query matches in a text, whatever its length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain import unicode
from ark_tui.index.words import terms
from ark_tui.retrieval import snippet


def found(text: str, query: str, *, typing: bool = False) -> list[str]:
    return [text[start:end] for start, end in snippet.matches(text, terms.read(query, typing=typing))]


def test_words_match_as_words_in_all_their_forms_and_never_inside_of_others() -> None:
    text = "Gaps in gap_width; the Gap, gap. Agape gapgap stopgap singapore gap"
    assert found(text, "gap") == ["Gaps", "gap_width", "Gap", "gap", "gap"]


def test_the_last_word_matches_as_a_prefix_while_typing() -> None:
    assert found("Gaps, gapless", "gapl") == []
    assert found("Gaps, gapless", "gapl", typing=True) == ["gapless"]


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("in the fore\u0302t today", "for\u00eat", "fore\u0302t"),
        ("in the for\u00eat today", "fore\u0302t", "for\u00eat"),
        ("one caf&eacute; more", "caf\u00e9", "caf&eacute;"),
        ("one caf&#233; more", "cafe", "caf&#233;"),
        ("a \u05e9\u05b8\u05c1\u05dc b", "\u05e9\u05dc", "\u05e9\u05b8\u05c1\u05dc"),
        ("a \u0643\u0650\u062a\u064e\u0628 b", "\u0643\u062a\u0628", "\u0643\u0650\u062a\u064e\u0628"),
        ("x \u1112\u1161\u11ab\u1100\u1173\u11af y", "\ud55c\uae00", "\u1112\u1161\u11ab\u1100\u1173\u11af"),
    ],
)  # fmt: skip
def test_the_original_spelling_is_marked_whatever_the_form_of_the_query(
    text: str, query: str, marked: str
) -> None:
    assert found(text, query) == [marked]


@given(st.text(st.sampled_from("ae\u0302\u00ea&;\u1112\u1161\u11ab \u05c1"), max_size=40))
def test_every_place_of_a_normal_text_leads_into_the_original(text: str) -> None:
    plain, places = unicode.aligned(text)
    assert plain == unicode.normal(text)
    assert places == sorted(places)
    assert (len(places), places[-1]) == (len(plain) + 1, len(text))
