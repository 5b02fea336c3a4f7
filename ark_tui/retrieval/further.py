"""The chat model's part in one search: asked before anything is looked up, waited for when it is needed.

Terms are wanted where the request says so, or where it says nothing, the query is vague and a chat model is
configured. Whatever comes of it is on the lamp `expansion`, and the search answers in any case.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalStatus

if TYPE_CHECKING:
    from ark_tui.index.words.terms import Terms
    from ark_tui.retrieval.state import Search

NAME = "expansion"
USED_BY = "expanded"  # the signal that looks for the terms
VAGUE = 2  # words up to which a query is vague


def begin(search: Search) -> None:
    """Ask for terms, if this search wants any."""
    request = search.request
    if request.expand is False or request.typing or request.mode == "semantic":
        return
    if not (request.expand or vague(search.terms)):
        return
    if not (request.expand or search.corpus.expands_unasked):
        return
    expander = search.corpus.expander()
    if why := _obstacle(search):
        search.lamp = SignalStatus(NAME, "off" if request.expand else "idle", why)
    elif expander is not None:
        search.asked = expander.ask(search.query.text, patient=bool(request.expand))
        search.lamp = SignalStatus(NAME, "on")


def terms(search: Search) -> tuple[str, ...]:
    """The chat model's terms; none where it was not asked, or has none within its budget."""
    expander = search.corpus.expander() if search.asked is not None else None
    if search.asked is None or expander is None:
        return ()
    patient = bool(search.request.expand)
    found = expander.await_terms(search.asked, patient=patient, stop=search.stop)
    search.asked = None
    if found.reason or not found.terms:
        search.lamp = SignalStatus(NAME, "on" if found.terms else "off", found.reason)
    return found.terms


def say(search: Search, what: str) -> None:
    """Add to what the lamp says."""
    if search.lamp is not None:
        search.lamp = replace(search.lamp, reason="; ".join(filter(None, (search.lamp.reason, what))))


def vague(terms: Terms) -> bool:
    """Whether a query says too little: two words at most, and nothing exact among them."""
    exact = terms.phrases or terms.identifiers or any(char.isdigit() for word in terms.words for char in word)
    return 0 < len(terms.stems) <= VAGUE and not exact


def _obstacle(search: Search) -> str:
    """Why no chat model is asked."""
    if not search.profile.weights.get(USED_BY):
        return f"the profile {search.profile.name} gives {USED_BY} no weight"
    if not search.query.text.strip():
        return "there are no words to expand"
    if search.corpus.expander() is None:
        return "switched off, by ARK_NO_LLM_EXPAND or by expand = false"
    return ""
