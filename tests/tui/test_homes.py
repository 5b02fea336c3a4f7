"""Homes that are new, old, newer, shut or damaged: what the screen says, and the way out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

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


async def test_a_new_home_explains_itself(home: Path, frame: Frame) -> None:
    async with bench(home) as b:
        await b.opened()
        assert "Nothing here yet" in b.text()
        assert "F2 index a folder of your own notes" in flat(b)
        assert "F3 index the sample notes" in flat(b)
        frame(b.app, "first-start-120x34")


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


async def test_a_damaged_store_is_said_with_the_copy_to_bring_back(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        copy = engine.backup()
    Home(filled).store.write_bytes(b"this is no database" * 1000)
    async with bench(filled, (120, 34)) as b:
        await b.until(lambda: "is damaged" in flat(b), "the sentence")
        assert f"ark-tui restore {copy}" in said(b)
        assert "F10 check the home and repair it" in flat(b)
