"""Texts and patterns of others take time in proportion to their length: here, anything else would hang."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.errors import UsageError
from ark_tui.domain.globs import linear
from ark_tui.domain.secrets import MASK, masked
from ark_tui.index.filters import path_pattern
from ark_tui.ingest.chunk import symbols
from ark_tui.ingest.markdown import _RELATION
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry
from ark_tui.memory.context import checked
from tests.ingest.texts import words

GLOBS = st.lists(st.sampled_from(["*", "**", "?", "a", "b", "/", "."]), min_size=1, max_size=8).map("".join)
PATHS = st.lists(st.sampled_from(["a", "b", "/", "."]), max_size=10).map("".join)


@given(GLOBS.filter(lambda glob: glob.count("**") < 4), PATHS)
def test_a_pattern_that_is_tried_once_matches_as_one_that_is_tried_everywhere(glob: str, path: str) -> None:
    plain = path_pattern(glob)
    assert bool(re.fullmatch(linear(plain), path)) == bool(re.fullmatch(plain, path))


HOSTILE = ("*a" * 30 + "b", "*?" * 30 + "b", "x" + "*a" * 30 + "/b")


@pytest.mark.parametrize("glob", HOSTILE)
def test_many_stars_and_a_long_name_end(glob: str) -> None:
    name = "a" * 250
    assert not re.fullmatch(linear(path_pattern(glob)), f"{name}/{name}")


def test_what_would_try_every_folder_too_often_is_refused() -> None:
    with pytest.raises(UsageError, match="4 times"):
        path_pattern("**/a/" * 5)


def test_a_line_of_spaces_is_no_relation() -> None:
    assert _RELATION.match(" " * 1_000_000) is None


def test_an_answer_of_spaces_cites_nothing() -> None:
    assert checked("x" + " " * 1_000_000 + "y", ["3fa9c1"])[1] == ()


@pytest.mark.parametrize("piece", ["a.", "-eyJ", "auth-", "a+.-", "://a", "-----BEGIN A ", "password ", "A"])
def test_a_long_text_that_only_looks_like_secrets_is_read_once(piece: str) -> None:
    text = piece * 100_000
    assert MASK not in masked(text)[0]


PIECES = ("* a ", "= a ", "\\section{", "`", "#1", "---\n", " ", "0:00:00,000 -->", "a b c [", '"', "{")


@pytest.mark.parametrize("suffix", ["org", "rst", "adoc", "tex", "csv", "srt", "log", "yaml", "md"])
def test_a_long_text_that_only_looks_like_markup_is_read_once(suffix: str) -> None:
    for piece in PIECES:
        data = (piece * 100_000).encode()
        assert Reading(measure=words).read(Entry(f"a.{suffix}", len(data), 0, 1), data), piece


HOPELESS = {
    "java": b"A<" * 200_000,  # gigabytes in one step of the parser
    "javascript": b"{" * 150 + b"*/" * 100_000,  # minutes, and no step of them long
    "c": b"{[(" * 100_000,
}


@pytest.mark.parametrize("language", HOPELESS)
def test_source_that_a_parser_would_not_end_with_is_not_parsed(language: str) -> None:
    assert symbols._tree(language, HOPELESS[language]) is None
