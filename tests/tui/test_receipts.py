"""Receipts in the workbench, and what re-rankers moved in its breakdown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App
from textual.widgets import Input

from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.ask import AskScreen
from ark_tui.interfaces.tui.screens.confirm import ConfirmScreen
from ark_tui.interfaces.tui.state import receipts
from ark_tui.operations.call import Call
from ark_tui.operations.receipts import verify
from tests.tui.bench import Bench, bench, settings_of
from tests.tui.test_layouts import searched

QUERY = "spectral gap"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the workbench was started."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def asked(b: Bench) -> Input:
    """The list has the focus, and R asks for a file."""
    await b.searched(QUERY)
    await b.pilot.press("enter")
    await b.until(lambda: b.hits.results.has_focus)
    await b.pilot.press("R")
    await b.until(lambda: isinstance(b.app.screen, AskScreen))
    return b.app.screen.query_one(Input)


async def test_a_key_writes_a_receipt_of_the_search_that_is_shown(filled: Path, here: Path) -> None:
    async with bench(filled) as b:
        line = await asked(b)
        assert line.value == "spectral-gap.json"
        await b.pilot.press("enter")
        await b.until(lambda: b.app.context.said[-1].text == "Receipt written: spectral-gap.json")
        result = b.search.result
        assert result is not None
        shown, searched = [hit.document.id for hit in result.hits], result.retrieval_id
        assert [one.id for one in b.app.context.opening.wait().search_log()] == [searched]
    told = json.loads((here / "spectral-gap.json").read_bytes())
    assert [hit["document"] for hit in told["hits"]] == shown[:10]
    assert (told["search"], told["query"]) == (searched, QUERY)
    with Engine(settings_of(filled)) as engine:
        (found,) = verify(Call(engine, person=True), (here / "spectral-gap.json",)).receipts
    assert (found.state, found.causes) == ("same", ())


async def test_a_file_that_is_there_is_replaced_only_after_asking(filled: Path, here: Path) -> None:
    (here / "spectral-gap.json").write_text("mine", "utf-8")
    async with bench(filled) as b:
        line = await asked(b)
        assert line.value == "spectral-gap-2.json"
        line.value = "spectral-gap.json"
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, ConfirmScreen))
        await b.pilot.press("escape")
        await b.until(lambda: b.hits.results.has_focus)
        assert (here / "spectral-gap.json").read_text("utf-8") == "mine"
        await b.pilot.press("R")
        await b.until(lambda: isinstance(b.app.screen, AskScreen))
        b.app.screen.query_one(Input).value = "spectral-gap.json"
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, ConfirmScreen))
        await b.pilot.press("y")
        await b.until(lambda: b.app.context.said[-1].text == "Receipt written: spectral-gap.json")
    assert json.loads((here / "spectral-gap.json").read_bytes())["query"] == QUERY


async def test_a_place_that_will_not_do_is_said_and_asked_for_once_more(filled: Path, here: Path) -> None:
    async with bench(filled) as b:
        (await asked(b)).value = "nowhere/gap.json"
        await b.pilot.press("enter")
        await b.until(lambda: "There is no folder nowhere." in b.app.context.said[-1].text)
        await b.until(lambda: isinstance(b.app.screen, AskScreen))
        assert b.app.screen.query_one(Input).value == "nowhere/gap.json"
    assert files(here) == []


async def test_without_a_search_there_is_none(filled: Path, here: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        b.search.action_receipt()
        await b.until(lambda: "There is no search to write a receipt of yet." in b.app.context.said[-1].text)
    assert files(here) == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("spectral gap", "spectral-gap.json"),
        ('tag:theory "a b" -c/../d', "tag-theory-a-b-c-d.json"),
        ("Überfluß 検索", "überfluß-検索.json"),
        ("???", "search.json"),
        ("word " * 30, "word-word-word-word-word-word-word-word.json"),
    ],
)
def test_a_name_is_offered_after_the_words_of_the_query(here: Path, query: str, name: str) -> None:
    assert receipts.offered(query, here) == name


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("size", [(80, 24), (120, 34)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_frames(filled: Path, frame: Callable[[App[None], str], None], size: tuple[int, int]) -> None:
    async with bench(filled, size) as b:
        await searched(b)
        await b.pilot.press("R")
        await b.until(lambda: isinstance(b.app.screen, AskScreen))
        frame(b.app, f"receipt-{size[0]}x{size[1]}")


async def test_the_breakdown_says_what_re_rankers_moved_at_its_edge_and_under_the_score(filled: Path) -> None:
    async with bench(filled, (200, 50)) as b:
        await b.searched("graph time chain")
        (at, moved) = next((at, hit) for at, hit in enumerate(b.hits.results.hits) if hit.moved)
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press(*["j"] * at)
        said = ", ".join(one.said for one in moved.moved)
        await b.until(lambda: f"moved by {said}" in b.text())
        await b.until(lambda: f" · {moved.moved[0].said}" in b.text())
