"""A list beside what there is to say of the row under its cursor: the same in every pane that has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.interfaces.tui.widgets.paged_list import ListDetail
from tests.tui.bench import bench


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
