"""What changes the home: done in threads, one after the other in the order of the keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from ark_tui.domain.errors import StoreLocked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.faces.tui.state.opening import Opening
    from ark_tui.operations.call import Call

Answer = TypeVar("Answer")


class Acts:
    """A turn for each act: an undo never overtakes what it is to take back."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._turn = asyncio.Lock()
        self._pending = 0

    def unfinished(self) -> str:
        """What is to be said to a person who leaves while another process has the store; else nothing."""
        engine = self._opening.opened
        holder = engine.held_up() if engine is not None else ""
        if not holder:
            return ""
        said = f"The store is held by {holder}; ark-tui ends when what is still to be written is written."
        after = self._pending - 1
        return f"{said} What you did after that ({after}) is not done." if after > 0 else said

    async def run(self, act: Callable[[Call], Answer]) -> Answer:
        """Carry out an act when those before it are done; raises what it raises.

        That the store was held for too long is said long after the key: so is what became of the act.
        """
        self._pending += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(lambda: act(self._opening.call()))
        except StoreLocked as error:
            raise StoreLocked(f"{error.what.removesuffix('.')}; nothing was changed.", error.hint) from error
        finally:
            self._pending -= 1
