"""Front matter as people and programs write it (I8), and days, months and quarters in texts."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.dates import stamps as dates
from ark_tui.domain.dates.text import periods
from ark_tui.ingest import frontmatter
from tests.ingest.conftest import ReadText


@pytest.mark.parametrize(
    "entry",
    ["path: `C:\\agent\\run`", "title: *Heron*", "description: rules (A/B): read", "related:\n- [[star]]s"],
)
def test_an_entry_that_is_no_yaml_costs_no_other_entry(entry: str) -> None:
    front = frontmatter.read(f"---\n{entry}\nstatus: open\ntags: [birds, water]\n---\nText.")

    assert (front.text("status"), front.tags(), front.broken) == ("open", ("birds", "water"), False)
    assert len(front.values) == 3


def test_keys_are_found_in_any_case(read: ReadText) -> None:
    draft = read("---\nTitle: Upper\nTAGS: [a]\nAliases: [b]\nDate: 2019-03-14\nStatus: open\n---\nText.")

    assert (draft.title, draft.tags, draft.aliases, draft.status) == ("Upper", ("a",), ("b",), "open")
    assert str(draft.date) == "2019-03-14"


@pytest.mark.parametrize(
    "written",
    [
        "tags: a, b",
        "tags: a b",
        "tags: [a, b, a, '', null]",
        "tags:\n  - a\n  - b",
        "tag: '#a, #b'",
        "tags: [[a], {c: d}, b]",
    ],
)
def test_tags_are_lists_by_comma_blank_or_line(written: str) -> None:
    assert frontmatter.read(f"---\n{written}\n---\nText.").tags() == ("a", "b")


def test_a_second_block_is_read_and_is_no_text(read: ReadText) -> None:
    draft = read("---\npermalink: x/y\n---\n\n---\ntitle: Double\ntags: [a]\n---\n\nText.")

    assert (draft.title, draft.tags) == ("Double", ("a",))
    assert dict(draft.fields)["permalink"] == "x/y"
    assert [draft.body[one.start_char : one.end_char] for one in draft.chunks] == ["Text."]


def test_a_rule_behind_the_block_is_text(read: ReadText) -> None:
    assert read("---\ntitle: A\n---\n---\nText.").chunks[0].start_line == 4


def test_a_file_of_front_matter_alone_is_its_text(read: ReadText) -> None:
    draft = read("---\ntitle: Kiwi\naliases: [apteryx]\n---\n")

    assert draft.title == "Kiwi"
    assert "apteryx" in draft.body[draft.chunks[0].start_char : draft.chunks[0].end_char]


def test_toml_between_plus_signs_is_read(read: ReadText) -> None:
    draft = read('+++\ntitle = "Hugo"\ntags = ["a", "b"]\ndate = 2020-01-02\n+++\nText.')

    assert (draft.title, draft.tags, str(draft.date)) == ("Hugo", ("a", "b"), "2020-01-02")


def test_logseq_properties_are_read(read: ReadText) -> None:
    draft = read("title:: A page\ntags:: a, b\n\n- Text.")

    assert (draft.title, draft.tags) == ("A page", ("a", "b"))


def test_dataview_fields_in_the_text_are_fields_but_none_in_code(read: ReadText) -> None:
    draft = read(
        "Text.\n\nrating:: 5\n\nDue [due:: 2020-01-01].\n\n```\ncode:: no\n```\n\n- builds_on:: [[x]]\n"
    )

    assert draft.fields == (("rating", "5"), ("due", "2020-01-01"))
    assert list(frontmatter.inline("std::vector", 0)) == []


def test_created_is_a_date_where_no_date_is_stated(read: ReadText) -> None:
    assert str(read("---\ncreated: 2020-01-02\n---\nText.").date) == "2020-01-02"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("---\ndescription: About kiwis.\n---\n", "About kiwis."),
        ("---\nSummary: 'About: kiwis.'\ntags: [a]\n---\n", "About: kiwis."),
        ("---\nsummary: >-\n  About\n  kiwis.\ntags: [a]\n---\n", "About\n  kiwis."),
        ('+++\ndescription = "About kiwis."\n+++\n', "About kiwis."),
        ("description:: About kiwis.\n", "About kiwis."),
    ],
)
def test_a_description_or_summary_is_a_chunk_of_its_own(read: ReadText, written: str, text: str) -> None:
    draft = read(f"{written}Text.")

    assert [draft.body[one.start_char : one.end_char] for one in draft.chunks] == [text, "Text."]


@pytest.mark.parametrize("written", ["description:", "description: ''", "summary: null", "descriptions: x"])
def test_an_empty_description_is_no_chunk(read: ReadText, written: str) -> None:
    assert len(read(f"---\n{written}\ntags: [a]\n---\nText.").chunks) == 1


DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))


@pytest.mark.parametrize(
    "text",
    [
        *("2026-03-14", "2026/3/14", "2026.03.14", "2026-03-14T10:00:00Z", "on 2026-03-14, late", "20260314"),
        *("14 March 2026", "14 Mar. 2026", "March 14th, 2026", "Mar 14 2026", "the 14th of March 2026"),
        *("14. März 2026", "2026年3月14日", "1:56 pm on 14 March, 2026"),
    ],
)
def test_days_are_read_as_people_write_them(text: str) -> None:
    assert dates.parse(text) == date(2026, 3, 14)


@pytest.mark.parametrize(
    "text", ["2026-03", "March 2026", "mar 2026", "3. 2026-03", "März 2026", "2026年3月"]
)
def test_months_are_periods_and_as_dates_their_first_day(text: str) -> None:
    assert dates.parse(text) == date(2026, 3, 1)
    assert [p.nodes for p in periods(text)] == [("month:2026-03", "quarter:2026-Q1")]


@pytest.mark.parametrize("text", ["Q3 2026", "2026-Q3", "2026 Q3", "2026Q3", "q3/2026"])
def test_quarters_are_periods(text: str) -> None:
    assert [p.nodes for p in periods(text)] == [("quarter:2026-Q3",)]
    assert dates.parse(text) == date(2026, 7, 1)


@pytest.mark.parametrize(
    "text",
    [
        "2026", "in 1999.", "port 2024-", "12026-03", "2026-13", "2026-00-01", "2026-02-30", "Maybe 2026",
        "0.2026-03", "",
    ],
)  # fmt: skip
def test_what_names_no_month_is_no_period(text: str) -> None:
    assert list(periods(text)) == []


@given(
    day=DAYS, form=st.sampled_from(["%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y", "%d. %b %Y", "%Y%m%d"])
)
def test_every_day_in_every_form_is_that_day(day: date, form: str) -> None:
    assert dates.parse(f"x {day.strftime(form)} y") == day


@pytest.mark.parametrize(
    ("given_", "name", "modified", "expected"),
    [
        (date(2026, 1, 1), "2025-05-05", date(2024, 1, 1), (date(2026, 1, 1), "front matter")),
        (None, "2025_05_05_notes", date(2024, 1, 1), (date(2025, 5, 5), "file name")),
        (None, "20250505-notes", None, (date(2025, 5, 5), "file name")),
        (None, "2025-05", None, (date(2025, 5, 1), "file name")),
        (None, "IMG_20250505_1", None, (date(2025, 5, 5), "file name")),
        (None, "notes 2025", date(2024, 1, 1), (date(2024, 1, 1), "modified")),
        (None, "notes", None, (None, "none")),
    ],
)
def test_front_matter_comes_before_file_name_before_last_change(
    given_: date | None, name: str, modified: date | None, expected: tuple[date | None, str]
) -> None:
    assert dates.own_date(given_, name, modified) == expected
