"""What is very large, very small or very often: the app draws no more than fits, and answers afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.engine import Engine
from tests.tui.bench import bench, settings_of

pytestmark = pytest.mark.usefixtures("painted")

MEGABYTE = 1_000_000


@pytest.mark.parametrize("name", ["line.md"])
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
