"""The workbench words the steps of a hint as its keys, also those that another process has told."""

from __future__ import annotations

from ark_tui.domain.errors import Hint
from ark_tui.interfaces.tui.state import keymap
from ark_tui.interfaces.tui.state.actions import DONE_BY, NAMED, worded
from ark_tui.operations.catalog import shipped

KEYS = keymap.first_keys(keymap.made({}).actions)


def test_a_step_is_the_key_that_does_it_else_a_command() -> None:
    hint = Hint.run("doctor", repair=True, say="Rebuild it: {}. ") + Hint.run("backup", say="Or first {}.")
    assert worded(hint, KEYS.__getitem__) == "Rebuild it: F10 (repair). Or first ark-tui backup."
    assert worded("Wait.", KEYS.__getitem__) == "Wait."


def test_every_step_with_a_key_is_an_operation_and_an_action() -> None:
    assert DONE_BY.keys() <= {*shipped().names, *shipped().commands}
    assert set(DONE_BY.values()) <= NAMED.keys()
