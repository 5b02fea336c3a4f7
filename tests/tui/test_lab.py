"""The ranking lab in the workbench: numbers move, hits reorder, and what that is worth is said."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App
from textual.widgets import Input

from ark_tui.curation import edits
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.dialog import AskScreen, ConfirmScreen
from ark_tui.interfaces.tui.screens.lab import LabScreen
from ark_tui.settings import load
from tests.tui.bench import Bench, bench, settings_of

QUERIES = ("spectral gap", "graph laplacian", "krylov subspaces", "index cards", "forgetting curve")


@pytest.fixture(scope="module")
def answered(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the second hit of some queries was judged the answer."""
    home = shutil.copytree(indexed, tmp_path_factory.mktemp("answered") / "home")
    with Engine(settings_of(home)) as engine:
        for query in QUERIES:
            hits = engine.search(Request(query, below=True)).hits
            engine.curation.edit(edits.judge, query, hits[1].document.id, 2)
    return home


@pytest.fixture
def judged(answered: Path, home: Path) -> Path:
    """That home, for one test."""
    return shutil.copytree(answered, home)


async def lab(b: Bench, query: str = "spectral gap", key: str = "L") -> LabScreen:
    """Open the lab on a search, and wait until it has ranked and measured."""
    await b.listed(query)
    await b.pilot.press(key)
    screen = await b.shown(LabScreen)
    await b.until(lambda: screen.hits.rows and screen.sliders.rows)
    return screen


def listed(screen: LabScreen) -> list[str]:
    return [row.hit.document.title for row in screen.hits.rows]


def value(screen: LabScreen, key: str) -> float:
    return next(row.slider.value for row in screen.sliders.rows if row.slider.signal == key)


async def to_slider(b: Bench, screen: LabScreen, key: str) -> None:
    screen.sliders.cursor = [row.slider.signal for row in screen.sliders.rows].index(key)
    await b.pilot.pause()


async def until_ranked(b: Bench, screen: LabScreen, **adjusted: float) -> None:
    """Wait until the list is that of a search with these numbers."""
    changes = tuple(f"{key.replace('_', '.')}={number:g}" for key, number in adjusted.items())
    engine = b.app.context.opening.home().engine
    request = Request("spectral gap", limit=30, adjust=changes, below=True, unlogged=True)
    wanted = [hit.document.title for hit in engine.search(request).hits]
    scores = [hit.score for hit in engine.search(request).hits]
    await b.until(lambda: [row.hit.score for row in screen.hits.rows] == scores, "the hits of that ranking")
    assert listed(screen) == wanted


async def test_hits_reorder_as_a_slider_moves_and_undo_takes_it_back(judged: Path) -> None:
    async with bench(judged) as b:
        screen = await lab(b)
        before = listed(screen)
        await to_slider(b, screen, "maxsim")
        await b.pilot.press(*"LLLLL")
        await until_ranked(b, screen, weight_maxsim=0.52)
        assert value(screen, "maxsim") == pytest.approx(0.52)
        moved = listed(screen)
        assert [row.before for row in screen.hits.rows] == [before.index(title) + 1 for title in moved]
        await b.pilot.press("u")
        await until_ranked(b, screen, weight_maxsim=0.47)
        await b.pilot.press("0")
        await until_ranked(b, screen)
        assert listed(screen) == before


async def test_sliders_are_kept_as_a_profile_by_which_every_search_is_ranked(judged: Path) -> None:
    async with bench(judged) as b:
        screen = await lab(b)
        await to_slider(b, screen, "bm25")
        await b.pilot.press("right")
        await until_ranked(b, screen, weight_bm25=0.21)
        await b.pilot.press("W")
        await b.shown(AskScreen)
        b.app.screen.query_one(Input).value = "mine"
        await b.pilot.press("enter")
        await b.shown(ConfirmScreen)
        await b.pilot.press("y")
        await b.until(lambda: b.said("ranked by the profile mine"))
        kept = load(judged, environ={})
        assert kept.profile == "mine"
        assert kept.profiles["mine"].weights["bm25"] == pytest.approx(0.21)
        assert "on 5 judged queries" in kept.profiles["mine"].about
        await b.pilot.press("escape")
        await b.until(lambda: b.search.result is not None and b.search.result.profile == "mine")


async def test_the_lab_as_it_looks(judged: Path, frame: Callable[[App[None], str], None]) -> None:
    async with bench(judged) as b:
        screen = await lab(b)
        await to_slider(b, screen, "maxsim")
        await b.pilot.press("L", "L")
        await until_ranked(b, screen, weight_maxsim=0.37)
        engine = b.app.context.opening.home().engine
        found = engine.lab.compared(screen.by, screen._start)
        assert found is not None
        await b.until(lambda: f"{found.better} better, {found.worse} worse" in b.text())
        await b.until(lambda: f"{found.one.of['mrr_10'].mean:.3f}" in b.text())
        frame(b.app, "lab-120x34")
