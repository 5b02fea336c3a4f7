"""Models in process, through the whole program: added, built behind what answers, switched, taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.errors import UsageError
from ark_tui.domain.evaluation import Plan
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, evaluating, indexing
from ark_tui.interfaces.cli.app import run
from ark_tui.settings import load
from tests import transformers
from tests.evaluation.conftest import write_set
from tests.models.conftest import CONFIG, NOTES, first, lamp
from tests.support import SteadyClock

TINY = "local:tiny"
QUERY = "eigenvalue of a walk"  # in other words than the note has


class Local:
    """A home, notes, and nobody who serves models."""

    def __init__(self, folder: Path) -> None:
        self.home, self.notes = folder / "home", folder / "notes"
        self.model = transformers.vectors(folder / "made")
        self.home.mkdir()
        self.notes.mkdir()
        (self.home / "config.toml").write_text(CONFIG)
        for name, text in NOTES.items():
            (self.notes / name).write_text(text)

    def engine(self, **settings: object) -> Engine:
        given = {"ollama_host": "http://127.0.0.1:9", "query_budget": 10.0} | settings
        return Engine(load(self.home, given, environ={}), SteadyClock())

    def states(self) -> dict[str, str]:
        with self.engine() as engine:
            return {one.name: one.state for one in engine.models.listed().models}


@pytest.fixture
def place(tmp_path: Path) -> Local:
    return Local(tmp_path)


def asked(engine: Engine, query: str = QUERY) -> SearchResult:
    return engine.search(Request(query, profile="meaning", below=True))


def test_static_answers_until_the_vectors_are_there_and_the_switch_is_said(place: Local) -> None:
    with place.engine() as engine:
        engine.index([place.notes])
        engine.models.add("tiny", place.model)
        found = engine.models.listed()
        assert {one.name: one.state for one in found.models} == {TINY: "being built", "static": "in use"}
        waiting = lamp(asked(engine))
        assert (waiting.state, waiting.reason) == (
            "off",
            "the vectors of local:tiny are being built, 3 chunks to go",
        )
        assert engine.status().coverage["waiting"] == 3
        assert engine.models.problem() == ""
        indexing.embed(engine)
        assert engine.notices() == ("embedding: searches use local:tiny from now on",)
        result = asked(engine)
        assert (lamp(result).state, first(result)) == ("on", "gap.md")
        assert engine.status().embedding.provider == "local"
    assert place.states() == {TINY: "in use", "static": "kept"}


def test_a_new_corpus_is_built_with_the_model_that_was_added(place: Local) -> None:
    with place.engine() as engine:
        engine.models.add("tiny", place.model)
        said = engine.index([place.notes]).notices
        assert "embedding: searches use local:tiny from now on" in said


def test_what_somebody_has_chosen_stays_until_they_choose_again(place: Local) -> None:
    with place.engine() as engine:
        engine.index([place.notes])
        engine.models.use("static")
        engine.models.add("tiny", place.model)
        assert engine.models.listed().better == TINY
        assert place.states() == {TINY: "at hand", "static": "in use"}
        engine.models.use("tiny")  # its plain name will do
        assert place.states() == {TINY: "in use", "static": "kept"}


def test_a_model_that_is_taken_away_leaves_the_static_one(place: Local) -> None:
    with place.engine() as engine:
        engine.index([place.notes])
        engine.models.add("tiny", place.model)
        indexing.embed(engine)
        engine.models.remove("tiny")
        found = engine.models.listed()
        assert {one.name: (one.state, one.problem) for one in found.models} == {
            TINY: ("kept", "There is no local model tiny"), "static": ("in use", ""),
        }  # fmt: skip
        assert lamp(asked(engine)).state == "idle"
        engine.models.add("tiny", place.model)
        indexing.embed(engine)
        assert lamp(asked(engine)).state == "on"


def test_doctor_tells_of_a_changed_file_and_search_goes_on_without(place: Local) -> None:
    with place.engine() as engine:
        engine.index([place.notes])
        engine.models.add("tiny", place.model)
        indexing.embed(engine)
        checks = {one.name: one.ok for one in engine.doctor()}
        assert checks["model tiny"]
        assert checks["model"]
        graph = place.home / "models" / "tiny" / "model.onnx"
        graph.write_bytes(graph.read_bytes()[:-9])
        found = {one.name: one for one in engine.doctor()}
        assert not found["model tiny"].ok
        assert "model.onnx of the local model tiny has changed" in found["model tiny"].detail
        assert not found["model"].ok
        result = asked(engine, "spectral gaps")
        assert first(result) == "gap.md"
        assert (lamp(result).state, lamp(result).reason) == (
            "off", "model.onnx of the local model tiny has changed",
        )  # fmt: skip


def test_static_alone_fetches_nothing_and_takes_folders_only_to_keep_them(place: Local) -> None:
    with place.engine(embedding="static") as engine:
        with pytest.raises(UsageError, match="allow the static model only"):
            engine.models.add("minilm")
        engine.models.add("tiny", place.model)
        assert engine.models.listed().models[0].name == "static"
        engine.index([place.notes])
        assert place.states()["static"] == "in use"


def test_the_setting_names_a_model_that_is_added_later(place: Local) -> None:
    with place.engine(embedding=TINY) as engine:
        said = " ".join(engine.index([place.notes]).notices)
        assert "There is no local model tiny. `ark-tui models add tiny`" in said
        engine.models.add("tiny", place.model)
        indexing.embed(engine)
        assert lamp(asked(engine)).state == "on"


def test_the_command_adds_lists_and_removes(
    place: Local, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    home = ["--home", str(place.home)]
    pairs = transformers.pairs(place.home.parent / "pairs")
    assert run(["models", "add", "tiny", "--from", str(place.model), *home]) == 0
    told = capfd.readouterr()
    assert "local:tiny" in told.out
    assert "To continue: ark-tui models --use local:tiny" in told.err
    assert run(["models", "add", "--from", str(pairs), *home]) == 0
    assert "local:pairs" in capfd.readouterr().out
    assert run(["models", "remove", "pairs", *home]) == 0
    assert run(["models", "remove", "pairs", *home]) == 1
    assert "There is no local model pairs" in capfd.readouterr().err


@pytest.mark.parametrize("named", [TINY, "auto"])
def test_eval_measures_a_set_with_the_model_that_a_search_takes(place: Local, named: str) -> None:
    with place.engine() as engine:
        engine.models.add("tiny", place.model)
    plan = Plan((write_set(place.notes.parent / "judged"),))
    given = {"embedding": named, "ollama_host": "http://127.0.0.1:9"}
    done = evaluating.evaluate(load(place.home, given, environ={}), plan)
    assert done.profile == "model"
    assert "judged: embedding: searches use local:tiny from now on" in done.notices
    assert (place.home / "models" / "tiny").is_dir()
    static = evaluating.evaluate(load(place.home, {**given, "embedding": "static"}, environ={}), plan)
    assert static.profile == "default"
    assert static.macro.baselines["cosine"] != done.macro.baselines["cosine"]
