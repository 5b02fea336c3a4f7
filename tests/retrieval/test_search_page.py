"""docs/search.md tells the truth: each of its examples is tried on the sample notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ark_tui.domain.errors import QuerySyntaxError
from ark_tui.domain.query import Filters, Request
from ark_tui.domain.whynot import ABOUT
from ark_tui.engine import Engine
from ark_tui.interfaces.cli.app import run
from ark_tui.retrieval.query import parse
from ark_tui.settings import load, ranking
from tests.support import SteadyClock

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 10, 23, tzinfo=UTC)  # the day after the last entry of the sample journal
WHY_NOT = re.findall(
    r"^\| ([\w ]+) \| (.+) \|$",
    (ROOT / "docs" / "search.md").read_text("utf-8").split("| cause | what it means |\n")[1].split("\n\n")[0],
    re.MULTILINE,
)
ROW = re.compile(r"\| ((?:`[^`]+` ?)+)\| (.+) \|")


def rows(section: str) -> list[tuple[str, str]]:
    """What a section's tables say to write, and what it is for."""
    text = (ROOT / "docs" / "search.md").read_text("utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    found = [(row[1].strip(), row[2]) for row in map(ROW.fullmatch, text.splitlines()) if row]
    return [(query, what) for queries, what in found for query in re.findall("`([^`]+)`", queries)]


@pytest.fixture(scope="module")
def engine(sample_home: Path) -> Iterator[Engine]:
    with Engine(load(sample_home, environ={}), SteadyClock(NOW)) as engine:
        yield engine


EXAMPLES = [query for section in ("Which documents", "Combined") for query, _ in rows(section)]


@pytest.mark.parametrize("query", EXAMPLES)
def test_every_example_is_read_and_finds_something_but_not_everything(engine: Engine, query: str) -> None:
    read = parse(query, NOW)
    assert read.filters or query == "louvain OR leiden"
    found = engine.search(Request(query, limit=1000)).found
    assert found > 0
    if read.filters:
        everything = engine.search(Request("tier:doc tier:raw tier:reflection tier:wiki", limit=1000)).found
        assert found < everything


@pytest.mark.parametrize(("query", "meaning"), rows("In plain words"))
def test_plain_words_exclude_as_the_page_says(engine: Engine, query: str, meaning: str) -> None:
    read = parse(query, NOW)
    assert not read.filters
    assert bool(read.negated) != meaning.startswith("just that")
    assert engine.search(Request(query, below=True)).hits


@pytest.mark.parametrize("query", [query for query, _ in rows("Times")])
def test_times_rank_as_the_page_says(engine: Engine, query: str) -> None:
    assert not parse(query, NOW).filters
    lamps = {lamp.signal: lamp.state for lamp in engine.search(Request(query, profile="default")).lamps}
    assert lamps["temporal"] == "on"


@pytest.mark.parametrize("option", [option for option, _ in rows("Ranking")])
def test_the_options_are_those_of_the_page(engine: Engine, option: str) -> None:
    home = str(engine.settings.home.path)
    assert run(["search", "spectral gap", *option.split(), "--home", home]) == 0


def test_all_that_can_be_set_is_on_the_page() -> None:
    page = (ROOT / "docs" / "search.md").read_text("utf-8").split("`--set` accepts:")[1]
    assert [key for key in ranking.changeable() if key.split(".")[-1] not in page] == []


@pytest.mark.parametrize(("query", "what"), rows("Errors in a query"))
def test_what_cannot_be_read_is_refused_in_these_words(query: str, what: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(query, NOW)
    assert caught.value.what == what


def test_what_the_page_calls_text_is_text() -> None:
    for line in ("f(x)", "std::vec", "http://example.org", "C++ (the language"):
        assert (parse(line, NOW).text, parse(line, NOW).filters) == (line, Filters())


def test_every_cause_is_on_the_page() -> None:
    assert [cause for cause, _ in WHY_NOT] == [*ABOUT]
    assert [what for _, what in WHY_NOT] == [*ABOUT.values()]


def test_the_page_has_examples_at_all() -> None:
    assert len(EXAMPLES) > 20
    assert len(rows("Errors in a query")) >= 4
