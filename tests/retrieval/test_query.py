"""The query line, as people type it."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from ark_tui.domain.errors import QuerySyntaxError
from ark_tui.domain.query import Filters
from ark_tui.index.words import terms
from ark_tui.retrieval.query import parse


def test_filters_phrases_and_exclusions_are_taken_out_of_the_text() -> None:
    query = parse('spectral gap tag:theory in:notes path:"my docs/" tier:WIKI type:plan "mixing time" -draft')
    assert query.text == "spectral gap mixing time"
    assert query.phrases == ("mixing time",)
    assert query.excluded == ("draft",)
    assert query.filters == Filters(("notes",), ("theory",), ("wiki",), ("plan",), ("my docs/",))


def test_what_only_looks_like_a_filter_is_text() -> None:
    for line in ("std::vec http://x.org foo:bar", "a - b", "C++ -", "tag: in:"):
        assert parse(line).text == line
        assert not parse(line).filters


def test_an_open_quotation_runs_to_the_end_so_that_typing_it_searches_already() -> None:
    assert parse('rank "fusion of').phrases == ("fusion of",)


def test_a_tier_that_does_not_exist_is_an_error_at_its_column() -> None:
    with pytest.raises(QuerySyntaxError, match="tier gold") as caught:
        parse("graphs tier:gold")
    assert caught.value.column == 7
    assert "wiki" in caught.value.hint


def test_an_excluded_filter_is_an_error_that_says_what_works() -> None:
    with pytest.raises(QuerySyntaxError, match="cannot be excluded") as caught:
        parse("graphs -tag:x")
    assert caught.value.column == 7


@given(st.text(max_size=80))
def test_any_line_can_be_read_or_is_refused_with_a_column_inside_it(line: str) -> None:
    error = None
    try:
        query = parse(line)
    except QuerySyntaxError as refused:
        error = refused
    if error is not None:
        event("refused")
        assert 0 <= error.column < len(line)
        return
    assert query.raw == line
    terms.read(query.text, phrases=query.phrases, excluded=query.excluded, typing=True)


def test_stop_words_are_dropped_from_the_query_unless_nothing_is_left() -> None:
    assert terms.read("what is the spectral gap").stems == ("spectral", "gap")
    assert terms.read("to be or not to be").stems == ("to", "be", "or", "not")


def test_the_last_word_is_a_prefix_only_while_it_may_be_unfinished() -> None:
    assert terms.read("spectral ga", typing=True).prefix == "ga"
    assert terms.read("spectral gap ", typing=True).prefix == ""
    assert terms.read("spectral ga").prefix == ""


def test_identifiers_and_text_without_spaces_become_terms_of_their_own() -> None:
    found = terms.read("rrf_merge C++ 検索エンジン")
    assert found.identifiers == ("rrf_merge", "c++")
    assert found.spaceless == ("検索", "索エ", "エン", "ンジ", "ジン")
    assert terms.read("猫").spaceless == ("猫",)
