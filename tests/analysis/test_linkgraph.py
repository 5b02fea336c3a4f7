"""`engine.graph`: walks, ways, common neighbours, subgraphs and the whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.support import SteadyClock

NOTES = {
    "a.md": "---\ntags: [left]\n---\n# A\n\n- builds_on:: [[b]]\n- tensions:: [[c]]\n\n[[nowhere]] [[hub]]\n",
    "b.md": "---\ntags: [left]\n---\n# B\n\n- builds_on:: [[d]]\n\n[[hub]]\n",
    "c.md": "---\ntags: [left]\n---\n# C\n\n- post_mortem:: [[d]]\n\n[[a]] and itself [[c]]\n",
    "d.md": "---\ntags: [left, deep]\ntier: wiki\n---\n# D\n\nThe end of March 2026.\n",
    "hub.md": "---\ntags: [right]\n---\n# Hub\n\n[[e]]\n",
    "e.md": "---\ntags: [right]\n---\n# E\n\n[[f]] [[hub]]\n",
    "f.md": "---\ntags: [right]\n---\n# F\n\n[[e]] [[hub]]\n",
    "old.md": "---\nsuperseded_by: d\n---\n# Old\n\nWords.\n",
    "alone.md": "# Alone\n\nNo link.\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("linked")
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, "utf-8")
    with Engine(load(folder / "home", environ={}), SteadyClock()) as engine:
        engine.index([folder / "notes"])
    return folder / "home"


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(load(home, environ={}), SteadyClock()) as engine:
        yield engine


def names(found: tuple[Document, ...] | list[Document]) -> str:
    return " ".join(one.path.removesuffix(".md") for one in found)


def test_a_walk_follows_links_in_their_direction_to_a_depth(engine: Engine) -> None:
    one = engine.graph.traverse("a", depth=1)
    assert sorted((r.document.path, r.edge.type) for r in one.reached) == [
        ("b.md", "builds_on"), ("c.md", "tensions"), ("hub.md", "untyped")
    ]  # fmt: skip
    deep = engine.graph.traverse("a")
    assert {r.document.path: r.depth for r in deep.reached} == {
        "b.md": 1, "c.md": 1, "hub.md": 1, "d.md": 2, "e.md": 2, "f.md": 3
    }  # fmt: skip


def test_a_walk_names_every_relation_between_two_documents(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(
        "---\nderives_from: b\ncontradicts: b\n---\n# A\n\n- builds_on:: [[b]]\n"
    )
    (tmp_path / "notes" / "b.md").write_text("# B\n")
    with Engine(load(tmp_path / "home", environ={})) as engine:
        engine.index([tmp_path / "notes"])
        (one,) = engine.graph.traverse("a").reached
        assert sorted(one.relations) == ["builds_on", "contradicts", "derives_from"]
        for relation in ("builds_on", "contradicts", "derives_from"):
            (one,) = engine.graph.traverse("a", type=relation).reached
            assert (one.edge.type, one.relations) == (relation, (relation,))


def test_a_walk_goes_against_the_links_and_both_ways(engine: Engine) -> None:
    back = engine.graph.traverse("d", direction="incoming", depth=2)
    assert {r.document.path for r in back.reached} == {"b.md", "c.md", "old.md", "a.md"}
    assert all(r.edge.target != r.document.id for r in back.reached)
    both = engine.graph.traverse("b", direction="both", depth=1)
    assert {r.document.path for r in both.reached} == {"a.md", "d.md", "hub.md"}


def test_a_walk_keeps_to_links_of_a_kind_and_lists_a_tier(engine: Engine) -> None:
    assert names([r.document for r in engine.graph.traverse("a", type="builds_on").reached]) == "b d"
    assert names([r.document for r in engine.graph.traverse("old", type="superseded_by").reached]) == "d"
    assert names([r.document for r in engine.graph.traverse("a", tier="wiki").reached]) == "d"
    assert not engine.graph.traverse("a", type="superseded_by").reached


def test_the_ways_between_two_documents_come_shortest_first(engine: Engine) -> None:
    found = engine.graph.paths("a", "d", max_depth=3)
    assert [names(list(way)) for way in found.paths] == ["a b d", "a c d", "a hub b d"]
    assert not found.truncated
    assert engine.graph.paths("a", "alone").paths == ()
    assert engine.graph.paths("a", "a").paths == ()


def test_common_neighbours_count_in_both_directions(engine: Engine) -> None:
    assert names(engine.graph.common("b", "c").documents) == "a d"
    assert names(engine.graph.common("a", "e").documents) == "hub"
    assert engine.graph.common("a", "alone").documents == ()


def test_a_subgraph_has_all_links_between_its_documents(engine: Engine) -> None:
    found = engine.graph.subgraph("hub")
    assert {one.path for one in found.nodes} == {"hub.md", "a.md", "b.md", "e.md", "f.md"}
    paths = {one.id: one.path for one in found.nodes}
    edges = {(paths[edge.source], paths[edge.target]) for edge in found.edges}
    assert ("a.md", "b.md") in edges
    assert ("e.md", "f.md") in edges
    assert ("f.md", "e.md") in edges


def test_communities_of_links_bear_their_commonest_tag(engine: Engine) -> None:
    found = engine.graph.communities()
    assert {one.label: names(one.documents) for one in found.communities} == {
        "left": "a b c d old", "right": "e f hub"
    }  # fmt: skip
    assert found.unlinked == 1
    assert names(engine.graph.community(2).documents) == "e f hub"
    with pytest.raises(NotFound, match="no community 3"):
        engine.graph.community(3)


def test_central_documents_and_bridges_are_those_of_the_links(engine: Engine) -> None:
    central = engine.graph.central(limit=20)
    assert names([one.document for one in central[:2]]) == "e hub"
    assert sum(one.score for one in central) == pytest.approx(1.0)
    assert "alone" not in names([one.document for one in central])
    right = engine.graph.central(community=2)
    assert {one.document.path for one in right} == {"e.md", "f.md", "hub.md"}
    bridges = engine.graph.bridges()
    assert bridges[0].document.path == "hub.md"
    assert "alone.md" not in {one.document.path for one in bridges}
    assert all(0 < one.score <= 1 for one in bridges)


def test_what_makes_no_sense_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="depth 0 is out of range"):
        engine.graph.traverse("a", depth=0)
    with pytest.raises(UsageError, match="depth 6 is out of range"):
        engine.graph.subgraph("a", depth=6)
    with pytest.raises(UsageError, match="no direction up"):
        engine.graph.traverse("a", direction="up")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="resolution 7"):
        engine.graph.communities(resolution=7)
    with pytest.raises(NotFound):
        engine.graph.traverse("zebra")


def test_a_home_without_links_has_an_empty_graph(tmp_path: Path) -> None:
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        engine.ingest_text("Some text.", title="Text")
        assert engine.graph.communities().communities == ()
        assert engine.graph.central() == engine.graph.bridges() == ()
