"""Times in the query against those of texts and documents (S6), and dated questions (S27)."""

from __future__ import annotations

from datetime import date
from itertools import product
from math import exp
from pathlib import Path

import pytest

from ark_tui.domain.dates import stamps as times
from ark_tui.domain.hits import Hit
from ark_tui.domain.query import Request
from ark_tui.retrieval import run
from tests.corpora import Bench, arrival
from tests.links.conftest import Place

WORDS = {  # so that none is a near-duplicate of another, which would share its place
    "monday": "Keys, coats and a red umbrella.",
    "december": "Frozen pipes were repaired by plumbers.",
    "november": "Lectures on graph theory.",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = Bench(tmp_path_factory.mktemp("home"))
    dated = {"monday": date(2025, 12, 22), "december": date(2025, 12, 3), "november": date(2025, 11, 30)}
    home.put(
        *(
            arrival(f"{name}.md", f"The office. {WORDS[name]}", date=day, date_source="front matter")
            for name, day in dated.items()
        ),
        arrival("saved.md", "The office.", date=date(2025, 12, 23), date_source="modified"),
        arrival("says-day.md", "The office on 3 December 2025."),
        arrival("says-month.md", "The office in December 2025."),
        arrival("says-quarter.md", "The office in Q4 2025."),
        arrival("says-year.md", "The office in 2025."),
        arrival("nineties.md", "The office in 1994."),
    )  # fmt: skip
    home.sync()
    return home


def temporal(bench: Bench, query: str) -> dict[str, float]:
    hits = run(bench.corpus(), Request(query, profile="default", limit=20, below=True)).hits
    raw = {h.document.path: p.raw for h in hits for p in h.parts if p.name == "temporal"}
    return {path.removesuffix(".md"): value for path, value in raw.items() if value}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("office last week", {"monday": 0.8, "says-month": 0.5, "says-quarter": 0.2, "says-year": 0.2}),
        ("office in November 2025", {"november": 0.8, "says-quarter": 0.5, "says-year": 0.5, "says-day": 0.4,
                                     "says-month": 0.4}),
        ("office last quarter", {"monday": 0.8, "december": 0.8, "november": 0.8, "says-day": 1.0,
                                 "says-month": 1.0, "says-quarter": 1.0, "says-year": 0.5}),
        ("office on 3 December 2025", {"says-day": 1.0, "december": 0.8, "says-month": 0.5,
                                       "says-quarter": 0.2, "says-year": 0.2}),
        ("office on 5 December 2025", {"says-month": 0.5, "says-day": 0.2, "says-quarter": 0.2,
                                       "says-year": 0.2}),
        ("office in the 1990s", {"nineties": 1.0}),
        ("office in 1995", {"nineties": 0.4}),
        ("office before 1990", {}),
        ("office after 1990 and before 1995", {"nineties": 1.0}),
        ("office yesterday", {"says-month": 0.5, "says-quarter": 0.2, "says-year": 0.2}),
        ("where is the office", {}),
    ],
)  # fmt: skip
def test_relative_and_wide_times_bring_what_is_from_then_or_names_it(
    bench: Bench, query: str, found: dict[str, float]
) -> None:
    assert temporal(bench, query) == pytest.approx(found)


def test_the_finer_time_counts_for_more_than_its_year(bench: Bench) -> None:
    month = temporal(bench, "office in December 2025")
    assert month["says-month"] == month["says-day"] == pytest.approx(1.0)
    assert month["says-month"] > month["monday"] > month["says-year"] > 0  # about then, written then, wider
    day = temporal(bench, "office on 3 December 2025")
    assert day["says-day"] > day["december"] > day["says-month"] > day["says-year"] > 0


def test_before_a_month_what_was_written_then_counts_for_more_than_what_names_such_a_time(
    bench: Bench,
) -> None:
    before = temporal(bench, "office before December 2025")
    assert (before["november"], before["nineties"]) == pytest.approx((1.0, 0.7))
    assert temporal(bench, "office before 2025")["nineties"] == pytest.approx(1.0)


def test_a_time_of_at_most_half_a_year_weighs_twice(bench: Bench) -> None:
    def weight(query: str) -> float:
        hit = run(bench.corpus(), Request(query, profile="default", limit=20, below=True)).hits[0]
        weights = {part.name: part.weight for part in hit.parts}
        return weights["temporal"] / weights["bm25"]  # all are scaled to a sum of 1

    short, year = weight("office in December 2025"), weight("office in 1994")
    assert short == pytest.approx(2 * year)
    assert weight("office from May 1993 to December 2025") == pytest.approx(year)


def test_of_a_range_the_ends_count_besides_what_lies_between(bench: Bench) -> None:
    assert temporal(bench, "office from 1993 to 1995") == pytest.approx({"nineties": 0.5 + 0.5 * 0.4})
    assert temporal(bench, "office from 1994 to 1999")["nineties"] == pytest.approx(0.85)


def test_a_query_that_says_nothing_but_a_time_is_about_it(bench: Bench) -> None:
    for query in ("last week", "what was there last week"):
        assert (
            run(bench.corpus(), Request(query, profile="default", below=True)).hits[0].document.path
            == "monday.md"
        )


def test_words_of_relative_times_are_not_looked_for(tmp_path: Path) -> None:
    home = Bench(tmp_path)
    home.put(
        arrival("diary.md", "The last week of the month."),
        arrival("office.md", "The office.", date=date(2025, 12, 22), date_source="front matter"),
    )
    home.sync()

    def found(query: str, **more: bool) -> list[str]:
        hits = run(home.corpus(), Request(query, "keyword", profile="default", **more)).hits  # type: ignore[arg-type]
        return [hit.document.path for hit in hits]

    assert found("office last week") == ["office.md"]
    assert set(found("office last week", literal=True)) == {"office.md", "diary.md"}
    assert set(found("last week")) == {"office.md", "diary.md"}  # nothing else is said


def test_a_text_has_the_stamps_of_all_times_it_names() -> None:
    text = "Of 14 March 2026, 2025-02, Q3 2024 and 1995; 1,995 is none. Built 1901–1903."
    assert set(times.named(text)) == {
        *("y2026", "m2026-03", "d2026-03-14", "y2025", "m2025-02", "M2025-02", "y2024", "q2024-3"),
        *("y1995", "Y1995", "y1901", "Y1901", "y1902", "Y1902", "y1903", "Y1903"),
    }
    assert times.of_day(date(2026, 3, 14)) == ["wy2026", "wm2026-03", "wd2026-03-14"]


@pytest.mark.parametrize(
    ("first", "last", "within", "longer"),
    [
        (date(2026, 3, 1), date(2026, 3, 2), ["d2026-03-01", "d2026-03-02"],
         (["M2026-03"], ["Y2026", "q2026-1"])),
        (date(2026, 3, 1), date(2026, 3, 31), ["m2026-03"], (["Y2026", "q2026-1"], [])),
        (date(2025, 12, 1), date(2026, 3, 31),
         ["m2025-12", "m2026-01", "m2026-02", "m2026-03", "q2026-1"],
         (["Y2025", "q2025-4", "Y2026"], [])),
        (date(2024, 1, 1), date(2025, 12, 31), ["y2024", "y2025"], ([], [])),
        (date(1, 1, 1), date(9999, 12, 31), [f"y{n}" for n in range(1000, 2100)], ([], [])),
    ],
)  # fmt: skip
def test_a_time_becomes_few_stamps(
    first: date, last: date, within: list[str], longer: tuple[list[str], list[str]]
) -> None:
    assert times.within(first, last) == within
    assert times.longer(first, last) == longer


# -- nearness, in the profile `ark` ---------------------------------------------------------------------


@pytest.fixture
def diary(place: Place) -> Place:
    place.write("2025-12-10 here.md", "# Here\n\nThe office moved.")
    place.write("2025-12-25 near.md", "# Near\n\nThe office moved on.")
    place.write("2025-10-01 far.md", "# Far\n\nThe office stood still.")
    place.write("named.md", "# Named\n\nA report on December 2025.")
    place.write("plain.md", "# Plain\n\nThe office moved, once.")
    place.index()
    return place


def nearness(place: Place, query: str, **more: object) -> dict[str, float]:
    hits: dict[str, Hit] = place.hits(query, profile="ark", limit=20, **more)
    raw = {path: part.raw for path, hit in hits.items() for part in hit.parts if part.name == "temporal"}
    return {path.removesuffix(".md").split(" ")[-1]: value for path, value in raw.items() if value}


def test_nearness_falls_with_the_square_of_the_days_between(diary: Place) -> None:
    found = nearness(diary, "office 2025-12-10")
    assert found == pytest.approx({"here": 1.0, "near": exp(-(15**2) / (2 * 15**2)), "named": 1.0})
    assert nearness(diary, "office in December 2025") == {"here": 1.0, "near": 1.0, "named": 1.0}
    wide = nearness(diary, "office 2025-12-10", adjust=("sigma=30",))
    assert wide["near"] == pytest.approx(exp(-(15**2) / (2 * 30**2)))
    assert wide["far"] == pytest.approx(exp(-(70**2) / (2 * 30**2)))


def test_what_is_linked_to_the_time_becomes_a_candidate_though_no_word_brings_it(diary: Place) -> None:
    adjust = ("weight.cosine=0", "weight.static=0", "weight.enriched=0")
    assert "named" in nearness(diary, "office December 2025", adjust=adjust)
    assert nearness(diary, "office moved", adjust=adjust) == {}


GOAL = 0.9

SUBJECTS = {
    "budget": "the budget round with finance",
    "outage": "the outage of the mail server",
    "garden": "planting vegetables in the garden",
    "marathon": "training for the marathon",
    "kitchen": "renovating the kitchen",
}
"""Five diaries, each with the same ten times, so that the words alone decide nothing."""

TIMES = {
    "spring": "On 12 March 2024 {about}: it took longer than planned.",
    "may": "Notes of 3 May 2025 on {about}. Two people were away.",
    "late": "27 May 2025. More on {about}, and what it cost.",
    "july": "In July 2025 {about} began once more, with a new list.",
    "quarter": "Q4 2023: a review of {about}, with open points.",
    "year": "What happened with {about} in 2019, in one page.",
    "nineties": "From 1994 to 1998 {about} was done on paper.",
    "week": "Short entry about {about}; nothing was decided.",
    "days": "Another entry about {about}; everybody agreed.",
    "trip": "Looking back at {about} in August 2022.",
}
WRITTEN = {"week": date(2025, 12, 24), "days": date(2025, 12, 30), "trip": date(2025, 11, 18)}

QUESTIONS = {
    "what was said on 12 March 2024 about {about}?": "spring",
    "{about} from February to April 2024": "spring",
    "{about} in early May 2025": "may",
    "what happened with {about} in the first week of May 2025": "may",
    "{about} at the end of May 2025": "late",
    "notes on {about}, second half of May 2025": "late",
    "{about} in the last week of May 2025": "late",
    "{about} in the summer of 2025": "july",
    "{about} Q3 2025": "july",
    "{about} im Juli 2025": "july",
    "how did {about} go between October and December 2023": "quarter",
    "{about} late 2023": "quarter",
    "{about} in 2019": "year",
    "{about} between 2018 and 2020": "year",
    "{about} in the 1990s": "nineties",
    "anything on {about} before 2000": "nineties",
    "{about} last week": "week",
    "{about} letzte Woche": "week",
    "what did we say about {about} two days ago": "days",
    "{about} in August 2022": "trip",
}


@pytest.fixture(scope="module")
def diaries(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = Bench(tmp_path_factory.mktemp("home"))
    for name, about in SUBJECTS.items():
        for when, text in TIMES.items():
            source = "front matter" if when in WRITTEN else "none"
            dated = WRITTEN.get(when)
            home.put(arrival(f"{name}-{when}.md", text.format(about=about), date=dated, date_source=source))
    home.sync()
    return home


def test_the_note_of_the_right_time_comes_first(diaries: Bench) -> None:
    wrong = []
    for (name, about), (question, right) in product(SUBJECTS.items(), QUESTIONS.items()):
        asked = question.format(about=about)
        hits = run(diaries.corpus(), Request(asked, profile="default", below=True)).hits
        if hits[0].document.path != f"{name}-{right}.md":
            wrong.append(f"{asked}: {hits[0].document.path}")
    count = len(SUBJECTS) * len(QUESTIONS)
    assert count == 100
    assert 1 - len(wrong) / count >= GOAL, wrong
