"""A signal is a file, has a weight and counts in a search; MaxSim compares words and texts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ark_tui.domain.profile import Profile
from ark_tui.domain.query import Request
from ark_tui.embedding import static
from ark_tui.retrieval import run, signals
from ark_tui.retrieval.signals.maxsim import closest, measured
from ark_tui.settings import ranking
from tests.corpora import filled

EARLY = '''
"""Early: what was stored sooner."""

from ark_tui.domain.hits import SignalInfo
from ark_tui.retrieval.state import Signal

SIGNAL = Signal(
    SignalInfo("early", "y", "structure", "How soon it was stored."), "words", None,
    lambda search, candidates: 1 / (1.0 + candidates.chunks),
)
'''
TEXTS = {"a.md": "Apples in a cellar.", "b.md": "Apples and pears in a cellar."}


@pytest.fixture
def early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "signals").mkdir()
    (tmp_path / "signals" / "early.py").write_text(EARLY, "utf-8")
    monkeypatch.setattr(signals, "__path__", [*signals.__path__, str(tmp_path / "signals")])
    everyone = signals.found()
    monkeypatch.delitem(sys.modules, "ark_tui.retrieval.signals.early")
    monkeypatch.setattr(signals, "SIGNALS", everyone)
    known = (signals.Listed(one.info, one.backend, one.quiet) for one in everyone)
    monkeypatch.setattr(signals, "LISTED", tuple(known))


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("weight", [0.5, 0.0])
def test_a_new_file_is_a_new_signal(tmp_path: Path, weight: float) -> None:
    assert [signal.info.name for signal in signals.SIGNALS] == [*ranking.SIGNALS, "early"]
    home = filled(tmp_path / "home", TEXTS)
    given = {"early": weight} if weight else {}
    corpus = home.corpus(profiles={"any": Profile("any", weights={"bm25": 1.0, **given})})
    result = run(corpus, Request("apples", profile="any"))
    assert len(result.hits) == 2
    for hit in result.hits:
        assert [part.weight > 0 for part in hit.parts if part.name == "early"] == [True for _ in given]
    assert ("early" in [lamp.signal for lamp in result.lamps if lamp.state == "on"]) == bool(weight)


def test_names_are_told_to_the_settings(tmp_path: Path) -> None:
    """As `python -m ark_tui.retrieval.signals` writes them."""
    expected = ranking.NAMES.read_text("utf-8")
    told = (
        "import runpy, sys; from pathlib import Path; from ark_tui.settings import ranking; "
        "ranking.NAMES = Path(sys.argv[1]); "
        "runpy.run_module('ark_tui.retrieval.signals', run_name='__main__')"
    )
    written = tmp_path / "signals.json"
    subprocess.run([sys.executable, "-c", told, str(written)], check=True, capture_output=True)
    assert written.read_text("utf-8") == expected
    assert [info[0] for info, _, _ in json.loads(expected)] == [*ranking.SIGNALS]


def test_help_imports_no_signal() -> None:
    told = (
        "import sys; from ark_tui.interfaces.cli import main; sys.argv[1:] = ['--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.exit('ark_tui.retrieval.signals' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)
    assert "Usage" in done.stdout
    assert done.returncode == 0


NEAR = "the spectral gap of a chain"
FAR = f"spectral {'rain on the roof of a barn ' * 20}gap"


def test_words_that_stand_together_count_more_than_the_same_words_apart() -> None:
    query, near, far = static.tokens(["spectral gap", NEAR, FAR])
    close, starts = closest(query.astype(np.int64), [near, far])
    assert close[:, : starts[1]].min() > 0.98  # one passage has both
    assert close[:, starts[1] :].min(axis=0).max() < 0.9  # none has
    assert np.allclose(close[:, starts[1] :].max(axis=1), 1.0, atol=0.01)
    together, apart = measured(np.full(len(query), 1 / len(query)), close, starts)
    assert together > apart


def test_no_passage_reaches_into_the_next_text() -> None:
    query, one, other = static.tokens(["gap", "rain on the roof", "gap"])
    together, starts = closest(query.astype(np.int64), [one, other])
    alone, _ = closest(query.astype(np.int64), [one])
    assert np.allclose(together[:, : starts[1]], alone)
    assert together[0].max() > 0.98


def test_two_tokens_beside_each_other_are_in_one_passage_wherever_they_stand() -> None:
    words = static.tokens([" ".join(f"one two three four five six seven {number}" for number in range(12))])[
        0
    ]
    for at in range(len(words) - 1):
        close, _ = closest(words[at : at + 2].astype(np.int64), [words])
        assert close.min(axis=0).max() > 0.98
