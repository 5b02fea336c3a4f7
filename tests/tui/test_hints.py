"""The workbench words the steps of a hint as its keys, also those that another process has told."""

from __future__ import annotations

from ark_tui.domain.analysis import Analysis, Novelty, Spectrum
from ark_tui.domain.errors import Hint
from ark_tui.interfaces.tui.state import keymap
from ark_tui.interfaces.tui.state.views import MEASURES
from ark_tui.interfaces.tui.state.wording import ACTIONS, NAMED, worded
from ark_tui.operations.catalog import shipped

KEYS = keymap.first_keys(keymap.made({}).actions)


def test_a_step_is_the_key_that_does_it_else_a_command() -> None:
    hint = Hint.run("doctor", repair=True, say="Rebuild it: {}. ") + Hint.run("backup", say="Or first {}.")
    assert worded(hint, KEYS.__getitem__) == "Rebuild it: F10 (repair). Or first ark-tui backup."
    assert worded("Wait.", KEYS.__getitem__) == "Wait."


def test_every_step_with_a_key_is_an_operation_and_an_action() -> None:
    assert ACTIONS.keys() <= set(shipped().names)
    assert set(ACTIONS.values()) <= NAMED.keys()


def test_what_a_measure_says_keeps_its_steps() -> None:
    notice = Hint.run("index", say="No vectors: `{}` makes them.")
    spectrum = next(one for one in MEASURES if one.name == "Spectrum")
    view = spectrum.view(Analysis(0, novelty=Novelty(Spectrum(), notice=notice)))
    assert worded(view.notice, KEYS.__getitem__) == "No vectors: `F2 (index a folder)` makes them."
