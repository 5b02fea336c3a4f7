"""Asking operations of the home: the only way from the workbench to the engine."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from ark_tui.domain.errors import Cancelled, StoreLocked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from ark_tui.domain.protocols import OnProgress, Stop
    from ark_tui.engine import Engine
    from ark_tui.operations.call import Call
    from ark_tui.settings import Settings

P = ParamSpec("P")
Answer = TypeVar("Answer")

Act: TypeAlias = "Callable[[Client], Answer]"
"""Something that is done to the home, by one operation or by several."""

PATIENCE = 30.0
"""Seconds that what is asked for here waits for another process: nobody but its own thread waits with it."""

LOOK_EVERY = 0.02  # seconds between two looks at the stop token while waiting


class Opening:
    """Makes the engine once, in a thread when the first frame is painted; whoever needs it waits for it.

    `place`: where the home is served, for a person; empty for a home of this machine. `trouble`: what is
    wrong with the way there, while it is.
    """

    place = ""
    trouble = ""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made = threading.Event()
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._before: list[Engine] = []  # made from settings that have changed; what still runs may use them

    @property
    def kept(self) -> Path:
        """The folder in which the workbench keeps how it was left."""
        return self._settings.home.path

    @property
    def opened(self) -> Engine | None:
        """The engine, if it is there."""
        return self._engine

    def open(self) -> None:
        """Import and make the engine. Takes a while the first time: never on the thread that paints."""
        with self._lock:
            if self._engine is None:
                from ark_tui.engine import Engine, modules

                modules.open_all()
                logging.getLogger("ark_tui").addHandler(logging.NullHandler())  # nothing writes on the screen
                self._engine = Engine(_patient(self._settings))
                self._made.set()

    def wait(self, stop: Stop | None = None) -> Engine:
        """The engine as soon as it is there; raises `Cancelled` when stopped before."""
        while not self._made.wait(LOOK_EVERY):
            if stop is not None and stop.is_set():
                raise Cancelled
        assert self._engine is not None
        return self._engine

    def carry_out(self, asks: Client, what: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The result of an operation. Blocks; raises what it raises."""
        return what(asks.call_with(self.wait(asks.stop)), *given, **named)

    def held_up(self) -> str:
        """The process that has the store while this one has long been waiting for it; empty for none."""
        return self._engine.held_up() if self._engine is not None else ""

    def notices(self) -> tuple[str, ...]:
        """What failed and has stopped nobody, or was damaged and is rebuilt; each once."""
        return tuple(notice for engine in self._engines() for notice in engine.notices())

    def renew(self, settings: Settings) -> None:
        """From now on an engine of these settings; what is under way goes on with the one before."""
        with self._lock:
            self._settings = settings
            if self._engine is not None:
                self._before.append(self._engine)
                self._engine = self._engine.renewed(_patient(settings))

    def close(self) -> None:
        """Let go of the home."""
        for engine in self._engines():
            engine.close()

    def _engines(self) -> list[Engine]:
        """Every one that may still be in use."""
        return [*self._before, *([self._engine] if self._engine is not None else [])]


@dataclass(frozen=True)
class Client:
    """Runs operations in this process, as the person at the workbench; the rest as a `Call` has it."""

    opening: Opening
    stop: Stop | None = None
    progress: OnProgress | None = None
    so_far: Callable[[Any], None] | None = None
    agent: str = ""
    session: str = ""

    def call(
        self, operation: Callable[Concatenate[Call, P], Answer], *given: P.args, **named: P.kwargs
    ) -> Answer:
        """Ask an operation, once the home is open: in a thread, for it blocks. Raises what it raises."""
        found: Answer = self.opening.carry_out(self, operation, given, named)
        return found

    def call_with(self, engine: Engine) -> Call:
        """A call for the person who asks."""
        from ark_tui.domain.protocols import NEVER, ignore
        from ark_tui.operations.call import Call

        return Call(
            engine, person=True, local=True, agent=self.agent, session=self.session,
            stop=self.stop or NEVER, progress=self.progress or ignore, so_far=self.so_far or ignore,
        )  # fmt: skip


def act(operation: Callable[Concatenate[Call, P], Answer], *given: P.args, **named: P.kwargs) -> Act[Answer]:
    """What asks an operation when its turn has come."""
    return lambda client: client.call(operation, *given, **named)


@dataclass
class CommandQueue:
    """A turn for each act, in the order of the keys: an undo never overtakes what it is to take back."""

    client: Client
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _pending: int = 0

    @property
    def is_busy(self) -> bool:
        """Whether an act is under way, or waits for its turn."""
        return self._pending > 0

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


def _patient(settings: Settings) -> Settings:
    return replace(settings, lease_timeout=max(PATIENCE, settings.lease_timeout))
