"""JSON and JSONL: records with a text are documents (I8, I18)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry


def drafts(reading: Reading, text: str, path: str = "c.jsonl") -> tuple[Draft, ...]:
    found = reading.read(Entry(path, len(text), 0, 1), text.encode())
    assert not isinstance(found, Problem), found
    return found


def lines(*records: Any) -> str:
    return "\n".join(json.dumps(record) for record in records) + "\n"


def test_a_line_is_a_document_with_what_it_says_of_itself(reading: Reading) -> None:
    record = {
        "_id": "d/1",
        "title": "Gaps",
        "text": "Met on 2026-03-14.",
        "tags": ["a", "b", "a"],
        "date": "2025-01-02",
        "metadata": {"source": "book", "collection": "library"},
    }

    (draft,) = drafts(reading, lines(record))

    assert (draft.item, draft.title, draft.body, draft.tags) == (
        "d/1",
        "Gaps",
        "Met on 2026-03-14.",
        ("a", "b"),
    )
    assert (draft.source, draft.place, draft.collection) == ("book", 1, "library")
    assert (str(draft.date), draft.date_source) == ("2025-01-02", "front matter")
    assert {link.target for link in draft.links} == {
        *("month:2025-01", "quarter:2025-Q1", "month:2026-03", "quarter:2026-Q1")
    }
    assert len(draft.chunks) == 1


@pytest.mark.parametrize("key", ["text", "content", "body"])
def test_the_text_may_have_three_names(reading: Reading, key: str) -> None:
    assert [d.body for d in drafts(reading, lines({key: "words"}))] == ["words"]


def test_records_of_a_source_are_neighbours_in_the_order_of_their_file(reading: Reading) -> None:
    part = {"metadata": {"source": "s"}}
    found = drafts(reading, lines({"id": 7, "text": "a", **part}, {"text": "b"}, {"text": "c", **part}))

    assert [(d.item, d.source, d.place) for d in found] == [("7", "s", 1), ("2", "", None), ("3", "s", 3)]


def test_a_record_without_a_title_is_called_by_its_first_words(reading: Reading) -> None:
    (draft,) = drafts(reading, lines({"text": "One  two\nthree " * 20}))

    assert draft.title == "One two three One two three One two three One two three One…"
    assert not draft.titled


def test_a_date_in_words_is_understood_and_another_is_said(reading: Reading) -> None:
    dated, odd = drafts(
        reading,
        lines(
            {"text": "a", "metadata": {"date": "1:56 pm on 8 May, 2023"}},
            {"text": "b", "date": "the other day"},
        ),
    )

    assert str(dated.date) == "2023-05-08"
    assert odd.notices == ("'the other day' is not understood as a date",)


def test_faulty_lines_are_named_and_the_others_go_on(reading: Reading) -> None:
    text = '{"text": "a"}\n{broken\n\n[1]\n{"name": "no text"}\n' + "x\n" * 5 + '{"text": "b"}'

    found = drafts(reading, text)

    assert [d.body for d in found] == ["a", "b"]
    (notice,) = found[0].notices
    assert notice.startswith("line 2: Expecting property name")
    assert "line 4: not an object; line 5: no text under text, content, body, and no title; line 6" in notice
    assert notice.endswith("; and 3 more")


def test_a_file_without_any_record_says_why(reading: Reading) -> None:
    found = reading.read(Entry("c.jsonl", 3, 0, 1), b"[1]\n")

    assert found == Problem("c.jsonl", "line 1: not an object")


def test_ids_that_come_twice_stay_two_documents(reading: Reading) -> None:
    assert [d.item for d in drafts(reading, lines(*[{"id": "a", "text": "t"}] * 3))] == ["a", "a~2", "a~3"]


def test_a_list_and_a_single_object_are_records_too(reading: Reading) -> None:
    listed = drafts(reading, json.dumps([{"text": "a"}, {"body": "b"}, 3]), "c.json")

    assert [d.item for d in listed] == ["1", "2"]
    assert listed[0].notices == ("item 3: not an object",)
    assert [d.body for d in drafts(reading, '{"content": "c"}', "c.json")] == ["c"]


@pytest.mark.parametrize("text", ['{"name": "x"}', "[1, 2]", "{broken", "[" * 100_000, '"text"'])
def test_other_json_is_kept_as_it_stands(reading: Reading, text: str) -> None:
    (draft,) = drafts(reading, text, "c.json")

    assert (draft.body, draft.title, draft.item) == (text, "c", "")
    assert bool(draft.notices) == text.startswith(("{b", "[["))


@pytest.mark.parametrize("text", ["", "  ", None, 3])
def test_a_record_with_only_a_title_has_that_as_its_text(reading: Reading, text: Any) -> None:
    (draft,) = drafts(reading, lines({"_id": "a", "title": " Out of the lab ", "text": text}))

    assert (draft.title, draft.body, draft.titled) == ("Out of the lab", "Out of the lab", False)
    assert [(c.start_char, c.end_char) for c in draft.chunks] == [(0, 14)]


def test_titles_in_a_list_are_documents_unless_they_have_more_to_lose(reading: Reading) -> None:
    titles = [{"title": "First", "tags": ["x"]}, {"title": "Second"}]
    mixed = [*titles, {"title": "Third", "text": "words"}]
    others = [{"title": "First", "description": "what it is"}]

    assert [d.body for d in drafts(reading, json.dumps(titles), "c.json")] == ["First", "Second"]
    assert [d.body for d in drafts(reading, json.dumps(mixed), "c.json")] == ["First", "Second", "words"]
    for kept in (others, titles[0]):
        (draft,) = drafts(reading, json.dumps(kept), "c.json")
        assert draft.body == json.dumps(kept)


def test_escapes_that_no_file_could_hold_are_replaced(reading: Reading) -> None:
    (draft,) = drafts(reading, '{"text": "a\\ud800b\\u0000c", "title": "\\udfff"}')

    assert (draft.body, draft.title) == ("a?b\ufffdc", "?")
