"""The session: everything comes back as it was left; what cannot be read is said once and changes nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.errors import StoreError
from ark_tui.domain.library import ORDERS
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes.browsing import Browser
from ark_tui.interfaces.tui.panes.conversations import Finds, Talks
from ark_tui.interfaces.tui.panes.history import HistoryPane
from ark_tui.interfaces.tui.panes.library import LibraryPane
from ark_tui.interfaces.tui.panes.notebook import NotebookPane, Pad, Tasks
from ark_tui.interfaces.tui.panes.searches import Answers, Log
from ark_tui.interfaces.tui.state import session
from ark_tui.interfaces.tui.state.messages import SearchAsked, TermSwitched
from ark_tui.interfaces.tui.state.session import Session
from ark_tui.interfaces.tui.widgets.documents import Documents
from ark_tui.interfaces.tui.widgets.row_list import RowList
from ark_tui.interfaces.tui.widgets.sources import Collections
from tests.tui.bench import Bench, bench, settings_of

LEFT = Session(
    pane="library",
    focus="collections",
    query="gap tag:x",
    typing=False,
    superseded=True,
    without=("mixing",),
    logged={"is": "Request", "query": "gap tag:x", "mode": "keyword"},
    below=True,
    document="ab",
    offset=7,
    match=2,
    marked=("ab", "cd"),
    rows={"tasks": (3, "7")},
    panes={"library": {"view": "trash", "words": "gap"}},
)


async def quit_(b: Bench) -> None:
    await b.pilot.press("ctrl+q")
    await b.pilot.pause()


def said(b: Bench) -> str:
    return "\n".join(one.text for one in b.app.context.said)


def left_over(home: Path) -> list[Path]:
    return list(home.glob(".session.json.*"))


async def test_query_cursor_marks_document_and_focus_come_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("space", "s")
        await b.until(lambda: b.complete("spectral gap"))
        second = b.hits.results.hits[1].document
        await b.until(
            lambda: (p := b.hits.reader.passage) and p.document.id == second.id, "the second document"
        )
        marked = set(b.hits.results.marks)
        b.hits.go_to("reader")
        await b.until(lambda: b.hits.reader.has_focus)
        await b.pilot.press("n")
        match = b.hits.reader.match
        await quit_(b)
    async with bench(filled) as b:
        await b.until(
            lambda: b.search.result is not None and b.hits.reader.has_focus, "the document in focus"
        )
        assert b.search.query_line.value == "spectral gap"
        assert b.hits.results.hit is not None
        assert b.hits.results.hit.document.id == second.id
        assert set(b.hits.results.marks) == marked
        assert b.search.asking.superseded
        await b.until(
            lambda: (p := b.hits.reader.passage) and p.document.id == second.id, "the second document"
        )
        assert b.hits.reader.match == match


async def test_a_long_document_comes_back_at_its_place(home: Path, tmp_path: Path) -> None:
    notes = tmp_path / "long"
    notes.mkdir()
    (notes / "long.md").write_text("# Quinces\n\n" + "\n\n".join(f"Quince number {i}." for i in range(400)))
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
    async with bench(home) as b:
        await b.searched("quinces")
        b.hits.go_to("reader")
        await b.until(lambda: b.hits.reader.has_focus)
        await b.pilot.press("G")
        await b.until(lambda: "Quince number 399" in b.text())
        await quit_(b)
    async with bench(home) as b:
        await b.until(lambda: "Quince number 399" in b.text(), "the end of the document")


async def test_what_lies_below_the_floor_comes_back(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ark_tui.retrieval.abstention.SMALLEST", 1)
    async with bench(filled) as b:
        await b.type("aphids on tomatoes ")
        await b.until(lambda: b.search.result is not None and b.search.result.abstained, "nothing found")
        await b.pilot.press("f7")
        await b.until(lambda: b.hits.results.hits)
        titles = b.titles()
        await quit_(b)
    async with bench(filled) as b:
        await b.until(lambda: b.search.result is not None and b.titles() == titles, "the same hits")


async def test_the_pane_and_its_cursor_come_back(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        for text in ("one", "two", "three"):
            engine.memory.tasks.add(Scope(), text)
    async with bench(filled) as b:
        await b.opened()
        await b.pilot.press("alt+3")
        await b.until(lambda: b.workbench.query(Tasks) and b.workbench.query_one(Tasks).count == 3)
        await b.pilot.press("G")
        await b.pilot.press("2")
        await b.until(lambda: b.workbench.panes.current == "library")
        await quit_(b)
    async with bench(filled) as b:
        await b.until(lambda: b.workbench.panes.current == "library", "the library")
        await b.until(lambda: b.workbench.query_one(Collections).has_focus, "its list")
        await b.pilot.press("3")
        await b.until(lambda: b.workbench.query(Tasks) and b.workbench.query_one(Tasks).count == 3)
        assert b.workbench.query_one(Tasks).cursor == 2


async def test_cursors_come_back_to_what_they_were_on_in_lists_that_have_changed(filled: Path) -> None:
    """Or to the nearest row, where that is gone."""
    with Engine(settings_of(filled)) as engine:
        tasks = [engine.memory.tasks.add(Scope(), text) for text in ("one", "two", "three")]
        for word in ("a", "b", "c"):
            engine.memory.conversations.create(Scope(), word)
            engine.search(Request(word))
            engine.memory.scratch.set(Scope(), word, "x")
            engine.unkept()

    async def shown(b: Bench) -> tuple[RowList, ...]:
        await b.opened()
        await b.pilot.press("alt+2", "alt+3", "alt+4")
        await b.until(lambda: b.workbench.query(HistoryPane))
        history = b.workbench.query_one(HistoryPane)
        history.go_to("conversations-view")
        await b.until(lambda: b.workbench.query_one(Talks).count)
        history.go_to("searches-view")
        library = b.workbench.query_one(LibraryPane)
        await b.pilot.press("alt+2")
        library.go_to("browser")
        query = b.workbench.query_one
        lists: tuple[RowList, ...] = (query(Tasks), query(Pad), query(Talks), query(Log), query(Documents))
        await b.until(lambda: all(one.count and one.save_state()[1] for one in lists))
        return lists

    async with bench(filled) as b:
        for one, row in zip(await shown(b), (1, 2, 2, 1, 3), strict=True):
            one.cursor = row
        left = [one.save_state()[1] for one in await shown(b)]
        await quit_(b)
    with Engine(settings_of(filled)) as engine:
        engine.memory.tasks.delete(Scope(), tasks[0].id)
        engine.memory.scratch.delete(Scope(), "c")
        for number in range(150):
            engine.memory.conversations.create(Scope(), f"later {number}")
        engine.search(Request("later"))
        engine.curation.note("It comes before all others.", title="AAA")
    async with bench(filled) as b:
        places = [one.save_state() for one in await shown(b)]
    assert [name for _, name in places] == [left[0], "b", *left[2:]]
    assert [row for row, _ in places] == [0, 1, 152, 2, 4]


async def test_each_pane_comes_back_as_it_was_turned(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        for words in ("spectral gap", "rice"):
            engine.search(Request(words))
    async with bench(filled) as b:
        await b.opened()
        await b.pilot.press("alt+2")
        library = b.workbench.query_one(LibraryPane)
        library.go_to("browser")
        documents = library.browser.documents
        await b.until(lambda: documents.count)
        await b.pilot.press("o", "f", *"graphs", "enter")
        await b.until(lambda: documents.listing.words == "graphs" and documents.loaded)
        await b.pilot.press("j")
        await b.until(lambda: documents.cursor == 1)
        listing, here = documents.listing, documents.save_state()
        await b.pilot.press("alt+3")
        await b.until(lambda: b.workbench.query(Tasks))
        b.workbench.query_one(NotebookPane).action_done_ones()
        await b.pilot.press("alt+4")
        await b.until(lambda: b.workbench.query(HistoryPane))
        history = b.workbench.query_one(HistoryPane)
        history.go_to("searches-view")
        history.view.narrow("spectral")
        answers = b.workbench.query_one(Answers)
        await b.until(lambda: answers.count, "what the search listed")
        answers.focus()
        answers.cursor = 2
        await quit_(b)
    assert listing.words == "graphs"
    async with bench(filled) as b:
        await b.until(lambda: b.workbench.query(Answers) and b.workbench.query_one(Answers).has_focus)
        answers = b.workbench.query_one(Answers)
        await b.until(lambda: answers.count and answers.cursor == 2, "the answer")
        assert "Searches: spectral" in b.text()
        await b.pilot.press("alt+2")
        browser = b.workbench.query_one(LibraryPane).browser
        await b.until(lambda: browser.documents.save_state() == here, "the document")
        assert browser.listing == listing
        assert (browser.filter_line.value, browser.documents.has_focus) == ("graphs", True)
        await b.pilot.press("alt+3")
        await b.until(lambda: b.workbench.query(NotebookPane))
        assert b.workbench.query_one(NotebookPane).save_state() == {"done": "hidden"}


async def test_messages_that_were_found_come_back_with_the_one_under_the_cursor(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        for number in range(4):
            engine.memory.conversations.add(Scope(), "user", f"quince {number}")
    async with bench(filled) as b:
        await b.opened()
        await b.pilot.press("alt+4")
        await b.until(lambda: b.workbench.query(Finds))
        b.workbench.query_one(HistoryPane).view.narrow("quince")
        await b.until(lambda: b.workbench.query_one(Finds).count == 4)
        b.workbench.query_one(Finds).cursor = 3
        left = b.workbench.query_one(Finds).save_state()
        await quit_(b)
    async with bench(filled) as b:
        await b.until(lambda: b.workbench.query(Finds) and b.workbench.query_one(Finds).has_focus)
        await b.until(
            lambda: b.workbench.query_one(Finds).save_state() == left and left[0] == 3, "the message"
        )


async def test_a_search_of_the_log_comes_back_as_it_was_run(filled: Path) -> None:
    request = Request("spectral gap", mode="keyword", limit=3, without=("mixing",))
    async with bench(filled) as b:
        await b.opened()
        b.workbench.post_message(SearchAsked(request))
        await b.until(lambda: b.complete("spectral gap"))
        titles = b.titles()
        await quit_(b)
    async with bench(filled) as b:
        await b.until(lambda: b.complete("spectral gap"), "the hits")
        assert b.search.asking.logged == request
        assert (b.titles(), len(titles)) == (titles, 3)


async def test_a_term_that_was_switched_off_stays_off(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        assert b.search.result is not None
        term = b.search.result.expansion.terms[0]
        b.search.post_message(TermSwitched(term, on=False))
        await b.until(lambda: b.search.asking.without == (term,) and b.complete("spectral gap"))
        await quit_(b)
    async with bench(filled) as b:
        await b.until(lambda: b.complete("spectral gap"), "the hits")
        assert b.search.asking.without == (term,)


async def test_a_session_that_knew_rows_by_their_numbers_alone_comes_back_to_those(filled: Path) -> None:
    session.save(filled, Session(query="gap"))
    kept = json.loads((filled / session.FILE).read_text())
    (filled / session.FILE).write_text(json.dumps({**kept, "rows": {"tasks": 2}}))
    found, fault = session.load(filled)
    assert (found.rows, fault) == ({"tasks": (2, "")}, "")


async def test_what_had_the_focus_in_a_view_that_is_not_shown_does_not_take_it(filled: Path) -> None:
    """Sessions of before know the part, and not the view that it was in."""
    session.save(filled, Session(pane="library", focus="trash"))
    async with bench(filled) as b:
        await b.until(lambda: b.workbench.query(Collections) and b.workbench.query_one(Collections).has_focus)


async def test_coming_back_leaves_no_trace_in_the_log_of_searches(filled: Path) -> None:
    session.save(filled, Session(query="spectral gap", typing=False))
    async with bench(filled) as b:
        await b.until(lambda: b.complete("spectral gap"), "the hits")
    with Engine(settings_of(filled)) as engine:
        assert engine.search_log() == ()


async def test_a_query_that_comes_back_is_selected_so_that_typing_begins_a_new_one(filled: Path) -> None:
    session.save(filled, Session(query="spectral gap", focus="query"))
    async with bench(filled) as b:
        await b.until(lambda: b.complete("spectral gap"), "the hits")
        await b.type("lan")
        assert b.search.query_line.value == "lan"


async def test_what_is_typed_before_the_engine_is_there_goes_first(filled: Path) -> None:
    session.save(filled, Session(query="spectral gap", focus="results", document="x"))
    async with bench(filled) as b:
        await b.type("forgetting")
        await b.until(lambda: b.complete("forgetting"), "the hits")
        assert b.search.query_line.has_focus


async def test_what_is_gone_is_left_out(filled: Path) -> None:
    session.save(filled, replace(LEFT, pane="kitchen", query="spectral gap", focus="no [such", below=False))
    async with bench(filled) as b:
        await b.until(lambda: b.complete("spectral gap"), "the hits")
        assert b.workbench.panes.current == "search"
        assert not b.hits.results.marks
        assert not b.app.context.said


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 1}', '{"version": "1"}', "\x00", '{"version": 1, "rows": {"a": "b"}}'],
)
async def test_a_damaged_session_is_said_once_and_written_anew(filled: Path, text: str) -> None:
    (filled / session.FILE).write_text(text)
    found, fault = session.load(filled)
    assert found == Session()
    assert fault == f"{filled / session.FILE} is damaged. {session.AFRESH}"


async def test_a_session_of_a_newer_program_is_said_in_one_sentence_on_the_screen(filled: Path) -> None:
    (filled / session.FILE).write_text(json.dumps({"version": 9, "panes": 7}))
    async with bench(filled) as b:
        await b.opened()
        assert said(b) == f"{filled / session.FILE} is of a newer ark-tui. {session.AFRESH}"
        await b.type("gap")
        await quit_(b)
    assert (
        session.load(filled) == (replace(Session(query="gap", focus="query")), "")
        or session.load(filled)[0].query
    )


async def test_a_session_that_cannot_be_written_is_said_once(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("It cannot be written.")

    async with bench(filled) as b:
        await b.opened()
        monkeypatch.setattr(session, "save", refuse)
        await b.type("gap")
        b.app.workbench.keep_session()
        await b.type("s")
        b.app.workbench.keep_session()
        assert said(b).count("cannot be written") == 1


async def test_two_workbenches_write_whole_files_and_the_last_one_wins(filled: Path) -> None:
    async with bench(filled) as one, bench(filled) as two:
        await one.opened()
        await two.opened()
        await one.type("gap")
        await two.type("curve")
        two.app.workbench.keep_session()
        one.app.workbench.keep_session()
        assert session.load(filled)[0].query == "gap"
        two.app.context.session = Session()
        two.app.workbench.keep_session()
        assert session.load(filled)[0].query == "curve"
    assert not left_over(filled)


async def test_a_list_that_is_not_on_the_screen_yet_has_a_state_too(filled: Path) -> None:
    """Who quits in the first moment of a pane."""
    async with bench(filled) as b:
        assert Browser(b.app.context).save_state() == {"order": ORDERS[0]}


def test_a_home_that_is_not_there_is_not_made_for_a_session(home: Path) -> None:
    session.save(home, LEFT)
    assert not home.exists()


def test_what_is_kept_is_what_comes_back(home: Path) -> None:
    home.mkdir()
    session.save(home, LEFT)
    assert session.load(home) == (LEFT, "")


@given(
    st.text(),
    st.text(),
    st.lists(st.text()),
    st.dictionaries(st.text(), st.tuples(st.integers(0, 10**9), st.text())),
)
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    query: str,
    focus: str,
    marked: list[str],
    rows: dict[str, tuple[int, str]],
) -> None:
    home = tmp_path_factory.mktemp("kept")
    kept = Session(query=query, focus=focus, marked=tuple(marked), rows=rows)
    session.save(home, kept)
    assert session.load(home) == (kept, "")
