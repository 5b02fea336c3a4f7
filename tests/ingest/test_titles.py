"""What documents are called: what they say, else their file name made readable; equal names are set apart."""

from __future__ import annotations

import pytest

from ark_tui.domain.documents import Document
from ark_tui.domain.titles import file_title, readable, set_apart
from tests.ingest.conftest import ReadText


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("notes/weekly-plan_2026-03.md", "Weekly plan 2026-03"),
        ("v1.10.md", "v1.10"),
        ("2026-03-14.md", "2026-03-14"),
        ("API_notes.md", "API notes"),
        ("render/index.md", "render/index"),
        ("README.md", "README"),
    ],
)
def test_a_file_name_is_made_readable(path: str, title: str) -> None:
    assert readable(path) == title


def test_a_generic_name_of_a_program_carries_its_folder() -> None:
    assert file_title("src/render/main.rs") == "render/main.rs"
    assert file_title("src/render/paint.rs") == "paint.rs"


def test_a_section_heading_is_never_a_title(read: ReadText) -> None:
    assert read("## General\n\nText.", "weekly-plan.md").title == "Weekly plan"
    assert read("== General ==\n\nText.", "a.adoc").title == "a"


def test_malformed_front_matter_never_makes_a_title(read: ReadText) -> None:
    draft = read("---\ntitle: [unclosed\n---\n\n# Spectral gaps\n")
    assert draft.title == "Spectral gaps"


def test_titles_that_repeat_in_a_list_carry_what_sets_them_apart() -> None:
    documents = [
        Document("a" * 16, "notes", "docs/v1.10.md", "1.10"),
        Document("b" * 16, "notes", "docs/v1.10.3.md", "1.10"),
        Document("c" * 16, "notes", "x/deep/note.md", "Note"),
        Document("d" * 16, "notes", "y/deep/note.md", "Note"),
        Document("e" * 16, "notes", "other.md", "Other"),
    ]
    assert [*set_apart(documents).values()] == [
        "1.10 · v1.10.md", "1.10 · v1.10.3.md", "Note · x/deep/note.md", "Note · y/deep/note.md", "Other",
    ]  # fmt: skip
