"""Parameters shared by operations, with the same limits everywhere."""

from __future__ import annotations

from typing import Annotated

from ark_tui.domain.documents import Tier
from ark_tui.domain.principal import Owned
from ark_tui.operations.operation import Param

LONGEST_NAME = 200
LONGEST_LINE = 10_000

Text = Annotated[str, Param(least=1)]
"""A text of any length."""

Line = Annotated[str, Param(least=1, most=LONGEST_LINE)]
"""A one-line text, such as a query."""

Name = Annotated[str, Param(least=1, most=LONGEST_NAME)]
"""A name, a tag, an id."""

Query = Annotated[
    Line, Param("What to look for, in words.", example="spectral gap", argument=True, words=True)
]

Ref = Annotated[
    Line,
    Param(
        "A document: its id, path, file name, or @1 for the first hit of the last search.",
        example="#3fa9c1", metavar="REF", argument=True,
    ),
]  # fmt: skip

Refs = Annotated[
    tuple[Line, ...],
    Param(
        "Documents: ids, paths, file names, or @1 for the first hit of the last search.",
        example=("#3fa9c1",), metavar="REF", argument=True,
    ),
]  # fmt: skip

Tags = Annotated[
    tuple[Name, ...],
    Param("Its tags.", example=("theory",), metavar="TAG", option="--tag"),
]

ItemId = Annotated[Line, Param("An item, by its id.", example="#3fa9c1", metavar="ID", argument=True)]
TierName = Annotated[Tier, Param("How much to trust it; only a person can set wiki.")]
Agent = Annotated[
    str, Param("Only what this agent sees: its own and shared items; ALL is everybody.", example="claude",
               most=LONGEST_NAME, metavar="NAME"),
]  # fmt: skip
Owner = Annotated[Owned | None, Param("Who sees it.")]
Retired = Annotated[bool, Param("Include retired ones.", example=True)]

Count = Annotated[int, Param(least=0, most=10**15)]
Whole = Annotated[int, Param(least=-(10**15), most=10**15)]
Number = Annotated[int, Param(least=0, most=2**31 - 1)]
"""A non-negative 32-bit number: an id or an offset."""

Cluster = Annotated[
    str,
    Param(
        "Let workers of Ray read and chunk: local, local:N or ray://HOST:10001.",
        example="local:4", metavar="CLUSTER", personal=True,
    ),
]  # fmt: skip

Limit = Annotated[int, Param("How many at most, 1 to 1,000.", example=10, least=1, most=1000, short="-n")]
Page = Annotated[
    int, Param("How many at most, 0 to 1,000; 0 only counts.", example=50, least=0, most=1000, short="-n")
]
Offset = Annotated[Number, Param("How many to skip, from 0.", example=0)]
Reason = Annotated[str, Param("Why; it is kept.", example="out of date", metavar="TEXT")]
