"""File name patterns with `*`, as regular expressions that take no longer the more stars they have."""

from __future__ import annotations

import re

MOST_FOLDERS = 4  # times that `**` may stand in a pattern: each is tried against every folder of a path

_STAR = r"\[\^/\]\*"
_PLAIN = r"(?:[^\\()\[\]|?*+{}.^$]|\\.|\[(?!\^/\]\*)\^?[^\]\\]+\])"
_SETTLED = re.compile(rf"{_STAR}({_PLAIN}*)(?={_STAR})")


def linear(regex: str) -> str:
    """The same, with each `*` but the last of a name settled at the first place where what follows it fits.

    That is always right, for the next `*` takes whatever is left; tried everywhere, ten stars and a long
    name would take years.
    """
    return _SETTLED.sub(r"(?>[^/]*?\1)", regex)
