"""Spellings of one identifier meet, typing errors are searched too, and `rel*` is a prefix (S5, S23)."""

from __future__ import annotations

import pytest

from ark_tui.domain.query import Request
from ark_tui.retrieval import run
from tests.corpora import Bench, filled

NOTES = {
    "camel.md": "The client reads maxRetryCount at start.",
    "snake.md": "The server reads max_retry_count at start.",
    "words.md": "Count the chairs before the guests come.",
    "requirements.md": "The requirements of the release are written down.",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return filled(tmp_path_factory.mktemp("home"), NOTES)


def found(bench: Bench, query: str) -> list[str]:
    hits = run(bench.corpus(), Request(query, profile="default", below=True)).hits
    return [hit.document.path for hit in hits]


def test_all_spellings_of_an_identifier_are_found_the_exact_one_first(bench: Bench) -> None:
    assert found(bench, "maxRetryCount")[:2] == ["camel.md", "snake.md"]
    assert found(bench, "max_retry_count")[:2] == ["snake.md", "camel.md"]


def test_a_mistyped_word_is_searched_as_the_nearest_one_and_marked(bench: Bench) -> None:
    result = run(bench.corpus(), Request("requiremnts", profile="default", below=True))
    assert result.hits[0].document.path == "requirements.md"
    (suggestion,) = result.suggestions
    assert (suggestion.word, suggestion.instead[0], suggestion.searched) == (
        "requiremnts",
        "requirements",
        True,
    )


def test_a_word_with_a_star_is_a_prefix(bench: Bench) -> None:
    assert found(bench, "requi*")[0] == "requirements.md"
    assert found(bench, "release")[0] == "requirements.md"
    assert found(bench, "rel*")[0] == "requirements.md"
