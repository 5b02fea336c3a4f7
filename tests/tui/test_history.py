"""The history of the workbench: conversations and searches."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.curation import edits
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Filters, Request
from ark_tui.engine import Engine
from ark_tui.engine import searches as log
from ark_tui.interfaces.tui.panes.conversations import ConversationsView
from ark_tui.interfaces.tui.panes.history import HistoryPane
from ark_tui.interfaces.tui.panes.searches import SearchesView
from ark_tui.interfaces.tui.screens.dialog import ConfirmScreen
from ark_tui.interfaces.tui.screens.reading import ReadingScreen
from tests.tui.bench import Bench, bench, settings_of
from tests.tui.test_hostile_text import HOSTILE, harmless

MINE, OTHER = Scope(), Scope("agent7", "s1")


@pytest.fixture(scope="module")
def told(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which something was said, searched for and reported; its ids are the same every time."""
    home = shutil.copytree(indexed, tmp_path_factory.mktemp("told") / "home")
    numbers = count(1)
    with pytest.MonkeyPatch.context() as patch, Engine(settings_of(home)) as engine:
        patch.setattr(os, "urandom", lambda size: next(numbers).to_bytes(6, "big").ljust(size, b"\0"))
        talks = engine.memory.conversations
        talks.create(OTHER, "deploy")
        talks.extend(
            OTHER, [Saying("user", f"deploy it {HOSTILE}"), Saying("tool", "exit 0")], conversation="deploy"
        )
        talks.create(MINE, "mixing")
        talks.extend(MINE, DIALOGUE, conversation="mixing")
        for query in ("index cards", "tag:theory gap"):
            engine.search(Request(query))
        engine.search(Request("spectral gap"))
    return home


@pytest.fixture
def said(told: Path, home: Path) -> Path:
    """That home, for one test."""
    return shutil.copytree(told, home)


DIALOGUE = [
    Saying("user", "Why does the chain forget its start so slowly?"),
    Saying(
        "assistant", "Its spectral gap is small:\n\n- a bottleneck between two halves\n- few edges across"
    ),
    Saying("user", "What helps?"),
    Saying("assistant", "More edges across the bottleneck. " * 6),
]


async def history(b: Bench) -> HistoryPane:
    await b.opened()
    await b.pilot.press("alt+4")
    await b.until(lambda: b.workbench.panes.current == "history")
    pane = b.workbench.query_one(HistoryPane)
    await b.until(lambda: isinstance(pane.view, ConversationsView) and pane.view.talks.has_focus)
    return pane


async def conversations(b: Bench) -> ConversationsView:
    view = (await history(b)).query_one(ConversationsView)
    await b.until(lambda: view.talks.here is not None and view.transcript.held.rows)
    return view


async def searches(b: Bench) -> SearchesView:
    pane = await history(b)
    await b.pilot.press("v")
    view = pane.query_one(SearchesView)
    await b.until(lambda: view.answers.count and view.log_list.has_focus)
    return view


# -- conversations -----------------------------------------------------------------------------------


async def test_conversations_are_read_their_messages_found_and_all_of_one_deleted(said: Path) -> None:
    async with bench(said) as b:
        view = await conversations(b)
        ids = [line for line in b.lines() if "messages  2026-01-01 00:00" in line]
        assert "mixing" in ids[0]
        assert "deploy" in ids[1]
        await b.until(lambda: "2 assistant · 2026-01-01 00:00" in b.text())
        assert "- a bottleneck between two halves" in b.text()
        await b.pilot.press("j")
        await b.until(lambda: (of := view.transcript.conversation) is not None and of.id == "deploy")
        assert "agent7/s1" in b.text(), "whose it is, where it is not one's own"
        harmless(b)
        await b.pilot.press("enter")
        await b.until(lambda: view.transcript.has_focus)
        await b.pilot.press("y")
        assert b.app.clipboard == f"deploy it {HOSTILE}"
        await b.pilot.press("escape", "y")
        assert b.app.clipboard == "deploy"
        await b.pilot.press("k", "f")
        await b.answer("bottleneck")
        await b.until(lambda: view.finds.count == 2 and view.finds.has_focus)
        here = view.finds.here
        assert here is not None
        await b.until(lambda: view.transcript.conversation is not None and here.id in _shown(view))
        await b.pilot.press("f")
        await b.answer("unheard of")
        await b.until(lambda: "No messages for" in b.text())
        await b.pilot.press("escape")
        await b.until(lambda: view.talks.has_focus and len(_shown(view)) == 4)
        await b.pilot.press("x")
        await b.shown(ConfirmScreen)
        await b.until(lambda: "4 messages are deleted for good." in b.text())
        await b.pilot.press("escape")
        await b.until(lambda: not isinstance(b.app.screen, ConfirmScreen))
        assert view.talks.count == 2
        await b.pilot.press("x")
        await b.shown(ConfirmScreen)
        await b.pilot.press("y")
        await b.until(lambda: view.talks.count == 1)
        await b.until(lambda: (of := view.transcript.conversation) is not None and of.id == "deploy")
        deleted = "Deleted the conversation mixing with 4 messages."
        await b.until(lambda: any(one.text == deleted for one in b.app.context.said))


def _shown(view: ConversationsView) -> list[str]:
    return [one.id for one in view.transcript.held.rows]


# -- searches ----------------------------------------------------------------------------------------


async def test_a_search_is_compared_with_today_and_its_documents_are_read(said: Path) -> None:
    with Engine(settings_of(said)) as engine:
        gone = engine.document("graphs/lanczos.md")
        engine.curation.edit(edits.trash, [gone.id])
        text = "The spectral gap of a note that came later."
        engine.curation.edit(edits.note, engine.cut, text, title="Later")
    async with bench(said) as b:
        view = await searches(b)
        assert "spectral gap" in b.text()
        assert "000000000003" in b.text(), "its retrieval id"
        assert "run      2026-01-01 00:00 by agent default" in b.text()
        await b.pilot.press("enter")
        await b.until(lambda: view.compared is not None)
        assert view.answers.has_focus
        kinds = {move.title: move.kind for move in view.compared.moves} if view.compared else {}
        assert (kinds["Lanczos, restarted"], kinds["Later"]) == ("went", "came")
        assert "1 came, 1 went" in b.text()
        await b.pilot.press("enter")
        await b.shown(ReadingScreen)
        await b.pilot.press("escape")
        await b.until(lambda: view.answers.has_focus)
        await b.pilot.press("escape")
        assert view.log_list.has_focus
        assert "Results then" in b.text()


async def test_a_search_is_run_again_as_it_was_logged(filled: Path) -> None:
    """With its profile, mode, limit, changes, terms left out and filters, until the line is edited."""
    with Engine(settings_of(filled)) as engine:
        engine.curation.edit(edits.supersede, ["graphs/lanczos.md"], "graphs/gap.md")
        logged = Request(
            "gap", limit=3, profile="ark", mode="keyword", superseded=True, without=("news",), hops=0,
            adjust=("k=40",), filters=Filters(tags=("theory", "graphs")),
        )  # fmt: skip
        then = engine.search(logged)
        as_usual = [hit.document.title for hit in engine.search(Request("gap")).hits]
    assert [hit.document.title for hit in then.hits] != as_usual
    async with bench(filled) as b:
        await searches(b)
        await b.pilot.press("j", "R")
        await b.until(lambda: b.complete("gap"))
        assert b.titles() == [hit.document.title for hit in then.hits]
        said = " ".join(b.text().split())
        assert "as logged: profile ark, keyword, at most 3, with k=40, without news" in said
        assert "with superseded documents, tag:theory tag:graphs" in said
        again, *_ = log.latest(b.app.context.opening.home().engine, 1)
        assert again.request == replace(logged, agent="default"), "and that is what is kept of it"
        found = log.rerun(b.app.context.opening.home().engine, again.id)
        assert found.same
        await b.pilot.press("s")
        await b.until(lambda: "with superseded" not in b.text() and "as logged" in b.text())
        await b.pilot.press("slash", "end")
        await b.type(" ")
        await b.until(lambda: "as logged" not in b.text())
        await b.until(lambda: b.titles() == as_usual)  # an edited line is a search as any other


# -- all of them -------------------------------------------------------------------------------------


async def test_the_history_as_it_looks(said: Path, frame: Callable[[App[None], str], None]) -> None:
    with Engine(settings_of(said)) as engine:
        engine.curation.edit(edits.trash, [engine.document("graphs/lanczos.md").id])
    async with bench(said) as b:
        view = await conversations(b)
        await b.until(lambda: "1–4 of 4" in b.text())
        assert view.transcript.region.x >= view.talks.region.right
        frame(b.app, "history-120x34")
        await b.pilot.press("v")
        log = b.workbench.query_one(SearchesView)
        await b.until(lambda: log.answers.count)
        await b.pilot.press("enter")
        await b.until(lambda: log.compared is not None and "1 went" in b.text())
