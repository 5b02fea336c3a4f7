"""Recall by role, expert bundles, and what the memory amounts to (M9, M10, M14)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from ark_tui.domain.errors import StoreError
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.memory import Scope
from ark_tui.domain.outcomes import Event, EventFilter
from ark_tui.domain.query import Filters, Request
from ark_tui.domain.recall import ROLES, Bundle
from ark_tui.engine import Engine, searches
from ark_tui.engine.memory import Memory
from ark_tui.memory import recall as room
from ark_tui.memory.recall import expert
from ark_tui.operations.encoding import encoded
from ark_tui.settings import load
from tests.support import SteadyClock

NOTES = {
    "wiki/otters.md": ("tier: wiki\ntags: [sea]\ndate: 2025-06-01", "# Otters\n\nOtters sleep in rafts."),
    "wiki/seals.md": ("tier: wiki\ntags: [sea]\ndate: 2025-09-01", "# Seals\n\nSeals sleep on rocks."),
    "late/otters.md": ("tier: reflection\ntags: [Sea]\ndate: 2025-12-20", "Counting otters by night failed."),
    "old/otters.md": ("tier: reflection\ntags: [sea]\ndate: 2025-01-20", "Counting otters by day failed."),
    "raw/otters.md": ("tier: raw", "Otters seen at the pier, otters asleep."),
    "docs/otters.md": ("title: Otters", "Otters are mustelids."),
    "docs/bread.md": ("title: Bread", "Sourdough wants time."),
}
HERE = Scope("default", "default")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine over a few notes, some in each tier; tests add events and nothing else."""
    folder = tmp_path_factory.mktemp("recall")
    for path, (front, text) in NOTES.items():
        file = folder / "notes" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\n{front}\n---\n{text}\n")
    with Engine(load(folder / "home", environ={}), SteadyClock()) as engine:
        engine.index([folder / "notes"])
        yield engine


@pytest.fixture
def memory(engine: Engine) -> Memory:
    return engine.memory


# -- recall ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "tiers"),
    [
        ("researcher", ["raw", "reflection", "doc"]),
        ("planner", ["reflection", "wiki", "doc"]),
        ("implementer", ["wiki", "doc"]),
        ("reviewer", ["wiki", "doc"]),
        ("triager", ["doc", "wiki"]),
    ],
)
def test_each_role_recalls_from_its_tiers_and_no_others(memory: Memory, role: str, tiers: list[str]) -> None:
    found = memory.recall(Request("otters", limit=50, below=True), role)
    assert [one.tier for one in found.tiers] == tiers
    assert {hit.document.tier for hit in found.result.hits} == set(tiers)
    for one in found.tiers:
        assert one.found == sum(hit.document.tier == one.tier for hit in found.result.hits)


def test_a_document_that_two_searches_found_keeps_its_higher_score(engine: Engine) -> None:
    one = engine.search(Request("otters tier:doc", unlogged=True))
    other = engine.search(Request("otters mustelids", unlogged=True))
    merged = room.merged([one, other], 50)
    scores = {hit.document.id: hit.score for hit in merged.hits}
    for hit in (*one.hits, *other.hits):
        assert scores[hit.document.id] >= hit.score
    assert len(scores) == len(merged.hits)
    assert room.merged([one, other], 1).truncated


def test_filters_of_the_query_and_of_the_request_hold(memory: Memory) -> None:
    def paths(query: str, role: str = "planner", **filters: tuple[str, ...]) -> list[str]:
        found = memory.recall(Request(query, filters=Filters(**filters), below=True), role)  # type: ignore[arg-type]
        return sorted(hit.document.path for hit in found.result.hits)

    assert paths("otters tag:sea path:wiki") == ["wiki/otters.md", "wiki/seals.md"]
    assert paths("otters", tags=("sea",), paths=("old",)) == ["old/otters.md"]
    assert paths("otters tier:raw") == []


def test_a_failing_tier_is_named_and_the_others_answer(engine: Engine) -> None:
    def search(request: Request) -> SearchResult:
        if request.filters.tiers == ("wiki",):
            raise StoreError("The disk is on fire.", "Fetch water.")
        return engine.search(request)

    found = room.recall(search, Request("otters"), "implementer")
    assert [(one.tier, one.problem) for one in found.tiers] == [("wiki", "The disk is on fire."), ("doc", "")]
    assert {hit.document.tier for hit in found.result.hits} == {"doc"}
    assert encoded(found)["tiers"][0]["problem"] == "The disk is on fire."


def test_a_recall_is_kept_under_its_id_and_an_outcome_can_be_reported(engine: Engine, memory: Memory) -> None:
    found = memory.recall(Request("otters"), "planner")
    (kept,) = searches.latest(engine, 1)
    assert kept.id == found.result.retrieval_id
    assert kept.request.filters.tiers == ROLES["planner"]
    assert memory.outcomes.report(kept.id, "success").changes == ()


# -- expert ----------------------------------------------------------------------------------------


def bundle(engine: Engine, domain: str, scope: Scope = HERE, **about: Any) -> Bundle:
    return expert(engine.store, engine.clock, domain, scope, **about)


def test_an_expert_brings_wiki_by_date_late_reflections_and_prior_outcomes(
    engine: Engine, memory: Memory
) -> None:
    kept = memory.outcomes.record(Event("done", 7, component_area="zoo/sea/otters", verdict="pass"))
    memory.outcomes.record(Event("done", 8, component_area="seaside"))
    found = bundle(engine, "sea", issue_number=7)
    assert [one.path for one in found.wiki] == ["wiki/seals.md", "wiki/otters.md"]
    assert [one.path for one in found.reflections] == ["late/otters.md"]
    assert [one.id for one in found.prior_outcomes] == [kept.id]
    told = encoded(found)
    assert told.keys() == {"query_id", "domain", "wiki", "reflections", "prior_outcomes", "warning"}
    assert told["warning"] is None


def test_the_window_the_prefix_and_the_limit_narrow_the_bundle(engine: Engine) -> None:
    assert len(bundle(engine, "sea", recency_window_days=400).reflections) == 2
    assert bundle(engine, "#SEA", path_prefix="./old").wiki == ()
    assert [one.path for one in bundle(engine, "sea", path_prefix="wiki/ot").wiki] == ["wiki/otters.md"]
    assert [one.path for one in bundle(engine, "sea", path_prefix="notes/wiki/ot").wiki] == ["wiki/otters.md"]
    assert len(bundle(engine, "sea", limit=1).wiki) == 1


def test_an_expert_call_is_an_event_with_what_it_returned(engine: Engine, memory: Memory) -> None:
    found = bundle(engine, "sea", Scope("a", "s9"), issue_number=3, path_prefix="wiki/", limit=2)
    (event,) = memory.outcomes.query(EventFilter(query_id=found.query_id))
    assert (event.event_type, event.issue_number, event.session_id) == ("expert_call", 3, "s9")
    assert event.payload == {
        "query_id": found.query_id,
        "domain": "sea",
        "returned_doc_ids": [one.id for one in found.wiki],
        "limit": 2,
        "recency_window_days": 30,
        "path_prefix": "wiki/",
        "warning": None,
    }


# -- statistics ------------------------------------------------------------------------------------


def test_statistics_count_by_tier_what_is_new_and_chunks(memory: Memory) -> None:
    stats = encoded(memory.stats())
    assert stats == {
        "total_documents": 7,
        "by_tier": {"doc": 2, "raw": 1, "reflection": 2, "wiki": 2},
        "new_since": 7,
        "chunks_per_doc_p50": 1,
        "chunks_per_doc_p90": 1,
        "last_reflection_at": "2025-12-20T00:00:00Z",
        "since": "2025-12-31T00:00:00Z",
    }
    assert memory.stats(datetime(2026, 1, 2, tzinfo=UTC)).new_since == 0
