"""What changes the home: done in threads, one after the other in the order of the keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.engine import Engine
    from ark_tui.faces.tui.opening import Opening

Answer = TypeVar("Answer")


class Acts:
    """A turn for each act: an undo never overtakes what it is to take back."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._turn = asyncio.Lock()

    async def run(self, act: Callable[[Engine], Answer]) -> Answer:
        """Carry out an act when those before it are done; raises what it raises."""
        async with self._turn:
            return await asyncio.to_thread(lambda: act(self._opening.wait()))
