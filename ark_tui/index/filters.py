"""Filters that both indexes must understand alike."""

from __future__ import annotations

import re

WILDCARDS = {"*": "[^/]*", "?": "[^/]"}


def path_pattern(wanted: str) -> str:
    """A regular expression over a whole path, in the common subset of tantivy's and Python's.

    `docs/` and `docs` match a folder or file of that name anywhere; `a/b` a run of them; `*` and `?` match
    within one name; `**` across names.
    """
    parts = re.split(r"(\*\*|\*|\?)", wanted.strip("/"))
    inner = "".join(".*" if part == "**" else WILDCARDS.get(part) or _quote(part) for part in parts)
    return f"(.*/)?{inner}(/.*)?"


def _quote(text: str) -> str:
    return re.sub(r"([.+^$(){}\[\]|\\])", r"\\\1", text)
