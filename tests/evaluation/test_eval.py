"""Judged sets through the real engine: what is measured, and what is left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.evaluation import METRICS, Evaluation, Plan
from ark_tui.domain.profile import Profile
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, evaluating
from ark_tui.evaluation import sets
from ark_tui.settings import load, ranking
from benchmarks import abstention
from benchmarks.abstention import Answered, answered, drawn, share_refused
from benchmarks.negation import indexed
from tests.evaluation.conftest import DOCUMENTS, QUERIES, Evaluate, write_lines, write_qrels, write_set
from tests.ollama_server import OllamaServer

BASELINES = ["bm25", "cosine", "ark"]


def means(done: Evaluation) -> dict[str, float]:
    (one,) = done.sets
    return {name: estimate.mean for name, estimate in one.measures.of.items()}


def test_a_set_has_all_metrics_its_categories_and_the_baselines(evaluate: Evaluate, small: Path) -> None:
    done = evaluate(small)
    (one,) = done.sets
    assert (done.profile, one.name, one.documents, one.measures.queries) == ("default", "small", 5, 4)
    assert list(one.measures.of) == list(METRICS)
    assert all(0 < e.low <= e.mean <= e.high <= 1 for e in one.measures.of.values())
    assert {name: of.queries for name, of in one.categories.items()} == {"theory": 2, "kitchen": 2}
    assert list(one.baselines) == BASELINES
    assert done.macro.measures == one.measures
    assert done.notices == ()


def test_every_set_counts_the_same_in_the_macro_mean(evaluate: Evaluate, small: Path, tmp_path: Path) -> None:
    lost = tmp_path / "lost" / "small"
    write_set(lost)
    write_qrels(lost / "qrels" / "test.tsv", [("q1", "nowhere", 1)])
    done = evaluate(small, lost)
    assert [one.name for one in done.sets] == ["small", "small-2"]
    first, second = (one.measures.of["ndcg_10"].mean for one in done.sets)
    assert second == 0.0
    assert done.macro.measures.of["ndcg_10"].mean == pytest.approx(first / 2)
    assert (done.macro.documents, done.macro.measures.queries) == (10, 5)


def test_a_query_is_asked_inside_its_collection(evaluate: Evaluate, tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    text = "the spectral gap of the chain"
    write_lines(
        folder / "corpus.jsonl",
        [
            {"_id": f"{place}/{number}", "text": f"{text} {number}", "metadata": {"collection": place}}
            for place in ("here", "there")
            for number in range(12)
        ],
    )
    write_lines(
        folder / "queries.jsonl",
        [{"_id": p, "text": "spectral gap", "metadata": {"collection": p}} for p in ("here", "there")],
    )
    rows = [(place, f"{place}/{number}", 1) for place in ("here", "there") for number in range(12)]
    write_qrels(folder / "qrels" / "test.tsv", rows)
    assert means(evaluate(folder))["ndcg_10"] == 1.0


@pytest.mark.parametrize(
    "text", ['"mixing time', "mixing -time", "tag:mixing time", "in:nowhere mixing time", "tier:x (mixing OR"]
)
def test_a_query_is_words_and_no_query_language(evaluate: Evaluate, small: Path, text: str) -> None:
    write_lines(small / "queries.jsonl", [{"_id": "q1", "text": text}])
    assert means(evaluate(small))["mrr_10"] == 1.0


def test_a_title_made_of_the_text_is_not_counted_twice(small: Path, tmp_path: Path) -> None:
    settings = load(tmp_path / "place", environ={})
    profiles = {
        name: Profile(name, weights={"bm25": 1.0}, boosts={"title": boost}, fusion="rrf")
        for name, boost in {"with": 1.0, "without": 0.0}.items()
    }
    with Engine(replace(settings, profiles=profiles)) as engine:
        engine.index([small])
        hits = {name: engine.search(Request("a chain", profile=name)).hits for name in profiles}
    raw = {name: [hit.parts[0].raw for hit in found] for name, found in hits.items()}
    assert raw["with"] == raw["without"] != []


def test_a_signal_that_no_query_uses_can_be_taken_away(small: Path, tmp_path: Path) -> None:
    settings = load(tmp_path / "own", environ={})
    profile = Profile("mine", weights={"bm25": 1.0, "temporal": 0.5})
    with Engine(replace(settings, profiles=settings.profiles | {"mine": profile})) as engine:
        done = evaluating.evaluate(engine.settings, Plan((small,), profile="mine", ablate=True))
    (one,) = done.sets
    off = {ablated.signal: ablated.change.of for ablated in one.ablation}
    assert set(off) == {"bm25", "temporal"}
    assert all((e.mean, e.low, e.high) == (0, 0, 0) for e in off["temporal"].values())
    assert off["bm25"]["ndcg_10"].mean == pytest.approx(-one.measures.of["ndcg_10"].mean)
    assert done.macro.ablation == one.ablation


def test_a_number_of_the_measured_profile_can_be_changed(evaluate: Evaluate, small: Path) -> None:
    changes = tuple(f"weight.{name}=0" for name in ranking.SIGNALS if name != "static")
    only = evaluate(small, profile="default", adjust=changes)
    assert only.sets[0].measures == only.sets[0].baselines["cosine"]
    with pytest.raises(UsageError, match="kk"):
        evaluate(small, adjust=("kk=1",))
    with pytest.raises(UsageError, match="baseline"):
        evaluate(small, profile="bm25", adjust=("k=1",))


def test_a_comparison_is_paired_and_names_the_queries(evaluate: Evaluate, small: Path) -> None:
    write_lines(
        small / "queries.jsonl",
        [{"_id": i, "text": text} for i, (text, *_) in QUERIES.items()] + [{"_id": "q5", "text": "brew"}],
    )
    write_qrels(
        small / "qrels" / "test.tsv",
        [("q1", "gap", 1), ("q2", "bread", 1), ("q3", "fiedler", 1), ("q4", "krylov", 1), ("q5", "tea", 1)],
    )
    (one,) = evaluate(small, compare=("bm25", "cosine")).sets
    compared = one.comparison
    assert compared is not None
    assert (compared.a, compared.b) == ("bm25", "cosine")
    assert len(compared.won) + len(compared.lost) + compared.tied == compared.change.queries == 5
    assert all(change.b > change.a for change in compared.won)
    assert all(change.b < change.a for change in compared.lost)
    changes = [change.b - change.a for change in (*compared.won, *compared.lost)]
    assert compared.change.of["ndcg_10"].mean == pytest.approx(sum(changes) / 5)
    bm25, cosine = (one.baselines[name].of["ndcg_10"].mean for name in ("bm25", "cosine"))
    assert compared.change.of["ndcg_10"].mean == pytest.approx(cosine - bm25)
    assert {change.set for change in compared.won} <= {"small"}
    assert [abs(c.b - c.a) for c in compared.won] == sorted(
        (abs(c.b - c.a) for c in compared.won), reverse=True
    )


@pytest.mark.parametrize("plan", [{"profile": "arc"}, {"compare": ("default", "arc")}])
def test_an_unknown_profile_is_found_out_before_anything_is_done(
    evaluate: Evaluate, tmp_path: Path, plan: dict[str, object]
) -> None:
    with pytest.raises(NotFound, match="There is no profile arc"):
        evaluate(tmp_path / "nowhere", **plan)


def test_what_is_measured_is_what_a_search_takes(small: Path, tmp_path: Path) -> None:
    with OllamaServer("nomic-embed-text") as server:
        given = {"ollama_host": server.host, "embedding": "ollama:nomic-embed-text", "query_budget": 10.0}
        found = evaluating.evaluate(load(tmp_path / "own", given, environ={}), Plan((small,)))
    assert found.profile == "model"
    assert not [notice for notice in found.notices if "was off" in notice]


def test_a_kept_home_is_not_indexed_again_until_the_set_changes(
    evaluate: Evaluate, small: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    stages: list[str] = []
    first = evaluate(small, keep_home=kept)
    (folder,) = kept.iterdir()
    with Engine(load(tmp_path / "own", environ={})) as engine:
        again = evaluating.evaluate(
            engine.settings, Plan((small,), keep_home=kept), progress=lambda at: stages.append(at.stage)
        )
    assert again == first
    assert list(kept.iterdir()) == [folder]
    assert not any("vectors" in stage or "words" in stage for stage in stages)
    write_lines(small / "corpus.jsonl", [{"_id": i, "text": f"{t} More."} for i, t in DOCUMENTS.items()])
    evaluate(small, keep_home=kept)
    assert len(list(kept.iterdir())) == 2


def test_a_kept_home_finds_the_models_of_a_home_that_was_moved(small: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    for place in (tmp_path / "one", tmp_path / "two"):
        (place / "models").mkdir(parents=True)
        evaluating.evaluate(load(place, environ={}), Plan((small,), keep_home=kept))
        (folder,) = kept.iterdir()
        assert (folder / "home" / "models").resolve() == place / "models"
        (place / "models").rmdir()


def test_documents_without_text_are_told_and_count_as_not_found(evaluate: Evaluate, small: Path) -> None:
    with (small / "corpus.jsonl").open("a") as file:
        file.write('{"_id": "bare", "title": "", "text": ""}\n')
    done = evaluate(small)
    assert done.sets[0].documents == 6
    assert done.notices == ("small: corpus.jsonl: line 6: no text under text, content, body, and no title",)


def test_files_are_judged_by_their_paths(evaluate: Evaluate, small: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in DOCUMENTS.items():
        (notes / f"{name}.md").write_text(f"# {name}\n\n{text}\n\n{text}\n")
    rows = [(i, f"{d}.md", grade) for i, (_, _, grades) in QUERIES.items() for d, grade in grades.items()]
    write_qrels(small / "qrels" / "test.tsv", rows)
    assert means(evaluate(small, corpus=notes))["ndcg_10"] > 0.8
    assert sorted(path.name for path in notes.iterdir()) == sorted(f"{name}.md" for name in DOCUMENTS)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "bm25"), [("med", pytest.approx(0.70, abs=0.03)), ("cranfield", pytest.approx(0.377, abs=0.015))]
)
def test_the_baselines_are_those_that_were_published(
    evaluate: Evaluate, public: Path, name: str, bm25: object
) -> None:
    """BM25 of tantivy over whole documents has .689 and .374; ours ranks chunks, and its fusion is better."""
    (one,) = evaluate(public / name).sets
    baseline = one.baselines["bm25"].of["ndcg_10"].mean
    assert baseline == bm25
    assert one.measures.of["ndcg_10"].mean > baseline


def test_the_floor_spares_the_answers_that_it_was_fitted_on() -> None:
    def made(kind: str, cosine: float) -> Answered:
        found = {**dict.fromkeys(abstention.FITTED, 0.5), "passage": cosine}
        shares = (1.0,) if kind == "own" else ()
        return Answered(kind, refused=False, nothing=False, sure=False, found=found, shares=shares)

    own = [made("own", 0.4 + 0.001 * number) for number in range(200)]
    other = [made("other", 0.3 - 0.001 * number) for number in range(200)]
    weights, bias = abstention.fitted({"one": [*own, *other]})
    assert sum(abstention.standing(one, weights, bias) < 0 for one in own) <= abstention.ALLOWED * len(own)
    assert sum(abstention.standing(one, weights, bias) >= 0 for one in other) == 0


@pytest.mark.soak
def test_on_a_public_set_none_of_its_own_queries_is_refused_and_few_others_are_answered(
    public: Path, tmp_path: Path
) -> None:
    med, cosqa = (sets.read(public / name) for name in ("med", "cosqa"))
    with indexed(med, tmp_path) as engine:
        answers = [answered(engine, one) for one in drawn(med, [med, cosqa], short=False)]
    assert share_refused(answers, "own") == 0
    assert share_refused(answers, "other") >= 0.9
    assert share_refused(answers, "letters") >= 0.9
