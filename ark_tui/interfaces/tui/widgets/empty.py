"""Content of an empty list: the reason, and helpful keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import VerticalScroll
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import configured, strings
from ark_tui.interfaces.tui.state.actions import worded

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.domain.errors import ArkError, QuerySyntaxError
    from ark_tui.domain.hits import SearchResult

KeyOf = Callable[[str], str]
"""Maps the id of an action to its key in display form."""

Offer = tuple[str, str]
"""A key and its effect."""


class Empty(VerticalScroll, can_focus=False):
    """Content of an empty list."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        self._said = Static()
        super().__init__(self._said)

    def say(self, title: str, sentence: str, *offers: Offer) -> None:
        """Show a title, a sentence and keys."""
        text = Text()
        text.append(title, "bold")
        text.append(f"\n\n{sentence}\n" if sentence else "\n")
        wide = max((len(key) for key, _ in offers), default=0)
        for key, does in offers:
            text.append("\n  ")
            text.append(key.ljust(wide), "bold")
            text.append(f"  {does}")
        self._said.update(text)


Reason = tuple[str, str, tuple[Offer, ...]]
"""A reason for an empty list: title, sentence, and helpful keys."""


SEARCHING: Reason = (strings.SEARCHING, strings.SEARCHING_ABOUT, ())
OPENING: Reason = (strings.OPENING, strings.OPENING_ABOUT, ())


def failed(key: KeyOf, error: ArkError) -> Reason:
    """An error has occurred."""
    offers = (
        (key("everywhere.reload"), "try again"),
        (key("everywhere.repair"), strings.REPAIR),
        (key("everywhere.messages"), "all messages"),
    )
    return error.what, worded(error.hint, key), offers


def indexing(key: KeyOf, progress: str) -> Reason:
    """A folder is being indexed."""
    said = strings.STILL_INDEXING_ABOUT.format(progress=progress.rstrip("."))
    return "Still indexing", said, ((key("everywhere.stop"), strings.STOP_INDEXING),)


def unreadable(key: KeyOf, error: QuerySyntaxError) -> Reason:
    """The query has a syntax error."""
    offers = (("^u", strings.CLEAR_QUERY), (key("app.help"), strings.SHOW_KEYS))
    return error.what, worded(error.hint, key), offers


def nothing_yet(key: KeyOf, folder: Path | None) -> Reason:
    """The home is empty. `folder`: a configured folder that can be indexed."""
    shown = visible_line(configured.tilde(folder)) if folder else ""
    choose = strings.INDEX_SETTINGS_FOLDER.format(folder=shown) if shown else strings.INDEX_YOUR_FOLDER
    sample = configured.sample() is not None
    offers = (
        (key("everywhere.index"), choose),
        *(((key("everywhere.sample"), strings.INDEX_SAMPLE),) if sample else ()),
        (key("app.help"), strings.SHOW_KEYS),
    )
    return strings.NOTHING_YET, strings.NOTHING_YET_ABOUT, offers


def no_results(key: KeyOf, result: SearchResult) -> Reason:
    """The search has no results, or no relevant ones."""
    clear = ("^u", strings.CLEAR_QUERY)
    if result.abstained and result.verdict is not None:
        low = counted(len(result.below), "low-confidence result")
        show = (key("search.below"), f"show {low}")
        return strings.NO_RELEVANT_TITLE, result.verdict.why, (show, clear)
    unknown = ", ".join(visible_line(one.word) for one in result.suggestions if ":" in one.word)
    why = strings.NO_DOCUMENT_HAS.format(filters=unknown) if unknown else strings.TRY_OTHER_WORDS
    sentence = strings.NO_RESULTS.format(query=visible_line(result.query.raw), why=why)
    index = (key("everywhere.index"), strings.INDEX_ANOTHER)
    return "No results", sentence, (clear, index)


def no_query(key: KeyOf, documents: int | None) -> Reason:
    """The query is empty. None: the documents have not been counted yet."""
    count = "" if documents is None else f"{counted(documents, 'document')} to search"
    offers = (
        ("tag:x", strings.SYNTAX_TAG),
        ("-word", strings.SYNTAX_WITHOUT),
        ('"a b"', strings.SYNTAX_PHRASE),
        (key("app.command-palette"), strings.SHOW_PALETTE),
    )
    return count or strings.SEARCH, strings.TYPE_WORDS, offers


def no_collection(empty: Empty, key: KeyOf) -> None:
    """There are no collections."""
    index = (key("everywhere.index"), "choose a folder")
    sample = (key("everywhere.sample"), strings.INDEX_SAMPLE)
    empty.say(strings.NO_COLLECTIONS, strings.NO_COLLECTIONS_ABOUT, index, sample)
