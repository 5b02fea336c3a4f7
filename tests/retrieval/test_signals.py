"""A signal is a file: it is found, can have a weight, and counts in a search."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui.domain.profile import Profile
from ark_tui.domain.query import Request
from ark_tui.retrieval import run, signals
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
