"""What no search can use is refused in a sentence, or does no harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load


@pytest.mark.parametrize(("query", "what"), [("a " * 10_001, "20,000"), ("path:" + "*a" * 999, "too long")])
def test_a_query_that_is_too_long_is_refused_in_a_sentence(home: Path, query: str, what: str) -> None:
    with Engine(load(home, environ={})) as engine:
        engine.ingest_text("green tea")
        with pytest.raises(UsageError, match=what):
            engine.search(Request(query, unlogged=True))


def test_half_a_character_in_a_query_takes_no_hit_away(home: Path) -> None:
    with Engine(load(home, environ={})) as engine:
        engine.ingest_text("green tea")
        assert engine.search(Request("tea \ud800", expand=False)).hits
