"""What an agent has opened, copied or cited counts more for that agent, in the profile `ark` (S8)."""

from __future__ import annotations

import pytest

from ark_tui.domain.hits import Hit
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.links.conftest import Place
from tests.support import SteadyClock


@pytest.fixture
def twins(place: Place) -> Place:
    place.write("2026-01-01 a.md", "# A\n\nThe spectral gap of a chain, first.")
    place.write("2026-01-01 b.md", "# B\n\nThe spectral gap of a chain, second.")
    place.index()
    return place


def boosts(place: Place, agent: str = "") -> dict[str, float]:
    hits: dict[str, Hit] = place.hits("spectral gap of a chain", profile="ark", agent=agent)
    assert all(hit.summed() == pytest.approx(hit.score) for hit in hits.values())
    return {
        path[-4:-3]: factor.value
        for path, hit in hits.items()
        for factor in hit.multipliers
        if factor.name == "access"
    }


def test_use_lifts_a_document_up_to_three_tenths_for_its_user_alone(twins: Place) -> None:
    assert boosts(twins) == {"a": 1.0, "b": 1.0}
    used = twins.engine.memory.accesses
    for _ in range(5):
        used.note("kim", ["2026-01-01 b.md"], "opened")
    assert boosts(twins, "kim") == pytest.approx({"a": 1.0, "b": 1.1})
    assert boosts(twins, "robin") == boosts(twins) == {"a": 1.0, "b": 1.0}
    for _ in range(20):
        used.note("kim", ["2026-01-01 b.md"], "cited")
    assert boosts(twins, "kim")["b"] == 1.3
    first = twins.search("spectral gap of a chain", profile="ark", agent="kim").hits[0]
    assert first.document.path == "2026-01-01 b.md"


def test_the_agent_is_the_configured_one_where_nobody_is_named(twins: Place) -> None:
    twins.engine.memory.accesses.note("default", ["2026-01-01 a.md"])
    assert boosts(twins)["a"] == pytest.approx(1.02)


def test_merely_being_listed_is_no_use(twins: Place) -> None:
    for _ in range(3):
        twins.engine.show("2026-01-01 a.md")
        assert boosts(twins) == {"a": 1.0, "b": 1.0}


def test_no_decay_turns_both_off_and_so_does_the_default_profile(twins: Place) -> None:
    twins.engine.memory.accesses.note("default", ["2026-01-01 a.md"])
    plain = twins.search("spectral gap", profile="default").hits[0]
    assert plain.multipliers == ()
    home = twins.engine.settings.home.path
    with Engine(load(home, environ={"ARK_NO_DECAY": "1"}), SteadyClock()) as engine:
        assert engine.search(Request("spectral gap", profile="ark")).hits[0].multipliers == ()
