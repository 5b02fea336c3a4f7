"""Dates in text, file names and front matter (I14)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.dates import stamps as dates
from ark_tui.domain.dates.text import periods

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
        "2026",
        "in 1999.",
        "port 2024-",
        "12026-03",
        "2026-13",
        "2026-00-01",
        "2026-02-30",
        "Maybe 2026",
        "0.2026-03",
        "",
    ],
)
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
