"""Words of the command line that mean one operation or another, by what is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Meant:
    """What a word means: the operation at the number of arguments that are given, the last for more.

    `about` says so; `flag`, which the help calls `flagged`, means the last one. The first is asked with what
    is `fixed`.
    """

    names: tuple[str, ...]
    about: str = ""
    flag: str = ""
    flagged: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)


LINES = {
    "pin": Meant(
        ("documents list", "pin"), "Without a REF, the pinned ones are listed.",
        fixed={"pinned": True, "limit": 1000},
    ),
    "trash": Meant(
        ("documents list", "trash"), "Without a REF, the trash is listed.",
        fixed={"trashed": True, "limit": 1000},
    ),
    "queue": Meant(
        ("queue list", "queue show", "queue decide"),
        "`ark-tui queue ITEM` shows one of them, `ark-tui queue ITEM KEY` decides it.",
    ),
    "judge": Meant(
        ("judgments", "judgments", "judge"), "Without a REF, judgments are listed, of a query or of all."
    ),
    "undo": Meant(
        ("undo", "edits"), flag="--list", flagged="Undo nothing; list the last edits, the newest first."
    ),
}  # fmt: skip
