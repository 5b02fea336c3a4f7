"""The questions of benchmarks/ways: what they promise, and how their table is made."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ark_tui.index.words import terms
from benchmarks import ways
from benchmarks.ways import Question

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


def test_every_judged_path_is_a_note(corpus: Path, questions: list[Question]) -> None:
    rows = (ways.QUESTIONS / "qrels" / "test.tsv").read_text("utf-8").splitlines()[1:]
    asked = {question.id for question in questions}
    for row in rows:
        query, path, grade = row.split("\t")
        assert query in asked, row
        assert (corpus / path).is_file(), row
        assert grade in {"1", "2"}, row
    assert len(rows) == len({row.rpartition("\t")[0] for row in rows}), "judged twice"


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
