"""Retention filters: hide expired memories, and search messages only on request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.errors import UsageError
from ark_tui.domain.layers import HISTORY, WORKING
from ark_tui.domain.query import Condition, Either, Every, Expired, Filters, Has
from ark_tui.index import filters as trees
from ark_tui.store import changes

if TYPE_CHECKING:
    from ark_tui.retrieval.state import Corpus, Search

MESSAGES = (Has("layer", str(WORKING)), Has("collection", HISTORY))
NO_VECTORS = "messages are found by their words"


def with_retention(filters: Filters, corpus: Corpus, *, superseded: bool) -> Filters:
    """Add the retention periods and the choice about superseded texts to the filters."""
    now = corpus.clock.now().replace(tzinfo=None)
    expired = tuple(
        Expired(str(layer), changes.minutes(now - kept)) for layer, kept in sorted(corpus.retention.items())
    )
    return replace(filters, superseded=superseded, expired=expired)


def aim(search: Search) -> None:
    """Switch a search for messages to the message index.

    Raises `UsageError` if the search combines messages with other texts.
    """
    tree = trees.condition(search.filters)
    if not any(_asks(one) for one in trees.positive(tree)):
        return
    if not only(tree):
        if search.request.typing:
            return
        raise UsageError(
            "Messages are searched by themselves.",
            f"Write in:{HISTORY} or layer:{WORKING} without other collections or layers.",
        )
    words = search.corpus.messages()
    if words is not None:
        search.corpus = replace(search.corpus, words=words)
    search.problems.update(dict.fromkeys(("vectors", "model"), NO_VECTORS))


def only(tree: Condition) -> bool:
    """Whether only messages can match a condition."""
    if isinstance(tree, Every):
        return any(only(part) for part in tree.parts)
    if isinstance(tree, Either):
        return bool(tree.parts) and all(only(part) for part in tree.parts)
    return _asks(tree)


def _asks(tree: Condition) -> bool:
    return tree in MESSAGES
