"""A list beside what there is to say of the row under its cursor: the same in every pane that has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.interfaces.tui.widgets.list_detail import ListDetail
from tests.tui.bench import bench
from tests.tui.shelves import library


@pytest.mark.parametrize(("pane", "detail"), [("analysis", "#found"), ("settings", "#values")])
async def test_esc_leads_from_the_detail_to_the_list_and_there_it_ends(
    filled: Path, pane: str, detail: str
) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.workbench.show_pane(pane)
        view = b.workbench.in_front
        assert isinstance(view, ListDetail)
        view.query_one(detail).focus()
        await b.pilot.press("escape")
        assert view.listed.has_focus
        assert b.workbench.in_front is view
        await b.pilot.press("escape")
        assert b.workbench.in_front is view
        assert view.listed.has_focus


async def test_the_detail_follows_once_the_list_stands_still(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(filled) as b:
        pane = await library(b, "browser")
        await b.until(lambda: pane.reader.passage is not None)
        monkeypatch.setattr(ListDetail, "PAUSE", 1e6)  # it stands still when the test says so
        wanted: list[str] = []
        monkeypatch.setattr(pane.reader, "want", lambda one: wanted.append(one.document))
        await b.pilot.press("j", "j", "j")
        assert not wanted
        pane.show_now()
        here = pane.browser.documents.here
        assert here is not None
        assert wanted == [here.id]
        pane.reader.focus()
        await b.pilot.press("escape")
        assert pane.listed.has_focus
