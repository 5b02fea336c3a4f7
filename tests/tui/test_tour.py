"""The tour of the workbench: the key that its line names works at that moment, and does the step."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ark_tui.interfaces.tui.screens.workbench import LOOK_AT_STEPS
from ark_tui.interfaces.tui.state import actions, session
from ark_tui.interfaces.tui.state.tour import STEPS
from tests.tui.bench import Bench, bench

NAMED = {"↓": "down", "⏎": "enter", "/": "slash", "F3": "f3", "esc": "escape"}


def line(b: Bench) -> str:
    return b.workbench.tour_line.said


def named(b: Bench) -> str:
    """The key that the line names."""
    found = re.search(r": (\S+) (?:takes|leads|opens|shows|asks|closes)", line(b))
    assert found, line(b)
    return NAMED.get(found[1], found[1])


@pytest.mark.parametrize("size", [(60, 16), (120, 34)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_each_step_is_done_by_the_key_that_the_line_names(filled: Path, size: tuple[int, int]) -> None:
    """Taking in the sample notes is done already in this home."""
    async with bench(filled, size) as b:
        await b.opened()
        b.workbench.action_tour()
        done, typed, before = [], {"Search": "spectral gap", "Tag it": "mine"}, ""
        for _ in range(14):
            await b.until(lambda before=before: line(b) != before, "the next step")  # type: ignore[misc]
            before = line(b)
            if "That was the tour" in line(b):
                break
            done.append(re.search(r"Tour (\d) of 6 · ([^:]+):", line(b)))
            assert done[-1]
            step = done[-1][2]
            if b.app.screen is not b.workbench:
                await b.until(lambda: line(b) in b.lines()[0], "the line, above the dialog")
            if "type" in line(b):
                await b.type(typed[step])
                if step == "Tag it":
                    await b.pilot.press("enter")
                continue
            key = named(b)
            assert any(
                actions.normal(key) == actions.normal(live) for live in b.app.screen.active_bindings
            ), f"{key} works now"
            await b.pilot.press(key)
        assert [one[2] for one in done if one][-1] == "Undo"
        assert {one[2] for one in done if one} == {step.name for step in STEPS[1:]}
        assert "That was the tour" in b.text()
        await b.pilot.press("escape")
        assert not b.workbench.tour_line.display


async def test_a_key_is_not_asked_for_again_while_its_edit_is_written(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        b.workbench.action_tour()
        for key in ("enter", "enter", "w"):
            await b.pilot.press(key)
        await b.until(lambda: "t asks for tags" in b.text())
        async with b.app.context.acts._turn:  # another edit is being written
            await b.pilot.press("t")
            await b.until(lambda: "type a tag" in line(b))
            await b.type("mine")
            await b.pilot.press("enter")
            await b.until(lambda: b.app.screen is b.workbench)
            await b.pilot.pause(4 * LOOK_AT_STEPS)
            assert "asks for tags" not in line(b)
        await b.until(lambda: "u takes the tag off again" in line(b))


async def test_a_new_home_offers_the_tour_once_and_its_key_begins_it(home: Path) -> None:
    async with bench(home) as b:
        await b.opened()
        await b.until(lambda: "New here? T begins a tour" in b.text(), "no text is typed here")
        await b.pilot.press("T")
        await b.until(lambda: "Tour 1 of 6 · Take in: F3 takes in" in b.text())
        await b.pilot.press("escape")
        assert "Tour" not in b.text()
        b.workbench.keep_session()
        assert session.load(home)[0].toured
    async with bench(home) as b:
        await b.opened()
        await b.pilot.pause(0.3)
        assert "begins a tour" not in b.text()


async def test_an_offer_goes_once_there_is_something_to_search(home: Path, notes: Path) -> None:
    async with bench(home) as b:
        await b.opened()
        await b.until(lambda: "New here?" in b.text())
        b.workbench.index(notes)
        await b.until(lambda: "New here?" not in b.text())
        assert b.workbench._touring is None or not b.workbench.tour_line.display


async def test_the_line_names_the_way_back_from_wherever_somebody_has_gone(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        b.workbench.action_tour()
        await b.until(lambda: "Read: ⏎ opens the hit" in b.text())
        await b.pilot.press("3")
        await b.until(lambda: "Read: 1 leads back to the search" in b.text())
        await b.pilot.press("f1")
        await b.until(lambda: "Read: esc closes what is open" in line(b))
        await b.pilot.press("escape", "1", "/")
        await b.until(lambda: "Read: ↓ leads to the hits" in b.text())
