"""The tour: six steps over the sample notes, each done by the person's own keys. Here it is data."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Sight(NamedTuple):
    """What the workbench is like at a moment, as far as the tour asks for it."""

    documents: int = 0
    indexing: bool = False
    pane: str = "search"
    focus: str = ""  # the id of the part
    above: bool = False  # a dialog is open
    hits: bool = False
    reading: bool = False  # a hit has the window
    why: bool = False  # its reasons are shown beside it
    tags: frozenset[tuple[str, str]] = frozenset()  # of the hits: document and tag


class Way(NamedTuple):
    """What to do next, where `when` holds: the action whose key does it; none where text is typed."""

    when: Callable[[Sight], bool]
    action: str
    does: str


class Step(NamedTuple):
    """One thing to do. `done` compares what is seen with what was seen when the step began."""

    name: str
    done: Callable[[Sight, Sight], bool]
    ways: tuple[Way, ...]


def _always(_: Sight) -> bool:
    return True


def _in_list(now: Sight) -> bool:
    return now.focus in {"results", "reader", "why"}


TO_SEARCH = Way(lambda now: now.pane != "search", "everywhere.search", "leads back to the search")
TO_HITS = Way(lambda now: now.focus == "query", "query.leave", "leads to the hits")
TO_LIST = Way(lambda now: not _in_list(now), "everywhere.focus-next", "leads to the hits")
OPENS = Way(lambda now: now.focus == "results", "results.open", "opens the hit under the cursor")
CLOSE = Way(lambda now: now.above, "dialog.close", "closes what is open")
DIALOG = Way(lambda now: now.above, "", "type a tag, then ⏎ takes it")

STEPS = (
    Step(
        "Take in",
        lambda now, _: now.documents > 0 and not now.indexing,
        (
            Way(lambda now: now.indexing, "", "the sample notes are coming in"),
            Way(_always, "everywhere.sample", "takes in the sample notes; nothing is written to them"),
        ),
    ),
    Step(
        "Search",
        lambda now, _: now.hits,
        (
            Way(lambda now: now.focus == "query", "", "type what you look for, such as spectral gap"),
            Way(_always, "everywhere.query", "leads to the query line"),
        ),
    ),
    Step(
        "Read",
        lambda now, _: now.reading,
        (TO_SEARCH, TO_HITS, OPENS, TO_LIST),
    ),
    Step(
        "See why",
        lambda now, _: now.why,
        (
            TO_SEARCH,
            Way(lambda now: now.reading and _in_list(now), "hits.turn", "shows why it is here"),
            TO_HITS,
            OPENS,
            TO_LIST,
        ),
    ),
    Step(
        "Tag it",
        lambda now, begun: bool(now.tags - begun.tags),
        (
            DIALOG,
            TO_SEARCH,
            TO_HITS,
            TO_LIST,
            Way(_always, "curation.tag", "asks for tags"),
        ),
    ),
    Step(
        "Undo",
        lambda now, begun: bool(begun.tags - now.tags),
        (
            TO_SEARCH,
            TO_HITS,
            TO_LIST,
            Way(_always, "curation.undo", "takes the tag off again, as it does any edit"),
        ),
    ),
)


class Tour:
    """How far somebody is."""

    def __init__(self, now: Sight) -> None:
        self.at = 0
        self._begun = now

    @property
    def over(self) -> bool:
        """Whether every step is done."""
        return self.at >= len(STEPS)

    def look(self, now: Sight) -> Way | None:
        """Go on past what is done; what is to be done now, None at the end."""
        while not self.over and STEPS[self.at].done(now, self._begun):
            self.at, self._begun = self.at + 1, now
        if self.over:
            return None
        ways = STEPS[self.at].ways
        return next(way for way in (*ways[: DIALOG in ways], CLOSE, *ways) if way.when(now))
