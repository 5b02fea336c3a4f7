"""A query about nothing in the corpus answers that nothing was found (S18)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isclose, log
from pathlib import Path

import numpy as np
import pytest

from ark_tui.domain.hits import Verdict
from ark_tui.domain.profile import Profile
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.retrieval import abstention, bands, run
from ark_tui.settings import load
from tests.corpora import filled
from tests.support import SteadyClock

JUDGED = Path(__file__).parents[2] / "assets" / "judged"
SALAD = "eigenvalue teaspoon rsync backlink damping karteikasten"


TOLD_AS_FOUND = {
    "how to replace a bicycle chain",
    "how to knit a heel flap",
    "OAuth refresh token rotation",
    "best strings for a baritone ukulele",
    "recipe for apple strudel",
    "plaster ceiling crack repair",
    "Übersetzung des Wortes Feierabend ins Spanische",
}
"""Chains, tokens, strings and a German Wort are in the sample; the floor lies deep in so small a corpus."""

TOLD_AS_NOTHING = {
    "refuse to answer when the collection holds no suitable material",
    "patient who could acquire skills but no new experiences",
    "Stammformenreduktion im Deutschen",
}
"""Paraphrases that share no rare word with their answer; the embedded model sees nothing in them either."""


UNKNOWN = {"Stammformenreduktion im Deutschen"}
"""None of its words but `im`, which says nothing, is in the sample: what is near it is below the floor."""


def texts(name: str) -> list[str]:
    return [json.loads(line)["text"] for line in (JUDGED / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine(load(tmp_path_factory.mktemp("sample"), environ={}), SteadyClock()) as engine:
        engine.index([JUDGED.parent / "sample"])
        yield engine


def test_queries_about_nothing_in_the_sample_find_nothing(sample: Engine) -> None:
    answered = {text for text in texts("nothing.jsonl") if not sample.search(Request(text)).abstained}
    assert len(texts("nothing.jsonl")) >= 25
    assert answered <= TOLD_AS_FOUND


def test_queries_with_an_answer_are_not_doubted_but_for_three_in_sixty(sample: Engine) -> None:
    doubted = {text for text in texts("queries.jsonl") if sample.search(Request(text)).abstained}
    assert doubted <= TOLD_AS_NOTHING


def test_what_is_doubted_is_listed_as_weak_and_never_hidden(sample: Engine) -> None:
    for text in texts("queries.jsonl"):
        hits = sample.search(Request(text, below=text in UNKNOWN)).hits
        assert hits, text
        band = "below" if text in UNKNOWN else "weak"
        assert text not in TOLD_AS_NOTHING or {hit.band for hit in hits} == {band}


def test_the_list_ends_where_a_hit_has_less_than_a_share_of_the_best_score(sample: Engine) -> None:
    found = sample.search(Request("spectral gap mixing time"))
    best = found.hits[0].score
    assert found.hits[0].band == "answer"
    for hit in found.hits:
        assert hit.band == ("answer" if hit.score >= bands.SURE * best else "weak")
    assert all(hit.score < bands.END * best for hit in found.below)
    everything = sample.search(Request("spectral gap mixing time", below=True, limit=100)).hits
    assert found.below_floor == sum(hit.band == "below" for hit in everything) > 0
    assert len(everything) == found.found


def test_bands_go_by_the_verdict_first_and_then_by_the_share_of_the_best() -> None:
    scores = np.array([0.9, 0.6, 0.5, 0.3])
    convex, ranks = Profile("convex"), Profile("ranks", fusion="rrf")
    assert bands.assigned(scores, None, convex) == ["answer"] * 4
    assert bands.assigned(scores, Verdict(1.0), convex) == ["answer", "answer", "weak", "below"]
    assert bands.assigned(scores, Verdict(-1.0), convex) == ["weak", "weak", "weak", "below"]
    assert bands.assigned(scores, Verdict(bands.NOTHING - 0.1), convex) == ["below"] * 4
    assert bands.assigned(scores, Verdict(1.0), ranks) == ["answer"] * 4
    assert bands.assigned(np.zeros(2), Verdict(1.0), convex) == ["answer"] * 2
    assert bands.assigned(np.zeros(0), Verdict(1.0), convex) == []


@pytest.mark.parametrize("query", ["eigenvector", "BM25", "sm2.py", "Zettelkasten", "spectral gap"])
def test_what_the_corpus_has_word_for_word_is_found(sample: Engine, query: str) -> None:
    found = sample.search(Request(query))
    assert found.hits
    assert not found.abstained


def test_what_lies_below_the_floor_is_kept_and_listed_when_asked_for(sample: Engine) -> None:
    found = sample.search(Request("tyre pressure for gravel bikes"))
    assert (found.hits, found.abstained) == ((), True)
    assert found.below_floor >= len(found.below) == 10
    asked = sample.search(Request("tyre pressure for gravel bikes", below=True))
    assert asked.abstained
    assert [hit.document.id for hit in asked.hits] == [hit.document.id for hit in found.below]


def test_it_says_why_and_the_evidence_adds_up(sample: Engine) -> None:
    verdict = sample.search(Request("capital gains tax on inherited shares")).verdict
    assert verdict
    assert verdict.why.startswith("Perhaps nothing in this corpus is about that: the best text covers")
    lenience = abstention.LENIENCE * log(abstention.FEW / sample.status().chunks)
    whole = abstention.BIAS + lenience + sum(part.contribution for part in verdict.evidence)
    assert isclose(whole, verdict.standing)
    assert verdict.standing < 0
    unknown = sample.search(Request("xqzv blorft nandipular wex")).verdict
    assert unknown
    assert unknown.why == "None of the words of the query is in this corpus."


def test_while_somebody_is_typing_there_is_a_verdict_and_no_abstaining_yet(sample: Engine) -> None:
    typed = sample.search(Request("tyre pressure for gravel bikes ", typing=True))
    assert typed.hits
    assert not typed.abstained
    assert typed.with_abstention().abstained
    assert typed.with_abstention().below == typed.hits


def test_a_word_that_may_become_a_known_one_is_waited_for(sample: Engine) -> None:
    assert sample.search(Request("eigenve", typing=True)).verdict is None


@pytest.mark.parametrize(
    "request_",
    [
        Request("tag:search"), Request("in July 2019"), Request("from last week"),
        Request('"damping factor"'), Request("heel flap", mode="keyword"),
        Request("heel flap", mode="semantic"),
    ],
    ids=lambda request: f"{request.query} {request.mode}",
)  # fmt: skip
def test_filters_times_phrases_and_single_legs_are_not_judged(sample: Engine, request_: Request) -> None:
    assert sample.search(request_).verdict is None


def test_no_profile_changes_the_evidence(sample: Engine) -> None:
    one, other = (sample.search(Request(SALAD, profile=name)).verdict for name in ("default", "ark"))
    assert one
    assert other
    values = [{part.name: part.value for part in verdict.evidence} for verdict in (one, other)]
    same = ("coverage", "bm25", "kinship", "cosine 99 %", "rarity", "letters")
    assert [values[0][name] for name in same] == [values[1][name] for name in same]


def test_a_corpus_of_a_few_texts_is_too_small_to_tell(tmp_path: Path) -> None:
    bench = filled(tmp_path, {f"{i}.md": f"A note on gliders, number {i}." for i in range(10)})
    found = run(bench.corpus(), Request("tyre pressure for gravel bikes", profile="default"))
    assert found.verdict is None
    assert found.hits


def test_the_time_that_a_query_names_is_no_evidence(sample: Engine) -> None:
    plain, dated = (sample.search(Request(text)).verdict for text in (SALAD, f"{SALAD} March 2019"))
    assert plain
    assert dated
    same = ("coverage", "bm25", "rarity", "terms", "letters")
    values = [{part.name: part.value for part in verdict.evidence} for verdict in (plain, dated)]
    assert [values[0][name] for name in same] == [values[1][name] for name in same]
