"""Times as terms: the years, months and days that a text names, and those of its own date.

A chunk of 14 March 2026 has `y2026`, `m2026-03` and `d2026-03-14`; one that names only 1995 has `y1995`.
"""

from __future__ import annotations

import re
from datetime import date

YEAR = re.compile(r"(?<![\d.,])(1[0-9]\d\d|20\d\d)(?![\d.,]\d|\d)")


def named(text: str) -> list[str]:
    """The years that a text names."""
    return [f"y{year}" for year in dict.fromkeys(YEAR.findall(text))]


def of_day(day: date) -> list[str]:
    """A day, with the month and the year it lies in."""
    return [f"y{day.year}", f"m{day:%Y-%m}", f"d{day:%Y-%m-%d}"]
