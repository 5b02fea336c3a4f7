"""Homes that are new, old, newer, shut or damaged: what the screen says, and the way out."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.engine import Engine
from ark_tui.settings import Home
from ark_tui.store import Store
from tests.support import SteadyClock
from tests.tui.bench import Bench, bench, settings_of

Frame = Callable[[App[None], str], None]


def said(b: Bench) -> str:
    return "\n".join(one.text for one in b.app.context.said)


def flat(b: Bench) -> str:
    """What is on the screen, as one line."""
    return " ".join(b.text().split())


# -- new ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(120, 34)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_new_home_explains_itself(home: Path, frame: Frame, size: tuple[int, int]) -> None:
    async with bench(home, size) as b:
        await b.opened()
        assert "Nothing here yet" in b.text()
        assert "F2 index a folder of your own notes" in flat(b)
        assert "F3 index the sample notes" in flat(b)
        frame(b.app, f"first-start-{size[0]}x{size[1]}")


# -- old and newer -----------------------------------------------------------------------------------


async def test_a_home_of_another_version_is_left_as_it_is_and_says_what_to_do(filled: Path) -> None:
    store = Store(Home(filled), SteadyClock())
    with store.write() as lease:
        lease.run("UPDATE ark.meta SET value = '999' WHERE key = 'schema'")
    store.close()
    before = Home(filled).store.read_bytes()
    async with bench(filled) as b:
        await b.until(lambda: "another version of ark-tui (schema 999" in flat(b), "the sentence")
        assert "export-curation" in flat(b)
        assert "F5 try again" in flat(b)
    assert Home(filled).store.read_bytes() == before


# -- shut and damaged --------------------------------------------------------------------------------


@pytest.fixture
def shut(filled: Path) -> Iterator[Path]:
    """A home that nothing can be written to, not even by root."""
    if subprocess.run(["mount", "--bind", filled, filled], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", filled], check=True, capture_output=True)
        yield filled
    finally:
        subprocess.run(["umount", "-l", filled], check=True)


async def test_a_home_that_cannot_be_written_still_answers_and_says_what_is_off(shut: Path) -> None:
    async with bench(shut) as b:
        await b.opened()
        await b.searched("spectral gap")
        assert b.hits.results.hits
        assert b.search.result is not None
        reasons = {lamp.reason for lamp in b.search.result.lamps if lamp.state == "off"}
        assert any("because nothing may be written to the home" in reason for reason in reasons)


def lamps(b: Bench) -> dict[str, str]:
    assert b.search.result is not None
    return {lamp.signal: lamp.state for lamp in b.search.result.lamps}


def break_words(home: Path) -> None:
    for file in (home / "words").rglob("meta.json"):
        file.write_text("{")


async def test_damaged_files_of_the_word_index_are_mended_by_the_first_search_which_says_so_once(
    filled: Path,
) -> None:
    break_words(filled)
    async with bench(filled) as b:
        await b.opened()
        await b.searched("spectral gap")
        assert lamps(b)["bm25"] == "on"
        seen = b.workbench.poller.polls
        await b.until(lambda: b.workbench.poller.polls > seen + 4)
        assert [(one.severity, one.text) for one in b.app.context.said] == [
            ("warning", "The words index was damaged; it is rebuilt from the store.")
        ]


async def test_a_damaged_store_is_said_with_the_copy_to_bring_back(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        copy = engine.backup()
    Home(filled).store.write_bytes(b"this is no database" * 1000)
    async with bench(filled, (120, 34)) as b:
        await b.until(lambda: "is damaged" in flat(b), "the sentence")
        assert f"ark-tui restore {copy}" in said(b)
        assert "F10 check the home and repair it" in flat(b)
