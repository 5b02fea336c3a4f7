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
    r"^\| (\w+) \| (.+) \|$",
    (ROOT / "docs" / "search.md").read_text("utf-8").split("| stage | what it means |\n")[1].split("\n\n")[0],
    re.MULTILINE,
)
ROW = re.compile(r"\| ((?:`[^`]+` ?)+)\| (.+) \|")


def rows(section: str) -> list[tuple[str, str]]:
    """What a section's tables say to write, and what it is for."""
    text = (ROOT / "docs" / "search.md").read_text("utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    found = [(row[1].strip(), row[2]) for row in map(ROW.fullmatch, text.splitlines()) if row]
    return [(query, what) for queries, what in found for query in re.findall("`([^`]+)`", queries)]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine(load(tmp_path_factory.mktemp("home"), environ={}), SteadyClock(NOW)) as engine:
        engine.index([ROOT / "assets" / "sample"])
        yield engine


EXAMPLES = [query for section in ("Which documents", "Together") for query, _ in rows(section)]


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
    assert engine.search(Request(query)).hits


@pytest.mark.parametrize("query", [query for query, _ in rows("Times")])
def test_times_rank_as_the_page_says(engine: Engine, query: str) -> None:
    assert not parse(query, NOW).filters
    lamps = {lamp.signal: lamp.state for lamp in engine.search(Request(query, profile="default")).lamps}
    assert lamps["temporal"] == "on"


@pytest.mark.parametrize("option", [option for option, _ in rows("How it ranks")])
def test_the_options_are_those_of_the_page(engine: Engine, option: str) -> None:
    home = str(engine.settings.home.path)
    assert run(["search", "spectral gap", *option.split(), "--home", home]) == 0


def test_all_that_can_be_set_is_on_the_page() -> None:
    page = (ROOT / "docs" / "search.md").read_text("utf-8").split("What can be set:")[1]
    assert [key for key in ranking.changeable() if key.split(".")[-1] not in page] == []


@pytest.mark.parametrize(("query", "what"), rows("When it cannot be read"))
def test_what_cannot_be_read_is_refused_in_these_words(query: str, what: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(query, NOW)
    assert caught.value.what == what


def transcripts() -> list[tuple[str, str]]:
    """The commands of the section Why, each with what it prints."""
    text = (ROOT / "docs" / "search.md").read_text("utf-8").split("## Why\n")[1].split("\n## ")[0]
    return re.findall(r"```console\n\$ ark-tui ([^\n]+)\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize(("command", "printed"), transcripts())
def test_the_worked_example_of_why_prints_what_the_page_shows(
    engine: Engine, command: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command.split(), "--home", str(engine.settings.home.path)]) == 0
    assert capsys.readouterr().out == printed


def test_the_worked_example_of_why_ends_with_a_weight_that_turns_the_two(engine: Engine) -> None:
    query, adjust = "spectral gap of a chain", ("weight.coverage=0.096",)
    before = [hit.document.title for hit in engine.search(Request(query)).hits][1:3]
    after = [hit.document.title for hit in engine.search(Request(query, adjust=adjust)).hits][1:3]
    assert (before, after) == (["Spectral clustering", "Mixing time"], ["Mixing time", "Spectral clustering"])
    assert len(transcripts()) == 2


def test_what_the_page_calls_text_is_text() -> None:
    for line in ("f(x)", "std::vec", "http://example.org", "C++ (the language"):
        assert (parse(line, NOW).text, parse(line, NOW).filters) == (line, Filters())


def test_why_not_says_what_the_page_shows(engine: Engine, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    page = (ROOT / "docs" / "search.md").read_text("utf-8").split("## Why not\n")[1]
    command, shown = page.split("```console\n$ ark-tui ")[1].split("```")[0].split("\n", 1)
    assert run([*command.split(), "--home", str(engine.settings.home.path)]) == 0
    said = capfdbinary.readouterr().out.decode()
    for part in filter(None, shown.split("…\n")):
        assert part in said
        said = said.partition(part)[2]


def test_every_stage_is_on_the_page() -> None:
    assert [stage for stage, _ in WHY_NOT] == [*ABOUT]
    assert [what for _, what in WHY_NOT] == [*ABOUT.values()]


def test_the_page_has_examples_at_all() -> None:
    assert len(EXAMPLES) > 20
    assert len(rows("When it cannot be read")) >= 7
