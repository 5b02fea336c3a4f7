"""A home, a session, a keymap and a config of 0.1.0 are read: nothing is lost, and searches rank the same."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ark_tui.engine import engine
from ark_tui.index.words import analysis
from tests.baseline import homes, life
from tests.baseline.program import ark, environment, keymap, session
from tests.ollama_server import OllamaServer

KEPT: dict[str, Any] = json.loads(homes.ANSWERS.read_text("utf-8"))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return homes.unpack(tmp_path)


def test_a_home_answers_as_it_did_and_is_sound(old: Path) -> None:
    with environment(old):
        ark("doctor", "--repair")  # the indexes are of an older version, and built anew once,
        ark("history-search", "anything")  # that of messages when it is asked
    now = homes.read(old)
    assert {
        line: found for line in KEPT if (found := homes.differing(_plain(line, KEPT), _plain(line, now)))
    } == {}
    with environment(old):
        wrong = [check["name"] for check in ark("doctor", "--json").json["checks"] if check["ok"] is False]
    assert wrong == ["root notes"]  # the folder was somewhere else


def _plain(line: str, told: dict[str, Any]) -> Any:
    """An answer without the id of the search that it is, which is drawn; kept searches have theirs."""
    answer = told.get(line)
    drawn = line.startswith(("search ", "similar ", "recall "))
    return {**answer, "retrieval_id": ""} if drawn and answer else answer


def test_its_edits_are_undone_and_done_again(old: Path) -> None:
    with environment(old):
        said = ark("export-curation", "-").out.splitlines()
        for _ in range(3):
            assert ark("undo").code == 0
        assert ark("export-curation", "-").out.splitlines() != said
        for _ in range(3):
            assert ark("redo").code == 0
        assert ark("export-curation", "-").out.splitlines() == said == KEPT["export-curation -"]


def test_its_vectors_of_a_served_model_are_there_to_go_back_to(old: Path) -> None:
    with OllamaServer(life.MODEL) as server, environment(old, OLLAMA_HOST=server.host):
        assert ark("models", "--use", f"ollama:{life.MODEL}").code == 0
        assert "Lanczos, restarted" in ark("search", "Krylov subspaces").out
        documents = sum("Krylov" in text for text in server.embedded)
    assert documents == 1  # the query: the text had its vector


def test_its_word_index_serves_until_one_of_today_is_built_beside_it(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index lacks what stands before a text; `words-8.zip` is that of the same home, a version later."""
    shutil.rmtree(old / "words")
    with zipfile.ZipFile(homes.HERE / "words-8.zip") as archive:
        archive.extractall(old)
    kept = {hit["document"]["path"] for hit in KEPT["search spectral gap"]["hits"]}
    monkeypatch.setattr(engine, "CATCH_UP_AT_ONCE", 0)  # as if it were too large to be built within a search

    def version() -> str:
        return str(json.loads((old / "words" / "mark.json").read_text("utf-8"))["version"])

    def found() -> set[str]:
        return {hit["document"]["path"] for hit in ark("search", "spectral gap", "--json").json["hits"]}

    with environment(old):
        said = ark("export-curation", "-").out
        assert (found(), version()) == (kept, "words-8")
        meta = json.loads((old / "words" / "index" / "meta.json").read_text("utf-8"))
        fields = [field["name"] for field in meta["schema"]]
        assert fields == _fields(analysis.schema())[: len(fields)]  # a query names a field by its place

        assert ark("ingest", "A raft of rushes.", "--title", "Rushes").code == 0

        assert (found(), version()) == (kept, f"words-{analysis.VERSION}")
        assert not (old / "words-old").exists()
        assert "Rushes" in ark("search", "raft of rushes").out
        assert set(said.splitlines()) <= set(ark("export-curation", "-").out.splitlines())


def _fields(schema: Any) -> list[str]:
    """The names of a schema's fields, which it tells only where it is pickled."""
    return [field["name"] for field in schema.__reduce__()[1][0]["inner"]]


def test_a_workbench_comes_back_to_where_it_was_left(old: Path) -> None:
    found, fault = session(old)
    assert (fault, found["query"], found["pane"]) == ("", "gap", "library")


def test_every_setting_of_a_config_is_understood_as_it_was() -> None:
    kept = json.loads(homes.UNDERSTOOD.read_text("utf-8"))
    assert homes.differing(kept, homes.understood()) == []
    assert kept["warnings"] == []
    assert all(
        one["origin"] != "default" for name, one in kept["settings"].items() if name != "embedding_url"
    )


def test_a_keymap_gives_the_keys_that_it_gave() -> None:
    keys = json.loads(homes.UNDERSTOOD.read_text("utf-8"))["settings"]["keymap"]["value"]
    assert keymap(keys) == {"app.quit": "ctrl+x", "hits.copy": "f11,y", "results.open": "no_key"}


def test_the_fixture_has_items_of_every_kind() -> None:
    memories = KEPT["memories"]["memories"]
    assert {one["type"] for one in memories} >= {"fact", "pattern", "directive"}
    assert {one["layer"] for one in memories} >= {3, 4, 9}
    assert KEPT["trash"]
    for line in (
        "saved",
        "judge",
        "searches",
        "facts-list",
        "scratch-list",
        "tasks-list --all",
        "outcome query",
    ):
        assert any(KEPT[line].values()), line
