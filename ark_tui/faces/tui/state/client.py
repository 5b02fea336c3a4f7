"""Asking operations of the home: the only way from the workbench to the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from ark_tui.domain.errors import StoreLocked
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from ark_tui.faces.tui.state.opening import Opening
    from ark_tui.operations.call import Call

P = ParamSpec("P")
Answer = TypeVar("Answer")

Act: TypeAlias = "Callable[[Client], Answer]"
"""Something that is done to the home, by one operation or by several."""


@dataclass(frozen=True)
class Client:
    """Runs operations in this process, as the person at the workbench; the rest as a `Call` has it."""

    opening: Opening
    stop: Stop = NEVER
    progress: OnProgress = ignore
    so_far: Callable[[Any], None] = ignore
    agent: str = ""
    session: str = ""

    def call(
        self, operation: Callable[Concatenate[Call, P], Answer], *given: P.args, **named: P.kwargs
    ) -> Answer:
        """Ask an operation, once the home is open: in a thread, for it blocks. Raises what it raises."""
        from ark_tui.operations.call import Call

        engine = self.opening.wait(self.stop)
        call = Call(
            engine, person=True, local=True, agent=self.agent, session=self.session,
            stop=self.stop, progress=self.progress, so_far=self.so_far,
        )  # fmt: skip
        return operation(call, *given, **named)


def act(operation: Callable[Concatenate[Call, P], Answer], *given: P.args, **named: P.kwargs) -> Act[Answer]:
    """What asks an operation when its turn has come."""
    return lambda client: client.call(operation, *given, **named)


@dataclass
class Acts:
    """A turn for each act, in the order of the keys: an undo never overtakes what it is to take back."""

    client: Client
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _pending: int = 0

    def unfinished(self) -> str:
        """What is to be said to a person who leaves while another process has the store; else nothing."""
        holder = self.client.opening.held_up()
        if not holder:
            return ""
        said = f"The store is held by {holder}; ark-tui ends when what is still to be written is written."
        after = self._pending - 1
        return f"{said} What you did after that ({after}) is not done." if after > 0 else said

    async def run(self, act: Act[Answer]) -> Answer:
        """Carry out an act in a thread when those before it are done; raises what it raises.

        That the store was held for too long is said long after the key: so is what became of the act.
        """
        self._pending += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(act, self.client)
        except StoreLocked as error:
            raise StoreLocked(f"{error.what.removesuffix('.')}; nothing was changed.", error.hint) from error
        finally:
            self._pending -= 1
