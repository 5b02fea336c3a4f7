"""What is where at which size, and the frames that say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.app import App

from ark_tui.interfaces.tui.screens.palette import HelpScreen, Palette
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.screens.reading import ReadingScreen
from ark_tui.interfaces.tui.screens.workbench import Workbench
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.messages import HitsArrived
from ark_tui.interfaces.tui.widgets.reader import Reader
from ark_tui.interfaces.tui.widgets.title_line import PaneTab
from tests.tui.bench import Bench, bench
from tests.tui.shelves import library

Frame = Callable[[App[None], str], None]

STAGES = (("read", 0.4), ("bm25", 1.2), ("first pass", 3.1), ("show", 2.4))


async def searched(b: Bench) -> None:
    """A search whose times stand still, with the cursor on its second hit."""
    await b.searched("spectral gap")
    assert b.search.result is not None
    still = replace(b.search.result, took_ms=12.0, stages=STAGES)
    b.search.post_message(HitsArrived(b.search.stages.shown, still, again=True))
    await b.until(lambda: "· 12 ms" in b.text())
    await b.pilot.press("down", "j")
    second = b.hits.results.hits[1].document
    await b.until(lambda: (p := b.hits.reader.passage) is None or p.document == second)


@pytest.mark.parametrize("size", [(80, 24), (120, 34), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_search_pane_at_three_sizes(filled: Path, frame: Frame, size: tuple[int, int]) -> None:
    async with bench(filled, size) as b:
        await searched(b)
        results, reader, why = (
            b.hits.results.region,
            b.hits.reader.region,
            b.hits.breakdown.region,
        )
        if size[0] < 100:
            assert reader.y >= results.bottom
            assert not b.hits.breakdown.display
            hit = b.hits.results.hit
            assert hit is not None
            rows = b.lines()[results.y : results.bottom]
            assert any(hit.document.title in row for row in rows)
            assert sum("▌" in row for row in rows) == 2, "title and text"
        elif size[0] < 160:
            assert reader.x >= results.right
            assert why.x == reader.x
            assert why.y >= reader.bottom
        else:
            assert results.right <= reader.x
            assert reader.right <= why.x
        frame(b.app, f"search-{size[0]}x{size[1]}")


async def test_a_narrow_window_turns_to_the_breakdown(filled: Path, frame: Frame) -> None:
    async with bench(filled, (80, 24)) as b:
        await searched(b)
        await b.pilot.press("w")
        await b.until(lambda: "rank weight" in b.text())
        assert not b.hits.reader.display
        frame(b.app, "why-80x24")
        await b.pilot.press("w")
        await b.until(lambda: b.hits.reader.passage is not None and b.hits.reader.display)


async def test_a_document_that_comes_while_the_breakdown_is_in_front_is_there_later(
    filled: Path,
) -> None:
    async with bench(filled, (80, 24)) as b:
        await searched(b)
        await b.pilot.press("w", "slash", "ctrl+u")
        await b.until(lambda: b.search.result is None)
        await b.searched("lanczos")
        await b.pilot.press("enter", "w")
        await b.until(lambda: b.hits.reader.display and "Krylov subspaces" in b.text())


async def test_the_light_theme(filled: Path, frame: Frame) -> None:
    async with bench(filled, ARK_THEME="textual-light") as b:
        await searched(b)
        frame(b.app, "search-light-120x34")


async def test_the_first_start(home: Path, frame: Frame) -> None:
    async with bench(home, (80, 24)) as b:
        await b.opened()
        frame(b.app, "first-start-80x24")


async def test_no_match(filled: Path, frame: Frame) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.searched("gap tag:nowhere")
        assert b.search.result is not None
        b.search.post_message(
            HitsArrived(b.search.stages.shown, replace(b.search.result, took_ms=12.0), again=True)
        )
        await b.until(lambda: "· 12 ms" in b.text())
        frame(b.app, "no-match-80x24")


async def test_help(filled: Path, frame: Frame) -> None:
    async with bench(filled) as b:
        await searched(b)
        await b.pilot.press("f1")
        await b.until(lambda: isinstance(b.app.screen, HelpScreen))
        frame(b.app, "help-120x34")


async def test_the_palette(filled: Path, frame: Frame) -> None:
    async with bench(filled) as b:
        await searched(b)
        await b.pilot.press("ctrl+p")
        await b.until(lambda: isinstance(b.app.screen, Palette) and "Open the hit in" in b.text())
        frame(b.app, "palette-120x34")


async def test_choosing_a_folder(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person = tmp_path / "ada"
    for name in ("letters", "notes", ".hidden"):
        (person / name).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(person))
    async with bench(filled) as b:
        await b.opened()
        await b.pilot.press("f2")
        await b.until(lambda: isinstance(b.app.screen, PickScreen) and "letters" in b.text())
        assert ".hidden" not in b.text()
        await b.type("~/")
        await b.pilot.press("down", "down")
        await b.until(lambda: "0 files, 0 folders" in b.text())
        assert b.app.screen.query_one("Input").value == "~/", "an arrow leaves the path as it is"  # type: ignore[attr-defined]


async def test_resizing_keeps_the_query_the_cursor_and_the_document(filled: Path) -> None:
    async with bench(filled) as b:
        await searched(b)
        b.hits.go_to("reader")
        await b.until(lambda: b.hits.reader.has_focus)
        document = b.hits.reader.passage.document if b.hits.reader.passage else None
        for size in ((200, 50), (80, 24), (61, 16), (160, 20), (120, 34)):
            await b.pilot.resize_terminal(*size)
            await b.until(lambda: b.hits.results.cursor == 1 and b.hits.results.region.width > 0)
            assert b.hits.reader.passage is not None
            assert b.hits.reader.passage.document == document
            assert b.search.query_line.value == "spectral gap"
            assert all(len(line) <= size[0] for line in b.lines())


async def test_the_footer_cuts_no_key_off_and_has_more_where_there_is_room(filled: Path) -> None:
    async with bench(filled, (80, 24)) as b:
        await searched(b)
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.reader.has_focus)
        await b.until(lambda: b.lines()[-1].endswith("^p palette"))
        assert "i about" in b.lines()[-1]
        assert "t tag" not in b.lines()[-1], "keys of curation give way first"
        await b.pilot.resize_terminal(160, 30)
        await b.until(lambda: "t tag" in b.lines()[-1] and b.lines()[-1].endswith("^p palette"))


async def test_a_document_that_is_read_above_another_pane_stands_in_the_middle(filled: Path) -> None:
    async with bench(filled, (80, 24)) as b:
        pane = await library(b, "browser")
        pane.first.focus()
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, ReadingScreen))
        reader = b.app.screen.query_one(Reader)
        await b.until(lambda: reader.region.x > 0 and reader.region.y > 0)
        assert abs(reader.region.x - (80 - reader.region.right)) <= 1


async def test_a_window_that_is_too_small_says_so_and_comes_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("gap")
        await b.pilot.resize_terminal(59, 20)
        await b.until(lambda: "60 × 16" in b.text())
        await b.pilot.resize_terminal(80, 15)
        await b.until(lambda: "60 × 16" in b.text())
        await b.pilot.resize_terminal(80, 24)
        await b.until(lambda: "Spectral gaps" in b.text())
        await b.until(lambda: b.workbench.focused is not None)


async def test_maximising_gives_the_whole_window_and_takes_it_back(filled: Path) -> None:
    async with bench(filled, (80, 24)) as b:
        await searched(b)
        b.hits.go_to("reader")
        await b.until(lambda: b.hits.reader.has_focus)
        await b.pilot.press("z")
        await b.until(lambda: b.hits.reader.region.height > 20)
        assert b.hits.reader.region.width == 80
        await b.pilot.press("z")
        await b.until(lambda: b.hits.reader.region.height < 12)


async def test_a_hundred_thousand_rows_are_scrolled_like_ten(filled: Path) -> None:
    async with bench(filled) as b:
        await searched(b)
        assert b.search.result is not None
        hit = b.search.result.hits[0]
        first, last = (
            replace(hit, document=replace(hit.document, id=name, title=name)) for name in ("Alpha", "Omega")
        )
        many = (first, *((hit,) * 99_998), last)
        b.search.post_message(
            HitsArrived(b.search.stages.shown, replace(b.search.result, hits=many), again=True)
        )
        await b.until(lambda: len(b.hits.results.hits) == 100_000)
        await b.pilot.press("G")
        await b.until(lambda: "Omega" in b.text())
        await b.pilot.press("ctrl+u", "k", "g")
        await b.until(lambda: b.hits.results.cursor == 0 and "Alpha" in b.text())


async def test_the_colours_of_the_terminal(filled: Path, frame: Frame) -> None:
    async with bench(filled, ARK_THEME="ansi-dark") as b:
        await searched(b)
        frame(b.app, "search-ansi-120x34")


@pytest.mark.parametrize("theme", ["ansi-dark", "ansi-light", "nord", "gruvbox"])
async def test_other_themes_draw_everything(filled: Path, theme: str) -> None:
    async with bench(filled, ARK_THEME=theme) as b:
        await searched(b)
        assert b.app.theme == theme
        for part in ("Results", "Why here", "sum ", "match"):
            assert part in b.text()


async def test_without_colour_nothing_is_told_by_colour_alone(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with bench(filled) as b:
        await searched(b)
        assert "▌" in b.text(), "the cursor has a mark"
        assert "┏" in b.text(), "the focused part has a heavier frame"
        assert "●b" in b.text() or "bcs" in b.text(), "what does not run has ○ or ◌ in place of its letter"


@pytest.mark.parametrize("theme", ["textual-light", "gruvbox"])
async def test_in_sixteen_colours_the_focus_and_the_pane_at_hand_are_told_by_more_than_colour(
    filled: Path, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLORTERM")
    async with bench(filled, ARK_THEME=theme) as b:
        assert b.app.console.color_system == "standard"
        await searched(b)
        assert "┏" in b.text(), "the focused part has a heavier frame"
        ends = {tab.region.x: tab.has_class("-here") for tab in b.workbench.query(PaneTab)}
        for column, here in ends.items():
            assert bool(b.app.screen.get_style_at(column + 1, 0).reverse) is here


async def test_a_theme_that_changes_while_the_palette_is_open_recolours_it_and_what_is_below(
    filled: Path,
) -> None:
    def colours(b: Bench) -> list[list[Style | None]]:
        return [[part.style for part in strip] for strip in b.app.screen._compositor.render_strips()]

    async with bench(filled, ARK_THEME="textual-light") as b:
        await b.opened()
        await b.pilot.press("ctrl+p")
        await b.until(lambda: "Query line: search" in b.text())
        light = colours(b)
        b.app.theme = "textual-dark"
        row = next(row for row, line in enumerate(b.lines()) if "Query line: search" in line)
        await b.until(lambda: colours(b)[row] != light[row], "the palette's other colours")
        assert colours(b)[0] != light[0], "what is below"
        b.app.theme = "textual-light"
        await b.until(lambda: colours(b) == light, "the colours of before")


async def test_without_colour_a_message_says_in_a_word_how_bad_it_is(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with bench(filled) as b:
        await b.opened()
        b.app.context.say("The first.", "warning")
        b.app.context.say("The second.", "error")
        await b.until(lambda: "The second." in b.text())
        assert "Warning" in b.text()
        assert "Error" in b.text()


@pytest.mark.parametrize(
    ("theme", "terminal"),
    [
        ("ansi-dark", "xterm-256color"),
        ("ansi-light", "xterm"),
        ("dracula", "xterm"),
        ("textual-light", "xterm"),
    ],
)
async def test_in_the_colours_of_the_terminal_the_cursor_is_one_reversed_line_with_its_mark_beside_it(
    filled: Path, theme: str, terminal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", terminal)
    monkeypatch.delenv("COLORTERM")
    async with bench(filled, ARK_THEME=theme) as b:
        await searched(b)
        results = b.hits.results
        results.focus()
        await b.until(lambda: results.has_focus)
        mark, *line = [part for part in results.render_line(results.cursor * results.ROW_HEIGHT) if part.text]
        assert mark.text == "▌"
        assert mark.style is not None
        assert not mark.style.reverse
        assert all(part.style is not None and part.style.reverse for part in line)
        assert len({part.style.color for part in line if part.style is not None}) == 1


@pytest.mark.parametrize("pane", [one for one in actions.PANES if one != "search"])
async def test_a_pane_that_opens_for_the_first_time_never_shares_the_window(
    filled: Path, monkeypatch: pytest.MonkeyPatch, pane: str
) -> None:
    lay_out, laid_out = Workbench._refresh_layout, list[list[str | None]]()

    def watched(screen: Workbench, *given: Any, **named: Any) -> None:
        lay_out(screen, *given, **named)
        laid_out.append([one.id for one in screen.panes.children if one.region.area])

    async with bench(filled) as b:
        await b.opened()
        monkeypatch.setattr(Workbench, "_refresh_layout", watched)
        await b.workbench.show_pane(pane)
        await b.until(lambda: laid_out[-1:] == [[pane]])
        assert all(len(shown) <= 1 for shown in laid_out), laid_out
