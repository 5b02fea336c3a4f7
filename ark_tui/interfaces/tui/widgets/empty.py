"""What an empty list shows: why it is empty, and the keys that help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import VerticalScroll
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import configured, strings

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
    choose = strings.INDEX_SETTINGS_FOLDER.format(folder=folder) if folder else ""
    offers = [(key("everywhere.index"), choose or strings.INDEX_YOUR_FOLDER)]
    if sample:
        offers.append((key("everywhere.sample"), strings.INDEX_SAMPLE))
    offers.append((key("app.help"), strings.SHOW_KEYS))
    empty.say(
        strings.NOTHING_YET,
        strings.NOTHING_YET_ABOUT,
        *offers,
    )


def no_query(empty: Empty, key: KeyOf, documents: int | None) -> None:
    """Nobody has asked anything yet; None: nobody has counted yet either."""
    empty.say(
        "Search" if documents is None else strings.TO_SEARCH.format(documents=counted(documents, "document")),
        strings.TYPE_WORDS,
        ("tag:x", strings.SYNTAX_TAG),
        ("-word", strings.SYNTAX_WITHOUT),
        ('"a b"', strings.SYNTAX_PHRASE),
        (key("app.command-palette"), strings.SHOW_PALETTE),
    )


def no_collection(empty: Empty, key: KeyOf) -> None:
    """The library is empty."""
    empty.say(
        strings.NO_COLLECTIONS,
        strings.NO_COLLECTIONS_ABOUT,
        (key("everywhere.index"), strings.CHOOSE_FOLDER),
        (key("everywhere.sample"), strings.INDEX_SAMPLE),
    )


def unreadable(empty: Empty, key: KeyOf, error: QuerySyntaxError) -> None:
    """The query cannot be read."""
    from ark_tui.interfaces.tui.state.wording import worded

    empty.say(
        error.what,
        worded(error.hint, key),
        ("^u", strings.CLEAR_QUERY),
        (key("app.help"), strings.SHOW_KEYS),
    )


def no_match(empty: Empty, key: KeyOf, query: str, unknown: Sequence[str] = ()) -> None:
    """The search came back with nothing; `unknown`: filters whose value no document has."""
    why = strings.NO_DOCUMENT_HAS.format(filters=", ".join(unknown)) if unknown else strings.TRY_OTHER_WORDS
    empty.say(
        strings.NO_RESULTS_TITLE,
        strings.NO_RESULTS.format(query=query, why=why),
        ("^u", strings.CLEAR_QUERY),
        (key("everywhere.index"), strings.INDEX_ANOTHER),
    )


def nothing_about(empty: Empty, key: KeyOf, why: str, below: int) -> None:
    """There is something, and none of it is about the query."""
    empty.say(
        strings.NO_RELEVANT_TITLE,
        why,
        (
            key("search.below"),
            strings.SHOW_LOW_CONFIDENCE.format(results=counted(below, "low-confidence result")),
        ),
        ("^u", strings.CLEAR_QUERY),
    )


def still_indexing(empty: Empty, key: KeyOf, done: str) -> None:
    """Documents are on their way."""
    empty.say(
        strings.STILL_INDEXING,
        strings.STILL_INDEXING_ABOUT.format(progress=done.rstrip(".")),
        (key("everywhere.stop"), strings.STOP_INDEXING),
    )


def on_its_way(empty: Empty, *, opened: bool) -> None:
    """A query is there before its hits are, perhaps before the engine is."""
    if opened:
        empty.say("Searching …", strings.SEARCHING_ABOUT)
    else:
        empty.say("Opening …", strings.OPENING_ABOUT)


def failed(empty: Empty, key: KeyOf, error: ArkError) -> None:
    """Something went wrong."""
    from ark_tui.interfaces.tui.state.wording import worded

    empty.say(
        error.what,
        worded(error.hint, key),
        (key("everywhere.reload"), strings.TRY_AGAIN),
        (key("everywhere.repair"), strings.REPAIR),
        (key("everywhere.messages"), strings.ALL_MESSAGES),
    )
