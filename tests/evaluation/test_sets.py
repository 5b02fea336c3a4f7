"""Judged sets: bad input is one sentence, with file and line; the questions of benchmarks/ways."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.evaluation import sets
from ark_tui.index.words import terms
from benchmarks import ways
from benchmarks.ways import Question
from tests.evaluation.conftest import DOCUMENTS, QUERIES, write_lines, write_qrels

GOOD = {"_id": "q1", "text": "what bounds the mixing time"}


def complaint(folder: Path, corpus: Path | None = None) -> str:
    with pytest.raises((NotFound, UsageError)) as caught:
        sets.read(folder, corpus)
    assert caught.value.hint
    return caught.value.what


def test_a_set_is_its_documents_and_the_queries_with_answers(small: Path) -> None:
    judged = sets.read(small)
    assert (judged.name, judged.documents, judged.lines) == ("small", len(DOCUMENTS), True)
    assert [topic.id for topic in judged.topics] == list(QUERIES)
    assert judged.topics[0].grades == {"gap": 2, "fiedler": 1}
    assert judged.topics[0].category == "theory"
    assert judged.notices == ()


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_folder_that_lacks_a_part_is_told_which(small: Path, name: str) -> None:
    (small / name).unlink()
    assert complaint(small) == f"{small} has no {name}."


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert complaint(tmp_path / "nowhere") == f"There is no folder {tmp_path / 'nowhere'}."


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_part_is_named(small: Path, name: str, text: str) -> None:
    (small / name).write_text(text)
    assert str(small / name) in complaint(small)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not an object"),
        ('{"text": "x"}', "no _id"),
        ('{"_id": "gap", "text": "again"}', "the _id gap already exists"),
    ],
)
def test_a_line_of_the_corpus_that_is_no_document_is_named(small: Path, line: str, why: str) -> None:
    with (small / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    assert complaint(small).startswith(f"{small / 'corpus.jsonl'}:7: {why}")


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"_id": "q9"}, "the query q9 has no text"),
        ({"_id": "q9", "text": " "}, "the query q9 has no text"),
        ({"_id": "q1", "text": "again"}, "the _id q1 already exists"),
        ({"_id": "q9", "text": "x", "metadata": {"collection": "c"}}, "no document is in the collection c"),
    ],
)
def test_a_query_that_cannot_be_asked_is_named(small: Path, record: dict[str, object], why: str) -> None:
    write_lines(small / "queries.jsonl", [GOOD, record])
    assert complaint(small).startswith(f"{small / 'queries.jsonl'}:2: {why}")


@pytest.mark.parametrize("row", ["q1\tgap", "q1\tgap\thigh", "q1 gap 1", "q1\t0\tgap\t1"])
def test_a_judgement_that_cannot_be_read_is_named(small: Path, row: str) -> None:
    (small / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\nq1\tgap\t1\n{row}\n")
    assert complaint(small).startswith(f"{small / 'qrels' / 'test.tsv'}:3: not `query-id`")


def test_text_that_is_not_utf_8_is_named(small: Path) -> None:
    (small / "corpus.jsonl").write_bytes(b'{"_id": "a", "text": "x"}\n{"_id": "b", "text": "\xff"}\n')
    assert complaint(small).startswith(f"{small / 'corpus.jsonl'}:")
    assert complaint(small).endswith("not UTF-8.")


def test_judgements_of_what_is_not_there_are_counted(small: Path) -> None:
    write_qrels(
        small / "qrels" / "test.tsv",
        [("q1", "gap", 1), ("q1", "lost", 1), ("q2", "tea", 0), ("q9", "tea", 1)],
    )
    judged = sets.read(small)
    assert [topic.id for topic in judged.topics] == ["q1"]
    assert judged.topics[0].grades == {"gap": 1, "lost": 1}
    left, document, query = judged.notices
    assert left.startswith("3 queries without a judged answer")
    assert document.startswith("1 judgement names a document that the corpus does not have")
    assert query.startswith("judgements for 1 query that the set does not have")


def test_a_set_without_any_answer_is_refused(small: Path) -> None:
    write_qrels(small / "qrels" / "test.tsv", [("q1", "gap", 0), ("q9", "gap", 1)])
    assert complaint(small).endswith("has no answer to any of the queries.")


def test_numbers_as_ids_windows_lines_a_byte_order_mark_and_no_header_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "numbers"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_bytes(
        b'\xef\xbb\xbf{"_id": 1, "text": "a b"}\r\n{"_id": 2, "text": "c"}\r\n'
    )
    (folder / "queries.jsonl").write_bytes(b'{"_id": 7, "text": "a"}\r\n')
    (folder / "qrels" / "test.tsv").write_bytes(b"7\t1\t1\r\n")
    (topic,) = sets.read(folder).topics
    assert (topic.id, topic.grades) == ("7", {"1": 1})


def test_files_can_be_the_documents(small: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "deep").mkdir(parents=True)
    for name in ("gap", "deep/bread"):
        (notes / f"{name}.md").write_text("x")
    shutil.rmtree(small / "qrels")
    write_qrels(small / "qrels.tsv", [("q1", "gap.md", 1), ("q2", "deep/bread.md", 1)])
    judged = sets.read(small, notes)
    assert (judged.documents, judged.lines, judged.corpus) == (2, False, notes)
    assert judged.notices == ("2 queries without a judged answer left out",)
    assert complaint(small, tmp_path / "nowhere").startswith("There is no folder")
    (tmp_path / "bare").mkdir()
    assert "has no files" in complaint(small, tmp_path / "bare")


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


def test_own_words_are_none_of_the_answer(corpus: Path, questions: list[Question]) -> None:
    own = [one for one in RECORDS if one["metadata"]["category"] in OWN_WORDS]
    assert len(own) > 40
    for record in own:
        sentence = record["metadata"]["sentence"]
        assert not content(record["text"]) & content(sentence), record["_id"]
        (grades,) = [question.grades for question in questions if question.id == record["_id"]]
        best = [path for path, grade in grades.items() if grade == 2]
        assert any(plain(sentence) in plain((corpus / path).read_text("utf-8")) for path in best), record[
            "_id"
        ]


def test_no_question_needs_a_note_that_is_not_listed(corpus: Path, questions: list[Question]) -> None:
    hidden = {
        path.relative_to(corpus).as_posix()
        for path in corpus.rglob("*.md")
        if re.search(r"^superseded_by:", path.read_text("utf-8"), re.MULTILINE)
    }
    assert hidden
    assert [one.text for one in questions if one.grades and not one.grades.keys() - hidden] == []
