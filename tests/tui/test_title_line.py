"""The title of the terminal window."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.drivers.headless_driver import HeadlessDriver

from ark_tui.interfaces.tui.app import KEEP_TITLE, TITLE_BACK
from tests.tui.bench import bench


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
