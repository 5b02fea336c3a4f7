"""Bad input is one clear sentence, with the file and the line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.evaluation import sets
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
