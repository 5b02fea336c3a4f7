"""What a Markdown file says of itself, its title, and what it links to (I8, I13, I14, I18)."""

from __future__ import annotations

import pytest

from ark_tui.domain.documents import Document, LinkDraft
from ark_tui.domain.titles import file_title, readable, set_apart
from ark_tui.ingest.reading import Reading
from tests.ingest.conftest import ReadText

FULL = """---
title: Spectral gaps
date: 2025-11-03
tags: [theory, '#graphs', 2024, no]
type: plan
memory_tier: wiki
status: accepted
source_id: gap-1
source: book
place: 7
derives_from: [cheeger, "[[mixing|Mixing]]"]
contradicts: rrf
superseded_by: [[new]]
---
# Another title

Text.
"""


def links(text: str, read: ReadText, path: str = "note.md") -> list[tuple[str, str, int]]:
    found = read(text, path).links
    return [(link.relation, link.target, link.line) for link in found if link.relation != "occurred_in"]


def periods(text: str, read: ReadText, path: str = "note.md") -> dict[str, int]:
    return {link.target: link.line for link in read(text, path).links if link.relation == "occurred_in"}


def test_front_matter_says_what_a_document_is(read: ReadText) -> None:
    draft = read(FULL)

    assert (draft.title, draft.type, draft.tier, draft.status) == (
        "Spectral gaps",
        "plan",
        "wiki",
        "accepted",
    )
    assert draft.tags == ("theory", "graphs", "2024", "no")
    assert (str(draft.date), draft.date_source) == ("2025-11-03", "front matter")
    assert (draft.source_id, draft.source, draft.place) == ("gap-1", "book", 7)
    assert draft.notices == ()


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("A #plant in the #garden/compost-heap, and #plant.", ("plant", "garden/compost-heap")),
        ("#first on its line\n- #listed\n    - #deeper", ("first", "listed", "deeper")),
        ("#2026 and #y2026, #Größe, #a_b/ (#no) a#b c", ("y2026", "Größe", "a_b")),
        ("`#code` and ``#more`` but #text", ("text",)),
        ("```c\n#define X\n```\n#after", ("after",)),
        ("    #include <x>\n", ()),
        ("# Heading\n\n## Another\n\n[a](#b) [[c#d]] https://x.org/#e", ()),
    ],
)
def test_tags_stand_in_the_text_too(text: str, tags: tuple[str, ...], read: ReadText) -> None:
    assert read(text).tags == tags
    assert read(f"---\ntags: [own]\n---\n{text}").tags == ("own", *tags)


def test_the_body_is_the_whole_file_and_front_matter_belongs_to_no_chunk(read: ReadText) -> None:
    draft = read(FULL)
    (chunk,) = draft.chunks

    assert draft.body == FULL
    assert draft.body[chunk.start_char : chunk.end_char] == "# Another title\n\nText."
    assert (chunk.start_line, chunk.heading) == (15, "Another title")


def test_front_matter_names_documents_in_lists_strings_and_brackets(read: ReadText) -> None:
    stated = [
        link for link in read(FULL).links if link.origin == "front matter" and link.relation != "occurred_in"
    ]

    assert stated == [
        LinkDraft("derives_from", "cheeger", 0, "front matter"),
        LinkDraft("derives_from", "mixing", 0, "front matter"),
        LinkDraft("contradicts", "rrf", 0, "front matter"),
        LinkDraft("superseded_by", "new", 0, "front matter"),
    ]


def test_an_unknown_tier_is_said(read: ReadText) -> None:
    draft = read("---\ntier: gold\n---\nText.")

    assert draft.tier == "doc"
    assert draft.notices == ("front matter: there is no tier 'gold', only doc, raw, reflection, wiki",)


@pytest.mark.parametrize(
    ("text", "title", "titled"),
    [
        ("## Second\n# First `code` [[x|y]]\n", "First code y", True),
        ("## Only\n### Deeper\n", "note", False),
        ("Setext\nin *two* lines\n======\n", "Setext in two lines", True),
        ("# With <b>markup</b> &amp; more #\n", "With markup & more", True),
        ("```\n# No heading\n```\n> # Quoted\n", "note", False),
        ("#\n\nText.", "note", False),
    ],
)
def test_without_front_matter_the_first_heading_is_the_title(
    read: ReadText, text: str, title: str, titled: bool
) -> None:
    draft = read(text)

    assert (draft.title, draft.titled) == (title, titled)


def test_wikilinks_are_stems_without_label_and_heading(read: ReadText) -> None:
    text = (
        "[[stem]] and [[folder/page|label]]\n[[other#heading]] ![[embedded]] [[#here]]\n"
        "| [[cell\\|c]] |\n|-|\n"
    )

    assert links(text, read) == [
        ("links_to", "stem", 1),
        ("links_to", "folder/page", 1),
        ("links_to", "other", 2),
        ("links_to", "embedded", 2),
        ("links_to", "cell", 3),
    ]


def test_markdown_links_are_paths_from_the_root(read: ReadText) -> None:
    text = "[a](b.md) [b](../c%20d.md#part) [c](./x/../y.md?z) [d](/top.md) [e][ref]\n\n[ref]: sub/f.md 'T'\n"

    assert [target for _, target, _ in links(text, read, "notes/deep/n.md")] == [
        "notes/deep/b.md", "notes/c d.md", "notes/deep/y.md", "top.md", "notes/deep/sub/f.md",
    ]  # fmt: skip


def test_links_to_the_web_to_the_page_itself_and_to_pictures_are_none(read: ReadText) -> None:
    text = (
        "[a](https://x.y/z.md) [b](#part) <me@x.y> <http://x.y> [c](mailto:a@b) ![d](e.md) [f](g.PNG) "
        "[h](//x/y) []()"
    )

    assert links(text, read) == []


@pytest.mark.parametrize("name", ["a.ogg", "talk.m4a", "a.FLAC", "a.mkv", "a.avif", "a.mp3#t=30"])
def test_sounds_and_films_that_are_embedded_are_no_links(read: ReadText, name: str) -> None:
    assert not read(f"![[{name}]] ![a]({name})\n").links


def test_typed_links_keep_their_relation(read: ReadText) -> None:
    text = (
        "- builds_on:: [[a]], [[b]]\n* tensions:: [c](c.md)\n1. superseded_by:: [[d]]\n\n"
        "  - post_mortem:: see [[e]]\n- other:: [[f]]\n- about builds_on:: [[g]]\n"
    )

    assert links(text, read) == [
        ("builds_on", "a", 1), ("builds_on", "b", 1), ("tensions", "c.md", 2), ("superseded_by", "d", 3),
        ("post_mortem", "e", 5), ("links_to", "f", 6), ("links_to", "g", 7),
    ]  # fmt: skip


def test_nothing_in_code_is_a_link(read: ReadText) -> None:
    text = (
        "`[[a]]` ``[b](b.md)``\n\n```\n[[c]]\n- builds_on:: [[d]]\n```\n\n    [[e]]\n\n"
        "> ~~~\n> [[f]]\n> ~~~\n\n[[g]]\n"
    )

    assert links(text, read) == [("links_to", "g", 14)]


def test_lines_of_links_count_from_the_top_of_the_file(read: ReadText) -> None:
    assert links("---\ntitle: Ü\n---\n\nÜber\r\n[[a]]\n", read) == [("links_to", "a", 6)]


def test_a_link_written_twice_is_one_link_at_its_first_line(read: ReadText) -> None:
    assert links("[[b]]\n[[a]]\n[[b]]\n- builds_on:: [[b]]\n", read) == [
        ("links_to", "b", 1),
        ("links_to", "a", 2),
        ("builds_on", "b", 4),
    ]


def test_periods_come_from_front_matter_file_name_and_text(read: ReadText) -> None:
    text = "---\ndate: 2026-01-05\n---\nMet on 14 March 2026.\nAgain in Q4 2025.\n"

    assert periods(text, read, "2025-07-01 plan.md") == {
        "month:2026-01": 0, "quarter:2026-Q1": 0, "month:2025-07": 0, "quarter:2025-Q3": 0,
        "month:2026-03": 4, "quarter:2025-Q4": 5,
    }  # fmt: skip


def test_the_time_of_the_last_change_is_a_date_but_no_statement(read: ReadText) -> None:
    draft = read("Text.", mtime_ns=1_767_312_000 * 10**9)

    assert (str(draft.date), draft.date_source) == ("2026-01-02", "modified")
    assert draft.links == ()


def test_a_text_without_a_file_is_called_by_its_heading_or_its_first_words(reading: Reading) -> None:
    assert reading.text("# Head\nText", path="text/1").title == "Head"
    assert reading.text("A thought", path="text/1", title="T").title == "T"
    thought = reading.text("word " * 100, path="text/20260101")
    assert (thought.title, thought.titled, thought.date, thought.path) == (
        "word " * 11 + "word…",
        False,
        None,
        "text/20260101",
    )


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
