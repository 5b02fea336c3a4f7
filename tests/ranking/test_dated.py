"""A hundred dated questions over small sets of notes: the note of the right time comes first (S27)."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from ark_tui.domain.query import Request
from ark_tui.retrieval import run
from tests.corpora import Bench, arrival

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
