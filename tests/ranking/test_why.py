"""Why a hit is where it is: the reasons of each part, and the sentence that they make."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from math import isclose
from pathlib import Path

import pytest

from ark_tui.domain.documents import OCCURRED_IN, LinkDraft
from ark_tui.domain.hits import Hit, Part, SearchResult
from ark_tui.domain.profile import Profile
from ark_tui.domain.query import Request
from ark_tui.domain.reasons import Reason
from ark_tui.retrieval import run
from ark_tui.retrieval.sentence import differences
from ark_tui.retrieval.signals import BY_NAME, SIGNALS
from tests.corpora import Bench, arrival

FAMILIES = {signal.info.name: signal.info.family for signal in SIGNALS}
FILLER = {
    f"filler-{n}.md": f"Flour, water and salt of recipe {n}.\n\nBake loaf {n} until it sounds hollow."
    for n in range(30)
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = Bench(tmp_path_factory.mktemp("why") / "home")
    home.put(
        arrival(
            "gap.md", "A chain forgets its start.\n\nThe gap of the walk bounds its mixing time.",
            title="Spectral gap", titled=True,
        ),
        arrival("walk.md", "Random walks and how they mix.", title="Walks", titled=True),
        arrival(
            "expander.md", "Expander graphs keep a gap.", title="Expander \x1b[2Jgraphs", titled=True,
            links=(LinkDraft("links_to", "gap.md"),),
        ),
        arrival(
            "march.md", "The office moved on 14 March 2026.", date=date(2026, 3, 20),
            date_source="front matter", links=(LinkDraft(OCCURRED_IN, "month:2026-03"),),
        ),
        arrival("april.md", "The office was painted.", date=date(2026, 4, 2), date_source="front matter"),
        *(arrival(path, text) for path, text in FILLER.items()),
    )  # fmt: skip
    home.sync()
    return home


def search(bench: Bench, query: str, profile: str | Profile = "default", **more: object) -> SearchResult:
    profiles = bench.corpus().profiles
    if isinstance(profile, Profile):
        profiles, profile = {profile.name: profile}, profile.name
    request = Request(query, profile=profile, explain=True, **more)  # type: ignore[arg-type]
    return run(bench.corpus(profiles=profiles), request)


def hit_of(result: SearchResult, path: str) -> Hit:
    return next(hit for hit in result.hits if hit.document.path == path)


def part_of(hit: Hit, name: str) -> Part:
    return next(part for part in hit.parts if part.name == name)


def reason_of(hit: Hit, name: str, where: str = "text") -> Reason:
    return next(reason for reason in part_of(hit, name).reasons if reason.where == where)


def test_a_search_that_asks_for_no_reasons_has_none(bench: Bench) -> None:
    plain = run(bench.corpus(), Request("spectral gap", profile="default"))
    assert not any(part.reasons or part.note for hit in plain.hits for part in hit.parts)
    assert [hit.why for hit in plain.hits] == [None] * len(plain.hits)
    asked = search(bench, "spectral gap")
    assert [(hit.document.id, hit.score) for hit in asked.hits] == [
        (hit.document.id, hit.score) for hit in plain.hits
    ]


@pytest.mark.parametrize("name", ["bm25", "coverage"])
def test_what_words_earn_adds_up_to_the_value_of_the_signal(bench: Bench, name: str) -> None:
    profile = Profile("words", weights={name: 1.0}, boosts={"title": 0.7, "heading": 0.3})
    for hit in search(bench, "gap of a walk", profile).hits:
        part = part_of(hit, name)
        assert isclose(sum(reason.value for reason in part.reasons), part.raw, rel_tol=1e-4)


def test_a_word_says_where_it_stands_and_how_rare_it_is(bench: Bench) -> None:
    hit = hit_of(search(bench, "spectral gap"), "gap.md")
    title, text = reason_of(hit, "bm25", "title"), reason_of(hit, "bm25")
    assert title.says == "“gap” in the title (rare: in 2 of 66 passages)"
    assert text.told == "the text has “gap” (rare: in 2 of 66 passages)"
    body = "The gap of the walk bounds its mixing time."
    assert [body[a:b] for a, b in text.spans] == ["gap"]


def test_words_that_the_query_has_not_are_told_apart(bench: Bench) -> None:
    hits = search(bench, "gap").hits
    added = [reason for hit in hits for reason in part_of(hit, "expanded").reasons]
    assert added
    assert all("of the best texts" in reason.says for reason in added)


@pytest.mark.parametrize("name", ["static", "idf", "maxsim", "rocchio"])
def test_closeness_is_shown_by_words_that_are_close(bench: Bench, name: str) -> None:
    hit = hit_of(search(bench, "random walking"), "walk.md")
    reasons = part_of(hit, name).reasons
    assert {reason.kind for reason in reasons} == {"pair"}
    walks = next(reason for reason in reasons if reason.found == "walks")
    assert walks.asked == "walking"
    assert 0.3 < (walks.closeness or 0) < 1
    text = "Random walks and how they mix."
    assert [text[a:b] for a, b in walks.spans] == ["walks"]
    assert walks.says.startswith("“walks” is close to “walking” (0.")


def test_a_time_says_what_of_the_text_fits_that_of_the_query(bench: Bench) -> None:
    found = search(bench, "office March 2026")
    reasons = part_of(hit_of(found, "march.md"), "temporal").reasons
    assert [(reason.asked, reason.found, reason.where) for reason in reasons] == [
        ("March 2026", "14 March 2026", "text")
    ]
    assert "it names “14 March 2026”" in reasons[0].says
    near = part_of(hit_of(search(bench, "office April 2026"), "april.md"), "temporal").reasons
    assert [(reason.found, reason.where) for reason in near] == [("2026-04-02", "date")]


def test_nearness_in_time_names_the_date(bench: Bench) -> None:
    profile = Profile("near", weights={"temporal": 1.0, "bm25": 0.1}, sigma=15.0)
    hit = hit_of(search(bench, "office March 2026", profile), "march.md")
    assert reason_of(hit, "temporal", "date").told == "it is from 2026-03-20"


def test_a_neighbour_is_the_passage_that_it_comes_from(bench: Bench) -> None:
    profile = Profile("beside", weights={"bm25": 1.0, "neighbour": 5.0})
    hit = hit_of(search(bench, "mixing chain", profile), "gap.md")
    reason = part_of(hit, "neighbour").reasons[0]
    assert reason.where in {"previous", "next"}
    assert reason.source is not None
    assert (reason.source.document, reason.source.title) == (hit.document.id, "Spectral gap")
    assert reason.source.start_line in {1, 3}


@pytest.mark.parametrize("name", ["links", "graph"])
def test_links_name_the_document_that_they_come_from(bench: Bench, name: str) -> None:
    profile = Profile("linked", weights={"bm25": 1.0, "static": 0.1, name: 1.0}, boosts={"title": 1.0})
    hit = hit_of(search(bench, "spectral gap", profile, adjust=("graph.floor=-1",)), "expander.md")
    reason = reason_of(hit, name, "link")
    assert reason.source is not None
    assert reason.told == "it is linked with “Spectral gap”"


def test_a_part_that_tells_no_hit_from_another_says_so(bench: Bench) -> None:
    profile = Profile("level", weights={"coverage": 1.0, "bm25": 1.0, "expanded": 1.0})
    hits = search(bench, "office", profile).hits
    assert len(hits) > 1
    assert {part_of(hit, "coverage").note for hit in hits} == {"the same for all hits"}
    absent = [part for hit in search(bench, "spectral gap").hits for part in hit.parts if part.rank is None]
    assert {part.note for part in absent} <= {"nothing of it here", "the same for all hits"}


@pytest.mark.parametrize("profile", ["default", "ark"])
def test_differences_add_up_to_that_of_the_scores(bench: Bench, profile: str) -> None:
    hits = search(bench, "gap of a random walk", profile).hits
    assert len(hits) > 2
    for hit, other in pairwise(hits):
        points = [one.points for one in differences(hit, other, FAMILIES)]
        assert isclose(sum(points), hit.score - other.score, abs_tol=1e-9)


def test_each_sentence_compares_with_the_hit_below_and_names_the_largest_differences(bench: Bench) -> None:
    hits = search(bench, "gap of a random walk").hits
    for hit, other in pairwise(hits):
        assert hit.why is not None
        assert hit.why.above == other.document.id
        assert hit.why.sentence.startswith("Above “") or hit.why.sentence.startswith("Level with “")
        largest = max(differences(hit, other, FAMILIES), key=lambda one: one.points)
        assert hit.why.because[0] == largest
    last = hits[-1].why
    assert last is not None
    assert last.sentence.startswith("Here because ")
    assert last.above == ""


def test_a_sentence_shows_what_a_title_has_and_obeys_none_of_it(bench: Bench) -> None:
    hits = search(bench, "spectral gap").hits
    said = [hit.why.sentence for hit in hits if hit.why and "Expander" in hit.why.sentence]
    assert said
    assert all("Expander ␛[2Jgraphs" in sentence for sentence in said)


def test_of_equals_a_sentence_says_that_they_are(tmp_path: Path) -> None:
    home = Bench(tmp_path / "home")
    home.put(arrival("a.md", "one gap"), arrival("b.md", "one gap"))
    home.sync()
    first, _ = search(home, "gap", Profile("plain", weights={"bm25": 1.0})).hits
    assert first.why is not None
    assert first.why.sentence == "Level with “b”: of equals the newer comes first."


def test_every_signal_but_those_of_a_served_model_has_reasons() -> None:
    without = {name for name, signal in BY_NAME.items() if signal.reasons is None}
    assert without == {"cosine", "rerank"}
