"""Completion of what documents say, as it is typed: tags, types and collections, the most frequent first.

What would complete the text stands behind it, and `→` takes it.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING

from textual.suggester import Suggester

from ark_tui import operations
from ark_tui.domain.errors import ArkError

if TYPE_CHECKING:
    from ark_tui.domain.query import Kind
    from ark_tui.interfaces.tui.state.client import Client

IN_QUERY = re.compile(r"(?:^|[\s(])-?(?P<key>tag|type|in):(?P<begun>[^\s\"“„]+)$", re.IGNORECASE)
IN_TAGS = re.compile(r"(?:^|,)\s*-?(?P<begun>[^,\s-][^,]*)$")
KINDS: dict[str, Kind] = {"tag": "tag", "type": "type", "in": "collection"}
FRESH = 5.0  # seconds for which values are not asked for again


class Completing(Suggester):
    """Completes the last value of a query line, or of a list of tags."""

    def __init__(self, client: Client, begun: re.Pattern[str] = IN_QUERY) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._client = client
        self._begun = begun
        self._known: dict[Kind, tuple[float, tuple[str, ...]]] = {}

    async def get_suggestion(self, value: str) -> str | None:
        found = self._begun.search(value)
        if found is None:
            return None
        kind = KINDS[found.groupdict().get("key", "tag").lower()]
        begun = found["begun"]
        for name in await self._values(kind):
            if len(name) > len(begun) and name.casefold().startswith(begun.casefold()) and " " not in name:
                return value + name[len(begun) :]
        return None

    async def _values(self, kind: Kind) -> tuple[str, ...]:
        asked, values = self._known.get(kind, (-FRESH, ()))
        if time.monotonic() - asked > FRESH:
            try:
                values = await asyncio.to_thread(self._client.call, operations.workbench.values, kind)
            except ArkError:
                return ()  # of a home that cannot be read others speak
            self._known[kind] = time.monotonic(), values
        return values
