"""What is very large, very small or very often: the app draws no more than fits, and answers afterwards."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from textual.events import Resize
from textual.geometry import Size

from ark_tui.engine import Engine
from tests.tui.bench import Bench, bench, settings_of

pytestmark = pytest.mark.usefixtures("painted")

MEGABYTE = 1_000_000

LAYOUTS = [
    ((59, 24), "-tiny"), ((60, 16), "-narrow"), ((99, 24), "-narrow"), ((100, 24), "-normal"),
    ((159, 40), "-normal"), ((160, 40), "-wide"), ((120, 15), "-low"), ((120, 34), "-high"),
]  # fmt: skip


async def test_after_a_storm_of_window_sizes_over_several_panes_the_layout_is_right_and_a_query_has_hits(
    filled: Path,
) -> None:
    random = Random(6)
    async with bench(filled) as b:
        await b.searched("spectral gap")
        for pane in ("2", "3", "4", "5", "6", "1"):
            await b.pilot.press(f"alt+{pane}")
            for _ in range(12):
                _resize(b, Size(random.randint(1, 220), random.randint(1, 60)))
            await b.pilot.pause()
        for size, layout in LAYOUTS:
            await b.pilot.resize_terminal(*size)
            await b.until(lambda layout=layout: b.workbench.has_class(layout), f"{layout} at {size}")  # type: ignore[misc]
            assert len(b.lines()) == size[1]
            assert all(len(line) <= size[0] for line in b.lines())
        await b.pilot.press("ctrl+f")
        await b.until(lambda: b.search.query_line.has_focus)
        b.search.query_line.value = ""
        await b.until(lambda: b.search.result is None)
        await b.searched("Lanczos")
        assert b.titles()[0] == "Lanczos, restarted"
        assert "Lanczos, restarted" in b.text()
        assert not b.app.context.said


def _resize(b: Bench, size: Size) -> None:
    """As a window that is dragged: the next size comes whether the last has been drawn or not."""
    assert b.app._driver is not None
    b.app._driver._size = size
    b.app.post_message(Resize(size, size))


@pytest.mark.parametrize("name", ["line.txt", "line.md"])
async def test_a_document_of_a_megabyte_in_one_line_is_read_to_its_end(
    home: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    text = "zeppelin " + "lorem ipsum dolor sit amet " * (MEGABYTE // 27) + "anchor"
    (folder / name).write_text(text)
    with Engine(settings_of(home)) as engine:
        engine.index([folder])
    async with bench(home) as b:
        await b.searched("zeppelin")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.reader.has_focus)
        await b.pilot.press("g")
        await b.until(lambda: "zeppelin lorem" in b.text(), "its beginning")
        await b.pilot.press("G")
        await b.until(lambda: "amet anchor" in b.text(), "its end")
        await b.pilot.resize_terminal(80, 24)
        await b.pilot.press("M", "g", "n", "G")
        await b.until(lambda: "anchor" in b.text(), "its end in another window")
        b.search.query_line.value = ""
        await b.until(lambda: b.search.result is None)
        await b.searched("lorem ipsum")
        assert b.hits.results.hits
