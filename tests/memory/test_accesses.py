"""What an agent has opened, copied or cited counts more for it, and for nobody else (S8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.cli.conftest import ark
from tests.support import SteadyClock

__all__ = ["ark"]

TEXTS = {"rafts": "Otters sleep in rafts on the water.", "backs": "Otters sleep on their backs."}


@pytest.fixture
def otters(tmp_path: Path) -> Path:
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        for title, text in TEXTS.items():
            engine.ingest_text(text, title=title)
    return tmp_path / "home"


def multipliers(home: Path, agent: str, profile: str = "ark") -> dict[str, float | None]:
    with Engine(load(home, {"agent_id": agent}, environ={}), SteadyClock()) as engine:
        hits = engine.search(Request("otters sleep", profile=profile)).hits
        return {
            hit.document.title: next((m.value for m in hit.multipliers if m.name == "access"), None)
            for hit in hits
        }


def use(home: Path, agent: str, title: str, times: int) -> None:
    with Engine(load(home, {"agent_id": agent}, environ={}), SteadyClock()) as engine:
        found = next(h for h in engine.search(Request("otters sleep")).hits if h.document.title == title)
        for kind in ("opened", "copied", "cited") * times:
            assert engine.opened(found.document.id, kind) is None


def test_use_counts_for_the_agent_that_made_it_and_for_nobody_else(otters: Path) -> None:
    use(otters, "ann", "rafts", times=1)
    assert multipliers(otters, "ann") == {"rafts": pytest.approx(1.06), "backs": 1.0}
    assert multipliers(otters, "ben") == {"rafts": 1.0, "backs": 1.0}
    use(otters, "ben", "backs", times=6)
    assert multipliers(otters, "ben") == {"rafts": 1.0, "backs": pytest.approx(1.3)}
    assert multipliers(otters, "ann") == {"rafts": pytest.approx(1.06), "backs": 1.0}


def test_the_default_profile_does_not_count_it(otters: Path) -> None:
    use(otters, "ann", "rafts", times=3)
    assert multipliers(otters, "ann", "default") == {"rafts": None, "backs": None}


def test_what_is_merely_listed_or_looked_at_by_the_program_is_no_use(otters: Path) -> None:
    with Engine(load(otters, environ={}), SteadyClock()) as engine:
        (first, second) = engine.search(Request("otters sleep")).hits
        engine.show(first.document.id)
        engine.document(first.document.id)
        assert [engine.memory.accesses.count("default", h.document.id) for h in (first, second)] == [0, 0]
