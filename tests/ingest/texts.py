"""Measures, files and random texts for the tests of ingest."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import strategies as st

from ark_tui.ingest.chunk.pack import Ruler


def words(text: str) -> Ruler:
    """A measure that a reader can follow: a word with the blank space behind it is a token."""
    units = re.findall(r"\s*\S+\s*|\s+", text)
    return Ruler(map(len, units), (1 for _ in units))


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


LINES = st.one_of(
    st.sampled_from(
        [
            "",
            "",
            "# Top",
            "## Part one",
            "### Deep `code` in it",
            "#no heading",
            "Setext",
            "=====",
            "```python",
            "```",
            "~~~",
            "> quoted",
            "> ```",
            "- item [[link]]",
            "  - deeper",
            "    indented = 1",
            "| a | b |",
            "|---|---|",
            "---",
            "[ref]: ./other.md",
            "<div>",
            "日本語のテキストです。これは長い文です。",
            "e\u0301 🙂🏽 \u200b \ufeff",
            "\ttab\r",
            "x" * 90,
            "\u00a0",
            "\x0c",
            "\u2028",
        ]
    ),
    st.lists(st.sampled_from(["one", "two.", "three,", "Über", "$1 =", "[[a|b]]", "`c`"]), max_size=60).map(
        " ".join
    ),
    st.text(max_size=30),
)
TEXTS = st.lists(LINES, max_size=40).map("\n".join)
