"""The questions of benchmarks/ways: what they promise, and how their table is made."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.evaluation import systems
from ark_tui.index.words import terms
from ark_tui.settings import load
from benchmarks import retrieval, ways
from benchmarks.ways import Answer, Question

NONE = {"nonsense", "off-corpus"}
OWN_WORDS = {"paraphrase", "synonyms", "business-paraphrase"}
RECORDS: list[dict[str, Any]] = [
    json.loads(line) for line in (ways.QUESTIONS / "queries.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ways.joined(tmp_path_factory.mktemp("ways") / "corpus")


@pytest.fixture(scope="module")
def questions(corpus: Path) -> list[Question]:
    return ways.read(corpus)


def plain(text: str) -> str:
    """Without marks of emphasis and line ends."""
    return re.sub(r"[*`\s]+", " ", text).strip()


def content(text: str) -> set[str]:
    return {terms.stem(word) for word in terms.words(text) if word not in terms.STOP_WORDS}


def test_no_note_of_the_one_folder_hides_one_of_the_other(corpus: Path) -> None:
    apart = sum(path.is_file() for folder in ways.CORPORA for path in folder.rglob("*"))
    assert sum(path.is_file() for path in corpus.rglob("*")) == apart


def test_every_judged_path_is_a_note(corpus: Path, questions: list[Question]) -> None:
    rows = (ways.QUESTIONS / "qrels" / "test.tsv").read_text("utf-8").splitlines()[1:]
    asked = {question.id for question in questions}
    for row in rows:
        query, path, grade = row.split("\t")
        assert query in asked, row
        assert (corpus / path).is_file(), row
        assert grade in {"1", "2"}, row
    assert len(rows) == len({row.rpartition("\t")[0] for row in rows}), "judged twice"


def test_there_are_twenty_categories_in_two_halves(questions: list[Question]) -> None:
    assert len({question.id for question in questions}) == len(questions) >= 240
    assert len({question.text for question in questions}) == len(questions)
    counts = Counter(question.category for question in questions)
    assert len(counts) == 20
    assert min(counts.values()) >= 12
    halves = Counter((question.category, question.half) for question in questions)
    assert all(abs(halves[one, "fit"] - halves[one, "floor"]) <= 1 for one in counts)


def test_all_have_an_answer_but_those_about_nothing_here(questions: list[Question]) -> None:
    without = {question.id for question in questions if not question.grades}
    assert without == {question.id for question in questions if question.category in NONE}
    assert all(2 in question.grades.values() for question in questions if question.grades)
    assert len(questions) - len(without) >= 200


@pytest.mark.parametrize(
    "record",
    [one for one in RECORDS if one["metadata"]["category"] in OWN_WORDS],
    ids=lambda record: record["_id"],
)
def test_own_words_are_none_of_the_answer(
    record: dict[str, Any], corpus: Path, questions: list[Question]
) -> None:
    sentence = record["metadata"]["sentence"]
    assert not content(record["text"]) & content(sentence)
    (grades,) = [question.grades for question in questions if question.id == record["_id"]]
    best = [path for path, grade in grades.items() if grade == 2]
    assert any(plain(sentence) in plain((corpus / path).read_text("utf-8")) for path in best)


def test_no_question_needs_a_note_that_is_not_listed(corpus: Path, questions: list[Question]) -> None:
    hidden = {
        path.relative_to(corpus).as_posix()
        for path in corpus.rglob("*.md")
        if re.search(r"^superseded_by:", path.read_text("utf-8"), re.MULTILINE)
    }
    assert hidden
    assert [one.text for one in questions if one.grades and not one.grades.keys() - hidden] == []


def made(name: str, grades: dict[str, int], ranked: tuple[str, ...], *, sure: bool = True) -> Answer:
    return Answer(Question(name, name, "exact" if grades else "nonsense", "fit", grades), ranked, sure)


def test_what_gets_nothing_counts_as_missed() -> None:
    bm25 = [made("a", {"x": 2}, ("x",)), made("b", {"x": 2}, ("y",)), made("c", {}, ("x",))]
    default = [
        made("a", {"x": 2}, (), sure=False),
        made("b", {"x": 2}, ("x",)),
        made("c", {}, ("x",), sure=False),
    ]
    tables = ways.reported({"bm25": bm25, "default": default})
    assert "| exact | 2 | 50 % | 50 % | 0.500 | 0.500 | 0 % | 50 % |" in tables
    assert "| all | 1 | 100 % | 0 % |" in tables


class Refusing:
    """An engine that always has a hit and never holds it for an answer."""

    def search(self, request: Request) -> SimpleNamespace:
        hits = (SimpleNamespace(document=SimpleNamespace(path="gap.md")),)
        return SimpleNamespace(hits=hits if request.below else (), abstained=True)


def test_the_profile_may_refuse_and_the_baselines_may_not() -> None:
    engine, question = cast("Engine", Refusing()), made("a", {"gap.md": 2}, ()).question
    asked = [ways.answered(engine, systems.bm25(), question, below=below) for below in (True, False)]
    assert [(one.ranked, one.sure, one.hit) for one in asked] == [(("gap.md",), True, 1), ((), False, 0)]


def test_three_systems_are_asked_and_the_last_is_that_of_a_plain_search(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "gap.md").write_text("# The spectral gap\n\nIt bounds the mixing time of a chain.\n", "utf-8")
    (folder / "tea.md").write_text("# Tea\n\nGreen tea is brewed at seventy degrees.\n", "utf-8")
    question = Question("a", "spectral gap and mixing time", "exact", "fit", {"gap.md": 2})
    settings = load(tmp_path / "home", {"embedding": "static"}, {"ARK_NOW": ways.NOW})
    answers = ways.ask(settings, folder, [question], "")
    assert list(answers) == ["bm25", "cosine", "default"]
    assert [some[0].ranked[0] for some in answers.values()] == ["gap.md"] * 3


def test_the_page_has_its_marks() -> None:
    assert retrieval.replaced(retrieval.PAGE.read_text("utf-8"), "ways", "| new |\n")
