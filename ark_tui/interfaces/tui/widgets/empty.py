"""What an empty list shows: why it is empty, and the keys that help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import VerticalScroll
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import configured

if TYPE_CHECKING:
    from ark_tui.domain.errors import ArkError, QuerySyntaxError
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.work import Status
    from ark_tui.settings import Settings

KeyOf = Callable[[str], str]
"""From the id of an action to its key, as people write it."""

Offer = tuple[str, str]
"""A key and what it does."""


class Empty(VerticalScroll, can_focus=False):
    """What an empty list shows."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        self._said = Static()
        super().__init__(self._said)

    def say(self, title: str, sentence: str, *offers: Offer) -> None:
        """Show a title, a sentence and some keys."""
        text = Text()
        text.append(title, "bold")
        text.append(f"\n\n{sentence}\n" if sentence else "\n")
        wide = max((len(key) for key, _ in offers), default=0)
        for key, does in offers:
            text.append("\n  ")
            text.append(key.ljust(wide), "bold")
            text.append(f"  {does}")
        self._said.update(text)


def explain(
    empty: Empty,
    key: KeyOf,
    *,
    settings: Settings,
    status: Status | None,
    indexing: str,
    failure: ArkError | None,
    unread: QuerySyntaxError | None,
    result: SearchResult | None,
    typed: str,
    opened: bool,
    elsewhere: bool = False,
) -> None:
    """Say why a search lists nothing: the first that holds of all that can be the reason.

    `status` is None until the home has been read, `indexing` is empty unless documents are on their way,
    `opened` says whether the engine is there, `elsewhere` that the home is not on this machine.
    """
    documents = status.documents if status else None
    new = documents == 0 or not (elsewhere or settings.home.store.exists())
    if failure is not None:
        failed(empty, key, failure)
    elif indexing and (new or result is not None):
        still_indexing(empty, key, indexing)
    elif new:
        root = configured.next_root(settings, status)
        folder = visible_line(configured.tilde(root)) if root else ""
        nothing_yet(empty, key, sample=configured.sample() is not None, folder=folder)
    elif unread is not None:
        unreadable(empty, key, unread)
    elif result is not None and result.abstained and result.verdict is not None:
        nothing_about(empty, key, result.verdict.why, len(result.below))
    elif result is not None:
        unknown = [visible_line(one.word) for one in result.suggestions if ":" in one.word]
        no_match(empty, key, visible_line(result.query.raw), unknown)
    elif typed.strip():
        on_its_way(empty, opened=opened)
    else:
        no_query(empty, key, documents)


def nothing_yet(empty: Empty, key: KeyOf, *, sample: bool, folder: str = "") -> None:
    """The home is new; `folder` is one that the settings name."""
    choose = f"index {folder} (from your settings) or another folder" if folder else ""
    offers = [(key("everywhere.index"), choose or "index a folder of your own notes")]
    if sample:
        offers.append((key("everywhere.sample"), "index the sample notes"))
    offers.append((key("app.help"), "what the keys do"))
    empty.say(
        "Nothing here yet",
        "Index a folder of notes, then search it. ark-tui never writes to your files.",
        *offers,
    )


def no_query(empty: Empty, key: KeyOf, documents: int | None) -> None:
    """Nobody has asked anything yet; None: nobody has counted yet either."""
    empty.say(
        "Search" if documents is None else f"{counted(documents, 'document')} to search",
        "Type a few words: results come while you type.",
        ("tag:x", "with the tag; likewise in: path: tier: type:"),
        ("-word", "without the word"),
        ('"a b"', "the words in this order"),
        (key("app.command-palette"), "everything ark-tui can do, by name"),
    )


def no_collection(empty: Empty, key: KeyOf) -> None:
    """The library is empty."""
    empty.say(
        "No collections yet",
        "A folder that is indexed becomes a collection, named after it.",
        (key("everywhere.index"), "choose a folder"),
        (key("everywhere.sample"), "index the sample notes"),
    )


def unreadable(empty: Empty, key: KeyOf, error: QuerySyntaxError) -> None:
    """The query cannot be read."""
    from ark_tui.interfaces.tui.state.wording import worded

    empty.say(
        error.what,
        worded(error.hint, key),
        ("^u", "clear the query line"),
        (key("app.help"), "what the keys do"),
    )


def no_match(empty: Empty, key: KeyOf, query: str, unknown: Sequence[str] = ()) -> None:
    """The search came back with nothing; `unknown`: filters whose value no document has."""
    why = f"No document has {', '.join(unknown)}." if unknown else "Try fewer or different words."
    empty.say(
        "No results",
        f"No results for “{query}”. {why}",
        ("^u", "clear the query"),
        (key("everywhere.index"), "index another folder"),
    )


def nothing_about(empty: Empty, key: KeyOf, why: str, below: int) -> None:
    """There is something, and none of it is about the query."""
    empty.say(
        "No relevant results",
        why,
        (key("search.below"), f"show {counted(below, 'low-confidence result')}"),
        ("^u", "clear the query"),
    )


def still_indexing(empty: Empty, key: KeyOf, done: str) -> None:
    """Documents are on their way."""
    empty.say(
        "Still indexing",
        f"{done.rstrip('.')}. You can search what is indexed already.",
        (key("everywhere.stop"), "stop; finished work is kept"),
    )


def on_its_way(empty: Empty, *, opened: bool) -> None:
    """A query is there before its hits are, perhaps before the engine is."""
    if opened:
        empty.say("Searching …", "Results appear as soon as they are found.")
    else:
        empty.say("Opening …", "Your search runs as soon as everything is loaded.")


def failed(empty: Empty, key: KeyOf, error: ArkError) -> None:
    """Something went wrong."""
    from ark_tui.interfaces.tui.state.wording import worded

    empty.say(
        error.what,
        worded(error.hint, key),
        (key("everywhere.reload"), "try again"),
        (key("everywhere.repair"), "check the home and repair it"),
        (key("everywhere.messages"), "all messages"),
    )
