"""The library: documents listed page by page, in an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Order = Literal["title", "date", "path"]
ORDERS: tuple[Order, ...] = ("title", "date", "path")


@dataclass(frozen=True, slots=True)
class Listing:
    """Which documents, in which order: pinned ones first; by date the newest first."""

    collection: str = ""  # empty: of all of them
    words: str = ""  # each of which is in the title, the path or a tag
    order: Order = "title"
