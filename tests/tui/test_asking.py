"""How a search is asked: what keys have said besides the query, and for how long that holds."""

from __future__ import annotations

from dataclasses import replace

from ark_tui.domain.query import Request
from ark_tui.interfaces.tui.panes.asking import LIMIT, Asking, Chip

LOGGED = Request("gap", mode="keyword", limit=3, profile="ark", without=("laplacian",), adjust=("k=60",))
"""A search of the log that was run otherwise than the workbench runs one."""


def test_a_query_is_asked_with_what_was_chosen_beside_it() -> None:
    asked = Asking("spectral gap", superseded=True, without=("mixing",)).request("model", again=False)
    assert asked == Request(
        "spectral gap", limit=LIMIT, profile="model", typing=True, superseded=True, without=("mixing",)
    )


def test_a_search_of_the_log_is_asked_as_it_was_run_until_the_query_is_edited() -> None:
    asking = Asking("gap", typing=False, superseded=True, logged=LOGGED)
    assert asking.request("model", again=False) == LOGGED
    edited = asking.edited().request("model", again=False)
    assert (edited.mode, edited.limit, edited.profile, edited.superseded) == ("hybrid", LIMIT, "model", True)


def test_a_term_that_is_left_out_stays_out_until_the_line_is_emptied() -> None:
    asking = Asking("gap").switched(Chip("mixing", "+ mixing", on=True)).edited()
    assert asking.request("", again=False).without == ("mixing",)
    assert asking.switched(Chip("mixing", "- mixing", on=False)).without == ()
    assert asking.emptied().without == ()


def test_the_chat_model_is_asked_only_until_the_query_is_edited() -> None:
    asking = replace(Asking("gap"), expand=True)
    assert asking.request("", again=False).expand
    assert asking.edited().request("", again=False).expand is None


def test_an_empty_line_asks_nothing_unless_it_is_a_search_of_the_log() -> None:
    assert Asking("  ").is_empty
    assert not Asking("", logged=LOGGED).is_empty
