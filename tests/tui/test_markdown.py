"""Markdown as rows: what is drawn, where each letter of it stands in the document, and within which width."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from ark_tui.domain.display import visible
from ark_tui.domain.documents import Document, Passage
from ark_tui.domain.plain import plain
from ark_tui.interfaces.tui.reading.markdown import LONGEST
from ark_tui.interfaces.tui.reading.page import Form, Page
from ark_tui.interfaces.tui.reading.sheet import Sheet
from ark_tui.interfaces.tui.reading.text import TAB, Piece


def page(text: str, path: str = "note.md") -> Page:
    lines = text.count("\n") + 1
    return Page(Passage(Document("0" * 16, "notes", path, "A note"), text, 1, lines, lines, file=f"/{path}"))


def rows(text: str, width: int = 60, form: Form = "rendered") -> list[str]:
    return shown(page(text).sheet(form, width))


def shown(sheet: Sheet) -> list[str]:
    return [
        "".join(piece.text for piece in sheet.pieces(row)).replace("\t", TAB).rstrip()
        for row in range(len(sheet))
    ]


def styles(text: str) -> dict[str, tuple[str, ...]]:
    sheet = page(text).sheet("rendered", 60)
    return {piece.text: piece.styles for row in range(len(sheet)) for piece in sheet.pieces(row)}


# -- what is drawn -----------------------------------------------------------------------------------


def test_lists_keep_their_levels_and_what_is_folded_stands_below_its_beginning() -> None:
    assert rows("- one two three\n  - four\n1. five\n10. six\n", 11) == [
        "• one two", "  three", "  ◦ four", "1. five", "2. six",
    ]  # fmt: skip


def test_tasks_have_boxes() -> None:
    assert rows("- [ ] open\n- [x] done\n\n  more\n\n1. [x] first\n") == [
        "☐ open", "☑ done", "", "  more", "", "1. ☑ first",
    ]  # fmt: skip


def test_quotes_have_a_bar_on_every_row() -> None:
    assert rows("> one two three\n>\n> > four\n", 10) == ["▌ one two", "▌ three", "▌", "▌ ▌ four"]


def test_a_table_with_more_columns_than_there_is_room_for_is_told_row_by_row() -> None:
    names = [f"name{n}" for n in range(6)]
    text = f"|{'|'.join(names)}|\n{'|---' * 6}|\n|{'|'.join('abcdef')}|\n|{'|'.join('ghijkl')}|\n"
    assert rows(text, 24)[:8] == [
        "name0: a", "name1: b", "name2: c", "name3: d", "name4: e", "name5: f", "─" * 12, "name0: g",
    ]  # fmt: skip


@pytest.mark.parametrize(("columns", "width"), [(4, 60), (30, 60)])
def test_a_place_in_a_table_is_in_the_row_that_says_it_however_the_table_is_told(
    columns: int, width: int
) -> None:
    line = "|".join(["", *(f" c{{0}}x{column} a cell of some words " for column in range(columns)), ""])
    text = "\n".join([line.format("h"), "|-" * columns + "|", line.format(1), line.format(2), "", "After."])
    sheet = page(text).sheet("rendered", width)
    drawn = shown(sheet)
    for row in (1, 2):
        for column in range(columns):
            assert f"c{row}x{column}" in drawn[sheet.row_of(text.index(f"c{row}x{column} "))]


HTML = """<a id="x"></a>

# Ti<b>t</b>le

<!-- a

comment -->

<div align="center">
said
</div>

x<br>y
"""


def test_tags_and_comments_of_html_are_left_out_and_its_text_is_shown_where_it_stands() -> None:
    assert rows(HTML, 8) == ["Title", "━" * 8, "said", "", "x", "y"]
    assert_true_to(HTML, 20)


def test_a_callout_of_obsidian_says_its_kind_and_title() -> None:
    assert rows("> [!info] Mind this\n> The gap.\n") == ["▌ Info Mind this", "▌ The gap."]


def test_front_matter_is_one_row_of_its_fields_without_the_title() -> None:
    front = "---\ntitle: x\ntier: wiki\ntags:\n  - graphs\n- theory\nrated: [4, 5]\nempty:\n---\n"
    assert rows(f"{front}\nText.\n") == [
        "tier wiki · tags graphs, theory · rated [4, 5] · empty",
        "",
        "Text.",
    ]
    assert rows(f"{front}\nText.\n", 30) == ["tier wiki · tags graphs, …", "", "Text."]


def test_a_place_in_front_matter_is_in_its_row() -> None:
    text = "---\ntier: wiki\ntags: [a, b]\n---\n\nText.\n"
    sheet = page(text).sheet("rendered", 60)
    assert [sheet.row_of(text.index(word)) for word in ("wiki", "a, b", "Text")] == [0, 0, 2]


def test_pictures_footnotes_and_breaks_have_their_signs() -> None:
    assert rows("![a b](p.png) x[^1]\\\ny<br>z\n\n---\n\n[^1]: The note.\n", 10) == [
        "▣ a b x[1]", "y", "z", "", "─" * 10, "", "[1] The", "    note.",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "\n", "---\n", "#", "- ", "> ", "```", "|", "[^1]:", "\r\n\r\n"])
def test_nearly_nothing_is_drawn_as_well(text: str) -> None:
    assert_true_to(text, 10)


def test_windows_line_ends_are_line_ends() -> None:
    assert rows("# A\r\n\r\n- b\r\n- c\r\n\r\n```\r\nd\r\ne\r\n```\r\n", 8) == [
        "A", "━" * 8, "• b", "• c", "", "▏ d", "▏ e",
    ]  # fmt: skip


# -- where it stands ---------------------------------------------------------------------------------


def assert_true_to(text: str, width: int, form: Form = "rendered") -> None:
    """What is said to be letter by letter is so, rows fit, and places never go down."""
    one = page(text)
    sheet = one.sheet(form, width)
    before = 0
    for row in range(len(sheet)):
        place = sheet.place(row)
        assert before <= place <= len(text)
        before = place
        pieces = sheet.pieces(row)
        for piece in pieces:
            if piece.verbatim:
                assert one.text[piece.source :].startswith(piece.text) or _on_one_line(one, piece)
        drawn = "".join(piece.text for piece in pieces).replace("\t", TAB).rstrip()
        assert cell_len(drawn) <= max(8, width) + 1, drawn  # a wide letter may not fit a half


def _on_one_line(one: Page, piece: Piece) -> bool:
    """A tag over several lines is drawn in one."""
    return one.text[piece.source :].replace("\n", " ").startswith(piece.text)


WORDS = [
    "word ", "Wörter ", "中文", "🙂", "é", "\xa0", "\u200b", "[/b]", "&amp;", "\\", "http://a.b", "<x@y.z>",
]  # fmt: skip
SIGNS = [*"*_`[]|#", "**", "~~", "``", "[[", "]]", "](", "![", "<b>", "</b>", "<br>", "<!--", "-->", "[^1]"]
LINES = [
    "```py\n", "~~~", "\n", "\n\n", "|a|b|\n", "|---|--:|\n", "[^1]: ", "[r]: /u\n", "---\n", "===\n",
    "\r\n",
]  # fmt: skip
OPENERS = ("# ", "## ", "- ", "1. ", "- [x] ", "> ", "    ", "\t", "- builds_on:: [[x]]\n")
MARKED_UP = st.lists(st.sampled_from([*WORDS, *SIGNS, *LINES, *OPENERS]), max_size=40).map("".join)


@settings(max_examples=300)
@given(MARKED_UP, st.sampled_from([8, 20, 76]))
@example("|a|b|\n|---|--:|\nword word word \tword ", 20)
def test_every_letter_that_is_drawn_stands_where_it_is_said_to_stand(text: str, width: int) -> None:
    assert_true_to(visible(text), width)
    assert_true_to(visible(text), width, "raw")


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(["alpha", "beta", "*gamma*", "- delta", "> eps", "# zeta", "`eta`"]), min_size=1)
)
def test_every_word_of_a_document_is_drawn(lines: list[str]) -> None:
    text = "\n\n".join(lines)
    drawn = " ".join(rows(text, 20))
    for line in lines:
        assert line.strip("*-># `") in drawn


def test_links_are_known_with_their_place_and_where_they_lead() -> None:
    text = "See [[wiki note]], [words](path/to.md#part) and [[a|b]]; `[[not]]` one.\n"
    found = page(text).built.links
    assert [(link.label, link.target, link.wiki) for link in found] == [
        ("wiki note", "wiki note", True), ("words", "path/to.md#part", False), ("b", "a", True),
    ]  # fmt: skip
    assert text[found[1].start : found[1].end] == "[words](path/to.md#part)"
    assert text[slice(*found[1].shown)] == "words"
    assert page(text).link_at(text.index("words")) == 1
    assert page(text).link_at(0) == -1


def test_headings_are_found_by_what_they_say_and_by_their_address() -> None:
    one = page("# One *two*\n\n## Wo es, hakt!\n")
    assert [(heading.level, heading.text) for heading in one.built.headings] == [
        (1, "One two"), (2, "Wo es, hakt!"),
    ]  # fmt: skip
    assert one.heading("wo-es-hakt") == one.heading("Wo es, hakt!") == one.built.headings[1]
    assert one.heading("nowhere") is None


# -- long and hostile --------------------------------------------------------------------------------


def test_a_line_beyond_what_people_write_is_text_and_nothing_else() -> None:
    line = "*a* [b](c) " * (LONGEST // 5)
    one = page(f"# Title\n\n{line}\n")
    assert one.built.links == ()
    assert (
        line.strip() in "".join(shown(one.sheet("rendered", 80))[2:]).replace("  ", " ")
        or "*a* [b](c)" in shown(one.sheet("rendered", 80))[2]
    )


def test_code_gets_its_inks_and_keeps_its_letters() -> None:
    text = "> ```python\n> def f():\n>     return 'x'  # why\n> ```\n"
    one = page(text)
    sheet = one.sheet("rendered", 60)
    found = {piece.text.strip(): piece.styles for row in range(len(sheet)) for piece in sheet.pieces(row)}
    assert found["def"] == found["return"] == ("code-keyword",)
    assert found["f"] == ("code-name",)
    assert found["'x'"] == ("code-string",)
    assert found["# why"] == ("code-comment",)
    for row in range(len(sheet)):
        for piece in sheet.pieces(row):
            assert not piece.verbatim or text[piece.source : piece.source + len(piece.text)] == piece.text


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("Example: run it\n```", "Example: run it\n"),
        ("Run\n```python\nit()\n```\nand go", "Run\nit()\nand go"),
        ("~~~\nit\n~~~", "it\n"),
        ("```inline``` is no fence", "inline is no fence"),
    ],
)
def test_a_line_of_a_document_in_a_list_has_no_fences_of_code(text: str, reads: str) -> None:
    assert plain(text)[0] == reads
    begin = text.index("it") if "it" in text else 0
    if begin:
        left, ((start, end),) = plain(text, [(begin, begin + 2)])
        assert left[start:end] == "it"


def test_in_a_wide_window_prose_has_rows_that_one_can_come_back_from_and_code_and_tables_have_all_of_it() -> (
    None
):
    prose, code, cell = "word " * 60, "c" * 150, "cell " * 28
    written = f"{prose}\n\n- {prose}\n\n```\n{code}\n```\n\n| {cell} | b |\n|---|---|\n| {cell} | d |\n"
    widths = [cell_len(row.rstrip()) for row in rows(written, 180) if "word" in row]
    assert 90 < max(widths) <= 104
    assert any(code in row for row in rows(written, 180))
    assert any(cell_len(row.rstrip()) > 120 for row in rows(written, 180) if "cell" in row)
