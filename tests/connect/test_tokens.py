"""A token reaches over a connection what it is for, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.domain.errors import Forbidden
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.client.home import Home
from ark_tui.operations import workbench
from ark_tui.operations.call import Call
from ark_tui.operations.catalog import shipped
from tests.connect.serving import TOKEN, home_at, serving


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "gap.md").write_text("# Gap\n\nA spectral gap bounds the mixing time.\n", "utf-8")
    with Engine(settings.load(tmp_path / "home", environ={})) as engine:
        engine.index([notes])
        yield engine


def at(url: str, token: str) -> closing[Home]:
    return closing(home_at(url, token))


def asked(home: Home, name: str, *given: object) -> object:
    return home.ask(shipped().get(name), Call(home.engine), given)


def opened(home: Home) -> list[object]:
    return [*home.ask(workbench.search, Call(home.engine), (Request("gap"),))]


def test_a_token_to_read_searches_and_changes_nothing(engine: Engine) -> None:
    made = engine.memory.tokens.add("reader", "read", (), ())
    with serving(engine) as url, at(url, made.token) as home:
        assert asked(home, "search", "gap")
        with pytest.raises(Forbidden, match="reader"):
            asked(home, "tasks add", "walk")
        with pytest.raises(Forbidden, match="workbench"):
            opened(home)
    assert not engine.memory.tasks.list(engine.scope())


def test_only_what_may_do_all_for_all_is_a_person(engine: Engine) -> None:
    tokens = [TOKEN, engine.memory.tokens.add("all", "admin", (), ()).token]
    confined = engine.memory.tokens.add("ann", "admin", ("ann",), ())
    with serving(engine) as url:
        for token in tokens:
            with at(url, token) as home:
                assert opened(home)
        with at(url, confined.token) as home, pytest.raises(Forbidden, match="workbench"):
            opened(home)


def test_a_token_that_is_revoked_reaches_nothing_any_more(engine: Engine) -> None:
    made = engine.memory.tokens.add("reader", "read", (), ())
    with serving(engine) as url, at(url, made.token) as home:
        assert asked(home, "search", "gap")
        engine.memory.tokens.revoke("reader")
        with pytest.raises(Exception, match="another token"):
            asked(home, "search", "gap")
