"""Times in queries: what people write, as days (S6, S13)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.dates import stamps
from ark_tui.domain.dates.query import QueryPeriod, day, periods, without_relative
from ark_tui.retrieval import exclusion
from ark_tui.retrieval.query import only_times as only

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)  # a Saturday


@pytest.mark.parametrize(
    ("text", "first", "last", "grain"),
    [
        ("notes of 2026-03", "2026-03-01", "2026-03-31", "month"),
        ("March 2026", "2026-03-01", "2026-03-31", "month"),
        ("what happened in Q1 2026?", "2026-01-01", "2026-03-31", "quarter"),
        ("14 March 2026", "2026-03-14", "2026-03-14", "day"),
        ("on December 1,2023", "2023-12-01", "2023-12-01", "day"),
        ("in 1995", "1995-01-01", "1995-12-31", "year"),
        ("in 1860", "1860-01-01", "1860-12-31", "year"),
        ("from Jul 1877", "1877-07-01", "1877-07-31", "month"),
        ("the 1990s", "1990-01-01", "1999-12-31", "year"),
        ("summer 2021", "2021-06-01", "2021-08-31", "quarter"),
        ("from 2004 to 2005", "2004-01-01", "2005-12-31", "year"),
        ("between 2004 and March 2006", "2004-01-01", "2006-03-31", "month"),
        ("1998–2003", "1998-01-01", "2003-12-31", "year"),
        ("today", "2026-11-21", "2026-11-21", "day"),
        ("yesterday's meeting", "2026-11-20", "2026-11-20", "day"),
        ("the day before yesterday", "2026-11-19", "2026-11-19", "day"),
        ("last week", "2026-11-09", "2026-11-15", "day"),
        ("last month", "2026-10-01", "2026-10-31", "month"),
        ("last quarter", "2026-07-01", "2026-09-30", "quarter"),
        ("this year", "2026-01-01", "2026-12-31", "year"),
        ("two months ago", "2026-09-01", "2026-09-30", "month"),
        ("3 days ago", "2026-11-18", "2026-11-18", "day"),
        ("a couple of weeks ago", "2026-11-02", "2026-11-08", "day"),
        ("the past two weeks", "2026-11-07", "2026-11-21", "day"),
        ("last Friday", "2026-11-20", "2026-11-20", "day"),
        ("last Saturday", "2026-11-14", "2026-11-14", "day"),
        ("last December", "2025-12-01", "2025-12-31", "month"),
        ("last summer", "2026-06-01", "2026-08-31", "quarter"),
        ("last winter", "2025-12-01", "2026-02-28", "quarter"),
        ("letzte Woche", "2026-11-09", "2026-11-15", "day"),
        ("vor zwei Monaten", "2026-09-01", "2026-09-30", "month"),
    ],
)
def test_a_time_that_is_named_becomes_its_days(text: str, first: str, last: str, grain: str) -> None:
    found = periods(text, NOW)
    assert [(str(p.first), str(p.last), p.grain) for p in found] == [(first, last, grain)]


@pytest.mark.parametrize(
    "text",
    [
        "the march of progress", "what may happen", "sun and moon", "a day in the life", "1024 bytes",
        "1080p", "version 1.2024.3", "ISO 8601", "last but not least", "this algorithm", "0.2005", "",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert periods(text, NOW) == ()


def test_several_times_come_in_their_order_each_once() -> None:
    found = periods("May 2003, June 2004 and again May 2003", NOW)
    assert [p.text for p in found] == ["May 2003", "June 2004"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026", "2026-01-01"), ("2026-01", "2026-01-01"), ("2026-01-15", "2026-01-15"),
        ("Q2-2026", "2026-04-01"), ("2026-Q2", "2026-04-01"), ("yesterday", "2026-11-20"),
        ("last-week", "2026-11-09"), ("last-month", "2026-10-01"), ("last-year", "2025-01-01"),
        ("3-days", "2026-11-18"), ("2-months-ago", "2026-09-21"), ("march-2026", "2026-03-01"),
        ("14 March 2026", "2026-03-14"), ("1848", "1848-01-01"),
    ],
)  # fmt: skip
def test_a_filter_date_is_the_day_at_which_its_time_begins(value: str, expected: str) -> None:
    assert day(value, NOW) == date.fromisoformat(expected)


@pytest.mark.parametrize("value", ["", "soon", "2026-13", "2026-02-30", "0000", "9999-years", "last", "99"])
def test_what_is_no_date_is_none(value: str) -> None:
    assert day(value, NOW) is None


def test_months_are_counted_back_to_a_day_that_exists() -> None:
    assert day("1-month", datetime(2026, 3, 31, tzinfo=UTC)) == date(2026, 2, 28)


def phrases() -> Iterator[tuple[str, date, str]]:
    """Phrases with the day on which they are said and the days that they mean."""
    today = NOW.date()
    for line in (Path(__file__).parent / "times.tsv").read_text("utf-8").splitlines():
        if line.startswith("# now "):
            today = date.fromisoformat(line.removeprefix("# now "))
        elif not line.startswith("#"):
            phrase, _, means = line.partition("\t")
            yield phrase, today, means


def told(found: tuple[QueryPeriod, ...]) -> str:
    """Times as the table of phrases has them."""
    return "; ".join(map(_told, found))


def _told(one: QueryPeriod) -> str:
    first = "" if one.first == date.min else f"{one.first}"
    last = "" if one.last == date.max else f"{one.last}"
    return (first if first == last else f"{first}..{last}") + ("" if one.side == "in" else f" {one.side}")


def test_every_phrase_of_the_table_means_its_days() -> None:
    table = list(phrases())
    assert len(table) >= 300
    wrong = [
        f"{phrase}: {told(found)} and not {means}"
        for phrase, today, means in table
        if told(found := periods(phrase, datetime(today.year, today.month, today.day, tzinfo=UTC))) != means
    ]
    assert wrong == []


def test_a_text_that_was_pasted_is_no_question() -> None:
    pasted = "The minutes of last week, not about budgets. " * 60
    assert periods("last week", NOW)
    assert not periods(pasted, NOW)
    assert exclusion.split("notes on parsing, not about budgets")[1] == ("budgets",)
    assert exclusion.split(pasted) == (pasted, ())


def test_words_that_are_meant_literally_are_no_time() -> None:
    text = "notes of last week and of May 2025"
    assert [one.text for one in periods(text, NOW, literally=("last week",))] == ["May 2025"]
    assert without_relative(text, NOW, ("last week",)) == text


WORDS = st.sampled_from([
    "from", "2", "1999", "9999", "2026-02", "March", "Q3", "between", "and", "to", "-", "last", "this",
    "past", "ago", "vor", "days", "months", "year",
])  # fmt: skip


@given(
    st.text(max_size=60) | st.lists(WORDS, max_size=8).map(" ".join),
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)),  # noqa: DTZ001 - hypothesis wants them naive
)
def test_any_text_can_be_read_at_any_time_and_days_are_in_order(text: str, now: datetime) -> None:
    for period in periods(text, now):
        assert period.first <= period.last
        assert period.text in text
    day(text, now)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("backups last week", "backups"),
        ("the day before yesterday we met", "we met"),
        ("what broke two months ago and last year", "what broke and"),
        ("yesterday by the beatles", "yesterday by the beatles"),
        ("March 2026 review", "March 2026 review"),
        ("", ""),
    ],
)
def test_relative_times_of_several_words_can_be_taken_out(text: str, rest: str) -> None:
    assert " ".join(without_relative(text, NOW).split()) == rest


@pytest.mark.parametrize(
    ("text", "expected"),
    [("last week", True), ("what was in March 2026", True), ("the plan of 2026-03", False), ("what", False)],
)
def test_a_text_may_say_nothing_but_a_time(text: str, expected: bool) -> None:
    assert only(text, NOW) is expected


@pytest.mark.parametrize(
    "text",
    ["upgrade to 1.2.1", "host 192.168.1.1", "fix CVE-2024-1234", "see section 3.2.1", "v2.0.24-rc1",
     "a bill of $2024", "release 10.4.1.2"],
)  # fmt: skip
def test_versions_addresses_ids_sections_and_amounts_are_no_times(text: str) -> None:
    assert periods(text, NOW) == ()
    assert stamps.named(text.replace("$2024", "")) == []


@pytest.mark.parametrize(
    "text", ["third quarter of 2025", "Q3 2025", "3. Quartal 2025", "im dritten Quartal 2025"]
)
def test_quarters_in_words_are_read_in_queries_and_in_texts(text: str) -> None:
    (found,) = periods(text, NOW)
    assert (found.first, found.last) == (date(2025, 7, 1), date(2025, 9, 30))
    assert "q2025-3" in stamps.named(text)
