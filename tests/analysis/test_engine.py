"""`engine.analysis` over a real home."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from ark_tui.domain.analysis import WHATS
from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.memory import Saying, Scope
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.engine import Engine, searches
from ark_tui.settings import load
from tests.analysis.conftest import write
from tests.support import SteadyClock


def test_everything_is_measured_and_nothing_that_was_not_asked_for(engine: Engine) -> None:
    done = engine.analysis.run()
    assert all(getattr(done, name) is not None for name in WHATS)
    some = engine.analysis.run(["bridges"])
    assert [name for name in WHATS if getattr(some, name) is not None] == ["bridges"]
    assert (done.graph.documents, done.graph.links) == (31, 53)
    assert done.model


def test_the_second_run_returns_what_the_first_has_measured(engine: Engine) -> None:
    stages: list[str] = []
    first = engine.analysis.run(progress=lambda at: stages.append(at.stage))
    assert {"neighbours", "foundations", "bridges", "novelty", "labels", "audit"} <= {*stages}
    stages.clear()
    second = engine.analysis.run(progress=lambda at: stages.append(at.stage))
    assert stages == []
    for name in WHATS:
        assert getattr(first, name) == getattr(second, name)


def test_what_has_changed_is_measured_anew(tmp_path: Path) -> None:
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        engine.index([write(tmp_path / "notes")])
        before = engine.analysis.run(["communities"])
        (tmp_path / "notes" / "late.md").write_text("# Late\n\nA graph and its Laplacian.\n", "utf-8")
        engine.index([tmp_path / "notes"])
        after = engine.analysis.run(["communities"])
        assert after.change > before.change
        assert after.graph.documents == before.graph.documents + 1


def test_the_themes_are_the_communities_and_bear_their_tags(engine: Engine) -> None:
    found = engine.analysis.run(["communities", "map"])
    assert found.communities is not None
    assert {one.label for one in found.communities.communities} == {"graphs", "bread", "sailing"}
    assert sum(one.size for one in found.communities.communities) == 31
    assert found.communities.modularity > 0.4
    assert found.map is not None
    assert len(found.map.places) == 31
    assert all(-1 <= place.x <= 1 and -1 <= place.y <= 1 for place in found.map.places)


def test_the_note_that_all_others_go_back_to_is_a_foundation(engine: Engine) -> None:
    found = engine.analysis.run(["foundations"], limit=3).foundations
    assert found is not None
    assert {one.document.path.rpartition("/")[2] for one in found.documents} == {
        "graphs-beginning.md", "bread-beginning.md", "sailing-beginning.md"
    }  # fmt: skip
    assert found.documents[0].linked_by == 9
    assert list(found.curve) == sorted(found.curve, reverse=True)


def test_the_note_between_two_themes_is_a_bridge(engine: Engine) -> None:
    found = engine.analysis.run(["bridges"], limit=3).bridges
    assert found is not None
    assert "loaf.md" in [one.document.path for one in found.documents]
    loaf = next(one for one in found.documents if one.document.path == "loaf.md")
    assert {"bread", "sailing"} <= {*loaf.between}
    assert found.exact


def test_the_boundary_runs_between_themes(engine: Engine) -> None:
    found = engine.analysis.run(["boundary"]).boundary
    assert found is not None
    assert found.value is not None
    assert found.residual < 1e-9
    sizes = sorted(side.size for side in found.sides)
    assert sum(sizes) == found.parts[0]
    assert sizes[0] >= 10
    assert all(side.terms for side in found.sides)


def test_every_plain_note_is_found_by_its_own_terms(engine: Engine) -> None:
    found = engine.analysis.run(["audit"]).audit
    assert found is not None
    assert (found.documents, found.asked, found.found) == (31, 31, 31)
    assert not found.sampled
    assert searches.latest(engine) == ()  # probes are not searches that a person has run


def test_the_audit_says_why_a_document_is_not_found(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    long = "The rudder of a heavy boat answers late; the helmsman leans on it before the wave arrives. " * 8
    (notes / "a.md").write_text(f"# One\n\n{long}\n", "utf-8")
    (notes / "b.md").write_text(f"# One\n\n{long}\n", "utf-8")
    (notes / "empty-words.md").write_text("of the and\n", "utf-8")
    (notes / "old.md").write_text("---\nsuperseded_by: a\n---\n# Old oars\n\nOars of ash wood.\n", "utf-8")
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        engine.index([notes])
        found = engine.analysis.run(["audit"]).audit
    assert found is not None
    causes = {one.document.path: one.cause for one in found.unfound}
    assert causes["old.md"] == "hidden"
    assert {causes.get("a.md"), causes.get("b.md")} == {None, "hidden"}
    assert found.causes == {"hidden": 2} | ({"no words": 1} if "empty-words.md" in causes else {})
    assert {one.hidden_by.path for one in found.unfound if one.hidden_by} <= {"a.md", "b.md"}


def test_activity_counts_what_was_taken_in_and_searched(tmp_path: Path) -> None:
    clock = SteadyClock()
    notes = write(tmp_path / "notes")
    with Engine(load(tmp_path / "home", environ={}), clock) as engine:
        engine.index([notes])
        clock.pass_by(days=2)
        engine.search(Request("spectral gap"))
        (notes / "late.md").write_text("# Late\n", "utf-8")
        engine.index([notes])
        engine.memory.conversations.extend(Scope(), [Saying("user", "Is it late?")])  # no document
        found = engine.analysis.run(["activity"]).activity
        documents = engine.status().documents
    assert found is not None
    assert found.bucket == "day"
    assert sum(one.documents for one in found.dated) + found.undated == documents
    assert [(p.added, p.searches) for p in found.periods] == [(31, 0), (0, 0), (1, 1)]


def test_a_long_life_is_told_by_months_and_years(tmp_path: Path) -> None:
    clock = SteadyClock()
    notes = write(tmp_path / "notes")
    with Engine(load(tmp_path / "home", environ={}), clock) as engine:
        engine.index([notes])
        for days, bucket, periods in ((100, "month", 4), (2000, "year", 6)):
            clock.pass_by(days=days)
            (notes / f"{days}.md").write_text(f"# {days}\n", "utf-8")
            engine.index([notes])
            found = engine.analysis.run(["activity"]).activity
            assert found is not None
            assert (found.bucket, len(found.periods)) == (bucket, periods)


def test_documents_are_counted_by_the_dates_that_they_bear(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, day in (("a", "2019-05-01"), ("b", "2019-07-04"), ("c", "2024-01-02")):
        (notes / f"{name}.md").write_text(f"---\ndate: {day}\n---\n# {name}\n", "utf-8")
    (notes / "undated.md").write_text("# Nothing\n", "utf-8")
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        engine.index([notes])
        found = engine.analysis.run(["activity"]).activity
    assert found is not None
    assert [f"{one.start:%Y-%m}" for one in found.dated if one.documents] == ["2019-05", "2019-07", "2024-01"]
    assert (found.dated_bucket, found.undated, len(found.dated)) == ("month", 1, 57)


def test_an_empty_home_has_a_notice_for_every_measure(tmp_path: Path) -> None:
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        done = engine.analysis.run()
    assert all(getattr(done, name).notice for name in WHATS)


@pytest.mark.parametrize("texts", [["One note about bread."], ["Same text."] * 12, ["a"] * 3, ["of the"] * 2])
def test_tiny_and_uniform_corpora_have_sensible_answers(tmp_path: Path, texts: list[str]) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number, text in enumerate(texts):
        (notes / f"{number}.md").write_text(text, "utf-8")
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        engine.index([notes])
        done = engine.analysis.run()
    assert done.novelty is not None
    assert done.novelty.count == 0
    assert done.graph.documents == len(texts)


def test_what_cannot_be_measured_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="no measure wisdom"):
        engine.analysis.run(["wisdom"])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="limit 0 is too small"):
        engine.analysis.run(["novelty"], limit=0)
    with pytest.raises(UsageError, match="resolution 9"):
        engine.analysis.run(["communities"], resolution=9)


def test_it_tells_how_far_it_is_and_stops_when_asked(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus, tmp_path / "home")
    stages: list[str] = []
    stop = threading.Event()

    def progress(at: Progress) -> None:
        stages.append(at.stage)
        if at.stage == "bridges":
            stop.set()

    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        with pytest.raises(Cancelled):
            engine.analysis.run(["foundations", "bridges", "map"], stop=stop, progress=progress)
        assert {"neighbours", "foundations", "bridges"} <= {*stages}
        stages.clear()
        engine.analysis.run(["foundations"], progress=progress)
        assert stages == [], "what was finished is not measured again"
