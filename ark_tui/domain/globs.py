"""Glob patterns as regular expressions without exponential backtracking."""

from __future__ import annotations

import re

MOST_FOLDERS = 4  # maximum number of `**` in a pattern; each is tried against every folder of a path

_STAR = r"\[\^/\]\*"
_PLAIN = r"(?:[^\\()\[\]|?*+{}.^$]|\\.|\[(?!\^/\]\*)\^?[^\]\\]+\])"
_SETTLED = re.compile(rf"{_STAR}({_PLAIN}*)(?={_STAR})")


def linear(regex: str) -> str:
    """Make each `*` except the last of a name match lazily, without backtracking.

    The first match of the text after a `*` is always sufficient, since the next `*` matches the rest. With
    backtracking, ten stars and a long name would take years.
    """
    return _SETTLED.sub(r"(?>[^/]*?\1)", regex)
