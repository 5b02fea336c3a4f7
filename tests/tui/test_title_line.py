"""The title line has room for six panes and their lamps, however narrow the window."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.drivers.headless_driver import HeadlessDriver
from textual.widgets import Static

from ark_tui.interfaces.tui.app import KEEP_TITLE, TITLE_BACK
from ark_tui.interfaces.tui.widgets.title_line import PaneTab, TitleLine
from tests.tui.bench import bench

SIX = {1: "search", 2: "library", 3: "notebook", 4: "history", 5: "analysis", 6: "settings"}


@pytest.fixture(autouse=True)
def six_panes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TitleLine, "PANES", SIX)


async def test_at_eighty_columns_every_pane_has_its_name_and_every_signal_its_lamp(filled: Path) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.listed("spectral gap")
        title = b.lines()[0]
        assert " 1 Search 2 Library 3 Notebook 4 History 5 Analysis 6 Settings " in title
        assert title.rstrip().endswith("bcsir◌◌enm")
        assert "ark-tui" not in title


async def test_with_a_seventh_pane_names_are_kept_and_lamps_go(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TitleLine, "PANES", {**SIX, 7: "review"})
    async with bench(filled, (80, 24)) as b:
        await b.opened()
        names = "Search 2 Library 3 Notebook 4 History 5 Analysis 6 Settings 7 Review"
        await b.until(lambda: b.lines()[0].startswith(f" alt+ 1 {names}"))
        await b.listed("spectral gap")
        await b.until(lambda: b.lines()[0].startswith(f" 1 {names}"))


async def test_at_eighty_columns_the_names_stay_while_text_is_typed(filled: Path) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.searched("spectral gap")
        assert " alt+ 1 Search 2 Library 3 Notebook 4 History 5 Analysis 6 Settings" in b.lines()[0]


async def test_a_number_says_what_it_counts_or_is_not_there(filled: Path) -> None:
    said = set()
    async with bench(filled) as b:
        await b.searched("spectral gap")
        for width in range(60, 180, 6):
            await b.pilot.resize_terminal(width, 34)
            state = str(b.workbench.title_line.query_one("#state", Static).content)
            said.add(" ".join(re.findall(r"^\d+ ?\w*", state)))
    assert said == {"", "6 docs", "6 documents"}


async def test_narrower_only_the_pane_that_is_shown_has_its_name(filled: Path) -> None:
    async with bench(filled, (60, 16)) as b:
        await b.searched("spectral gap")
        assert b.lines()[0].startswith(" alt+ 1 Search  2  3  4  5  6 ")
        await b.listed("spectral gap")
        assert b.lines()[0].startswith(" 1 Search  2  3  4  5  6 ")
        assert "●b" in b.lines()[0]
        await b.pilot.press("alt+2")
        await b.until(lambda: b.lines()[0].startswith(" 1  2 Library  3  4  5  6 "), "the other name")


async def test_a_window_that_grows_gets_all_names_back(filled: Path) -> None:
    async with bench(filled, (60, 16)) as b:
        await b.opened()
        await b.pilot.resize_terminal(120, 34)
        await b.until(lambda: "alt+6 Settings" in b.lines()[0], "all names")
        b.workbench.set_focus(None)
        await b.until(lambda: b.lines()[0].startswith(" ark-tui   1 Search  2 Library"))
        assert len(b.workbench.query(PaneTab)) == len(SIX)


async def test_the_window_is_called_after_what_is_shown_and_gets_its_name_back(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "write", lambda _, text: written.append(text))

    def said() -> str:
        return next((text.removeprefix(KEEP_TITLE) for text in reversed(written) if "\x1b]2;" in text), "")

    async with bench(filled) as b:
        await b.listed("spectral gap")
        await b.until(lambda: said() == "\x1b]2;ark-tui: spectral gap\x1b\\")
        first = next(text for text in written if "\x1b]2;" in text)
        assert first.startswith(KEEP_TITLE), "the name of before is put aside"
        await b.pilot.press("enter")
        await b.until(lambda: said() == "\x1b]2;ark-tui: Spectral gaps and mixing time\x1b\\")
        await b.pilot.press("3")
        await b.until(lambda: said() == "\x1b]2;ark-tui: notebook\x1b\\")
        b.app.sub_title = "a\x1b\\\x1b[2J\x07b\nc"
        assert said() == "\x1b]2;ark-tui: a␛\\␛[2J␇b c\x1b\\"
        assert TITLE_BACK not in written
    assert written.count(TITLE_BACK) == 1
