"""Texts and patterns of others take time in proportion to their length: here, anything else would hang."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.query import Filters
from ark_tui.domain.secrets import MASK, masked
from ark_tui.ingest.chunk import symbols
from ark_tui.ingest.markdown import _RELATION
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry
from ark_tui.memory.context import checked
from tests.corpora import Bench, arrival
from tests.ingest.texts import words

HOSTILE = ("*a" * 30 + "b", "*?" * 30 + "b", "x" + "*a" * 30 + "/b")


@pytest.mark.parametrize("glob", HOSTILE)
def test_many_stars_and_a_long_name_end(tmp_path: Path, glob: str) -> None:
    home = Bench(tmp_path)
    home.put(arrival(f"{'a' * 250}/{'a' * 250}", "text"))
    home.sync()
    view = home.vectors.refresh()
    assert view is not None
    assert not len(view.let_through(view.chunk, Filters(paths=(glob,)))[0])


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
